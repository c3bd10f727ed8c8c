// Goal: nothing is deleted that nobody asked for. A call that names nothing is refused, and so is
// one with a field that this server does not know, which may narrow what a newer caller means.

import { createFileRegistry, type DescMethod } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScopeFilter } from "../../src/gen/memorysidecar/v1/memory.ts";
import { SessionFilter } from "../../src/gen/memorysidecar/v1/session.ts";
import { loadDescriptors } from "../../src/grpc/descriptors.ts";
import { RuleReader } from "../../tools/rules.ts";
import {
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import {
  document,
  documentFilter,
  field,
  memory,
  memoryFilter,
  memoryScope,
  message,
  ownedBy,
  record,
  recordDelete,
  recordRange,
} from "../support/contract/samples.ts";
import { revisionOf } from "../support/store/revisions.ts";

/** Empty selections that each rpc that deletes refuses, with the fields that the refusal names. */
const NOTHING_NAMED: Readonly<
  Record<string, readonly (readonly [fields: readonly string[], request: object])[]>
> = {
  appendMessages: [
    [
      ["record_operations[0].deletion.record.path", "record_operations[0].deletion.record.key"],
      {
        ...{ sessionId: "kept", turnEnd: true },
        recordOperations: [{ operation: { $case: "deletion", value: recordDelete([], "") } }],
      },
    ],
  ],
  batchDeleteMessages: [
    [["session_id", "message_ids"], {}],
    [["message_ids"], { sessionId: "kept" }],
    [["message_ids[0]"], { sessionId: "kept", messageIds: [""] }],
    [["session_id"], { messageIds: ["kept"] }],
  ],
  deleteFoundMessages: [
    [["message_ids"], {}],
    [["message_ids[0]"], { messageIds: [""] }],
    [
      ["filter.user_id"],
      { messageIds: ["kept"], filter: { ...SessionFilter.decode(new Uint8Array(0)), userId: "" } },
    ],
  ],
  clearCollection: [[["collection_id"], {}]],
  decayMemories: [
    [["filter"], {}],
    [["filter.scope"], { filter: memoryFilter(), deleteBelow: 1 }],
    ...emptyScopes(),
  ],
  deleteConsumer: [[["consumer_id"], {}]],
  deleteDocuments: [
    [["document_ids"], {}],
    [["document_ids[0]"], { documentIds: [""] }],
  ],
  deleteMessage: [
    [["session_id", "message_id"], {}],
    [["message_id"], { sessionId: "kept" }],
    [["session_id"], { messageId: "kept" }],
  ],
  deleteSession: [[["session_id"], {}]],
  deleteTask: [[["task_id"], {}]],
  eraseSubject: [
    [["subject"], {}],
    [["subject.subject"], { subject: { subject: undefined }, dryRun: true }],
    [["subject.user_id"], { subject: { subject: { $case: "userId", value: "" } } }],
    [["subject.agent_id"], { subject: { subject: { $case: "agentId", value: "" } } }],
    [["subject.session_id"], { subject: { subject: { $case: "sessionId", value: "" } } }],
    [
      ["subject.document.collection_id", "subject.document.document_id"],
      {
        subject: {
          subject: { $case: "document", value: { collectionId: "", documentId: "" } },
        },
      },
    ],
    [
      ["subject.messages.session_id", "subject.messages.message_ids"],
      { subject: { subject: { $case: "messages", value: { sessionId: "", messageIds: [] } } } },
    ],
    [
      ["subject.messages.message_ids[0]"],
      {
        subject: {
          subject: { $case: "messages", value: { sessionId: "kept", messageIds: [""] } },
        },
      },
    ],
  ],
  forgetMemories: [
    [["memory_ids"], {}],
    [["memory_ids[0]"], { memoryIds: [""] }],
  ],
  mergeEntities: [
    [["target_memory_id", "source_memory_ids"], {}],
    [["source_memory_ids[0]"], { targetMemoryId: "kept", sourceMemoryIds: [""] }],
  ],
  popMessages: [
    [["session_id", "count"], {}],
    [["count"], { sessionId: "kept" }],
    [["session_id"], { count: 1 }],
  ],
  purgeDocuments: [
    [["collection_id", "filter"], { force: true }],
    [["filter.scope"], { collectionId: "c", filter: documentFilter(), force: true }],
    ...emptyScopes((scope) => ({ collectionId: "c", filter: documentFilter({ scope }) })),
  ],
  purgeMemories: [
    [["filter"], { force: true }],
    [["filter.scope"], { filter: memoryFilter(), force: true }],
    ...emptyScopes(),
  ],
  replaceMessages: [
    [["session_id", "target"], {}],
    [["target"], { sessionId: "kept" }],
    [["session_id"], { target: { $case: "all", value: {} } }],
    [["from_seq"], { sessionId: "kept", target: { $case: "fromSeq", value: 0n } }],
  ],
  resetSession: [[["session_id"], {}]],
  writeRecords: [
    [["operations"], {}],
    [["operations[0].operation"], { operations: [{ operation: undefined }] }],
    [
      ["operations[0].deletion.record.path", "operations[0].deletion.record.key"],
      { operations: [{ operation: { $case: "deletion", value: recordDelete([], "") } }] },
    ],
  ],
  deleteRecord: [
    [["path", "key"], {}],
    [["key"], { path: ["kept"] }],
    [["path[0]"], { path: [""], key: "kept" }],
  ],
  deleteRecords: [
    [["range"], {}],
    [["range.path"], { range: recordRange({ recursive: true }) }],
    [["range.path[1]"], { range: recordRange({ path: ["kept", ""], recursive: true }) }],
  ],
  trimSession: [
    [["session_id", "target"], { discard: true }],
    [["target"], { sessionId: "kept", discard: true }],
  ],
};

/** Filters whose scope names nobody, or somebody by an empty id. */
function emptyScopes(
  of = (scope: ScopeFilter): object => ({ filter: memoryFilter({ scope }) }),
): (readonly [readonly string[], object])[] {
  const cases = ["visibleTo", "exact", "ownedBy"] as const;
  const names = { visibleTo: "visible_to", exact: "exact", ownedBy: "owned_by" } as const;
  return cases.flatMap(($case) => {
    const asked = (scope: Parameters<typeof memoryScope>[0]) => ({
      ...of({ scope: { $case, value: memoryScope(scope) } }),
      force: true,
    });
    const path = `filter.scope.${names[$case]}`;
    return [
      [[path], asked({})],
      [[`${path}.user_id`], asked({ userId: "" })],
      [[`${path}.user_id`], asked({ userId: "", agentId: "helper" })],
      [[`${path}.agent_id`], asked({ userId: "ana", agentId: "" })],
      [[`${path}.session_id`], asked({ userId: "ana", sessionId: "" })],
    ] as const;
  });
}

const DESTRUCTIVE = Object.keys(NOTHING_NAMED) as UnaryName[];

/** The name of the kept record, in wire form. */
function nameOfKept(): Buffer {
  return Buffer.concat([field(0x0a, Buffer.from("kept")), field(0x12, Buffer.from("kept"))]);
}

/** The deletion of the kept record, in wire form. */
function deleteKept(): Buffer {
  return field(0x0a, nameOfKept());
}

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
  const { client } = server;
  await client.call("appendMessages", {
    ...{ sessionId: "kept", createSession: true },
    messages: [message({ messageId: "kept", text: "Hello" })],
  });
  await client.call("createConsumer", { consumerId: "kept" });
  await client.call("remember", { memories: [memory({ memoryId: "kept", text: "Kept." })] });
  await client.call("upsertDocuments", { documents: [document({ documentId: "kept" })] });
  await client.call("putRecord", { record: record({ path: ["kept"], key: "kept" }) });
});

afterAll(() => server[Symbol.asyncDispose]());

/** Expects that a request is refused and changes nothing. */
async function expectRefused(method: UnaryName, bytes: Buffer, fields: readonly string[]) {
  const before = await revisionOf(server.store);
  const outcome = await server.client.raw(method, bytes);
  expect("failure" in outcome ? outcome.failure : outcome).toMatchObject({
    ...{ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID", fields },
  });
  expect(await revisionOf(server.store)).toBe(before);
}

test("every rpc that deletes says so in the contract", () => {
  const registry = createFileRegistry(loadDescriptors());
  const reader = new RuleReader(registry);
  const methods = [...registry].flatMap((desc) => (desc.kind === "service" ? desc.methods : []));
  const destroys = (method: DescMethod): boolean =>
    reader.isDestructive(method) ||
    method.input.fields.some((field) => reader.of(field).destructive);
  const said = methods.filter(destroys).map((one) => one.localName);
  expect(said.sort()).toEqual([...DESTRUCTIVE].sort());
  const named = methods.filter(({ name }) =>
    /^(?:Batch(?=Delete))?(?:AppendMess|Clear|Decay|Delete|Erase|Forget|Merge|Pop|Purge|Replace|Reset|Trim|WriteRecords)/.test(
      name,
    ),
  );
  expect(named.map(({ localName }) => localName).sort()).toEqual(said);
});

describe.each(DESTRUCTIVE)("%s", (method) => {
  test.each(NOTHING_NAMED[method] ?? [])(
    "refuses what names nothing: %s",
    async (fields, request) => {
      await expectRefused(method, requestBytes(method, request as never), fields);
    },
  );
});

describe("a field that the server does not know", () => {
  const UNKNOWN = field(0x7a, Buffer.from("x"));
  const owned = requestBytes("purgeMemories", {
    filter: memoryFilter({ scope: ownedBy({ userId: "ana" }) }),
    force: true,
  });
  const FILTER = 0x12;
  const SCOPE = 0x0a;
  const OWNED_BY = 0x1a;
  const METADATA = 0x4a;

  test.each<readonly [string, Buffer]>([
    ["15", UNKNOWN],
    ["filter.500", field(FILTER, Buffer.from([0xa0, 0x1f, 1]))],
    ["filter.scope.15", field(FILTER, field(SCOPE, UNKNOWN))],
    ["filter.scope.owned_by.15", field(FILTER, field(SCOPE, field(OWNED_BY, UNKNOWN)))],
    ["filter.metadata.15", field(FILTER, field(METADATA, UNKNOWN))],
    ["filter.500", Buffer.concat([field(FILTER, Buffer.from([0xa0, 0x1f, 1])), UNKNOWN])],
  ])("is refused as %s", async (path, unknown) => {
    const outcome = await server.client.raw("purgeMemories", Buffer.concat([owned, unknown]));
    const failure = "failure" in outcome ? outcome.failure : undefined;
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(failure?.fields[0]).toBe(path);
  });

  test("is ignored where nothing is deleted", async () => {
    const bytes = Buffer.concat([requestBytes("listMemories", {}), UNKNOWN]);
    expect(await server.client.raw("listMemories", bytes)).toHaveProperty("bytes");
  });

  const NEWER = Buffer.from([0xa0, 0x1f, 1]);
  const OPERATIONS = 0x5a;
  const DELETION = 0x12;
  const RECORD = 0x0a;
  const MESSAGES = 0x1a;
  const deletion = field(DELETION, Buffer.concat([deleteKept(), NEWER]));
  const name = field(DELETION, field(RECORD, Buffer.concat([nameOfKept(), NEWER])));
  const operation = field(OPERATIONS, field(DELETION, deleteKept()));

  test.each<readonly [string, Buffer]>([
    ["500", Buffer.concat([operation, NEWER])],
    ["messages.500", Buffer.concat([operation, field(MESSAGES, NEWER)])],
    ["record_operations.500", field(OPERATIONS, NEWER)],
    ["record_operations.deletion.500", field(OPERATIONS, deletion)],
    ["record_operations.deletion.record.500", field(OPERATIONS, name)],
  ])("is refused in an append that deletes a record, as %s", async (path, rest) => {
    const append = requestBytes("appendMessages", { sessionId: "kept", turnEnd: true });
    const outcome = await server.client.raw("appendMessages", Buffer.concat([append, rest]));
    const failure = "failure" in outcome ? outcome.failure : undefined;
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(failure?.fields[0]).toBe(path);
    const kept = await server.client.call("getRecord", { path: ["kept"], key: "kept" });
    expect(kept.record?.version).toBe(1n);
  });

  test("is ignored in an append without operations on records", async () => {
    const append = requestBytes("appendMessages", { sessionId: "kept", turnEnd: true });
    const bytes = Buffer.concat([append, NEWER]);
    expect(await server.client.raw("appendMessages", bytes)).toHaveProperty("bytes");
  });
});
