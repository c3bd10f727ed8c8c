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
  newestHasChanges: false,
};
const OPEN = {
  space: {
    isFull: false,
    fits: (_bytes: number): boolean => true,
    fitsBesideReserve: (_bytes: number): boolean => true,
    wrote: () => undefined,
  },
  files: { checkSize: () => undefined, check: () => undefined },
};

/** A redo log in memory, with room for so many records in a round. */
function memoryLog(room = 1_000) {
  const calls: string[] = [];
  let held = 0;
  return {
    calls,
    append: (_writes: readonly Buffer[], { first }: { readonly first: number }) => {
      if (held === room) return undefined;
      held++;
      calls.push(`append ${first}`);
      return Promise.resolve();
    },
    restart: () => {
      held = 0;
      calls.push("restart");
    },
    wipe: async () => void calls.push("wipe"),
  };
}

/** A writer whose environment keeps tables in memory. */
function memoryWriter(
  space = OPEN.space,
  log: ConstructorParameters<typeof Writer>[0]["log"] = undefined,
) {
  const table = () => {
    const rows = new Map<string, Uint8Array>();
    const put = (key: string, value: Uint8Array) => rows.set(key, value);
    return { rows, put, remove: (key: string) => rows.delete(key) };
  };
  const [index, journal, message] = [table(), table(), table()];
  let commits = 0;
  const batch = async (run: () => void): Promise<boolean> => {
    commits++;
    run();
    return true;
  };
  const memtable = new Memtable(() => undefined);
  const writer = new Writer({
    env: { root: { batch }, index, journal, message } as unknown as Environment,
    ...{ memtable, log },
    newReport: () => ({ isEmpty: true }),
    start: START,
    onFlush: () => undefined,
    onCommit: () => undefined,
    onFatal: (error) => expect.fail(String(error)),
    ...OPEN,
    space,
  });
  const change = async (keys: readonly string[], bytes: number): Promise<void> => {
    for (const key of keys) memtable.set(key, new Uint8Array(bytes));
    await writer.whenFormingDurable(undefined);
  };
  return { writer, memtable, index, journal, message, change, commits: () => commits };
}

function failingWriter(start = START, log: ReturnType<typeof memoryLog> | undefined = undefined) {
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
    ...{ memtable: new Memtable(() => undefined), log },
    newReport: () => ({ isEmpty: true }),
    start,
    onFlush: () => undefined,
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

describe("the redo log", () => {
  test("takes groups until a transaction carries all of them out", async () => {
    const log = memoryLog();
    const { journal, change, commits } = memoryWriter(OPEN.space, log);
    for (let i = 1; i <= 64; i++) await change([`key-${i}`], 10);
    expect([commits(), journal.rows.size, log.calls.length]).toEqual([0, 0, 64]);
    await change(["one more"], 10);
    expect([commits(), journal.rows.size, log.calls.at(-1)]).toEqual([1, 65, "restart"]);
    await change(["the next"], 10);
    expect([commits(), journal.rows.size, log.calls.at(-1)]).toEqual([1, 65, "append 66"]);
  });

  test("leaves a group that has no room in it to the data file", async () => {
    const log = memoryLog(1);
    const { journal, change, commits } = memoryWriter(OPEN.space, log);
    await change(["small"], 10);
    await change(["no room"], 10);
    expect([commits(), journal.rows.size]).toEqual([1, 2]);
    await change(["large"], 300_000);
    expect([commits(), journal.rows.size]).toEqual([2, 3]);
    expect(log.calls).toEqual(["append 1", "restart", "restart"]);
  });

  test("gives readers what the data file does not have", async () => {
    const { writer, message } = memoryWriter(OPEN.space, memoryLog());
    const messageNo = writer.putMessage(Uint8Array.of(7));
    await writer.whenFormingDurable(undefined);
    expect([writer.logged.message(messageNo), message.rows.size]).toEqual([Uint8Array.of(7), 0]);
    await writer.carryOutLog();
    expect([writer.logged.message(messageNo), message.rows.size]).toEqual([undefined, 1]);
  });

  test("takes no purge, which reads the data file", async () => {
    const { writer, commits } = memoryWriter(OPEN.space, memoryLog());
    writer.removeFlushed(["purged"]);
    await writer.whenFormingDurable(undefined);
    expect(commits()).toBe(1);
  });

  test("is carried out and wiped by a clearing of the journal and an orderly stop", async () => {
    const log = memoryLog();
    const { writer, change, journal, index } = memoryWriter(OPEN.space, log);
    await change(["key"], 10);
    expect(await writer.clearJournal()).toBe(true);
    expect([index.rows.size, journal.rows.size, log.calls.at(-1)]).toEqual([1, 1, "wipe"]);
    await change(["another"], 10);
    await writer.close(1_000);
    expect([index.rows.size, journal.rows.size, log.calls.at(-1)]).toEqual([2, 1, "wipe"]);
  });

  test("is not used on a full disk, and leaves the reserve to the groups of deletes", async () => {
    const space = { ...OPEN.space };
    const { writer, change, commits } = memoryWriter(space, memoryLog());
    await change(["key"], 10);
    Object.assign(space, { isFull: true, fitsBesideReserve: () => false });
    await expect(writer.carryOutLog()).rejects.toMatchObject({ reason: "STORE_FULL" });
    expect(commits()).toBe(0);
    await change(["another"], 10);
    expect(commits()).toBe(1);
    space.fitsBesideReserve = () => true;
    await writer.carryOutLog();
    await change(["a third"], 10);
    expect(commits()).toBe(2);
  });

  test("is carried out when its groups remove much, and alone when no more fits", async () => {
    const space = { ...OPEN.space };
    const { writer, change, commits, message } = memoryWriter(space, memoryLog());
    for (let step = 0; step < 3; step++) {
      for (let i = 1; i <= 200; i++) writer.eraseMessage(1_000 * step + i);
      await writer.whenFormingDurable(undefined);
    }
    expect(commits()).toBe(1);
    writer.putMessage(new Uint8Array(10));
    await writer.whenFormingDurable(undefined);
    expect([commits(), message.rows.size]).toEqual([1, 0]);
    space.fits = (bytes) => bytes < 3_000_000;
    space.fitsBesideReserve = space.fits;
    writer.putMessage(new Uint8Array(1_000_000));
    const large = writer.whenFormingDurable(undefined);
    await expect.poll(() => [commits(), message.rows.size]).toEqual([2, 1]);
    space.fits = () => true;
    await large;
    await change(["key"], 10);
    expect(message.rows.size).toBe(2);
  });

  test("takes no group that comes in while the store is closed", async () => {
    const log = memoryLog();
    const { writer, memtable, change, journal } = memoryWriter(OPEN.space, log);
    await change(["key"], 10);
    const closed = writer.close(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    memtable.set("late", Uint8Array.of(1));
    await closed;
    expect([log.calls[0], log.calls.at(-1)]).toEqual(["append 1", "wipe"]);
    expect(log.calls.filter((call) => call.startsWith("append"))).toHaveLength(1);
    expect(journal.rows.size).toBeGreaterThan(0);
  });

  test("that cannot be written ends the writer", async () => {
    const log = { ...memoryLog(), append: () => Promise.reject(new Error("EIO")) };
    const { writer, onFatal, commits } = failingWriter(START, log);
    writer.putEvent(u64(writer.nextCommitNo()), Uint8Array.of(1), 1);
    const refused = writer.whenFormingDurable(undefined);
    await expect(refused).rejects.toMatchObject({ reason: "INTERNAL" });
    expect([onFatal.mock.calls.length, commits()]).toEqual([1, 0]);
    expect(writer.durableCommitNo).toBe(0);
  });
});

describe("an orderly stop without space for a commit", () => {
  const closed = { reason: "SHUTTING_DOWN" };

  test("ends at once, and refuses what is not durable", async () => {
    const { writer, change, commits } = memoryWriter({ ...OPEN.space, fits: () => false });
    const refused = expect(change(["key"], 10)).rejects.toMatchObject(closed);
    const start = performance.now();
    await writer.close(60_000);
    expect(performance.now() - start).toBeLessThan(5_000);
    await refused;
    expect(commits()).toBe(0);
    expect(() => writer.assertReadable()).toThrow("closed");
  });

  test("ends at once, and leaves the journal, where what was acknowledged stands", async () => {
    const space = { ...OPEN.space, fits: () => true };
    const { writer, change, commits, journal } = memoryWriter(space);
    await change(["key"], 10);
    space.fits = () => false;
    const start = performance.now();
    await writer.close(60_000);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect([commits(), journal.rows.size]).toEqual([1, 1]);
  });

  test("ends in time when the space goes meanwhile", async () => {
    const space = { ...OPEN.space, fits: () => true };
    const { writer, change, journal } = memoryWriter(space);
    await change(["key"], 10);
    // There is space when the stop looks, and none when the commit does.
    let looks = 0;
    space.fits = () => looks++ < 2;
    const start = performance.now();
    await writer.close(500);
    const ms = performance.now() - start;
    expect(ms).toBeGreaterThan(400);
    expect(ms).toBeLessThan(5_000);
    expect(journal.rows.size).toBe(1);
  });
});

test("a commit that fails at an orderly stop ends the stop, too", async () => {
  const { writer, onFatal } = failingWriter({ ...START, newestHasChanges: true });
  await writer.close(1_000);
  await expect.poll(() => onFatal.mock.calls.length).toBe(1);
  expect(() => writer.assertReadable()).toThrow("failed");
});

describe("the index", () => {
  const turns = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  test("is brought up to date after a quiet second, not behind each change", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { index, journal, change, commits } = memoryWriter();
      for (let i = 0; i < 10; i++) {
        await change([`key-${i % 3}`], 10);
        vi.advanceTimersByTime(900);
        await turns(5);
      }
      expect([commits(), index.rows.size, journal.rows.size]).toEqual([10, 0, 10]);
      vi.advanceTimersByTime(200);
      await turns(10);
      expect([index.rows.size, journal.rows.size]).toEqual([3, 1]);
      // The record that the next one makes superfluous waits for company, too.
      const before = commits();
      await change(["key-1"], 10);
      await turns(10);
      expect([commits(), journal.rows.size]).toEqual([before + 1, 2]);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each(["a quiet second", "an orderly stop"])(
    "leaves the newest record of the journal alone after %s",
    async (end) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        const { writer, memtable, journal, change } = memoryWriter();
        await change(["erased"], 10);
        await writer.whenFlushed();
        // Its record makes the one with the key superfluous, and no key waits any more.
        writer.removeFlushed(["erased"]);
        await writer.whenFormingDurable(undefined);
        await turns(5);
        expect([memtable.dirtyCount, journal.rows.size]).toEqual([0, 2]);
        if (end === "an orderly stop") await writer.close(1_000);
        else vi.advanceTimersByTime(1_100);
        await turns(5);
        expect(journal.rows.size).toBe(1);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test("holds up nobody on a full disk", async () => {
    const space = { ...OPEN.space, isFull: false };
    const { writer, change } = memoryWriter(space);
    await change(["key"], 10);
    const flushed = writer.whenFlushed();
    space.isFull = true;
    expect(await flushed).toBe(false);
    expect(await writer.clearJournal()).toBe(false);
    space.isFull = false;
    expect(await writer.clearJournal()).toBe(true);
  });

  test("holds up nobody on a disk that has no room for a commit", async () => {
    const space = { ...OPEN.space, fits: () => true };
    const { writer, change } = memoryWriter(space);
    await change(["key"], 10);
    space.fits = () => false;
    expect(await writer.clearJournal()).toBe(false);
    space.fits = () => true;
    expect(await writer.clearJournal()).toBe(true);
  });

  test("does not wait for quiet when many keys wait", async () => {
    const { index, memtable, change } = memoryWriter();
    await change(
      Array.from({ length: 12_000 }, (_, i) => `key-${i}`),
      10,
    );
    await turns(100);
    expect(memtable.dirtyCount).toBeLessThanOrEqual(8_192);
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
