// Reads the wire form of metadata as filters look at it: flat, each path with its scalars. No
// object is built from the keys, so that none of them can do harm.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { fromMemoryKind } from "../core/wire.ts";
import * as wire from "../gen/memorysidecar/v1/memory.ts";
import { structToJson } from "../grpc/struct.ts";
import { fromOptionalTimestamp } from "../grpc/time.ts";
import { LIMITS } from "../kit/limits.ts";
import { type MemoryScope, SHARED_SCOPE } from "../memory/rules/memory.ts";
import { TRUST } from "../summary/rules/summary.ts";
import { ROLE } from "../window/rules/types.ts";
import type { DocumentHead } from "./api.ts";
import type { IndexCodec, IndexedMemory, IndexedRecord } from "./index/port.ts";
import type { FlatMetadata, Scalar } from "./rules/filter.ts";
import type { FilteredMemory } from "./rules/item-tests.ts";

// The fields of Struct, of its entries, of Value and of ListValue by number, as in struct.proto.
const STRUCT_FIELDS = 1;
const ENTRY = { key: 1, value: 2 } as const;
const VALUE = { number: 2, text: 3, bool: 4, object: 5, list: 6 } as const;
const LIST_VALUES = 1;

const NOTHING: FlatMetadata = new Map();
const NO_SCALARS: readonly Scalar[] = [];

/** A piece of the bytes. */
interface Slice {
  readonly start: number;
  readonly end: number;
}

/** The state of reading metadata. */
interface Flattening {
  readonly reader: BinaryReader;
  readonly found: Map<string, readonly Scalar[]>;
}

function readSlice(reader: BinaryReader): Slice {
  const length = reader.uint32();
  const start = reader.pos;
  reader.pos += length;
  if (reader.pos > reader.len) throw new RangeError("Metadata ends in the middle of a field.");
  return { start, end: reader.pos };
}

/** Reads the entries of an object; of two with one key the last counts, as in any map. */
function readEntries(reader: BinaryReader, { start, end }: Slice): Map<string, Slice> {
  const entries = new Map<string, Slice>();
  reader.pos = start;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 !== STRUCT_FIELDS) {
      reader.skip(tag & 7);
      continue;
    }
    const entry = readSlice(reader);
    reader.pos = entry.start;
    let key = "";
    let value: Slice = { start: entry.end, end: entry.end };
    while (reader.pos < entry.end) {
      const inner = reader.uint32();
      if (inner >>> 3 === ENTRY.key) key = reader.string();
      else if (inner >>> 3 === ENTRY.value) value = readSlice(reader);
      else reader.skip(inner & 7);
    }
    entries.set(key, value);
  }
  return entries;
}

/** A value: a scalar, or where an object or a list is. */
type Read = { readonly scalar: Scalar } | { readonly object: Slice } | { readonly list: Slice };

function readValue(reader: BinaryReader, { start, end }: Slice): Read {
  let read: Read = { scalar: null };
  reader.pos = start;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case VALUE.number:
        read = { scalar: reader.double() };
        break;
      case VALUE.text:
        read = { scalar: reader.string() };
        break;
      case VALUE.bool:
        read = { scalar: reader.bool() };
        break;
      case VALUE.object:
        read = { object: readSlice(reader) };
        break;
      case VALUE.list:
        read = { list: readSlice(reader) };
        break;
      default:
        reader.skip(tag & 7);
        read = { scalar: null };
    }
  }
  return read;
}

function readList(reader: BinaryReader, { start, end }: Slice): readonly Scalar[] {
  const scalars: Scalar[] = [];
  let at = start;
  while (at < end) {
    reader.pos = at;
    const tag = reader.uint32();
    if (tag >>> 3 === LIST_VALUES) {
      const value = readSlice(reader);
      at = value.end;
      const read = readValue(reader, value);
      if ("scalar" in read) scalars.push(read.scalar);
    } else {
      reader.skip(tag & 7);
      at = reader.pos;
    }
  }
  return scalars;
}

function addValue(into: Flattening, path: string, slice: Slice): void {
  const { reader, found } = into;
  const read = readValue(reader, slice);
  if ("object" in read) {
    if (!found.has(path)) found.set(path, NO_SCALARS);
    addObject(into, `${path}.`, read.object);
    return;
  }
  // The path is taken by a longer key, which is the one that is meant.
  if (found.has(path)) return;
  found.set(path, "list" in read ? readList(reader, read.list) : [read.scalar]);
}

function addObject(into: Flattening, prefix: string, slice: Slice): void {
  const entries = [...readEntries(into.reader, slice)];
  // Two ways lead to one path only where a key holds a dot: the longest key comes first then.
  if (entries.some(([key]) => key.includes("."))) entries.sort(([a], [b]) => b.length - a.length);
  for (const [key, value] of entries) {
    const path = prefix + key;
    // Nobody can ask for a longer one, and paths may not outgrow what they name.
    if (path.length <= LIMITS.metadataPathBytes) addValue(into, path, value);
  }
}

/**
 * Gives the metadata of a record flat. A dot goes into an inner object; where a key holds a dot
 * itself, the longest key that fits is meant. A list gives its scalars; what is a list or an object
 * inside it is left out. An object, as a list without scalars, gives its path with none, because
 * there is a value. Paths that nobody can ask for are left out. Throws on damaged bytes.
 */
export function flattenMetadata(bytes: Uint8Array): FlatMetadata {
  if (bytes.length === 0) return NOTHING;
  const into: Flattening = { reader: new BinaryReader(bytes), found: new Map() };
  addObject(into, "", { start: 0, end: bytes.length });
  return into.found;
}

// Reads memories as the index of recall sees them.

/** The importance that counts as not given. */
const IMPORTANCE_UNSAID = 0.5;

/** The names in a memory: those of an entity, or both ends of a relation. */
function namesOf({ structure }: wire.Memory): string[] {
  if (structure?.$case === "entity") return [structure.value.name, ...structure.value.aliases];
  if (structure?.$case !== "relation") return [];
  return [structure.value.subject, structure.value.objectValue];
}

/** The words of a memory that its text lacks. */
function alsoWordsOf(memory: wire.Memory): string {
  const { text, topics, structure } = memory;
  const words = [...topics, ...namesOf(memory)];
  if (structure?.$case === "relation") words.push(structure.value.predicate);
  if (structure?.$case === "entity") words.push(...structure.value.attributes.values());
  const known = text.toLowerCase();
  const lacking = words.filter((word) => !known.includes(word.toLowerCase()));
  return [...new Set(lacking)].join("\n");
}

function filteredOf(memory: wire.Memory): FilteredMemory {
  return {
    kind: fromMemoryKind(memory.kind),
    category: memory.category.toLowerCase(),
    confidence: memory.confidence ?? 1,
    isSuperseded: memory.state === wire.MemoryState.SUPERSEDED,
    validFromMs: fromOptionalTimestamp(memory.validFromTime),
    validToMs: fromOptionalTimestamp(memory.validUntilTime),
    expireMs: fromOptionalTimestamp(memory.expireTime),
  };
}

/**
 * Reads the wire form of a memory. It has no author. Its time is when it became true, or happened;
 * where nobody said, when it was last said.
 */
export function readIndexedMemory(bytes: Uint8Array): IndexedRecord {
  const memory = wire.Memory.decode(bytes);
  const { source, importance } = memory;
  const own: IndexedMemory = {
    ...filteredOf(memory),
    source: { sessionId: source?.sessionId ?? "", messageIds: source?.messageIds ?? [] },
    names: namesOf(memory),
    topics: memory.topics,
  };
  return {
    text: memory.text,
    author: "",
    role: 0,
    trust: memory.trust === 2 || memory.trust === 3 ? memory.trust : 1,
    timeMs: own.validFromMs ?? fromOptionalTimestamp(memory.lastSeenTime) ?? 0,
    labels: memory.labels,
    metadata: flattenMetadata(memory.metadata),
    importance: importance === IMPORTANCE_UNSAID ? undefined : importance,
    documentId: "",
    sourceDocumentId: "",
    alsoWords: alsoWordsOf(memory),
    memory: own,
  };
}

// Reads stored messages and documents as the index of recall sees them: what can be found of them,
// and what filters look at. It runs for each record that is indexed, in the thread of the index, so
// it reads the few fields it needs straight from the bytes.

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

/** The fields read so far. */
interface Draft {
  texts: string[];
  author: string;
  role: number;
  trust: number;
  /** The time of the message, or of its subject. */
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
    // The fields read so far are kept.
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

/** Reads the head of a document. Throws when its bytes are damaged. */
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
