// The redo log: what was made durable comes back, whatever a crash or the disk leaves of the file.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { type Environment, openEnvironment } from "./environment.ts";
import { encodeWrites } from "./flight.ts";
import { u64 } from "./keys.ts";
import { mayHoldRecords, REDO_FILE, RedoLog, readRedoLog, redo } from "./redo-log.ts";

const STORE = "0123456789abcdef";
const OTHER = "fedcba9876543210";
const BLOCK = 512;

async function scene() {
  const temporary = await makeTempDir();
  const directory = temporary.path;
  const env = openEnvironment({ directory });
  const logs: RedoLog[] = [];
  onTestFinished(async () => {
    for (const log of logs) await log.close();
    await env.root.close();
    await temporary[Symbol.asyncDispose]();
  });
  const path = join(directory, REDO_FILE);
  const open = (storeId = STORE) => {
    const log = RedoLog.open(directory, storeId, false);
    if (log === undefined) throw new Error("There is no room for a log.");
    logs.push(log);
    return log;
  };
  return {
    ...{ env, path, open },
    redo: (storeId = STORE, makeRoom?: (bytes: number) => void) =>
      redo(readRedoLog(directory), env, storeId, makeRoom),
    hasRecords: () => mayHoldRecords(readRedoLog(directory)),
    change: (run: (bytes: Buffer) => void) => {
      const bytes = readFileSync(path);
      run(bytes);
      writeFileSync(path, bytes);
    },
  };
}

/** The writes of a group whose only journal record has a number, with a message of a size. */
function writesOf(no: number, size = 10): Buffer[] {
  return encodeWrites(({ message, event, index, journal }) => {
    message.put(u64(no), Buffer.alloc(size, no));
    message.remove(u64(no - 2));
    event.put(u64(no), Buffer.from(`event ${no}`));
    index.remove(`key ${no}`);
    journal.put(u64(no), Buffer.from(`journal ${no}`));
  });
}

async function append(log: RedoLog, numbers: readonly number[], size?: number): Promise<void> {
  for (const no of numbers) {
    const appended = log.append(writesOf(no, size), { first: no, last: no });
    if (appended === undefined) throw new Error(`There is no room for ${no}.`);
    await appended;
  }
}

const journalOf = (env: Environment) =>
  [...env.journal.getRange({ start: "\0" })].map(({ value }) => `${value}`);
const upTo = (last: number) => Array.from({ length: last }, (_, i) => `journal ${i + 1}`);

test("gives the data file what it lacks, once and again", async () => {
  const { env, open, redo } = await scene();
  const log = open();
  await append(log, [1, 2, 3, 4], 700);
  const makeRoom = vi.fn();
  for (let time = 0; time < 2; time++) {
    await redo(STORE, makeRoom);
    expect(journalOf(env)).toEqual(upTo(4));
    const messages = [...env.message.getRange({ start: "\0" })].map(({ key, value }) => [
      key,
      value.length,
    ]);
    expect(messages).toEqual([3, 4].map((no) => [u64(no), 700]));
  }
  // The second time nothing is left to do.
  expect(makeRoom).toHaveBeenCalledOnce();
  expect(makeRoom.mock.calls[0]?.[0]).toBeGreaterThan(2 * 4 * 700);
});

test("joins onto a data file that holds some of its records, as a copy may", async () => {
  const { env, open, redo } = await scene();
  const log = open();
  await append(log, [1, 2, 3]);
  await redo();
  await append(log, [4, 5]);
  // The index changes of the first two are in the index by now.
  await env.journal.remove(u64(1));
  await env.journal.remove(u64(2));
  await redo();
  expect(journalOf(env)).toEqual(upTo(5));
  expect([...env.message.getKeys({ start: "\0" })]).toEqual([u64(4), u64(5)]);
});

describe("a full disk", () => {
  test("has no log unless it has one of full size", async () => {
    await using temporary = await makeTempDir();
    const directory = temporary.path;
    const path = join(directory, REDO_FILE);
    const made = (isFull: boolean) => RedoLog.open(directory, STORE, isFull);
    expect([made(true), existsSync(path)]).toEqual([undefined, false]);
    writeFileSync(path, "cut off");
    expect([made(true), existsSync(path)]).toEqual([undefined, false]);
    await made(false)?.close();
    const log = made(true);
    expect(log).toBeDefined();
    await log?.close();
  });
});

test("begins anew, and what is left of the round before does not count", async () => {
  const { env, open, redo } = await scene();
  const log = open();
  await append(log, [1, 2, 3, 4, 5, 6]);
  await redo();
  log.restart();
  await append(log, [7, 8]);
  await redo();
  expect(journalOf(env)).toEqual(upTo(8));
});

test("takes no more than it has room for, and all of it comes back", async () => {
  const { env, open, redo, path } = await scene();
  const log = open();
  const { size } = statSync(path);
  let no = 1;
  for (; ; no++) {
    const appended = log.append(writesOf(no, 100_000), { first: no, last: no });
    if (appended === undefined) break;
    await appended;
  }
  expect(no).toBe(11);
  expect(statSync(path).size).toBe(size);
  await redo();
  expect(journalOf(env)).toEqual(upTo(10));
});

describe("a crash", () => {
  test("while a record was written leaves those before it", async () => {
    const { env, open, redo, change } = await scene();
    await append(open(), [1, 2, 3], 2_000);
    // Records of five blocks; the third is cut off after each of its blocks.
    for (const blocks of [4, 3, 2, 1, 0]) {
      change((bytes) => bytes.fill(0, BLOCK * (1 + 10 + blocks), BLOCK * (1 + 15)));
      await redo();
      expect(journalOf(env)).toEqual(upTo(2));
    }
  });

  test("while the first record of a round was written leaves the data file as it was", async () => {
    const { env, open, redo, change } = await scene();
    const log = open();
    await append(log, [1, 2, 3], 2_000);
    await redo();
    log.restart();
    await append(log, [4], 2_000);
    change((bytes) => bytes.fill(7, BLOCK * 2, BLOCK * 3));
    await redo();
    expect(journalOf(env)).toEqual(upTo(3));
  });

  test("in the next run finds nothing of the run before", async () => {
    const { env, open, redo } = await scene();
    await append(open(), [1, 2, 3]);
    await redo();
    open();
    await redo();
    await append(open(), [4]);
    await redo();
    expect(journalOf(env)).toEqual(upTo(4));
  });
});

describe("a log is refused", () => {
  test.each([
    ["its first record", BLOCK + 100],
    ["a record in the middle", BLOCK * 6 + 100],
    ["the head of a record", BLOCK * 6 + 20],
    ["its first block", 10],
  ])("when %s is damaged", async (_, place) => {
    const { env, open, redo, change } = await scene();
    await append(open(), [1, 2, 3, 4], 2_000);
    change((bytes) => {
      bytes[place] = (bytes[place] ?? 0) ^ 1;
    });
    await expect(redo()).rejects.toMatchObject({ reason: "RECORD_CORRUPT" });
    expect(journalOf(env)).toEqual([]);
  });

  test.each([
    ["another store", OTHER, 1, "is of another store"],
    ["a later state", STORE, 5, "begins with the change 5"],
  ])("when it is of %s", async (_, storeId, first, reason) => {
    const { env, open, redo } = await scene();
    await append(open(storeId), [first]);
    await expect(redo()).rejects.toThrow(reason);
    expect(journalOf(env)).toEqual([]);
  });
});

test("does not take bytes of a message for a record", async () => {
  const { env, open, redo, change, path } = await scene();
  const log = open();
  await append(log, [1, 2], 2_000);
  await redo();
  const forged = readFileSync(path).subarray(BLOCK * 6, BLOCK * 11);
  // A client might send a record as another run would write it, which comes next.
  forged.fill(9, 8, 16);
  log.restart();
  await append(log, [3], 2_000);
  change((bytes) => forged.copy(bytes, BLOCK * 6));
  await redo();
  expect(journalOf(env)).toEqual(upTo(3));
});

test("holds nothing of earlier rounds once it is wiped", async () => {
  const { open, hasRecords, path } = await scene();
  const log = open();
  const holds = (no: number) => readFileSync(path).includes(Buffer.alloc(900, no));
  await append(log, [1, 2, 3], 1_000);
  log.restart();
  const appended = append(log, [4], 1_000);
  await Promise.all([appended, log.wipe()]);
  expect([2, 3, 4].map(holds)).toEqual([false, false, true]);
  expect(hasRecords()).toBe(true);
  log.restart();
  await log.wipe();
  expect([hasRecords(), holds(4)]).toEqual([false, false]);
  await append(log, [5], 1_000);
  expect(holds(5)).toBe(true);
});
