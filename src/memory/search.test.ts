import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  ANY_MEMORY,
  memoryDraft,
  ownedBy,
  remember,
  rememberTexts,
} from "../../test/support/memory/service-memories.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import type { SearchMemoriesInput } from "./api.ts";

const DAY_MS = 86_400_000;

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(async () => {
  await services.stop();
});

async function search(
  query: string,
  scoring: SearchMemoriesInput["scoring"],
  options: Partial<SearchMemoriesInput> = {},
): Promise<[text: string, score: number][]> {
  const found = await services.memories.searchMemories(services.call("SearchMemories"), {
    ...{ namespace: "default", query, filter: ANY_MEMORY, scoring, limit: 10 },
    ...{ minScore: undefined, validity: "now", referenceMs: undefined },
    ...{ fromMs: undefined, beforeMs: undefined },
    ...options,
  });
  return found.map(({ memory, score }) => [memory.content.text, Math.round(score * 1e6) / 1e6]);
}

function episode(userText: string, assistantText: string, validFromMs: number) {
  const structure = { kind: "episode", episode: { userText, assistantText } } as const;
  return memoryDraft({ kind: "episode", structure, validFromMs });
}

test("overlap: tiers have their own scores", async () => {
  const now = services.nowMs();
  const entity = { name: "Alps", type: "location", aliases: [], attributes: new Map() };
  const alps = memoryDraft({ kind: "entity", structure: { kind: "entity", entity } });
  await remember(services, [
    memoryDraft({ text: "User loves hiking in the Alps", importance: 0.8 }),
    memoryDraft({ text: "Alps trip budget is 900", importance: 0.5 }),
    alps,
    episode("Tell me about the Alps", "They are mountains", now - 2_000),
    episode("Plan hiking", "In the Alps?", now - 3_000),
    memoryDraft({ text: "nothing of it" }),
  ]);
  expect(await search("hiking in the Alps", "overlap")).toEqual([
    ["User loves hiking in the Alps", 0.8],
    ["Alps [location]", 0.65],
    ["user: Plan hiking | assistant: In the Alps?", 0.55],
    ["user: Tell me about the Alps | assistant: They are mountains", 0.483333],
    ["Alps trip budget is 900", 0.333333],
  ]);
  expect(await search("hiking in the Alps", "overlap", { minScore: 0.6, limit: 1 })).toHaveLength(
    1,
  );
});

test("overlap: episodes of other days are left out, equal scores come newest first", async () => {
  const now = services.nowMs();
  await remember(services, [
    episode("about tea", "a", now - 3 * DAY_MS - 1),
    episode("about tea", "b", now - 3 * DAY_MS),
    episode("about tea", "c", now),
  ]);
  const texts = async (options: Partial<SearchMemoriesInput>) =>
    (await search("tea", "overlap", options)).map(([text]) => text.at(-1)).join("");
  expect(await texts({})).toBe("cba");
  expect(await texts({ fromMs: now - 3 * DAY_MS })).toBe("cb");
  expect(await texts({ fromMs: now - 4 * DAY_MS })).toBe("cba");
  expect(await texts({ beforeMs: now })).toBe("ba");
});

test("word count: words of text and category, then importance", async () => {
  await remember(services, [
    memoryDraft({ text: "User prefers dark mode", category: "preference" }),
    memoryDraft({ text: "Dark roast coffee", importance: 0.9 }),
    memoryDraft({ text: "User mode is expert", importance: 0.2 }),
  ]);
  const texts = async (query: string, limit = 5) =>
    (await search(query, "word_count", { limit })).map(([text]) => text);
  expect(await texts("dark mode")).toEqual([
    ...["User prefers dark mode", "Dark roast coffee", "User mode is expert"],
  ]);
  expect(await texts("", 2)).toEqual(["Dark roast coffee", "User prefers dark mode"]);
  expect(await texts("zebra")).toEqual([]);
  expect(await texts("dark", 0)).toEqual([]);
});

test("word count looks at the 500 most important ones", async () => {
  for (let round = 0; round < 4; round++) {
    await rememberTexts(
      services,
      Array.from({ length: 125 }, (_, at) => `word ${round} ${at}`),
      { importance: 0.6 },
    );
  }
  await rememberTexts(services, ["word more"], { importance: 0.5 });
  expect(await search("more", "word_count")).toEqual([]);
  await rememberTexts(services, ["word most"], { importance: 0.7 });
  expect(await search("most", "word_count")).toEqual([["word most", 1]]);
});

test("substring: the whole query, by confidence, then in their order", async () => {
  await remember(services, [
    memoryDraft({ text: "User loves hiking", confidence: 0.6 }),
    memoryDraft({ text: "User works in Berlin", confidence: 0.9 }),
    memoryDraft({ text: "Prefers trains", topics: ["Hiking gear"], confidence: 0.9 }),
    memoryDraft({ text: "User loves hiking", scope: "u2" }),
  ]);
  const filter = { ...ANY_MEMORY, scope: ownedBy("u1") };
  expect(await search("HIKING", "substring", { filter })).toEqual([
    ["Prefers trains", 0.9],
    ["User loves hiking", 0.6],
  ]);
  expect(await search("", "substring", { filter, limit: 2 })).toEqual([
    ["User works in Berlin", 0.9],
    ["Prefers trains", 0.9],
  ]);
});

/** Number of turns that the event loop makes during a search. */
async function turnsOf(...input: Parameters<typeof search>): Promise<number> {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await search(...input);
  clearImmediate(timer);
  return turns;
}

const wordsOf = (count: number) => Array.from({ length: count }, (_, index) => `w${index}x`);

describe.each(["overlap", "word_count"] as const)(
  "the scoring %s gives way to others",
  (scoring) => {
    test("for a long query", async () => {
      await rememberTexts(services, wordsOf(64));
      expect(await turnsOf(wordsOf(16_000).join(" "), scoring)).toBeGreaterThanOrEqual(4);
    });

    test("for long memories", async () => {
      const texts = wordsOf(64).map((word) => `${"a".repeat(16_000)} ${word}`);
      await rememberTexts(services, texts);
      expect(await turnsOf(wordsOf(300).join(" "), scoring)).toBeGreaterThanOrEqual(4);
    });
  },
);
