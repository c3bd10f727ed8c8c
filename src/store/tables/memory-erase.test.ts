// Memories with very many states: how much of them one change erases itself, the rest that is left
// to upkeep, and how damage to it is found.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { AGED_IDS, AGED_STATES, forgetAged } from "../../../test/support/store/aged-memories.ts";
import { DamagedCopies, flip, OPTIONS } from "../../../test/support/store/damaged-copies.ts";
import { changeMemories } from "../../../test/support/store/memory-actions.ts";
import { START_MS } from "../../../test/support/store/plans.ts";
import { dumpMemories } from "../../../test/support/store/read-memories.ts";
import { openEnvironment, type Table } from "../engine/environment.ts";
import { afterPrefix, readU64 } from "../engine/keys.ts";
import { ONE_NUMBER } from "../engine/table.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import type { Store } from "../store.ts";
import { verifyDirectory } from "../verify/verify.ts";
import type { Core } from "./core.ts";
import { ERASED_AT_ONCE } from "./memories.ts";
import { MEMORY_GONE, MEMORY_PAST } from "./memory-tables.ts";

const PLAN = {
  nowMs: START_MS,
  eventAgeMsMax: 1e15,
  eventCountMax: 1e9,
  replyAgeMsMax: 1e15,
  usageHourMin: 0,
};
const KEPT = "c";

let copies: DamagedCopies;

beforeAll(async () => {
  copies = await DamagedCopies.of(
    (store) => forgetAged(store, [KEPT]),
    (store) => change(store, "x"),
  );
});

afterAll(async () => {
  await copies.dispose();
});

function change(store: Store, memoryId: string) {
  const scope = { userId: "u", agentId: "", sessionId: "" };
  const put = [{ memoryId, kind: "fact", scope, text: memoryId }] as const;
  const base = { kind: "memories", namespace: "other", sessionId: "" } as const;
  return changeMemories(store, { ...base, nowMs: START_MS, put });
}

function keysOf(index: Table, start: string): readonly string[] {
  return [...index.getKeys({ start, end: afterPrefix(start) })];
}

async function erase(store: Store): Promise<number> {
  let steps = 0;
  while (await store.maintain(PLAN)) steps++;
  return steps;
}

describe("a change that removes memories with very many states", () => {
  test("does a bounded part of the work, and nobody sees the rest", async () => {
    await using own = await makeTempDir();
    const store = await openLmdbStore({ directory: join(own.path, "data"), ...OPTIONS });
    await forgetAged(store, AGED_IDS);
    const { memtable, writer } = (store as unknown as { readonly core: Core }).core;
    const sets = vi.spyOn(memtable, "set");
    const erasures = vi.spyOn(writer, "eraseMessage");
    const base = { kind: "memories", namespace: "default", sessionId: "" } as const;
    await changeMemories(store, { ...base, nowMs: START_MS, remove: AGED_IDS });
    expect(AGED_IDS.length * (AGED_STATES - 1)).toBeGreaterThan(ERASED_AT_ONCE);
    expect(erasures.mock.calls.length).toBeLessThanOrEqual(ERASED_AT_ONCE + AGED_IDS.length);
    expect(sets.mock.calls.length).toBeLessThanOrEqual(ERASED_AT_ONCE + 20 * AGED_IDS.length);
    expect(await dumpMemories(store, "default")).toMatchObject({ memories: [], scopes: [] });
    // An id that is taken anew has nothing of what waits under the old number.
    const scope = { userId: "u", agentId: "", sessionId: "" };
    const put = [{ memoryId: "e", kind: "fact", scope, text: "anew" }] as const;
    await changeMemories(store, { ...base, nowMs: START_MS, put });
    const states = await store.listMemoryVersions("default", "e", { limit: 9 });
    expect(states.map(({ content }) => content.text)).toEqual(["anew"]);
    erasures.mockClear();
    expect(await erase(store)).toBeGreaterThan(1);
    // Each body once, together with what the change erased itself.
    expect(erasures.mock.calls.length).toBe(2 * (AGED_STATES - 1));
    expect((await store.listMemoryVersions("default", "e", { limit: 9 })).length).toBe(1);
    await store.close();
  });
});

describe("states that wait to be erased", () => {
  test("are sound while they wait and gone afterwards; what is kept has all of its states", async () => {
    const directory = await copies.changed(async () => undefined);
    expect((await verifyDirectory(directory)).problems).toEqual([]);
    const store = await openLmdbStore({ directory, ...OPTIONS });
    await erase(store);
    expect((await store.listMemoryVersions("default", KEPT, { limit: 1_000 })).length).toBe(
      AGED_STATES,
    );
    await store.close();
    expect((await verifyDirectory(directory)).problems).toEqual([]);
    const env = openEnvironment({ directory });
    expect(keysOf(env.index, MEMORY_GONE.id)).toEqual([]);
    expect(keysOf(env.index, MEMORY_PAST.id).length).toBe(AGED_STATES - 1);
    await env.root.close();
  });

  test("are missed by verify when one is lost, or what names them", async () => {
    const env = openEnvironment({ directory: copies.whole });
    const [gone] = keysOf(env.index, MEMORY_GONE.id);
    await env.root.close();
    expect(gone).toBeDefined();
    const lostName = await copies.found(({ index }) => index.remove(gone ?? ""));
    expect(lostName).toContain("a state belongs to no memory");
    const past = MEMORY_PAST.id + (gone ?? "").slice(1);
    for (const at of [0, 7, -1]) {
      const lost = await copies.found(({ index }) =>
        index.remove(keysOf(index, past).at(at) ?? ""),
      );
      expect(lost).toContain("a state of a memory is missing");
    }
    const other = MEMORY_GONE.key(readU64(gone ?? "", 1), 3);
    const alive = await copies.found(({ index }) =>
      index.put(other, ONE_NUMBER.encode(other, 1) as Buffer),
    );
    expect(alive).toContain("a memory is there and being erased");
  });

  test("go though one of them is damaged", async () => {
    const directory = await copies.changed(async ({ index }) => {
      const [gone = ""] = keysOf(index, MEMORY_GONE.id);
      const key = keysOf(index, MEMORY_PAST.id + gone.slice(1))[5] ?? "";
      await flip(index, key, 1);
    });
    const store = await openLmdbStore({ directory, ...OPTIONS });
    await erase(store);
    await store.close();
    const { problems } = await verifyDirectory(directory);
    expect(problems).toMatchObject([{ kind: "a message belongs to no log", count: 1 }]);
  });
});
