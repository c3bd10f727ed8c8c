// The methods of the client for records: values under names.

import { randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import {
  CALL_OPTIONS,
  type CallOptions,
  given,
  MUTATION_OPTIONS,
  type MutationOptions,
} from "./call.ts";
import { onlyFields, onlyOptions, whole } from "./choice.ts";
import { ClientBase } from "./client-base.ts";
import {
  type NamedRecord,
  type RecordLookup,
  RecordOrder,
  type RecordOutcome,
  type RecordRange,
} from "./gen/memorysidecar/v1/record.ts";
import {
  type DeleteRecordsResponse,
  PutRecordRequest,
  RecordServiceService as Rpcs,
  type WriteRecordsResponse,
} from "./gen/memorysidecar/v1/record_service.ts";
import { LIST_OPTIONS, type ListOptions } from "./options.ts";
import { walkPages } from "./pages.ts";
import {
  demandOf,
  nameOf,
  operationOf,
  putOf,
  RECORD_DEMAND,
  RECORD_FIELDS,
  type RecordDemand,
  type RecordFields,
  type RecordNameInput,
  type RecordOperationInput,
  type RecordPath,
  segmentsOf,
  UPLOADED_VALUE,
  type UploadedValue,
} from "./record-inputs.ts";

/** The largest value that one call takes. */
const VALUE_BYTES = 4_128_768;

/** Options for reading records by name. */
export interface GetRecordOptions extends CallOptions {
  /** Leaves out values. Default false. */
  readonly omitValue?: boolean | undefined;
  /** Lets the records live on for their ttl from now. Default false. */
  readonly refreshTtl?: boolean | undefined;
}

/** Options of a get of several records. */
export interface BatchGetRecordsOptions extends GetRecordOptions {
  /** Leaves out the values, as `omitValue` does, by the name of the contract. Default false. */
  readonly omitValues?: boolean | undefined;
}

/** The part of a value to get. */
export interface ValueRangeOptions {
  /** The first byte. Default 0. */
  readonly valueOffset?: number | undefined;
  /** Maximum number of bytes, up to 4,128,768. Default: all that follow, if they fit. */
  readonly valueLimit?: number | undefined;
  /** The record must still have this etag: ranges of one etag make one value. */
  readonly etag?: string | undefined;
}

/** The part of a path that is meant. Default: the records of the path itself. */
export interface RecordRangeOptions {
  /** The records of all paths below as well; not together with conditions on keys. */
  readonly recursive?: boolean | undefined;
  readonly keyPrefix?: string | undefined;
  /** This key and those after it. */
  readonly startKey?: string | undefined;
  /** Keys before this one. */
  readonly endKey?: string | undefined;
}

/** Options of a list of records. */
export interface ListRecordsOptions extends ListOptions, RecordRangeOptions {
  /** Default `asc`, by rising name. */
  readonly order?: "asc" | "desc" | undefined;
  readonly includeValues?: boolean | undefined;
  /** Lets the records live on for their ttl from now. Default false. */
  readonly refreshTtl?: boolean | undefined;
}

/** Options of a list of paths. */
export interface ListRecordPathsOptions extends ListOptions {
  /** This path and those below it. Default: all paths. */
  readonly prefix?: RecordPath | undefined;
  /** Paths that end so. Default: any. */
  readonly suffix?: RecordPath | undefined;
  /** Cuts longer paths to this many segments. Default: never. */
  readonly maxDepth?: number | undefined;
}

const PUT_OPTIONS = { ...MUTATION_OPTIONS, ...RECORD_FIELDS } as const;
const GET_WHOLE_OPTIONS = { ...CALL_OPTIONS, refreshTtl: true } as const;
const BATCH_GET_OPTIONS = { ...GET_WHOLE_OPTIONS, omitValue: true, omitValues: true } as const;
const GET_OPTIONS = {
  ...{ ...GET_WHOLE_OPTIONS, omitValue: true, valueOffset: true, valueLimit: true, etag: true },
} as const;
const RANGE = { recursive: true, keyPrefix: true, startKey: true, endKey: true } as const;
const DELETE_RANGE_OPTIONS = { ...MUTATION_OPTIONS, ...RANGE } as const;
const LIST_RECORDS_OPTIONS = {
  ...{ ...LIST_OPTIONS, ...RANGE, order: true, includeValues: true, refreshTtl: true },
} as const;
const LIST_PATHS_OPTIONS = {
  ...{ ...LIST_OPTIONS, prefix: true, suffix: true, maxDepth: true },
} as const;
const DELETE_OPTIONS = { ...MUTATION_OPTIONS, ...RECORD_DEMAND, allowMissing: true } as const;

/** Records: exact values under a path and a key. */
export class RecordMethods extends ClientBase {
  /**
   * Creates a record, or replaces it as a whole. A value above 4,128,768 bytes is sent before with
   * `uploadValue`.
   */
  async putRecord(
    path: RecordPath,
    key: string,
    value: Uint8Array | string | UploadedValue,
    opts: RecordFields & MutationOptions = {},
  ): Promise<RecordOutcome> {
    onlyOptions("putRecord", opts, PUT_OPTIONS);
    if (isUploaded(value)) onlyFields("uploaded value", value, UPLOADED_VALUE);
    const content = isUploaded(value) ? value : { value };
    const request = PutRecordRequest.fromPartial({
      ...this.change(opts),
      ...putOf({ ...opts, path, key, ...content }),
    });
    return given((await this.call(Rpcs.putRecord, request, opts)).outcome);
  }

  /**
   * Sends a value of up to 1 GiB, in parts. The result stands for it in one put, at most an hour
   * later: of `putRecord`, `writeRecords` or `append`.
   */
  async uploadValue(value: Uint8Array | string, opts: CallOptions = {}): Promise<UploadedValue> {
    onlyOptions("uploadValue", opts, CALL_OPTIONS);
    const bytes = Buffer.from(value as Uint8Array);
    const upload = { namespace: this.at(opts), uploadId: randomUUID() };
    for (let offset = 0; offset < bytes.length; offset += VALUE_BYTES) {
      const data = bytes.subarray(offset, offset + VALUE_BYTES);
      const request = { ...upload, offset: whole(offset), data };
      await this.call(Rpcs.uploadRecordPart, request, opts);
    }
    return { uploadId: upload.uploadId, valueCrc32: crc32(bytes) };
  }

  /** Gets a record, or a range of its value. */
  async getRecord(
    path: RecordPath,
    key: string,
    opts: GetRecordOptions & ValueRangeOptions = {},
  ): Promise<NamedRecord> {
    onlyOptions("getRecord", opts, GET_OPTIONS);
    const { etag = "", omitValue = false, refreshTtl = false } = opts;
    const { valueLimit = 0, valueOffset = 0 } = opts;
    const request = {
      ...{ namespace: this.at(opts), ...nameOf({ path, key }), omitValue, refreshTtl, etag },
      ...{ valueOffset: whole(valueOffset), valueLimit: whole(valueLimit) },
    };
    return given((await this.call(Rpcs.getRecord, request, opts)).record);
  }

  /** Gets a record with its whole value, whatever its size: a large one comes in several calls. */
  async getWholeRecord(
    path: RecordPath,
    key: string,
    opts: CallOptions & { readonly refreshTtl?: boolean | undefined } = {},
  ): Promise<NamedRecord> {
    onlyOptions("getWholeRecord", opts, GET_WHOLE_OPTIONS);
    const first = await this.getRecord(path, key, { ...opts, valueLimit: VALUE_BYTES });
    const value = [first.value];
    let size = first.value.length;
    while (size < first.valueSize) {
      const range = { valueOffset: size, valueLimit: VALUE_BYTES, etag: first.etag };
      const next = await this.getRecord(path, key, { ...opts, ...range });
      value.push(next.value);
      size += next.value.length;
    }
    return { ...first, value: Buffer.concat(value) };
  }

  /**
   * Gets up to 256 records, all of one moment: one result for each name, in order. A value that
   * does not fit the answer is left out, with `valueOmitted`.
   */
  async batchGetRecords(
    records: readonly RecordNameInput[],
    opts: BatchGetRecordsOptions = {},
  ): Promise<RecordLookup[]> {
    onlyOptions("batchGetRecords", opts, BATCH_GET_OPTIONS);
    const { omitValue = false, omitValues = omitValue, refreshTtl = false } = opts;
    const names = records.map(nameOf);
    const request = { namespace: this.at(opts), records: names, omitValues, refreshTtl };
    return (await this.call(Rpcs.batchGetRecords, request, opts)).results;
  }

  /** Lists the records of a path by name, without their values unless these are asked for. */
  listRecords(
    path: RecordPath,
    opts: ListRecordsOptions = {},
  ): AsyncGenerator<NamedRecord, void, undefined> {
    onlyOptions("listRecords", opts, LIST_RECORDS_OPTIONS);
    const { includeValues = false, order = "asc", pageSize = 0, refreshTtl = false } = opts;
    return walkPages(async (pageToken) => {
      const request = {
        ...{ namespace: this.at(opts), range: rangeOf(path, opts), includeValues, refreshTtl },
        ...{ pageSize, pageToken },
        order: order === "desc" ? RecordOrder.NAME_DESC : RecordOrder.NAME_ASC,
      };
      const page = await this.call(Rpcs.listRecords, request, opts);
      return { items: page.records, nextPageToken: page.nextPageToken };
    });
  }

  /** Lists the paths that hold records, by rising path, each once. */
  listRecordPaths(opts: ListRecordPathsOptions = {}): AsyncGenerator<string[], void, undefined> {
    onlyOptions("listRecordPaths", opts, LIST_PATHS_OPTIONS);
    const { maxDepth = 0, pageSize = 0, prefix = [], suffix = [] } = opts;
    return walkPages(async (pageToken) => {
      const request = {
        ...{ namespace: this.at(opts), prefix: segmentsOf(prefix), suffix: segmentsOf(suffix) },
        ...{ maxDepth, pageSize, pageToken },
      };
      const page = await this.call(Rpcs.listRecordPaths, request, opts);
      return { items: page.folders.map(({ path }) => path), nextPageToken: page.nextPageToken };
    });
  }

  /** Does up to 256 operations on different records in one transaction, all of them or none. */
  writeRecords(
    operations: readonly RecordOperationInput[],
    opts: MutationOptions = {},
  ): Promise<WriteRecordsResponse> {
    onlyOptions("writeRecords", opts, MUTATION_OPTIONS);
    const request = { ...this.change(opts), operations: operations.map(operationOf) };
    return this.call(Rpcs.writeRecords, request, opts);
  }

  /** Deletes a record, for good. */
  async deleteRecord(
    path: RecordPath,
    key: string,
    opts: RecordDemand & MutationOptions & { readonly allowMissing?: boolean } = {},
  ): Promise<RecordOutcome> {
    onlyOptions("deleteRecord", opts, DELETE_OPTIONS);
    const { allowMissing = false, etag = "" } = opts;
    const request = { ...nameOf({ path, key }), etag, precondition: demandOf(opts), allowMissing };
    const answer = this.call(Rpcs.deleteRecord, { ...this.change(opts), ...request }, opts);
    return given((await answer).outcome);
  }

  /** Deletes the records of a path, at most 1,000: call again while the answer has `more`. */
  deleteRecords(
    path: RecordPath,
    opts: RecordRangeOptions & MutationOptions = {},
  ): Promise<DeleteRecordsResponse> {
    onlyOptions("deleteRecords", opts, DELETE_RANGE_OPTIONS);
    const request = { ...this.change(opts), range: rangeOf(path, opts) };
    return this.call(Rpcs.deleteRecords, request, opts);
  }
}

function isUploaded(value: Uint8Array | string | UploadedValue): value is UploadedValue {
  return typeof value === "object" && "uploadId" in value;
}

function rangeOf(path: RecordPath, opts: RecordRangeOptions): RecordRange {
  const { endKey = "", keyPrefix = "", recursive = false, startKey = "" } = opts;
  return { path: segmentsOf(path), recursive, keyPrefix, startKey, endKey };
}
