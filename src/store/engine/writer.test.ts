// The writer when a commit fails, on an environment that is made to fail.

import { describe, expect, test, vi } from "vitest";
import type { Environment } from "./environment.ts";
import { u64 } from "./keys.ts";
import { Memtable } from "./memtable.ts";
import { Writer } from "./writer.ts";

const START = {
  commitNo: 0,
  nextSessionNo: 1,
  nextLogNo: 1,
  nextMessageNo: 1,
  firstJournalNo: 1,
  nextJournalNo: 1,
};
const OPEN = {
  space: { isFull: false, fits: () => true, wrote: () => undefined },
  files: { checkSize: () => undefined, check: () => undefined },
};

/** A writer whose environment keeps tables in memory. */
function memoryWriter() {
  const table = () => {
    const rows = new Map<string, Uint8Array>();
    const put = (key: string, value: Uint8Array) => rows.set(key, value);
    return { rows, put, remove: (key: string) => rows.delete(key) };
  };
  const [index, journal] = [table(), table()];
  let commits = 0;
  const batch = async (run: () => void): Promise<boolean> => {
    commits++;
    run();
    return true;
  };
  const memtable = new Memtable(() => undefined);
  const writer = new Writer({
    env: { root: { batch }, index, journal } as unknown as Environment,
    memtable,
    newReport: () => ({ isEmpty: true }),
    start: START,
    onCommit: () => undefined,
    onFatal: (error) => expect.fail(String(error)),
    ...OPEN,
  });
  const change = async (keys: readonly string[], bytes: number): Promise<void> => {
    for (const key of keys) memtable.set(key, new Uint8Array(bytes));
    await writer.whenFormingDurable(undefined);
  };
  return { writer, memtable, index, journal, change, commits: () => commits };
}

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
  const writer = new Writer({
    env: { root: { batch: fail } } as unknown as Environment,
    memtable: new Memtable(() => undefined),
    newReport: () => ({ isEmpty: true }),
    start: START,
    onCommit: () => expect.fail("nothing is durable"),
    onFatal,
    ...OPEN,
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

describe("the index", () => {
  const turns = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  test("does not wait for quiet when many keys wait", async () => {
    const { index, memtable, change } = memoryWriter();
    await change(
      Array.from({ length: 12_000 }, (_, i) => `key-${i}`),
      10,
    );
    await turns(100);
    expect(memtable.dirtyCount).toBeLessThanOrEqual(2_304);
    expect(index.rows.size).toBe(12_000 - memtable.dirtyCount);
  });

  test("does not wait for quiet when large values wait, or a long journal is kept", async () => {
    const { journal, change } = memoryWriter();
    const keptBytes = () => [...journal.rows.values()].reduce((sum, one) => sum + one.length, 0);
    for (let i = 0; i < 40; i++) {
      await change(["the same key"], 1_048_576);
      await turns(5);
      expect(keptBytes()).toBeLessThan(20_000_000);
    }
    for (let i = 0; i < 40; i++) {
      await change([`key-${i}`], 1_048_576);
      await turns(5);
      expect(keptBytes()).toBeLessThan(20_000_000);
    }
  });
});
