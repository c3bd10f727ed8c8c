// Joins two lists of runs in one pass over both, and keeps lists of runs short.

import type { SeqRange } from "./types.ts";

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

/** What of the first runs is in none of the others. Both must be sorted and merged. */
export function withoutRanges(
  ranges: readonly SeqRange[],
  others: readonly SeqRange[],
): readonly SeqRange[] {
  if (others.length === 0) return ranges;
  const left: SeqRange[] = [];
  let next = 0;
  for (const { first, last } of ranges) {
    let from = first;
    while ((others[next]?.last ?? last) < first) next += 1;
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
