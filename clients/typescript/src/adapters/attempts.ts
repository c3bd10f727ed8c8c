// Calls that write records: large values are sent before, and another writer may be faster.

import { randomUUID } from "node:crypto";
import type { MemorySidecar } from "../client.ts";
import { isMemorySidecarError, type MemorySidecarError } from "../errors.ts";
import type {
  RecordFields,
  RecordInput,
  RecordOperationInput,
  UploadedValue,
} from "../record-inputs.ts";
import { isRetryable } from "../retry.ts";
import type { ScopeInput } from "../scope-filter.ts";
import { MAX_PAYLOAD_BYTES } from "./batches.ts";
import { passOver } from "./errors.ts";

/** Errors of a transaction one of whose records another writer has changed first. */
const OVERTAKEN = [
  "ETAG_MISMATCH",
  "RECORD_VERSION_MISMATCH",
  "RECORD_ALREADY_EXISTS",
  "RECORD_NOT_FOUND",
];
const ABANDONED = ["abandoned-uploads"];
const ABANDONED_TTL_MS = 60_000;
/** Time limit of each call that deletes an upload: its caller has an error to report. */
const ABANDON_TIMEOUT_MS = 5_000;

/** Number of values that are uploaded for one call; 64 of a namespace may wait for theirs. */
export const MAX_UPLOADS = 16;

type Put = Extract<RecordInput, { readonly value: unknown }>;

/** An upload that no call will put. */
type Abandoned = UploadedValue & Pick<RecordFields, "owner">;

/** Makes a call with operations whose large values have been sent. */
type Call<Answer> = (sent: readonly RecordOperationInput[]) => Promise<Answer>;

/** Writes in one transaction; false if another writer changed one of its records first. */
export async function tryWrite(
  client: MemorySidecar,
  operations: readonly RecordOperationInput[],
): Promise<boolean> {
  const answer = await attempt(client, operations, (sent) => client.writeRecords(sent));
  return answer !== undefined;
}

/**
 * Makes a call that writes these records, and gives its answer; undefined if another writer changed
 * one of them first. Otherwise it behaves like `send`.
 */
export async function attempt<Answer>(
  client: MemorySidecar,
  operations: readonly RecordOperationInput[],
  call: Call<Answer>,
): Promise<Answer | undefined> {
  try {
    return await send(client, operations, call);
  } catch (error) {
    passOver(...OVERTAKEN)(error);
    return undefined;
  }
}

/**
 * Makes a call that writes these records, and gives its answer. Large values are uploaded before.
 * If one cannot be uploaded, or the server refuses the call, the values that were uploaded for it
 * are deleted: a repeat uploads its own.
 */
export async function send<Answer>(
  client: MemorySidecar,
  operations: readonly RecordOperationInput[],
  call: Call<Answer>,
): Promise<Answer> {
  const sent: RecordOperationInput[] = [];
  try {
    for (const one of operations) sent.push(await uploaded(client, one));
  } catch (error) {
    // No call was made that may have put the values before this one.
    await abandon(client, uploadsOf(sent));
    throw error;
  }
  try {
    return await call(sent);
  } catch (error) {
    if (isRefusal(error)) await abandon(client, uploadsOf(sent));
    throw error;
  }
}

/** Tells whether `send` uploads the value of an operation. */
export function isUploaded(operation: RecordOperationInput): boolean {
  if (!("put" in operation && "value" in operation.put)) return false;
  return Buffer.byteLength(operation.put.value) > MAX_PAYLOAD_BYTES;
}

async function uploaded(
  client: MemorySidecar,
  operation: RecordOperationInput,
): Promise<RecordOperationInput> {
  if (!isUploaded(operation)) return operation;
  const { value, ...record } = (operation as { readonly put: Put }).put;
  return { put: { ...record, ...(await client.uploadValue(value)) } };
}

/** Sends values before the call that puts them. If one cannot be sent, the others are deleted. */
export async function uploadAll(
  client: MemorySidecar,
  values: readonly Uint8Array[],
  owner?: ScopeInput,
): Promise<UploadedValue[]> {
  const uploads: UploadedValue[] = [];
  try {
    for (const value of values) uploads.push(await client.uploadValue(value));
    return uploads;
  } catch (error) {
    // No call was made that may have put the values before this one.
    const abandoned = uploads.map((upload) => ({ ...upload, owner }));
    await abandon(client, abandoned);
    throw error;
  }
}

/** Tells whether the server has refused a call. After other errors it may have been done. */
function isRefusal(error: unknown): error is MemorySidecarError {
  return isMemorySidecarError(error) && error.reason !== "" && !isRetryable(error);
}

function uploadsOf(operations: readonly RecordOperationInput[]): Abandoned[] {
  return operations.flatMap((one) => ("put" in one && "uploadId" in one.put ? [one.put] : []));
}

/**
 * Deletes uploads. Only a put ends one before its hour, and a namespace has at most 64. Errors are
 * passed over: the caller throws the one that came before.
 */
async function abandon(client: MemorySidecar, uploads: readonly Abandoned[]): Promise<void> {
  for (const upload of uploads) {
    try {
      await end(client, upload);
    } catch (error) {
      // A server that does not answer for one upload keeps the caller waiting for each.
      if (!isRefusal(error)) return;
    }
  }
}

async function end(client: MemorySidecar, upload: Abandoned): Promise<void> {
  const { owner, uploadId, valueCrc32 } = upload;
  const name = { path: ABANDONED, key: randomUUID() };
  const put = { ...name, uploadId, valueCrc32, ttlMs: ABANDONED_TTL_MS };
  const options = { timeoutMs: ABANDON_TIMEOUT_MS };
  try {
    await client.writeRecords([{ put: { ...put, owner } }], options);
  } catch (error) {
    // The server may have refused the call for this owner. All else in this put is valid.
    passOver("REQUEST_INVALID")(error);
    await client.writeRecords([{ put }], options);
  }
  await client.deleteRecord(name.path, name.key, { allowMissing: true, ...options });
}
