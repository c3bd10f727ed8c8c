// Positions of inserts between the messages of a log. All inserts between two neighboring seqs are
// spaced evenly, so that there is always room for one more.

import type { WindowInsert } from "../session/rules/session.ts";

/** An insert to be placed. */
export interface NewInsert {
  readonly insert: Omit<WindowInsert, "position">;
  /** The position of what it stands directly behind: a seq, that of an insert, or 0 for nothing. */
  readonly after: number;
}

interface Placed {
  readonly insert: Omit<WindowInsert, "position">;
  readonly key: number;
  readonly isNew: boolean;
}

/**
 * Adds inserts in the order given and gives all, by rising position; those near a new one may move
 * a little. The same order of positions always gives the same numbers.
 */
export function placeInserts(
  inserts: readonly WindowInsert[],
  added: readonly NewInsert[],
): readonly WindowInsert[] {
  if (added.length === 0) return inserts;
  const touched = new Set(added.map(({ after }) => Math.floor(after)));
  const all: Placed[] = [
    ...inserts.map((insert) => ({ insert, key: insert.position, isNew: false })),
    ...added.map(({ insert, after }) => ({ insert, key: after, isNew: true })),
  ];
  // A stable sort: behind the same place the old one comes first, then the new ones in their order.
  all.sort((a, b) => a.key - b.key || Number(a.isNew) - Number(b.isNew));
  const counts = new Map<number, number>();
  for (const { key } of all) counts.set(Math.floor(key), (counts.get(Math.floor(key)) ?? 0) + 1);
  const used = new Map<number, number>();
  return all.map(({ insert, key }) => {
    const gap = Math.floor(key);
    if (!touched.has(gap)) return { ...insert, position: key };
    const index = (used.get(gap) ?? 0) + 1;
    used.set(gap, index);
    return { ...insert, position: gap + index / ((counts.get(gap) ?? 0) + 1) };
  });
}

/** The position of what stands directly before a message of the log. */
export function placeBefore(inserts: readonly WindowInsert[], seq: number): number {
  const before = inserts.findLast(({ position }) => position < seq)?.position ?? 0;
  return Math.max(before, seq - 1);
}
