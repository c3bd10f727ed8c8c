// Reads and writes of many records, of any size.

import { setTimeout as wait } from "node:timers/promises";
import type { MemorySidecar } from "../client.ts";
import type { RecordNameInput, RecordOperationInput, RecordPath } from "../record-inputs.ts";
import { backoffMs, type RetryPolicy } from "../retry.ts";
import { isUploaded, MAX_UPLOADS, send } from "./attempts.ts";
import { BATCH_BYTES, batchesOf } from "./batches.ts";
import { passOver } from "./errors.ts";

const MAX_LOOKUPS = 256;
/** Number of operations that a transaction takes. */
export const MAX_OPERATIONS = 256;
const LIMITS = {
  ...{ operations: MAX_OPERATIONS, documents: 1_000, bytes: BATCH_BYTES, uploads: MAX_UPLOADS },
};
/** Names take up to 4 KiB of it. */
const OVERHEAD_BYTES = 4_096;

/** Reads that another writer overtakes. A random delay lets one of them end. */
const AGAIN: RetryPolicy = { maxAttempts: 50, initialDelayMs: 10, maxDelayMs: 100 };

/** A record as the server gives it. */
export type Stored = Awaited<ReturnType<MemorySidecar["getWholeRecord"]>>;

/**
 * Writes in order, in as few transactions as possible. Most need only one. The large values of a
 * transaction are uploaded before it.
 */
export async function write(
  client: MemorySidecar,
  operations: readonly RecordOperationInput[],
): Promise<void> {
  for (const batch of batchesOf(operations, costOf, LIMITS)) {
    await send(client, batch, (sent) => client.writeRecords(sent));
  }
}

/** Gets records with their values, one result for each name; undefined where there is none. */
export async function lookUp(
  client: MemorySidecar,
  names: readonly RecordNameInput[],
): Promise<(Stored | undefined)[]> {
  const found: (Stored | undefined)[] = [];
  for (let start = 0; start < names.length; start += MAX_LOOKUPS) {
    const batch = names.slice(start, start + MAX_LOOKUPS);
    const lookups = await client.batchGetRecords(batch);
    for (const [index, { record, valueOmitted }] of lookups.entries()) {
      const { path, key } = batch[index] ?? { path: [], key: "" };
      const isWhole = record === undefined || !valueOmitted;
      found.push(isWhole ? record : await readWhole(client, path, key));
    }
  }
  return found;
}

/** Gets a record with its whole value; undefined if there is none. */
export async function readWhole(
  client: MemorySidecar,
  path: RecordPath,
  key: string,
): Promise<Stored | undefined> {
  try {
    // Another writer may have replaced a large value between two ranges.
    return await readAgain(() => client.getWholeRecord(path, key), "ETAG_MISMATCH");
  } catch (error) {
    return passOver("RECORD_NOT_FOUND")(error);
  }
}

/**
 * Reads what takes several calls. After errors with these reasons, which say that another writer
 * came between two calls, it reads again: 50 times at most, with pauses.
 */
export async function readAgain<Answer>(
  read: () => Promise<Answer>,
  ...reasons: readonly string[]
): Promise<Answer> {
  for (let lost = 1; ; lost += 1) {
    try {
      return await read();
    } catch (error) {
      passOver(...reasons)(error);
      if (lost === AGAIN.maxAttempts) throw error;
    }
    await wait(backoffMs(lost, AGAIN));
  }
}

/** Tells which of these records exist. */
export async function existing(
  client: MemorySidecar,
  names: readonly RecordNameInput[],
): Promise<boolean[]> {
  const found: boolean[] = [];
  for (let start = 0; start < names.length; start += MAX_LOOKUPS) {
    const batch = names.slice(start, start + MAX_LOOKUPS);
    const lookups = await client.batchGetRecords(batch, { omitValue: true });
    found.push(...lookups.map(({ record }) => record !== undefined));
  }
  return found;
}

/** Deletes the records of a path and of all paths below. */
export async function deleteBelow(client: MemorySidecar, path: readonly string[]): Promise<void> {
  let more = true;
  while (more) more = (await client.deleteRecords(path, { recursive: true })).more;
}

/** About how many bytes an operation takes in a request, and how many documents it has. */
function costOf(operation: RecordOperationInput) {
  const one = { operations: 1, uploads: isUploaded(operation) ? 1 : 0 };
  if (!("put" in operation)) return { ...one, bytes: OVERHEAD_BYTES, documents: 0 };
  const { put } = operation;
  const documents = put.search?.documents ?? [];
  // Their JSON text is never shorter than what they take in a request, without their vectors.
  const sizes = documents.map((one) => {
    const { embedding = [], ...rest } = typeof one === "string" ? { text: one } : one;
    const values = "values" in embedding ? embedding.values : embedding;
    return Buffer.byteLength(JSON.stringify(rest)) + 8 * values.length;
  });
  if ("value" in put && one.uploads === 0) sizes.push(Buffer.byteLength(put.value));
  const bytes = sizes.reduce((sum, one) => sum + one, OVERHEAD_BYTES);
  return { ...one, bytes, documents: documents.length };
}
