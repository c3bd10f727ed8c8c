import fc from "fast-check";
import { expect, test } from "vitest";
import type { Scalar } from "./filter.ts";
import { firstGroups, type ItemGroup } from "./item-groups.ts";

const ROOM = { maxBytes: 1_000_000 };

const scalars: fc.Arbitrary<Scalar> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -3, max: 30 }),
  fc.string({ minLength: 0, maxLength: 3 }),
);
const manyGroups = fc.uniqueArray(
  fc.record<ItemGroup>({ value: scalars, count: fc.integer({ min: 1, max: 3 }) }),
  { selector: ({ value }) => value, maxLength: 80 },
);

test("a limit gives the start of the whole list, whatever comes in whatever order", () => {
  const cases = [manyGroups, fc.integer({ min: 1, max: 8 }), fc.constantFrom("count", "value")];
  fc.assert(
    fc.property(
      ...(cases as [typeof manyGroups, fc.Arbitrary<number>, fc.Arbitrary<"count">]),
      (groups, limit, order) => {
        const all = firstGroups(groups, { ...ROOM, order, limit: 1_000 });
        const first = firstGroups(groups, { ...ROOM, order, limit });
        expect(all.isCut).toBe(false);
        expect(all.groups).toHaveLength(groups.length);
        expect(first.groups).toEqual(all.groups.slice(0, limit));
        expect(first.isCut).toBe(groups.length > limit);
      },
    ),
  );
});

test("the largest come first, and those of one size by value", () => {
  const values: Scalar[] = ["b", "a", 2, 10, true, false, null, "\uffff", "🎉"];
  const groups = values.map((value) => ({ value, count: value === 10 ? 5 : 1 }));
  const { groups: byCount } = firstGroups(groups, { ...ROOM, order: "count", limit: 100 });
  const expected = [10, null, false, true, 2, "a", "b", "\uffff", "🎉"];
  expect(byCount.map(({ value }) => value)).toEqual(expected);
});

test("NaN has a place among the numbers", () => {
  const groups = [3, Number.NaN, 1, Infinity, -Infinity, 2, false].map((value) => {
    return { value, count: 1 };
  });
  const { groups: byValue } = firstGroups(groups, { ...ROOM, order: "value", limit: 100 });
  const expected = [false, Number.NaN, -Infinity, 1, 2, 3, Infinity];
  expect(byValue.map(({ value }) => value)).toEqual(expected);
});

test("long texts end the list before it grows too large for an answer", () => {
  const groups = Array.from({ length: 10 }, (_, at) => ({ value: `${at}`.repeat(100), count: 1 }));
  const few = firstGroups(groups, { order: "value", limit: 10, maxBytes: 300 });
  expect(few.groups).toHaveLength(2);
  expect(few.isCut).toBe(true);
});
