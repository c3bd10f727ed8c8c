// The keys. A key is a text whose characters are bytes (latin1): such texts compare like the bytes,
// hash fast in a Map, and are written to LMDB as they are.
//
// message   u64 message number
// event     u64 commit number, u16 index * 2, plus 1 for the last event of the commit: so that a
//           lost event at the end of a commit is noticed like one in the middle
// journal   u64 journal number
// index     1 byte table, then the parts below. Numbers are u64 big endian. A text is preceded by
//           its length (u16) unless it is the last part.
//
// name      namespace, session id        -> session number
// session   session number               -> SessionRecord
// head      session number               -> HeadRecord
// all       namespace, session number    -> nothing
// user      namespace, user, session number   -> nothing (agent likewise)
// label     namespace, key, value, session number -> nothing
// entry     log number, seq              -> EntryRecord
// id        log number, message id       -> seq; only for ids that do not name their seq themselves
// window    log number, seq              -> WindowRecord: the window when seq was the newest
// kept      log number                   -> WindowRecord: the seqs below the first, kept by a reset
// reply     namespace, request id        -> ReplyRecord
// consumer  namespace, consumer id       -> ConsumerRecord
// expiry    ms, session number           -> nothing
// purge     log number                   -> PurgeRecord
// dropped   (nothing)                    -> ConsumerRecord: the newest event that was dropped, by
//                                           commit number
// namespace namespace                    -> NamespaceRecord; of those that changed since format 3
// revision  namespace, revision          -> commit number; only above the base (revisions.ts)
// task      namespace, task number       -> TaskRecord
// oldTask   task number                  -> TaskRecord; up to format 2, moved at the next start
// taskIn    namespace, task number       -> nothing
// taskOf    session number, task number  -> nothing
// due       hook, namespace, zero byte, ms, task number -> nothing; only ready and leased tasks
// dueAt     hook, ms, task number, namespace -> namespace; the same tasks. Up to format 2 without
//           the namespace in the key
// usage     hour, namespace, hook        -> UsageRecord
// summary   log number, version          -> SummaryRecord
// collection  namespace, collection id   -> CollectionRecord; only of those that hold documents
// emptied   namespace, collection id     -> number of the next new document; of those that did once
// document  log number, document number  -> DocumentRecord; a collection has a log number, too
// documentId  log number, document id    -> document number
// chunk     log number, source id, document number -> nothing
// vector    log number, seq or document number -> VectorRecord
// recalled  namespace                    -> ms of its last recall
//
// The keys of memories are made in memory-keys.ts. A namespace has a log number for its memories. A
// scope stands in a key as the 16 bytes of its id, a text as 16 bytes of its SHA-256, so that no
// key is too long, however long the text.
//
// memories    namespace                  -> MemoriesRecord
// memory      log number, memory number  -> MemoryRecord: the current state
// memoryId    log number, memory id      -> memory number
// memoryPast  log number, memory number, revision number -> MemoryRecord: a former state
// memoryScope log number, scope          -> MemoryScopeRecord
// memoryIn    log number, scope, kind and state (1 byte), memory number -> nothing
// memoryOf    log number, user, memory number -> nothing
// memoryTerm  log number, scope, term (17 bytes), memory number -> nothing
// memoryRank  log number, scope, tier and persistence (1 byte), rank (8 bytes), memory number
//                                        -> nothing
// memoryEnd   ms, log number, memory number -> namespace; of those that do not live for ever
// promoted    log number, scope, key of a text -> number of the promotion
// promotedAt  log number, scope, number of the promotion -> its mark, which begins with that key
// memoryJobs  namespace, session id      -> MemoryJobsRecord
// memoryDue   ms, session number, job type (1 byte) -> the key of the jobs; only of ready ones
// memoryTask  namespace, task number     -> the key of the jobs
// memoryHeld  namespace                  -> nothing; of those that hold memories
// memoryHeldIn log number, scope         -> nothing; of those that hold memories
// memoryGone  log number, memory number  -> how many former states of it wait to be erased

const TWO_32 = 4_294_967_296;

/** The first bytes of index keys. */
export const TABLE = {
  name: "\x01",
  session: "\x02",
  head: "\x03",
  all: "\x04",
  user: "\x05",
  agent: "\x06",
  label: "\x07",
  entry: "\x08",
  id: "\x09",
  window: "\x0a",
  kept: "\x0b",
  reply: "\x0c",
  consumer: "\x0d",
  expiry: "\x0e",
  purge: "\x0f",
  dropped: "\x10",
  oldTask: "\x11",
  taskIn: "\x12",
  taskOf: "\x13",
  due: "\x14",
  dueAt: "\x15",
  usage: "\x16",
  summary: "\x17",
  collection: "\x18",
  emptied: "\x19",
  document: "\x1a",
  documentId: "\x1b",
  chunk: "\x1c",
  vector: "\x1d",
  recalled: "\x1e",
  memories: "\x1f",
  memory: "\x20",
  memoryId: "\x21",
  memoryPast: "\x22",
  memoryScope: "\x23",
  memoryIn: "\x24",
  memoryOf: "\x25",
  memoryTerm: "\x26",
  memoryRank: "\x27",
  memoryEnd: "\x28",
  promoted: "\x29",
  promotedAt: "\x2a",
  memoryJobs: "\x2b",
  memoryDue: "\x2c",
  memoryHeld: "\x2d",
  memoryHeldIn: "\x2e",
  memoryGone: "\x2f",
  namespace: "\x30",
  revision: "\x31",
  task: "\x32",
  memoryTask: "\x33",
} as const;

/** The table with the highest first byte. */
export const LAST_TABLE = TABLE.memoryTask;

/** A number as 8 bytes. */
export function u64(value: number): string {
  const high = Math.floor(value / TWO_32);
  const low = value >>> 0;
  return String.fromCharCode(
    high >>> 24,
    (high >>> 16) & 255,
    (high >>> 8) & 255,
    high & 255,
    low >>> 24,
    (low >>> 16) & 255,
    (low >>> 8) & 255,
    low & 255,
  );
}

/** The number in 8 bytes of a key. */
export function readU64(key: string, start: number): number {
  let value = 0;
  for (let i = start; i < start + 8; i++) {
    value = value * 256 + key.charCodeAt(i);
  }
  return value;
}

function u16(value: number): string {
  return String.fromCharCode(value >>> 8, value & 255);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 127) {
      return false;
    }
  }
  return true;
}

/** A text as a key part without its length. */
export function textPart(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** The text of a key part. */
export function readText(part: string): string {
  return isAscii(part) ? part : Buffer.from(part, "latin1").toString("utf8");
}

/** A text as a key part behind its length. */
export function sized(text: string): string {
  const part = textPart(text);
  return u16(part.length) + part;
}

/** The part with its length at a place in a key, and where it ends. */
export function readSized(key: string, start: number): { text: string; end: number } {
  const length = key.charCodeAt(start) * 256 + key.charCodeAt(start + 1);
  const end = start + 2 + length;
  return { text: readText(key.slice(start + 2, end)), end };
}

/** The least key above every key with this prefix. */
export function afterPrefix(prefix: string): string {
  let length = prefix.length;
  while (length > 0 && prefix.charCodeAt(length - 1) === 255) {
    length--;
  }
  if (length === 0) {
    throw new Error("There is no key above this prefix.");
  }
  const last = String.fromCharCode(prefix.charCodeAt(length - 1) + 1);
  return prefix.slice(0, length - 1) + last;
}

export const nameKey = (namespace: string, sessionId: string): string =>
  TABLE.name + sized(namespace) + textPart(sessionId);
export const sessionKey = (sessionNo: number): string => TABLE.session + u64(sessionNo);
export const headKey = (sessionNo: number): string => TABLE.head + u64(sessionNo);
export const allPrefix = (namespace: string): string => TABLE.all + sized(namespace);
export const userPrefix = (namespace: string, userId: string): string =>
  TABLE.user + sized(namespace) + sized(userId);
export const agentPrefix = (namespace: string, agentId: string): string =>
  TABLE.agent + sized(namespace) + sized(agentId);
export const labelPrefix = (namespace: string, key: string, value: string): string =>
  TABLE.label + sized(namespace) + sized(key) + sized(value);
export const entryPrefix = (logNo: number): string => TABLE.entry + u64(logNo);
export const entryKey = (logNo: number, seq: number): string => TABLE.entry + u64(logNo) + u64(seq);
export const idPrefix = (logNo: number): string => TABLE.id + u64(logNo);
export const idKey = (logNo: number, messageId: string): string =>
  TABLE.id + u64(logNo) + textPart(messageId);
export const windowPrefix = (logNo: number): string => TABLE.window + u64(logNo);
export const windowKey = (logNo: number, seq: number): string =>
  TABLE.window + u64(logNo) + u64(seq);
export const keptKey = (logNo: number): string => TABLE.kept + u64(logNo);
export const replyKey = (namespace: string, requestId: string): string =>
  TABLE.reply + sized(namespace) + textPart(requestId);
export const consumerPrefix = (namespace: string): string => TABLE.consumer + sized(namespace);
export const consumerKey = (namespace: string, consumerId: string): string =>
  TABLE.consumer + sized(namespace) + textPart(consumerId);
export const expiryKey = (ms: number, sessionNo: number): string =>
  TABLE.expiry + u64(ms) + u64(sessionNo);
export const purgeKey = (logNo: number): string => TABLE.purge + u64(logNo);
export const DROPPED_KEY = TABLE.dropped;
export const namespaceKey = (namespace: string): string => TABLE.namespace + textPart(namespace);
export const revisionPrefix = (namespace: string): string => TABLE.revision + sized(namespace);
export const revisionKey = (namespace: string, revision: number): string =>
  revisionPrefix(namespace) + u64(revision);
export const taskKey = (namespace: string, taskNo: number): string =>
  TABLE.task + sized(namespace) + u64(taskNo);
export const oldTaskKey = (taskNo: number): string => TABLE.oldTask + u64(taskNo);
export const taskInPrefix = (namespace: string): string => TABLE.taskIn + sized(namespace);
export const taskOfPrefix = (sessionNo: number): string => TABLE.taskOf + u64(sessionNo);
export const duePrefix = (hook: string): string => TABLE.due + sized(hook);
export const dueInPrefix = (hook: string, namespace: string): string =>
  `${duePrefix(hook)}${textPart(namespace)}\0`;
export const dueAtPrefix = (hook: string): string => TABLE.dueAt + sized(hook);
export const dueAtKey = (hook: string, ms: number, taskNo: number, namespace: string): string =>
  dueAtPrefix(hook) + u64(ms) + u64(taskNo) + textPart(namespace);
export const oldDueAtKey = (hook: string, ms: number, taskNo: number): string =>
  dueAtPrefix(hook) + u64(ms) + u64(taskNo);
export const DUE_AT_TABLE: string = TABLE.dueAt;
export const usageHourPrefix = (hour: number): string => TABLE.usage + u64(hour);
export const usageKey = (hour: number, namespace: string, hook: string): string =>
  usageHourPrefix(hour) + sized(namespace) + textPart(hook);
export const summaryPrefix = (logNo: number): string => TABLE.summary + u64(logNo);
export const summaryKey = (logNo: number, version: number): string =>
  summaryPrefix(logNo) + u64(version);
export const collectionPrefix = (namespace: string): string => TABLE.collection + sized(namespace);
export const collectionKey = (namespace: string, collectionId: string): string =>
  collectionPrefix(namespace) + textPart(collectionId);
export const emptiedKey = (namespace: string, collectionId: string): string =>
  TABLE.emptied + sized(namespace) + textPart(collectionId);
export const documentPrefix = (logNo: number): string => TABLE.document + u64(logNo);
export const documentKey = (logNo: number, documentNo: number): string =>
  documentPrefix(logNo) + u64(documentNo);
export const documentIdPrefix = (logNo: number): string => TABLE.documentId + u64(logNo);
export const documentIdKey = (logNo: number, documentId: string): string =>
  documentIdPrefix(logNo) + textPart(documentId);
export const chunksPrefix = (logNo: number): string => TABLE.chunk + u64(logNo);
export const chunkPrefix = (logNo: number, sourceId: string): string =>
  chunksPrefix(logNo) + sized(sourceId);
export const chunkKey = (logNo: number, sourceId: string, documentNo: number): string =>
  chunkPrefix(logNo, sourceId) + u64(documentNo);
export const vectorPrefix = (logNo: number): string => TABLE.vector + u64(logNo);
export const vectorKey = (logNo: number, at: number): string => vectorPrefix(logNo) + u64(at);
export const recalledKey = (namespace: string): string => TABLE.recalled + textPart(namespace);

/** The parts of a key of `due` behind its hook. */
export function readDueKey(
  key: string,
  prefix: string,
): { readonly namespace: string; readonly dueMs: number; readonly taskNo: number } {
  const end = key.length - 16;
  return {
    namespace: readText(key.slice(prefix.length, end - 1)),
    dueMs: readU64(key, end),
    taskNo: readU64(key, end + 8),
  };
}

/** The key of an event. */
export function eventKey(commitNo: number, index: number, isLast: boolean): string {
  return u64(commitNo) + u16(index * 2 + (isLast ? 1 : 0));
}

/** The parts of the key of an event. */
export function readEventKey(key: string): { commitNo: number; index: number; isLast: boolean } {
  const mark = key.charCodeAt(8) * 256 + key.charCodeAt(9);
  return { commitNo: readU64(key, 0), index: mark >>> 1, isLast: (mark & 1) === 1 };
}

/** The number of events that one revision can have. */
export const REVISION_EVENTS_MAX = 32_768;

/**
 * The bucket in which the memtable keeps a key in order, or undefined for tables that are only read
 * by key. Keys of one range read share a bucket.
 */
export function bucketOf(key: string): string | undefined {
  switch (key[0]) {
    case TABLE.all:
    case TABLE.user:
    case TABLE.agent:
    case TABLE.label:
    case TABLE.window:
    case TABLE.taskIn:
    case TABLE.taskOf:
    case TABLE.summary:
    case TABLE.document:
    case TABLE.chunk:
    case TABLE.memory:
    case TABLE.memoryPast:
    case TABLE.memoryIn:
    case TABLE.memoryOf:
    case TABLE.memoryTerm:
    case TABLE.memoryTask:
    case TABLE.promotedAt:
    case TABLE.revision:
      return key.slice(0, -8);
    case TABLE.memoryScope:
    case TABLE.memoryHeldIn:
      return key.slice(0, 9);
    case TABLE.memoryRank:
      return key.slice(0, -16);
    case TABLE.consumer:
    case TABLE.collection:
    case TABLE.memoryJobs:
    case TABLE.due:
      return key.slice(0, 3 + key.charCodeAt(1) * 256 + key.charCodeAt(2));
    case TABLE.expiry:
    case TABLE.purge:
    case TABLE.reply:
    case TABLE.usage:
    case TABLE.recalled:
    case TABLE.memories:
    case TABLE.memoryEnd:
    case TABLE.memoryDue:
    case TABLE.memoryHeld:
    case TABLE.memoryGone:
    case TABLE.oldTask:
    // One read goes over all hooks.
    case TABLE.dueAt:
      return key.slice(0, 1);
    default:
      return undefined;
  }
}
