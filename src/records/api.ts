// The use cases of records, as the edge calls them.

import type { Call } from "../kit/call.ts";
import type {
  ReadRecord,
  RecordPage,
  RecordPathPage,
  RecordPathQuery,
  RecordQuery,
  ValueRange,
} from "../store/store.ts";
import type { RecordName, RecordOperation, RecordOutcome, RecordRange } from "./rules/record.ts";
import type { RecordPart, RecordUpload } from "./rules/upload.ts";

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

export interface RecordServiceApi {
  /**
   * Throws RECORD_NOT_FOUND, RECORD_ALREADY_EXISTS, RECORD_VERSION_MISMATCH, ETAG_MISMATCH,
   * UPLOAD_NOT_FOUND and RECORD_CHECKSUM_MISMATCH.
   */
  writeRecords(call: Call, input: WriteRecordsInput): Promise<Uint8Array>;
  deleteRange(call: Call, input: DeleteRangeInput): Promise<Uint8Array>;
  /** One for each name; undefined where there is no record. */
  readRecords(call: Call, input: ReadRecordsInput): Promise<readonly (ReadRecord | undefined)[]>;
  /** A record with a piece of its value. Throws RECORD_NOT_FOUND and ETAG_MISMATCH. */
  readRecordRange(call: Call, input: ReadRecordRangeInput): Promise<ReadRecord>;
  /** Throws UPLOAD_OFFSET_MISMATCH, UPLOAD_LIMIT_REACHED and RECORD_VALUE_TOO_LARGE. */
  uploadPart(call: Call, input: UploadPartInput): Promise<RecordUpload>;
  listRecords(call: Call, input: ListRecordsInput): Promise<RecordPage>;
  listRecordPaths(call: Call, input: ListRecordPathsInput): Promise<RecordPathPage>;
}
