// Memories in recall, through the contract against the real service: when they are found and when
// not, what filters say of them, and what they do for messages and for one another.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ConflictMode,
  ConflictRule,
  type Memory,
  MemoryKind,
} from "../../src/gen/memorysidecar/v1/memory.ts";
import {
  type RecallFilter,
  type RecallHit,
  RecallKind,
  RecallMode,
  RecallWeights,
  ScoreFeature,
} from "../../src/gen/memorysidecar/v1/recall.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import {
  EVERYONE,
  entity,
  exactly,
  memory,
  memorySource,
  message,
  ownedBy,
  recallFilter,
  relation,
  session,
  visibleTo,
} from "../support/contract/samples.ts";
import { struct } from "../support/kit/structs.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const NOTHING = new Uint8Array(0);
const SUPERSEDE: ConflictRule = {
  ...ConflictRule.decode(NOTHING),
  mode: ConflictMode.SUPERSEDE,
};
const at = (iso: string) => ({ seconds: BigInt(Date.parse(iso) / 1_000), nanos: 0 });

async function remember(
  namespace: string,
  memories: readonly Memory[],
  fields: Partial<RequestOf<"remember">> = {},
) {
  return await server.client.call("remember", { namespace, memories: [...memories], ...fields });
}

async function recall(fields: Partial<RequestOf<"recall">>) {
  return await server.client.call("recall", fields);
}

function idOf({ record }: RecallHit): string {
  if (record?.$case === "memory") return record.value.memoryId;
  return record?.$case === "message" ? (record.value.message?.messageId ?? "") : "";
}

/** The ids of what is found, in the order of the alphabet. */
async function found(
  namespace: string,
  query: string,
  filter: Partial<RecallFilter> = {},
): Promise<string[]> {
  const { hits } = await recall({ namespace, query, filter: recallFilter(filter) });
  return hits.map(idOf).sort();
}

function partOf(hit: RecallHit | undefined, feature: ScoreFeature): number {
  return hit?.parts.find((part) => part.feature === feature)?.value ?? 0;
}

const fact = (memoryId: string, text: string, fields: Partial<Memory> = {}) =>
  memory({ memoryId, text, ...fields });

describe("a memory", () => {
  test("is found at once, with what it says, and never again once it is forgotten", async () => {
    const namespace = "at-once";
    expect(await found(namespace, "violin")).toEqual([]);
    await remember(namespace, [fact("m1", "Ann plays the violin.", { userId: "ann" })]);
    const filter = recallFilter({ scope: visibleTo({ userId: "ann" }) });
    expect((await recall({ namespace, query: "violin" })).hits).toEqual([]);
    const { hits } = await recall({ namespace, query: "violin", filter });
    expect(hits).toHaveLength(1);
    expect(hits[0]?.record).toMatchObject({
      $case: "memory",
      value: { memoryId: "m1", text: "Ann plays the violin.", userId: "ann" },
    });
    expect(hits[0]?.passage).toBe("Ann plays the violin.");
    await remember(namespace, [fact("m2", "The violin is from 1890.")]);
    expect(await found(namespace, "violin", filter)).toEqual(["m1", "m2"]);
    await server.client.call("forgetMemories", { namespace, memoryIds: ["m1"] });
    expect(await found(namespace, "violin", filter)).toEqual(["m2"]);
  });

  test("is found by its topics, names and attributes as well as by its text", async () => {
    const namespace = "by-words";
    const attributes = new Map([["country", "Peru"]]);
    const cusco = entity("Cusco", { type: "location", aliases: ["Qosqo"], attributes });
    await remember(namespace, [
      { ...cusco, memoryId: "city", text: "An old place high up." },
      fact("dance", "She goes every week.", { topics: ["tango"] }),
    ]);
    for (const [query, id] of [
      ["Peru", "city"],
      ["Qosqo", "city"],
      ["tango", "dance"],
    ] as const) {
      const { hits } = await recall({ namespace, query, mode: RecallMode.LEXICAL });
      expect(hits.map(idOf), query).toEqual([id]);
      expect(hits[0]?.passage, query).not.toContain(query);
    }
  });

  test("is found as it is after a change", async () => {
    const namespace = "changed";
    await remember(namespace, [fact("m", "The meeting is on the third floor.")]);
    expect(await found(namespace, "meeting")).toEqual(["m"]);
    const changed = fact("m", "The gathering was moved to the garden.");
    await server.client.call("updateMemory", {
      namespace,
      memory: changed,
      updateMask: ["text"],
    });
    const lexical = { namespace, mode: RecallMode.LEXICAL };
    expect((await recall({ ...lexical, query: "third floor" })).hits).toEqual([]);
    expect((await recall({ ...lexical, query: "garden" })).hits.map(idOf)).toEqual(["m"]);
  });

  test("that is on a page to come is not on it when it was forgotten meanwhile", async () => {
    const namespace = "pages";
    const many = Array.from({ length: 9 }, (_, index) =>
      fact(`m${index}`, `Recipe number ${index} needs saffron.`),
    );
    await remember(namespace, many);
    const first = await recall({ namespace, query: "saffron", pageSize: 3 });
    expect(first.hits).toHaveLength(3);
    const seen = new Set(first.hits.map(idOf));
    const gone = many.map(({ memoryId }) => memoryId).filter((id) => !seen.has(id));
    const doomed = gone.slice(0, 4);
    await server.client.call("forgetMemories", { namespace, memoryIds: doomed });
    let pageToken = first.nextPageToken;
    while (pageToken !== "") {
      const page = await recall({ namespace, query: "saffron", pageSize: 3, pageToken });
      for (const hit of page.hits) seen.add(idOf(hit));
      pageToken = page.nextPageToken;
    }
    expect(doomed.filter((id) => seen.has(id))).toEqual([]);
  });
});

describe("what holds no more", () => {
  test("is left out, and found when it is asked for", async () => {
    const namespace = "past";
    const home = (memoryId: string, text: string, fields: Partial<Memory> = {}) =>
      fact(memoryId, text, { key: "home_city", ...fields });
    await remember(namespace, [
      home("old", "Ben lives in Oslo.", { validFromTime: at("2020-01-01") }),
    ]);
    await remember(
      namespace,
      [home("new", "Ben lives in Rome.", { validFromTime: at("2023-06-01") })],
      { conflict: SUPERSEDE },
    );
    const query = "Where does Ben live?";
    expect(await found(namespace, query)).toEqual(["new"]);
    expect(await found(namespace, query, { includeSuperseded: true })).toEqual(["new", "old"]);
    expect(await found(namespace, query, { validAtTime: at("2021-05-05") })).toEqual(["old"]);
    expect(await found(namespace, query, { validAtTime: at("2024-05-05") })).toEqual(["new"]);
    expect(await found(namespace, query, { validAtTime: at("2019-05-05") })).toEqual([]);
  });

  test("is told by the time of the request", async () => {
    const namespace = "now";
    const times = { validFromTime: at("2024-01-01"), validUntilTime: at("2024-02-01") };
    await remember(namespace, [fact("m", "Cid is on holiday.", times)]);
    expect(await found(namespace, "holiday")).toEqual([]);
    const january = { namespace, query: "holiday", referenceTime: at("2024-01-15") };
    expect((await recall(january)).hits.map(idOf)).toEqual(["m"]);
  });

  test("is never found when its time has run out", async () => {
    const namespace = "expired";
    const ttl = { seconds: 4n, nanos: 0 };
    await remember(namespace, [fact("short", "The code is 4711.", { ttl })]);
    await remember(namespace, [fact("long", "The code of the other door is 4712.")]);
    expect(await found(namespace, "code")).toEqual(["long", "short"]);
    await new Promise((resolve) => setTimeout(resolve, 4_100));
    for (const filter of [{}, { includeSuperseded: true }, { validAtTime: at("2100-01-01") }]) {
      expect(await found(namespace, "code", filter)).toEqual(["long"]);
    }
  });
});

describe("a filter", () => {
  test("knows whose a memory is", async () => {
    const namespace = "scopes";
    await remember(namespace, [
      fact("ann", "Likes green tea.", { userId: "ann" }),
      fact("ann-a", "Likes black tea.", { userId: "ann", agentId: "a" }),
      fact("bob", "Likes mint tea.", { userId: "bob" }),
      fact("all", "Tea is served at five."),
      fact("a", "This agent recommends tea.", { agentId: "a" }),
    ]);
    const ann = { userId: "ann" };
    const ask = (scope: RecallFilter["scope"]) => found(namespace, "tea", { scope });
    expect(await ask(ownedBy(ann))).toEqual(["ann", "ann-a"]);
    expect(await ask(visibleTo(ann))).toEqual(["all", "ann"]);
    expect(await ask(ownedBy({ ...ann, agentId: "a" }))).toEqual(["ann-a"]);
    expect(await ask(visibleTo({ ...ann, agentId: "a" }))).toEqual(["a", "all", "ann", "ann-a"]);
    expect(await ask(exactly(ann))).toEqual(["ann"]);
    expect(await ask(ownedBy({ userId: "nobody" }))).toEqual([]);
    expect(await ask(visibleTo({ userId: "nobody" }))).toEqual(["all"]);
    expect(await ask(undefined)).toEqual(["all"]);
    expect(await ask(EVERYONE)).toEqual(["a", "all", "ann", "ann-a", "bob"]);
  });

  test("knows kinds, categories, confidence, labels and metadata", async () => {
    const namespace = "filters";
    await remember(namespace, [
      fact("sure", "Rain is likely on Monday.", { confidence: 0.9, category: "Weather" }),
      fact("unsure", "Rain is likely on Sunday.", { confidence: 0.2 }),
      fact("taste", "Rain is what she likes best.", { kind: MemoryKind.PREFERENCE }),
      fact("labeled", "Rain fell in May.", { labels: new Map([["src", "log"]]) }),
      fact("counted", "Rain fell in June.", { metadata: struct({ mm: 12 }) }),
    ]);
    const ask = (filter: Partial<RecallFilter>) => found(namespace, "rain", filter);
    expect(await ask({ categories: ["weather"] })).toEqual(["sure"]);
    expect(await ask({ memoryKinds: [MemoryKind.PREFERENCE] })).toEqual(["taste"]);
    expect(await ask({ minConfidence: 0.5 })).not.toContain("unsure");
    expect(await ask({ labels: new Map([["src", "log"]]) })).toEqual(["labeled"]);
    const range = { min: 10 };
    const test = { $case: "range", value: range } as const;
    expect(await ask({ metadata: [{ path: "mm", test }] })).toEqual(["counted"]);
    expect(await ask({ kinds: [RecallKind.MESSAGE] })).toEqual([]);
    expect(await ask({ sessionIds: ["s"] })).toEqual([]);
  });
});

describe("facts", () => {
  test("lift the message that says them, also one without a word of the query", async () => {
    const namespace = "facts";
    const texts = ["Good morning!", "It was the blue one, as always.", "See you on Friday."];
    const messages = texts.map((text, index) => message({ messageId: `c${index}`, text }));
    await server.client.call("appendMessages", {
      ...{ namespace, sessionId: "s", createSession: true, messages },
    });
    const query = "Which bicycle does Dora ride?";
    const order = async (weights?: Partial<RecallWeights>) =>
      await recall({
        ...{ namespace, query, filter: recallFilter({ kinds: [RecallKind.MESSAGE] }) },
        ...(weights && { weights: { ...RecallWeights.decode(NOTHING), ...weights } }),
      });
    for (const hit of (await order()).hits) expect(partOf(hit, ScoreFeature.FACTS)).toBe(0);
    await remember(namespace, [
      fact("bike", "Dora rides a blue bicycle.", {
        source: memorySource({ sessionId: "s", messageIds: ["c1"] }),
      }),
    ]);
    const lifted = (await order()).hits.find((hit) => idOf(hit) === "c1");
    expect(partOf(lifted, ScoreFeature.FACTS)).toBe(1);
    const { hits } = await order({ facts: 5 });
    expect(hits.map(idOf)[0]).toBe("c1");
    for (const hit of (await order({ facts: 0 })).hits) {
      expect(partOf(hit, ScoreFeature.FACTS)).toBe(0);
    }
    await server.client.call("forgetMemories", { namespace, memoryIds: ["bike"] });
    for (const hit of (await order()).hits) expect(partOf(hit, ScoreFeature.FACTS)).toBe(0);
  });

  test("of another user lift nothing where a user is named", async () => {
    const namespace = "facts-users";
    for (const user of ["eve", "fay"]) {
      await server.client.call("createSession", {
        ...{ namespace, session: session({ sessionId: user, userId: user }) },
      });
      const said = message({ messageId: `${user}-1`, text: "The usual, please." });
      await server.client.call("appendMessages", {
        ...{ namespace, sessionId: user, messages: [said] },
      });
    }
    await remember(namespace, [
      fact("coffee", "Orders a cortado.", {
        userId: "fay",
        source: memorySource({ sessionId: "eve", messageIds: ["eve-1"] }),
      }),
    ]);
    const ask = async (userId: string) =>
      (
        await recall({
          namespace,
          query: "cortado",
          filter: recallFilter({ scope: ownedBy({ userId }) }),
        })
      ).hits;
    for (const hit of await ask("eve")) expect(partOf(hit, ScoreFeature.FACTS)).toBe(0);
    expect((await ask("fay")).map(idOf)).toContain("coffee");
  });
});

describe("entities", () => {
  test("that the query names are found with what is related to them", async () => {
    const namespace = "entities";
    await remember(namespace, [
      entity("Grace Hopper", { type: "person", aliases: ["Amazing Grace"] }),
      { ...relation("Grace Hopper", "works_at", "Navy"), memoryId: "works" },
      { ...entity("Navy", { type: "organization" }), memoryId: "navy" },
      { ...relation("Navy", "based_in", "Norfolk"), memoryId: "based" },
      { ...relation("Norfolk", "has", "harbor"), memoryId: "far" },
      fact("about", "Wrote the first compiler.", { topics: ["Grace Hopper"] }),
      fact("other", "The harbor is closed."),
    ]);
    const { hits } = await recall({ namespace, query: "Who was Amazing Grace?", pageSize: 20 });
    const values = new Map(hits.map((hit) => [idOf(hit), partOf(hit, ScoreFeature.ENTITIES)]));
    expect(values.get("works")).toBe(1);
    expect(values.get("about")).toBe(1);
    expect(values.get("navy")).toBe(0.5);
    expect(values.get("based")).toBe(0.5);
    expect(values.get("far") ?? 0).toBe(0);
    expect(values.get("other") ?? 0).toBe(0);
  });
});

describe("groups and searches", () => {
  test("gather memories by their scope", async () => {
    const namespace = "groups";
    await remember(namespace, [
      fact("g1", "Owns a red kite.", { userId: "gus" }),
      fact("g2", "Flies the kite on Sundays.", { userId: "gus" }),
      fact("h1", "Saw a kite once.", { userId: "hal" }),
    ]);
    const groupBySession = { hitsPerSession: 3 };
    const filter = recallFilter({ scope: EVERYONE });
    const { hits, sessions } = await recall({ namespace, query: "kite", groupBySession, filter });
    expect(sessions.map(({ hitCount }) => hitCount).sort()).toEqual([1, 2]);
    for (const { sessionId, collectionId } of sessions) {
      expect([sessionId, collectionId]).toEqual(["", ""]);
    }
    expect(hits).toHaveLength(3);
  });

  test("are found of the users that a filter names", async () => {
    const namespace = "search";
    await remember(namespace, [
      fact("k1", "The key is under the mat."),
      fact("k2", "The key of the car is lost."),
      fact("k3", "The key of the shed is at Ida's.", { userId: "ida" }),
    ]);
    const search = async (filter: Partial<RecallFilter>) =>
      (await found(namespace, "key", { kinds: [RecallKind.MEMORY], ...filter })).toSorted();
    expect(await search({})).toEqual(["k1", "k2"]);
    expect(await search({ scope: visibleTo({ userId: "ida" }) })).toEqual(["k1", "k2", "k3"]);
    expect(await search({ scope: ownedBy({ userId: "ida" }) })).toEqual(["k3"]);
  });
});
