// Goal: records through the contract: what is kept, what lists give, what a transaction does as a
// whole, how long records live, what events tell, and what is wrong with a request.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType, RecordDeleteReason } from "../../src/gen/memorysidecar/v1/event.ts";
import {
  type NamedRecord,
  type RecordOperation,
  RecordOrder,
  type RecordRange,
} from "../../src/gen/memorysidecar/v1/record.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { expectLimit, limitRow, times, x } from "../support/contract/limits.ts";
import {
  deleteOf,
  named,
  nameOf,
  putOf,
  recordScene,
  shown,
} from "../support/contract/record-scene.ts";
import { memoryScope, record, recordDelete, recordRange } from "../support/contract/samples.ts";

let server: TestServer;
let namespaces = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const scene = () => recordScene(server, `n${++namespaces}`);

describe("a record", () => {
  test("is kept as it is given, and replaced as a whole", async () => {
    const { get, put } = scene();
    const given = {
      value: Buffer.from([0, 255, 1, 128]),
      mediaType: "application/json",
      owner: memoryScope({ userId: "ann", sessionId: "s" }),
      ttl: { seconds: 60n, nanos: 0 },
    };
    const { outcome } = await put("p/q/k", given);
    expect(outcome).toMatchObject({ created: true, version: 1n, deleted: false });
    const stored = await get("p/q/k");
    expect(stored).toEqual({
      ...named("p/q/k", given),
      ...{ version: 1n, etag: outcome?.etag, valueSize: 4n, writer: "local" },
      ...{ createTime: outcome?.createTime, updateTime: outcome?.createTime },
      expireTime: outcome?.expireTime,
    });
    expect(stored?.expireTime?.seconds).toBe((stored?.createTime?.seconds ?? 0n) + 60n);
    const again = await put("p/q/k", { value: Buffer.alloc(0) });
    expect(again.outcome).toMatchObject({ created: false, version: 2n, expireTime: undefined });
    expect(again.outcome?.etag).not.toBe(outcome?.etag);
    expect(await get("p/q/k")).toMatchObject({
      ...{ value: Buffer.alloc(0), valueSize: 0n, mediaType: "", owner: undefined, ttl: undefined },
      createTime: stored?.createTime,
    });
  });

  test("may be as large as its limit, and is then read alone", async () => {
    const { get, namespace, put } = scene();
    const value = Buffer.alloc(LIMITS.recordValueBytes, 7);
    const owner = memoryScope({ userId: x(512), agentId: x(512), sessionId: x(512) });
    const path = [x(255), x(255)];
    await put("", { path, key: x(500), value, owner, mediaType: x(127) });
    await put("", { path, key: "z" });
    const name = { path, key: x(500) };
    const { record: stored } = await server.client.call("getRecord", { namespace, ...name });
    expect(stored?.value.equals(value)).toBe(true);
    const range = recordRange({ path });
    const page = await server.client.call("listRecords", { namespace, range, includeValues: true });
    expect(page.records.map(({ key }) => key.length)).toEqual([500]);
    expect(page.nextPageToken).not.toBe("");
    const { results } = await server.client.call("batchGetRecords", {
      ...{ namespace, records: [name, { path, key: "z" }] },
    });
    expect(results.map(({ valueOmitted }) => valueOmitted)).toEqual([true, false]);
    expect(results[0]?.record).toMatchObject({ valueSize: BigInt(value.length) });
    await expect(get("p/none")).rejects.toThrow();
  });

  test("does not come with its value where that is not asked for", async () => {
    const { get, namespace, put } = scene();
    await put("p/a");
    expect(await get("p/a", { omitValue: true })).toMatchObject({ valueSize: 3n });
    const records = [nameOf("p/a"), nameOf("p/none")];
    const { results } = await server.client.call("batchGetRecords", {
      ...{ namespace, records, omitValues: true },
    });
    expect(
      results.map((one) => [one.record?.key, one.record?.value.length, one.valueOmitted]),
    ).toEqual([
      ["a", 0, false],
      [undefined, undefined, false],
    ]);
    const range = recordRange({ path: ["p"] });
    const list = async (includeValues: boolean) =>
      (await server.client.call("listRecords", { namespace, range, includeValues })).records[0];
    expect((await list(false))?.value.length).toBe(0);
    expect((await list(true))?.value.toString()).toBe("p/a");
  });

  test("is put with its version, its etag, or only where there is none", async () => {
    const { get, put } = scene();
    const precondition = (value: bigint) => ({
      precondition: { condition: { $case: "version", value } },
    });
    const exists = (value: boolean) => ({
      precondition: { condition: { $case: "exists", value } },
    });
    await put("p/a", {}, exists(false));
    await put("p/a", {}, exists(true));
    await put("p/a", {}, precondition(2n));
    const { etag = "" } = (await get("p/a")) ?? {};
    await put("p/a", { etag });
    const stale = { record: named("p/a", { etag }), namespace: `n${namespaces}` };
    expect(await server.client.fail("putRecord", stale)).toMatchObject({
      ...{ code: "ABORTED", reason: "ETAG_MISMATCH", metadata: { key: "a" } },
    });
    const old = { record: named("p/a"), namespace: `n${namespaces}`, ...precondition(2n) };
    expect(await server.client.fail("putRecord", old as object)).toMatchObject({
      reason: "RECORD_VERSION_MISMATCH",
      metadata: { key: "a", expected_version: "2", version: "4" },
    });
    const taken = { record: named("p/a"), namespace: `n${namespaces}`, ...exists(false) };
    expect(await server.client.fail("putRecord", taken as object)).toMatchObject({
      ...{ reason: "RECORD_ALREADY_EXISTS", metadata: { key: "a", version: "4" } },
    });
    expect((await get("p/a"))?.version).toBe(4n);
  });

  test("begins anew after a deletion, with another etag", async () => {
    const { fail, namespace, put } = scene();
    const first = await put("p/a");
    const deletion = { namespace, ...nameOf("p/a"), etag: first.outcome?.etag ?? "" };
    const { outcome, revision } = await server.client.call("deleteRecord", deletion);
    expect(outcome).toMatchObject({ deleted: true, version: 1n, etag: "" });
    expect(revision).toBe(2n);
    expect((await fail("p/a")).reason).toBe("RECORD_NOT_FOUND");
    const missing = { namespace, ...nameOf("p/a"), allowMissing: true };
    expect(await server.client.call("deleteRecord", missing)).toMatchObject({
      ...{ outcome: { deleted: false, version: 0n }, revision: 0n },
    });
    const second = await put("p/a");
    expect(second.outcome?.version).toBe(1n);
    expect(second.outcome?.etag).not.toBe(first.outcome?.etag);
  });

  test("is written once for a request id", async () => {
    const { get, put } = scene();
    const first = await put("p/a", {}, { requestId: "r" });
    expect(await put("p/a", {}, { requestId: "r" })).toEqual(first);
    expect((await get("p/a"))?.version).toBe(1n);
    const other = { namespace: `n${namespaces}`, record: named("p/b"), requestId: "r" };
    expect((await server.client.fail("putRecord", other)).reason).toBe("REQUEST_ID_REUSED");
  });

  test("is seen in its namespace only", async () => {
    const { put } = scene();
    await put("p/a");
    const other = scene();
    expect((await other.fail("p/a")).reason).toBe("RECORD_NOT_FOUND");
    expect(await other.list({ recursive: true })).toEqual([]);
  });
});

describe("ListRecords", () => {
  test("gives a path or all below it, ranges of keys, and both directions", async () => {
    const { list, putAll } = scene();
    await putAll("p/a", "p/b", "p/b1", "p/c", "p/q/a", "p!/a", "pq/a");
    const desc = { order: RecordOrder.NAME_DESC };
    expect(await list({})).toEqual(["p/a", "p/b", "p/b1", "p/c"]);
    expect(await list({}, desc)).toEqual(["p/c", "p/b1", "p/b", "p/a"]);
    expect(await list({ recursive: true })).toEqual(["p/a", "p/b", "p/b1", "p/c", "p/q/a"]);
    expect(await list({ keyPrefix: "b" }, desc)).toEqual(["p/b1", "p/b"]);
    expect(await list({ startKey: "b", endKey: "c" })).toEqual(["p/b", "p/b1"]);
    expect(await list({ path: ["q"] })).toEqual([]);
  });

  test.for([RecordOrder.NAME_ASC, RecordOrder.NAME_DESC])(
    "goes on by pages, order %s",
    async (order) => {
      const { namespace, putAll } = scene();
      const names = times(7, (at) => `p/${at}`);
      await putAll(...names);
      const request = { namespace, range: recordRange({ path: ["p"] }), order, pageSize: 3 };
      const seen: string[] = [];
      let pageToken = "";
      do {
        const page = await server.client.call("listRecords", { ...request, pageToken });
        seen.push(...page.records.map(shown));
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      expect(seen).toEqual(order === RecordOrder.NAME_ASC ? names : names.toReversed());
    },
  );

  test("refuses the token of another list", async () => {
    const { namespace, putAll } = scene();
    await putAll("p/a", "p/b");
    const request = { namespace, range: recordRange({ path: ["p"] }), pageSize: 1 };
    const { nextPageToken: pageToken } = await server.client.call("listRecords", request);
    const other = { ...request, pageToken, includeValues: true };
    expect((await server.client.fail("listRecords", other)).reason).toBe("PAGE_TOKEN_INVALID");
  });
});

describe("ListRecordPaths", () => {
  const lister = (namespace: string) => async (fields: object) => {
    const seen: string[] = [];
    let pageToken = "";
    do {
      const request = { namespace, ...fields, pageToken };
      const page = await server.client.call("listRecordPaths", request);
      seen.push(...page.folders.map(({ path }) => path.join("/")));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    return seen;
  };

  test("gives each path once, by prefix, suffix and depth", async () => {
    const { namespace, putAll } = scene();
    await putAll("p/a", "p/b", "p/q/a", "p/q/r/a", "p!/a", "x/q/a");
    const paths = lister(namespace);
    expect(await paths({})).toEqual(["p", "p/q", "p/q/r", "p!", "x/q"]);
    expect(await paths({ pageSize: 2 })).toEqual(["p", "p/q", "p/q/r", "p!", "x/q"]);
    expect(await paths({ prefix: ["p"] })).toEqual(["p", "p/q", "p/q/r"]);
    expect(await paths({ suffix: ["q"], pageSize: 1 })).toEqual(["p/q", "x/q"]);
    expect(await paths({ maxDepth: 1, pageSize: 1 })).toEqual(["p", "p!", "x"]);
    expect(await paths({ prefix: ["p"], suffix: ["r"], maxDepth: 2 })).toEqual(["p/q"]);
    expect(await paths({ prefix: ["none"] })).toEqual([]);
    expect(await lister(scene().namespace)({})).toEqual([]);
  });

  test("knows no path whose records have expired or were deleted", async () => {
    const { namespace, put, write } = scene();
    const paths = lister(namespace);
    await put("p/a", { ttl: { seconds: 10n, nanos: 0 } });
    await put("q/a");
    expect(await paths({})).toEqual(["p", "q"]);
    server.advance(10_000);
    expect(await paths({})).toEqual(["q"]);
    await write([deleteOf("q/a")]);
    expect(await paths({})).toEqual([]);
  });

  test("refuses the token of another list", async () => {
    const { namespace, putAll } = scene();
    await putAll("p/a", "q/a");
    const request = { namespace, pageSize: 1 };
    const { nextPageToken: pageToken } = await server.client.call("listRecordPaths", request);
    const other = { ...request, pageToken, maxDepth: 1 };
    expect((await server.client.fail("listRecordPaths", other)).reason).toBe("PAGE_TOKEN_INVALID");
  });
});

describe("WriteRecords", () => {
  test("does everything in one revision", async () => {
    const { list, putAll, write } = scene();
    await putAll("p/a", "p/b");
    const check: RecordOperation = {
      operation: {
        $case: "check",
        value: {
          record: nameOf("p/b"),
          etag: "",
          precondition: { condition: { $case: "version", value: 1n } },
        },
      },
    };
    const operations = [putOf("p/c"), deleteOf("p/a"), check, deleteOf("p/x")];
    const { outcomes, revision } = await write(operations);
    expect(outcomes.map(({ created, deleted, version }) => [created, deleted, version])).toEqual([
      [true, false, 1n],
      [false, true, 1n],
      [false, false, 1n],
      [false, false, 0n],
    ]);
    expect(revision).toBe(3n);
    expect(await list({})).toEqual(["p/b", "p/c"]);
    expect((await write([check, deleteOf("p/x")])).revision).toBe(0n);
  });

  test("does nothing when one operation fails", async () => {
    const { list, namespace, putAll } = scene();
    await putAll("p/a");
    const { key, path } = nameOf("p/x");
    const value = { ...recordDelete(path, key), allowMissing: false };
    const failing: RecordOperation = { operation: { $case: "deletion", value } };
    const operations = [putOf("p/c"), deleteOf("p/a"), failing];
    expect(await server.client.fail("writeRecords", { namespace, operations })).toMatchObject({
      ...{ reason: "RECORD_NOT_FOUND", metadata: { key: "x", operation: "2" } },
    });
    expect(await list({})).toEqual(["p/a"]);
  });

  test("lets one of several with the same version win", async () => {
    const { get, namespace, put } = scene();
    await put("p/a");
    const precondition = { condition: { $case: "version", value: 1n } } as const;
    const value = { record: named("p/a"), precondition };
    const request = { namespace, operations: [{ operation: { $case: "put", value } as const }] };
    const all = await Promise.allSettled(
      times(8, () => server.client.call("writeRecords", request)),
    );
    expect(all.filter(({ status }) => status === "fulfilled").length).toBe(1);
    expect((await get("p/a"))?.version).toBe(2n);
  });
});

describe("DeleteRecords", () => {
  test("deletes a range, as much as one transaction may", async () => {
    const { list, namespace, putAll, write } = scene();
    await putAll("p/x", "p/y", "pq/a");
    const count = LIMITS.deleteRecords + 5;
    for (let at = 0; at < count; at += LIMITS.recordOperations) {
      const size = Math.min(LIMITS.recordOperations, count - at);
      await write(times(size, (index) => putOf(`p/q/${String(at + index).padStart(5, "0")}`)));
    }
    const clear = (path: string[], recursive: boolean) => {
      const range = recordRange({ path, recursive });
      return server.client.call("deleteRecords", { namespace, range });
    };
    const first = await clear(["p", "q"], false);
    expect(first).toMatchObject({ deletedCount: LIMITS.deleteRecords, more: true });
    expect((await list({ path: ["p", "q"] }))[0]).toBe("p/q/01000");
    expect(await clear(["p"], true)).toMatchObject({ deletedCount: 7, more: false });
    expect(await clear(["p"], true)).toEqual({ deletedCount: 0, more: false, revision: 0n });
    expect(await list({ path: ["pq"] })).toEqual(["pq/a"]);
  });
});

describe("a record with a ttl", () => {
  const ttl = { seconds: 10n, nanos: 0 };

  test("is gone after its time, and its deletion is told", async () => {
    const { events, fail, list, put } = scene();
    await put("p/a", { ttl });
    await put("p/b");
    server.advance(9_000);
    expect(await list({})).toEqual(["p/a", "p/b"]);
    server.advance(5_000);
    expect((await fail("p/a")).reason).toBe("RECORD_NOT_FOUND");
    expect(await list({})).toEqual(["p/b"]);
    await expect
      .poll(async () => (await events()).at(-1)?.type, { timeout: 20_000 })
      .toBe(EventType.RECORDS_DELETED);
    const detail = (await events()).at(-1)?.detail;
    const records = [nameOf("p/a")];
    expect(detail).toMatchObject({
      value: { records, reason: RecordDeleteReason.EXPIRED },
    });
  });

  test("is created anew when it is put after its time", async () => {
    const { get, put } = scene();
    await put("p/a", { ttl });
    server.advance(10_001);
    expect((await put("p/a")).outcome).toMatchObject({ created: true, version: 1n });
    expect((await get("p/a"))?.expireTime).toBeUndefined();
  });

  test("lives on when a read refreshes it, without an event", async () => {
    const { events, get, list, namespace, put } = scene();
    const reads: readonly (() => Promise<unknown>)[] = [
      () => get("p/a", { refreshTtl: true }),
      () => list({}, { refreshTtl: true }),
      () =>
        server.client.call("batchGetRecords", {
          namespace,
          records: [nameOf("p/a")],
          refreshTtl: true,
        }),
    ];
    await put("p/a", { ttl });
    for (const read of reads) {
      server.advance(8_000);
      await read();
    }
    server.advance(8_000);
    const stored = await get("p/a");
    expect(stored).toMatchObject({ version: 1n });
    expect((await events()).length).toBe(1);
    server.advance(3_000);
    await expect(get("p/a")).rejects.toThrow();
  });
});

test("events name what was written and deleted, for each owner, without values", async () => {
  const { events, namespace, put, write } = scene();
  const owner = memoryScope({ userId: "ann", agentId: "helper", sessionId: "s" });
  await put("p/a", { owner });
  await put("p/b");
  await write([
    {
      operation: {
        $case: "put",
        value: { record: named("p/a", { owner }), precondition: undefined },
      },
    },
    deleteOf("p/b"),
    putOf("p/c"),
  ]);
  const told = (await events()).map(({ agentId, detail, revision, sessionId, type, userId }) => {
    const of = [type, revision, userId, agentId, sessionId];
    return [...of, detail?.value];
  });
  expect(told).toEqual([
    [
      EventType.RECORDS_WRITTEN,
      1n,
      "ann",
      "helper",
      "s",
      { records: [{ ...nameOf("p/a"), version: 1n }] },
    ],
    [EventType.RECORDS_WRITTEN, 2n, "", "", "", { records: [{ ...nameOf("p/b"), version: 1n }] }],
    [
      EventType.RECORDS_WRITTEN,
      3n,
      "ann",
      "helper",
      "s",
      { records: [{ ...nameOf("p/a"), version: 2n }] },
    ],
    [EventType.RECORDS_WRITTEN, 3n, "", "", "", { records: [{ ...nameOf("p/c"), version: 1n }] }],
    [
      EventType.RECORDS_DELETED,
      3n,
      "",
      "",
      "",
      { records: [nameOf("p/b")], reason: RecordDeleteReason.REQUEST },
    ],
  ]);
  const filter = {
    sessionId: undefined,
    userId: "ann",
    sessionIds: [],
    sessionIdPrefixes: [],
    eventTypes: [],
  };
  const { events: anns } = await server.client.call("listEvents", { namespace, filter });
  expect(anns.length).toBe(2);
});

test("EraseSubject erases the records of an owner, and counts them", async () => {
  const { events, list, namespace, put } = scene();
  const owner = memoryScope({ userId: "ann" });
  await put("p/a", { owner });
  await put("p/b", { owner: memoryScope({ userId: "bob" }) });
  await put("q/a", { owner });
  const subject = { subject: { $case: "userId", value: "ann" } } as const;
  const counted = async (dryRun: boolean) =>
    (await server.client.call("eraseSubject", { namespace, subject, dryRun })).erasure;
  expect((await counted(true))?.erased).toEqual([{ kind: 9, count: 2n }]);
  expect(await list({ recursive: true })).toEqual(["p/a", "p/b"]);
  const { erasureId = "" } = (await counted(false)) ?? {};
  const receipt = () => server.client.call("getErasure", { namespace, erasureId });
  await expect
    .poll(async () => (await receipt()).erasure?.endTime, { timeout: 20_000 })
    .toBeDefined();
  expect((await receipt()).erasure?.erased).toEqual([{ kind: 9, count: 2n }]);
  expect(await list({})).toEqual(["p/b"]);
  expect(await list({ path: ["q"] })).toEqual([]);
  expect((await events()).at(-1)?.detail?.value).toMatchObject({
    ...{ records: [nameOf("p/a"), nameOf("q/a")], reason: RecordDeleteReason.ERASED },
  });
});

describe("a limit of records", () => {
  const put = (fields: (size: number) => Partial<NamedRecord>) => (size: number) => ({
    record: record({ path: ["p"], key: "k", ...fields(size) }),
  });
  const range = (fields: (size: number) => Partial<RecordRange>) => (size: number) => ({
    range: recordRange({ path: ["p"], ...fields(size) }),
  });
  const long = [x(255), x(255), x(255)];
  test.for([
    limitRow(
      "putRecord",
      "record.path",
      LIMITS.recordPathSegments,
      put((size) => ({ path: times(size, () => "p") })),
    ),
    limitRow(
      "putRecord",
      "record.path[0]",
      LIMITS.recordSegmentBytes,
      put((size) => ({ path: [x(size)] })),
    ),
    limitRow(
      "putRecord",
      "record.key",
      LIMITS.recordKeyBytes,
      put((size) => ({ key: x(size) })),
    ),
    limitRow(
      "putRecord",
      "record.key",
      LIMITS.recordNameBytes,
      put((size) => ({ path: long, key: x(size - 768) })),
    ),
    limitRow(
      "putRecord",
      "record.value",
      LIMITS.recordValueBytes,
      put((size) => ({ value: Buffer.alloc(size) })),
    ),
    limitRow(
      "putRecord",
      "record.media_type",
      LIMITS.recordMediaTypeBytes,
      put((size) => ({ mediaType: x(size) })),
    ),
    limitRow("getRecord", "key", LIMITS.recordNameBytes, (size) => ({
      path: long,
      key: x(size - 768),
    })),
    limitRow("deleteRecord", "key", LIMITS.recordNameBytes, (size) => ({
      path: long,
      key: x(size - 768),
      allowMissing: true,
    })),
    limitRow("batchGetRecords", "records", LIMITS.recordOperations, (size) => ({
      records: times(size, () => nameOf("p/a")),
    })),
    limitRow("batchGetRecords", "records[0].key", LIMITS.recordNameBytes, (size) => ({
      records: [{ path: long, key: x(size - 768) }],
    })),
    limitRow(
      "listRecords",
      "range.key_prefix",
      LIMITS.recordKeyBytes,
      range((size) => ({ keyPrefix: x(size) })),
    ),
    limitRow(
      "listRecords",
      "range.start_key",
      LIMITS.recordKeyBytes,
      range((size) => ({ startKey: x(size) })),
    ),
    limitRow(
      "deleteRecords",
      "range.end_key",
      LIMITS.recordKeyBytes,
      range((size) => ({ endKey: x(size) })),
    ),
    ...(["prefix", "suffix"] as const).map((field) =>
      limitRow("listRecordPaths", field, LIMITS.recordNameBytes, (size) => ({
        [field]: [x(255), x(255), x(255), x(200), x(size - 970)],
      })),
    ),
    limitRow("writeRecords", "operations", LIMITS.recordOperations, (size) => ({
      operations: times(size, (at) => deleteOf(`p/${at}`)),
    })),
    limitRow(
      "writeRecords",
      "operations[0].deletion.record.key",
      LIMITS.recordNameBytes,
      (size) => ({
        operations: [
          { operation: { $case: "deletion" as const, value: recordDelete(long, x(size - 768)) } },
        ],
      }),
    ),
  ])("$method $field holds exactly: $max", (entry) => expectLimit(server, entry));
});

test.for<readonly [string, Parameters<typeof server.client.fail>[0], object]>([
  [
    "range.key_prefix",
    "listRecords",
    { range: recordRange({ path: ["p"], recursive: true, keyPrefix: "a" }) },
  ],
  [
    "range.start_key",
    "deleteRecords",
    { range: recordRange({ path: ["p"], recursive: true, startKey: "a" }) },
  ],
  [
    "range.end_key",
    "deleteRecords",
    { range: recordRange({ path: ["p"], recursive: true, endKey: "a" }) },
  ],
  ["record.key", "putRecord", { record: record({ path: ["p"], key: "a\0" }) }],
  ["record.path[1]", "putRecord", { record: record({ path: ["p", "\n"], key: "a" }) }],
  [
    "precondition.exists",
    "deleteRecord",
    { ...nameOf("p/a"), precondition: { condition: { $case: "exists", value: false } } },
  ],
  ["operations[1].put.record.key", "writeRecords", { operations: [deleteOf("p/a"), putOf("p/a")] }],
  [
    "record.value",
    "putRecord",
    { record: record({ ...nameOf("p/a"), uploadId: "u", value: Buffer.from("v") }) },
  ],
  [
    "record.value_crc32",
    "putRecord",
    { record: record({ ...nameOf("p/a"), value: Buffer.from("v"), valueCrc32: 1 }) },
  ],
  [
    "operations[1].put.record.upload_id",
    "writeRecords",
    {
      operations: ["p/a", "p/b"].map((name) => ({
        operation: {
          $case: "put" as const,
          value: {
            record: record({ ...nameOf(name), uploadId: "u" }),
            precondition: undefined,
          },
        },
      })),
    },
  ],
  [
    "operations[0].check.precondition",
    "writeRecords",
    {
      operations: [
        {
          operation: {
            $case: "check",
            value: { record: nameOf("p/a"), etag: "", precondition: undefined },
          },
        },
      ],
    },
  ],
  [
    "operations[0].deletion.precondition.exists",
    "writeRecords",
    {
      operations: [
        {
          operation: {
            $case: "deletion",
            value: {
              ...recordDelete(["p"], "a"),
              precondition: { condition: { $case: "exists", value: false } },
            },
          },
        },
      ],
    },
  ],
])("%s of %s is told when it is wrong", async ([field, method, request]) => {
  const failure = await server.client.fail(method, request);
  expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: [field] });
});
