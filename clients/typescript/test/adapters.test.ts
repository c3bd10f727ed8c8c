// Parts that adapters of frameworks share.

import { expect, test, vi } from "vitest";
import { batchesOf, isName, readWhole } from "../src/adapters/index.ts";
import { connect, MemorySidecarError, Status } from "../src/index.ts";
import { fakeError } from "./fake-server.ts";

const waits = vi.hoisted((): number[] => []);
vi.mock("node:timers/promises", async (original) => ({
  ...(await original<object>()),
  setTimeout: async (delayMs: number) => {
    waits.push(delayMs);
  },
}));

const LIMITS = { items: 3, bytes: 10 };

function batches(sizes: readonly number[]): number[][] {
  return [...batchesOf(sizes, (bytes) => ({ items: 1, bytes }), LIMITS)].map((one) => [...one]);
}

test("splits items into batches that keep every limit, in their order", () => {
  expect(batches([])).toEqual([]);
  expect(batches([1, 2, 3, 4, 5])).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  expect(batches([5, 5, 1, 9, 1, 1])).toEqual([
    [5, 5],
    [1, 9],
    [1, 1],
  ]);
});

test("gives an item that is above a limit a batch of its own", () => {
  expect(batches([1, 11, 1])).toEqual([[1], [11], [1]]);
  expect(batches([11, 12])).toEqual([[11], [12]]);
});

test("takes for names what the server takes, by bytes of UTF-8", () => {
  // A family of four, for private use, unassigned, a soft hyphen.
  for (const name of ["a", "👨‍👩‍👧‍👦", "\ue000", "\u0378", "a\u00adb", "é".repeat(128)]) {
    expect(isName(name), name).toBe(true);
  }
  for (const name of ["", "a\nb", "\u0000", "\u007f", "\u0085", "a\ud800", "é".repeat(129), 1]) {
    expect(isName(name), String(name)).toBe(false);
  }
});

test("reads a value again that others replace, after a pause and not for ever", async () => {
  const made = (code: number, reason: string) =>
    new MemorySidecarError(fakeError({ code, reason }), "/none");
  const overtaken = made(Status.ABORTED, "ETAG_MISMATCH");
  const failed = made(Status.ABORTED, "HOOK_FAILED");
  const missing = made(Status.NOT_FOUND, "RECORD_NOT_FOUND");
  const client = connect("127.0.0.1:1");
  const read = vi.spyOn(client, "getWholeRecord");
  const whole = () => readWhole(client, "path", "key");
  read.mockRejectedValueOnce(overtaken).mockRejectedValueOnce(missing);
  expect(await whole()).toBeUndefined();
  expect(waits).toHaveLength(1);
  read.mockRejectedValueOnce(failed);
  await expect(whole()).rejects.toBe(failed);
  expect(waits).toHaveLength(1);
  read.mockClear().mockRejectedValue(overtaken);
  await expect(whole()).rejects.toBe(overtaken);
  expect(read).toHaveBeenCalledTimes(50);
  expect(waits).toHaveLength(50);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(5);
  client.close();
});
