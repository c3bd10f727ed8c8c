// The comparison itself: it must see what differs, and must not start where it proves nothing.

import { expect, test } from "vitest";
import { type Comparison, compare, type Side } from "./differential.ts";

type Numbers = Comparison<number>;

/** A comparison that the table has. */
function comparing(theirs: Side<number>, ours: Side<number>, more: Partial<Numbers> = {}): Numbers {
  return {
    ...{ name: ["LangGraph (TypeScript)", "store"], operations: 2_000 },
    draw: ({ int }) => int(0, 9),
    pair: () => ({ theirs, ours }),
    ...more,
  };
}

const throws = (make: () => unknown) => async (n: number) => {
  if (n === 7) throw make();
  return n;
};
const same = async (n: number) => n;

test("sees answers that differ, and shows one operation that shows it", async () => {
  await compare(comparing(same, same));
  const wrong = comparing(same, async (n) => (n === 3 ? 4 : n));
  await expect(compare(wrong)).rejects.toThrow(/differs, TEST_SEED=.*operations: \[ 3 \]/s);
});

test("sees errors of one side alone, and errors of other kinds", async () => {
  const plain = throws(() => new Error("theirs"));
  const range = throws(() => new RangeError("ours"));
  const type = throws(() => new TypeError("ours"));
  await compare(
    comparing(
      range,
      throws(() => new RangeError("other words")),
    ),
  );
  await compare(comparing(plain, range));
  const thrown = throws(() => "no error");
  for (const [theirs, ours] of [
    ...[[same, range] as const, [range, same] as const],
    ...[[range, type] as const, [range, thrown] as const],
  ]) {
    await expect(compare(comparing(theirs, ours))).rejects.toThrow(/differs/);
  }
  const isSameFault = (a: Error, b: Error): boolean => a.message === b.message;
  await expect(compare(comparing(plain, range, { isSameFault }))).rejects.toThrow(/differs/);
  await compare(
    comparing(
      type,
      throws(() => new SyntaxError("ours")),
      { isSameFault },
    ),
  );
});

test("does not start without its row of the table, or with a part of a batch", async () => {
  let drawn = 0;
  const draw = (): number => ++drawn;
  const lacking = comparing(same, same, { draw, name: ["LangGraph (TypeScript)", "nothing"] });
  await expect(compare(lacking)).rejects.toThrow(/needs \| LangGraph/);
  for (const operations of [0, 1_990, 20, 2_000.5]) {
    const partial = compare(comparing(same, same, { draw, operations }));
    await expect(partial).rejects.toThrow(/multiple of 500/);
  }
  expect(drawn).toBe(0);
});
