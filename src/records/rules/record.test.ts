import { describe, expect, test } from "vitest";
import { AppError } from "../../kit/errors.ts";
import { Etags } from "../../kit/etag.ts";
import {
  afterPath,
  decideRecords,
  type KeptRecord,
  type PathChoice,
  type RecordOperation,
  recordDocumentIds,
  recordId,
  recordNameOf,
  shownPath,
} from "./record.ts";

const etags = new Etags("0123456789abcdef");
const NOW_MS = 10_000;
const stamp = { revision: 8, nowMs: NOW_MS, writer: "me", etags };
const NAME = { path: ["p"], key: "k" };
const NOBODY = { userId: "", agentId: "", sessionId: "" };

function kept(parts: Partial<KeptRecord> = {}): KeptRecord {
  return {
    ...NAME,
    ...{
      valueBytes: 1,
      crc32: undefined,
      mediaType: "",
      owner: NOBODY,
      ttlMs: 0,
      expireMs: 0,
      version: 3,
    },
    ...{ etagRevision: 5, writer: "you", createMs: 1, updateMs: 2 },
    ...parts,
  };
}

const draft = {
  ...{ ...NAME, value: Buffer.from("new"), uploadId: "", crc32: undefined },
  ...{ mediaType: "m", owner: NOBODY, ttlMs: 500 },
};
const put = (condition?: number | boolean, etag = ""): RecordOperation => ({
  ...{ kind: "put", name: { ...draft, etag }, condition },
});
const remove = (
  condition?: number | boolean,
  etag = "",
  allowMissing = false,
): RecordOperation => ({
  ...{ kind: "delete", name: { ...NAME, etag }, condition, allowMissing },
});
const check = (condition?: number | boolean, etag = ""): RecordOperation => ({
  ...{ kind: "check", name: { ...NAME, etag }, condition },
});

function decide(operation: RecordOperation, stored?: KeptRecord) {
  const records = new Map(stored === undefined ? [] : [[recordId(stored), stored]]);
  return decideRecords([operation], { records, uploads: new Map() }, stamp, false);
}

function outcomeOf(operation: RecordOperation, stored?: KeptRecord): string {
  try {
    const { outcomes, put: written, remove: gone } = decide(operation, stored);
    const [{ created = false, deleted = false, record } = {}] = outcomes;
    const done = created ? "created" : deleted ? "deleted" : written.length > 0 ? "replaced" : "";
    return `${done}${record?.version ?? "-"}${gone.length > 0 ? " gone" : ""}`;
  } catch (error) {
    if (error instanceof AppError) return error.reason;
    throw error;
  }
}

describe("an operation", () => {
  const stored = kept();
  const etag = etags.of(5);
  test.each<readonly [string, RecordOperation, KeptRecord | undefined, string]>([
    ["a put of nothing", put(), undefined, "created1"],
    ["a put", put(), stored, "replaced4"],
    ["a put that only creates", put(false), undefined, "created1"],
    ["a put that only creates, too late", put(false), stored, "RECORD_ALREADY_EXISTS"],
    ["a put that only replaces", put(true), stored, "replaced4"],
    ["a put that only replaces, of nothing", put(true), undefined, "RECORD_NOT_FOUND"],
    ["a put of this version", put(3), stored, "replaced4"],
    ["a put of another version", put(2), stored, "RECORD_VERSION_MISMATCH"],
    ["a put of a version, of nothing", put(1), undefined, "RECORD_VERSION_MISMATCH"],
    ["a put with the etag", put(undefined, etag), stored, "replaced4"],
    ["a put with another etag", put(undefined, etags.of(4)), stored, "ETAG_MISMATCH"],
    ["a put with an etag, of nothing", put(undefined, etag), undefined, "ETAG_MISMATCH"],
    ["a put after its time", put(false), kept({ expireMs: NOW_MS }), "created1"],
    ["a put just before its end", put(), kept({ expireMs: NOW_MS + 1 }), "replaced4"],
    ["a deletion", remove(), stored, "deleted3 gone"],
    ["a deletion of nothing", remove(), undefined, "RECORD_NOT_FOUND"],
    ["a deletion that may miss", remove(undefined, etag, true), undefined, "-"],
    ["a deletion of another version", remove(2), stored, "RECORD_VERSION_MISMATCH"],
    ["a deletion with another etag", remove(undefined, "x"), stored, "ETAG_MISMATCH"],
    ["a deletion after its time", remove(), kept({ expireMs: 1 }), "RECORD_NOT_FOUND"],
    ["a check of this version", check(3), stored, "3"],
    ["a check of another version", check(4), stored, "RECORD_VERSION_MISMATCH"],
    ["a check that it is missing", check(false), undefined, "-"],
    ["a check with another etag", check(undefined, "x"), stored, "ETAG_MISMATCH"],
    ["a check with an etag, of nothing", check(undefined, etag), undefined, "ETAG_MISMATCH"],
  ])("%s", (_, operation, before, expected) => {
    expect(outcomeOf(operation, before)).toBe(expected);
  });

  test("keeps the time of creation, and begins the ttl anew", () => {
    const [record] = decide(put(), kept({ ttlMs: 5, expireMs: NOW_MS + 2 })).put;
    expect(record).toEqual({
      ...{ ...draft, valueBytes: 3, version: 4, etagRevision: 8, writer: "me" },
      ...{ createMs: 1, updateMs: NOW_MS, expireMs: NOW_MS + 500 },
    });
  });

  test("counts the documents of the record, and leaves them to others", () => {
    const documents = ["one", "two"].map((text) => ({ text, embedding: undefined, wire: {} }));
    const name = { ...draft, etag: "", search: { collectionId: "c", documents } };
    const [record] = decide({ kind: "put", name, condition: undefined }).put;
    expect(record?.search).toEqual({ collectionId: "c", documentCount: 2 });
    expect(record).not.toHaveProperty("documents");
    expect(decide(put()).put[0]).not.toHaveProperty("search");
  });

  test("tells of the record that it replaces after its time", () => {
    const before = kept({ expireMs: 1 });
    expect(decide(put(), before).expired).toEqual([before]);
    expect(decide(put(), kept()).expired).toEqual([]);
  });

  test("is named in the error when it is one of several", () => {
    const other = { ...draft, key: "other", etag: "" };
    const both: RecordOperation[] = [{ kind: "put", name: other, condition: undefined }, put(7)];
    expect(() =>
      decideRecords(both, { records: new Map(), uploads: new Map() }, stamp, true),
    ).toThrow(
      expect.objectContaining({
        detail: {
          metadata: { key: "k", operation: 1, expected_version: 7, version: 0 },
        },
      }) as Error,
    );
  });
});

test("the ids of the documents of a record name it and their places", () => {
  const search = { collectionId: "c", documentCount: 2 };
  const [first = "", second] = recordDocumentIds({ ...NAME, search });
  expect(first).toMatch(/^record:[0-9a-f]{64}:0$/);
  expect(second).toBe(first.replace(/0$/, "1"));
  expect(recordDocumentIds({ path: ["p", "k"], key: "k", search })).not.toContain(first);
  expect(recordDocumentIds(NAME)).toEqual([]);
});

test.each([
  [["p"], "k"],
  [["p", "q/r", "é"], "a/b"],
])("the id of %j, %j leads back to it", (path, key) => {
  expect(recordNameOf(recordId({ path, key }))).toEqual({ path, key });
});

test.each(["", "k", "p\0k", "\0\0k", "p\0\0", "p\0\0a\0b", "p\0\0\0k"])("%j is no id", (id) => {
  expect(recordNameOf(id)).toBeUndefined();
});

test.each([
  [["p"], false, "p\0\0\uffff", "p\0q\0\0a"],
  [["p"], true, "p\0\uffff\0\0k", "p!\0\0a"],
])("the place after %j lies behind its records: all below %s", (path, isRecursive, last, next) => {
  const place = afterPath(path, isRecursive);
  expect([next, place, last].sort()).toEqual([last, place, next]);
});

test.each<[string, Partial<PathChoice>, string | undefined]>([
  ["a/b/c", {}, "a/b/c"],
  ["a/b/c", { prefix: ["a", "b"] }, "a/b/c"],
  ["a/b/c", { prefix: ["a", "c"] }, undefined],
  ["a", { prefix: ["a", "b"] }, undefined],
  ["a/b/c", { suffix: ["b", "c"] }, "a/b/c"],
  ["a/b/c", { suffix: ["b"] }, undefined],
  ["c", { suffix: ["b", "c"] }, undefined],
  ["a/b/c", { suffix: ["c"], maxDepth: 1 }, "a"],
  ["a", { maxDepth: 2 }, "a"],
])("of %s a list with %j shows %s", (path, choice, shown) => {
  const all = { prefix: [], suffix: [], maxDepth: 0, ...choice };
  expect(shownPath(path.split("/"), all)?.join("/")).toBe(shown);
});
