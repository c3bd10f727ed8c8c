// Kinds of records that containers hold, with their readers.

import type { RecallKind } from "../rules/filter.ts";
import { indexTextOf, passagesOf } from "../text/passages.ts";
import type { ContainerRef, IndexCodec, IndexedRecord } from "./port.ts";

/** The kind of record that each kind of container holds. */
export const KINDS = {
  session: "message",
  collection: "document",
  scope: "memory",
} as const satisfies Readonly<Record<ContainerRef["kind"], RecallKind>>;

/** Reads the wire form of a record. */
export function readRecord(codec: IndexCodec, kind: RecallKind, bytes: Uint8Array): IndexedRecord {
  if (kind === "message") return codec.readMessage(bytes);
  return kind === "document" ? codec.readDocument(bytes) : codec.readMemory(bytes);
}

// The texts of the passages of a record: what is indexed by words, and what vectors are made of.

/**
 * UTF-16 units of a passage that its vector is made of. Only words longer than any word reach it,
 * such as data in letters, and embedders refuse what is much longer.
 */
const VECTOR_CHARS = 1_024;

const ROLE_NAMES = ["", "user", "assistant", "system", "tool"] as const;

/** One passage of a record. */
export interface PassageText {
  /** For the words: with the author and the day. Empty when the passage has no words. */
  readonly words: string;
  /** For the vector. */
  readonly vector: string;
}

/**
 * Gives the passages of a record, at least one: a record without words has one empty passage, so
 * that it has its place among its neighbors.
 */
export function passageTexts(record: IndexedRecord): PassageText[] {
  const { text, author, role, timeMs, alsoWords = "" } = record;
  const passages = passagesOf(text);
  if (passages.length === 0) return [{ words: alsoWords, vector: "" }];
  return passages.map(({ start, end }, place) => {
    const passage = text.slice(start, end);
    const speaker = { speaker: author, role: ROLE_NAMES[role] };
    const time = timeMs === 0 ? undefined : timeMs;
    const vector = passage.slice(0, VECTOR_CHARS).toWellFormed();
    const words = indexTextOf({ ...speaker, timeMs: time, passage });
    const isFirst = place === 0 && alsoWords !== "";
    return { words: isFirst ? `${words}\n${alsoWords}` : words, vector };
  });
}
