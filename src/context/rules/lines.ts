// Writes the items of a context as text: one line for an item, or several for a message that has
// several.

import { dayOf, describeStructure, type Memory } from "../../memory/rules/memory.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import { withoutMarks, withoutUnseen } from "./fence.ts";
import type { Candidate, ContextSectionKind, ContextStyle, Safe, SaidMessage } from "./types.ts";

const EPISODE_CHARS = 100;
const ELLIPSIS = "...";

/** The text of an item. */
export function lineOf(
  style: ContextStyle,
  kind: ContextSectionKind,
  candidate: Candidate,
): string {
  const { said } = candidate;
  const safe = safeOf(style);
  const own = style.profile.line?.(kind, said, safe);
  if (own !== undefined) return own;
  const label = style.profile.guarded ? labelOf(candidate) : "";
  switch (said.kind) {
    case "summary":
      return safe(said.text);
    case "document":
      return `- ${label}${inside(label, safe(said.text))}`;
    case "message":
      return messageLine(kind, said, label, safe);
    default:
      return labelled(label, memoryLine(kind, said.memory, safe));
  }
}

function safeOf({ profile, fence }: ContextStyle): Safe {
  if (fence) return (text) => withoutMarks(withoutUnseen(text));
  return profile.guarded ? withoutUnseen : (text) => text;
}

/** A label for an item of low trust; empty for others. */
function labelOf({ said, trust }: Candidate): string {
  if (said.kind === "summary") return "";
  const notes: string[] = [];
  if (trust === TRUST.low) notes.push("low trust");
  if (said.kind === "memory") {
    const { contradictsIds, source } = said.memory;
    if (trust === TRUST.low && contradictsIds.length > 0) notes.push("disputed");
    if (source.erasedMs !== undefined) notes.push("source erased");
  }
  return notes.length === 0 ? "" : `[${notes.join(", ")}] `;
}

/** A line that begins with `- `, with its label behind that. */
function labelled(label: string, line: string): string {
  return line.startsWith("- ") ? `- ${label}${line.slice(2)}` : `${label}${line}`;
}

/** The further lines of what has a label: indented, so that they pass for no other item. */
function inside(label: string, text: string): string {
  return label === "" ? text : text.replaceAll("\n", "\n  ");
}

/** Joins lines, so that one item cannot pass for several. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\n\r\u2028\u2029]\s*/gu, " ");
}

function messageLine(
  kind: ContextSectionKind,
  message: SaidMessage,
  label: string,
  safe: Safe,
): string {
  const { role, name } = message;
  const says = [message.text, message.calls].filter((text) => text !== "").map(safe);
  const speaker = name === "" ? role : `${role} (${safe(oneLine(name))})`;
  return `${whenOf(kind, message)}${label}${speaker}: ${inside(label, says.join("\n"))}`;
}

/** The day on which something was said, for what is not part of the conversation. */
export function whenOf(kind: ContextSectionKind, { saidMs }: SaidMessage): string {
  return kind === "conversation" ? "" : `[${dayOf(saidMs)}] `;
}

function memoryLine(kind: ContextSectionKind, memory: Memory, safe: Safe): string {
  if (kind === "daily-log") return logLine(memory, safe);
  const { structure, text, validFromMs } = memory.content;
  if (isEpisode(memory)) return episodeLine(memory, (sides) => safe(oneLine(sides)));
  if (structure?.kind === "entity") return `- ${safe(oneLine(describeStructure(structure)))}`;
  if (structure?.kind === "relation") {
    const { subject, predicate, object } = structure.relation;
    return `- ${safe(oneLine(`${subject} ${predicate} ${object}`))}`;
  }
  const since = validFromMs === undefined ? "" : ` (since ${dayOf(validFromMs)})`;
  return `- ${safe(oneLine(text))}${since}`;
}

export function isEpisode({ content, kind }: Memory): boolean {
  return content.structure?.kind === "episode" || kind === "episode";
}

/** The line of an episode: its time, and the start of each side of the exchange. */
export function episodeLine(memory: Memory, safe: Safe): string {
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
