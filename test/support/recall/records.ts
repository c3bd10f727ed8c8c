// Records for tests of the index of recall, without the wire forms of the contract: JSON stands for
// them, and its codec reads it.

import type { MemoryScope } from "../../../src/memory/rules/memory.ts";
import { EVERYONE } from "../../../src/memory/rules/scopes.ts";
import type {
  ContainerInfo,
  CosineQuery,
  IndexChange,
  IndexCodec,
  IndexedMemory,
  IndexedRecord,
  IndexItem,
  IndexQuery,
} from "../../../src/recall/index/port.ts";
import { POOL_PER_LEG, WIDE_POOL_PER_LEG } from "../../../src/recall/rank/weights.ts";
import type { RecallFilter, Scalar } from "../../../src/recall/rules/filter.ts";
import { TRUE_MEMORIES } from "../../../src/recall/rules/item-tests.ts";

/** A record in plain data. */
export interface PlainRecord {
  readonly text: string;
  readonly author?: string;
  readonly role?: IndexedRecord["role"];
  readonly trust?: IndexedRecord["trust"];
  readonly timeMs?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, readonly Scalar[]>>;
  readonly importance?: number;
  readonly documentId?: string;
  readonly sourceDocumentId?: string;
  readonly scope?: MemoryScope;
  readonly messageId?: string;
  readonly alsoWords?: string;
  readonly memory?: Partial<PlainMemory>;
}

/** A memory in plain data; null is never. */
export type PlainMemory = Omit<IndexedMemory, "validFromMs" | "validToMs" | "expireMs"> & {
  readonly validFromMs: number | null;
  readonly validToMs: number | null;
  readonly expireMs: number | null;
};

function read(bytes: Uint8Array): IndexedRecord {
  const plain = JSON.parse(new TextDecoder().decode(bytes)) as PlainRecord;
  return {
    text: plain.text,
    author: plain.author ?? "",
    role: plain.role ?? 0,
    trust: plain.trust ?? 2,
    timeMs: plain.timeMs ?? 0,
    labels: new Map(Object.entries(plain.labels ?? {})),
    metadata: new Map(Object.entries(plain.metadata ?? {})),
    importance: plain.importance,
    documentId: plain.documentId ?? "",
    sourceDocumentId: plain.sourceDocumentId ?? "",
  };
}

function readDocument(bytes: Uint8Array): IndexedRecord {
  const { scope } = JSON.parse(new TextDecoder().decode(bytes)) as PlainRecord;
  return { ...read(bytes), ...(scope === undefined ? {} : { scope }) };
}

function readMessage(bytes: Uint8Array): IndexedRecord {
  const { messageId = "" } = JSON.parse(new TextDecoder().decode(bytes)) as PlainRecord;
  return { ...read(bytes), messageId };
}

function readMemory(bytes: Uint8Array): IndexedRecord {
  const { memory = {}, alsoWords = "" } = JSON.parse(
    new TextDecoder().decode(bytes),
  ) as PlainRecord;
  const { validFromMs, validToMs, expireMs, ...rest } = memory;
  return {
    ...{ ...read(bytes), alsoWords },
    memory: {
      ...{ kind: "fact", category: "general", confidence: 1, isSuperseded: false },
      ...{ source: { sessionId: "", messageIds: [] }, names: [], topics: [] },
      validFromMs: validFromMs ?? undefined,
      validToMs: validToMs ?? undefined,
      expireMs: expireMs ?? undefined,
      ...rest,
    },
  };
}

/** Reads what {@link recordItem} makes. */
export const JSON_INDEX_CODEC: IndexCodec = { readMessage, readDocument, readMemory };

/** Makes an item of the index. */
export function recordItem(position: number, record: PlainRecord): IndexItem {
  return { position, bytes: new TextEncoder().encode(JSON.stringify(record)) };
}

/** A container with nothing to filter by, but for what is given. */
export function containerOf(
  kind: ContainerInfo["kind"],
  id: string,
  rest: Partial<ContainerInfo> = {},
): IndexChange & { readonly kind: "container" } {
  const info = { userId: "", agentId: "", labels: new Map(), expireMs: undefined, ...rest };
  return { kind: "container", container: { kind, id, ...info } };
}

/** The change that gives a container items at their positions and nothing between them. */
export function itemsOf(
  kind: ContainerInfo["kind"],
  id: string,
  items: readonly IndexItem[],
): IndexChange {
  return {
    kind: "items",
    container: { kind, id },
    firstPosition: items[0]?.position ?? 1,
    lastPosition: items.at(-1)?.position ?? 1,
    items,
  };
}

/** A filter that asks for nothing, but for what is given. */
export function filterOf(rest: Partial<RecallFilter> = {}): RecallFilter {
  return {
    ...{ kinds: new Set(), sessionIds: [], excludeSessionIds: [], scope: EVERYONE },
    ...{ sessionLabels: new Map(), roles: new Set(), collectionIds: [], labels: new Map() },
    ...{ metadata: [], fromMs: undefined, beforeMs: undefined, minTrust: undefined },
    ...{ sourceDocumentId: "" },
    ...TRUE_MEMORIES,
    ...rest,
  };
}

/** A query with the defaults of the contract. */
export function queryOf(text: string, rest: Partial<IndexQuery> = {}): IndexQuery {
  return {
    ...{ text, filter: filterOf(), mode: "hybrid", fusion: "scores", weights: {} },
    ...{ minScore: undefined, minRelevance: 0, diversity: 0, hitsPerGroup: undefined },
    ...{ offset: 0, limit: 10, nowMs: 0, referenceMs: 0 },
    perLeg: (rest.mode ?? "hybrid") === "hybrid" ? POOL_PER_LEG : WIDE_POOL_PER_LEG,
    ...rest,
  };
}

/** A search by cosine with defaults. */
export function cosineOf(text: string, rest: Partial<CosineQuery> = {}): CosineQuery {
  return { text, filter: filterOf(), minScore: undefined, limit: 5, nowMs: 0, ...rest };
}
