// Damages single records of memories and jobs: verify must report every one, and a read must not
// give another answer.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  DamagedCopies,
  flip,
  OPTIONS,
  thirdKey,
} from "../../../test/support/store/damaged-copies.ts";
import { saveVectors } from "../../../test/support/store/documents.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import { newMemory } from "../../../test/support/store/memories.ts";
import {
  changeMemories,
  type MemoryAction,
  type MemoryDraft,
  turn,
} from "../../../test/support/store/memory-actions.ts";
import { START_MS } from "../../../test/support/store/plans.ts";
import { MemoryJobsRecord } from "../../gen/memorysidecar/storage/v1/memory_records.ts";
import { type MemoryJob, taskNoOfJob } from "../../memory/rules/job.ts";
import { seal, unseal } from "../engine/envelope.ts";
import { type Environment, openEnvironment, type Table } from "../engine/environment.ts";
import { afterPrefix, readU64, u64 } from "../engine/keys.ts";
import { NOTHING, ONE_NUMBER, ONE_TEXT } from "../engine/table.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import type { Store } from "../store.ts";
import { VECTOR } from "../tables/document-tables.ts";
import {
  encodeMemoryBody,
  MEMORIES,
  MEMORY,
  MEMORY_DUE,
  MEMORY_END,
  MEMORY_HELD,
  MEMORY_HELD_IN,
  MEMORY_ID,
  MEMORY_IN,
  MEMORY_JOBS,
  MEMORY_OF,
  MEMORY_PAST,
  MEMORY_RANK,
  MEMORY_SCOPE,
  MEMORY_SOURCE,
  MEMORY_TASK,
  MEMORY_TERM,
  PROMOTED,
  PROMOTED_AT,
  sourcePart,
  termOf,
} from "../tables/memory-tables.ts";
import { verifyDirectory } from "./verify.ts";

const SCOPE = { userId: "u", agentId: "", sessionId: "" };
const OTHER = { ...SCOPE, agentId: "a" };
const KINDS = ["fact", "entity", "relation", "episode"] as const;

let copies: DamagedCopies;

function change(store: Store, parts: Partial<MemoryAction>) {
  const base = { namespace: "default", sessionId: "", nowMs: START_MS };
  return changeMemories(store, { kind: "memories", ...base, ...parts });
}

function drafts(): readonly MemoryDraft[] {
  return Array.from({ length: 12 }, (_, n) => ({
    memoryId: `m${n}`,
    kind: KINDS[n % 4] ?? "fact",
    scope: n % 3 === 0 ? OTHER : SCOPE,
    text: `text of ${n}`,
    key: "k",
    ttlMs: n % 2 === 0 ? 5 : 0,
    messageIds: [`q${n}`, "q"],
  }));
}

async function append(store: Store, sessionId: string): Promise<void> {
  const ref = { namespace: "default", sessionId };
  await store.changeSession(ref, (view) => {
    return { kind: "save", result: undefined, plan: appendPlan(ref, view, "text") };
  });
}

async function fill(store: Store): Promise<void> {
  const promoted = ["a", "b", "c", "d"].map((text) => ({ scope: SCOPE, text }));
  await change(store, { put: drafts(), promoted });
  await change(store, { put: drafts().slice(0, 4), remove: ["m11"] });
  await change(store, { put: drafts().slice(0, 2) });
  for (const namespace of ["n1", "n2", "n3"]) await change(store, { namespace, put: drafts() });
  for (const sessionId of ["a", "b", "c", "d"]) {
    await append(store, sessionId);
    const jobs = [{ type: "extract", dueMs: START_MS } as const];
    const base = { namespace: "default", sessionId, nowMs: START_MS, seq: 1 };
    await turn(store, { kind: "turn", ...base, jobs });
  }
  const places = [1, 2, 5, 6].map((memoryNo) => ({
    place: { kind: "memory", namespace: "default", memoryNo } as const,
    model: "m",
    count: 1,
    stale: false,
  }));
  expect(await saveVectors(store, { kind: "vectors", drafts: places })).toBe(4);
}

beforeAll(async () => {
  copies = await DamagedCopies.of(fill, (store) => append(store, "z"));
});

afterAll(async () => {
  await copies.dispose();
});

function payload(index: Table, key: string): Uint8Array {
  return unseal(key, index.get(key) ?? Buffer.alloc(0), "record");
}

/** The log number of the memories of the first namespace. */
function logOf(index: Table): number {
  const [key = ""] = index.getKeys({ start: MEMORY.id, end: afterPrefix(MEMORY.id) });
  return readU64(key, 1);
}

const memories = MEMORIES.id;
const memory = MEMORY.id;
const memoryId = MEMORY_ID.id;
const memoryPast = MEMORY_PAST.id;
const memoryScope = MEMORY_SCOPE.id;
const memoryIn = MEMORY_IN.id;
const memoryOf = MEMORY_OF.id;
const memoryTerm = MEMORY_TERM.id;
const memoryRank = MEMORY_RANK.id;
const memoryEnd = MEMORY_END.id;
const promoted = PROMOTED.id;
const promotedAt = PROMOTED_AT.id;
const memoryJobs = MEMORY_JOBS.id;
const memoryDue = MEMORY_DUE.id;
const memoryHeld = MEMORY_HELD.id;
const memoryHeldIn = MEMORY_HELD_IN.id;
const memoryTask = MEMORY_TASK.id;
const memorySource = MEMORY_SOURCE.id;
const TABLES = {
  ...{ memories, memory, memoryId, memoryPast, memoryScope, memoryIn, memoryOf },
  ...{ memoryTerm, memoryRank, memoryEnd, promoted, promotedAt, memoryJobs, memoryDue },
  ...{ memoryHeld, memoryHeldIn, memoryTask, memorySource },
};

describe("verify", () => {
  test("counts memories and jobs, and finds nothing where nothing is damaged", async () => {
    const { problems, totals } = await verifyDirectory(copies.whole);
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ memories: 47, memoryJobs: 4, vectors: 4 });
  });

  test.each(Object.entries(TABLES))("finds a damaged record of %s", async (_, table) => {
    const kinds = await copies.found(({ index }) => flip(index, thirdKey(index, table), 1));
    expect(kinds).toContain("a record of the index is damaged");
  });

  test.each([
    ["memories", memories, "a record belongs to no log"],
    ["memory", memory, "the memories of a namespace are counted wrongly"],
    ["memoryId", memoryId, "a memory is not found by its id"],
    ["memoryPast", memoryPast, "a state of a memory is missing"],
    ["memoryScope", memoryScope, "a memory has no scope"],
    ["memoryIn", memoryIn, "a memory is not listed"],
    ["memoryOf", memoryOf, "a memory is not listed"],
    ["memoryTerm", memoryTerm, "a memory is not listed"],
    ["memoryRank", memoryRank, "a memory is not listed"],
    ["memoryEnd", memoryEnd, "a memory would never expire"],
    ["promoted", promoted, "a promoted text is not found"],
    ["promotedAt", promotedAt, "the promoted texts of a scope are counted wrongly"],
    ["memoryJobs", memoryJobs, "the times of jobs are wrong"],
    ["memoryDue", memoryDue, "a job would not be found when it is due"],
    ["memoryTask", memoryTask, "a job is not listed"],
    ["memorySource", memorySource, "a memory is not found by its message"],
    ["memoryHeld", memoryHeld, "a namespace with memories is not listed"],
    ["memoryHeldIn", memoryHeldIn, "a scope with memories is not listed"],
  ])("finds a lost record of %s", async (_, table, kind) => {
    expect(await copies.found(({ index }) => index.remove(thirdKey(index, table)))).toContain(kind);
  });

  test.each([
    ["memory", memory],
    ["former state", memoryPast],
  ])("finds a lost, a damaged and another body of a %s", async (_, table) => {
    const bodyKey = ({ index }: Environment) => {
      const row = MEMORY.decode(payload(index, thirdKey(index, table)));
      return u64(row.bodyNo);
    };
    const lost = await copies.found((env) => env.message.remove(bodyKey(env)));
    expect(lost).toEqual(["the body of a memory is missing"]);
    const damaged = await copies.found((env) => flip(env.message, bodyKey(env), 9));
    expect(damaged).toContain("the body of a memory is damaged");
    const other = await copies.found((env) => {
      const key = bodyKey(env);
      const body = encodeMemoryBody(newMemory({ memoryId: "x", memoryNo: 1 }));
      return env.message.put(key, seal(key, body));
    });
    expect(other).toContain("the body of a memory is damaged");
    const scope = await copies.found((env) => {
      const key = bodyKey(env);
      const { memoryId: id } = MEMORY.decode(payload(env.index, thirdKey(env.index, table)));
      const body = encodeMemoryBody(newMemory({ memoryId: id, memoryNo: 1 }));
      return env.message.put(key, seal(key, body));
    });
    expect(scope).toContain("a memory and its row differ");
  });

  test("finds rows that are not sound", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const logNo = logOf(index);
      const key = MEMORY.key(logNo, 5);
      const row = MEMORY.decode(payload(index, key));
      await index.put(key, MEMORY.encode(key, { ...row, rank: 7, etagRevision: 1e6 }));
      const late = MEMORY.key(logNo, 999);
      await index.put(late, MEMORY.encode(late, { ...row, version: 3, expireMs: 1 }));
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        "a memory has a number that was not given",
        "a memory is not found by its id",
        "a memory is of a later revision",
        "a memory is not listed",
        "a memory would never expire",
        "a state of a memory is missing",
        "two records name one body",
        "the memories of a namespace are counted wrongly",
        "the memories of a scope are counted wrongly",
      ]),
    );
  });

  test("finds what names no memory, and texts and times too many", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const logNo = logOf(index);
      const idKey = MEMORY_ID.key(logNo, "x");
      await index.put(idKey, ONE_NUMBER.encode(idKey, 1) as Buffer);
      const [scopeKey = ""] = index.getKeys({ start: memoryScope, end: afterPrefix(memoryScope) });
      const part = scopeKey.slice(9);
      const term = MEMORY_TERM.prefix(logNo, part, termOf(1, "x")) + u64(1);
      await index.put(term, NOTHING.encode(term, true) as Buffer);
      const end = MEMORY_END.key(7, logNo, 1);
      await index.put(end, ONE_TEXT.encode(end, "default") as Buffer);
      const at = PROMOTED_AT.prefix(logNo, part) + u64(99);
      await index.put(at, ONE_TEXT.encode(at, "x") as Buffer);
      const held = MEMORY_HELD.key("nobody");
      await index.put(held, NOTHING.encode(held, true) as Buffer);
      const heldIn = MEMORY_HELD_IN.key(logNo, "0123456789abcdef");
      await index.put(heldIn, NOTHING.encode(heldIn, true) as Buffer);
      const source = MEMORY_SOURCE.prefix(logNo, sourcePart("s", "x")) + u64(1);
      await index.put(source, NOTHING.encode(source, true) as Buffer);
      const due = MEMORY_DUE.key(7, 1, 1);
      await index.put(due, ONE_TEXT.encode(due, "x") as Buffer);
      const task = MEMORY_TASK.prefix("default") + u64(7);
      await index.put(task, ONE_TEXT.encode(task, "x") as Buffer);
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        "the ids of memories are wrong",
        "the lists of memories are wrong",
        "the messages of memories are wrong",
        "a time names a memory that does not end then",
        "a promoted text is not found",
        "the promoted texts of a scope are counted wrongly",
        "the list of namespaces with memories is wrong",
        "the list of scopes with memories is wrong",
        "the times of jobs are wrong",
        "the numbers of jobs are wrong",
      ]),
    );
  });

  test("finds counts, scopes, logs and vectors that are another's", async () => {
    const kinds = await copies.found(async ({ index }) => {
      const key = thirdKey(index, memories);
      const row = MEMORIES.decode(payload(index, key));
      const logNo = logOf(index);
      await index.put(key, MEMORIES.encode(key, { ...row, logNo, memoryCount: 1 }));
      const scopeKey = thirdKey(index, memoryScope);
      const scope = MEMORY_SCOPE.decode(payload(index, scopeKey));
      const wrong = { ...scope, scope: { ...SCOPE, userId: "x" }, counts: [1, 1, 1, 1, 1] };
      await index.put(scopeKey, MEMORY_SCOPE.encode(scopeKey, wrong));
      const vector = thirdKey(index, VECTOR.id);
      const of = VECTOR.decode(payload(index, vector));
      await index.put(vector, VECTOR.encode(vector, { ...of, ofNo: of.ofNo + 1 }));
    });
    expect(kinds).toEqual(
      expect.arrayContaining([
        "a log belongs to two namespaces",
        "the memories of a namespace are counted wrongly",
        "a scope has another id",
        "vectors belong to no record",
      ]),
    );
  });
});

describe("a server", () => {
  test("says that a memory is lost instead of going on without it", async () => {
    const directory = await copies.changed(({ index }) =>
      index.remove(MEMORY.key(logOf(index), 1)),
    );
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const corrupt = { reason: "RECORD_CORRUPT" };
    await expect(store.readMemory("default", "m0")).rejects.toMatchObject(corrupt);
    await expect(change(store, { remove: ["m0"] })).rejects.toMatchObject(corrupt);
    await store.close();
  });

  test("leaves nothing of what was removed", async () => {
    const directory = await copies.changed(async () => undefined);
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const remove = drafts().map(({ memoryId: id }) => id);
    for (const namespace of ["default", "n1", "n2", "n3"]) {
      await change(store, { namespace, remove });
    }
    for (const sessionId of ["a", "b", "c", "d", "z"]) {
      const ref = { namespace: "default", sessionId };
      await store.changeSession(ref, () => {
        const events = [
          { ...ref, type: 2, userId: "", createMs: 1, body: Uint8Array.of(1) },
        ] as const;
        return { kind: "save", result: undefined, plan: { remove: true, events } };
      });
    }
    const limits = { eventAgeMsMax: 1e15, eventCountMax: 1e9, replyAgeMsMax: 1e15 };
    while (await store.maintain({ nowMs: START_MS, usageHourMin: 0, ...limits })) {
      // Until everything is erased.
    }
    await store.close();
    const env = openEnvironment({ directory });
    const all = { start: u64(0), end: "\xff".repeat(9) };
    expect([...env.message.getKeys(all)]).toEqual([]);
    const { memories: _1, promoted: _2, promotedAt: _3, memoryScope: _4, ...gone } = TABLES;
    for (const start of Object.values(gone)) {
      expect([...env.index.getKeys({ start, end: afterPrefix(start) })]).toEqual([]);
    }
    await env.root.close();
    expect((await verifyDirectory(directory)).problems).toEqual([]);
  });
});

describe("a store whose jobs have no numbers", () => {
  test("is clean, and lists them once it is opened", async () => {
    const directory = await copies.changed(async ({ index }) => {
      for (const key of [...index.getKeys({ start: memoryJobs, end: afterPrefix(memoryJobs) })]) {
        const { sessionNo, jobs } = MemoryJobsRecord.decode(payload(index, key));
        const old = (JSON.parse(jobs) as MemoryJob[]).map(
          ({ callCount: _calls, createRevision, ...job }) => ({
            ...job,
            generation: createRevision,
          }),
        );
        const record = { sessionNo, jobs: JSON.stringify(old) };
        await index.put(key, seal(key, MemoryJobsRecord.encode(record).finish()));
      }
      for (const key of [...index.getKeys({ start: memoryTask, end: afterPrefix(memoryTask) })]) {
        await index.remove(key);
      }
    });
    expect((await verifyDirectory(directory)).problems).toEqual([]);
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const listed = await store.listMemoryJobs("default", 0, 9);
    expect(listed.map(({ ref }) => ref.sessionId)).toEqual(["a", "b", "c", "d"]);
    for (const one of listed) {
      expect(await store.readMemoryJob("default", taskNoOfJob(one.job))).toEqual(one);
    }
    await store.close();
    expect((await verifyDirectory(directory)).problems).toEqual([]);
  });
});
