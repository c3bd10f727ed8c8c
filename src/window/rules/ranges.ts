// Runs of seqs. Every list of ranges here is sorted, without overlap, and merged: two ranges that
// touch (the last of one right before the first of the next) are one. All functions give new lists.

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

/** Number of seqs in some runs. */
export function countSeqs(ranges: readonly SeqRange[]): number {
  return ranges.reduce((count, { first, last }) => count + last - first + 1, 0);
}

/** Every seq of some runs, run by run. */
export function seqsOf(ranges: readonly SeqRange[]): number[] {
  return ranges.flatMap(({ first, last }) =>
    Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index),
  );
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

// Joins two lists of runs in one pass over both, and keeps lists of runs short.

/** The runs of both lists, sorted and merged as in ranges.ts. Both must be sorted by first seq. */
export function mergeRanges(a: readonly SeqRange[], b: readonly SeqRange[]): SeqRange[] {
  const merged: SeqRange[] = [];
  let i = 0;
  let j = 0;
  let open: SeqRange | undefined;
  for (;;) {
    const next = earlier(a[i], b[j]);
    if (next === undefined) break;
    if (next === a[i]) i++;
    else j++;
    if (open === undefined) open = next;
    else if (next.first <= open.last + 1) {
      open = { first: open.first, last: Math.max(open.last, next.last) };
    } else {
      merged.push(open);
      open = next;
    }
  }
  if (open !== undefined) merged.push(open);
  return merged;
}

/** The first runs without the others. Both must be sorted and merged. */
export function withoutRanges(
  ranges: readonly SeqRange[],
  others: readonly SeqRange[],
): SeqRange[] {
  const left: SeqRange[] = [];
  let next = 0;
  for (const { first, last } of ranges) {
    let from = first;
    while ((others[next]?.last ?? first) < first) next += 1;
    for (let i = next; from <= last; i++) {
      const other = others[i];
      if (other === undefined || other.first > last) {
        left.push({ first: from, last });
        break;
      }
      if (other.first > from) left.push({ first: from, last: other.first - 1 });
      from = Math.max(from, other.last + 1);
    }
  }
  return left;
}

/** Cuts a list to this many runs, one at least, by joining the oldest over what lies between. */
export function joinOldest(ranges: readonly SeqRange[], count: number): readonly SeqRange[] {
  const [first] = ranges;
  const last = ranges[ranges.length - count];
  if (ranges.length <= count || first === undefined || last === undefined) return ranges;
  return [{ first: first.first, last: last.last }, ...ranges.slice(ranges.length - count + 1)];
}

function earlier(a: SeqRange | undefined, b: SeqRange | undefined): SeqRange | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.first <= b.first ? a : b;
}

/** The runs without some seqs, given in any order. Costs the sum of both lengths and a sort. */
export function removeSeqs(ranges: readonly SeqRange[], seqs: readonly number[]): SeqRange[] {
  const removed = [...new Set(seqs)].sort((a, b) => a - b);
  return withoutRanges(ranges, rangesOf(removed.map((seq) => ({ seq }))));
}
