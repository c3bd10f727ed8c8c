import { expect, test } from "vitest";
import { dayOf, recentFromMs, retentionCutMs } from "./memory.ts";

const at = (text: string): number => Date.parse(text);
const now = at("2026-01-31T12:00:00Z");

test("whole days go, while the last days are counted to the moment", () => {
  const cut = retentionCutMs(now, 30);
  expect(cut).toBe(at("2026-01-01T00:00:00Z"));
  expect(at("2025-12-31T23:59:00Z")).toBeLessThan(cut);
  const recent = recentFromMs(now, 30);
  expect(at("2026-01-01T00:00:00Z")).toBeLessThan(recent);
  expect(at("2026-01-01T13:00:00Z")).toBeGreaterThanOrEqual(recent);
});

test("days before 1970 begin at midnight too", () => {
  expect(retentionCutMs(at("1969-12-31T12:00:00Z"), 1)).toBe(at("1969-12-30T00:00:00Z"));
});

test("days are those of UTC", () => {
  expect(dayOf(now)).toBe("2026-01-31");
  expect(dayOf(at("2026-01-31T23:59:59.999Z"))).toBe("2026-01-31");
  expect(dayOf(-1)).toBe("1969-12-31");
});
