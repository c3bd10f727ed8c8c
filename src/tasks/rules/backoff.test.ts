import { describe, expect, test } from "vitest";
import { backoffMs, jittered } from "./breaker.ts";

const NO_JITTER = 0.5;

describe("backoffMs", () => {
  test("doubles from one second to five minutes", () => {
    const waits = [1, 2, 3, 4, 8, 9, 10, 50].map((failed) => backoffMs(failed, NO_JITTER));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 128_000, 256_000, 300_000, 300_000]);
  });

  test("waits like after the first failure when none counted", () => {
    expect(backoffMs(0, NO_JITTER)).toBe(1_000);
  });

  test("is up to 20 percent shorter or longer", () => {
    expect(backoffMs(1, 0)).toBe(800);
    expect(backoffMs(1, 1)).toBe(1_200);
    expect(jittered(30_000, 0.25)).toBe(27_000);
  });

  test("keeps to a longer delay that was asked for", () => {
    expect(backoffMs(1, NO_JITTER, 60_000)).toBe(60_000);
    expect(backoffMs(7, NO_JITTER, 10)).toBe(64_000);
  });
});
