import { expect, test } from "vitest";
import { ENDLESS, isOver, isRefreshDue, lifeFrom } from "./life.ts";

const NOW_MS = 5_000;

test("a life without a ttl never ends", () => {
  expect(lifeFrom(NOW_MS, 0)).toEqual(ENDLESS);
  expect(isOver(ENDLESS, Number.MAX_SAFE_INTEGER)).toBe(false);
});

test("a life is over from the millisecond on that it expires", () => {
  const life = lifeFrom(NOW_MS, 1_000);
  expect(isOver(life, 5_999)).toBe(false);
  expect(isOver(life, 6_000)).toBe(true);
});

test("a refresh is due when it gains a hundredth of the ttl", () => {
  const due = (expireMs: number, ttlMs = 1_000) => isRefreshDue({ ttlMs, expireMs }, NOW_MS);
  expect(due(NOW_MS + 990)).toBe(true);
  expect(due(NOW_MS + 991)).toBe(false);
  expect(due(0, 0)).toBe(false);
});
