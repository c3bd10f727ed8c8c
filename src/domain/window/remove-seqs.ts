// Takes single seqs out of runs, in one pass over both.

import type { SeqRange } from "./types.ts";

/** The runs without some seqs, given in any order. Costs the sum of both lengths and a sort. */
export function removeSeqs(ranges: readonly SeqRange[], seqs: readonly number[]): SeqRange[] {
  const removed = [...seqs].sort((a, b) => a - b);
  const left: SeqRange[] = [];
  let next = 0;
  for (const range of ranges) {
    let { first } = range;
    while (next < removed.length && (removed[next] as number) < first) next += 1;
    while (next < removed.length && (removed[next] as number) <= range.last) {
      const seq = removed[next] as number;
      if (seq > first) left.push({ first, last: seq - 1 });
      first = seq + 1;
      next += 1;
    }
    if (first <= range.last) left.push({ first, last: range.last });
  }
  return left;
}
