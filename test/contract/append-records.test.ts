// Goal: records that change together with an append: both happen or neither, once for a request id,
// in one revision, with the events of both.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventType, RecordDeleteReason } from "../../src/gen/memorysidecar/v1/event.ts";
import { OnExistingMessage } from "../../src/gen/memorysidecar/v1/message.ts";
import type { RecordOperation, RecordPrecondition } from "../../src/gen/memorysidecar/v1/record.ts";
import { WindowReply } from "../../src/gen/memorysidecar/v1/session_service.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { expectLimit, limitRow, times } from "../support/contract/limits.ts";
import {
  memoryScope,
  message,
  record,
  recordDelete,
  session,
} from "../support/contract/samples.ts";

let server: TestServer;
let namespaces = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const PATH = ["state"];
const SESSION = { sessionId: "s", createSession: true };

function putOf(key: string, precondition?: RecordPrecondition): RecordOperation {
  const value = Buffer.from(`value of ${key}`);
  const owner = memoryScope({ userId: "ann" });
  const put = { record: record({ path: PATH, key, value, owner }), precondition };
  return { operation: { $case: "put", value: put } };
}

function deletionOf(key: string, fields: object = {}): RecordOperation {
  return { operation: { $case: "deletion", value: { ...recordDelete(PATH, key), ...fields } } };
}

function checkOf(key: string, precondition: RecordPrecondition, etag = ""): RecordOperation {
  const value = { record: { path: PATH, key }, etag, precondition };
  return { operation: { $case: "check", value } };
}

const version = (value: bigint): RecordPrecondition => ({ condition: { $case: "version", value } });
const exists = (value: boolean): RecordPrecondition => ({ condition: { $case: "exists", value } });

/** A namespace of its own, with short ways to use it. */
function scene() {
  const namespace = `n${++namespaces}`;
  const { client } = server;
  const request = (recordOperations: RecordOperation[], fields: object = {}) => ({
    ...{ namespace, ...SESSION, recordOperations },
    ...{ messages: [message({ text: "Hello" })], ...fields },
  });
  return {
    append: (operations: RecordOperation[], fields?: object) =>
      client.call("appendMessages", request(operations, fields)),
    fail: (operations: RecordOperation[], fields?: object) =>
      client.fail("appendMessages", request(operations, fields)),
    versions: async () => {
      const range = {
        ...{ recursive: false, keyPrefix: "", startKey: "", endKey: "" },
        path: PATH,
      };
      const { records } = await client.call("listRecords", { namespace, range });
      return records.map((one) => `${one.key} ${one.version}`);
    },
    texts: async () => {
      const window = await client.call("getWindow", { namespace, sessionId: "s" });
      return window.messages.map(({ text }) => text);
    },
    events: async () => (await client.call("listEvents", { namespace })).events,
  };
}

describe("an append with operations on records", () => {
  test("does both in one revision", async () => {
    const { append, events, texts, versions } = scene();
    const first = await append([putOf("a"), putOf("b"), checkOf("c", exists(false))]);
    expect(first.recordOutcomes.map((one) => [one.created, one.version])).toEqual([
      [true, 1n],
      [true, 1n],
      [false, 0n],
    ]);
    const operations = [putOf("a", version(1n)), deletionOf("b"), checkOf("c", exists(false))];
    const second = await append(operations);
    expect(second).toMatchObject({ revision: first.revision + 1n, lastSeq: 2n });
    expect(second.recordOutcomes).toMatchObject([
      { created: false, deleted: false, version: 2n },
      { deleted: true, version: 1n, etag: "" },
      { deleted: false, version: 0n },
    ]);
    expect(await texts()).toEqual(["Hello", "Hello"]);
    expect(await versions()).toEqual(["a 2"]);
    const told = (await events()).filter(({ revision }) => revision === second.revision);
    expect(told.map(({ index, type }) => [index, type])).toEqual([
      [0, EventType.MESSAGES_APPENDED],
      [1, EventType.RECORDS_WRITTEN],
      [2, EventType.RECORDS_DELETED],
    ]);
    expect(told.map(({ userId }) => userId)).toEqual(["", "ann", "ann"]);
    expect(told.map(({ sessionId }) => sessionId)).toEqual(["s", "", ""]);
    expect(told[2]?.detail).toMatchObject({
      value: { reason: RecordDeleteReason.REQUEST, records: [{ path: PATH, key: "b" }] },
    });
  });

  test("tells the etag that the next one needs", async () => {
    const { append, fail } = scene();
    const { recordOutcomes } = await append([putOf("a")]);
    const etag = recordOutcomes[0]?.etag ?? "";
    const { recordOutcomes: next } = await append([deletionOf("a", { etag })]);
    expect(next).toMatchObject([{ deleted: true }]);
    await append([putOf("a")]);
    expect((await fail([deletionOf("a", { etag })])).reason).toBe("ETAG_MISMATCH");
  });

  test("may end a turn without messages", async () => {
    const { append, versions } = scene();
    await append([]);
    const { lastSeq } = await append([putOf("a")], { messages: [], turnEnd: true });
    expect(lastSeq).toBe(1n);
    expect(await versions()).toEqual(["a 1"]);
  });

  test("changes the records beside messages that are skipped", async () => {
    const { append, events, texts, versions } = scene();
    const messages = [message({ messageId: "m", text: "Hello" })];
    await append([], { messages });
    const skip = { messages, onExisting: OnExistingMessage.SKIP };
    const { recordOutcomes, revision } = await append([putOf("a")], skip);
    expect(recordOutcomes).toMatchObject([{ created: true, version: 1n }]);
    expect(await texts()).toEqual(["Hello"]);
    expect(await versions()).toEqual(["a 1"]);
    const told = (await events()).filter((event) => event.revision === revision);
    expect(told.map(({ type }) => type)).toContain(EventType.RECORDS_WRITTEN);
  });

  test("does both with a change of the session and a window in the answer, or nothing", async () => {
    const { append, fail, versions } = scene();
    const first = await append([putOf("a")], {
      windowReply: WindowReply.decode(new Uint8Array(0)),
    });
    expect(first.window?.messages.map(({ text }) => text)).toEqual(["Hello"]);
    const change = (etag: string) => ({
      session: session({ agentId: "x", etag }),
      sessionUpdateMask: ["agent_id"],
    });
    expect((await fail([putOf("b")], change("old"))).reason).toBe("ETAG_MISMATCH");
    const failing = [putOf("a", exists(false))];
    expect((await fail(failing, change(first.sessionEtag))).reason).toBe("RECORD_ALREADY_EXISTS");
    const { sessionEtag } = await append([putOf("b")], change(first.sessionEtag));
    expect(sessionEtag).not.toBe(first.sessionEtag);
    expect(await versions()).toEqual(["a 1", "b 1"]);
  });

  test("has no outcomes without operations", async () => {
    const { append } = scene();
    expect((await append([])).recordOutcomes).toEqual([]);
  });

  test.for<readonly [string, string, RecordOperation]>([
    ["ALREADY_EXISTS", "RECORD_ALREADY_EXISTS", putOf("a", exists(false))],
    ["NOT_FOUND", "RECORD_NOT_FOUND", putOf("x", exists(true))],
    ["NOT_FOUND", "RECORD_NOT_FOUND", deletionOf("x", { allowMissing: false })],
    ["ABORTED", "RECORD_VERSION_MISMATCH", putOf("a", version(7n))],
    ["ABORTED", "RECORD_VERSION_MISMATCH", checkOf("a", version(7n))],
    ["ABORTED", "ETAG_MISMATCH", deletionOf("a", { etag: "x" })],
  ])("does nothing when one fails: %s, %s", async ([code, reason, failing]) => {
    const { append, events, fail, texts, versions } = scene();
    await append([putOf("a")]);
    const before = await events();
    const failure = await fail([putOf("b"), failing]);
    expect(failure).toMatchObject({ code, reason, metadata: { operation: "1" } });
    expect(await texts()).toEqual(["Hello"]);
    expect(await versions()).toEqual(["a 1"]);
    expect(await events()).toEqual(before);
  });

  test("changes no record when the append is refused", async () => {
    const { append, fail, versions } = scene();
    await append([], { messages: [message({ messageId: "m", text: "Hello" })] });
    const messages = [message({ messageId: "m", text: "Again" })];
    expect((await fail([putOf("a")], { messages })).reason).toBe("MESSAGE_ALREADY_EXISTS");
    expect((await fail([putOf("a")], { expectedLastSeq: 9n })).reason).toBe("LAST_SEQ_MISMATCH");
    const elsewhere = { sessionId: "none", createSession: false };
    expect((await fail([putOf("a")], elsewhere)).reason).toBe("SESSION_NOT_FOUND");
    expect(await versions()).toEqual([]);
  });

  test("takes effect once for a request id", async () => {
    const { append, fail, texts, versions } = scene();
    const once = { requestId: "r" };
    const first = await append([putOf("a")], once);
    expect(await append([putOf("a")], once)).toEqual(first);
    expect((await fail([putOf("b")], once)).reason).toBe("REQUEST_ID_REUSED");
    expect(await texts()).toEqual(["Hello"]);
    expect(await versions()).toEqual(["a 1"]);
  });

  test("lets one of several with the same version win", async () => {
    const { append, texts, versions } = scene();
    await append([putOf("a")]);
    const all = await Promise.allSettled(times(8, () => append([putOf("a", version(1n))])));
    expect(all.filter(({ status }) => status === "fulfilled").length).toBe(1);
    expect(await texts()).toEqual(["Hello", "Hello"]);
    expect(await versions()).toEqual(["a 2"]);
  });

  test("replaces a record whose time has run out, and tells that it expired", async () => {
    const { append, events } = scene();
    const put = putOf("a", exists(false));
    if (put.operation?.$case !== "put" || put.operation.value.record === undefined) return;
    put.operation.value.record.ttl = { seconds: 10n, nanos: 0 };
    await append([put]);
    server.advance(10_000);
    const { recordOutcomes, revision } = await append([put]);
    expect(recordOutcomes).toMatchObject([{ created: true, version: 1n }]);
    const told = (await events()).filter((event) => event.revision === revision);
    expect(told.map(({ type }) => type)).toEqual([
      EventType.MESSAGES_APPENDED,
      EventType.RECORDS_DELETED,
      EventType.RECORDS_WRITTEN,
    ]);
  });
});

test("operations on records are limited in number", async () => {
  await expectLimit(
    server,
    limitRow("appendMessages", "record_operations", LIMITS.recordOperations, (size) => ({
      ...{ ...SESSION, messages: [message({ text: "Hello" })] },
      recordOperations: times(size, (at) => deletionOf(`${at}`)),
    })),
  );
});

test.for<readonly [string, RecordOperation[]]>([
  ["record_operations[0].operation", [{ operation: undefined }]],
  ["record_operations[1].deletion.record.key", [putOf("a"), deletionOf("a")]],
  [
    "record_operations[0].deletion.precondition.exists",
    [deletionOf("a", { precondition: exists(false) })],
  ],
  ["record_operations[0].put.record.key", [putOf("a\n")]],
  [
    "record_operations[0].check.precondition",
    [
      {
        operation: {
          $case: "check",
          value: { record: { path: PATH, key: "a" }, etag: "", precondition: undefined },
        },
      },
    ],
  ],
])("%s of an append is told when it is wrong", async ([field, operations]) => {
  const { fail } = scene();
  const failure = await fail(operations);
  expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: [field] });
});
