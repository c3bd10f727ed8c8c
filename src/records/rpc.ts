import type { RpcContext, UnaryRpc } from "../edge/rpc.ts";
import { RecordOrder } from "../gen/memorysidecar/v1/record.ts";
import {
  type BatchGetRecordsRequest,
  BatchGetRecordsResponse,
  type DeleteRecordRequest,
  DeleteRecordResponse,
  type DeleteRecordsRequest,
  DeleteRecordsResponse,
  type GetRecordRequest,
  GetRecordResponse,
  type ListRecordPathsRequest,
  ListRecordPathsResponse,
  type ListRecordsRequest,
  ListRecordsResponse,
  type PutRecordRequest,
  PutRecordResponse,
  type UploadRecordPartRequest,
  UploadRecordPartResponse,
  type WriteRecordsRequest,
  WriteRecordsResponse,
} from "../gen/memorysidecar/v1/record_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { pageLimit } from "../grpc/page-token.ts";
import { spliceField } from "../grpc/splice.ts";
import { toTimestamp } from "../grpc/time.ts";
import type { Violations } from "../grpc/violations.ts";
import type { Call } from "../kit/call.ts";
import { pageTokenInvalid } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import {
  checkDeletion,
  checkName,
  checkOperations,
  checkPath,
  checkRecordRange,
  checkSearch,
  checkUpload,
} from "./checks.ts";
import { type RecordOperation, recordNameOf } from "./rules/record.ts";
import { valueTooLarge } from "./rules/upload.ts";
import {
  fromOperation,
  fromPrecondition,
  fromRange,
  fromRecord,
  lookupBytes,
  recordBytes,
  toOutcome,
} from "./wire.ts";

/** PutRecord. */
export const putRecord: UnaryRpc<PutRecordRequest> = {
  validate: ({ record }, v) => {
    if (record === undefined) return;
    v.enter("record");
    checkName(v, record);
    checkUpload(v, record);
    checkSearch(v, record);
    v.leave();
  },
  handle: (context, call, { namespace, precondition, record }) => {
    if (record === undefined) throw new Error("A checked request has no record.");
    const condition = fromPrecondition(precondition);
    const operation = { kind: "put", name: fromRecord(record), condition } as const;
    return writeOne(context, call, { namespace, operation, type: PutRecordResponse });
  },
};

/** DeleteRecord. */
export const deleteRecord: UnaryRpc<DeleteRecordRequest> = {
  validate: (request, v) => {
    checkName(v, request);
    checkDeletion(v, request.precondition);
  },
  handle: (context, call, request) => {
    const { allowMissing, etag, key, namespace, path, precondition } = request;
    const condition = fromPrecondition(precondition);
    const name = { path, key, etag };
    const operation = { kind: "delete", name, condition, allowMissing } as const;
    return writeOne(context, call, { namespace, operation, type: DeleteRecordResponse });
  },
};

function writeOne(
  { etags, services }: RpcContext,
  call: Call,
  one: {
    readonly namespace: string;
    readonly operation: RecordOperation;
    readonly type: typeof PutRecordResponse | typeof DeleteRecordResponse;
  },
): Promise<Uint8Array> {
  return services.records.writeRecords(call, {
    namespace: one.namespace,
    operations: [one.operation],
    isSeveral: false,
    encode: ({ outcomes: [outcome], revision }) =>
      encodeWire(one.type, {
        outcome: outcome && toOutcome(outcome, etags),
        revision: BigInt(revision),
      }),
  });
}

/** WriteRecords. */
export const writeRecords: UnaryRpc<WriteRecordsRequest> = {
  validate: ({ operations }, v) => checkOperations(v, operations),
  handle: ({ etags, services }, call, { namespace, operations }) =>
    services.records.writeRecords(call, {
      namespace,
      operations: operations.map(fromOperation),
      isSeveral: true,
      encode: ({ outcomes, revision }) =>
        encodeWire(WriteRecordsResponse, {
          outcomes: outcomes.map((outcome) => toOutcome(outcome, etags)),
          revision: BigInt(revision),
        }),
    }),
};

/** UploadRecordPart. */
export const uploadRecordPart: UnaryRpc<UploadRecordPartRequest> = {
  handle: async ({ services }, call, { data, namespace, offset, uploadId }) => {
    const { byteCount, crc32, expireMs } = await services.records.uploadPart(call, {
      namespace,
      part: { uploadId, offset: Number(offset), data },
    });
    return encodeWire(UploadRecordPartResponse, {
      ...{ size: BigInt(byteCount), crc32 },
      expireTime: toTimestamp(expireMs),
    });
  },
};

const RECORD_FIELD = 1;

/** GetRecord. */
export const getRecord: UnaryRpc<GetRecordRequest> = {
  validate: (request, v) => checkName(v, request),
  handle: async ({ etags, services }, call, request) => {
    const { etag, key, namespace, omitValue, path, refreshTtl, valueLimit, valueOffset } = request;
    const offset = Number(valueOffset);
    const limit = Number(valueLimit) || LIMITS.recordValueBytes;
    const record = await services.records.readRecordRange(call, {
      namespace,
      name: { path, key },
      etag,
      range: { offset, limit: omitValue ? 0 : limit },
      refresh: refreshTtl,
    });
    const left = record.valueBytes - offset;
    if (!omitValue && valueLimit === 0n && left > limit) throw valueTooLarge(left);
    const rest = encodeWire(GetRecordResponse, { record: undefined });
    return spliceField(RECORD_FIELD, [recordBytes(record, etags)], rest);
  },
};

const RESULTS_FIELD = 1;

/** BatchGetRecords. */
export const batchGetRecords: UnaryRpc<BatchGetRecordsRequest> = {
  validate: ({ records }, v) => checkNames(v, records),
  handle: async ({ etags, services }, call, request) => {
    const { namespace, omitValues, records, refreshTtl } = request;
    const found = await services.records.readRecords(call, {
      namespace,
      names: records,
      valuesMax: omitValues ? 0 : LIMITS.pageBytes,
      refresh: refreshTtl,
    });
    const results = found.map((record) => lookupBytes(record, etags, !omitValues));
    const rest = encodeWire(BatchGetRecordsResponse, { results: [] });
    return spliceField(RESULTS_FIELD, results, rest);
  },
};

function checkNames(v: Violations, records: BatchGetRecordsRequest["records"]): void {
  for (const [index, record] of records.entries()) {
    v.enterItem("records", index);
    checkName(v, record);
    v.leaveItem();
  }
}

const PAGE_SIZE_DEFAULT = 100;
const RECORDS_FIELD = 1;

/** ListRecords. */
export const listRecords: UnaryRpc<ListRecordsRequest> = {
  validate: ({ range }, v) => checkRecordRange(v, range),
  handle: async ({ etags, pageTokens, services }, call, request) => {
    const { includeValues, namespace, order, pageSize, pageToken, range, refreshTtl } = request;
    const after = pageTokens.read(call, pageToken, String);
    if (after !== undefined && recordNameOf(after) === undefined) throw pageTokenInvalid();
    const { next, records } = await services.records.listRecords(call, {
      namespace,
      range: fromRange(range),
      order: order === RecordOrder.NAME_DESC ? "desc" : "asc",
      ...(after === undefined ? {} : { after }),
      limit: pageLimit(pageSize, PAGE_SIZE_DEFAULT),
      withValues: includeValues,
      refresh: refreshTtl,
    });
    const nextPageToken = pageTokens.make(call, next);
    const rest = encodeWire(ListRecordsResponse, { records: [], nextPageToken });
    const items = records.map((record) => recordBytes(record, etags));
    return spliceField(RECORDS_FIELD, items, rest);
  },
};

/** ListRecordPaths. */
export const listRecordPaths: UnaryRpc<ListRecordPathsRequest> = {
  validate: ({ prefix, suffix }, v) => {
    checkPath(v, "prefix", prefix);
    checkPath(v, "suffix", suffix);
  },
  handle: async ({ pageTokens, services }, call, request) => {
    const { maxDepth, namespace, pageSize, pageToken, prefix, suffix } = request;
    const { next, paths } = await services.records.listRecordPaths(call, {
      ...{ namespace, prefix, suffix, maxDepth },
      ...pageTokens.read(call, pageToken, (start) => ({ start })),
      limit: pageLimit(pageSize, PAGE_SIZE_DEFAULT),
    });
    return encodeWire(ListRecordPathsResponse, {
      folders: paths.map((path) => ({ path: [...path] })),
      nextPageToken: pageTokens.make(call, next),
    });
  },
};

/** DeleteRecords. */
export const deleteRecords: UnaryRpc<DeleteRecordsRequest> = {
  validate: ({ range }, v) => checkRecordRange(v, range),
  handle: ({ services }, call, { namespace, range }) =>
    services.records.deleteRange(call, {
      namespace,
      range: fromRange(range),
      encode: ({ revision, ...result }) =>
        encodeWire(DeleteRecordsResponse, { ...result, revision: BigInt(revision) }),
    }),
};
