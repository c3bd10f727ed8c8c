// How what a context holds is written down: one line for an item, or several for a message that has
// several.

import { confidenceLabel, describeStructure } from "../memories/describe.ts";
import { dayOf } from "../memories/episodes.ts";
import type { Memory } from "../memories/memory.ts";
import { TRUST } from "../summaries/summary.ts";
import type { Candidate, SaidMessage } from "./candidate.ts";
import { withoutMarks, withoutUnseen } from "./fence.ts";
import type { ContextProfile } from "./profiles.ts";
import type { ContextSectionKind } from "./types.ts";

/** The category of what has none. */
const GENERAL = "general";

const EPISODE_CHARS = 100;
const ELLIPSIS = "...";
/** A half that two rules of rounding tell apart: the source rounds it to the even digit. */
const TIE = 0.25;

/** How the items of a context are written down. */
export interface LineStyle {
  readonly profile: ContextProfile;
  /** What items say must not look like the marks around them. */
  readonly fence: boolean;
}

/** Writes an item down. */
export function lineOf(style: LineStyle, kind: ContextSectionKind, candidate: Candidate): string {
  const { said } = candidate;
  const safe = safeOf(style);
  const label = style.profile === "default" ? labelOf(candidate) : "";
  switch (said.kind) {
    case "summary":
      return safe(said.text);
    case "document":
      return `- ${label}${inside(label, safe(said.text))}`;
    case "message":
      return messageLine(style, kind, said, { label, safe });
    default:
      return labelled(label, memoryLine(style, kind, said.memory, safe));
  }
}

type Safe = (text: string) => string;

/** How a stored text is written. Profiles of other systems, without marks, write all of it. */
function safeOf({ profile, fence }: LineStyle): Safe {
  if (fence) return (text) => withoutMarks(withoutUnseen(text));
  return profile === "default" ? withoutUnseen : (text) => text;
}

/** Says of an item that it is not to be trusted as others are; empty for others. */
function labelOf({ said, trust }: Candidate): string {
  if (said.kind === "summary" || trust !== TRUST.low) return "";
  const isDisputed = said.kind === "memory" && said.memory.contradictsIds.length > 0;
  return isDisputed ? "[low trust, disputed] " : "[low trust] ";
}

/** A line that begins with `- `, with its label behind that. */
function labelled(label: string, line: string): string {
  return line.startsWith("- ") ? `- ${label}${line.slice(2)}` : `${label}${line}`;
}

/** The further lines of what has a label: indented, so that they pass for no other item. */
function inside(label: string, text: string): string {
  return label === "" ? text : text.replaceAll("\n", "\n  ");
}

/** One line, so that one item cannot pass for several. */
function oneLine(text: string): string {
  return text.replace(/\s*[\n\r\u2028\u2029]\s*/gu, " ");
}

function messageLine(
  { profile }: LineStyle,
  kind: ContextSectionKind,
  message: SaidMessage,
  { label, safe }: { readonly label: string; readonly safe: Safe },
): string {
  const { role, name } = message;
  if (profile === "selectools") {
    return `${whenOf(kind, message)}${role.toUpperCase()}: ${safe(message.text)}`;
  }
  if (profile === "definable" && kind === "conversation") {
    return `${role === "summary" ? "[Summary]" : role}: ${safe(message.text)}`;
  }
  const says = [message.text, message.calls].filter((text) => text !== "").map(safe);
  const speaker = name === "" ? role : `${role} (${safe(oneLine(name))})`;
  return `${whenOf(kind, message)}${label}${speaker}: ${inside(label, says.join("\n"))}`;
}

/** The day on which something was said, for what is not part of the conversation. */
function whenOf(kind: ContextSectionKind, { saidMs }: SaidMessage): string {
  return kind === "conversation" ? "" : `[${dayOf(saidMs)}] `;
}

function memoryLine(
  { profile }: LineStyle,
  kind: ContextSectionKind,
  memory: Memory,
  safe: Safe,
): string {
  if (kind === "daily-log") return logLine(memory, safe);
  const { structure, text } = memory.content;
  const isSelectools = profile === "selectools";
  if (structure?.kind === "episode" || memory.kind === "episode") {
    return episodeLine(memory, (sides) => safe(isSelectools ? sides : oneLine(sides)));
  }
  if (structure?.kind === "entity") return `- ${safe(oneLine(describeStructure(structure)))}`;
  if (structure?.kind === "relation") return relationLine(memory, isSelectools, safe);
  if (isSelectools) return `- ${tagOf(memory, safe)} ${safe(text)}`;
  if (profile === "lauren") {
    return `- ${safe(text)} (confidence: ${confidenceLabel(memory.strength.confidence)})`;
  }
  const { validFromMs } = memory.content;
  const since = validFromMs === undefined ? "" : ` (since ${dayOf(validFromMs)})`;
  return `- ${safe(oneLine(text))}${since}`;
}

function tagOf({ content }: Memory, safe: Safe): string {
  return content.category === GENERAL ? "" : `[${safe(oneLine(content.category))}]`;
}

function relationLine(memory: Memory, isSelectools: boolean, safe: Safe): string {
  const { structure, text } = memory.content;
  if (structure?.kind !== "relation") return `- ${safe(oneLine(text))}`;
  const { subject, predicate, object } = structure.relation;
  if (!isSelectools) return `- ${safe(oneLine(`${subject} ${predicate} ${object}`))}`;
  const { confidence } = memory.strength;
  const sure = confidence < 1 ? ` (confidence: ${tenths(confidence)})` : "";
  return `- ${safe(subject)} --[${safe(predicate)}]--> ${safe(object)}${sure}`;
}

function tenths(share: number): string {
  return share === TIE ? "0.2" : share.toFixed(1);
}

function episodeLine(memory: Memory, safe: Safe): string {
  const { structure, text, validFromMs } = memory.content;
  const when = minuteOf(validFromMs ?? memory.createMs);
  if (structure?.kind !== "episode") return `- ${when} ${safe(cut(text))}`;
  const { userText, assistantText } = structure.episode;
  const episode = { userText: safe(cut(userText)), assistantText: safe(cut(assistantText)) };
  return `- ${when} ${describeStructure({ kind: "episode", episode })}`;
}

/** The first characters of a text, with dots at the end when there are more. */
function cut(text: string): string {
  const chars = [...text.slice(0, 2 * EPISODE_CHARS + 2)];
  if (chars.length <= EPISODE_CHARS) return text;
  return chars.slice(0, EPISODE_CHARS - ELLIPSIS.length).join("") + ELLIPSIS;
}

function logLine(memory: Memory, safe: Safe): string {
  const { category, text } = memory.content;
  const { lastSeenMs } = memory.strength;
  const at = new Date(lastSeenMs).toISOString();
  const when = `${dayOf(lastSeenMs)} ${at.slice(at.indexOf("T") + 1).slice(0, 8)}`;
  return `[${when}] [${safe(oneLine(category))}] ${safe(oneLine(text))}`;
}

function minuteOf(ms: number): string {
  const at = new Date(ms).toISOString();
  return `${dayOf(ms)} ${at.slice(at.indexOf("T") + 1).slice(0, 5)}`;
}
