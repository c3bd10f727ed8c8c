// Reads stored messages and documents as the index of recall sees them: what can be found of them,
// and what filters look at. It runs for each record that is indexed, in the thread of the index, so
// it reads the few fields it needs straight from the bytes.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { type MemoryScope, SHARED_SCOPE } from "../../domain/memories/memory.ts";
import type { FlatMetadata } from "../../domain/recall/filter.ts";
import { TRUST } from "../../domain/summaries/summary.ts";
import { ROLE } from "../../domain/window/types.ts";
import type { IndexCodec, IndexedRecord } from "../../recall/port.ts";
import type { DocumentHead } from "../../service/recall-api.ts";
import { flattenMetadata } from "./flat-metadata.ts";
import { readIndexedMemory } from "./indexed-memory.ts";
import { structToJson } from "./struct-json.ts";

// The fields of Message, ContentPart, ToolResult, Document, MemoryScope, Timestamp and of a label
// by number, as in message.proto, document.proto and memory.proto.
const MESSAGE = {
  ...{ messageId: 1, role: 3, name: 4, text: 5, parts: 6, metadata: 13, labels: 14 },
  ...{ sentTime: 17, trust: 19, createTime: 21 },
} as const;
const PART = { text: 1, data: 3, toolResult: 4, json: 7 } as const;
const RESULT = { text: 2, parts: 3 } as const;
const DOCUMENT = {
  ...{ documentId: 2, text: 3, author: 4, metadata: 5, labels: 6, documentTime: 7 },
  ...{ importance: 8, trust: 10, sourceDocumentId: 11, chunkCount: 13 },
  ...{ createTime: 16, scope: 19 },
} as const;
const SCOPE = { userId: 1, agentId: 2, sessionId: 3 } as const;
const TIME = { seconds: 1, nanos: 2 } as const;
const LABEL = { key: 1, value: 2 } as const;

const MS_PER_SECOND = 1_000;
const NANOS_PER_MS = 1_000_000;
const NO_LABELS: ReadonlyMap<string, string> = new Map();
const NO_METADATA: FlatMetadata = new Map();

/** What was read so far. */
interface Draft {
  texts: string[];
  author: string;
  role: number;
  trust: number;
  /** When it was said, or what it tells of was. */
  toldMs: number | undefined;
  createMs: number;
  labels: Map<string, string> | undefined;
  metadata: FlatMetadata;
  importance: number | undefined;
  documentId: string;
  sourceDocumentId: string;
  scope: MemoryScope | undefined;
  messageId: string;
}

/** Faster than the decoder of the library, and text is nearly all that is read. */
function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function addText(texts: string[], text: string): void {
  if (text !== "") texts.push(text);
}

function readPart(reader: BinaryReader, texts: string[]): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    if (field === PART.text) addText(texts, reader.string());
    else if (field === PART.data) addText(texts, structToJson(reader.bytes()));
    else if (field === PART.json) addText(texts, reader.string());
    else if (field === PART.toolResult) readResult(reader, texts);
    else reader.skip(tag & 7);
  }
}

function readResult(reader: BinaryReader, texts: string[]): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === RESULT.text) addText(texts, reader.string());
    else if (tag >>> 3 === RESULT.parts) readPart(reader, texts);
    else reader.skip(tag & 7);
  }
}

/** Reads a time as milliseconds, rounded up as everywhere else. */
function readTime(reader: BinaryReader): number {
  const end = reader.uint32() + reader.pos;
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === TIME.seconds) seconds = Number(reader.int64());
    else if (tag >>> 3 === TIME.nanos) nanos = reader.int32();
    else reader.skip(tag & 7);
  }
  return seconds * MS_PER_SECOND + Math.ceil(nanos / NANOS_PER_MS);
}

function readLabel(reader: BinaryReader, draft: Draft): void {
  const end = reader.uint32() + reader.pos;
  let key = "";
  let value = "";
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === LABEL.key) key = reader.string();
    else if (tag >>> 3 === LABEL.value) value = reader.string();
    else reader.skip(tag & 7);
  }
  draft.labels ??= new Map();
  draft.labels.set(key, value);
}

function readScope(reader: BinaryReader): MemoryScope {
  const end = reader.uint32() + reader.pos;
  let { userId, agentId, sessionId } = SHARED_SCOPE;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === SCOPE.userId) userId = reader.string();
    else if (tag >>> 3 === SCOPE.agentId) agentId = reader.string();
    else if (tag >>> 3 === SCOPE.sessionId) sessionId = reader.string();
    else reader.skip(tag & 7);
  }
  return { userId, agentId, sessionId };
}

function readMessageField(reader: BinaryReader, tag: number, draft: Draft): void {
  switch (tag >>> 3) {
    case MESSAGE.messageId:
      draft.messageId = reader.string();
      break;
    case MESSAGE.role:
      draft.role = reader.int32();
      break;
    case MESSAGE.name:
      draft.author = reader.string();
      break;
    case MESSAGE.text:
      addText(draft.texts, reader.string());
      break;
    case MESSAGE.parts:
      readPart(reader, draft.texts);
      break;
    case MESSAGE.metadata:
      draft.metadata = flattenMetadata(reader.bytes());
      break;
    case MESSAGE.labels:
      readLabel(reader, draft);
      break;
    case MESSAGE.sentTime:
      draft.toldMs = readTime(reader);
      break;
    case MESSAGE.trust:
      draft.trust = reader.int32();
      break;
    case MESSAGE.createTime:
      draft.createMs = readTime(reader);
      break;
    default:
      reader.skip(tag & 7);
  }
}

function readDocumentField(reader: BinaryReader, tag: number, draft: Draft): void {
  switch (tag >>> 3) {
    case DOCUMENT.documentId:
      draft.documentId = reader.string();
      break;
    case DOCUMENT.text:
      addText(draft.texts, reader.string());
      break;
    case DOCUMENT.author:
      draft.author = reader.string();
      break;
    case DOCUMENT.metadata:
      draft.metadata = flattenMetadata(reader.bytes());
      break;
    case DOCUMENT.labels:
      readLabel(reader, draft);
      break;
    case DOCUMENT.documentTime:
      draft.toldMs = readTime(reader);
      break;
    case DOCUMENT.importance:
      draft.importance = reader.double();
      break;
    case DOCUMENT.trust:
      draft.trust = reader.int32();
      break;
    case DOCUMENT.sourceDocumentId:
      draft.sourceDocumentId = reader.string();
      break;
    case DOCUMENT.scope:
      draft.scope = readScope(reader);
      break;
    case DOCUMENT.createTime:
      draft.createMs = readTime(reader);
      break;
    default:
      reader.skip(tag & 7);
  }
}

function newDraft(): Draft {
  return {
    texts: [],
    author: "",
    role: 0,
    trust: TRUST.low,
    toldMs: undefined,
    createMs: 0,
    labels: undefined,
    metadata: NO_METADATA,
    importance: undefined,
    documentId: "",
    sourceDocumentId: "",
    scope: undefined,
    messageId: "",
  };
}

function roleOf(role: number): IndexedRecord["role"] {
  return role >= ROLE.user && role <= ROLE.tool ? (role as IndexedRecord["role"]) : 0;
}

function trustOf(trust: number): IndexedRecord["trust"] {
  return trust === TRUST.medium || trust === TRUST.high ? trust : TRUST.low;
}

/**
 * Reads a record. Bytes that are damaged give what stands before the damage: the index must go on
 * with the rest, the store refuses the record when it is read, and `verify` tells of it.
 */
function readRecord(
  bytes: Uint8Array,
  readField: (reader: BinaryReader, tag: number, draft: Draft) => void,
): IndexedRecord {
  const draft = newDraft();
  const reader = new BinaryReader(bytes, decodeText);
  try {
    while (reader.pos < reader.len) readField(reader, reader.uint32(), draft);
  } catch {
    // What was read stands.
  }
  const { texts, author, importance, documentId, sourceDocumentId, scope, messageId } = draft;
  return {
    text: texts.length === 1 ? (texts[0] ?? "") : texts.join("\n"),
    author,
    role: roleOf(draft.role),
    trust: trustOf(draft.trust),
    timeMs: draft.toldMs ?? draft.createMs,
    labels: draft.labels ?? NO_LABELS,
    metadata: draft.metadata,
    importance,
    documentId,
    sourceDocumentId,
    ...(scope === undefined ? {} : { scope }),
    ...(messageId === "" ? {} : { messageId }),
  };
}

/** Reads what every look at a document needs. Throws when its bytes are damaged. */
export function readDocumentHead(bytes: Uint8Array): DocumentHead {
  const reader = new BinaryReader(bytes, decodeText);
  let scope = SHARED_SCOPE;
  let chunkCount = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === DOCUMENT.scope) scope = readScope(reader);
    else if (tag >>> 3 === DOCUMENT.chunkCount) chunkCount = reader.int32();
    else reader.skip(tag & 7);
  }
  return { scope, chunkCount };
}

/** Reads the wire forms of records for the index. Never throws for messages and documents. */
export const INDEX_CODEC: IndexCodec = {
  readMessage: (bytes) => readRecord(bytes, readMessageField),
  readDocument: (bytes) => readRecord(bytes, readDocumentField),
  readMemory: readIndexedMemory,
};
