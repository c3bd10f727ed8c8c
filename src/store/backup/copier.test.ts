// Copies of a store whose disk is full.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import { newFields, readFacts } from "../../../test/support/store/plans.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import { createCopier } from "./copier.ts";

const FACTS = new URL("../../../test/support/store/plans.ts", import.meta.url);
const MIB = 1_048_576;
// Above the floor, and so little that each look at the space is fresh after some milliseconds.
const SOME = 100 * MIB;
const FRESH_MS = 50;

test("a back-up of a full disk is made, and it is told that it holds the journal", async () => {
  await using temporary = await makeTempDir();
  const source = join(temporary.path, "data");
  const space = { freeBytes: SOME, totalBytes: 1_024 * MIB };
  const floor = { bytes: 64 * MIB, readSpace: () => space };
  const store = await openLmdbStore({ directory: source, readFacts, floor });
  const ref = { namespace: "default", sessionId: "s" };
  const setUser = (userId: string, text = "text") =>
    store.changeSession(ref, (view) => {
      const plan = { ...appendPlan(ref, view, text), fields: newFields({ userId }) };
      return { kind: "save", result: undefined, plan };
    });
  let told = 0;
  const copier = createCopier({
    ...{ source, store, directory: temporary.path, keep: 9, freeBytes: 0, version: "test" },
    factsModule: FACTS,
    onJournalKept: () => {
      told++;
    },
  });
  /** Copies the store; tells whether the copy names a user. */
  const copyNames = async (userId: string): Promise<boolean> => {
    const chunks: Buffer[] = [];
    await copier.stream(async (chunk) => void chunks.push(Buffer.from(chunk)), {});
    return Buffer.concat(chunks).includes(userId);
  };
  const make = async (startMs: number) => (await copier.directory?.make(startMs, {}))?.totals;
  await setUser("zebra");
  // A large one goes to the data file, with all before it.
  await setUser("another", "x".repeat(300_000));
  space.freeBytes = 1_000;
  await sleep(FRESH_MS);
  // The control: the word is in the journal.
  expect([await copyNames("zebra"), told]).toEqual([true, 1]);
  expect([(await make(1_700_000_000_000))?.messages, told]).toEqual([2, 2]);
  space.freeBytes = SOME;
  await sleep(FRESH_MS);
  await setUser("another");
  space.freeBytes = 1_000;
  await sleep(FRESH_MS);
  // The newest change is in the redo log, and the data file has no room for it.
  await expect(copyNames("zebra")).rejects.toMatchObject({ reason: "STORE_FULL" });
  expect([(await make(1_700_000_001_000))?.messages, told]).toEqual([3, 4]);
  space.freeBytes = SOME;
  await sleep(FRESH_MS);
  await setUser("zebra");
  await setUser("another");
  expect([await copyNames("zebra"), told]).toEqual([false, 4]);
  await store.close();
}, 60_000);
