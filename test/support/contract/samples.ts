// Valid requests for every rpc, and builders of their parts.

import { Struct } from "../../../src/gen/google/protobuf/struct.ts";
import {
  Document,
  DocumentFilter,
  type Embedding,
} from "../../../src/gen/memorysidecar/v1/document.ts";
import {
  Entity,
  type Episode,
  EpisodePolicy,
  ExtractionPolicy,
  Memory,
  MemoryFilter,
  MemoryKind,
  MemoryPolicy,
  MemoryScope,
  MemorySource,
  PromotionPolicy,
  PromotionSelection,
  type Relation,
  type ScopeFilter,
} from "../../../src/gen/memorysidecar/v1/memory.ts";
import { Message, MessageFilter, Role } from "../../../src/gen/memorysidecar/v1/message.ts";
import {
  DropOldest,
  Policy,
  type PolicyChoice,
  PolicyStage,
  Protections,
} from "../../../src/gen/memorysidecar/v1/policy.ts";
import { RecallFilter } from "../../../src/gen/memorysidecar/v1/recall.ts";
import {
  NamedRecord,
  type RecordDelete,
  RecordRange,
} from "../../../src/gen/memorysidecar/v1/record.ts";
import { Session } from "../../../src/gen/memorysidecar/v1/session.ts";
import { Summary } from "../../../src/gen/memorysidecar/v1/summary.ts";
import { SummarizeOutput } from "../../../src/gen/memorysidecar/v1/task.ts";
import { type MethodName, type RequestOf, requestBytes } from "./client.ts";

const NOTHING = new Uint8Array(0);

/** A message with the fields that a test sets. */
export function message(fields: Partial<Message> = {}): Message {
  return { ...Message.decode(NOTHING), role: Role.USER, ...fields };
}

/** Session fields that a test sets; a policy may be partial. */
type SessionFields = Omit<Partial<Session>, "policy"> & {
  readonly policy?: Policy | PolicyChoice | undefined;
};

/** A session with the fields that a test sets. */
export function session({ policy: kept, ...fields }: SessionFields = {}): Session {
  const empty = Session.decode(NOTHING);
  if (kept === undefined) return { ...empty, ...fields };
  return { ...empty, ...fields, policy: "stages" in kept ? written(kept) : kept };
}

/** An explicit policy in a request. */
export function written(kept: Policy): PolicyChoice {
  return { choice: { $case: "policy", value: kept } };
}

/** A preset in a request. */
export function preset(name: string, options: object = {}): PolicyChoice {
  const struct = Buffer.from(Struct.encode(Struct.wrap({ ...options })).finish());
  return { choice: { $case: "preset", value: { name, options: struct } } };
}

/** The summary of a session, with the fields that a test sets. */
export function sessionSummary(fields: Partial<Summary> = {}): Summary {
  return { ...Summary.decode(NOTHING), ...fields };
}

/** A policy with the fields that a test sets. */
export function policy(fields: Partial<Policy> = {}): Policy {
  return { ...Policy.decode(NOTHING), ...fields };
}

/** A stage that keeps a number of messages. */
export function keepStage(fields: Partial<PolicyStage> = {}): PolicyStage {
  return {
    ...PolicyStage.decode(NOTHING),
    name: "keep",
    unit: 1,
    select: { $case: "dropOldest", value: dropOldest({ maxMessages: 3 }) },
    ...fields,
  };
}

/** Protections with the fields that a test sets. */
export function protections(fields: Partial<Protections> = {}): Protections {
  return { ...Protections.decode(NOTHING), ...fields };
}

/** A selection that drops the oldest. */
export function dropOldest(fields: Partial<DropOldest>): DropOldest {
  return { ...DropOldest.decode(NOTHING), ...fields };
}

/** A worker's output, with the fields that a test sets. */
export function summaryOutput(fields: Partial<SummarizeOutput> = {}): SummarizeOutput {
  return { ...SummarizeOutput.decode(NOTHING), ...fields };
}

/** A document with the fields that a test sets. */
export function document(fields: Partial<Document> = {}): Document {
  return { ...Document.decode(NOTHING), ...fields };
}

/** A record with the fields that a test sets. */
export function record(fields: Partial<NamedRecord> = {}): NamedRecord {
  return { ...NamedRecord.decode(NOTHING), ...fields };
}

/** A range of records with the fields that a test sets. */
export function recordRange(fields: Partial<RecordRange> = {}): RecordRange {
  return { ...RecordRange.decode(NOTHING), ...fields };
}

/** Deletes a record that may be missing. */
export function recordDelete(path: string[], key: string): RecordDelete {
  return { record: { path, key }, etag: "", precondition: undefined, allowMissing: true };
}

/** A vector with the fields that a test sets. */
export function embedding(fields: Partial<Embedding> = {}): Embedding {
  return { values: [0.6, 0.8], model: "m", ...fields };
}

/** Filter of a recall, with the fields that a test sets. */
export function recallFilter(fields: Partial<RecallFilter> = {}): RecallFilter {
  return { ...RecallFilter.decode(NOTHING), ...fields };
}

/** A memory with the fields that a test sets. */
export function memory(fields: Partial<Memory> = {}): Memory {
  return { ...Memory.decode(NOTHING), ...fields };
}

/** An entity as a memory, with the fields that a test sets. */
export function entity(name: string, fields: Partial<Entity> = {}): Memory {
  const value = { ...Entity.decode(NOTHING), name, ...fields };
  return memory({ kind: MemoryKind.ENTITY, structure: { $case: "entity", value } });
}

/** A relation as a memory. */
export function relation(subject: string, predicate: string, object: string): Memory {
  const value: Relation = { subject, predicate, objectValue: object };
  return memory({ kind: MemoryKind.RELATION, structure: { $case: "relation", value } });
}

/** A turn of a conversation as a memory. */
export function episode(userText: string, assistantText = ""): Memory {
  const value: Episode = { userText, assistantText };
  return memory({ kind: MemoryKind.EPISODE, structure: { $case: "episode", value } });
}

/** Source of a memory, with the fields that a test sets. */
export function memorySource(fields: Partial<MemorySource> = {}): MemorySource {
  return { ...MemorySource.decode(NOTHING), ...fields };
}

/** A scope with the fields that a test sets. */
export function memoryScope(fields: Partial<MemoryScope>): MemoryScope {
  return { ...MemoryScope.decode(NOTHING), ...fields };
}

/** A filter of documents with some fields. */
export function documentFilter(fields: Partial<DocumentFilter> = {}): DocumentFilter {
  return { ...DocumentFilter.decode(NOTHING), ...fields };
}

/** Selects memories of every scope. */
export const EVERYONE: ScopeFilter = { scope: { $case: "everyone", value: {} } };

/** Selects memories that a scope may see. */
export function visibleTo(scope: Partial<MemoryScope>): ScopeFilter {
  return { scope: { $case: "visibleTo", value: memoryScope(scope) } };
}

/** Selects memories of exactly one scope. */
export function exactly(scope: Partial<MemoryScope>): ScopeFilter {
  return { scope: { $case: "exact", value: memoryScope(scope) } };
}

/** Selects memories that belong to a scope. */
export function ownedBy(scope: Partial<MemoryScope>): ScopeFilter {
  return { scope: { $case: "ownedBy", value: memoryScope(scope) } };
}

/** Filter of memories, with the fields that a test sets. */
export function memoryFilter(fields: Partial<MemoryFilter> = {}): MemoryFilter {
  return { ...MemoryFilter.decode(NOTHING), ...fields };
}

/** Memory policy of a session, with the fields that a test sets. */
export function memoryPolicy(fields: Partial<MemoryPolicy> = {}): MemoryPolicy {
  return { ...MemoryPolicy.decode(NOTHING), ...fields };
}

/** Promotion of any text, with the other fields that a test sets. */
export function promotion(fields: Partial<PromotionPolicy> = {}): PromotionPolicy {
  const any = { selection: PromotionSelection.ANY_TEXT };
  return { ...PromotionPolicy.decode(NOTHING), ...any, ...fields };
}

/** A memory policy that promotes any text and stores episodes, with the fields that a test sets. */
export function givingPolicy(fields: Partial<MemoryPolicy> = {}): MemoryPolicy {
  const episodes = EpisodePolicy.decode(NOTHING);
  return memoryPolicy({ promotion: promotion(), episodes, ...fields });
}

/** Extraction policy with the fields that a test sets. */
export function extraction(fields: Partial<ExtractionPolicy> = {}): ExtractionPolicy {
  return { ...ExtractionPolicy.decode(NOTHING), ...fields };
}

/** A tool call. */
export function toolCall(toolCallId: string, name = "search") {
  return { toolCallId, name, arguments: "{}" };
}

/** The wire form of a Struct `{key: {key: ... 1}}`, nested to a depth. */
export function deepStruct(levels: number): Buffer {
  // Value 1.0, then entries and Structs around it, from the inside out.
  let value: Buffer = Buffer.from([0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
  let struct: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level++) {
    const entry = Buffer.concat([Buffer.from([0x0a, 1, 0x61]), field(0x12, value)]);
    struct = field(0x0a, entry);
    value = field(0x2a, struct);
  }
  return struct;
}

/** The wire form of a Struct with one text, of a total size in bytes. */
export function structOfSize(bytes: number): Buffer {
  for (let length = bytes; length > 0; length--) {
    const value = field(0x1a, Buffer.alloc(length, 0x78));
    const struct = field(0x0a, Buffer.concat([Buffer.from([0x0a, 1, 0x61]), field(0x12, value)]));
    if (struct.length === bytes) return struct;
    if (struct.length < bytes) break;
  }
  throw new Error(`no Struct takes ${bytes} bytes`);
}

/** A field of the wire: a tag, a length and bytes. */
export function field(tag: number, bytes: Buffer): Buffer {
  const length: number[] = [];
  let rest = bytes.length;
  while (rest >= 0x80) {
    length.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  length.push(rest);
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}

/** A filter of messages. */
export function messageFilter(fields: Partial<MessageFilter>): MessageFilter {
  return { ...MessageFilter.decode(new Uint8Array(0)), ...fields };
}

/** A valid request for every method, with the ids of `seed`. */
export const SOUND: { readonly [M in MethodName]: Partial<RequestOf<M>> } = {
  createSession: { session: session({ labels: new Map([["a", "b"]]), userId: "u" }) },
  getSession: { sessionId: "seed" },
  listSessions: { pageSize: 10 },
  updateSession: { session: session({ sessionId: "seed", userId: "v" }) },
  deleteSession: { sessionId: "doomed", allowMissing: true },
  forkSession: { sourceSessionId: "seed", atSeq: 1n },
  resetSession: { sessionId: "doomed" },
  appendMessages: { sessionId: "seed", messages: [message({ text: "hello" })] },
  listMessages: { sessionId: "seed", pageSize: 10 },
  getMessage: { sessionId: "seed", messageId: "first" },
  updateMessage: { sessionId: "seed", message: message({ messageId: "first", text: "new" }) },
  deleteMessage: { sessionId: "doomed", messageId: "gone", allowMissing: true },
  batchGetMessages: { sessionId: "seed", messageIds: ["first"] },
  findMessages: { messageIds: ["first"] },
  deleteFoundMessages: { messageIds: ["gone"] },
  batchDeleteMessages: { sessionId: "doomed", messageIds: ["gone"], allowMissing: true },
  popMessages: { sessionId: "doomed", count: 1 },
  replaceMessages: { sessionId: "doomed", target: { $case: "all", value: {} } },
  getWindow: { sessionId: "seed" },
  previewPolicy: { sessionId: "seed", policies: [written(policy({ stages: [keepStage()] }))] },
  listPolicyPresets: {},
  trimSession: { sessionId: "doomed", target: { $case: "maxMessages", value: 1 } },
  restoreMessages: { sessionId: "doomed", messageIds: ["gone"] },
  listSummaryInputs: { sessionId: "seed", choice: { $case: "keepRecent", value: 2 } },
  setSummary: { sessionId: "doomed", text: "so far" },
  fillToolResults: { sessionId: "doomed", text: "none" },
  // Its answer is a stream; generic unary calls skip it.
  exportSession: { sessionId: "gone" },
  importSession: {
    sessionId: "imported",
    format: "lauren",
    replace: true,
    chunk: { header: undefined, messages: [], document: Buffer.from("[]") },
  },
  watchEvents: { start: { $case: "position", value: 1 } },
  listEvents: { pageSize: 10 },
  createConsumer: { consumerId: "new" },
  getConsumer: { consumerId: "seed" },
  listConsumers: { pageSize: 10 },
  deleteConsumer: { consumerId: "gone", allowMissing: true },
  ackEvents: { consumerId: "seed", resumeToken: "x" },
  getServerInfo: {},
  // Their answers are streams, too.
  backUp: {},
  compactStore: {},
  compactSession: { sessionId: "doomed", choice: { $case: "keepRecent", value: 2 } },
  listSummaries: { sessionId: "seed", pageSize: 10 },
  listSummarySources: { sessionId: "seed", version: 1n },
  pollTasks: { hooks: ["workers"], workerId: "w" },
  completeTask: {
    taskId: "task-00000000001",
    leaseToken: "x",
    output: { $case: "summarize", value: summaryOutput({ text: "so far" }) },
  },
  failTask: { taskId: "task-00000000001", leaseToken: "x", message: "no model" },
  extendLease: { taskId: "task-00000000001", leaseToken: "x" },
  listTasks: { pageSize: 10 },
  getTask: { taskId: "task-00000000001" },
  retryTask: { taskId: "task-00000000001" },
  deleteTask: { taskId: "task-00000000001", allowMissing: true },
  listHooks: { namespace: "default" },
  listNamespaces: { pageSize: 10 },
  assembleContext: { query: "hello", maxTokens: 500 },
  recall: { query: "hello", filter: recallFilter({ labels: new Map([["a", "b"]]) }) },
  upsertDocuments: { documents: [document({ documentId: "page", text: "hello" })] },
  getDocument: { documentId: "page" },
  listDocuments: { pageSize: 10 },
  listCollections: { pageSize: 10 },
  refreshDocuments: { documentIds: ["page"] },
  deleteDocuments: { collectionId: "doomed", documentIds: ["gone"], allowMissing: true },
  purgeDocuments: {
    collectionId: "doomed",
    filter: documentFilter({ scope: ownedBy({ userId: "nobody" }) }),
  },
  clearCollection: { collectionId: "doomed" },
  embed: { texts: ["hello"], purpose: 2 },
  countItems: { groupBy: { $case: "labelKey", value: "a" }, maxGroups: 5 },
  uploadRecordPart: { uploadId: "u", data: Buffer.from("v") },
  putRecord: { record: record({ path: ["p"], key: "k", value: Buffer.from("v") }) },
  getRecord: { path: ["p"], key: "seed" },
  batchGetRecords: { records: [{ path: ["p"], key: "seed" }] },
  listRecords: { range: recordRange({ path: ["p"] }), pageSize: 10 },
  listRecordPaths: { prefix: ["p"] },
  writeRecords: {
    operations: [{ operation: { $case: "deletion", value: recordDelete(["p"], "gone") } }],
  },
  deleteRecord: { path: ["p"], key: "gone", allowMissing: true },
  deleteRecords: { range: recordRange({ path: ["doomed"] }) },
  remember: {
    memories: [memory({ text: "Ann likes tea.", labels: new Map([["a", "b"]]) })],
  },
  getMemory: { memoryId: "gone" },
  listMemories: { pageSize: 10 },
  updateMemory: { memory: memory({ memoryId: "gone", text: "new" }), updateMask: ["text"] },
  reinforceMemories: { memoryIds: ["gone"], allowMissing: true },
  decayMemories: { filter: memoryFilter({ scope: ownedBy({ userId: "nobody" }) }), factor: 0.5 },
  forgetMemories: { memoryIds: ["gone"], allowMissing: true },
  purgeMemories: { filter: memoryFilter({ scope: ownedBy({ userId: "nobody" }) }) },
  listMemoryVersions: { memoryId: "gone", pageSize: 10 },
  restoreMemoryVersion: { memoryId: "gone", version: 1n },
  queryRelations: { subject: "Ann", maxHops: 2 },
  mergeEntities: { targetMemoryId: "gone", sourceMemoryIds: ["lost"] },
  consolidateSession: { sessionId: "doomed" },
  extractMemories: { text: "My name is Ann.", preview: true },
  eraseSubject: { subject: { subject: { $case: "userId", value: "nobody" } } },
  getErasure: { erasureId: "gone" },
  countTokens: { texts: ["hello"], messages: [message({ text: "world" })] },
};

/** The wire form of a method's valid request. */
export function soundBytes<M extends MethodName>(method: M): Buffer {
  return requestBytes(method, SOUND[method]);
}
