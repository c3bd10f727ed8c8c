// Records of the transactions that a session has applied. With them, a repeat changes nothing.

import type { MemorySidecar, RecordOperationInput } from "@memory-sidecar/client";
import { digestOf, passOver } from "@memory-sidecar/client/adapters";
import { canonicalText } from "./exact.ts";

const ROOT = "openai-agents-ts";
/** Long enough for a repeat: it comes soon, or after a pause for an approval. */
const TTL_MS = 30 * 86_400_000;

/** The place in the log of a replacement that has begun. */
export interface Plan {
  readonly fromSeq: string;
  readonly lastSeq: string;
}

/** The transaction that a record stands for. */
interface Applied {
  readonly transaction: string;
  /** Set until the replacement is known to be done. */
  readonly plan?: Plan;
}

/** A record of a transaction as it is stored. */
export interface Stored extends Applied {
  readonly version: number | bigint;
}

/** The records of one session. */
export class Operations {
  readonly #client: MemorySidecar;
  readonly #path: readonly string[];
  readonly #owner: { readonly owner?: { readonly userId: string } };

  constructor(client: MemorySidecar, sessionId: string, userId: string | undefined) {
    this.#client = client;
    this.#path = [ROOT, "operations", digestOf(sessionId)];
    this.#owner = userId === undefined ? {} : { owner: { userId } };
  }

  /** The record of an operation, if there is one. */
  async get(operationId: string): Promise<Stored | undefined> {
    const [lookup] = await this.#client.batchGetRecords([this.#name(operationId)]);
    const record = lookup?.record;
    if (record === undefined) return undefined;
    return { ...(JSON.parse(record.value.toString()) as Applied), version: record.version };
  }

  /** The put that records a transaction, if its operation has no record yet. */
  creation(operationId: string, transaction: string, plan?: Plan): RecordOperationInput {
    const value: Applied = { transaction, ...(plan === undefined ? {} : { plan }) };
    return { put: { ...this.#record(operationId, value), exists: false } };
  }

  /** Records that a replacement is done. */
  async finish(operationId: string, { transaction, version }: Stored): Promise<void> {
    const put = { ...this.#record(operationId, { transaction }), version };
    // If the record has changed, another writer has finished the same replacement.
    await this.#client
      .writeRecords([{ put }])
      .catch(passOver("RECORD_VERSION_MISMATCH", "RECORD_NOT_FOUND"));
  }

  /** Forgets a replacement that was refused. */
  async forget(operationId: string, { version }: Stored): Promise<void> {
    const name = { ...this.#name(operationId), version };
    await this.#client
      .writeRecords([{ delete: name }])
      .catch(passOver("RECORD_VERSION_MISMATCH", "RECORD_NOT_FOUND"));
  }

  /** Forgets all transactions. */
  async clear(): Promise<void> {
    let more = true;
    while (more) more = (await this.#client.deleteRecords(this.#path)).more;
  }

  #name(operationId: string) {
    return { path: this.#path, key: digestOf(operationId) };
  }

  #record(operationId: string, value: Applied) {
    const fields = { value: JSON.stringify(value), mediaType: "application/json", ttlMs: TTL_MS };
    return { ...this.#name(operationId), ...fields, ...this.#owner };
  }
}

/** The digest of a transaction. Equal transactions have equal digests. */
export function transactionDigest(transaction: unknown): string {
  return digestOf(canonicalText(transaction));
}
