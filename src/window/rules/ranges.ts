// Runs of seqs. Every list of ranges here is sorted, without overlap, and merged: two ranges that
// touch (the last of one right before the first of the next) are one. All functions give new lists.

import { LIMITS } from "../limits.ts";
import type { SeqRange } from "./types.ts";

/**
 * Makes the runs of entries by rising seq. Joins two entries only when no seq lies between, or when
 * `erased` covers every seq between: such a run holds no existing message beside the entries.
 */
export function rangesOf(
  entries: readonly { readonly seq: number }[],
  erased: readonly SeqRange[] = [],
): SeqRange[] {
  const ranges: SeqRange[] = [];
  let first = 0;
  let last = 0;
  let gap = 0;
  for (const { seq } of entries) {
    if (last !== 0) {
      // The erased run that could cover the gap is the first one that does not end before it.
      while (gap < erased.length && (erased[gap]?.last ?? 0) <= last) gap++;
      if (seq === last + 1 || covers(erased[gap], last + 1, seq - 1)) {
        last = seq;
        continue;
      }
      ranges.push({ first, last });
    }
    first = seq;
    last = seq;
  }
  if (last !== 0) ranges.push({ first, last });
  return ranges;
}

function covers(range: SeqRange | undefined, first: number, last: number): boolean {
  return range !== undefined && range.first <= first && last <= range.last;
}

/** The index of the first range that does not end before the seq. */
function findFrom(ranges: readonly SeqRange[], seq: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.last ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Tells whether a seq is in one of the ranges. */
export function containsSeq(ranges: readonly SeqRange[], seq: number): boolean {
  return covers(ranges[findFrom(ranges, seq)], seq, seq);
}

/** Adds a run, merged with what it overlaps or touches. */
export function addRange(ranges: readonly SeqRange[], added: SeqRange): SeqRange[] {
  const from = findFrom(ranges, added.first - 1);
  let { first, last } = added;
  let to = from;
  for (let range = ranges[to]; range !== undefined; range = ranges[++to]) {
    if (range.first > added.last + 1) break;
    first = Math.min(first, range.first);
    last = Math.max(last, range.last);
  }
  return [...ranges.slice(0, from), { first, last }, ...ranges.slice(to)];
}

/** Gives the runs of [first, last] that no range holds. Empty when last is below first. */
export function outsideRanges(
  inside: readonly SeqRange[],
  first: number,
  last: number,
): SeqRange[] {
  const outside: SeqRange[] = [];
  let next = first;
  for (const range of inside) {
    if (range.first > last) break;
    if (range.first > next) outside.push({ first: next, last: range.first - 1 });
    next = Math.max(next, range.last + 1);
  }
  if (next <= last) outside.push({ first: next, last });
  return outside;
}

/** Cuts a list to its newest runs, 1,000 of them as answers allow, and says whether it did. */
export function newestRanges(
  ranges: readonly SeqRange[],
  count: number = LIMITS.outsideRanges,
): { readonly ranges: readonly SeqRange[]; readonly truncated: boolean } {
  if (ranges.length <= count) return { ranges, truncated: false };
  return { ranges: ranges.slice(ranges.length - count), truncated: true };
}
