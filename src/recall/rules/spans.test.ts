import fc from "fast-check";
import { expect, test } from "vitest";
import { addSpan } from "./row-filter.ts";

const SPAN = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 6 }))
  .map(([first, more]) => ({ first, last: first + more }));

function covered(spans: readonly { first: number; last: number }[]): number[] {
  const all = new Set<number>();
  for (const { first, last } of spans) for (let at = first; at <= last; at++) all.add(at);
  return [...all].sort((a, b) => a - b);
}

test("runs cover exactly what was added, rising and apart", () => {
  fc.assert(
    fc.property(fc.array(SPAN, { maxLength: 20 }), (added) => {
      const spans = added.reduce<readonly { first: number; last: number }[]>(addSpan, []);
      expect(covered(spans)).toEqual(covered(added));
      for (const [at, span] of spans.entries()) {
        expect(span.first).toBeGreaterThan((spans[at - 1]?.last ?? -1) + 1);
      }
    }),
  );
});
