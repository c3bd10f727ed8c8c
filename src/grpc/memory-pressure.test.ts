import { expect, test } from "vitest";
import { anonymousBytes, MemoryPressure } from "./memory-pressure.ts";

test("is high above three quarters, and read again after a moment", () => {
  let now = 0;
  let bytes = 750;
  const pressure = new MemoryPressure(
    1_000,
    () => now,
    () => bytes,
  );
  expect(pressure.isHigh()).toBe(false);
  bytes = 751;
  expect(pressure.isHigh()).toBe(false);
  now += 25;
  expect(pressure.isHigh()).toBe(true);
});

test("reads the memory of this process", () => {
  const { rss } = process.memoryUsage();
  expect(anonymousBytes()).toBeGreaterThan(1_000_000);
  expect(anonymousBytes()).toBeLessThan(rss * 1.5);
});
