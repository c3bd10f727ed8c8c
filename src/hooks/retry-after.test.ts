import { expect, it } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

it.each([
  ["0", 0],
  ["7", 7_000],
  [" 7 ", 7_000],
  ["99999", 3_600_000],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Thu, 01 Jan 2026 23:00:00 GMT", 3_600_000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ["soon", undefined],
  ["", undefined],
  ["-5", undefined],
  ["9".repeat(400), undefined],
  [undefined, undefined],
])("reads Retry-After %j", (header, ms) => {
  expect(retryAfterMs(header, NOW_MS, 3_600_000)).toBe(ms);
});
