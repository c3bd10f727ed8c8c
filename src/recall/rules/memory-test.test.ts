import { describe, expect, test } from "vitest";
import type { RecallFilter } from "./filter.ts";
import { type FilteredMemory, memoryPasses, TRUE_MEMORIES } from "./item-tests.ts";

const MEMORY: FilteredMemory = {
  ...{ kind: "fact", category: "general", confidence: 0.5, isSuperseded: false },
  ...{ validFromMs: 100, validToMs: 200, expireMs: 1_000 },
};

function passes(
  memory: Partial<FilteredMemory>,
  filter: Partial<RecallFilter> = {},
  times = { nowMs: 150, referenceMs: 150 },
): boolean {
  return memoryPasses({ ...MEMORY, ...memory }, { ...TRUE_MEMORIES, ...filter }, times);
}

describe("memoryPasses", () => {
  test("knows what is true at a time, its first moment and not its last", () => {
    const at = (referenceMs: number) => passes({}, {}, { nowMs: 0, referenceMs });
    expect([99, 100, 199, 200].map(at)).toEqual([false, true, true, false]);
    expect([99, 100, 199, 200].map((validity) => passes({}, { validity }))).toEqual([
      ...[false, true, true, false],
    ]);
    expect(passes({ validFromMs: undefined, validToMs: undefined }, { validity: -1 })).toBe(true);
  });

  test("gives what is superseded when it is asked for alone", () => {
    const past = { isSuperseded: true };
    const answers = (["now", "active", "any", 150] as const).map((validity) => {
      return passes(past, { validity });
    });
    expect(answers).toEqual([false, false, true, true]);
    expect(passes({ validToMs: 120 }, { validity: "active" })).toBe(true);
  });

  test("never gives what has run out", () => {
    for (const validity of ["now", "active", "any", 150] as const) {
      const ended = { validToMs: undefined, expireMs: 150 };
      expect(passes(ended, { validity }), String(validity)).toBe(false);
    }
  });

  test("knows kinds, categories and confidence", () => {
    expect(passes({}, { memoryKinds: new Set(["entity"]) })).toBe(false);
    expect(passes({}, { memoryKinds: new Set(["entity", "fact"]) })).toBe(true);
    expect(passes({}, { categories: new Set(["work"]) })).toBe(false);
    expect(passes({ category: "work" }, { categories: new Set(["work"]) })).toBe(true);
    expect(passes({}, { minConfidence: 0.5 })).toBe(true);
    expect(passes({}, { minConfidence: 0.6 })).toBe(false);
  });
});
