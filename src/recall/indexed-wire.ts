// Reads the wire form of metadata as filters look at it: flat, each path with its scalars. No
// object is built from the keys, so that none of them can do harm.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { fromMemoryKind } from "../core/wire.ts";
import * as wire from "../gen/memorysidecar/v1/memory.ts";
import { structToJson } from "../grpc/struct.ts";
import { fromOptionalTimestamp } from "../grpc/time.ts";
import {
  aDouble,
  anInt32,
  anInt64,
  aText,
  type FieldTable,
  fieldTable,
  type ReadField,
  readFields,
  readMessageField,
} from "../grpc/wire-fields.ts";
import { LIMITS } from "../kit/limits.ts";
import { type MemoryScope, SHARED_SCOPE } from "../memory/rules/memory.ts";
import { TRUST } from "../summary/rules/summary.ts";
import { ROLE } from "../window/rules/types.ts";
import type { DocumentHead } from "./api.ts";
import type { IndexCodec, IndexedMemory, IndexedRecord } from "./index/port.ts";
import type { FlatMetadata, Scalar } from "./rules/filter.ts";
import type { FilteredMemory } from "./rules/item-tests.ts";

// The fields of Value and of ListValue by number, as in struct.proto.
const VALUE = { number: 2, text: 3, bool: 4, object: 5, list: 6 } as const;
const LIST_VALUES = 1;

const NOTHING: FlatMetadata = new Map();
const NO_SCALARS: readonly Scalar[] = [];

/** A piece of the bytes. */
interface Slice {
  readonly start: number;
  readonly end: number;
}

const NO_SLICE: Slice = { start: 0, end: 0 };

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

const ENTRY = fieldTable<{ key: string; value: Slice }>([1, "key", aText], [2, "value", readSlice]);

/** Of two entries with one key the last counts, as in any map. */
const STRUCT = fieldTable<{ entries: Map<string, Slice> }>([
  1,
  "entries",
  (reader, entries) => {
    const { key, value } = readMessageField(reader, ENTRY, { key: "", value: NO_SLICE });
    return entries.set(key, value);
  },
]);

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
  into.reader.pos = slice.start;
  const found = readFields(into.reader, STRUCT, { entries: new Map() }, slice.end);
  const entries = [...found.entries];
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
// it reads the few fields it needs straight from the bytes. Their numbers are those of
// message.proto, document.proto and memory.proto.

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

const plusText: ReadField<string[]> = (reader, texts) => plus(texts, reader.string());

function plus(texts: string[], text: string): string[] {
  if (text !== "") texts.push(text);
  return texts;
}

const PART = fieldTable<{ texts: string[] }>(
  [1, "texts", plusText],
  [3, "texts", (reader, texts) => plus(texts, structToJson(reader.bytes()))],
  [4, "texts", (reader, texts) => readMessageField(reader, RESULT, { texts }).texts],
  [7, "texts", plusText],
);

const plusPart: ReadField<string[]> = (reader, texts) =>
  readMessageField(reader, PART, { texts }).texts;

const RESULT = fieldTable<{ texts: string[] }>([2, "texts", plusText], [3, "texts", plusPart]);

const TIMESTAMP = fieldTable<{ seconds: number; nanos: number }>(
  [1, "seconds", anInt64],
  [2, "nanos", anInt32],
);

/** Reads a time as milliseconds, rounded up as everywhere else. */
function readTime(reader: BinaryReader): number {
  const { seconds, nanos } = readMessageField(reader, TIMESTAMP, { seconds: 0, nanos: 0 });
  return seconds * MS_PER_SECOND + Math.ceil(nanos / NANOS_PER_MS);
}

const LABEL = fieldTable<{ key: string; value: string }>([1, "key", aText], [2, "value", aText]);

const plusLabel: ReadField<Draft["labels"]> = (reader, labels = new Map()) => {
  const { key, value } = readMessageField(reader, LABEL, { key: "", value: "" });
  return labels.set(key, value);
};

const SCOPE = fieldTable<{ -readonly [K in keyof MemoryScope]: string }>(
  [1, "userId", aText],
  [2, "agentId", aText],
  [3, "sessionId", aText],
);

const readScope = (reader: BinaryReader): MemoryScope =>
  readMessageField(reader, SCOPE, { ...SHARED_SCOPE });

const readMetadata = (reader: BinaryReader): FlatMetadata => flattenMetadata(reader.bytes());

const MESSAGE = fieldTable<Draft>(
  [1, "messageId", aText],
  [3, "role", anInt32],
  [4, "author", aText],
  [5, "texts", plusText],
  [6, "texts", plusPart],
  [13, "metadata", readMetadata],
  [14, "labels", plusLabel],
  [17, "toldMs", readTime],
  [19, "trust", anInt32],
  [21, "createMs", readTime],
);

const DOCUMENT = fieldTable<Draft>(
  [2, "documentId", aText],
  [3, "texts", plusText],
  [4, "author", aText],
  [5, "metadata", readMetadata],
  [6, "labels", plusLabel],
  [7, "toldMs", readTime],
  [8, "importance", aDouble],
  [10, "trust", anInt32],
  [11, "sourceDocumentId", aText],
  [16, "createMs", readTime],
  [19, "scope", readScope],
);

const DOCUMENT_HEAD = fieldTable<{ scope: MemoryScope; chunkCount: number }>(
  [13, "chunkCount", anInt32],
  [19, "scope", readScope],
);

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
function readRecord(bytes: Uint8Array, fields: FieldTable<Draft>): IndexedRecord {
  const draft = newDraft();
  const reader = new BinaryReader(bytes, decodeText);
  try {
    readFields(reader, fields, draft);
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
  return readFields(reader, DOCUMENT_HEAD, { scope: SHARED_SCOPE, chunkCount: 0 });
}

/** Reads the wire forms of records for the index. Never throws for messages and documents. */
export const INDEX_CODEC: IndexCodec = {
  readMessage: (bytes) => readRecord(bytes, MESSAGE),
  readDocument: (bytes) => readRecord(bytes, DOCUMENT),
  readMemory: readIndexedMemory,
};
