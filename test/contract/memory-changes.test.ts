// Changes to memories, through the contract: updates, their history, confidence, merged entities,
// forgetting, and repeats of all of it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Memory, MemoryKind, MemoryOrder } from "../../src/gen/memorysidecar/v1/memory.ts";
import { Trust } from "../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import {
  EVERYONE,
  entity,
  memory,
  memoryFilter,
  message,
  ownedBy,
  relation,
} from "../support/contract/samples.ts";
import { turnOf } from "../support/contract/turns.ts";
import { struct } from "../support/kit/structs.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const ALL = memoryFilter({ scope: EVERYONE });

const fact = (memoryId: string, fields: Partial<Memory> = {}) =>
  memory({ memoryId, text: memoryId, ...fields });

async function remember(namespace: string, memories: readonly Memory[]) {
  return await server.client.call("remember", { namespace, memories: [...memories] });
}

async function get(namespace: string, memoryId: string): Promise<Memory | undefined> {
  return (await server.client.call("getMemory", { namespace, memoryId })).memory;
}

async function idsOf(namespace: string): Promise<readonly string[]> {
  const { memories } = await server.client.call("listMemories", { namespace, filter: ALL });
  return memories.map(({ memoryId }) => memoryId);
}

async function newestEvent(namespace: string) {
  const { events } = await server.client.call("listEvents", { namespace });
  return events.at(-1)?.detail;
}

const update = (namespace: string, given: Memory, updateMask: string[]) =>
  server.client.call("updateMemory", { namespace, memory: given, updateMask });

const NOBODY = { code: "NOT_FOUND", reason: "MEMORY_NOT_FOUND" };

describe("UpdateMemory", () => {
  test("changes what the mask names, and keeps the state before", async () => {
    await remember("update", [fact("a", { labels: new Map([["k", "v"]]), category: "work" })]);
    server.advance(1_000);
    const given = memory({ memoryId: "a", text: "new", key: "k", labels: new Map() });
    const { memory: changed, revision } = await update("update", given, ["text", "key"]);
    expect(revision).toBeGreaterThan(0n);
    expect(changed).toMatchObject({
      ...{ text: "new", key: "k", category: "work", labels: new Map([["k", "v"]]) },
      ...{ version: 2n, mentionCount: 1 },
    });
    expect(changed?.updateTime).not.toEqual(changed?.createTime);
    expect(await get("update", "a")).toEqual(changed);
    expect(await newestEvent("update")).toEqual({
      $case: "memoryUpdated",
      value: { memoryId: "a", paths: ["text", "key"], version: 2n },
    });
  });

  test("changes everything, and everything back to its default, with *", async () => {
    await remember("whole", [fact("a", { importance: 0.9, topics: ["x"], category: "c" })]);
    const time = { seconds: 5n, nanos: 0 };
    const given = memory({
      ...{ memoryId: "a", text: "b", metadata: struct({ a: 1 }), confidence: 0.25 },
      ...{ persistent: true, validFromTime: time, ttl: { seconds: 9n, nanos: 0 } },
      ...{ lastSeenTime: time },
    });
    const { memory: changed } = await update("whole", given, ["*"]);
    expect(changed).toMatchObject({
      ...{ text: "b", importance: 0.5, topics: [], category: "general", confidence: 0.25 },
      ...{ persistent: true, validFromTime: time, metadata: given.metadata, lastSeenTime: time },
    });
  });

  test("changes what is set without a mask, and nothing where nothing is set", async () => {
    const stated = { importance: 0.9, topics: ["x"], labels: new Map([["k", "v"]]) };
    await remember("set", [fact("a", stated)]);
    const given = memory({ memoryId: "a", text: "b", trust: Trust.LOW, persistent: true });
    const { memory: changed } = await update("set", given, []);
    expect(changed).toMatchObject({ ...stated, text: "b", trust: Trust.LOW, persistent: true });
    expect(await newestEvent("set")).toMatchObject({
      value: { paths: ["text", "trust", "persistent"], version: 2n },
    });
    for (const mask of [[], ["etag", "version"]]) {
      const nothing = await update("set", memory({ memoryId: "a" }), mask);
      expect(nothing).toEqual({ memory: changed, revision: 0n });
    }
    const cleared = await update("set", memory({ memoryId: "a" }), ["trust"]);
    expect(cleared.memory).toMatchObject({ trust: Trust.MEDIUM, version: 3n });
  });

  test("changes structures, which must be of the kind", async () => {
    const met = relation("Ann", "knows", "Bob");
    const [stored] = (await remember("structure", [met])).results;
    const memoryId = stored?.memoryId ?? "";
    const given = { ...relation("Ann", "likes", "Bob"), memoryId };
    const { memory: changed } = await update("structure", given, ["relation"]);
    expect(changed?.structure).toMatchObject({ value: { predicate: "likes" } });
    const request = { namespace: "structure", memory: { ...entity("Ann"), memoryId } };
    const failure = await server.client.fail("updateMemory", {
      ...request,
      updateMask: ["entity"],
    });
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["memory.entity"] });
  });

  test("refuses an end before the stored beginning", async () => {
    await remember("ends", [fact("a", { validFromTime: { seconds: 9n, nanos: 0 } })]);
    const given = memory({ memoryId: "a", validUntilTime: { seconds: 8n, nanos: 0 } });
    const request = { namespace: "ends", memory: given, updateMask: ["valid_until_time"] };
    const failure = await server.client.fail("updateMemory", request);
    expect(failure).toMatchObject({
      reason: "REQUEST_INVALID",
      fields: ["memory.valid_until_time"],
    });
  });

  test("refuses an empty text of a fact, a time to come, an old etag, and what is not there", async () => {
    await remember("refuse", [fact("a")]);
    const fail = (fields: Partial<Memory>, updateMask: string[]) => {
      const given = memory({ memoryId: "a", ...fields });
      return server.client.fail("updateMemory", { namespace: "refuse", memory: given, updateMask });
    };
    expect((await fail({}, ["text"])).fields).toEqual(["memory.text"]);
    const lastSeenTime = { seconds: 253_402_300_000n, nanos: 0 };
    expect((await fail({ lastSeenTime }, ["last_seen_time"])).fields).toEqual([
      "memory.last_seen_time",
    ]);
    expect(await fail({ key: "k", etag: "r999" }, ["key"])).toMatchObject({
      ...{ code: "ABORTED", reason: "ETAG_MISMATCH" },
    });
    expect(await fail({ memoryId: "b" }, ["key"])).toMatchObject(NOBODY);
  });

  test("refuses more states than a memory may have", async () => {
    await remember("states", [fact("a")]);
    for (let count = 1; count < LIMITS.memoryRevisions; count++) {
      await update("states", memory({ memoryId: "a", key: `${count}` }), ["key"]);
    }
    const next = { namespace: "states", memory: memory({ memoryId: "a" }), updateMask: ["key"] };
    expect(await server.client.fail("updateMemory", next)).toMatchObject({
      ...{ code: "FAILED_PRECONDITION", reason: "MEMORY_VERSION_LIMIT_REACHED" },
      metadata: { memory_id: "a", limit: "1000" },
    });
    const again = { namespace: "states", memories: [fact("a", { text: "other" })] };
    const full = "MEMORY_VERSION_LIMIT_REACHED";
    expect((await server.client.fail("remember", again)).reason).toBe(full);
    const former = { namespace: "states", memoryId: "a", version: 1n };
    expect((await server.client.fail("restoreMemoryVersion", former)).reason).toBe(full);
    const { memories } = await server.client.call("reinforceMemories", {
      ...{ namespace: "states", memoryIds: ["a"] },
    });
    expect(memories).toMatchObject([{ version: 1_000n }]);
  }, 60_000);
});

describe("ListMemoryVersions and RestoreMemoryVersion", () => {
  beforeAll(async () => {
    await remember("history", [fact("a", { text: "1" })]);
    for (const text of ["2", "3", "4"]) {
      await update("history", memory({ memoryId: "a", text }), ["text"]);
    }
  });

  test("lists the states, the newest first, in pages", async () => {
    const texts: string[] = [];
    let pageToken = "";
    do {
      const request = { namespace: "history", memoryId: "a", pageSize: 3, pageToken };
      const page = await server.client.call("listMemoryVersions", request);
      texts.push(...page.versions.map(({ text, version }) => `${text}@${version}`));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(texts).toEqual(["4@4", "3@3", "2@2", "1@1"]);
    const request = { namespace: "history", memoryId: "a", pageSize: 3 };
    const page = await server.client.call("listMemoryVersions", request);
    const other = { ...request, memoryId: "b", pageToken: page.nextPageToken };
    expect((await server.client.fail("listMemoryVersions", other)).reason).toBe(
      "PAGE_TOKEN_INVALID",
    );
    const gone = { namespace: "history", memoryId: "b" };
    expect(await server.client.fail("listMemoryVersions", gone)).toMatchObject(NOBODY);
  });

  test("ends a page before an answer grows too large", async () => {
    await remember("wide", [fact("a")]);
    const metadata = struct({ x: "y".repeat(16_000) });
    for (let count = 0; count < 120; count++) {
      const text = `${count} ${"z".repeat(16_000)}`;
      await update("wide", memory({ memoryId: "a", text, metadata }), ["text", "metadata"]);
    }
    const numbers: number[] = [];
    let pages = 0;
    let pageToken = "";
    do {
      const request = { namespace: "wide", memoryId: "a", pageSize: 1_000, pageToken };
      const page = await server.client.call("listMemoryVersions", request);
      numbers.push(...page.versions.map(({ version }) => Number(version)));
      pageToken = page.nextPageToken;
      pages++;
    } while (pageToken !== "");
    expect(pages).toBeGreaterThan(1);
    expect(numbers).toEqual(Array.from({ length: 121 }, (_, index) => 121 - index));
  });

  test("brings a state back as a new one", async () => {
    const etag = (await get("history", "a"))?.etag ?? "";
    const request = { namespace: "history", memoryId: "a", version: 2n };
    const stale = await server.client.fail("restoreMemoryVersion", { ...request, etag: "r999" });
    expect(stale).toMatchObject({ code: "ABORTED", reason: "ETAG_MISMATCH" });
    const { memory: restored } = await server.client.call("restoreMemoryVersion", {
      ...{ ...request, etag, reason: "undo" },
    });
    expect(restored).toMatchObject({ text: "2", version: 5n, reason: "undo" });
    expect(await newestEvent("history")).toMatchObject({
      ...{ $case: "memoryUpdated", value: { paths: [], version: 5n } },
    });
    const never = { ...request, version: 99n };
    expect(await server.client.fail("restoreMemoryVersion", never)).toMatchObject({
      ...{ code: "NOT_FOUND", reason: "MEMORY_VERSION_NOT_FOUND" },
      metadata: { memory_id: "a", version: "99" },
      details: ["ErrorInfo", "ResourceInfo"],
    });
    const gone = { ...request, memoryId: "b" };
    expect(await server.client.fail("restoreMemoryVersion", gone)).toMatchObject(NOBODY);
  });
});

describe("ReinforceMemories and DecayMemories", () => {
  test("raise and lower how sure memories are, without new states", async () => {
    await remember("sure", [fact("a", { confidence: 0.5 }), fact("b", { confidence: 0.95 })]);
    const raise = { namespace: "sure", memoryIds: ["b", "a"] };
    const { memories } = await server.client.call("reinforceMemories", raise);
    expect(memories).toMatchObject([
      { memoryId: "b", confidence: 1, mentionCount: 2, version: 1n },
      { memoryId: "a", confidence: 0.6, mentionCount: 2, version: 1n },
    ]);
    expect(await newestEvent("sure")).toMatchObject({ $case: "memoriesReinforced" });
    const lower = { namespace: "sure", filter: ALL, factor: 0.5, deleteBelow: 0.4 };
    const decayed = await server.client.call("decayMemories", lower);
    expect(decayed).toMatchObject({ decayedCount: 1, deletedMemoryIds: ["a"], nextPageToken: "" });
    expect(await get("sure", "b")).toMatchObject({ confidence: 0.5, version: 1n });
    const { events } = await server.client.call("listEvents", { namespace: "sure" });
    expect(events.map(({ detail }) => detail).slice(-2)).toEqual(
      expect.arrayContaining([
        { $case: "memoriesDecayed", value: { memoryIds: ["b"] } },
        { $case: "memoriesDeleted", value: { memoryIds: ["a"], reason: 4 } },
      ]),
    );
    const young = { ...lower, unseenFor: { seconds: 60n, nanos: 0 } };
    expect(await server.client.call("decayMemories", young)).toMatchObject({
      ...{ decayedCount: 0, revision: 0n },
    });
  });

  test("reinforce all memories or none, unless missing ones are passed over", async () => {
    await remember("some", [fact("a", { confidence: 0.5 })]);
    const request = { namespace: "some", memoryIds: ["a", "gone"] };
    expect(await server.client.fail("reinforceMemories", request)).toMatchObject(NOBODY);
    expect(await get("some", "a")).toMatchObject({ confidence: 0.5 });
    const over = await server.client.call("reinforceMemories", { ...request, allowMissing: true });
    expect(over.memories.map(({ memoryId }) => memoryId)).toEqual(["a"]);
  });

  test("give as many reinforced memories as an answer holds, and reinforce all", async () => {
    const metadata = struct({ x: "y".repeat(16_000) });
    const memoryIds = Array.from({ length: 200 }, (_, index) => `wide-${index}`);
    for (const start of [0, 100]) {
      const memories = memoryIds.slice(start, start + 100).map((id) => {
        return fact(id, { text: `${id} ${"z".repeat(16_000)}`, metadata, confidence: 0.5 });
      });
      await remember("wide-sure", memories);
    }
    const raised = await server.client.call("reinforceMemories", {
      ...{ namespace: "wide-sure", memoryIds },
    });
    const shown = raised.memories.map(({ memoryId }) => memoryId);
    expect(shown.length).toBeGreaterThan(90);
    expect(shown).toEqual(memoryIds.slice(0, shown.length));
    expect(shown.length * 32_000).toBeLessThan(LIMITS.pageBytes);
    expect(await get("wide-sure", "wide-199")).toMatchObject({ confidence: 0.6 });
  });

  test("decay many memories in pages, each once, whatever request id they share", async () => {
    const filter = ALL;
    for (let batch = 0; batch < 5; batch++) {
      const memories = Array.from({ length: 256 }, (_, index) => fact(`${batch}-${index}`));
      await remember("many", memories);
    }
    const request = { namespace: "many", filter, requestId: "decay" };
    const first = await server.client.call("decayMemories", request);
    expect(first.decayedCount).toBe(LIMITS.changeMemories);
    expect(await server.client.call("decayMemories", request)).toEqual(first);
    const next = { ...request, pageToken: first.nextPageToken };
    const foreign = await server.client.fail("decayMemories", { ...next, namespace: "other" });
    expect(foreign.reason).toBe("PAGE_TOKEN_INVALID");
    expect((await server.client.fail("decayMemories", next)).reason).toBe("REQUEST_ID_REUSED");
    const second = await server.client.call("decayMemories", { ...next, requestId: "decay-2" });
    expect(second).toMatchObject({ decayedCount: 280, nextPageToken: "" });
    expect(await get("many", "0-0")).toMatchObject({ confidence: 0.8 });
    expect(await get("many", "4-255")).toMatchObject({ confidence: 0.8 });
  }, 30_000);
});

describe("MergeEntities", () => {
  test("makes one entity of several, which are forgotten", async () => {
    const [ann, annie, dog] = (
      await remember("merge", [
        entity("Ann", { attributes: new Map([["age", "40"]]) }),
        entity("Annie", {
          attributes: new Map([
            ["age", "4"],
            ["job", "cook"],
          ]),
        }),
        fact("dog"),
      ])
    ).results.map(({ memoryId }) => memoryId);
    const request = {
      namespace: "merge",
      targetMemoryId: ann ?? "",
      sourceMemoryIds: [annie ?? ""],
    };
    const { entity: merged } = await server.client.call("mergeEntities", request);
    expect(merged).toMatchObject({ memoryId: ann, mentionCount: 2, kind: MemoryKind.ENTITY });
    const attributes = new Map([
      ["age", "40"],
      ["job", "cook"],
    ]);
    expect(merged?.structure).toMatchObject({
      value: { name: "Ann", aliases: ["Annie"], attributes },
    });
    expect(await idsOf("merge")).toEqual([ann, "dog"]);
    const { events } = await server.client.call("listEvents", { namespace: "merge" });
    expect(events.map(({ detail }) => detail).slice(-2)).toEqual(
      expect.arrayContaining([
        { $case: "memoryUpdated", value: { memoryId: ann, paths: [], version: 2n } },
        { $case: "memoriesDeleted", value: { memoryIds: [annie], reason: 6 } },
      ]),
    );
    expect(await server.client.fail("mergeEntities", request)).toMatchObject(NOBODY);
    const none = await server.client.fail("mergeEntities", {
      ...request,
      sourceMemoryIds: [dog ?? ""],
    });
    expect(none).toMatchObject({ reason: "REQUEST_INVALID" });
  });
});

describe("ForgetMemories and PurgeMemories", () => {
  test("forget memories with all their states", async () => {
    await remember("forget", [fact("a"), fact("b"), fact("c")]);
    await update("forget", memory({ memoryId: "a", text: "2" }), ["text"]);
    const some = { namespace: "forget", memoryIds: ["a", "gone", "b"] };
    expect(await server.client.fail("forgetMemories", some)).toMatchObject({
      ...{ code: "NOT_FOUND", reason: "MEMORY_NOT_FOUND", metadata: { memory_id: "gone" } },
    });
    expect(await idsOf("forget")).toEqual(["a", "b", "c"]);
    const request = { ...some, allowMissing: true };
    const { forgottenCount, revision } = await server.client.call("forgetMemories", request);
    expect(forgottenCount).toBe(2);
    expect(revision).toBeGreaterThan(0n);
    expect(await idsOf("forget")).toEqual(["c"]);
    expect(await newestEvent("forget")).toEqual({
      $case: "memoriesDeleted",
      value: { memoryIds: ["a", "b"], reason: 1 },
    });
    expect(await server.client.call("forgetMemories", request)).toEqual({
      ...{ forgottenCount: 0, revision: 0n },
    });
    const states = { namespace: "forget", memoryId: "a" };
    expect(await server.client.fail("listMemoryVersions", states)).toMatchObject(NOBODY);
    const missing = { namespace: "forget", memoryIds: ["gone"], etag: "r999" };
    expect(await server.client.fail("forgetMemories", missing)).toMatchObject(NOBODY);
    expect(
      await server.client.call("forgetMemories", { ...missing, allowMissing: true }),
    ).toMatchObject({ forgottenCount: 0 });
    const stale = { namespace: "forget", memoryIds: ["c"], etag: "r999" };
    expect(await server.client.fail("forgetMemories", stale)).toMatchObject({
      ...{ code: "ABORTED", reason: "ETAG_MISMATCH" },
    });
    const etag = (await get("forget", "c"))?.etag ?? "";
    expect(await server.client.call("forgetMemories", { ...stale, etag })).toMatchObject({
      forgottenCount: 1,
    });
  });

  test("are counted on all pages of a list", async () => {
    await remember("totals", [fact("a"), fact("b"), fact("c", { userId: "u" })]);
    const ask = { namespace: "totals", pageSize: 1, includeTotal: true };
    for (const order of [MemoryOrder.UNSPECIFIED, MemoryOrder.IMPORTANCE_DESC]) {
      const first = await server.client.call("listMemories", { ...ask, order });
      expect(first.total).toEqual({ count: 2n, atLeast: false });
      const { nextPageToken: pageToken } = first;
      const second = await server.client.call("listMemories", { ...ask, order, pageToken });
      expect(second.total).toEqual(first.total);
    }
    const filter = memoryFilter({ scope: ownedBy({ userId: "u" }) });
    expect(await server.client.call("listMemories", { ...ask, filter })).toMatchObject({
      total: { count: 1n, atLeast: false },
    });
    const { total } = await server.client.call("listMemories", { namespace: "totals" });
    expect(total).toBeUndefined();
  });

  test("count before they purge, superseded memories too", async () => {
    await remember("purge", [fact("a", { userId: "u" }), fact("b", { userId: "u" }), fact("c")]);
    const request = {
      namespace: "purge",
      filter: memoryFilter({ scope: ownedBy({ userId: "u" }) }),
    };
    expect(await server.client.call("purgeMemories", request)).toEqual({
      ...{ memoryCount: 2, sampleMemoryIds: ["a", "b"], more: false, revision: 0n },
    });
    const forced = await server.client.call("purgeMemories", { ...request, force: true });
    expect(forced).toMatchObject({ memoryCount: 2, sampleMemoryIds: [], more: false });
    expect(await idsOf("purge")).toEqual(["c"]);
    const all = { namespace: "purge", filter: ALL, force: true };
    expect(await server.client.call("purgeMemories", all)).toMatchObject({ memoryCount: 1 });
  });
});

interface Repeat<M extends UnaryName = UnaryName> {
  readonly method: M;
  readonly request: Partial<RequestOf<M>>;
  readonly other: Partial<RequestOf<M>>;
}

function repeat<M extends UnaryName>(
  method: M,
  request: Partial<RequestOf<M>>,
  other: Partial<RequestOf<M>>,
): Repeat {
  return { method, request, other } as unknown as Repeat;
}

const REPEATS: readonly Repeat[] = [
  repeat("remember", { memories: [memory({ text: "r" })] }, { maxMemories: 9 }),
  repeat(
    "updateMemory",
    { memory: memory({ memoryId: "a", key: "k" }), updateMask: ["key"] },
    { reason: "other" },
  ),
  repeat("reinforceMemories", { memoryIds: ["a"] }, { amount: 0.3 }),
  repeat("decayMemories", { filter: ALL }, { factor: 0.3 }),
  repeat("restoreMemoryVersion", { memoryId: "a", version: 1n }, { reason: "other" }),
  repeat("mergeEntities", { targetMemoryId: "e1", sourceMemoryIds: ["e2"] }, { reason: "other" }),
  repeat("forgetMemories", { memoryIds: ["b"] }, { memoryIds: ["c"] }),
  repeat(
    "purgeMemories",
    { filter: memoryFilter({ scope: EVERYONE, key: "gone" }), force: true },
    { filter: ALL },
  ),
  repeat("appendMessages", turnOf({ sessionId: "s", userText: "hi" }), { turnEnd: false }),
  repeat("consolidateSession", { sessionId: "s" }, { sessionId: "t" }),
  repeat("extractMemories", { text: "My name is Ann." }, { preview: true }),
];

describe("a repeat under the same request id", () => {
  beforeAll(async () => {
    await remember("repeat", [
      ...["a", "b", "c"].map((id) => fact(id, { confidence: 0.9 })),
      { ...entity("E1"), memoryId: "e1" },
      { ...entity("E2"), memoryId: "e2" },
    ]);
    await server.client.call("appendMessages", {
      ...{ namespace: "repeat", sessionId: "s", createSession: true },
      messages: [message({ text: "My name is Ann." })],
    });
  });

  test("is the same whatever the order of labels, attributes and metadata", async () => {
    const given = (pairs: readonly (readonly [string, string])[], requestId: string) => ({
      namespace: "order",
      requestId,
      memories: [
        fact("a", { labels: new Map(pairs), metadata: struct(Object.fromEntries(pairs)) }),
        entity("Ann", { attributes: new Map(pairs) }),
      ],
    });
    const pairs = [
      ["x", "1"],
      ["y", "2"],
    ] as const;
    const first = await server.client.call("remember", given(pairs, "one"));
    const turned = given(pairs.toReversed(), "one");
    expect(await server.client.call("remember", turned)).toEqual(first);
  });

  test.each(REPEATS)("gives the first answer of $method, and changes nothing", async (entry) => {
    const { method, other } = entry;
    const request = { ...entry.request, namespace: "repeat", requestId: `id-${method}` };
    const first = await server.client.raw(method, requestBytes(method, request));
    if ("failure" in first) throw new Error(`${method}: ${first.failure.message}`);
    const revision = await revisionOf(server.store);
    const second = await server.client.raw(method, requestBytes(method, request));
    expect(second).toEqual(first);
    expect(await revisionOf(server.store)).toBe(revision);
    const failure = await server.client.fail(method, { ...request, ...other });
    expect(failure).toMatchObject({ code: "FAILED_PRECONDITION", reason: "REQUEST_ID_REUSED" });
  });
});
