// Memories through the contract: searches by every scoring, relations by patterns and steps, and
// how important texts are.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DedupeRule, type Memory } from "../../src/gen/memorysidecar/v1/memory.ts";
import type { QueryRelationsResponse } from "../../src/gen/memorysidecar/v1/memory_service.ts";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { type RecallHit, RecallKind } from "../../src/gen/memorysidecar/v1/recall.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import {
  entity,
  episode,
  memory,
  memoryPolicy,
  message,
  promotion,
  recallFilter,
  relation,
  session,
} from "../support/contract/samples.ts";
import { struct } from "../support/kit/structs.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const fact = (text: string, fields: Partial<Memory> = {}) => memory({ text, ...fields });
const NONE: DedupeRule = { ...DedupeRule.decode(new Uint8Array(0)), mode: 3 };

async function remember(namespace: string, memories: readonly Memory[]) {
  const request = { namespace, memories: [...memories], dedupe: NONE };
  return await server.client.call("remember", request);
}

async function search(namespace: string, fields: Partial<RequestOf<"recall">>) {
  const filter = recallFilter({ kinds: [RecallKind.MEMORY] });
  const { hits } = await server.client.call("recall", { namespace, filter, ...fields });
  return hits.map(({ record, score }) => {
    return [record?.$case === "memory" ? record.value.text : undefined, score] as const;
  });
}

const textsOf = async (namespace: string, fields: Partial<RequestOf<"recall">>) =>
  (await search(namespace, fields)).map(([text]) => text);

const idOfMemory = ({ record }: RecallHit): string =>
  record?.$case === "memory" ? record.value.memoryId : "";

describe("a recall of memories", () => {
  beforeAll(async () => {
    await remember("search", [
      fact("Ann likes green tea", { importance: 0.8, confidence: 0.4, topics: ["drinks"] }),
      fact("Bob likes coffee", { importance: 0.6, confidence: 0.9, category: "tea" }),
      entity("Tea house"),
      { ...episode("green tea, please"), validFromTime: { seconds: 86_400n, nanos: 0 } },
    ]);
  });

  test("finds as recall does, at once", async () => {
    const found = await search("search", { query: "green tea" });
    const best = found.slice(0, 2).map(([text]) => text);
    expect(best.toSorted()).toEqual(["Ann likes green tea", "user: green tea, please"]);
    const scores = found.map(([, score]) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    await remember("search-late", [fact("otters swim")]);
    expect(await textsOf("search-late", { query: "otters" })).toEqual(["otters swim"]);
  });

  test("scores by the share of the words that are parts of the text", async () => {
    const overlap = { query: "green tea", scoring: "overlap" };
    const found = await search("search", overlap);
    expect(found.map(([text, score]) => [text, Number(score.toFixed(3))])).toEqual([
      ["Ann likes green tea", 0.8],
      ["Tea house [other]", 0.7],
      ["user: green tea, please", 0.55],
    ]);
    const young = recallFilter({ timeFrom: { seconds: 864_000n, nanos: 0 } });
    expect(await textsOf("search", { ...overlap, filter: young })).toHaveLength(2);
    expect(await textsOf("search", { ...overlap, minScore: 0.6 })).toHaveLength(2);
  });

  test("scores by how many words are parts of text or category", async () => {
    const counted = { scoring: "word_count" };
    const found = await textsOf("search", { ...counted, query: "coffee tea" });
    expect(found[0]).toBe("Bob likes coffee");
    expect((await textsOf("search", { ...counted, query: " " }))[0]).toBe("Ann likes green tea");
  });

  test("finds texts and topics that hold the whole query, the surest first", async () => {
    const whole = { scoring: "substring" };
    expect(await textsOf("search", { ...whole, query: "LIKES" })).toEqual([
      ...["Bob likes coffee", "Ann likes green tea"],
    ]);
    expect(await textsOf("search", { ...whole, query: "drinks" })).toEqual(["Ann likes green tea"]);
  });

  test("gives as many as asked for, of those that the filter leaves", async () => {
    const whole = { scoring: "substring" };
    expect(await textsOf("search", { ...whole, pageSize: 1 })).toHaveLength(1);
    const filter = recallFilter({ memoryKinds: [4] });
    expect(await textsOf("search", { ...whole, filter })).toEqual(["Tea house [other]"]);
    expect(await textsOf("search", { query: "tea", filter })).toEqual(["Tea house [other]"]);
    await remember(
      "ten",
      Array.from({ length: 12 }, (_, index) => fact(`tea ${index}`)),
    );
    expect(await textsOf("ten", { query: "tea" })).toHaveLength(LIMITS.recallHitsDefault);
  });

  test("gives page by page what would make one answer too large", async () => {
    const metadata = struct({ x: "y".repeat(16_000) });
    const wide = (index: number) => fact(`tea ${index} ${"z".repeat(16_000)}`, { metadata });
    for (const start of [0, 100]) {
      await remember(
        "wide",
        Array.from({ length: 100 }, (_, index) => wide(start + index)),
      );
    }
    const ask = { namespace: "wide", query: "tea", scoring: "substring", pageSize: 100 };
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await server.client.call("recall", { ...ask, pageToken });
      expect(page.hits.length * 32_000).toBeLessThan(LIMITS.pageBytes);
      seen.push(...page.hits.map(idOfMemory));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(new Set(seen).size).toBe(200);
    expect(seen).toHaveLength(200);
  });
});

describe("QueryRelations", () => {
  const find = async (fields: Partial<RequestOf<"queryRelations">>) => {
    const request = { namespace: "relations", ...fields };
    const { relations, truncated } = await server.client.call("queryRelations", request);
    const found = relations.map(({ memory: given, hop }) => `${hop} ${given?.text}`);
    return { found, truncated };
  };

  beforeAll(async () => {
    await remember("relations", [
      relation("Ann", "knows", "Bob"),
      relation("Bob", "works_at", "Acme"),
      relation("Acme", "based_in", "Bern"),
      relation("Cid", "likes", "Tea"),
      entity("Ann", { aliases: ["Annie"] }),
      fact("Ann is a fact"),
    ]);
  });

  test("gives what fits a pattern, whatever name and case it uses", async () => {
    const ann = { found: ["1 Ann knows Bob"], truncated: false };
    expect(await find({ subject: "ANN" })).toEqual(ann);
    expect(await find({ subject: "annie" })).toEqual(ann);
    expect(await find({ predicate: "KNOWS" })).toEqual(ann);
    expect((await find({ objectValue: "bern" })).found).toEqual(["1 Acme based_in Bern"]);
    expect((await find({ entity: "Bob" })).found).toEqual([
      "1 Ann knows Bob",
      "1 Bob works_at Acme",
    ]);
    expect((await find({ subject: "nobody" })).found).toEqual([]);
    expect((await find({ keywords: ["WORK", "tea"] })).found).toEqual([
      ...["1 Bob works_at Acme", "1 Cid likes Tea"],
    ]);
  });

  test("goes on by steps", async () => {
    expect((await find({ subject: "Ann", maxHops: 2 })).found).toEqual([
      ...["1 Ann knows Bob", "2 Bob works_at Acme"],
    ]);
    expect((await find({ subject: "Ann", maxHops: 3 })).found).toHaveLength(3);
  });

  /** All pages of a query. */
  const pagesOf = async (fields: Partial<RequestOf<"queryRelations">>) => {
    const pages: QueryRelationsResponse[] = [];
    let pageToken = "";
    do {
      pages.push(await server.client.call("queryRelations", { ...fields, pageToken }));
      pageToken = pages.at(-1)?.nextPageToken ?? "";
    } while (pageToken !== "");
    return pages;
  };
  const shownOn = (pages: readonly QueryRelationsResponse[]): string[] =>
    pages.flatMap(({ relations }) =>
      relations.map(({ memory: one, hop }) => `${hop} ${one?.text}`),
    );

  test("gives all in pages, also over steps, each once", async () => {
    for (const fields of [{}, { subject: "Ann", maxHops: 3 }]) {
      const { found, truncated } = await find(fields);
      expect(truncated).toBe(false);
      for (const pageSize of [1, 2, 3]) {
        const pages = await pagesOf({ namespace: "relations", ...fields, pageSize });
        expect(shownOn(pages)).toEqual(found);
        expect(pages).toHaveLength(Math.ceil(found.length / pageSize));
      }
    }
    const first = await server.client.call("queryRelations", {
      ...{ namespace: "relations", pageSize: 1 },
    });
    const other = { namespace: "relations", subject: "Bob", pageToken: first.nextPageToken };
    const failure = await server.client.fail("queryRelations", other);
    expect(failure.reason).toBe("PAGE_TOKEN_INVALID");
  });

  test("ends a page before it is too large", async () => {
    const metadata = struct({ x: "y".repeat(16_000) });
    for (const start of [0, 100]) {
      const wide = Array.from({ length: 100 }, (_, index) => ({
        ...relation("Ann", "has", `${start + index}`),
        ...{ text: "z".repeat(16_000), metadata },
      }));
      await remember("wide-relations", wide);
    }
    const pages = await pagesOf({ namespace: "wide-relations", pageSize: 1_000 });
    for (const { relations } of pages) {
      expect(relations.length * 32_000).toBeLessThan(LIMITS.pageBytes);
    }
    expect(
      new Set(pages.flatMap(({ relations }) => relations.map(({ memory: m }) => m?.memoryId))),
    ).toHaveProperty("size", 200);
  });
});

describe("the scores of a preview of ExtractMemories", () => {
  const preview = async (request: Partial<RequestOf<"extractMemories">>) =>
    (await server.client.call("extractMemories", { preview: true, ...request })).scores;
  const rules = [{ name: "sky", phrases: ["blue (sky|sea)"], score: 0.7 }];

  test("say how important a text is, by the rules of the server or of the request", async () => {
    const [name, sky] = ["My name is Ann.", "Blue sky."];
    expect(await preview({ text: name })).toEqual([
      { score: 0.9, rule: "identity", messageId: "" },
    ]);
    expect(await preview({ text: sky })).toEqual([{ score: 0.3, rule: "", messageId: "" }]);
    expect(await preview({ text: name, importanceRules: rules })).toMatchObject([{ rule: "" }]);
    expect(await preview({ text: sky, importanceRules: rules })).toMatchObject([
      { score: 0.7, rule: "sky" },
    ]);
    const { scores } = await server.client.call("extractMemories", { text: sky });
    expect(scores).toEqual([]);
  });

  test("say how important messages are, by the rules of their session unless others are given", async () => {
    const namespace = "scores";
    const own = [{ name: "tea", phrases: ["tea"], score: 0.8 }];
    const memory = memoryPolicy({ promotion: promotion({ importanceRules: own }) });
    const talk = session({ sessionId: "s", memoryPolicy: memory });
    await server.client.call("createSession", { namespace, session: talk });
    const messages = [
      message({ messageId: "a", text: "I like tea." }),
      message({ messageId: "b", role: Role.SYSTEM, text: "Be kind to tea." }),
      message({ messageId: "c", role: Role.ASSISTANT, text: "Blue sky." }),
    ];
    await server.client.call("appendMessages", { namespace, sessionId: "s", messages });
    expect(await preview({ namespace, sessionId: "s" })).toEqual([
      { score: 0.8, rule: "tea", messageId: "a" },
      { score: 0.3, rule: "", messageId: "c" },
    ]);
    const asked = { namespace, sessionId: "s", importanceRules: rules };
    expect(await preview(asked)).toMatchObject([
      { messageId: "a", rule: "" },
      { messageId: "c", rule: "sky" },
    ]);
  });
});
