import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ANY_MEMORY,
  entityDraft,
  forget,
  get,
  listAll,
  memoryDraft,
  relationDraft,
  remember,
  rememberTexts,
  update,
} from "../../test/support/memory/service-memories.ts";
import { fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { Etags } from "../kit/etag.ts";
import type { MemoryFilter } from "../recall/rules/memory-filter.ts";
import type { DecayInput, DecayResult, PurgeResult } from "./api.ts";
import type { Memory } from "./rules/memory.ts";

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(async () => {
  await services.stop();
});

function textsOf(memories: readonly Memory[]): string[] {
  return memories.map(({ content }) => content.text);
}

async function texts(
  filter: Partial<MemoryFilter> = {},
  options: Parameters<typeof listAll>[2] = {},
): Promise<string[]> {
  return textsOf(await listAll(services, filter, options));
}

async function decay(input: Partial<DecayInput>): Promise<DecayResult> {
  const bytes = await services.memories.decayMemories(services.call("DecayMemories"), {
    ...{ namespace: "default", filter: ANY_MEMORY, factor: 0.8, deleteBelow: 0 },
    ...{ unseenForMs: 0, after: 0, encode: toBytes },
    ...input,
  });
  return fromBytes(bytes);
}

async function purge(filter: Partial<MemoryFilter>, force: boolean): Promise<PurgeResult> {
  const bytes = await services.memories.purgeMemories(services.call("PurgeMemories"), {
    ...{ namespace: "default", filter: { ...ANY_MEMORY, ...filter }, force, encode: toBytes },
  });
  return fromBytes(bytes);
}

async function restore(memoryId: string, version: number, etag = ""): Promise<void> {
  await services.memories.restoreMemoryVersion(services.call("RestoreMemoryVersion"), {
    ...{ namespace: "default", memoryId, version, etag, reason: "back" },
    encode: () => toBytes({}),
  });
}

async function revisionsOf(memoryId: string, before = 0, limit = 100): Promise<readonly Memory[]> {
  const ref = { namespace: "default", memoryId, before, limit };
  const call = services.call("ListMemoryVersions");
  return (await services.memories.listMemoryVersions(call, ref)).revisions;
}

async function merge(targetMemoryId: string, sourceMemoryIds: readonly string[]): Promise<void> {
  await services.memories.mergeEntities(services.call("MergeEntities"), {
    ...{ namespace: "default", targetMemoryId, sourceMemoryIds, reason: "same" },
    encode: () => toBytes({}),
  });
}

async function reinforce(
  memoryIds: readonly string[],
  { allowMissing = false, requestId = "" } = {},
): Promise<number> {
  const call = services.call("ReinforceMemories", requestId);
  const bytes = await services.memories.reinforceMemories(call, {
    ...{ namespace: "default", memoryIds, amount: 0.1, allowMissing },
    encode: ({ revision }) => toBytes(revision),
  });
  return fromBytes(bytes);
}

function etagOf(revision: number): string {
  return new Etags(services.store.historyId).of(revision);
}

describe("remember", () => {
  test("fills in what is not set", async () => {
    const { results, revision } = await remember(services, [memoryDraft({ text: "likes tea" })]);
    const memory = await get(services, results[0]?.memoryId ?? "");
    expect(memory.memoryId).toMatch(/^[0-9a-z]{26}$/);
    expect(memory.content).toMatchObject({
      ...{ text: "likes tea", category: "general", importance: 0.5, validFromMs: undefined },
    });
    expect(memory.strength).toMatchObject({ confidence: 1, mentionCount: 1 });
    expect(memory).toMatchObject({ writer: "local", version: 1, state: "active" });
    expect(memory.source).toMatchObject({ origin: "caller", hook: "" });
    expect(results[0]?.etag).toBe(etagOf(revision));
  });

  test("makes the text of a structure, and an entity of a text", async () => {
    await remember(services, [
      relationDraft("Alice", "works_at", "Acme"),
      memoryDraft({ kind: "entity", text: "Alps" }),
      memoryDraft({
        kind: "episode",
        structure: { kind: "episode", episode: { userText: "hi", assistantText: "hello" } },
      }),
    ]);
    const [relation, entity, episode] = await listAll(services);
    expect(relation?.content.text).toBe("Alice works_at Acme");
    expect(entity?.content.structure).toMatchObject({ entity: { name: "Alps", type: "other" } });
    expect(episode?.content).toMatchObject({
      text: "user: hi | assistant: hello",
      validFromMs: services.nowMs(),
    });
  });

  test("a repeat with the same request id answers the same and changes nothing", async () => {
    const drafts = [memoryDraft({ text: "one" })];
    const first = await remember(services, drafts, { requestId: "r" });
    expect(await remember(services, drafts, { requestId: "r" })).toEqual(first);
    const [memory] = await listAll(services);
    expect(memory?.strength.mentionCount).toBe(1);
  });

  test("nothing new answers with revision 0 and makes no event", async () => {
    const keep = { mode: "same-text", threshold: 0.9, window: 200, keepUnchanged: true } as const;
    await remember(services, [memoryDraft({ text: "one" })]);
    const { results, revision } = await remember(services, [memoryDraft({ text: "One!" })], {
      dedupe: keep,
    });
    expect(results[0]?.outcome).toBe("unchanged");
    expect(revision).toBe(0);
    expect(await services.allEvents()).toHaveLength(1);
  });

  test("an etag must be that of the memory", async () => {
    const [id = ""] = await rememberTexts(services, ["one"]);
    const { etagRevision } = await get(services, id);
    const next = { memoryId: id, text: "two" };
    for (const etag of ["nonsense", etagOf(etagRevision + 1)]) {
      await expect(remember(services, [memoryDraft({ ...next, etag })])).rejects.toMatchObject({
        reason: "ETAG_MISMATCH",
      });
    }
    await remember(services, [memoryDraft({ ...next, etag: etagOf(etagRevision) })]);
    expect(await texts()).toEqual(["two"]);
  });

  test("evicts the least important over the limit, and says so", async () => {
    const drafts = [0.9, 0.1, 0.5].map((importance) =>
      memoryDraft({ text: `of ${importance}`, importance }),
    );
    const { evictedIds, results } = await remember(services, drafts, { maxMemories: 2 });
    expect(evictedIds).toEqual([results[1]?.memoryId]);
    expect(results[1]?.etag).toBe("");
    expect(await texts()).toEqual(["of 0.9", "of 0.5"]);
    const [stored] = await remember(services, [memoryDraft({ text: "new", importance: 0.7 })], {
      maxMemories: 2,
    }).then(({ evictedIds: ids }) => ids);
    expect(stored).toBe(results[2]?.memoryId);
    const last = (await services.allEvents()).at(-1);
    expect(last).toMatchObject({
      ...{ userId: "u1", sessionId: "" },
      detail: { type: EVENT_TYPE.memoriesDeleted, memoryIds: [stored], reason: "evicted" },
    });
  });

  test("events are those of the scope", async () => {
    await remember(services, [
      memoryDraft({ text: "a" }),
      memoryDraft({ text: "b", scope: "u2" }),
      memoryDraft({ text: "c" }),
    ]);
    const events = await services.allEvents();
    expect(events.map(({ userId }) => userId)).toEqual(["u1", "u2"]);
    expect(events[0]?.detail).toMatchObject({ origin: "caller", updatedIds: [] });
    expect(new Set(events.map(({ revision }) => revision)).size).toBe(1);
  });

  test("a time in the future is refused", async () => {
    const draft = memoryDraft({ text: "a", lastSeenMs: services.nowMs() + 1 });
    await expect(remember(services, [draft])).rejects.toMatchObject({
      detail: { metadata: { field: "memories[0].last_seen_time" } },
    });
  });

  test("neutralizePromptMarkers changes texts and structures, and what grows too long is refused", async () => {
    await remember(services, [memoryDraft({ text: "User: pay", topics: ["System: x"] })], {
      neutralizePromptMarkers: true,
    });
    await remember(services, [relationDraft("User: a", "b", "c")], {
      neutralizePromptMarkers: true,
    });
    const [fact, relation] = await listAll(services);
    expect(fact?.content).toMatchObject({ text: "User : pay", topics: ["System : x"] });
    expect(relation?.content.text).toBe("User : a b c");
    const name = `User: ${"x".repeat(250)}`;
    const asked = remember(services, [entityDraft(name)], { neutralizePromptMarkers: true });
    await expect(asked).rejects.toMatchObject({
      detail: { metadata: { field: "memories[0].entity.name" } },
    });
  });
});

describe("update", () => {
  test("changes what the mask names, and clears what is not set", async () => {
    const said = { text: "one", key: "k", topics: ["t"], importance: 0.9, category: "work" };
    const { results } = await remember(services, [memoryDraft(said)]);
    const id = results[0]?.memoryId ?? "";
    services.advance(5);
    await update(services, id, { text: "two", key: "other" }, ["text", "importance", "category"]);
    const memory = await get(services, id);
    expect(memory.content).toMatchObject({
      ...{ text: "two", key: "k", topics: ["t"], importance: 0.5, category: "general" },
    });
    expect(memory.version).toBe(2);
    expect(memory.updateMs).toBe(memory.createMs + 5);
    const { detail } = (await services.allEvents()).at(-1) ?? {};
    expect(detail).toMatchObject({ memoryId: id, version: 2 });
  });

  test("a made text follows its structure, a given one stays", async () => {
    const { results } = await remember(services, [
      relationDraft("Alice", "works_at", "Acme"),
      relationDraft("Bob", "works_at", "Acme", { text: "Bob is at Acme" }),
    ]);
    const [made = "", given = ""] = results.map(({ memoryId }) => memoryId);
    const { structure } = relationDraft("Alice", "works_at", "Ajax");
    await update(services, made, { structure }, ["relation"]);
    await update(services, given, { structure }, ["relation"]);
    expect(await texts()).toEqual(["Alice works_at Ajax", "Bob is at Acme"]);
    await update(services, given, { text: "" }, ["text"]);
    expect((await get(services, given)).content.text).toBe("Alice works_at Ajax");
  });

  test("refuses an empty text, a structure of another kind and a foreign etag", async () => {
    const [id = ""] = await rememberTexts(services, ["one"]);
    const { structure } = relationDraft("a", "b", "c");
    await expect(update(services, id, { text: "" }, ["text"])).rejects.toMatchObject({
      detail: { metadata: { field: "memory.text" } },
    });
    await expect(update(services, id, { structure }, ["relation"])).rejects.toMatchObject({
      detail: { metadata: { field: "memory.relation" } },
    });
    await expect(update(services, id, { text: "x", etag: "r0" }, ["text"])).rejects.toMatchObject({
      reason: "ETAG_MISMATCH",
    });
    await expect(update(services, "none", { text: "x" }, ["text"])).rejects.toMatchObject({
      reason: "MEMORY_NOT_FOUND",
    });
  });

  test("two entities of a scope never get one name", async () => {
    const { results } = await remember(services, [entityDraft("Ann"), entityDraft("Bob")]);
    const id = results[1]?.memoryId ?? "";
    const { structure } = entityDraft("ANN");
    await expect(update(services, id, { structure }, ["entity"])).rejects.toMatchObject({
      detail: { metadata: { field: "memory.entity.name" } },
    });
    await update(services, id, { structure: entityDraft("bob").structure }, ["entity"]);
  });
});

describe("as of then", () => {
  test("get and list give the states of a past time", async () => {
    const [id = ""] = await rememberTexts(services, ["lives in Rome"]);
    const first = services.nowMs();
    services.advance(1_000);
    await update(services, id, { text: "lives in Oslo" }, ["text"]);
    await rememberTexts(services, ["later"]);
    services.advance(1_000);
    expect((await get(services, id, first)).content.text).toBe("lives in Rome");
    expect((await get(services, id, first + 1_000)).content.text).toBe("lives in Oslo");
    expect(await texts({}, { asOfMs: first })).toEqual(["lives in Rome"]);
    expect(await texts({}, { asOfMs: first, order: "importance" })).toEqual(["lives in Rome"]);
    expect(await texts({ textContains: "oslo" }, { asOfMs: first })).toEqual([]);
    await expect(get(services, id, first - 1)).rejects.toMatchObject({
      reason: "MEMORY_NOT_FOUND",
    });
    await expect(get(services, id, services.nowMs() + 1)).rejects.toMatchObject({
      detail: { metadata: { field: "as_of_time" } },
    });
  });

  test("what was forgotten or ran out since is on no list", async () => {
    const [id = ""] = await rememberTexts(services, ["a", "b"]);
    const { results } = await remember(services, [memoryDraft({ text: "c", ttlMs: 60_000 })]);
    const then = services.nowMs();
    services.advance(1_000);
    // A state that would have run out does not hide a memory that lives on.
    const [longer = ""] = await rememberTexts(services, ["d"], { ttlMs: 60_000 });
    services.advance(1_000);
    const before = services.nowMs();
    services.advance(1_000);
    await update(services, longer, {}, ["ttl"]);
    await forget(services, [id]);
    expect(await texts({}, { asOfMs: then })).toEqual(["b", "c"]);
    services.advance(60_000);
    expect(await texts({}, { asOfMs: then })).toEqual(["b"]);
    expect(await texts({}, { asOfMs: before })).toEqual(["b", "d"]);
    await expect(get(services, results[0]?.memoryId ?? "", then)).rejects.toMatchObject({
      reason: "MEMORY_NOT_FOUND",
    });
  });
});

describe("list", () => {
  test("orders", async () => {
    const said = [
      { text: "a", importance: 0.2, confidence: 0.5, lastSeenMs: 3 },
      { text: "b", importance: 0.9, confidence: 0.5, lastSeenMs: 1 },
      { text: "c", importance: 0.2, confidence: 0.7, lastSeenMs: 3 },
    ];
    await remember(services, said.map(memoryDraft));
    const inOrder = async (
      order: "oldest" | "newest" | "importance" | "confidence" | "last-seen",
    ) => (await texts({}, { order, limit: 2 })).join("");
    expect(await inOrder("oldest")).toBe("abc");
    expect(await inOrder("newest")).toBe("cba");
    expect(await inOrder("importance")).toBe("bac");
    expect(await inOrder("confidence")).toBe("cab");
    expect(await inOrder("last-seen")).toBe("cab");
  });

  test("a page ends after the bytes that an answer may have", async () => {
    const long = Array.from({ length: 6 }, (_, at) => `${at}${"x".repeat(16_000)}`);
    const metadata = Buffer.from(JSON.stringify({ a: "y".repeat(16_000) }));
    for (let round = 0; round < 20; round++) {
      await rememberTexts(
        services,
        long.map((text) => `${round} ${text}`),
        { metadata },
      );
    }
    for (const order of ["oldest", "importance"] as const) {
      const page = await services.memories.listMemories(services.call("ListMemories"), {
        ...{ namespace: "default", filter: ANY_MEMORY, asOfMs: undefined, order, after: 0 },
        limit: 1_000,
      });
      expect(page.memories.length).toBeGreaterThan(80);
      expect(page.memories.length).toBeLessThan(100);
      expect(page.next).toBeDefined();
      expect(await texts({}, { order })).toHaveLength(120);
    }
  });

  test("filters metadata", async () => {
    const metadata = Buffer.from(JSON.stringify({ "a.b": 3 }));
    await remember(services, [memoryDraft({ text: "x", metadata }), memoryDraft({ text: "y" })]);
    const test = { kind: "range", min: 2 } as const;
    expect(await texts({ metadata: [{ path: "a.b", test }] })).toEqual(["x"]);
  });

  test("stops when nobody waits any more", async () => {
    await rememberTexts(services, ["a"]);
    const call = { ...services.call("ListMemories"), signal: AbortSignal.abort() };
    const input = { namespace: "default", filter: ANY_MEMORY, asOfMs: undefined, after: 0 };
    await expect(
      services.memories.listMemories(call, { ...input, order: "importance", limit: 1 }),
    ).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  });
});

describe("reinforce and decay", () => {
  test("all are reinforced or none", async () => {
    const [a = "", b = ""] = await rememberTexts(services, ["a", "b"], { confidence: 0.5 });
    await expect(reinforce([a, "none", b])).rejects.toMatchObject({ reason: "MEMORY_NOT_FOUND" });
    expect((await get(services, a)).strength.confidence).toBe(0.5);
    expect(await reinforce([a, "none", b], { allowMissing: true, requestId: "r" })).toBe(2);
    expect(await reinforce([a, "none", b], { allowMissing: true, requestId: "r" })).toBe(2);
    const memory = await get(services, a);
    expect(memory.strength).toMatchObject({ confidence: 0.6, mentionCount: 2 });
    expect(memory.version).toBe(1);
    expect(await reinforce(["none"], { allowMissing: true })).toBe(0);
  });

  test("decay lowers, deletes below the floor, spares persistent ones and what was just seen", async () => {
    await remember(services, [
      memoryDraft({ text: "weak", confidence: 0.2 }),
      memoryDraft({ text: "kept", confidence: 0.2, persistent: true }),
      memoryDraft({ text: "sure" }),
    ]);
    services.advance(10_000);
    await rememberTexts(services, ["fresh"]);
    const { decayedCount, deletedIds, next } = await decay({
      ...{ factor: 0.5, deleteBelow: 0.2, unseenForMs: 10_000 },
    });
    expect(decayedCount).toBe(2);
    expect(deletedIds).toHaveLength(1);
    expect(next).toBeUndefined();
    const left = await listAll(services);
    expect(left.map(({ content, strength }) => [content.text, strength.confidence])).toEqual([
      ["kept", 0.1],
      ["sure", 0.5],
      ["fresh", 1],
    ]);
    expect(left[1]?.version).toBe(1);
    const details = (await services.allEvents()).slice(-2).map(({ detail }) => detail);
    expect(details).toMatchObject([
      { type: EVENT_TYPE.memoriesDecayed },
      { type: EVENT_TYPE.memoriesDeleted, reason: "decayed", memoryIds: deletedIds },
    ]);
  });

  test("many decay once each, however they change between the calls", async () => {
    for (let round = 0; round < 5; round++) {
      const some = Array.from({ length: 250 }, (_, at) => `${round} ${at}`);
      await rememberTexts(services, some);
    }
    const first = await decay({ factor: 0.5 });
    expect(first).toMatchObject({ decayedCount: 1_000, next: 1_000 });
    const [early] = await listAll(services);
    await reinforce([early?.memoryId ?? ""]);
    const second = await decay({ factor: 0.5, after: first.next ?? 0 });
    expect(second.decayedCount).toBe(250);
    const [strong, ...others] = await listAll(services);
    expect(strong?.strength.confidence).toBe(0.6);
    expect(others.every(({ strength }) => strength.confidence === 0.5)).toBe(true);
  }, 60_000);
});

describe("forget and purge", () => {
  test("what is forgotten is gone with its states, and missing ids are passed over", async () => {
    const [a = "", b = ""] = await rememberTexts(services, ["a", "b"]);
    await update(services, a, { text: "aa" }, ["text"]);
    expect(await forget(services, [a, "none"])).toBe(1);
    expect(await forget(services, [a])).toBe(0);
    await expect(revisionsOf(a)).rejects.toMatchObject({ reason: "MEMORY_NOT_FOUND" });
    await expect(forget(services, [b], "r0")).rejects.toMatchObject({ reason: "ETAG_MISMATCH" });
    expect(await texts()).toEqual(["b"]);
  });

  test("a dry run counts and names the first, force forgets them in one transaction", async () => {
    const ids = await rememberTexts(services, ["a1", "a2", "b"]);
    const dry = await purge({ textContains: "a" }, false);
    expect(dry).toEqual({
      ...{ memoryCount: 2, sampleIds: ids.slice(0, 2), more: false, revision: 0 },
    });
    expect(await texts()).toHaveLength(3);
    const done = await purge({ textContains: "a" }, true);
    expect(done).toMatchObject({ memoryCount: 2, sampleIds: [], more: false });
    expect(done.revision).toBeGreaterThan(0);
    expect(await texts()).toEqual(["b"]);
    expect(await purge({ textContains: "a" }, true)).toMatchObject({ memoryCount: 0, revision: 0 });
  });

  test("more than one call forgets are left to the next", async () => {
    for (let round = 0; round < 5; round++) {
      await rememberTexts(
        services,
        Array.from({ length: 201 }, (_, at) => `${round} ${at}`),
      );
    }
    expect(await purge({}, false)).toMatchObject({ memoryCount: 1_005, more: false });
    expect((await purge({}, false)).sampleIds).toHaveLength(100);
    expect(await purge({}, true)).toMatchObject({ memoryCount: 1_000, more: true });
    expect(await purge({}, true)).toMatchObject({ memoryCount: 5, more: false });
  }, 60_000);
});

describe("revisions", () => {
  test("every state is kept, pages go down, and a restore brings one back", async () => {
    const [id = ""] = await rememberTexts(services, ["one"]);
    for (const text of ["two", "three"]) await update(services, id, { text }, ["text"]);
    expect(textsOf(await revisionsOf(id))).toEqual(["three", "two", "one"]);
    expect(textsOf(await revisionsOf(id, 3, 1))).toEqual(["two"]);
    await restore(id, 1);
    const memory = await get(services, id);
    expect(memory).toMatchObject({ version: 4, reason: "back", content: { text: "one" } });
    expect(textsOf(await revisionsOf(id))).toEqual(["one", "three", "two", "one"]);
    await expect(restore(id, 9)).rejects.toMatchObject({ reason: "MEMORY_VERSION_NOT_FOUND" });
    await expect(restore(id, 1, "r0")).rejects.toMatchObject({ reason: "ETAG_MISMATCH" });
    await expect(restore("none", 1)).rejects.toMatchObject({ reason: "MEMORY_NOT_FOUND" });
  });

  test("what takes the place of a key's memories takes that of all, however many", async () => {
    const texts = Array.from({ length: 70 }, (_, index) => `city ${index}`);
    const ids = await rememberTexts(services, texts, { key: "city" });
    const newest = [memoryDraft({ text: "Oslo", key: "city" })];
    const conflict = { mode: "supersede", hook: "", singleObject: false } as const;
    const { results } = await remember(services, newest, { conflict });
    expect(results[0]?.supersededIds).toEqual(ids);
  });

  test("a superseded memory is active again after a restore", async () => {
    const conflict = { mode: "supersede", hook: "", singleObject: false } as const;
    const [rome = ""] = await rememberTexts(services, ["Rome"], { key: "city" });
    const { results } = await remember(services, [memoryDraft({ text: "Oslo", key: "city" })], {
      conflict,
    });
    expect(results[0]?.supersededIds).toEqual([rome]);
    expect(await texts()).toEqual(["Oslo"]);
    await restore(rome, 1);
    expect((await get(services, rome)).supersededBy).toBe("");
    expect(await texts()).toEqual(["Rome", "Oslo"]);
  });
});

describe("merge of entities", () => {
  test("takes in names, attributes and mentions, and forgets the others", async () => {
    const { results } = await remember(services, [
      entityDraft("Robert", ["Rob"]),
      entityDraft("Bob", ["Bobby"]),
    ]);
    const [target = "", source = ""] = results.map(({ memoryId }) => memoryId);
    await merge(target, [source]);
    const memory = await get(services, target);
    expect(memory.content.structure).toMatchObject({
      entity: { name: "Robert", aliases: ["Rob", "Bob", "Bobby"] },
    });
    expect(memory.strength.mentionCount).toBe(2);
    await expect(get(services, source)).rejects.toMatchObject({ reason: "MEMORY_NOT_FOUND" });
    // Facts about Bob are now about Robert.
    const again = await remember(services, [entityDraft("bob")]);
    expect(again.results[0]?.memoryId).toBe(target);
    const details = (await services.allEvents()).map(({ detail }) => detail);
    expect(details).toContainEqual({
      type: EVENT_TYPE.memoriesDeleted,
      memoryIds: [source],
      reason: "merged",
    });
  });

  test("refuses other kinds, other scopes, and what is not there", async () => {
    const { results } = await remember(services, [
      entityDraft("a"),
      entityDraft("b", [], { scope: "u2" }),
      memoryDraft({ text: "c" }),
    ]);
    const [a = "", b = "", c = ""] = results.map(({ memoryId }) => memoryId);
    for (const source of [a, b, c]) {
      await expect(merge(a, [source])).rejects.toMatchObject({ reason: "REQUEST_INVALID" });
    }
    await expect(merge(c, [a])).rejects.toMatchObject({ reason: "REQUEST_INVALID" });
    await expect(merge(a, ["none"])).rejects.toMatchObject({ reason: "MEMORY_NOT_FOUND" });
    expect(await listAll(services)).toHaveLength(3);
  });
});

test("memories past their ttl do not exist for any call", async () => {
  const [id = ""] = await rememberTexts(services, ["a"], { ttlMs: 1_000 });
  const { etagRevision } = await get(services, id);
  services.advance(1_000);
  expect(await texts()).toEqual([]);
  expect(await texts({}, { order: "importance" })).toEqual([]);
  expect(await forget(services, [id])).toBe(0);
  expect(await decay({})).toMatchObject({ decayedCount: 0, revision: 0 });
  expect(await purge({}, true)).toMatchObject({ memoryCount: 0 });
  const gone = { reason: "MEMORY_NOT_FOUND" };
  await expect(get(services, id)).rejects.toMatchObject(gone);
  await expect(reinforce([id])).rejects.toMatchObject(gone);
  await expect(revisionsOf(id)).rejects.toMatchObject(gone);
  await expect(restore(id, 1)).rejects.toMatchObject(gone);
  const draft = { text: "b", etag: etagOf(etagRevision) };
  await expect(update(services, id, draft, ["text"])).rejects.toMatchObject(gone);
  // The id is free again.
  const { results } = await remember(services, [memoryDraft({ memoryId: id, text: "new" })]);
  expect(results[0]).toMatchObject({ memoryId: id, outcome: "created" });
});
