import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../test/support/kit/random.ts";
import { draftOf, jsonCodec } from "../../test/support/services/json-codec.ts";
import { LIMITS } from "../kit/limits.ts";
import { capOf, cutMessages, type SourceMessage } from "./cut-messages.ts";

const seed = testSeed("cut messages");

function source(seq: number, chars: number): SourceMessage {
  const tokenCount = Math.ceil(chars / 4);
  const bytes = jsonCodec.encodeMessage(draftOf({ text: "x".repeat(chars) }), {
    ...{ messageId: `m${seq}`, seq, tokenCount, tokenRule: "given", writer: "w" },
    ...{ createMs: 0, updateMs: 0, etag: "" },
  });
  return { position: seq, bytes, tokenCount, isSummary: false, text: undefined };
}

const limits = (tokensMax: number) => ({ tokensMax, imageTokenCount: 0 });

describe("capOf", () => {
  test("is nothing while all fits", () => {
    expect(capOf([10, 20], 30)).toBeUndefined();
    expect(capOf([], 0)).toBeUndefined();
  });

  test("takes from the largest only", () => {
    expect(capOf([10, 20, 90], 60)).toBe(30);
    expect(capOf([10, 90, 90], 60)).toBe(25);
  });

  test("makes the sum fit, and no smaller than it must", () => {
    const sizes = fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(sizes, fc.nat({ max: 50_000 }), (list, limit) => {
        const cap = capOf(list, limit);
        const sum = list.reduce((all, size) => all + Math.min(size, cap ?? size), 0);
        expect(sum).toBeLessThanOrEqual(Math.max(limit, 0));
        if (cap !== undefined) expect(sum).toBeGreaterThan(limit - list.length);
      }),
      { seed },
    );
  });
});

describe("cutMessages", () => {
  test("leaves what fits as it is", () => {
    const sources = [source(1, 400), source(2, 4_000)];
    expect(cutMessages(jsonCodec, sources, limits(1_100))).toBe(sources);
  });

  test("cuts the longest, so that all fit", () => {
    const sources = [source(1, 400), source(2, 40_000), source(3, 40_000)];
    const cut = cutMessages(jsonCodec, sources, limits(2_100));
    expect(cut[0]).toBe(sources[0]);
    const tokens = cut.map(({ tokenCount }) => tokenCount);
    expect(tokens[1]).toBeGreaterThan(900);
    expect(tokens.reduce((a, b) => a + b)).toBeLessThanOrEqual(2_100);
  });

  test("cuts what is too long in bytes, though it costs little", () => {
    const long = { ...source(1, 1_500_000), tokenCount: 50 };
    const [cut] = cutMessages(jsonCodec, [long], limits(1_000));
    expect(cut?.bytes.length).toBeLessThanOrEqual(LIMITS.taskInputBytes);
    expect(cut?.bytes.length).toBeGreaterThan(LIMITS.taskInputBytes / 2);
  });
});
