// The keeper of the best rows against sorting them all.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TopRows } from "./top-rows.ts";

describe("the best rows", () => {
  test("are those that sorting gives, in whatever order they are offered", () => {
    const someRows = fc.uniqueArray(fc.tuple(fc.nat(500), fc.integer({ min: -3, max: 3 })), {
      selector: ([row]) => row,
      maxLength: 80,
    });
    fc.assert(
      fc.property(someRows, fc.integer({ min: 1, max: 30 }), (offered, limit) => {
        const top = new TopRows(limit);
        for (const [row, score] of offered) {
          // A scan does not even offer what this says is of no interest.
          const wanted = score > top.threshold || (score === top.threshold && row < top.worst);
          if (wanted) top.offer(row, score);
        }
        const sorted = [...offered].sort(([rowA, a], [rowB, b]) => b - a || rowA - rowB);
        const { rows, scores } = top.sorted();
        expect(Array.from(rows, (row, at) => [row, scores[at]])).toEqual(sorted.slice(0, limit));
      }),
    );
  });

  test("are none after they were cleared", () => {
    const top = new TopRows(1);
    top.offer(7, 0.5);
    expect(top.first).toBe(7);
    top.clear();
    expect(top.threshold).toBe(Number.NEGATIVE_INFINITY);
    expect(top.sorted().rows).toHaveLength(0);
  });
});
