// The writer when a commit fails, on an environment that is made to fail.

import { describe, expect, test, vi } from "vitest";
import type { Environment } from "./environment.ts";
import { u64 } from "./keys.ts";
import { Memtable } from "./memtable.ts";
import { Writer } from "./writer.ts";

function failingWriter() {
  let commits = 0;
  const fail = (): Promise<boolean> => {
    commits++;
    const { promise: commitError, reject } = Promise.withResolvers<never>();
    // LMDB tells the cause only after it has told of the failure.
    setTimeout(() => reject(Object.assign(new Error("Input/output error"), { code: 5 })), 5);
    return Promise.reject(Object.assign(new Error("Commit failed"), { commitError }));
  };
  const onFatal = vi.fn();
  const start = {
    commitNo: 0,
    nextSessionNo: 1,
    nextLogNo: 1,
    nextMessageNo: 1,
    firstJournalNo: 1,
    nextJournalNo: 1,
  };
  const writer = new Writer({
    env: { root: { batch: fail } } as unknown as Environment,
    memtable: new Memtable(() => undefined),
    newReport: () => ({ isEmpty: true }),
    start,
    onCommit: () => expect.fail("nothing is durable"),
    onFatal,
    space: { isFull: false, fits: () => true, wrote: () => undefined },
    files: { checkSize: () => undefined, check: () => undefined },
  });
  return { writer, onFatal, commits: () => commits };
}

describe("a failed commit", () => {
  test("rejects everybody, is reported once, and is never tried again", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { writer, onFatal, commits } = failingWriter();
    writer.putEvent(u64(writer.nextCommitNo()), Uint8Array.of(1), 1);
    const first = writer.whenFormingDurable("first");
    await expect(first).rejects.toMatchObject({ reason: "INTERNAL" });
    for (const late of [
      writer.whenFormingDurable("second"),
      writer.whenInFlightDurable(),
      writer.whenFlushed(),
    ]) {
      await expect(late).rejects.toMatchObject({ reason: "INTERNAL" });
    }
    expect(() => writer.assertOpen()).toThrow("failed");
    expect(writer.durableCommitNo).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([onFatal.mock.calls.length, commits()]).toEqual([1, 1]);
    expect(onFatal.mock.lastCall?.[0]).toMatchObject({
      message: "A commit failed: EIO, Input/output error",
      code: "EIO",
    });
    expect(unhandled).not.toHaveBeenCalled();
    process.off("unhandledRejection", unhandled);
    await writer.close(100);
  });

  test("is what half a change counts as", () => {
    const { writer, onFatal } = failingWriter();
    const half = () => {
      throw new Error("half-way");
    };
    expect(() => writer.whole(half)).toThrow("half-way");
    expect(() => writer.assertOpen()).toThrow("failed");
    expect(onFatal).toHaveBeenCalledTimes(1);
  });
});
