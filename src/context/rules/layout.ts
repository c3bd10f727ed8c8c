// Puts lines into sections and sections into the text of a context, and says where each line
// stands, so that a text that is cut still tells what is in it.

import { dayOf } from "../../memory/rules/memory.ts";
import { codePointsOf } from "../../window/policy/tokens.ts";
import { FENCE_CLOSE, fenceOpen } from "./fence.ts";
import type { Candidate, ContextStyle, Entry, SectionRules } from "./types.ts";

/** The end of a section that was cut off. */
export const SECTION_CUT = "\n... (truncated)";

/** Whether a section stands between marks of its own: a block may have others around it. */
export function hasMarks({ fence }: ContextStyle, { block }: SectionRules): boolean {
  return fence && (block === undefined || block.hasSectionMarks);
}

/** A line of a section. */
interface Line {
  readonly text: string;
  /** Undefined for heads of groups, empty lines and marks. */
  readonly entry?: Entry;
}

/** Position of an entry in a text, in UTF-16 units. */
export interface Span {
  readonly entry: Entry;
  readonly start: number;
  readonly end: number;
}

/** A section as text. */
export interface SectionText {
  readonly rules: SectionRules;
  readonly text: string;
  readonly heading: string;
  /** In the order of the text. */
  readonly spans: readonly Span[];
  /** Start and end of the content between the marks; undefined without marks. */
  readonly fenced: { readonly start: number; readonly end: number } | undefined;
}

/**
 * Lays a section out: its entries in the order in which they stand, behind `before`, a line that
 * says what is missing; empty for none. A section without entries has no text.
 */
export function layOut(
  style: ContextStyle,
  rules: SectionRules,
  entries: readonly Entry[],
  before = "",
): SectionText {
  const empty = { rules, text: "", heading: "", spans: [], fenced: undefined };
  if (entries.length === 0) return empty;
  if (rules.isApart) {
    const spans = inOrder(rules, entries).map((entry) => ({ entry, start: 0, end: 0 }));
    return { ...empty, spans };
  }
  const grouped = linesOf(rules, inOrder(rules, entries));
  const heading = grouped.heading ?? rules.heading;
  const lines = before === "" ? grouped.lines : [{ text: before }, ...grouped.lines];
  const trusts = entries.map(({ candidate }) => candidate.trust);
  const isMarked = hasMarks(style, rules);
  const open = isMarked ? fenceOpen(rules.kind, trusts) : "";
  const head = [heading, open].filter((line) => line !== "").map((line) => `${line}\n`);
  const close = isMarked ? FENCE_CLOSE : "";
  const tail = [close, rules.footer].filter((line) => line !== "").map((line) => `\n${line}`);
  const [first, last] = [head.join(""), tail.join("")];
  // The limit is on the text a caller reads: the marks of data do not count.
  const words = [heading, rules.footer].filter((line) => line !== "");
  const around = words.reduce((sum, line) => sum + codePointsOf(line) + 1, 0);
  const body = bodyOf(lines, rules.maxChars, around);
  if (body === undefined) return empty;
  const shift = first.length;
  return {
    rules,
    heading,
    text: `${first}${body.text}${last}`,
    spans: body.spans.map(({ entry, start, end }) => ({
      entry,
      start: start + shift,
      end: end + shift,
    })),
    fenced: isMarked ? { start: shift, end: shift + body.text.length } : undefined,
  };
}

/** Joins lines, cut to what a section may have beside `around` characters of frame. */
function bodyOf(
  lines: readonly Line[],
  maxChars: number,
  around: number,
): { readonly text: string; readonly spans: readonly Span[] } | undefined {
  const spans: Span[] = [];
  let length = 0;
  for (const { text, entry } of lines) {
    if (entry !== undefined) spans.push({ entry, start: length, end: length + text.length });
    length += text.length + 1;
  }
  const text = lines.map((line) => line.text).join("\n");
  if (maxChars === 0 || codePointsOf(text) + around <= maxChars) return { text, spans };
  const room = maxChars - around - SECTION_CUT.length;
  if (room <= 0) return undefined;
  const end = endOfChars(text, room);
  const kept = spans.filter(({ start }) => start < end);
  if (kept.length === 0) return undefined;
  return {
    text: text.slice(0, end) + SECTION_CUT,
    spans: kept.map((span) => ({ ...span, end: Math.min(span.end, end) })),
  };
}

/** End of the first characters of a text, in UTF-16 units. */
export function endOfChars(text: string, chars: number): number {
  let end = 0;
  for (let n = 0; n < chars && end < text.length; n++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}

/** The lines of a section in order, with heads of groups where its profile has them. */
function linesOf(
  { kind, groupOf }: SectionRules,
  entries: readonly Entry[],
): { readonly heading: string | undefined; readonly lines: readonly Line[] } {
  if (kind === "daily-log") {
    const days = [...Map.groupBy(entries, dayOfEntry)];
    const lines = days.flatMap(([day, own]) => [{ text: `=== ${day} ===` }, ...own.map(asLine)]);
    return { heading: undefined, lines };
  }
  if (groupOf === undefined) return { heading: undefined, lines: entries.map(asLine) };
  const [first, ...others] = [...Map.groupBy(entries, ({ candidate }) => groupOf(candidate))];
  const lines = (first?.[1] ?? []).map(asLine);
  const more = others.flatMap(([head, own]) => [{ text: "" }, { text: head }, ...own.map(asLine)]);
  return { heading: first?.[0], lines: [...lines, ...more] };
}

function asLine(entry: Entry): Line {
  return { text: entry.line, entry };
}

function dayOfEntry({ candidate: { said } }: Entry): string {
  return dayOf(said.kind === "memory" ? said.memory.strength.lastSeenMs : 0);
}

/** The order in which entries stand; those that it leaves open stay in the order they came in. */
function inOrder(rules: SectionRules, entries: readonly Entry[]): readonly Entry[] {
  const order = rules.order ?? orderOf(rules.kind);
  if (order === undefined) return entries;
  return entries.toSorted((a, b) => order(a.candidate, b.candidate));
}

export type Order = (a: Candidate, b: Candidate) => number;

function orderOf(kind: SectionRules["kind"]): Order | undefined {
  if (kind === "conversation") return by(({ said }) => (said.kind === "message" ? said.place : 0));
  if (kind === "recalled-messages") return byTime;
  if (kind === "episodes") return then(by(episodeMs), by(memoryNo));
  if (kind !== "daily-log") return undefined;
  return then(
    by((one) => -Date.parse(dayOf(lastSeenMs(one)))),
    then(by(lastSeenMs), by(memoryNo)),
  );
}

/** Sorts by a number, the lowest first. */
export function by(value: (candidate: Candidate) => number): Order {
  return (a, b) => value(a) - value(b);
}

function then(first: Order, second: Order): Order {
  return (a, b) => first(a, b) || second(a, b);
}

const byTime: Order = (a, b) => {
  if (a.ref.kind !== "message" || b.ref.kind !== "message") return 0;
  const ms = ({ said }: Candidate): number => (said.kind === "message" ? said.saidMs : 0);
  const [x, y] = [a.ref.sessionId, b.ref.sessionId];
  return ms(a) - ms(b) || (x < y ? -1 : Number(x > y)) || a.ref.seq - b.ref.seq;
};

export function memoryNo({ said }: Candidate): number {
  return said.kind === "memory" ? said.memory.memoryNo : 0;
}

export function importanceOf({ said }: Candidate): number {
  return said.kind === "memory" ? said.memory.content.importance : 0;
}

function lastSeenMs({ said }: Candidate): number {
  return said.kind === "memory" ? said.memory.strength.lastSeenMs : 0;
}

function episodeMs({ said }: Candidate): number {
  if (said.kind !== "memory") return 0;
  return said.memory.content.validFromMs ?? said.memory.createMs;
}
