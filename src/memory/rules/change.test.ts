import { describe, expect, test } from "vitest";
import { memoryOf, stampOf } from "../../../test/support/memory/lookup.ts";
import { LIMITS } from "../../kit/limits.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import {
  decay,
  joinedSources,
  mergeEntities,
  reinforce,
  restoreRevision,
  supersede,
  unitedSources,
  updateMemory,
} from "./change.ts";
import { confidenceLabel, type Memory, type MemorySource } from "./memory.ts";

const stamp = { ...stampOf(7, 5_000), reason: "because" };
const LAST_MS = 253_402_300_799_999;

describe("a new state", () => {
  const memory = memoryOf({ text: "I like tea", topics: ["drinks"], validFromMs: 10 });

  test("has the next number, its writer, its reason and its time", () => {
    const next = updateMemory(memory, { text: "I like coffee" }, stamp);
    expect(next).toEqual({
      ...memory,
      content: { ...memory.content, text: "I like coffee" },
      ...{ version: 2, writer: "test", reason: "because" },
      ...{ updateMs: 5_000, etagRevision: 7 },
    });
  });

  test("is never older than the one before", () => {
    const later = { ...memory, updateMs: 6_000 };
    expect(updateMemory(later, {}, stamp).updateMs).toBe(6_000);
  });

  test("takes what is there, and what is there to be cleared", () => {
    const next = updateMemory(
      memory,
      { validFromMs: undefined, confidence: 0.2, persistent: true, ttlMs: 5, lastSeenMs: 3 },
      stamp,
    );
    expect(next.content).toEqual({ ...memory.content, validFromMs: undefined });
    expect(next.strength).toEqual({ ...memory.strength, confidence: 0.2, lastSeenMs: 3 });
    expect(next).toMatchObject({ persistent: true, ttlMs: 5 });
  });

  test("does not end before it begins", () => {
    expect(() => updateMemory(memory, { validToMs: 10 }, stamp)).toThrow(
      /memory\.valid_until_time/,
    );
    expect(updateMemory(memory, { validToMs: 11 }, stamp).content.validToMs).toBe(11);
  });

  test("is refused after as many as there may be", () => {
    const old = { ...memory, version: LIMITS.memoryRevisions };
    expect(() => updateMemory(old, {}, stamp)).toThrow(/1000 states/);
    const last = { ...memory, version: LIMITS.memoryRevisions - 1 };
    expect(updateMemory(last, {}, stamp).version).toBe(LIMITS.memoryRevisions);
  });

  test("keeps a text that was made in step with its structure", () => {
    const relationOf = (object: string) => ({
      kind: "relation" as const,
      relation: { subject: "Ann", predicate: "likes", object },
    });
    const made = memoryOf({ structure: relationOf("tea") });
    expect(updateMemory(made, { structure: relationOf("rum") }, stamp).content.text).toBe(
      "Ann likes rum",
    );
    const written = memoryOf({ structure: relationOf("tea"), text: "Ann loves tea" });
    const changed = updateMemory(written, { structure: relationOf("rum") }, stamp);
    expect(changed.content.text).toBe("Ann loves tea");
    expect(updateMemory(written, { text: "" }, stamp).content.text).toBe("Ann likes tea");
  });
});

describe("strength", () => {
  test("decays by a factor and rises by a tenth, as far as 1", () => {
    let memory = memoryOf({ text: "x" });
    const seen: number[] = [];
    for (const factor of [0.8, 0.5]) {
      memory = decay(memory, factor, stamp);
      seen.push(memory.strength.confidence);
    }
    for (let i = 0; i < 6; i++) {
      memory = reinforce(memory, 0.1, stamp);
      seen.push(memory.strength.confidence);
    }
    expect(seen).toEqual([0.8, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    expect(reinforce(memory, 0.1, stamp).strength.confidence).toBe(1);
    expect(confidenceLabel(seen[5] ?? 0)).toBe("high");
  });

  test("changes without a new state", () => {
    const memory = memoryOf({ text: "x", confidence: 0.5, lastSeenMs: 3 });
    expect(reinforce(memory, 0.2, stamp)).toEqual({
      ...memory,
      strength: { confidence: 0.7, mentionCount: 2, lastSeenMs: 5_000, decayMs: 0 },
      etagRevision: 7,
    });
    expect(decay(memory, 0.5, stamp)).toEqual({
      ...memory,
      strength: { confidence: 0.25, mentionCount: 1, lastSeenMs: 3, decayMs: 5_000 },
      etagRevision: 7,
    });
  });

  test("tells of no time before the last", () => {
    const memory = memoryOf({ text: "x", lastSeenMs: 9_000 });
    expect(reinforce(memory, 0.1, stamp).strength.lastSeenMs).toBe(9_000);
  });
});

describe("a superseded memory", () => {
  const end = (validFromMs?: number, validToMs?: number, atMs = 50): number | undefined =>
    supersede(memoryOf({ text: "x", validFromMs, validToMs }), "other", atMs, stamp).content
      .validToMs;

  test("names what took its place", () => {
    expect(supersede(memoryOf({ text: "x" }), "other", 50, stamp)).toMatchObject({
      ...{ state: "superseded", supersededBy: "other", version: 2 },
    });
  });

  test("ends then, unless it ended before, and always after it begins", () => {
    expect(end()).toBe(50);
    expect(end(10)).toBe(50);
    expect(end(10, 40)).toBe(40);
    expect(end(10, 70)).toBe(50);
    expect(end(80, 90)).toBe(81);
    expect(end(50)).toBe(51);
    expect(end(80)).toBe(81);
    expect(end(LAST_MS)).toBeUndefined();
  });
});

test("a former state comes back as a new one that is active", () => {
  const first = memoryOf({ text: "old", key: "k", trust: TRUST.low, validFromMs: 1 });
  const second = updateMemory(first, { text: "new", key: "", confidence: 0.1 }, stamp);
  const third = supersede({ ...second, trust: TRUST.medium }, "other", 9, stamp);
  expect(restoreRevision(third, first, stamp)).toEqual({
    ...third,
    ...{ content: first.content, trust: TRUST.low, state: "active", supersededBy: "" },
    version: 4,
  });
});

describe("sources", () => {
  const source = (sessionId: string, ...messageIds: string[]): MemorySource => ({
    ...{ origin: "caller", sessionId, messageIds, hook: "", model: "" },
  });

  test("of one session unite, the newest stay", () => {
    const other: MemorySource = { ...source("s", "b", "c"), origin: "promotion" };
    expect(unitedSources(source("s", "a", "b"), other)).toEqual(source("s", "a", "b", "c"));
    const many = Array.from({ length: LIMITS.memorySourceMessages }, (_, i) => `m${i}`);
    const united = unitedSources(source("s", ...many), source("s", "new")).messageIds;
    expect(united).toHaveLength(LIMITS.memorySourceMessages);
    expect([united[0], united.at(-1)]).toEqual(["m1", "new"]);
  });

  test("of another session are left out, as ids name messages of one session", () => {
    expect(unitedSources(source("s", "a"), source("t", "b"))).toEqual(source("s", "a"));
    expect(unitedSources(source(""), source("t", "b"))).toEqual(source("t", "b"));
    expect(unitedSources(source("s", "a"), source(""))).toEqual(source("s", "a"));
  });

  const owned = (userId: string, one: MemorySource): MemorySource => ({
    ...one,
    owner: { userId, agentId: "" },
  });
  const placeOf = ({ sessionId, messageIds, owner }: MemorySource) => ({
    ...{ sessionId, messageIds },
    ...(owner === undefined ? {} : { owner }),
  });

  test("of another session are kept when content is taken in", () => {
    const [first, second] = [owned("v", source("s", "a")), owned("u", source("t", "a"))];
    const joined = joinedSources(first, second);
    expect(joined).toEqual({ ...first, further: [placeOf(second)] });
    const more = joinedSources(joined, owned("u", source("t", "b")));
    expect(more.further).toEqual([{ ...placeOf(second), messageIds: ["a", "b"] }]);
    expect(joinedSources(source("r"), joined).further).toEqual([placeOf(second), placeOf(first)]);
    expect(joinedSources(first, source("")).further).toBeUndefined();
    expect(joinedSources(source(""), second)).toEqual(second);
  });

  test("of a session id that another owner has now are kept apart", () => {
    const [first, second] = [owned("v", source("s", "a")), owned("u", source("s", "b"))];
    expect(joinedSources(first, second)).toEqual({ ...first, further: [placeOf(second)] });
    const unknown = source("s", "c");
    expect(joinedSources(first, unknown).further).toEqual([placeOf(unknown)]);
    expect(joinedSources(unknown, first).further).toEqual([placeOf(unknown)]);
  });

  test("that are said again elsewhere after their messages went stay known", () => {
    const gone = { ...owned("v", source("s")), erasedMs: 5 };
    const again = unitedSources(gone, owned("u", source("t", "b")));
    expect(again).toMatchObject({ sessionId: "t", messageIds: ["b"], owner: { userId: "u" } });
    expect(again.further).toEqual([placeOf(owned("v", source("s")))]);
    expect(again.erasedMs).toBeUndefined();
  });

  test("are found, or said to be missing, however many there are", () => {
    const { memoryFurtherMessages, memoryFurtherSources, memorySourceMessages } = LIMITS;
    const many = memoryFurtherSources + 3;
    let joined = owned("v", source("s", "a"));
    for (let i = 0; i < many; i++) joined = joinedSources(joined, owned("u", source(`t${i}`, "a")));
    const [past, ...named] = joined.further ?? [];
    expect(past).toEqual({ ...placeOf(owned("u", source(""))), isCut: true });
    expect(named.map(({ sessionId }) => sessionId)).toEqual(
      Array.from({ length: memoryFurtherSources }, (_, i) => `t${i + 3}`),
    );
    let owners = source("s", "a");
    for (let i = 0; i < 3 * memoryFurtherSources; i++) {
      owners = joinedSources(owners, owned(`u${i}`, source(`t${i}`, "a")));
    }
    expect(owners.further?.[0]).toEqual({ ...placeOf(source("")), isCut: true });
    expect(owners.further?.length).toBeLessThanOrEqual(2 * memoryFurtherSources);
    let messages = source("s");
    const all = memorySourceMessages + memoryFurtherMessages + 1;
    for (let i = 0; i < all; i++) messages = joinedSources(messages, source("s", `m${i}`));
    expect(messages.messageIds.at(-1)).toBe(`m${all - 1}`);
    const [rest] = messages.further ?? [];
    expect(rest).toMatchObject({ sessionId: "s", isCut: true });
    expect([rest?.messageIds[0], rest?.messageIds.length]).toEqual(["m1", memoryFurtherMessages]);
  });
});

describe("merged entities", () => {
  const entityOf = (
    name: string,
    attributes: Record<string, string>,
    aliases: string[] = [],
  ): Memory =>
    memoryOf({
      structure: {
        kind: "entity",
        entity: { name, type: "person", aliases, attributes: new Map(Object.entries(attributes)) },
      },
    });

  test("have all names, and of attributes what the target lacked", () => {
    const target = entityOf("Robert", { city: "Rome" }, ["Rob"]);
    const source = {
      ...entityOf("Bob", { city: "Oslo", role: "CTO" }, ["robert", "Bobby"]),
      trust: TRUST.low,
      strength: { confidence: 1, mentionCount: 4, lastSeenMs: 99, decayMs: 0 },
    };
    const merged = mergeEntities(target, [source], stamp);
    expect(merged.content.structure).toEqual({
      kind: "entity",
      entity: {
        ...{ name: "Robert", type: "person", aliases: ["Rob", "Bob", "Bobby"] },
        attributes: new Map([
          ["city", "Rome"],
          ["role", "CTO"],
        ]),
      },
    });
    expect(merged.content.text).toBe("Robert [person] (city: Rome, role: CTO)");
    expect(merged.strength).toMatchObject({ mentionCount: 5, lastSeenMs: 99 });
    expect(merged).toMatchObject({ trust: TRUST.low, version: 2 });
  });

  const values = (from: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${from}${i}`, "x"]));

  test("have no more attributes than one may have", () => {
    const target = entityOf("T", values("t", 60), []);
    const merged = mergeEntities(target, [entityOf("S", values("s", 60), [])], stamp);
    const { structure } = merged.content;
    if (structure?.kind !== "entity") throw new Error("It is no entity.");
    expect(structure.entity.attributes.size).toBe(LIMITS.entityAttributes);
  });

  test("are refused where names would be lost", () => {
    const target = entityOf("T", {}, Object.keys(values("a", 60)));
    const source = (count: number) => entityOf("S", {}, Object.keys(values("b", count)));
    const most = mergeEntities(target, [source(3)], stamp).content.structure;
    expect(most).toMatchObject({ entity: { aliases: { length: LIMITS.entityAliases } } });
    expect(() => mergeEntities(target, [source(4)], stamp)).toThrow(/more than 64 other names/u);
  });
});
