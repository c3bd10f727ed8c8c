// Runs of positions, apart from one another and rising.

import type { SeqRange } from "../window/types.ts";

/** The runs with one more, joined where they touch. Linear in the number of runs. */
export function addSpan(spans: readonly SeqRange[], span: SeqRange): readonly SeqRange[] {
  let { first, last } = span;
  const before: SeqRange[] = [];
  const after: SeqRange[] = [];
  for (const other of spans) {
    if (other.last < first - 1) before.push(other);
    else if (other.first > last + 1) after.push(other);
    else {
      first = Math.min(first, other.first);
      last = Math.max(last, other.last);
    }
  }
  return [...before, { first, last }, ...after];
}
