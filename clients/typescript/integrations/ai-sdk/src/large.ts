// Fragments that are too large for a message. Each is a record of its chat, under the digest of its
// JSON, and is put, replaced and deleted with the messages that name it.

import {
  isMemorySidecarError,
  type MemorySidecar,
  type Message,
  type RecordFields,
  type RecordOperationInput,
  type Session,
} from "@memory-sidecar/client";
import {
  lookUp,
  MAX_UPLOADS,
  passOver,
  type Stored,
  segment,
  tryWrite,
  write,
} from "@memory-sidecar/client/adapters";
import { type Fragment, fragmentOf, type Kept } from "./fragments.ts";

const ROOT = "ai-sdk";
const PAGE = 1_000;

type Owner = RecordFields["owner"];

/** A chat that may be a fork of another one. */
interface Fork {
  readonly session: Session;
  /** The owner of its records. */
  readonly owner: Owner;
}

/** The records of one chat. */
export class LargeFragments {
  readonly #client: MemorySidecar;
  readonly #path: readonly string[];

  constructor(client: MemorySidecar, chatId: string) {
    this.#client = client;
    this.#path = [ROOT, "fragments", segment(chatId)];
  }

  /**
   * Makes the operations that put the records of messages. Of more than a call takes, the first are
   * put at once: no message names them yet.
   */
  async puts(kept: readonly Kept[], owner: Owner): Promise<RecordOperationInput[]> {
    const records = new Map(kept.flatMap(({ record }) => (record ? [[record.key, record]] : [])));
    const all = [...records.values()].map((record) => ({ put: this.#put(record, owner) }));
    await write(this.#client, all.slice(0, -MAX_UPLOADS));
    return all.slice(-MAX_UPLOADS);
  }

  /**
   * Gets the fragments that messages name, by their keys; those that are gone are missing. A fork
   * has the messages of its origin, not its records: it gets copies of those, too.
   */
  async get(messages: readonly Message[], fork: Fork): Promise<ReadonlyMap<string, Fragment>> {
    const records = await this.records(messages);
    const missing = keysOf(messages);
    for (const { key } of records) missing.delete(key);
    if (missing.size > 0) records.push(...(await this.#inherited(missing, fork)));
    return new Map(records.map(({ key, value }) => [key, JSON.parse(value.toString())]));
  }

  /** Gets the records that messages name, but those that are gone. */
  async records(messages: readonly Message[]): Promise<Stored[]> {
    return await this.#named([...keysOf(messages)]);
  }

  async #named(keys: readonly string[]): Promise<Stored[]> {
    const names = keys.map((key) => ({ path: this.#path, key }));
    return (await lookUp(this.#client, names)).flatMap((record) => record ?? []);
  }

  /** Gets records from the chats of which this one is a fork, and copies them. */
  async #inherited(keys: ReadonlySet<string>, { session, owner }: Fork): Promise<Stored[]> {
    const left = new Set(keys);
    const found: Stored[] = [];
    const seen = new Set<string>();
    for (let origin = session.forkedFrom?.sessionId; left.size > 0 && origin !== undefined; ) {
      if (seen.has(origin)) break;
      seen.add(origin);
      for (const record of await new LargeFragments(this.#client, origin).#named([...left])) {
        // The record of another user is not of this chat, although it has the name.
        if ((record.owner?.userId ?? "") !== session.userId) continue;
        found.push(record);
        left.delete(record.key);
      }
      const source = await this.#client.getSession(origin).catch(passOver("SESSION_NOT_FOUND"));
      origin = source?.forkedFrom?.sessionId;
    }
    // A copy would not expire with the chat.
    if (session.ttl === undefined) await this.#copy(found, owner);
    return found;
  }

  /**
   * Puts copies of records. A load needs no copies, so one whose writes fail, as those of a client
   * that may only read, leaves the rest to the next load.
   */
  async #copy(records: readonly Stored[], owner: Owner): Promise<void> {
    try {
      for (const record of records) {
        await tryWrite(this.#client, [{ put: { ...this.#put(record, owner), exists: false } }]);
      }
    } catch (error) {
      if (!isMemorySidecarError(error)) throw error;
    }
  }

  #put({ key, value }: Pick<Stored, "key" | "value">, owner: Owner) {
    return { path: this.#path, key, value, mediaType: "application/json", owner };
  }

  /** Deletes records that no message names any more, unless they have been put again since. */
  async delete(records: readonly Stored[], kept: readonly Kept[] = []): Promise<void> {
    const wanted = new Set(kept.map(({ record }) => record?.key));
    for (const { etag, key, path } of records) {
      if (wanted.has(key)) continue;
      await this.#client
        .writeRecords([{ delete: { path, key, etag } }])
        .catch(passOver("ETAG_MISMATCH", "RECORD_NOT_FOUND"));
    }
  }

  /** Lists all records of the chat, without their values. */
  async all(): Promise<Stored[]> {
    const found: Stored[] = [];
    for await (const one of this.#client.listRecords(this.#path, { pageSize: PAGE }))
      found.push(one);
    return found;
  }
}

/** Gives the keys of the records that messages name. */
function keysOf(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap((message) => fragmentOf(message)?.record ?? []));
}
