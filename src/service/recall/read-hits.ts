// Reads what was found from the store, which alone says what there is: what is gone, has run out or
// no longer fits the filter of its session is no hit.

import { LIMITS } from "../../domain/limits.ts";
import type { RecallFilter } from "../../domain/recall/filter.ts";
import { hasLabels } from "../../domain/recall/metadata-test.ts";
import { isExpired, type Session } from "../../domain/session.ts";
import type { IndexedRecord, IndexHit } from "../../recall/port.ts";
import type { StoredDocument, StoredMessage } from "../../storage/store.ts";
import { cutText } from "../cut-text.ts";
import type { RecallParts } from "./parts.ts";
import { passagesOf } from "./passages.ts";
import { looksAtRecords, passes } from "./passes.ts";

/** What a hit costs beside its record. */
const HIT_BYTES = 512;

/** A hit with its record. */
export interface ReadHit {
  readonly hit: IndexHit;
  readonly record:
    | { readonly kind: "message"; readonly session: Session; readonly message: StoredMessage }
    | { readonly kind: "document"; readonly document: StoredDocument };
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

  constructor(parts: RecallParts, namespace: string, filter: RecallFilter) {
    this.#parts = parts;
    this.#namespace = namespace;
    this.#filter = filter;
  }

  /** The record of a hit; undefined when it is not there any more, or is not what was found. */
  async read(hit: IndexHit): Promise<ReadHit | undefined> {
    const record =
      hit.kind === "document" ? await this.#documentOf(hit) : await this.#messageOf(hit);
    if (record === undefined) return undefined;
    if (looksAtRecords(this.#filter) && !passes(this.textOf({ record }), this.#filter)) {
      return undefined;
    }
    const { bytes } = record.kind === "document" ? record.document : record.message;
    return { hit, record, bytes: bytes.length + HIT_BYTES + passageBytes(bytes) };
  }

  async #documentOf({ containerId, position }: IndexHit): Promise<ReadHit["record"] | undefined> {
    const query = { namespace: this.#namespace, collectionId: containerId };
    const range = { after: position - 1, last: position, limit: 1 };
    const page = await this.#parts.context.store.listDocuments({ ...query, ...range });
    const [document] = page.documents;
    return document === undefined ? undefined : { kind: "document", document };
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
    const { codec } = this.#parts;
    return record.kind === "message"
      ? codec.readMessage(record.message.bytes)
      : codec.readDocument(record.document.bytes);
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
    const { userId, agentId, sessionLabels } = this.#filter;
    const { fields } = session;
    if (userId !== "" && fields.userId !== userId) return false;
    if (agentId !== "" && fields.agentId !== agentId) return false;
    return hasLabels(fields.labels, sessionLabels);
  }
}

function bytesOf({ record }: ReadHit): Uint8Array {
  return record.kind === "message" ? record.message.bytes : record.document.bytes;
}

function passageBytes(bytes: Uint8Array): number {
  return Math.min(LIMITS.recallPassageBytes, bytes.length);
}
