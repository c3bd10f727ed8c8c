// Transactions that are repeated when another writer was faster.

import { randomUUID } from "node:crypto";
import type { MemorySidecar } from "../client.ts";
import { isMemorySidecarError } from "../errors.ts";
import type { RecordOperationInput } from "../record-inputs.ts";
import { passOver } from "./errors.ts";

/** Errors of a transaction one of whose records another writer has changed first. */
const OVERTAKEN = ["RECORD_VERSION_MISMATCH", "RECORD_ALREADY_EXISTS", "RECORD_NOT_FOUND"];
const ABANDONED = ["abandoned-uploads"];
const ABANDONED_TTL_MS = 60_000;

/** Writes in one transaction; false if another writer changed one of its records first. */
export async function tryWrite(
  client: MemorySidecar,
  operations: readonly RecordOperationInput[],
): Promise<boolean> {
  const answer = await attempt(client, operations, () => client.writeRecords(operations));
  return answer !== undefined;
}

/**
 * Makes a call that writes these records, and gives its answer; undefined if another writer changed
 * one of them first. Values that were uploaded for it are then deleted: a repeat uploads its own.
 */
export async function attempt<Answer>(
  client: MemorySidecar,
  operations: readonly RecordOperationInput[],
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!isMemorySidecarError(error) || !OVERTAKEN.includes(error.reason)) throw error;
    await abandon(client, operations);
    return undefined;
  }
}

/** Deletes uploads. Only a put ends one before its hour, and a namespace has at most 64. */
async function abandon(
  client: MemorySidecar,
  operations: readonly RecordOperationInput[],
): Promise<void> {
  for (const operation of operations) {
    if (!("put" in operation) || !("uploadId" in operation.put)) continue;
    const { owner, uploadId, valueCrc32 } = operation.put;
    const name = { path: ABANDONED, key: randomUUID() };
    const put = { ...name, owner, uploadId, valueCrc32, ttlMs: ABANDONED_TTL_MS };
    await client.writeRecords([{ put }]).catch(passOver("UPLOAD_NOT_FOUND"));
    await client.deleteRecord(name.path, name.key, { allowMissing: true });
  }
}
