// Damages single records that callers keep by name: verify must report every one, and a read must
// not give another answer.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTempDir, type TempDir } from "../../../test/support/kit/temp-dir.ts";
import { readFacts, START_MS } from "../../../test/support/store/plans.ts";
import { changeRecords, changeUpload } from "../../../test/support/store/records.ts";
import { recordDocumentId, recordId } from "../../records/rules/record.ts";
import { seal, unseal } from "../engine/envelope.ts";
import { type Environment, openEnvironment } from "../engine/environment.ts";
import { u64 } from "../engine/keys.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import { COLLECTION, DOCUMENT, DOCUMENT_ID, type DocumentRow } from "../tables/document-tables.ts";
import {
  encodeRecordBody,
  partId,
  RECORD,
  RECORD_END,
  RECORD_UPLOAD,
  type RecordRow,
  type UploadRow,
  VALUE_PART,
} from "../tables/records.ts";
import { verifyDirectory } from "./verify.ts";

const OPTIONS = { readFacts, floor: { bytes: 0 } };
const NAMES = ["a", "b", "c"].map((key) => ({ path: ["p"], key }));
const ID = "p\0\0b";
const KEY = RECORD.key("default", ID);
const END_MS = START_MS + 1_000;

let temporary: TempDir;
let golden = "";
let uploaded = "";
let copies = 0;

beforeAll(async () => {
  temporary = await makeTempDir();
  golden = join(temporary.path, "golden");
  const search = { collectionId: "c", texts: ["one", "two"] };
  const put = NAMES.map((name) => ({ ...name, text: `text of ${name.key}`, ttlMs: 1_000, search }));
  const action = { kind: "records", namespace: "default", sessionId: "", remove: [] } as const;
  const store = await openLmdbStore({ directory: golden, ...OPTIONS });
  await changeRecords(store, { ...action, nowMs: START_MS, put });
  await store.close();
  // The newest journal record covers the index; it must not hold what is damaged.
  const again = await openLmdbStore({ directory: golden, ...OPTIONS });
  const other = [{ path: ["q"], key: "a", text: "" }];
  await changeRecords(again, { ...action, nowMs: START_MS, put: other });
  await again.close();
  uploaded = join(temporary.path, "uploaded");
  await fillUploaded(uploaded);
});

/** A store with a record of three parts, and an upload that no record has taken. */
async function fillUploaded(directory: string): Promise<void> {
  const upload = { kind: "upload", namespace: "default", nowMs: START_MS } as const;
  const action = { kind: "records", namespace: "default", sessionId: "", remove: [] } as const;
  const store = await openLmdbStore({ directory, ...OPTIONS });
  for (const text of PARTS) await changeUpload(store, { ...upload, uploadId: "u", text });
  const put = [{ ...UPLOADED, text: "", uploadId: "u" }];
  await changeRecords(store, { ...action, nowMs: START_MS, put });
  await changeUpload(store, { ...upload, uploadId: "open", text: "open" });
  await store.close();
  const again = await openLmdbStore({ directory, ...OPTIONS });
  const other = [{ path: ["q"], key: "a", text: "" }];
  await changeRecords(again, { ...action, nowMs: START_MS, put: other });
  await again.close();
}

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

function rowIn({ index }: Environment): RecordRow {
  return RECORD.decode(unseal(KEY, index.get(KEY) ?? Buffer.alloc(0), "record"));
}

function putRow(env: Environment, parts: Partial<RecordRow>) {
  return env.index.put(KEY, RECORD.encode(KEY, { ...rowIn(env), ...parts }));
}

/** Changes the row of the first document of the record. */
async function putDocument(env: Environment, parts: Partial<DocumentRow>) {
  const at = COLLECTION.key("default", "c");
  const { logNo } = decoded(env, at, COLLECTION);
  const id = DOCUMENT_ID.key(logNo, recordDocumentId(ID, 0));
  const key = DOCUMENT.key(logNo, decoded(env, id, DOCUMENT_ID));
  const row = decoded(env, key, DOCUMENT);
  await env.index.put(key, DOCUMENT.encode(key, { ...row, ...parts }));
}

async function putBody(env: Environment, id: string, text: string) {
  const key = u64(rowIn(env).bodyNo);
  await env.message.put(key, seal(key, encodeRecordBody({ id, value: Buffer.from(text) })));
}

function flip(record: Buffer | undefined): Buffer {
  const bytes = Buffer.from(record ?? []);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return bytes;
}

const bodyKey = (env: Environment) => u64(rowIn(env).bodyNo);

const DAMAGES: readonly [string, string, (env: Environment) => Promise<unknown>][] = [
  [
    "a damaged row",
    "a record of the index is damaged",
    ({ index }) => index.put(KEY, flip(index.get(KEY))),
  ],
  ["a lost row", "a message belongs to no log", ({ index }) => index.remove(KEY)],
  ["a lost body", "the body of a record is missing", (env) => env.message.remove(bodyKey(env))],
  [
    "a damaged body",
    "the body of a record is damaged",
    (env) => env.message.put(bodyKey(env), flip(env.message.get(bodyKey(env)))),
  ],
  [
    "the body of another record",
    "a record and its row differ",
    (env) => putBody(env, "p\0\0x", "text of b"),
  ],
  ["a torn body", "a record and its row differ", (env) => putBody(env, ID, "text")],
  [
    "a later revision",
    "a record is of a later revision",
    (env) => putRow(env, { etagRevision: 9 }),
  ],
  ["no version", "a record has no version", (env) => putRow(env, { version: 0 })],
  ["another end", "a record would never expire", (env) => putRow(env, { expireMs: 5 })],
  ["an end too many", "the ends of records are wrong", (env) => putRow(env, { expireMs: 0 })],
  [
    "a lost end",
    "a record would never expire",
    ({ index }) => index.remove(RECORD_END.key(END_MS, "default", ID)),
  ],
  [
    "a record that has forgotten its documents",
    "a document belongs to no record",
    (env) => {
      const { search: _, ...row } = rowIn(env);
      return env.index.put(KEY, RECORD.encode(KEY, row));
    },
  ],
  [
    "a record with more documents than there are",
    "records lack documents",
    (env) => putRow(env, { search: { collectionId: "c", documentCount: 3 } }),
  ],
  [
    "a record with documents in another collection",
    "a document belongs to no record",
    (env) => putRow(env, { search: { collectionId: "d", documentCount: 2 } }),
  ],
  [
    "a document that ends before its record",
    "a document belongs to no record",
    (env) => putDocument(env, { expireMs: END_MS - 1 }),
  ],
  [
    "a document of another record",
    "a document belongs to no record",
    (env) => putDocument(env, { recordId: recordId({ path: ["p"], key: "c" }) }),
  ],
  [
    "a document of no record",
    "the documents of records are counted wrongly",
    (env) => putDocument(env, { recordId: "" }),
  ],
  [
    "a name that none can have",
    "a record has a wrong name",
    async (env) => {
      const key = RECORD.key("default", "p\0b");
      await env.index.put(key, RECORD.encode(key, rowIn(env)));
    },
  ],
];

const PARTS = ["first ", "second ", "third"];
const UPLOADED = { path: ["p"], key: "uploaded" };
const UPLOADED_KEY = RECORD.key("default", recordId(UPLOADED));
const UPLOAD_KEY = RECORD_UPLOAD.key("default", "open");

function decoded<R>(
  { index }: Environment,
  key: string,
  table: { decode(bytes: Uint8Array): R },
): R {
  return table.decode(unseal(key, index.get(key) ?? Buffer.alloc(0), "row"));
}

const partsNo = (env: Environment) => decoded(env, UPLOADED_KEY, RECORD).partsNo;
const partKey = (env: Environment, at = 6) => VALUE_PART.key(partsNo(env), at);
const partNo = (env: Environment) => decoded(env, partKey(env), VALUE_PART).bodyNo;

async function putPart(env: Environment, offset: number, text: string) {
  const key = u64(partNo(env));
  const body = { id: partId(partsNo(env), offset), value: Buffer.from(text) };
  await env.message.put(key, seal(key, encodeRecordBody(body)));
}

async function putUpload(env: Environment, parts: Partial<UploadRow>) {
  const row = { ...decoded(env, UPLOAD_KEY, RECORD_UPLOAD), ...parts };
  await env.index.put(UPLOAD_KEY, RECORD_UPLOAD.encode(UPLOAD_KEY, row));
}

const PART_DAMAGES: readonly [string, string, (env: Environment) => Promise<unknown>][] = [
  ["a lost part", "a value in parts is not whole", (env) => env.index.remove(partKey(env))],
  [
    "a lost last part",
    "a value in parts is not whole",
    (env) => env.index.remove(partKey(env, 13)),
  ],
  [
    "the lost body of a part",
    "the body of a part is missing",
    (env) => env.message.remove(u64(partNo(env))),
  ],
  [
    "the damaged body of a part",
    "the body of a part is damaged",
    (env) => env.message.put(u64(partNo(env)), flip(env.message.get(u64(partNo(env))))),
  ],
  [
    "a part of another place",
    "a part of a value does not follow the one before",
    (env) => putPart(env, 0, "second "),
  ],
  [
    "a part of another size",
    "a part of a value does not follow the one before",
    (env) => putPart(env, 6, "seconds "),
  ],
  [
    "parts that belong to nobody",
    "a record belongs to no log",
    ({ index }) => index.remove(UPLOADED_KEY),
  ],
  [
    "an upload that never ends",
    "an upload would never end",
    (env) => putUpload(env, { expireMs: 7 }),
  ],
  [
    "an upload of another number of parts",
    "the parts of an upload are counted wrongly",
    (env) => putUpload(env, { partCount: 7 }),
  ],
  [
    "an upload with the parts of a record",
    "the parts of a value belong to another log",
    (env) => putUpload(env, { partsNo: partsNo(env) }),
  ],
  ["a lost upload", "the ends of uploads are wrong", ({ index }) => index.remove(UPLOAD_KEY)],
];

test.each(PART_DAMAGES)("verify finds %s, and reads do not make it up", async (_, kind, alter) => {
  const { directory, env } = await copyOf(uploaded);
  await alter(env);
  await env.root.close();
  const { problems } = await verifyDirectory(directory);
  expect(problems.map((problem) => problem.kind)).toContain(kind);
  const store = await openLmdbStore({ directory, ...OPTIONS });
  const text = await store.readRecordRange("default", UPLOADED, { offset: 0, limit: 1_000 }).then(
    (record) => record && Buffer.from(record.value ?? []).toString(),
    (error: unknown) => String(error),
  );
  await store.close();
  expect([undefined, PARTS.join("")].includes(text) || text?.includes("damaged")).toBe(true);
});

test("verify finds parts with another checksum", async () => {
  const { directory, env } = await copyOf(uploaded);
  await putPart(env, 6, "SECOND ");
  await env.root.close();
  const { problems } = await verifyDirectory(directory);
  expect(problems.map((problem) => problem.kind)).toEqual(["a value in parts is not whole"]);
});

async function copyOf(of: string): Promise<{ directory: string; env: Environment }> {
  const directory = join(temporary.path, `copy-${++copies}`);
  cpSync(of, directory, { recursive: true });
  return { directory, env: openEnvironment({ directory }) };
}

test("verify finds nothing where nothing is damaged", async () => {
  expect((await verifyDirectory(golden)).problems).toEqual([]);
  expect((await verifyDirectory(uploaded)).problems).toEqual([]);
});

test.each(DAMAGES)("verify finds %s, and reads do not make it up", async (_, kind, alter) => {
  const { directory, env } = await copyOf(golden);
  await alter(env);
  await env.root.close();
  const { problems } = await verifyDirectory(directory);
  expect(problems.map((problem) => problem.kind)).toContain(kind);
  const store = await openLmdbStore({ directory, ...OPTIONS });
  const texts = await store.readRecords("default", NAMES, 1e9).then(
    (found) => [...found.values()].map(({ value }) => Buffer.from(value ?? []).toString()),
    (error: unknown) => String(error),
  );
  await store.close();
  const isRefused = String(texts).includes("damaged");
  const whole = NAMES.map(({ key }) => `text of ${key}`);
  // A row that is lost as a whole, with all checksums around it, is known by verify alone.
  const isWhole = whole.filter((text) => texts.includes(text)).length === texts.length;
  expect(isRefused || isWhole, String(texts)).toBe(true);
});
