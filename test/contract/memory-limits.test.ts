// Goal: every limit of what is remembered and changed holds exactly, and what else is wrong with a
// request is told by the very field. What searches and turns may ask for is in
// memory-query-limits.test.ts.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MetadataCondition } from "../../src/gen/memorysidecar/v1/filter.ts";
import {
  ConflictRule,
  DedupeRule,
  type Entity,
  type Memory,
  type MemoryFilter,
  MemoryKind,
  type ScopeFilter,
} from "../../src/gen/memorysidecar/v1/memory.ts";
import { Trust } from "../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import { expectLimit, type LimitRow, limitRow, times, x } from "../support/contract/limits.ts";
import {
  deepStruct,
  entity,
  episode,
  exactly,
  memory,
  memoryFilter,
  memorySource,
  ownedBy,
  relation,
  structOfSize,
  visibleTo,
} from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const NOTHING = new Uint8Array(0);
const labels = (count: number) => new Map(times(count, (index) => [`key-${index}`, "v"] as const));
const ids = (count: number) => times(count, (index) => `m${index}`);
const dedupe = (fields: Partial<DedupeRule>) => ({ ...DedupeRule.decode(NOTHING), ...fields });
const conflict = (fields: Partial<ConflictRule>) => ({
  ...ConflictRule.decode(NOTHING),
  ...fields,
});
const exists = (path: string): MetadataCondition => ({
  path,
  test: { $case: "exists", value: true },
});

const fact = (field: string, max: number, make: (size: number) => Partial<Memory>) =>
  limitRow("remember", `memories[0].${field}`, max, (size) => ({
    memories: [memory({ text: "fact", ...make(size) })],
  }));
const named = (field: string, max: number, make: (size: number) => Partial<Entity>) =>
  limitRow("remember", `memories[0].entity.${field}`, max, (size) => ({
    memories: [entity("Ann", make(size))],
  }));
const made = (field: string, max: number, make: (size: number) => Memory) =>
  limitRow("remember", `memories[0].${field}`, max, (size) => ({ memories: [make(size)] }));
const filtered = (field: string, max: number, make: (size: number) => Partial<MemoryFilter>) =>
  limitRow("listMemories", `filter.${field}`, max, (size) => ({
    filter: memoryFilter(make(size)),
  }));
const reason = <M extends UnaryName>(method: M, fields: Partial<RequestOf<M>>) =>
  limitRow(method, "reason", LIMITS.memoryReasonBytes, (size) => ({ ...fields, reason: x(size) }));
const requestId = <M extends UnaryName>(method: M, fields: Partial<RequestOf<M>>) =>
  limitRow(method, "request_id", LIMITS.requestIdBytes, (size) => ({
    ...fields,
    requestId: x(size),
  }));
const idRow = <M extends UnaryName>(method: M, fields: Partial<RequestOf<M>> = {}) =>
  limitRow(method, "memory_id", LIMITS.memoryIdBytes, (size) => ({
    ...fields,
    memoryId: x(size),
  }));
const token = <M extends UnaryName>(method: M, fields: Partial<RequestOf<M>> = {}) =>
  limitRow(method, "page_token", LIMITS.pageTokenBytes, (size) => ({
    ...fields,
    pageToken: x(size),
  }));
const update = (field: string, max: number, make: (size: number) => Partial<Memory>) =>
  limitRow("updateMemory", `memory.${field}`, max, (size) => ({
    memory: memory({ memoryId: "gone", ...make(size) }),
    updateMask: ["key"],
  }));

const ONE = { memories: [memory({ text: "fact" })] };
const GONE = { memoryId: "gone" };
const MASKED = { memory: memory(GONE), updateMask: ["key"] };
const MERGE = { targetMemoryId: "gone", sourceMemoryIds: ["lost"] };
const NOBODY = { filter: memoryFilter({ scope: ownedBy({ userId: "nobody" }) }) };
const FORGET = { memoryIds: ["gone"] };

const REMEMBERED: readonly LimitRow[] = [
  limitRow("remember", "namespace", LIMITS.namespaceChars, (size) => ({
    ...ONE,
    namespace: `a${x(size - 1)}`,
  })),
  limitRow("remember", "memories", LIMITS.writeMemories, (size) => ({
    memories: times(size, (index) => memory({ text: `fact ${index}` })),
  })),
  fact("memory_id", LIMITS.memoryIdBytes, (size) => ({ memoryId: x(size) })),
  fact("user_id", LIMITS.userIdBytes, (size) => ({ userId: x(size) })),
  fact("agent_id", LIMITS.agentIdBytes, (size) => ({ agentId: x(size) })),
  fact("session_id", LIMITS.sessionIdBytes, (size) => ({ sessionId: x(size) })),
  fact("text", LIMITS.memoryTextBytes, (size) => ({ text: x(size) })),
  fact("key", LIMITS.memoryKeyBytes, (size) => ({ key: x(size) })),
  fact("category", LIMITS.memoryCategoryBytes, (size) => ({ category: x(size) })),
  fact("topics", LIMITS.memoryTopics, (size) => ({ topics: ids(size) })),
  fact("topics[0]", LIMITS.memoryTopicBytes, (size) => ({ topics: [x(size)] })),
  fact("importance", 1, (size) => ({ importance: size })),
  fact("confidence", 1, (size) => ({ confidence: size })),
  fact("labels", LIMITS.labels, (size) => ({ labels: labels(size) })),
  fact('labels["k"]', LIMITS.labelValueBytes, (size) => ({ labels: new Map([["k", x(size)]]) })),
  fact("metadata", LIMITS.metadataBytes, (size) => ({ metadata: structOfSize(size) })),
  fact("metadata", LIMITS.structDepth, (size) => ({ metadata: deepStruct(size) })),
  fact("source.session_id", LIMITS.sessionIdBytes, (size) => ({
    source: memorySource({ sessionId: x(size) }),
  })),
  fact("source.message_ids", LIMITS.memorySourceMessages, (size) => ({
    source: memorySource({ sessionId: "s", messageIds: ids(size) }),
  })),
  fact("source.message_ids[0]", LIMITS.messageIdBytes, (size) => ({
    source: memorySource({ sessionId: "s", messageIds: [x(size)] }),
  })),
  named("name", LIMITS.entityNameBytes, (size) => ({ name: x(size) })),
  named("type", LIMITS.entityTypeBytes, (size) => ({ type: x(size) })),
  named("aliases", LIMITS.entityAliases, (size) => ({ aliases: ids(size) })),
  named("aliases[0]", LIMITS.entityNameBytes, (size) => ({ aliases: [x(size)] })),
  named("attributes", LIMITS.entityAttributes, (size) => ({ attributes: labels(size) })),
  named('attributes["k"]', LIMITS.entityAttributeValueBytes, (size) => ({
    attributes: new Map([["k", x(size)]]),
  })),
  made("text", LIMITS.entityNameBytes, (size) =>
    memory({ kind: MemoryKind.ENTITY, text: x(size) }),
  ),
  made("relation.subject", LIMITS.relationSubjectBytes, (size) => relation(x(size), "is", "b")),
  made("relation.predicate", LIMITS.relationPredicateBytes, (size) => relation("a", x(size), "b")),
  made("relation.object_value", LIMITS.relationObjectBytes, (size) => relation("a", "is", x(size))),
  made("episode.user_text", LIMITS.episodeTextBytes, (size) => episode(x(size))),
  made("episode.assistant_text", LIMITS.episodeTextBytes, (size) => episode("", x(size))),
  limitRow("remember", "dedupe.threshold", 1, (size) => ({
    ...ONE,
    dedupe: dedupe({ mode: 2, threshold: size === 0 ? 0.5 : size }),
  })),
  limitRow("remember", "dedupe.window", LIMITS.dedupeWindow, (size) => ({
    ...ONE,
    dedupe: dedupe({ window: size }),
  })),
  limitRow("remember", "conflict.hook", LIMITS.hookNameChars, (size) => ({
    ...ONE,
    conflict: conflict({ hook: x(size) }),
  })),
  limitRow("remember", "max_memories", LIMITS.scopeMemories, (size) => ({
    ...ONE,
    maxMemories: size,
  })),
  reason("remember", ONE),
  requestId("remember", ONE),
];

const FILTERED: readonly LimitRow[] = [
  filtered("scope.visible_to.user_id", LIMITS.userIdBytes, (size) => ({
    scope: visibleTo({ userId: x(size) }),
  })),
  filtered("scope.exact.agent_id", LIMITS.agentIdBytes, (size) => ({
    scope: exactly({ agentId: x(size) }),
  })),
  filtered("scope.owned_by.session_id", LIMITS.sessionIdBytes, (size) => ({
    scope: ownedBy({ sessionId: size === 0 ? "" : x(size), userId: "u" }),
  })),
  filtered("kinds", LIMITS.memoryFilterKinds, (size) => ({ kinds: times(size, () => 1) })),
  filtered("states", LIMITS.memoryFilterStates, (size) => ({ states: times(size, () => 1) })),
  filtered("categories", LIMITS.memoryFilterCategories, (size) => ({ categories: ids(size) })),
  filtered("categories[0]", LIMITS.memoryCategoryBytes, (size) => ({ categories: [x(size)] })),
  filtered("topics", LIMITS.memoryFilterTopics, (size) => ({ topics: ids(size) })),
  filtered("topics[0]", LIMITS.memoryTopicBytes, (size) => ({ topics: [x(size)] })),
  filtered("key", LIMITS.memoryKeyBytes, (size) => ({ key: x(size) })),
  filtered("text_contains", LIMITS.memoryFilterTextBytes, (size) => ({ textContains: x(size) })),
  filtered("labels", LIMITS.labels, (size) => ({ labels: labels(size) })),
  filtered("metadata", LIMITS.metadataConditions, (size) => ({
    metadata: times(size, () => exists("a")),
  })),
  filtered("metadata[0].path", LIMITS.metadataPathBytes, (size) => ({
    metadata: [exists(x(size))],
  })),
  filtered("min_importance", 1, (size) => ({ minImportance: size })),
  filtered("min_confidence", 1, (size) => ({ minConfidence: size })),
  filtered("source_session_id", LIMITS.sessionIdBytes, (size) => ({ sourceSessionId: x(size) })),
];

const CHANGED: readonly LimitRow[] = [
  idRow("getMemory"),
  token("listMemories"),
  idRow("listMemoryVersions"),
  token("listMemoryVersions", GONE),
  token("decayMemories", NOBODY),
  update("memory_id", LIMITS.memoryIdBytes, (size) => ({ memoryId: x(size) })),
  update("text", LIMITS.memoryTextBytes, (size) => ({ text: x(size) })),
  update("key", LIMITS.memoryKeyBytes, (size) => ({ key: x(size) })),
  update("topics", LIMITS.memoryTopics, (size) => ({ topics: ids(size) })),
  update("confidence", 1, (size) => ({ confidence: size })),
  update("relation.object_value", LIMITS.relationObjectBytes, (size) => ({
    structure: relation("a", "is", x(size)).structure,
  })),
  limitRow("updateMemory", "update_mask.paths", LIMITS.updateMaskPaths, (size) => ({
    memory: memory(GONE),
    updateMask: times(size, () => "key"),
  })),
  reason("updateMemory", MASKED),
  requestId("updateMemory", MASKED),
  limitRow("reinforceMemories", "memory_ids", LIMITS.writeMemories, (size) => ({
    memoryIds: ids(size),
  })),
  limitRow("reinforceMemories", "memory_ids[0]", LIMITS.memoryIdBytes, (size) => ({
    memoryIds: [x(size)],
  })),
  limitRow("reinforceMemories", "amount", 1, (size) => ({ ...FORGET, amount: size })),
  requestId("reinforceMemories", FORGET),
  limitRow("decayMemories", "factor", 1, (size) => ({ ...NOBODY, factor: size })),
  limitRow("decayMemories", "delete_below", 1, (size) => ({ ...NOBODY, deleteBelow: size })),
  requestId("decayMemories", NOBODY),
  limitRow("forgetMemories", "memory_ids", LIMITS.changeMemories, (size) => ({
    memoryIds: ids(size),
  })),
  requestId("forgetMemories", FORGET),
  requestId("purgeMemories", NOBODY),
  idRow("restoreMemoryVersion", { version: 1n }),
  reason("restoreMemoryVersion", { ...GONE, version: 1n }),
  requestId("restoreMemoryVersion", { ...GONE, version: 1n }),
  limitRow("mergeEntities", "target_memory_id", LIMITS.memoryIdBytes, (size) => ({
    ...MERGE,
    targetMemoryId: "y".repeat(size),
  })),
  limitRow("mergeEntities", "source_memory_ids", LIMITS.mergeEntities, (size) => ({
    targetMemoryId: "gone",
    sourceMemoryIds: ids(size),
  })),
  reason("mergeEntities", MERGE),
  requestId("mergeEntities", MERGE),
];

describe("limits of long-term memory", () => {
  test.each([...REMEMBERED, ...FILTERED, ...CHANGED])(
    "hold for $field of $method",
    async (entry) => {
      await expectLimit(server, entry);
    },
  );

  test("hold for the keys of attributes", async () => {
    const attributes = (size: number) => ({
      memories: [entity("Ann", { attributes: new Map([[x(size), "v"]]) })],
    });
    await server.client.call("remember", attributes(LIMITS.entityAttributeKeyBytes));
    const failure = await server.client.fail("remember", attributes(129));
    expect(failure.metadata["limit"]).toBe("128");
  });
});

interface Refused<M extends UnaryName = UnaryName> {
  readonly method: M;
  readonly fields: readonly string[];
  readonly request: Partial<RequestOf<M>>;
}

function refused<M extends UnaryName>(
  method: M,
  fields: readonly string[],
  request: Partial<RequestOf<M>>,
): Refused {
  return { method, fields, request } as unknown as Refused;
}

const remembering = (field: string, given: Memory) =>
  refused("remember", [`memories[0].${field}`], { memories: [given] });
const stating = (field: string, fields: Partial<Memory>) =>
  remembering(field, memory({ text: "fact", ...fields }));
const filtering = (field: string, fields: Partial<MemoryFilter>) =>
  refused("listMemories", [`filter.${field}`], { filter: memoryFilter(fields) });
const at = (seconds: bigint, nanos = 0) => ({ seconds, nanos });
const value = entity("Ann").structure;

/** Scopes that may mean everybody's memories where somebody forgot to name a user. */
const UNBOUND: readonly (readonly [string, ScopeFilter | undefined])[] = [
  ["filter.scope", undefined],
  ["filter.scope.scope", { scope: undefined }],
  ["filter.scope.visible_to", visibleTo({})],
  ["filter.scope.exact", exactly({})],
  ["filter.scope.owned_by", ownedBy({})],
];

const REFUSED: readonly Refused[] = [
  refused("remember", ["memories"], {}),
  refused("remember", ["memories[1].memory_id"], {
    memories: [memory({ memoryId: "a", text: "1" }), memory({ memoryId: "a", text: "2" })],
  }),
  refused("remember", ["memories[3].entity.aliases[2]"], {
    memories: [...times(3, () => memory({ text: "x" })), entity("A", { aliases: ["b", "c", " "] })],
  }),
  stating("memory_id", { memoryId: "a\u0000b" }),
  stating("session_id", { sessionId: "a\nb" }),
  stating("kind", { kind: 8 as MemoryKind }),
  stating("text", { text: "" }),
  stating("text", { text: " \n" }),
  stating("topics[1]", { topics: ["a", ""] }),
  stating("importance", { importance: Number.NaN }),
  stating("importance", { importance: -0.1 }),
  stating("confidence", { confidence: Number.POSITIVE_INFINITY }),
  stating("confidence", { confidence: -1 }),
  stating("trust", { trust: Trust.HIGH }),
  stating("trust", { trust: 4 as Trust }),
  stating('labels["a b"]', { labels: new Map([["a b", "v"]]) }),
  stating("valid_from_time", { validFromTime: at(-62_135_596_801n) }),
  stating("valid_until_time", { validUntilTime: at(253_402_300_800n) }),
  stating("valid_until_time", { validFromTime: at(5n), validUntilTime: at(5n) }),
  stating("valid_until_time", { validFromTime: at(5n, 1), validUntilTime: at(5n, 2) }),
  stating("last_seen_time", { lastSeenTime: at(253_402_300_000n) }),
  stating("last_seen_time", { lastSeenTime: at(1n, -1) }),
  stating("ttl", { ttl: at(0n, 999_999_999) }),
  stating("ttl", { ttl: at(315_576_001n) }),
  stating("ttl", { ttl: at(-1n) }),
  stating("source.message_ids[1]", { source: memorySource({ messageIds: ["a", ""] }) }),
  stating("source.session_id", { source: memorySource({ sessionId: "\u0007" }) }),
  stating("entity", { structure: value }),
  stating("relation", { structure: relation("a", "b", "c").structure }),
  stating("episode", { structure: episode("a").structure }),
  stating("relation", { kind: MemoryKind.RELATION }),
  stating("episode", { kind: MemoryKind.EPISODE }),
  remembering("text", memory({ kind: MemoryKind.ENTITY })),
  remembering("entity.name", entity("")),
  remembering("entity.name", entity(" ")),
  remembering('entity.attributes[""]', entity("a", { attributes: new Map([["", "v"]]) })),
  remembering("relation.subject", relation("", "b", "c")),
  remembering("relation.predicate", relation("a", "\t", "c")),
  remembering("relation.object_value", relation("a", "b", "")),
  remembering("episode.user_text", episode("")),
  refused("remember", ["dedupe.threshold"], { ...ONE, dedupe: dedupe({ threshold: 0 }) }),
  refused("remember", ["dedupe.threshold"], { ...ONE, dedupe: dedupe({ threshold: Number.NaN }) }),
  refused("remember", ["dedupe.mode"], { ...ONE, dedupe: dedupe({ mode: 4 as never }) }),
  refused("remember", ["dedupe.window"], { ...ONE, dedupe: dedupe({ window: -1 }) }),
  refused("remember", ["conflict.mode"], { ...ONE, conflict: conflict({ mode: 5 as never }) }),
  refused("remember", ["conflict.hook"], { ...ONE, conflict: conflict({ hook: "No" }) }),
  refused("remember", ["max_memories"], { ...ONE, maxMemories: -1 }),
  filtering("kinds[0]", { kinds: [0] }),
  filtering("kinds[1]", { kinds: [1, 8 as never] }),
  filtering("states[0]", { states: [3 as never] }),
  filtering("categories[0]", { categories: [""] }),
  filtering("topics[0]", { topics: [""] }),
  filtering("metadata[0].path", { metadata: [exists("")] }),
  filtering("min_importance", { minImportance: Number.NaN }),
  filtering("min_confidence", { minConfidence: -0.1 }),
  filtering("min_trust", { minTrust: 4 as never }),
  filtering("valid_at_time", { validAtTime: at(253_402_300_800n) }),
  filtering("create_time_from", { createTimeFrom: at(253_402_300_800n) }),
  filtering("create_time_before", { createTimeFrom: at(5n), createTimeBefore: at(5n) }),
  filtering("last_seen_time_before", {
    lastSeenTimeFrom: at(5n, 2),
    lastSeenTimeBefore: at(5n, 1),
  }),
  filtering("origin", { origin: 5 as never }),
  refused("getMemory", ["memory_id"], {}),
  refused("getMemory", ["memory_id"], { memoryId: "a\u007f" }),
  refused("getMemory", ["as_of_time"], { memoryId: "a", asOfTime: at(1n, -5) }),
  refused("listMemories", ["as_of_time"], { asOfTime: at(253_402_300_000n) }),
  refused("listMemories", ["order"], { order: 6 as never }),
  refused("listMemories", ["page_size"], { pageSize: -1 }),
  refused("updateMemory", ["memory"], {}),
  refused("updateMemory", ["memory.memory_id"], { memory: memory(), updateMask: ["text"] }),
  refused("updateMemory", ["memory.trust"], { memory: memory({ ...GONE, trust: Trust.HIGH }) }),
  ...["kind", "user_id", "source", "memory_id", "nothing"].map((path) =>
    refused("updateMemory", ["update_mask.paths[0]"], { memory: memory(GONE), updateMask: [path] }),
  ),
  ...["entity", "relation", "episode"].map((path) =>
    refused("updateMemory", [`memory.${path}`], { memory: memory(GONE), updateMask: [path] }),
  ),
  refused("updateMemory", ["memory.valid_until_time"], {
    memory: memory({ ...GONE, validFromTime: at(5n), validUntilTime: at(4n) }),
    updateMask: ["valid_from_time", "valid_until_time"],
  }),
  refused("reinforceMemories", ["memory_ids"], {}),
  refused("reinforceMemories", ["memory_ids[0]"], { memoryIds: [""] }),
  refused("reinforceMemories", ["memory_ids[1]"], { memoryIds: ["a", "a"] }),
  refused("reinforceMemories", ["amount"], { memoryIds: ["a"], amount: Number.NaN }),
  refused("reinforceMemories", ["amount"], { memoryIds: ["a"], amount: -0.1 }),
  refused("decayMemories", ["filter"], {}),
  ...UNBOUND.map(([field, scope]) => {
    return refused("decayMemories", [field], { filter: memoryFilter({ scope }) });
  }),
  refused("decayMemories", ["factor"], { ...NOBODY, factor: Number.NaN }),
  refused("decayMemories", ["delete_below"], { ...NOBODY, deleteBelow: -0.5 }),
  refused("decayMemories", ["unseen_for"], { ...NOBODY, unseenFor: at(-1n) }),
  refused("decayMemories", ["unseen_for"], { ...NOBODY, unseenFor: at(315_576_000n, 1) }),
  refused("forgetMemories", ["memory_ids"], {}),
  refused("forgetMemories", ["memory_ids[1]"], { memoryIds: ["a", "a"] }),
  refused("forgetMemories", ["etag"], { memoryIds: ["a", "b"], etag: "r1" }),
  refused("purgeMemories", ["filter"], { force: true }),
  ...UNBOUND.map(([field, scope]) => {
    return refused("purgeMemories", [field], { filter: memoryFilter({ scope }), force: true });
  }),
  refused("listMemoryVersions", ["memory_id"], {}),
  refused("listMemoryVersions", ["page_size"], { ...GONE, pageSize: -1 }),
  refused("restoreMemoryVersion", ["memory_id", "version"], {}),
  refused("restoreMemoryVersion", ["version"], { ...GONE, version: -1n }),
  refused("mergeEntities", ["target_memory_id", "source_memory_ids"], {}),
  refused("mergeEntities", ["source_memory_ids[0]"], {
    targetMemoryId: "a",
    sourceMemoryIds: ["a"],
  }),
  refused("mergeEntities", ["source_memory_ids[1]"], {
    targetMemoryId: "a",
    sourceMemoryIds: ["b", "b"],
  }),
];

describe("what is wrong with a request", () => {
  test.each(REFUSED)("is told by $fields of $method", async ({ method, fields, request }) => {
    const outcome = await server.client.raw(method, requestBytes(method, request));
    if (!("failure" in outcome)) throw new Error(`${method} was taken`);
    expect(outcome.failure).toMatchObject({ reason: "REQUEST_INVALID", fields });
  });

  test("is malformed bytes where metadata is no Struct", async () => {
    const given = memory({ text: "x", metadata: Buffer.from([8, 1]) });
    const failure = await server.client.fail("remember", { memories: [given] });
    expect(failure.reason).toBe("REQUEST_MALFORMED");
  });

  test("is told of at most 20 fields", async () => {
    const failure = await server.client.fail("remember", { memories: times(30, () => memory()) });
    expect(failure.fields).toEqual(times(20, (index) => `memories[${index}].text`));
  });
});
