// Reads what was found from the store, which alone says what there is: what is gone, has run out or
// no longer fits the filter of its session is no hit.

import { LIMITS } from "../../domain/limits.ts";
import { type Memory, type MemoryScope, memoryExpireMs } from "../../domain/memories/memory.ts";
import { meansScope } from "../../domain/memories/scopes.ts";
import type { RecallFilter } from "../../domain/recall/filter.ts";
import {
  type FilteredMemory,
  type FilterTimes,
  memoryPasses,
} from "../../domain/recall/memory-test.ts";
import { hasLabels } from "../../domain/recall/metadata-test.ts";
import { sessionPasses } from "../../domain/recall/session-test.ts";
import { isExpired, type Session } from "../../domain/session.ts";
import type { IndexedRecord, IndexHit } from "../../recall/port.ts";
import { readRecord } from "../../recall/read-record.ts";
import { scopeIdOf } from "../../storage/scope-id.ts";
import type { StoredDocument, StoredMessage } from "../../storage/store.ts";
import { cutText } from "../cut-text.ts";
import type { RecallInput } from "../recall-api.ts";
import type { RecallParts } from "./parts.ts";
import { passagesOf } from "./passages.ts";
import { looksAtRecords, passes } from "./passes.ts";
import { documentSize } from "./read-documents.ts";

/** What a hit costs beside its record. */
const HIT_BYTES = 512;

/** A hit with its record. */
export interface ReadHit {
  readonly hit: IndexHit;
  readonly record:
    | { readonly kind: "message"; readonly session: Session; readonly message: StoredMessage }
    | { readonly kind: "document"; readonly document: StoredDocument }
    | { readonly kind: "memory"; readonly memory: Memory; readonly bytes: Uint8Array };
  /** What it takes in an answer, without the messages around it. */
  readonly bytes: number;
}

/** Reads the records of one answer. */
export class HitReader {
  readonly #parts: RecallParts;
  readonly #namespace: string;
  readonly #filter: RecallFilter;
  /** As they were read last. */
  readonly #sessions = new Map<string, Session>();
  readonly #scopes = new Map<string, MemoryScope>();
  readonly #referenceMs: number | undefined;
  readonly #withEmbeddings: boolean;

  constructor(
    parts: RecallParts,
    asked: Pick<RecallInput, "namespace" | "filter" | "referenceMs" | "withEmbeddings">,
  ) {
    this.#parts = parts;
    this.#namespace = asked.namespace;
    this.#filter = asked.filter;
    this.#referenceMs = asked.referenceMs;
    this.#withEmbeddings = asked.withEmbeddings;
  }

  /** The record of a hit; undefined when it is not there any more, or is not what was found. */
  async read(hit: IndexHit): Promise<ReadHit | undefined> {
    const record = await this.#recordOf(hit);
    if (record === undefined) return undefined;
    if (!this.#passes(record)) return undefined;
    const bytes = bytesOf({ record });
    const size =
      record.kind === "document"
        ? documentSize(record.document, this.#withEmbeddings)
        : bytes.length;
    return { hit, record, bytes: size + HIT_BYTES + passageBytes(bytes) };
  }

  /** Only filters of what is said or tagged need all of a record to be read. */
  #passes(record: ReadHit["record"]): boolean {
    const filter = this.#filter;
    const times = this.#times();
    if (record.kind === "memory" && !memoryPasses(filteredOf(record.memory), filter, times)) {
      return false;
    }
    return !looksAtRecords(filter) || passes(this.textOf({ record }), filter, times);
  }

  #recordOf(hit: IndexHit): Promise<ReadHit["record"] | undefined> {
    if (hit.kind === "memory") return this.#memoryOf(hit);
    return hit.kind === "document" ? this.#documentOf(hit) : this.#messageOf(hit);
  }

  #times(): FilterTimes {
    const nowMs = this.#parts.context.world.nowMs();
    return { nowMs, referenceMs: this.#referenceMs ?? nowMs };
  }

  async #memoryOf({ containerId, position }: IndexHit): Promise<ReadHit["record"] | undefined> {
    const { context, codec } = this.#parts;
    const namespace = this.#namespace;
    const known = this.#scopes.get(containerId);
    const scope = known ?? (await context.store.readMemoryScope(namespace, containerId))?.scope;
    if (scope === undefined || !meansScope(scope, this.#filter.scope)) return undefined;
    this.#scopes.set(containerId, scope);
    const memory = await context.store.readMemoryAt(namespace, position);
    if (memory === undefined || scopeIdOf(memory.scope) !== containerId) return undefined;
    return { kind: "memory", memory, bytes: codec.encodeMemory(memory) };
  }

  async #documentOf({ containerId, position }: IndexHit): Promise<ReadHit["record"] | undefined> {
    const query = { namespace: this.#namespace, collectionId: containerId };
    const range = { after: position - 1, last: position, limit: 1 };
    const page = await this.#parts.context.store.listDocuments({ ...query, ...range });
    const [document] = page.documents;
    if (document === undefined) return undefined;
    const { scope } = this.#parts.codec.readDocumentHead(document.bytes);
    return meansScope(scope, this.#filter.scope) ? { kind: "document", document } : undefined;
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

  /** What a record says. */
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
    const session = await store.readSession({ namespace: this.#namespace, sessionId });
    const fitting = session !== undefined && this.#fits(session) ? session : undefined;
    if (fitting === undefined) this.#sessions.delete(sessionId);
    else this.#sessions.set(sessionId, fitting);
    return fitting;
  }

  #fits(session: Session): boolean {
    if (isExpired(session, this.#parts.context.world.nowMs())) return false;
    const { sessionLabels } = this.#filter;
    const { fields, sessionId } = session;
    const { userId, agentId } = fields;
    if (!sessionPasses({ userId, agentId, sessionId }, this.#filter.scope)) return false;
    return hasLabels(fields.labels, sessionLabels);
  }
}

/** What filters ask of a memory, as the index has it. */
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
