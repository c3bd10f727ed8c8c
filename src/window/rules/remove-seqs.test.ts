import fc from "fast-check";
import { expect, test } from "vitest";
import { removeSeqs } from "./ranges.ts";
import type { SeqRange } from "./types.ts";

function seqsOf(ranges: readonly SeqRange[]): number[] {
  return ranges.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
}

test("removing seqs leaves exactly the others, as sorted runs that do not touch removed ones", () => {
  const seqs = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });
  fc.assert(
    fc.property(seqs, seqs, (kept, removed) => {
      const ranges = [...kept].sort((a, b) => a - b).map((seq) => ({ first: seq, last: seq }));
      const expected = seqsOf(ranges).filter((seq) => !removed.includes(seq));
      expect(seqsOf(removeSeqs(ranges, removed))).toEqual(expected);
    }),
  );
});

test("a run is cut in the middle and at its ends", () => {
  expect(removeSeqs([{ first: 1, last: 9 }], [9, 1, 5])).toEqual([
    { first: 2, last: 4 },
    { first: 6, last: 8 },
  ]);
});
