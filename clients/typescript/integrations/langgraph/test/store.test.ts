// The store: search by texts and vectors, sizes, times, races, kills, erasure.

import { randomUUID } from "node:crypto";
import { SyntheticEmbeddings } from "@langchain/core/utils/testing";
import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { before } from "../../../../../test/support/integrations/before.ts";
import {
  erase,
  type Setting,
  startSetting,
} from "../../../../../test/support/integrations/setting.ts";
import {
  expectNoUploads,
  recordUploads,
} from "../../../../../test/support/integrations/uploads.ts";
import { SidecarStore } from "../src/store.ts";
import { textsAt } from "../src/texts.ts";

let setting: Setting;

beforeAll(async () => {
  setting = await startSetting();
});

afterAll(async () => {
  await setting?.[Symbol.asyncDispose]();
});

const ANA = ["memories", "ana"];

test("finds items by words and meaning, in one namespace and below", async () => {
  const store = new SidecarStore(setting.client(), {
    index: { fields: ["text", "notes[*].text"] },
  });
  await store.put(ANA, "home", { text: "Ana lives in Berlin." });
  await store.put(ANA, "pet", {
    text: "x",
    notes: [{ text: "y" }, { text: "The cat is called Miez." }],
  });
  await store.put([...ANA, "work"], "job", { text: "Ana paints houses." });
  await store.put(["memories", "bob"], "home", { text: "Bob lives in Rome." });
  await store.put(ANA, "hidden", { text: "Ana lives in Berlin, too." }, false);
  const [cat] = await store.search(ANA, { query: "name of the cat" });
  expect(cat).toMatchObject({ key: "pet", namespace: ANA });
  const [home] = await store.search(ANA, { query: "Where does she live? Berlin" });
  expect(home?.key).toBe("home");
  const all = await store.search(ANA, { query: "Ana", limit: 10 });
  expect(all.map(({ key }) => key).sort()).toEqual(["hidden", "home", "job", "pet"]);
  expect(all.at(-1)).toMatchObject({ key: "hidden" });
  expect(all.at(-1)?.score).toBeUndefined();
  const filter = { text: "Ana paints houses." };
  expect(await store.search(ANA, { query: "Ana", filter })).toMatchObject([{ key: "job" }]);
  await store.put(ANA, "home", { text: "Ana lives in Paris." });
  const [moved] = await store.search(ANA, { query: "Berlin Paris" });
  expect(moved?.value).toEqual({ text: "Ana lives in Paris." });
  await store.delete(ANA, "home");
  const keys = (await store.search(ANA, { query: "Paris" })).map(({ key }) => key);
  expect(keys).not.toContain("home");
});

test("finds no vector where there is none, and refuses vectors of another length", async () => {
  const client = setting.client();
  const storeOf = (vectorSize: number): SidecarStore =>
    new SidecarStore(client, { index: { embeddings: new SyntheticEmbeddings({ vectorSize }) } });
  const store = storeOf(8);
  expect(await store.search(ANA, { query: "home" })).toEqual([]);
  await store.put(ANA, "home", { text: "Berlin" }, false);
  const [plain] = await store.search(ANA, { query: "home" });
  expect(plain).toMatchObject({ key: "home" });
  expect(plain?.score).toBeUndefined();
  await store.put(ANA, "home", { text: "Berlin" });
  await expect(storeOf(4).search(ANA, { query: "home" })).rejects.toThrow(
    '"langgraph" with 8 values',
  );
});

test("ranks by your vectors as the store in memory does, in pages", async () => {
  const embeddings = new SyntheticEmbeddings({ vectorSize: 16 });
  const theirs = new InMemoryStore({ index: { dims: 16, embeddings, fields: ["text"] } });
  const ours = new SidecarStore(setting.client(), { index: { embeddings, fields: ["text"] } });
  for (let number = 0; number < 30; number += 1) {
    const value = { text: `${"abcdefgh"[number % 8]}`.repeat(number + 1), number };
    await Promise.all([theirs, ours].map((store) => store.put(ANA, `k${number}`, value)));
  }
  for (const [limit, offset] of [
    [30, 0],
    [5, 0],
    [7, 5],
    [10, 28],
  ] as const) {
    const options = { query: "abcabc", limit, offset };
    const [expected, found] = [await theirs.search(ANA, options), await ours.search(ANA, options)];
    // A vector of zeros is like no vector: it has no direction.
    const scores = (items: typeof found) => items.map(({ score = 0 }) => score.toFixed(4));
    expect(scores(found)).toEqual(scores(expected));
  }
});

test("gives items of any size back, with their times", async () => {
  const store = new SidecarStore(setting.client());
  for (const size of [10, 600_000, 5_000_000]) {
    await store.put(ANA, "large", { text: "é".repeat(size / 2) });
    const item = await store.get(ANA, "large");
    expect(item?.value["text"]).toHaveLength(size / 2);
    expect(await store.search(["memories"], {})).toEqual([{ ...item }]);
  }
  const item = await store.get(ANA, "large");
  expect(item?.createdAt.getTime()).toBeLessThan(item?.updatedAt.getTime() ?? 0);
  expect(Math.abs(Date.now() - (item?.updatedAt.getTime() ?? 0))).toBeLessThan(60_000);
});

test("searches pass over large items that are gone meanwhile, and read again replaced ones", async () => {
  const client = setting.client();
  const store = new SidecarStore(client);
  const keysAndSizes = async () =>
    (await store.search(ANA, {})).map(({ key, value }) => [key, value["text"].length]);
  const put = (size: number) => store.put(ANA, "large", { text: "x".repeat(size) });
  await store.put(ANA, "small", { text: "x" });
  await put(5_000_000);
  before(client, "getRecord", 2, () => put(6_000_000));
  expect(await keysAndSizes()).toEqual([
    ["large", 6_000_000],
    ["small", 1],
  ]);
  for (const read of [1, 2]) {
    await put(5_000_000);
    before(client, "getRecord", read, () => store.delete(ANA, "large"));
    expect(await keysAndSizes()).toEqual([["small", 1]]);
  }
});

test("reads of a batch see the state before its puts, and the last put counts", async () => {
  const store = new SidecarStore(setting.client());
  await store.put(ANA, "a", { n: 1 });
  const results = await store.batch([
    { namespace: ANA, key: "a", value: { n: 2 } },
    { namespace: ANA, key: "a" },
    { namespacePrefix: ANA },
    { namespace: ANA, key: "a", value: { n: 3 } },
    { matchConditions: [], limit: 10, offset: 0 },
  ]);
  expect(results).toMatchObject([
    undefined,
    { value: { n: 1 } },
    [{ value: { n: 1 } }],
    undefined,
    [ANA],
  ]);
  expect((await store.get(ANA, "a"))?.value).toEqual({ n: 3 });
});

test("lists namespaces and items in pages", async () => {
  const store = new SidecarStore(setting.client());
  const puts = Array.from({ length: 300 }, (_, number) => {
    return { namespace: ["all", `n${number % 50}`], key: `k${number}`, value: { number } };
  });
  await store.batch(puts);
  const pages = await Promise.all(
    [0, 20, 40].map((offset) => store.listNamespaces({ prefix: ["all"], limit: 20, offset })),
  );
  expect(pages.map(({ length }) => length)).toEqual([20, 20, 10]);
  expect(new Set(pages.flat().map(String)).size).toBe(50);
  const found = [];
  for (let offset = 0; offset < 300; offset += 70) {
    found.push(...(await store.search(["all"], { limit: 70, offset })));
  }
  expect(new Set(found.map(({ key }) => key)).size).toBe(300);
});

test("keeps what two writers put at once, over a kill of the server", async () => {
  await using own = await startSetting();
  const namespace = `t-${randomUUID()}`;
  const stores = [1, 2].map(() => new SidecarStore(own.client(namespace)));
  const puts = stores.flatMap((store, writer) =>
    Array.from({ length: 20 }, (_, number) =>
      store.put(["all"], `${writer}-${number}`, { number }),
    ),
  );
  await own.restart();
  await Promise.all(puts);
  expect(await stores[0]?.search(["all"], { limit: 100 })).toHaveLength(40);
});

test("is erased with its user, and expires", async () => {
  const client = setting.client();
  const userOf = (namespace: readonly string[]) => namespace[1];
  const store = new SidecarStore(client, { userOf, ttlMs: 60_000, index: { fields: ["text"] } });
  await store.put(ANA, "home", { text: "Ana lives in Berlin." });
  await store.put(["memories", "bob"], "home", { text: "Bob lives in Rome." });
  for await (const { ttl } of client.listRecords(["langgraph-js"], { recursive: true })) {
    expect(ttl?.seconds).toBe(60);
  }
  await erase(client, "ana");
  expect(await store.get(ANA, "home")).toBeNull();
  expect(
    (await store.search([], { query: "lives" })).map(({ key, namespace }) => [key, ...namespace]),
  ).toEqual([["home", "memories", "bob"]]);
});

test.each([
  ["$", ['{\n  "a": {\n    "b": [\n      1,\n      "x"\n    ]\n  },\n  "c": true\n}']],
  ["a.b[0]", ["1"]],
  ["a.b[-1]", ["x"]],
  ["a.b[*]", ["1", "x"]],
  ["a.b[9]", []],
  ["a.none", []],
  ["{c,a.b[1]}", ["true", "x"]],
  ["*.b[1]", ["x"]],
  ["c.d", []],
])("finds the texts at %s", (path, texts) => {
  expect(textsAt({ a: { b: [1, "x"] }, c: true }, path)).toEqual(texts);
});

test("refuses what it cannot keep, and does not show the client when it is logged", async () => {
  const store = new SidecarStore(setting.client(), { index: { fields: ["list[*]"] } });
  expect(JSON.stringify({ store })).toBe('{"store":"[SidecarStore]"}');
  await expect(store.put([], "a", {})).rejects.toThrow("empty");
  await expect(store.put(["a.b"], "a", {})).rejects.toThrow("periods");
  await expect(store.put(["x".repeat(300)], "a", {})).rejects.toThrow("at most 254 bytes");
  const list = Array.from({ length: 300 }, (_, number) => `${number}`);
  await expect(store.put(ANA, "a", { list })).rejects.toThrow("300 texts");
});

test("leaves no upload behind when the server refuses a write", async () => {
  const client = setting.client();
  const uploads = recordUploads(client);
  const store = new SidecarStore(client, { ttlMs: -1 });
  await expect(store.put(ANA, "large", { text: "x".repeat(600_000) })).rejects.toThrow(/ttl/);
  expect(uploads).toHaveLength(1);
  await expectNoUploads(client, uploads);
});
