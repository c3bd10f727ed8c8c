import fc from "fast-check";
import { expect, test } from "vitest";
import { MaxHeap } from "./heap.ts";

test("gives items by value, and equal ones in their order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (values) => {
      const heap = new MaxHeap();
      values.forEach((value, item) => {
        heap.push(value, item);
      });
      const items = values.map((value, item) => ({ value, item }));
      const sorted = items.sort((a, b) => b.value - a.value || a.item - b.item);
      for (const expected of sorted) {
        expect(heap.best()).toBe(expected.value);
        expect(heap.pop()).toEqual(expected);
      }
      expect(heap.pop()).toBeUndefined();
      expect(heap.best()).toBe(Number.NEGATIVE_INFINITY);
    }),
  );
});
