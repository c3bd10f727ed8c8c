// The scorings of a recall besides the default recipe, those of other systems among them. Each
// looks at one kind of record.

import type { RecallKind } from "./filter.ts";

/** The kind of record that each scoring reads, by its name in the contract. */
const SCORED_KINDS = {
  cosine: "document",
  tf_idf: "document",
  overlap: "memory",
  word_count: "memory",
  substring: "memory",
  occurrences: "message",
} as const satisfies Readonly<Record<string, RecallKind>>;

export type RecallScoring = keyof typeof SCORED_KINDS;
/** The scorings that look at records of a kind. */
export type ScoringOf<K extends RecallKind> = {
  [S in RecallScoring]: (typeof SCORED_KINDS)[S] extends K ? S : never;
}[RecallScoring];

/** The names of the scorings. */
export const RECALL_SCORINGS = Object.keys(SCORED_KINDS) as readonly RecallScoring[];

/** The kind of record that a scoring reads; undefined for an unknown name. */
export function scoredKind(name: string): RecallKind | undefined {
  return Object.hasOwn(SCORED_KINDS, name) ? SCORED_KINDS[name as RecallScoring] : undefined;
}

/** Whether a name is that of a scoring of such records. */
export function isScoringOf<K extends RecallKind>(name: string, kind: K): name is ScoringOf<K> {
  return scoredKind(name) === kind;
}
