import type { RecordPathQuery, RecordQuery, ValueRange } from "../store/store.ts";
import type { RecordName, RecordOperation, RecordOutcome, RecordRange } from "./rules/record.ts";
import type { RecordPart } from "./rules/upload.ts";

export interface WriteRecordsInput {
  readonly namespace: string;
  /** On different records. */
  readonly operations: readonly RecordOperation[];
  /** An error says which operation failed. */
  readonly isSeveral: boolean;
  /** `revision` is 0 when nothing was saved. */
  readonly encode: (result: {
    readonly outcomes: readonly RecordOutcome[];
    readonly revision: number;
  }) => Uint8Array;
}

export interface DeleteRangeInput {
  readonly namespace: string;
  readonly range: RecordRange;
  readonly encode: (result: {
    readonly deletedCount: number;
    readonly more: boolean;
    readonly revision: number;
  }) => Uint8Array;
}

export interface ReadRecordsInput {
  readonly namespace: string;
  readonly names: readonly RecordName[];
  /** Values come along as long as they take at most so many bytes together. */
  readonly valuesMax: number;
  /** Lets the records live on. */
  readonly refresh: boolean;
}

export interface ReadRecordRangeInput {
  readonly namespace: string;
  readonly name: RecordName;
  /** Empty for any. */
  readonly etag: string;
  readonly range: ValueRange;
  /** Lets the record live on. */
  readonly refresh: boolean;
}

export interface UploadPartInput {
  readonly namespace: string;
  readonly part: RecordPart;
}

export type ListRecordsInput = Omit<RecordQuery, "nowMs"> & { readonly refresh: boolean };

export type ListRecordPathsInput = Omit<RecordPathQuery, "nowMs">;
