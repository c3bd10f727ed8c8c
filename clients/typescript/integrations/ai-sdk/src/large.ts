// Fragments that are too large for a message. Each is a record of its chat, under the digest of its
// JSON, and is put, replaced and deleted with the messages that name it.

import type {
  MemorySidecar,
  Message,
  RecordFields,
  RecordOperationInput,
} from "@memory-sidecar/client";
import { lookUp, passOver, type Stored, segment } from "@memory-sidecar/client/adapters";
import { type Fragment, fragmentOf, type Kept } from "./fragments.ts";

const ROOT = "ai-sdk";
const PAGE = 1_000;

/** The records of one chat. */
export class LargeFragments {
  readonly #client: MemorySidecar;
  readonly #path: readonly string[];

  constructor(client: MemorySidecar, chatId: string) {
    this.#client = client;
    this.#path = [ROOT, "fragments", segment(chatId)];
  }

  /** Sends the values of the records of messages; gives the operations that put the records. */
  async puts(kept: readonly Kept[], owner: RecordFields["owner"]): Promise<RecordOperationInput[]> {
    const puts = new Map<string, RecordOperationInput>();
    for (const { record } of kept) {
      if (record === undefined || puts.has(record.key)) continue;
      const { key, value } = record;
      const uploaded = await this.#client.uploadValue(value);
      const named = { path: this.#path, key, mediaType: "application/json", owner };
      puts.set(key, { put: { ...named, ...uploaded } });
    }
    return [...puts.values()];
  }

  /** Gets the fragments that messages name, by their keys; those that are gone are missing. */
  async get(messages: readonly Message[]): Promise<ReadonlyMap<string, Fragment>> {
    const found = new Map<string, Fragment>();
    for (const record of await this.records(messages)) {
      found.set(record.key, JSON.parse(record.value.toString()));
    }
    return found;
  }

  /** Gets the records that messages name, but those that are gone. */
  async records(messages: readonly Message[]): Promise<Stored[]> {
    const keys = new Set(messages.flatMap((message) => fragmentOf(message)?.record ?? []));
    const names = [...keys].map((key) => ({ path: this.#path, key }));
    return (await lookUp(this.#client, names)).flatMap((record) => record ?? []);
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
