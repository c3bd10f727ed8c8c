// Records and operations on them as callers give them.

import { onlyFields, whole } from "./choice.ts";
import type { RecordOperation, RecordPrecondition } from "./gen/memorysidecar/v1/record.ts";
import { PutRecordRequest } from "./gen/memorysidecar/v1/record_service.ts";
import type { DocumentInput } from "./recall-options.ts";
import { toDocument } from "./recall-requests.ts";
import { type ScopeInput, toScope } from "./scope-filter.ts";
import { toDuration } from "./time.ts";

/** A path: its segments, or the only one. */
export type RecordPath = string | readonly string[];

/** Name of a record. */
export interface RecordNameInput {
  readonly path: RecordPath;
  readonly key: string;
}

/** State that a record must have. Default: any. */
export interface RecordDemand {
  /** The record exists with this version. */
  readonly version?: number | bigint | undefined;
  /** Whether the record exists; with `false` a put only creates. Not together with `version`. */
  readonly exists?: boolean | undefined;
  /** The record still has this etag. */
  readonly etag?: string | undefined;
}

export const RECORD_DEMAND = { version: true, exists: true, etag: true } as const;

/** Fields of a record to write, beside its name and its value. */
export interface RecordFields extends RecordDemand {
  readonly mediaType?: string | undefined;
  /** Whom EraseSubject and events take it for. Default: everybody shares it. */
  readonly owner?: ScopeInput | undefined;
  /** Life of the record in milliseconds, from now or from a read that refreshes it. */
  readonly ttlMs?: number | undefined;
  /** Documents by which Recall finds it; they expire and are deleted with it. Default: none. */
  readonly search?: RecordSearchInput | undefined;
}

export const RECORD_FIELDS = {
  ...{ ...RECORD_DEMAND, mediaType: true, owner: true, ttlMs: true, search: true },
} as const;

/** Documents of a record. They have its owner, expire with it, and get ids from the server. */
export interface RecordSearchInput {
  readonly documents: readonly DocumentInput[];
  /** Their collection. Default `default`. */
  readonly collectionId?: string | undefined;
}

/** A value that `uploadValue` has sent. */
export interface UploadedValue {
  readonly uploadId: string;
  /** The CRC-32 of the value. */
  readonly valueCrc32?: number | undefined;
}

export const UPLOADED_VALUE = { uploadId: true, valueCrc32: true } as const;

/** A record to write. A text is kept as UTF-8. */
export type RecordInput = RecordNameInput &
  RecordFields &
  ({ readonly value: Uint8Array | string } | UploadedValue);

/** One operation of a transaction. */
export type RecordOperationInput =
  | { readonly put: RecordInput }
  | {
      readonly delete: RecordNameInput & RecordDemand & { readonly allowMissing?: boolean };
    }
  | { readonly check: RecordNameInput & RecordDemand };

/** The segments of a path. */
export function segmentsOf(path: RecordPath): string[] {
  return typeof path === "string" ? [path] : [...path];
}

/** A name in its wire form. */
export function nameOf({ path, key }: RecordNameInput): { path: string[]; key: string } {
  return { path: segmentsOf(path), key };
}

/** The precondition that a demand is. */
export function demandOf({ exists, version }: RecordDemand): RecordPrecondition | undefined {
  if (exists !== undefined && version !== undefined) {
    throw new TypeError("give version or exists, not both");
  }
  if (version !== undefined) return { condition: { $case: "version", value: whole(version) } };
  return exists === undefined ? undefined : { condition: { $case: "exists", value: exists } };
}

const NAME = { path: true, key: true } as const;
const CHECK = { ...NAME, ...RECORD_DEMAND } as const;
const DELETION = { ...CHECK, allowMissing: true } as const;
const PUT = { ...NAME, ...RECORD_FIELDS, ...UPLOADED_VALUE, value: true } as const;
const OPERATION = { put: true, check: true, delete: true } as const;

const NO_UPLOAD: UploadedValue = { uploadId: "", valueCrc32: undefined };

/** The fields of a put. */
export function putOf(input: RecordInput) {
  const { etag = "", mediaType = "", owner, search, ttlMs } = input;
  const { uploadId, valueCrc32, value } = { ...NO_UPLOAD, value: "", ...input };
  if (search !== undefined) {
    onlyFields("search of a record", search, { documents: true, collectionId: true });
  }
  const record = {
    ...nameOf(input),
    ...{ value: Buffer.from(value as Uint8Array), uploadId, valueCrc32, mediaType, etag },
    owner: toScope(owner),
    ttl: ttlMs === undefined ? undefined : toDuration(ttlMs),
    search: search && {
      collectionId: search.collectionId ?? "",
      documents: search.documents.map((document) => toDocument(document, undefined)),
    },
  };
  return { record, precondition: demandOf(input) };
}

/** An operation in its wire form. */
export function operationOf(input: RecordOperationInput): RecordOperation {
  onlyFields("record operation", input, OPERATION);
  if ("put" in input) {
    onlyFields("record", input.put, PUT);
    const value = PutRecordRequest.fromPartial(putOf(input.put));
    return { operation: { $case: "put", value } };
  }
  if ("check" in input) {
    onlyFields("check of a record", input.check, CHECK);
    const { etag = "" } = input.check;
    const value = { record: nameOf(input.check), etag, precondition: demandOf(input.check) };
    return { operation: { $case: "check", value } };
  }
  onlyFields("deletion of a record", input.delete, DELETION);
  const { allowMissing = false, etag = "" } = input.delete;
  const precondition = demandOf(input.delete);
  const value = { record: nameOf(input.delete), etag, precondition, allowMissing };
  return { operation: { $case: "deletion", value } };
}
