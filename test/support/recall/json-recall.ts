// Recall inputs and outputs as JSON for tests of the services, as in json-codec.ts.

import {
  type Entity,
  type Memory,
  type MemoryScope,
  type Relation,
  SHARED_SCOPE,
} from "../../../src/memory/rules/memory.ts";
import type { DocumentDraft, DocumentStamp } from "../../../src/recall/api.ts";
import type { IndexedRecord } from "../../../src/recall/index/port.ts";
import type { RecallCodec } from "../../../src/recall/parts.ts";
import type { FlatMetadata, Scalar } from "../../../src/recall/rules/filter.ts";
import { joinChunks } from "../../../src/recall/rules/splitter.ts";
import type { StoredVector } from "../../../src/store/store.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import { fromBytes, jsonCodec, type StoredJsonMessage, toBytes } from "../services/json-codec.ts";

/** Document fields that a test sets. */
export interface JsonDocument {
  readonly documentId?: string;
  readonly etag?: string;
  readonly text?: string;
  readonly author?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  readonly importance?: number;
  readonly scope?: MemoryScope;
  readonly embedding?: StoredVector;
}

/** A document as stored. */
export type StoredJsonDocument = Omit<JsonDocument, "embedding"> & {
  readonly stamp: Omit<DocumentStamp, "text">;
};

/** A draft of a document. */
export function documentDraft(document: JsonDocument): DocumentDraft {
  const { documentId = "", etag = "", text = "", embedding } = document;
  return { documentId, etag, text, embedding, ttlMs: 0, payload: undefined, wire: document };
}

/** Reads what `encodeDocument` wrote. */
export function readDocument(bytes: Uint8Array): StoredJsonDocument {
  return fromBytes<StoredJsonDocument>(bytes);
}

function flat(metadata: JsonDocument["metadata"] = {}): FlatMetadata {
  const entries = Object.entries(metadata).map(
    ([path, value]) => [path, Array.isArray(value) ? value : [value as Scalar]] as const,
  );
  return new Map(entries);
}

/** A value with its maps as objects and its bytes as text. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

/** A memory as `encodeMemory` writes it: its maps are objects. */
type JsonMemory = Omit<Memory, "content"> & {
  readonly content: Omit<Memory["content"], "labels" | "structure"> & {
    readonly labels: Readonly<Record<string, string>>;
    readonly structure?: {
      readonly entity?: Partial<Entity>;
      readonly relation?: Partial<Relation>;
    };
  };
};

const PLAIN = { labels: new Map<string, string>(), metadata: flat(), importance: undefined };

/** Reads and writes JSON. */
export const jsonRecallCodec: RecallCodec = {
  readEtag: (bytes) => readDocument(bytes).stamp.etag,
  readMessage(bytes): IndexedRecord {
    const { role, name, text, stamp } = fromBytes<StoredJsonMessage>(bytes);
    return {
      messageId: stamp.messageId,
      ...{ ...PLAIN, text, author: name, role, trust: jsonCodec.readTrust(bytes) },
      ...{ timeMs: stamp.createMs, documentId: "", sourceDocumentId: "" },
    };
  },
  readDocument(bytes): IndexedRecord {
    const { text = "", author = "", labels = {}, metadata, ...rest } = readDocument(bytes);
    const { stamp } = rest;
    return {
      ...{ text, author, role: 0, trust: TRUST.medium, timeMs: stamp.createMs },
      labels: new Map(Object.entries(labels)),
      metadata: flat(metadata),
      importance: rest.importance,
      documentId: stamp.documentId,
      sourceDocumentId: stamp.chunk?.sourceId ?? "",
      ...(rest.scope === undefined ? {} : { scope: rest.scope }),
    };
  },
  readMemory(bytes): IndexedRecord {
    const memory = fromBytes<JsonMemory>(bytes);
    const { content, strength, structure, source } = { ...memory, ...memory.content };
    const {
      name,
      aliases = [],
      subject,
      object,
    } = { ...structure?.entity, ...structure?.relation };
    const expireMs = memory.ttlMs === 0 ? undefined : memory.updateMs + memory.ttlMs;
    return {
      ...{ text: content.text, author: "", role: 0, trust: memory.trust },
      timeMs: content.validFromMs ?? strength.lastSeenMs,
      labels: new Map(Object.entries(content.labels)),
      ...{ metadata: flat(), importance: content.importance, documentId: "" },
      ...{ sourceDocumentId: "", alsoWords: content.topics.join("\n") },
      memory: {
        ...{ kind: memory.kind, category: content.category.toLowerCase(), source },
        ...{ confidence: strength.confidence, isSuperseded: memory.state === "superseded" },
        ...{ validFromMs: content.validFromMs, validToMs: content.validToMs, expireMs },
        names: [name, ...aliases, subject, object].flatMap((one) => one ?? []),
        topics: content.topics,
      },
    };
  },
  encodeDocument(draft, stamp) {
    const { embedding: _, ...document } = draft.wire as JsonDocument;
    const { text, ...rest } = stamp;
    return toBytes({ ...document, text, stamp: rest });
  },
  readDocumentHead(bytes) {
    const { scope = SHARED_SCOPE, stamp } = readDocument(bytes);
    return { scope, chunkCount: stamp.chunk?.count ?? 0 };
  },
  joinChunks(all) {
    const [first] = all;
    if (first === undefined) return toBytes({});
    const pieces = all.map(readDocument).flatMap(({ text = "", stamp: { chunk } }) => {
      return chunk === undefined ? [] : [{ text, ...chunk }];
    });
    return toBytes({ ...readDocument(first), text: joinChunks(pieces) });
  },
  encodeMemory: (memory) => toBytes(plain(memory)),
  flatMetadata: (bytes) => (bytes.length === 0 ? flat() : flat(fromBytes(bytes))),
};
