// Goal: inserts keep their order, get places of their own that are no seqs, and never run out of
// room.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { insertOf } from "../../test/support/window/inserts.ts";
import type { WindowInsert } from "../session/rules/session.ts";
import { type NewInsert, placeBefore, placeInserts } from "./insert-places.ts";

const bare = (messageId: string): NewInsert["insert"] => {
  const { position: _, ...insert } = insertOf(0, { kind: "result", messageId });
  return insert;
};
const add = (messageId: string, after: number): NewInsert => ({ insert: bare(messageId), after });
const placesOf = (inserts: readonly WindowInsert[]) =>
  inserts.map(({ messageId, position }) => [messageId, position]);

describe("placeInserts", () => {
  test("puts new ones behind what they follow, in their order", () => {
    const one = placeInserts([], [add("a", 3)]);
    expect(placesOf(one)).toEqual([["a", 3.5]]);
    const three = placeInserts(one, [add("b", 3), add("c", 3.5)]);
    expect(placesOf(three)).toEqual([
      ["b", 3.25],
      ["a", 3.5],
      ["c", 3.75],
    ]);
  });

  test("leaves those between other messages where they are", () => {
    const before = placeInserts([], [add("a", 0), add("b", 7), add("c", 7)]);
    const after = placeInserts(before, [add("d", 2)]);
    expect(placesOf(after).filter(([id]) => id !== "d")).toEqual(placesOf(before));
    expect(placesOf(after)[1]).toEqual(["d", 2.5]);
  });

  test("gives back the very list when nothing is added", () => {
    const list = placeInserts([], [add("a", 1)]);
    expect(placeInserts(list, [])).toBe(list);
  });

  test("never gives a seq, the same place twice, or another order", () => {
    const steps = fc.array(
      fc.record({ at: fc.nat(), seq: fc.integer({ min: 0, max: 2 ** 40 }), onTop: fc.boolean() }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        let inserts: readonly WindowInsert[] = [];
        let order: string[] = [];
        for (const [index, { at, seq, onTop }] of list.entries()) {
          const id = String(index);
          const behind = onTop ? inserts[at % Math.max(1, inserts.length)] : undefined;
          const after = behind?.position ?? seq;
          const place = order.findIndex((other) => {
            const known = inserts.find(({ messageId }) => messageId === other);
            return (known?.position ?? 0) > after;
          });
          inserts = placeInserts(inserts, [add(id, after)]);
          order = place === -1 ? [...order, id] : order.toSpliced(place, 0, id);
        }
        expect(inserts.map(({ messageId }) => messageId)).toEqual(order);
        const positions = inserts.map(({ position }) => position);
        expect(new Set(positions).size).toBe(positions.length);
        expect(positions).toEqual(positions.toSorted((a, b) => a - b));
        expect(positions.some(Number.isInteger)).toBe(false);
      }),
    );
  });
});

describe("placeBefore", () => {
  test("is behind the last insert before the message, or behind its neighbor", () => {
    const inserts = placeInserts([], [add("a", 4), add("b", 4), add("c", 5)]);
    expect(placeBefore(inserts, 5)).toBe(inserts[1]?.position);
    expect(placeBefore(inserts, 4)).toBe(3);
    expect(placeBefore([], 1)).toBe(0);
  });
});
