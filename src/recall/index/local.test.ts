import { describe, expect, test } from "vitest";
import {
  containerOf,
  cosineOf,
  filterOf,
  itemsOf,
  JSON_INDEX_CODEC,
  type PlainRecord,
  queryOf,
  recordItem,
} from "../../../test/support/recall/records.ts";
import { createLocalIndex } from "./local.ts";
import { type IndexChange, type IndexQuery, IndexStopped, type RecallIndex } from "./port.ts";

const DAY_MS = 86_400_000;

function newIndex(): RecallIndex {
  return createLocalIndex({ codec: JSON_INDEX_CODEC });
}

async function indexOf(...changes: readonly IndexChange[]): Promise<RecallIndex> {
  const index = newIndex();
  await index.apply("n", changes);
  return index;
}

function messages(id: string, ...records: readonly PlainRecord[]): IndexChange[] {
  const items = records.map((record, at) => recordItem(at + 1, { role: 1, ...record }));
  return [containerOf("session", id), itemsOf("session", id, items)];
}

function documents(id: string, ...records: readonly PlainRecord[]): IndexChange[] {
  const items = records.map((record, at) => recordItem(at + 1, record));
  return [containerOf("collection", id), itemsOf("collection", id, items)];
}

async function found(
  index: RecallIndex,
  text: string,
  rest: Partial<IndexQuery> = {},
): Promise<string[]> {
  const { hits } = await index.search("n", queryOf(text, rest));
  return hits.map(({ containerId, position }) => `${containerId}${position}`);
}

describe("a search", () => {
  test("finds messages by their words, the best first, with parts that sum up", async () => {
    const index = await indexOf(
      ...messages("a", { text: "We adopted a grey kitten." }, { text: "Nice weather today." }),
      ...messages("b", { text: "The kitten climbed the curtain with its brother kitten." }),
    );
    const { hits, size } = await index.search("n", queryOf("Which grey kitten?"));
    expect(hits[0]).toMatchObject({ kind: "message", containerId: "a", position: 1, passage: 0 });
    for (const { score, parts } of hits) {
      expect(score).toBe(parts.reduce((sum, part) => sum + part.score, 0));
    }
    expect(size).toMatchObject({ containers: 2, items: 3, rows: 3, withoutVector: 0 });
  });

  test("finds nothing for a query without words, and nothing in another namespace", async () => {
    const index = await indexOf(...messages("a", { text: "the kitten" }));
    for (const text of ["", " ", "the of and", "?!"]) expect(await found(index, text)).toEqual([]);
    const { hits } = await index.search("other", queryOf("kitten"));
    expect(hits).toEqual([]);
  });

  test("finds words of the author and of the day, and the passage of a long text", async () => {
    const filler = "Something else entirely was talked about for a while. ".repeat(30);
    const index = await indexOf(
      ...messages(
        "a",
        { text: "I bought a boat.", author: "Ruth", timeMs: 10 * DAY_MS },
        { text: `${filler} The zeppelin landed at noon. ${filler}` },
      ),
    );
    expect((await found(index, "Ruth"))[0]).toBe("a1");
    expect((await found(index, "January 11"))[0]).toBe("a1");
    const { hits } = await index.search("n", queryOf("zeppelin"));
    expect(hits[0]).toMatchObject({ position: 2 });
    expect(hits[0]?.passage).toBeGreaterThan(1);
  });

  test("gives a neighbor of what it found, unless the filter leaves it out", async () => {
    const index = await indexOf(
      ...messages(
        "a",
        { text: "Where did you park the velocipede?" },
        { text: "Behind the old mill.", role: 2, author: "Bo" },
        { text: "Thanks." },
      ),
    );
    expect(await found(index, "velocipede")).toEqual(["a1", "a2"]);
    const filter = filterOf({ roles: new Set([1]) });
    expect(await found(index, "velocipede", { filter })).toEqual(["a1"]);
  });

  test("takes documents as neighbors only when they are chunks of one document", async () => {
    const index = await indexOf(
      ...documents(
        "c",
        { text: "zeppelin", documentId: "x" },
        { text: "alone", documentId: "y" },
        { text: "zeppelin", documentId: "g#0", sourceDocumentId: "g" },
        { text: "second half", documentId: "g#1", sourceDocumentId: "g" },
      ),
    );
    expect((await found(index, "zeppelin")).sort()).toEqual(["c1", "c3", "c4"]);
  });

  test("pages through the same order, and tells whether there is more", async () => {
    const records = Array.from({ length: 30 }, (_, at) => ({ text: `kitten number ${at}` }));
    const index = await indexOf(...messages("a", ...records));
    const all = await found(index, "kitten", { limit: 100 });
    const first = await index.search("n", queryOf("kitten", { limit: 12 }));
    const rest = await index.search("n", queryOf("kitten", { limit: 100, offset: 12 }));
    expect([first.more, rest.more]).toEqual([true, false]);
    const paged = [...first.hits, ...rest.hits].map(({ position }) => `a${position}`);
    expect(paged).toEqual(all);
    expect(all).toHaveLength(30);
  });

  test("gives sessions with their best hits, the best session first", async () => {
    const index = await indexOf(
      ...messages("a", { text: "kitten" }, { text: "unrelated" }),
      ...messages("b", { text: "grey kitten" }, { text: "kitten grey kitten" }),
    );
    const query = queryOf("grey kitten", { hitsPerGroup: 1, limit: 1 });
    const { groups, hits, more } = await index.search("n", query);
    expect(groups).toMatchObject([{ kind: "session", id: "b", hitCount: 1 }]);
    expect(hits.map(({ containerId }) => containerId)).toEqual(["b"]);
    expect(more).toBe(true);
  });

  test("leaves out what scores or fits too little, and makes hits differ when asked", async () => {
    const same = Array.from({ length: 3 }, () => ({ text: "grey kitten" }));
    const index = await indexOf(
      ...messages("a", ...same),
      ...messages("b", { text: "grey curtain" }),
    );
    expect(await found(index, "grey kitten", { minScore: 100 })).toEqual([]);
    expect(await found(index, "grey kitten", { minRelevance: 1 })).toEqual([]);
    const plain = await found(index, "grey kitten", { limit: 2 });
    const mixed = await found(index, "grey kitten", { limit: 2, diversity: 0.9 });
    expect(plain).not.toContain("b1");
    expect(mixed).toContain("b1");
  });
});

describe("changes", () => {
  test("replace what was in a range, and leave the rest", async () => {
    const records = ["one", "two", "three", "four"].map((text) => ({ text: `kitten ${text}` }));
    const index = await indexOf(...messages("a", ...records));
    const container = { kind: "session", id: "a" } as const;
    const items = [recordItem(3, { text: "zeppelin", role: 1 })];
    const change: IndexChange = {
      ...{ kind: "items", container, items },
      ...{ firstPosition: 2, lastPosition: 3 },
    };
    for (let round = 0; round < 2; round++) {
      const size = await index.apply("n", [change]);
      expect(size).toMatchObject({ items: 3, rows: 3 });
      expect(await index.positions("n", container)).toEqual([1, 3, 4]);
      expect((await found(index, "two")).length).toBe(0);
      expect((await found(index, "zeppelin"))[0]).toBe("a3");
    }
  });

  test("forget a container with all that it held, and take it again", async () => {
    const index = await indexOf(...messages("a", { text: "kitten" }));
    const container = { kind: "session", id: "a" } as const;
    await index.apply("n", [{ kind: "drop-container", container }]);
    expect(await found(index, "kitten")).toEqual([]);
    expect(await index.positions("n", container)).toEqual([]);
    await index.apply("n", messages("a", { text: "another kitten" }));
    expect(await found(index, "kitten")).toEqual(["a1"]);
  });

  test("are refused for a container that nobody told of", async () => {
    const change = itemsOf("session", "a", [recordItem(1, { text: "kitten" })]);
    await expect(indexOf(change)).rejects.toThrow("not known");
  });

  test("survive a compaction", async () => {
    const records = Array.from({ length: 900 }, (_, at) => ({ text: `kitten number ${at}` }));
    const index = await indexOf(...messages("a", ...records), ...messages("b", ...records));
    await index.apply("n", [
      { kind: "drop-container", container: { kind: "session", id: "a" } },
      ...messages("c", ...records),
      ...messages("c", ...records),
    ]);
    const { hits, size } = await index.search("n", queryOf("number 77", { limit: 2 }));
    expect(size).toMatchObject({ items: 1_800, containers: 2 });
    expect(hits.map(({ containerId, position }) => containerId + position)).toEqual(["b78", "c78"]);
    expect(await index.positions("n", { kind: "session", id: "c" })).toHaveLength(900);
  });

  test("leave out a container whose time has run out, until it is put off", async () => {
    const index = await indexOf(...messages("a", { text: "kitten" }));
    await index.apply("n", [containerOf("session", "a", { expireMs: 100 })]);
    expect(await found(index, "kitten", { nowMs: 99 })).toEqual(["a1"]);
    expect(await found(index, "kitten", { nowMs: 100 })).toEqual([]);
    await index.apply("n", [containerOf("session", "a", { expireMs: 200 })]);
    expect(await found(index, "kitten", { nowMs: 100 })).toEqual(["a1"]);
  });
});

describe("searches of documents", () => {
  const given = (values: number[], model = "m") => ({ model, values: Float32Array.from(values) });

  async function withVectors(): Promise<RecallIndex> {
    const items = [
      [1, 0],
      [0, 1],
      [1, 1],
    ].map((values, at) => ({
      ...recordItem(at + 1, { text: `document ${at}`, documentId: `d${at}` }),
      given: given(values),
    }));
    return indexOf(containerOf("collection", "c"), itemsOf("collection", "c", items));
  }

  test("by cosine compare vectors of one model and length only", async () => {
    const index = await withVectors();
    const filter = filterOf({ collectionIds: ["c"] });
    const answer = await index.searchCosine("n", cosineOf("", { vector: given([2, 0]), filter }));
    expect(answer.denseUsed).toBe(true);
    expect(answer.hits.map(({ position }) => position)).toEqual([1, 3, 2]);
    expect(answer.hits[1]?.score).toBeCloseTo(Math.SQRT1_2, 3);
    for (const vector of [given([1, 0, 0]), given([1, 0], "other")]) {
      const none = await index.searchCosine("n", cosineOf("", { vector, filter }));
      expect(none).toMatchObject({ hits: [], denseUsed: false });
    }
  });

  test("by cosine know a space that the filter leaves nothing of", async () => {
    const index = await withVectors();
    const filter = filterOf({ collectionIds: ["c"], labels: new Map([["no", "such"]]) });
    const vector = given([1, 0]);
    const answer = await index.searchCosine("n", cosineOf("", { vector, filter }));
    expect(answer).toMatchObject({ hits: [], denseUsed: true });
  });

  test("by TF-IDF follow every change once it is wanted", async () => {
    const index = await indexOf(containerOf("collection", "c"));
    const container = { kind: "collection", id: "c" } as const;
    const search = async (text: string) => {
      const query = { collectionId: "c", text, filter: filterOf(), minScore: undefined, limit: 5 };
      const { hits } = await index.searchTfIdf("n", query);
      return hits.map(({ position, score }) => [position, Math.round(score * 1_000)]);
    };
    await expect(search("fox")).rejects.toThrow("not kept");
    await index.apply("n", [
      { kind: "want-tf-idf", container },
      ...documents("c", { text: "quick fox" }, { text: "fox framework" }, { text: "dog" }),
    ]);
    expect(await search("quick fox")).toEqual([
      [1, 1_000],
      [2, 147],
      [3, 0],
    ]);
    const items = [recordItem(2, { text: "cat" })];
    await index.apply("n", [itemsOf("collection", "c", items)]);
    expect(await search("fox")).toEqual([
      [1, 707],
      [2, 0],
      [3, 0],
    ]);
  });
});

describe("a closed index", () => {
  test("refuses everything", async () => {
    const index = await indexOf(...messages("a", { text: "kitten" }));
    await index.close();
    await expect(found(index, "kitten")).rejects.toThrow(IndexStopped);
  });
});
