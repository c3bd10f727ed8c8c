// CountItems: numbers and distinct values are those that looking at each record gives, whatever the
// filter; nobody's records are in the counts of others.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MetadataCondition } from "../../src/gen/memorysidecar/v1/filter.ts";
import { RecallKind } from "../../src/gen/memorysidecar/v1/recall.ts";
import {
  CountItemsRequest,
  type CountItemsResponse,
  ItemGroupOrder,
} from "../../src/gen/memorysidecar/v1/recall_service.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  document,
  EVERYONE,
  memory,
  message,
  recallFilter,
  session,
} from "../support/contract/samples.ts";
import { struct } from "../support/kit/structs.ts";

type Value = string | number | boolean | null;

interface Plain {
  readonly color?: Value | readonly Value[] | { readonly inner: Value };
  readonly state?: string;
}

const RECORDS: readonly Plain[] = [
  {},
  { color: "red", state: "open" },
  { color: "red", state: "closed" },
  { color: "Änderung", state: "open" },
  { color: 3 },
  { color: -1.5 },
  { color: true, state: "open" },
  { color: false },
  { color: null },
  { color: ["red", "blue", "red", 3] },
  { color: [] },
  { color: { inner: "red" }, state: "" },
  { color: "🎉" },
  { color: "\uffff" },
];
const NAMESPACE = "counts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
  const fields = RECORDS.map(({ color, state }, at) => ({
    at,
    text: `pear ${at}`,
    metadata: struct(color === undefined ? {} : { color }),
    labels: new Map(state === undefined ? [] : [["state", state]]),
  }));
  await server.client.call("upsertDocuments", {
    ...{ namespace: NAMESPACE, collectionId: "c" },
    documents: fields.map(({ at, ...rest }) => document({ documentId: `${at}`, ...rest })),
  });
  await server.client.call("remember", {
    namespace: NAMESPACE,
    memories: fields.map(({ at, ...rest }) => memory({ memoryId: `${at}`, ...rest })),
  });
  await server.client.call("appendMessages", {
    ...{ namespace: NAMESPACE, sessionId: "s", createSession: true },
    messages: fields.map(({ at, ...rest }) => message({ messageId: `${at}`, role: 1, ...rest })),
  });
});

afterAll(() => server[Symbol.asyncDispose]());

function count(fields: Partial<CountItemsRequest> = {}): Promise<CountItemsResponse> {
  return server.client.call("countItems", { namespace: NAMESPACE, ...fields });
}

const byPath = (path: string) => ({ groupBy: { $case: "metadataPath", value: path } }) as const;
const byLabel = (key: string) => ({ groupBy: { $case: "labelKey", value: key } }) as const;

function groupsOf({ groups }: CountItemsResponse): [unknown, number][] {
  return groups.map(({ value, count: size }) => [value, Number(size)]);
}

const KINDS = [RecallKind.MESSAGE, RecallKind.DOCUMENT, RecallKind.MEMORY] as const;

/** The different values of a record that can be counted. */
function valuesOf({ color }: Plain): readonly Value[] {
  if (color === undefined) return [];
  if (Array.isArray(color)) return [...new Set(color as readonly Value[])];
  return typeof color === "object" && color !== null ? [] : [color as Value];
}

describe("a count", () => {
  test("is of each kind, and of all together", async () => {
    const { coverage, ...counts } = await count();
    const each = BigInt(RECORDS.length);
    expect(counts).toMatchObject({ messageCount: each, documentCount: each, memoryCount: each });
    expect(counts).toMatchObject({ count: each * 3n, groups: [], valueCount: 0n });
    expect(coverage).toMatchObject({ complete: true, pendingCount: 0n, leftOutCount: 0n });
  });

  test("of one kind groups by every type of value, in both orders", async () => {
    const filter = recallFilter({ kinds: [RecallKind.DOCUMENT] });
    const answer = await count({ filter, ...byPath("color") });
    expect(groupsOf(answer)).toEqual([
      ["red", 3],
      [3, 2],
      [null, 1],
      [false, 1],
      [true, 1],
      [-1.5, 1],
      ["blue", 1],
      ["Änderung", 1],
      ["\uffff", 1],
      ["🎉", 1],
    ]);
    expect(answer).toMatchObject({ valueCount: 10n, withoutValueCount: 3n, groupsCut: false });
    const sorted = await count({ filter, ...byPath("color"), order: ItemGroupOrder.VALUE_ASC });
    expect(groupsOf(sorted).map(([value]) => value)).toEqual([
      ...[null, false, true, -1.5, 3, "blue", "red", "Änderung", "\uffff", "🎉"],
    ]);
    expect(groupsOf(await count({ filter, ...byPath("color.inner") }))).toEqual([["red", 1]]);
  });

  test("groups by a label, whose empty value is one", async () => {
    const answer = await count({
      ...byLabel("state"),
      filter: recallFilter({ kinds: [...KINDS] }),
    });
    expect(groupsOf(answer)).toEqual([
      ["open", 9],
      ["", 3],
      ["closed", 3],
    ]);
    expect(answer.withoutValueCount).toBe(BigInt(3 * (RECORDS.length - 5)));
  });

  test("says that groups are cut, and how many there are", async () => {
    const answer = await count({ ...byPath("color"), maxGroups: 2 });
    expect(groupsOf(answer)).toEqual([
      ["red", 9],
      [3, 6],
    ]);
    expect(answer).toMatchObject({ valueCount: 10n, groupsCut: true });
    const all = await count({ ...byPath("color"), maxGroups: 5_000 });
    expect(all).toMatchObject({ groupsCut: false });
    expect(all.groups).toHaveLength(10);
  });

  test("is empty where nothing is: a path, a label, a namespace, a collection", async () => {
    expect(await count(byPath("nowhere"))).toMatchObject({
      ...{ groups: [], valueCount: 0n, groupsCut: false },
      withoutValueCount: BigInt(RECORDS.length * 3),
    });
    expect(await count(byLabel("color"))).toMatchObject({ groups: [] });
    expect(await count({ namespace: "none", ...byPath("color") })).toMatchObject({
      ...{ count: 0n, groups: [], withoutValueCount: 0n },
    });
    const filter = recallFilter({ collectionIds: ["other"] });
    expect(await count({ filter, ...byPath("color") })).toMatchObject({ count: 0n, groups: [] });
  });

  test("of any filter is what looking at each record gives", async () => {
    const tests = fc.record({
      kinds: fc.subarray([...KINDS]),
      color: fc.constantFrom<Value | undefined>(undefined, "red", 3, true, null, "none"),
      state: fc.constantFrom(undefined, "open", "closed", ""),
      negated: fc.boolean(),
    });
    const check = fc.asyncProperty(tests, async ({ kinds, color, state, negated }) => {
      const equal: MetadataCondition = { path: "color", test: { $case: "equalTo", value: color } };
      const none: MetadataCondition = {
        path: "",
        test: { $case: "noneOf", value: { conditions: [equal] } },
      };
      const condition = negated ? none : equal;
      const filter = recallFilter({
        ...{ kinds, metadata: color === undefined ? [] : [condition] },
        labels: new Map(state === undefined ? [] : [["state", state]]),
      });
      const passing = RECORDS.filter(
        (one) =>
          (state === undefined || one.state === state) &&
          (color === undefined || valuesOf(one).includes(color) !== negated),
      );
      const factor = kinds.length === 0 ? KINDS.length : kinds.length;
      const expected = new Map<Value, number>();
      for (const value of passing.flatMap(valuesOf)) {
        expected.set(value, (expected.get(value) ?? 0) + factor);
      }
      const answer = await count({ filter, ...byPath("color") });
      expect(answer.count).toBe(BigInt(passing.length * factor));
      expect(new Map(groupsOf(answer))).toEqual(expected);
      const without = passing.filter((one) => valuesOf(one).length === 0).length;
      expect(answer.withoutValueCount).toBe(BigInt(without * factor));
    });
    await fc.assert(check, { numRuns: 60 });
  });
});

test("writes, replacements and deletes that have returned are in the next count", async () => {
  const at = { namespace: "fresh", collectionId: "c" };
  const put = (id: string, tag: string) =>
    server.client.call("upsertDocuments", {
      ...{ ...at, documents: [document({ documentId: id, text: id, metadata: struct({ tag }) })] },
    });
  const tags = async () => groupsOf(await count({ namespace: "fresh", ...byPath("tag") }));
  await put("a", "x");
  expect(await tags()).toEqual([["x", 1]]);
  await put("b", "x");
  expect(await tags()).toEqual([["x", 2]]);
  await put("a", "y");
  expect(await tags()).toEqual([
    ["x", 1],
    ["y", 1],
  ]);
  await server.client.call("deleteDocuments", { ...at, documentIds: ["b"] });
  expect(await tags()).toEqual([["y", 1]]);
  await server.client.call("clearCollection", at);
  expect(await tags()).toEqual([]);
});

test("nobody's records are in the counts of others", async () => {
  const namespace = "owners";
  const mine = { userId: "ana", agentId: undefined, sessionId: undefined };
  const metadata = (tag: string) => struct({ tag });
  await server.client.call("upsertDocuments", {
    namespace,
    documents: [
      document({ documentId: "shared", text: "a", metadata: metadata("all") }),
      document({ documentId: "ana", text: "b", metadata: metadata("secret"), scope: mine }),
    ],
  });
  await server.client.call("remember", {
    namespace,
    memories: [memory({ memoryId: "ana", text: "c", metadata: metadata("secret"), userId: "ana" })],
  });
  const hers = session({ sessionId: "hers", userId: "ana" });
  await server.client.call("createSession", { namespace, session: hers });
  await server.client.call("appendMessages", {
    ...{ namespace, sessionId: "hers" },
    messages: [message({ role: 1, text: "d", metadata: metadata("secret") })],
  });
  const seen = async (userId?: string) => {
    const value = { userId, agentId: undefined, sessionId: undefined };
    const scope = { scope: { $case: "visibleTo", value } } as const;
    const filter = userId === undefined ? undefined : recallFilter({ scope });
    return groupsOf(await count({ namespace, filter, ...byPath("tag") }));
  };
  expect(await seen()).toEqual([["all", 1]]);
  expect(await seen("bob")).toEqual([["all", 1]]);
  expect(await seen("ana")).toEqual([
    ["secret", 3],
    ["all", 1],
  ]);
  const everyone = await count({ namespace, filter: recallFilter({ scope: EVERYONE }) });
  expect(everyone.count).toBe(4n);
});

test("memories count while they are true and alive", async () => {
  const namespace = "lives";
  const time = (ms: number) => ({ seconds: BigInt(Math.floor(ms / 1_000)), nanos: 0 });
  const now = Date.now();
  await server.client.call("remember", {
    namespace,
    memories: [
      memory({ memoryId: "always", text: "a" }),
      memory({ memoryId: "past", text: "b", validUntilTime: time(now - 60_000) }),
    ],
  });
  expect((await count({ namespace })).memoryCount).toBe(1n);
  const before = await count({ namespace, referenceTime: time(now - 120_000) });
  expect(before.memoryCount).toBe(2n);
  const all = await count({ namespace, filter: recallFilter({ includeSuperseded: true }) });
  expect(all.memoryCount).toBe(2n);
});

describe("a bad request", () => {
  const EMPTY = CountItemsRequest.decode(new Uint8Array(0));
  test.each([
    ["metadata_path", byPath("")],
    ["metadata_path", byPath("x".repeat(257))],
    ["label_key", byLabel("")],
    ["label_key", byLabel("no key!")],
    ["max_groups", { ...byPath("a"), maxGroups: -1 }],
    ["max_groups", { maxGroups: 5 }],
    ["order", { order: ItemGroupOrder.VALUE_ASC }],
    ["order", { ...byPath("a"), order: 9 as ItemGroupOrder }],
    [
      "filter.metadata[0].path",
      {
        filter: recallFilter({ metadata: [{ path: "", test: { $case: "exists", value: true } }] }),
      },
    ],
  ])("names %s", async (field, fields) => {
    const failure = await server.client.fail("countItems", { ...EMPTY, ...fields });
    expect(failure.reason).toBe("REQUEST_INVALID");
    expect(failure.fields).toContain(field);
  });
});
