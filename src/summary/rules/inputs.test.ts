import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WindowEntry } from "../../window/rules/types.ts";
import { countFitting, partsOf, savesMessages, splitParts, takeParts } from "./inputs.ts";

function entry(seq: number, tokenCount = 10, byteCount = 100): WindowEntry {
  return {
    ...{ seq, messageId: `m${seq}`, role: 1, callIds: [], answers: [], isResult: false },
    ...{ tokenCount, byteCount, createMs: 0 },
  };
}

const seqsOf = (entries: readonly { readonly seq: number }[] | undefined) =>
  entries?.map(({ seq }) => seq);
const one = (seqs: readonly number[]) => seqs.map((seq) => entry(seq));
const limits = { tokens: 1_000, messages: 100, bytes: 10_000 };
const some = (entries: readonly WindowEntry[]) => entries.length > 0;

describe("parts", () => {
  test("hold what belongs together, in the order of their first entries", () => {
    const groups = new Map([
      [2, 7],
      [4, 7],
      [5, 8],
    ]);
    const parts = partsOf(one([1, 2, 3, 4, 5]), ({ seq }) => groups.get(seq));
    expect(parts.map(seqsOf)).toEqual([[1], [2, 4], [3], [5]]);
  });
});

describe("the inputs of a task", () => {
  test("are the oldest that fit, by rising position", () => {
    const parts = [one([1]), one([2, 5]), one([3]), one([4])];
    expect(seqsOf(takeParts(parts, { ...limits, tokens: 30 }, some))).toEqual([1, 2, 5]);
    expect(seqsOf(takeParts(parts, { ...limits, messages: 4 }, some))).toEqual([1, 2, 3, 5]);
    expect(seqsOf(takeParts(parts, { ...limits, bytes: 100 }, some))).toEqual([1]);
    expect(seqsOf(takeParts(parts, limits, some))).toEqual([1, 2, 3, 4, 5]);
  });

  test("are one part at least, however large, and nothing behind one that does not fit", () => {
    const parts = [one([1, 2, 3]), one([4])];
    expect(seqsOf(takeParts(parts, { ...limits, tokens: 5 }, some))).toEqual([1, 2, 3]);
    expect(countFitting(parts, { ...limits, tokens: 5 })).toBe(0);
  });

  test("are more than fit when less would be of no use, and none when all are of no use", () => {
    const two = (entries: readonly WindowEntry[]) => entries.length > 1;
    const parts = [one([1]), one([2]), one([3])];
    expect(seqsOf(takeParts(parts, { ...limits, tokens: 5 }, two))).toEqual([1, 2]);
    expect(takeParts([one([1])], limits, two)).toBeUndefined();
    expect(takeParts([], limits, some)).toBeUndefined();
  });
});

describe("parts that left the window", () => {
  test("are spread over tasks, each in one of them, and none above the limits but alone", () => {
    const part = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.nat(300)), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.array(part), fc.integer({ min: 1, max: 120 }), (sizes, tokens) => {
        let seq = 0;
        const parts = sizes.map((list) => list.map(([cost, bytes]) => entry(++seq, cost, bytes)));
        const held = { tokens, messages: 5, bytes: 500 };
        const lists = splitParts(parts, held);
        expect(lists.flat().map((one) => one.seq)).toEqual(parts.flat().map((one) => one.seq));
        for (const list of lists) {
          const sum = list.reduce((total, one) => total + one.tokenCount, 0);
          const bytes = list.reduce((total, one) => total + one.byteCount, 0);
          const isOne = parts.some((one) => one.length === list.length && one[0] === list[0]);
          const fits = sum <= tokens && bytes <= held.bytes && list.length <= held.messages;
          expect(fits || isOne).toBe(true);
        }
      }),
    );
  });
});

describe("a placed summary", () => {
  const made = { summaries: new Set([1.5, 2.5]), requests: new Set([1.25]) };

  test("is of use in the place of two messages, or of one that is longer than it may be", () => {
    expect(savesMessages(one([3, 4]), 512, made)).toBe(true);
    expect(savesMessages([entry(3, 512)], 512, made)).toBe(false);
    expect(savesMessages([entry(3, 513)], 512, made)).toBe(true);
    expect(savesMessages([], 512, made)).toBe(false);
  });

  test("is never made of a summary alone, with or without its request", () => {
    expect(savesMessages([entry(1.5, 9_000)], 512, made)).toBe(false);
    expect(savesMessages([entry(1.25, 9_000), entry(1.5, 9_000)], 512, made)).toBe(false);
    expect(savesMessages([entry(1.25), entry(1.5), entry(2.5)], 512, made)).toBe(true);
    expect(savesMessages([entry(1.5), entry(3)], 512, made)).toBe(true);
  });
});
