// Reads what was found from the store, which alone says what there is: what is gone, has run out or
// no longer fits the filter of its session is no hit.

import type { AppError } from "../kit/errors.ts";
import { isOver } from "../kit/life.ts";
import { LIMITS } from "../kit/limits.ts";
import { cutText } from "../kit/text.ts";
import { type Memory, type MemoryScope, memoryExpireMs } from "../memory/rules/memory.ts";
import { meansScope } from "../memory/rules/scopes.ts";
import { isExpired, type Session } from "../session/rules/session.ts";
import { scopeIdOf } from "../store/scope-id.ts";
import type { StoredDocument, StoredMessage } from "../store/store.ts";
import type { RecallInput } from "./api.ts";
import { listsOf } from "./feed/source.ts";
import type { IndexedRecord, IndexHit } from "./index/port.ts";
import { passageTexts, readRecord } from "./index/record.ts";
import type { RecallParts } from "./parts.ts";
import { PayloadReader } from "./payloads.ts";
import type { RecallFilter, RecallKind } from "./rules/filter.ts";
import {
  type FilteredMemory,
  type FilterTimes,
  hasLabels,
  type MemoryConditions,
  memoryPasses,
  passesAll,
  sessionPasses,
  TRUE_MEMORIES,
} from "./rules/item-tests.ts";

/** Bytes of a hit beside its record. */
const HIT_BYTES = 512;

/** A hit with its record. */
export interface ReadHit {
  readonly hit: IndexHit;
  readonly record:
    | { readonly kind: "message"; readonly session: Session; readonly message: StoredMessage }
    | { readonly kind: "document"; readonly document: StoredDocument }
    | { readonly kind: "memory"; readonly memory: Memory; readonly bytes: Uint8Array };
  /** Its bytes in an answer, without the messages around it. */
  readonly bytes: number;
}

type Asked = Pick<
  RecallInput,
  "namespace" | "filter" | "referenceMs" | "withEmbeddings" | "withPayloads"
>;

/** Reads the records of one answer. */
export class HitReader {
  readonly #parts: RecallParts;
  readonly #asked: Asked;
  /** As they were read last. */
  readonly #sessions = new Map<string, Session>();
  readonly #scopes = new Map<string, MemoryScope>();
  /** Undefined when none are asked for. */
  readonly #payloads: PayloadReader | undefined;

  constructor(parts: RecallParts, asked: Asked) {
    this.#parts = parts;
    this.#asked = asked;
    this.#payloads = asked.withPayloads === true ? new PayloadReader(parts) : undefined;
  }

  /** The record of a hit; undefined when it is not there any more, or is not what was found. */
  async read(hit: IndexHit): Promise<ReadHit | undefined> {
    const record = await this.#recordOf(hit);
    if (record === undefined) return undefined;
    if (!this.#passes(record)) return undefined;
    return this.#readHit(hit, record);
  }

  /** As `read`, with the payload of a document where payloads are asked for. */
  async readWhole(hit: IndexHit): Promise<ReadHit | undefined> {
    const read = await this.read(hit);
    if (this.#payloads === undefined || read?.record.kind !== "document") return read;
    const ref = { namespace: this.#asked.namespace, collectionId: hit.containerId };
    const isMeant = (document: StoredDocument): boolean =>
      this.#isMeant(document) && this.#passes({ kind: "document", document });
    const document = await this.#payloads.complete(ref, read.record.document, isMeant);
    return document && this.#readHit(hit, { kind: "document", document });
  }

  #readHit(hit: IndexHit, record: ReadHit["record"]): ReadHit {
    const bytes = bytesOf({ record });
    const size =
      record.kind === "document"
        ? documentSize(record.document, this.#asked.withEmbeddings)
        : bytes.length;
    return { hit, record, bytes: size + HIT_BYTES + passageBytes(bytes) };
  }

  /** Only filters of what is said or tagged need all of a record to be read. */
  #passes(record: ReadHit["record"]): boolean {
    const { filter } = this.#asked;
    const times = this.#times();
    if (record.kind === "memory" && !memoryPasses(filteredOf(record.memory), filter, times)) {
      return false;
    }
    return !filtersRecords(filter) || passes(this.textOf({ record }), filter, times);
  }

  #recordOf(hit: IndexHit): Promise<ReadHit["record"] | undefined> {
    if (hit.kind === "memory") return this.#memoryOf(hit);
    return hit.kind === "document" ? this.#documentOf(hit) : this.#messageOf(hit);
  }

  #times(): FilterTimes {
    const nowMs = this.#parts.context.world.nowMs();
    return { nowMs, referenceMs: this.#asked.referenceMs ?? nowMs };
  }

  async #memoryOf({ containerId, position }: IndexHit): Promise<ReadHit["record"] | undefined> {
    const { context, codec } = this.#parts;
    const { namespace } = this.#asked;
    const known = this.#scopes.get(containerId);
    const scope = known ?? (await context.store.readMemoryScope(namespace, containerId))?.scope;
    if (scope === undefined || !meansScope(scope, this.#asked.filter.scope)) return undefined;
    this.#scopes.set(containerId, scope);
    const memory = await context.store.readMemoryAt(namespace, position);
    if (memory === undefined || scopeIdOf(memory.scope) !== containerId) return undefined;
    return { kind: "memory", memory, bytes: codec.encodeMemory(memory) };
  }

  async #documentOf({ containerId, position }: IndexHit): Promise<ReadHit["record"] | undefined> {
    const query = { namespace: this.#asked.namespace, collectionId: containerId };
    const range = { after: position - 1, last: position, limit: 1 };
    // Damage of the documents beside it is no reason to keep this one back.
    const told: AppError[] = [];
    const onDamage = (damage: AppError): void => void told.push(damage);
    const lists = listsOf({ store: this.#parts.context.store, onDamage });
    const [document] = (await lists.listDocuments({ ...query, ...range })).documents;
    if (document === undefined && told[0] !== undefined) throw told[0];
    if (document === undefined || !this.#isMeant(document)) return undefined;
    return { kind: "document", document };
  }

  #isMeant(document: StoredDocument): boolean {
    if (isOver(document, this.#times().nowMs)) return false;
    const { scope } = this.#parts.codec.readDocumentHead(document.bytes);
    return meansScope(scope, this.#asked.filter.scope);
  }

  async #messageOf({ containerId, position }: IndexHit): Promise<ReadHit["record"] | undefined> {
    for (;;) {
      const session = this.#sessions.get(containerId) ?? (await this.#readSession(containerId));
      if (session === undefined) return undefined;
      const [message] = await this.messages(session, position, position);
      // A session that was deleted may have been made again meanwhile, for another user.
      const after = await this.#readSession(containerId);
      if (after === undefined || message === undefined) return undefined;
      if (after.fields.etagRevision === session.fields.etagRevision) {
        return { kind: "message", session: after, message };
      }
    }
  }

  /** The messages of a session at these seqs, both included, those that are there. */
  async messages(
    session: Session,
    firstSeq: number,
    lastSeq: number,
  ): Promise<readonly StoredMessage[]> {
    if (lastSeq < firstSeq) return [];
    const range = { firstSeq, lastSeq, order: "asc", limit: lastSeq - firstSeq + 1 } as const;
    return (await this.#parts.context.store.listMessages(session, range))?.messages ?? [];
  }

  /** The record as the index reads it. */
  textOf({ record }: Pick<ReadHit, "record">): IndexedRecord {
    return readRecord(this.#parts.codec, record.kind, bytesOf({ record }));
  }

  /** The passage that fits best, as it is stored. */
  async passageOf(read: ReadHit): Promise<string> {
    const passages = await passagesOf(this.#parts, read.hit.kind, bytesOf(read));
    const passage = passages[read.hit.passage] ?? passages[0] ?? "";
    return cutText(passage, LIMITS.recallPassageBytes);
  }

  /** The session of a hit if it still is one that the filter lets through. */
  async #readSession(sessionId: string): Promise<Session | undefined> {
    const { store } = this.#parts.context;
    const session = await store.readSession({ namespace: this.#asked.namespace, sessionId });
    const fitting = session !== undefined && this.#fits(session) ? session : undefined;
    if (fitting === undefined) this.#sessions.delete(sessionId);
    else this.#sessions.set(sessionId, fitting);
    return fitting;
  }

  #fits(session: Session): boolean {
    if (isExpired(session, this.#parts.context.world.nowMs())) return false;
    const { sessionLabels } = this.#asked.filter;
    const { fields, sessionId } = session;
    const { userId, agentId } = fields;
    if (!sessionPasses({ userId, agentId, sessionId }, this.#asked.filter.scope)) return false;
    return hasLabels(fields.labels, sessionLabels);
  }
}

/** The fields of a memory that filters read. */
function filteredOf(memory: Memory): FilteredMemory {
  const { kind, content, strength, state } = memory;
  const { category, validFromMs, validToMs } = content;
  return {
    ...{ kind, category: category.toLowerCase(), confidence: strength.confidence },
    ...{ isSuperseded: state === "superseded", validFromMs, validToMs },
    expireMs: memoryExpireMs(memory),
  };
}

function bytesOf({ record }: Pick<ReadHit, "record">): Uint8Array {
  if (record.kind === "memory") return record.bytes;
  return record.kind === "message" ? record.message.bytes : record.document.bytes;
}

function passageBytes(bytes: Uint8Array): number {
  return Math.min(LIMITS.recallPassageBytes, bytes.length);
}

/** Bytes of a document in an answer, with the payload that was read for it. */
export function documentSize(
  { bytes, embedding, payload }: StoredDocument,
  withEmbedding: boolean,
): number {
  const size = bytes.length + (payload?.data.length ?? 0);
  if (!withEmbedding || embedding === undefined) return size;
  return size + embedding.values.length * Float32Array.BYTES_PER_ELEMENT + embedding.model.length;
}

/** The conditions of a filter on a record itself, not on its session or collection. */
export type RecordFilter = Pick<RecallFilter, "labels" | "metadata" | "sourceDocumentId"> &
  Partial<Pick<RecallFilter, "fromMs" | "beforeMs" | "minTrust">> &
  Partial<MemoryConditions>;

/** Whether a filter has conditions on records themselves. */
export function filtersRecords(filter: RecordFilter): boolean {
  const { labels, metadata, sourceDocumentId, fromMs, beforeMs, minTrust } = filter;
  if (labels.size > 0 || metadata.length > 0 || sourceDocumentId !== "") return true;
  return fromMs !== undefined || beforeMs !== undefined || minTrust !== undefined;
}

/**
 * Whether a record as it is in the store passes. The index has filtered already, but a record may
 * have been replaced since: a hook that orders hits takes seconds. Its role is skipped, since it
 * never changes.
 */
export function passes(
  record: IndexedRecord,
  filter: RecordFilter,
  times: FilterTimes = { nowMs: 0, referenceMs: 0 },
): boolean {
  const { memory } = record;
  if (memory !== undefined && !memoryPasses(memory, { ...TRUE_MEMORIES, ...filter }, times)) {
    return false;
  }
  const { fromMs = -Infinity, beforeMs = Infinity, minTrust = 0, sourceDocumentId } = filter;
  const { timeMs, trust, documentId } = record;
  if (timeMs < fromMs || timeMs >= beforeMs || trust < minTrust) return false;
  const isOfSource =
    documentId === sourceDocumentId || record.sourceDocumentId === sourceDocumentId;
  if (sourceDocumentId !== "" && !isOfSource) return false;
  if (!hasLabels(record.labels, filter.labels)) return false;
  return passesAll(record, filter.metadata);
}

/**
 * Passages of longer records are cut in the thread of the index: a megabyte of text takes a tenth
 * of a second, in which no write could be answered.
 */
const LONG_BYTES = 16_384;

/** The texts of the passages of a record, in order, at least one. */
export async function passagesOf(
  { codec, keeper }: RecallParts,
  kind: RecallKind,
  bytes: Uint8Array,
): Promise<readonly string[]> {
  if (bytes.length > LONG_BYTES) return await keeper.index.passages(kind, bytes);
  return passageTexts(readRecord(codec, kind, bytes)).map(({ vector }) => vector);
}
