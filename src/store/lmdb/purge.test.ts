// Purges and crashes: what the journal still holds must not bring back what was erased.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { forgetAged } from "../../../test/support/store/aged-memories.ts";
import { copyCrashed } from "../../../test/support/store/crashed-copy.ts";
import { changeDocuments, saveVectors } from "../../../test/support/store/documents.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import { newEvent, newFields, readFacts } from "../../../test/support/store/plans.ts";
import { openEnvironment } from "../engine/environment.ts";
import { afterPrefix, u64 } from "../engine/keys.ts";
import type { Store } from "../store.ts";
import { MEMORY_GONE, MEMORY_PAST } from "../tables/memory-tables.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { openLmdbStore } from "./store.ts";

const FACTS = new URL("../../../test/support/store/plans.ts", import.meta.url);
const OPTIONS = { readFacts, floor: { bytes: 0 } };
const PLAN = {
  nowMs: 1e12,
  eventAgeMsMax: 1e15,
  eventCountMax: 1e9,
  replyAgeMsMax: 1e15,
  usageHourMin: 0,
};
const ref = { namespace: "default", sessionId: "s" };

function append(store: Store): Promise<number> {
  return store.changeSession(ref, (view) => {
    const plan = appendPlan(ref, view, "text");
    return { kind: "save", result: plan.head?.lastSeq ?? 0, plan };
  });
}

function remove(store: Store): Promise<void> {
  return store.changeSession(ref, () => {
    return { kind: "save", result: undefined, plan: { remove: true, events: [newEvent(ref)] } };
  });
}

/**
 * Takes upkeep to its end. What a kill after each step would leave is sound, and so is its end. The
 * copies are made without a pause, before the idle server brings its data file up to date.
 */
async function purge(store: Store, directory: string, path: string): Promise<number> {
  const copies: string[] = [];
  for (let more = true; more; ) {
    more = await store.maintain(PLAN);
    const copy = join(path, `copy-${copies.length}`);
    copyCrashed(directory, copy);
    copies.push(copy);
  }
  for (const copy of copies) {
    const report = await verifyDirectory(copy, { factsModule: FACTS });
    expect(report.problems).toEqual([]);
    const other = await openLmdbStore({ directory: copy, ...OPTIONS });
    while (await other.maintain(PLAN)) {
      // Until the purge is done.
    }
    await other.close();
    const after = await verifyDirectory(copy, { factsModule: FACTS });
    expect(after.problems).toEqual([]);
    expect(after.totals.documents).toBe(0);
  }
  return copies.length;
}

describe("a store that was killed after a purge", () => {
  test("has nothing left of a log whose last messages came with its end", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, ...OPTIONS });
    // One group: what the last journal record holds is what the purge removes.
    await Promise.all([append(store), append(store), append(store), remove(store)]);
    await purge(store, directory, temporary.path);
    await store.close();
  });

  test("has nothing left of a collection that was cleared, which goes in small steps", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const nothing = { put: [], remove: [], removeChunks: [], clear: false, nowMs: 1e12 };
    const base = { kind: "documents", namespace: "default", sessionId: "c", ...nothing } as const;
    const put = Array.from({ length: 300 }, (_, n) => ({ documentId: `d${n}`, text: `${n}` }));
    await changeDocuments(store, { ...base, put });
    const drafts = put.map((_, n) => ({
      place: { kind: "document", namespace: "default", collectionId: "c", documentNo: n } as const,
      model: "m",
      count: 1,
      stale: false,
    }));
    await saveVectors(store, { kind: "vectors", drafts });
    await Promise.all([
      changeDocuments(store, { ...base, put: put.slice(0, 1) }),
      changeDocuments(store, { ...base, clear: true }),
    ]);
    // Rows, ids and vectors, at most 256 in a step.
    expect(await purge(store, directory, temporary.path)).toBeGreaterThan((3 * 299) / 256 + 1);
    await store.close();
  });

  test.each(["clearJournal", "close"] as const)(
    "the journal holds nothing of what was erased before %s",
    async (way) => {
      await using temporary = await makeTempDir();
      const directory = join(temporary.path, "data");
      const store = await openLmdbStore({ directory, ...OPTIONS });
      const setUser = (userId: string) =>
        store.changeSession(ref, (view) => {
          const plan = { ...appendPlan(ref, view, "text"), fields: newFields({ userId }) };
          return { kind: "save", result: undefined, plan };
        });
      const journalSays = async (name: string, word: string): Promise<boolean> => {
        const copy = join(temporary.path, name);
        copyCrashed(directory, copy);
        const env = openEnvironment({ directory: copy });
        const rows = [...env.journal.getRange({ start: u64(0), end: "\xff".repeat(9) })];
        await env.root.close();
        return rows.some(({ value }) => value.includes(word));
      };
      const redoLogSays = (word: string) =>
        readFileSync(join(directory, "redo.log")).includes(word);
      await setUser("zebra");
      // The controls: it is there until then.
      expect(redoLogSays("zebra")).toBe(true);
      // As many as bring the first one into the journal of the data file, too.
      for (let i = 0; i < 64; i++) await setUser("another");
      expect([await journalSays("before", "zebra"), redoLogSays("zebra")]).toEqual([true, true]);
      if (way === "clearJournal") expect(await store.clearJournal()).toBe(true);
      else await store.close();
      expect([await journalSays("after", "zebra"), redoLogSays("zebra")]).toEqual([false, false]);
      await store.close();
    },
  );

  test("has nothing left of memories with very many states, which go in small steps", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, ...OPTIONS });
    await forgetAged(store);
    // At most 256 states in a step; more than 500 are left to upkeep.
    expect(await purge(store, directory, temporary.path)).toBeGreaterThan(500 / 256 + 1);
    await store.close();
    for (const of of ["data", "copy-0"]) {
      const env = openEnvironment({ directory: join(temporary.path, of) });
      expect([...env.message.getKeys({ start: u64(0), end: "\xff".repeat(9) })]).toEqual([]);
      for (const start of [MEMORY_PAST.id, MEMORY_GONE.id]) {
        expect([...env.index.getKeys({ start, end: afterPrefix(start) })]).toEqual([]);
      }
      await env.root.close();
    }
  });
});
