// Lists of memories and jobs where there are very many of them, and of what once held some: one
// call reads a bounded number of rows.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makeTempDir, type TempDir } from "../../../test/support/kit/temp-dir.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import { newJob } from "../../../test/support/store/memories.ts";
import { changeMemories, turn } from "../../../test/support/store/memory-actions.ts";
import { readFacts, START_MS } from "../../../test/support/store/plans.ts";
import { type Environment, openEnvironment } from "../engine/environment.ts";
import { afterPrefix, readU64 } from "../engine/keys.ts";
import { NOTHING, ONE_TEXT } from "../engine/table.ts";
import { scopeIdOf } from "../scope-id.ts";
import type { Store } from "../store.ts";
import type { Core } from "../tables/core.ts";
import {
  MEMORIES,
  MEMORY,
  MEMORY_DUE,
  MEMORY_END,
  MEMORY_HELD,
  MEMORY_HELD_IN,
  MEMORY_JOBS,
  MEMORY_SCOPE,
  scopePart,
} from "../tables/memory-tables.ts";
import { openLmdbStore } from "./store.ts";

const MANY = 100_000;
const OPTIONS = { readFacts, floor: { bytes: 0 } };
const SCOPE = { userId: "u", agentId: "", sessionId: "" };
const REF = { namespace: "default", sessionId: "s" };
// Besides what is asked for: rows read ahead, a page of them at most, and what names the place.
const spareOf = (most: number) => Math.min(most, 64) + 6;

let temporary: TempDir;
let store: Store;
let rows = 0;

const numbered = (at: number) => at.toString().padStart(6, "0");

beforeAll(async () => {
  temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  const first = await openLmdbStore({ directory, ...OPTIONS });
  const put = [{ memoryId: "m", kind: "fact", scope: SCOPE, text: "m" }] as const;
  const base = { kind: "memories", ...REF, nowMs: START_MS } as const;
  await changeMemories(first, { ...base, put });
  await changeMemories(first, { ...base, namespace: "zz", put });
  await first.changeSession(REF, (view) => {
    return { kind: "save", result: undefined, plan: appendPlan(REF, view, "text") };
  });
  const jobs = [{ type: "extract", dueMs: START_MS } as const];
  await turn(first, { ...base, kind: "turn", jobs, seq: 1 });
  await first.close();
  const env = openEnvironment({ directory });
  const [key = ""] = env.index.getKeys({ start: MEMORY.id, end: afterPrefix(MEMORY.id) });
  await fill(env, readU64(key, 1));
  await env.root.close();
  store = await openLmdbStore({ directory, ...OPTIONS });
  watch((store as unknown as { readonly core: Core }).core.env);
});

afterAll(async () => {
  await store.close();
  await temporary[Symbol.asyncDispose]();
});

// Rows as a store of such a size would have them, without the changes that make them.
function fill({ index, root }: Environment, logNo: number): Promise<unknown> {
  const jobsKey = MEMORY_JOBS.key(REF.namespace, "much");
  const put = (key: string, value: Uint8Array) => index.put(key, value as Buffer);
  return root.batch(() => {
    const jobs = [newJob("extract")];
    put(jobsKey, MEMORY_JOBS.encode(jobsKey, { sessionNo: 1, jobs }));
    for (let at = 0; at < MANY; at++) {
      // Of every two namespaces and scopes one is empty by now.
      const memories = MEMORIES.key(`n${numbered(at)}`);
      const memoryCount = at % 2;
      const rest = { nextMemoryNo: 2, memoryCount, sourcesListed: 1 };
      put(memories, MEMORIES.encode(memories, { logNo: at + 1_000, ...rest }));
      const scope = { ...SCOPE, userId: numbered(at) };
      const part = scopePart(scopeIdOf(scope));
      const row = { scope, counts: [at % 2, 0, 0, 0, 0], updateMs: 1, promotedNo: 1 };
      const place = MEMORY_SCOPE.key(logNo, part);
      put(place, MEMORY_SCOPE.encode(place, { ...row, promotedCount: 1 }));
      if (at % 2 === 1) {
        for (const held of [MEMORY_HELD.key(`n${numbered(at)}`), MEMORY_HELD_IN.key(logNo, part)]) {
          put(held, NOTHING.encode(held, true));
        }
      }
      const end = MEMORY_END.key(START_MS + at, logNo, 1);
      put(end, ONE_TEXT.encode(end, REF.namespace));
      for (const ms of [START_MS, START_MS + 60_000]) {
        const due = MEMORY_DUE.key(ms, at + 10, 1);
        put(due, ONE_TEXT.encode(due, jobsKey));
      }
    }
  });
}

/** Counts the rows that are read from the index. */
function watch({ index }: Environment): void {
  const { get, getRange } = index;
  vi.spyOn(index, "get").mockImplementation((...asked: Parameters<typeof get>) => {
    rows++;
    return get.apply(index, asked);
  });
  vi.spyOn(index, "getRange").mockImplementation((...asked: Parameters<typeof getRange>) => {
    const found = [...getRange.apply(index, asked)];
    rows += found.length;
    return found as unknown as ReturnType<typeof getRange>;
  });
}

/** The result of a call, which must read at most so many rows. */
async function reading<T>(most: number, call: () => Promise<T>): Promise<T> {
  rows = 0;
  const result = await call();
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThanOrEqual(most + spareOf(most));
  return result;
}

describe("a list of one of very many", () => {
  test.each([1, 7, 500])("reads as many namespaces as it gives, at most %i", async (limit) => {
    const list = (after: string) => reading(limit, () => store.listMemoryNamespaces(after, limit));
    expect((await list("default")).length).toBe(limit);
    expect((await list("default"))[0]).toBe("n000001");
    expect((await list("n050000"))[0]).toBe("n050001");
    expect(await list("n099998")).toEqual(["n099999", "zz"].slice(0, limit));
    expect(await list("zz")).toEqual([]);
  });

  test.each([1, 7, 500])("reads as many scopes as it gives, at most %i", async (limit) => {
    let after = "";
    for (let page = 0; page < 3; page++) {
      const from = after;
      const found = await reading(2 * limit, () =>
        store.listMemoryScopes(REF.namespace, from, limit),
      );
      expect(found.length).toBe(limit);
      expect(found.every(({ memoryCount, scopeId }) => memoryCount === 1 && scopeId > from)).toBe(
        true,
      );
      after = found.at(-1)?.scopeId ?? "";
    }
  });

  test.each([1, 7, 500])("reads as many ended memories as it gives, at most %i", async (limit) => {
    const all = await reading(2 * limit, () => store.expiredMemories(START_MS + MANY, limit));
    expect(all.length).toBe(limit);
    const some = await reading(2 * limit, () => store.expiredMemories(START_MS + 2, limit));
    expect(some.length).toBe(Math.min(3, limit));
    expect(await store.expiredMemories(START_MS + MANY, 0)).toEqual([]);
  });

  test.each([1, 7, 500])("reads as many due jobs as it gives, at most %i", async (limit) => {
    const found = await reading(2 * limit, () => store.dueMemoryJobs(START_MS + 9, limit));
    expect(found.length).toBe(limit);
  });

  test("reads one time of the next job, behind all that is due", async () => {
    expect(await reading(1, () => store.nextMemoryJobMs(START_MS))).toBe(START_MS + 60_000);
    expect(await reading(1, () => store.nextMemoryJobMs(START_MS - 1))).toBe(START_MS);
  });
});
