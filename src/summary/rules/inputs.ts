// Chooses the input of one task: the oldest entries to summarize, as many as the hook takes,
// without splitting entries that belong together.

import type { TranscriptStyle } from "../../window/policy/summary-spec.ts";
import type { WindowEntry } from "../../window/rules/types.ts";

/** Size limits of one task. */
export interface InputLimits {
  readonly tokens: number;
  readonly messages: number;
  readonly bytes: number;
}

/** Group of an entry; undefined for none. */
export type GroupOf<E extends WindowEntry = WindowEntry> = (
  entry: E,
) => number | string | undefined;

/** Entries that go together, by rising position. */
export type Part<E extends WindowEntry = WindowEntry> = readonly E[];

/** Puts entries that go together into parts, in the order of their first entries. */
export function partsOf<E extends WindowEntry>(
  entries: readonly E[],
  groupOf: GroupOf<E>,
): readonly Part<E>[] {
  const parts: E[][] = [];
  const known = new Map<number | string, E[]>();
  for (const entry of entries) {
    const group = groupOf(entry);
    const part = group === undefined ? undefined : known.get(group);
    if (part !== undefined) {
      part.push(entry);
      continue;
    }
    const made = [entry];
    if (group !== undefined) known.set(group, made);
    parts.push(made);
  }
  return parts;
}

/** Entries taken for a task so far, and their size. */
interface Filling<E extends WindowEntry> {
  readonly entries: E[];
  tokens: number;
  bytes: number;
}

function add<E extends WindowEntry>(filling: Filling<E>, part: Part<E>): void {
  for (const entry of part) {
    filling.entries.push(entry);
    filling.tokens += entry.tokenCount;
    filling.bytes += entry.byteCount;
  }
}

function fits<E extends WindowEntry>(
  filling: Filling<E>,
  part: Part<E>,
  limits: InputLimits,
): boolean {
  if (filling.entries.length + part.length > limits.messages) return false;
  let { tokens, bytes } = filling;
  for (const entry of part) {
    tokens += entry.tokenCount;
    bytes += entry.byteCount;
  }
  return tokens <= limits.tokens && bytes <= limits.bytes;
}

/**
 * Takes parts from the oldest on while they fit, and gives their entries by rising position. Takes
 * more than fit until `isEnough` holds for them: a task that cannot change anything would be made
 * again and again. Undefined when all parts together are not enough.
 */
export function takeParts<E extends WindowEntry>(
  parts: readonly Part<E>[],
  limits: InputLimits,
  isEnough: (entries: readonly E[]) => boolean,
): readonly E[] | undefined {
  const filling: Filling<E> = { entries: [], tokens: 0, bytes: 0 };
  for (const part of parts) {
    if (!fits(filling, part, limits) && isEnough(filling.entries)) break;
    add(filling, part);
  }
  return isEnough(filling.entries) ? bySeq(filling.entries) : undefined;
}

/** Number of the first parts that fit beside the present content; may be 0. */
export function countFitting<E extends WindowEntry>(
  parts: readonly Part<E>[],
  limits: InputLimits,
): number {
  const filling: Filling<E> = { entries: [], tokens: 0, bytes: 0 };
  let count = 0;
  for (const part of parts) {
    if (!fits(filling, part, limits)) break;
    add(filling, part);
    count++;
  }
  return count;
}

/** Spreads parts over as many tasks as needed; a part that is too large gets a separate one. */
export function splitParts<E extends WindowEntry>(
  parts: readonly Part<E>[],
  limits: InputLimits,
): readonly (readonly E[])[] {
  const lists: (readonly E[])[] = [];
  for (let from = 0; from < parts.length; ) {
    const count = Math.max(1, countFitting(parts.slice(from), limits));
    lists.push(bySeq(parts.slice(from, from + count).flat()));
    from += count;
  }
  return lists;
}

function bySeq<E extends WindowEntry>(entries: readonly E[]): readonly E[] {
  return [...entries].sort((a, b) => a.seq - b.seq);
}

/**
 * Whether a summary can save anything by replacing these: it merges two or more of them, or a
 * single message is longer than its summary may be. A summary alone is never summarized again: that
 * would never end. `summaries` are the positions of placed summaries, `requests` those of the
 * messages before them that are shown with them.
 */
export function savesMessages(
  entries: readonly WindowEntry[],
  maxTokens: number,
  made: { readonly summaries: ReadonlySet<number>; readonly requests: ReadonlySet<number> },
): boolean {
  const counted = entries.filter(({ seq }) => !made.requests.has(seq));
  if (counted.length !== 1) return counted.length > 1;
  const [only] = counted;
  return only !== undefined && !made.summaries.has(only.seq) && only.tokenCount > maxTokens;
}

// Writes messages down as text for hooks that work on text.

/** A message as a transcript shows it. */
export interface TranscriptLine {
  /** A role of messages in lower case, or `summary` for a placed summary. */
  readonly role: string;
  /** All text of it; may be empty. */
  readonly text: string;
}

/**
 * Writes messages down in a style: the role in lower case or in capitals, one message a line, or in
 * capitals with an empty line between. A message without text, such as a mere tool call, makes an
 * entry without text. Texts stay as they are, line breaks included.
 */
export function transcriptOf(lines: readonly TranscriptLine[], style: TranscriptStyle): string {
  const entries = lines.map(({ role, text }) =>
    style === "roles" ? `${role}: ${text}` : `${role.toUpperCase()}: ${text}`,
  );
  return entries.join(style === "paragraphs" ? "\n\n" : "\n");
}
