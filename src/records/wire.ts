// Records between the wire and the service.

import { fromMemoryScope, toMemoryScope } from "../core/wire.ts";
import * as wire from "../gen/memorysidecar/v1/record.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { spliceField } from "../grpc/splice.ts";
import { fromOptionalSpan, toDuration, toTimestamp } from "../grpc/time.ts";
import type { Etags } from "../kit/etag.ts";
import { fromCollection, toDocumentDraft } from "../recall/documents/wire.ts";
import type { ReadRecord } from "../store/store.ts";
import type {
  RecordCondition,
  RecordDraft,
  RecordName,
  RecordOperation,
  RecordOutcome,
  RecordRange,
} from "./rules/record.ts";

// The field of Record that is spliced in, as in record.proto.
const VALUE_FIELD = 3;
// The field of RecordLookup that is spliced in.
const LOOKED_UP_FIELD = 1;

const NO_BYTES = Buffer.alloc(0);

/** Gives a checked record of a request to the service. */
export function fromRecord(record: wire.NamedRecord): RecordDraft {
  const { etag, key, mediaType, path, owner, ttl, uploadId, value, valueCrc32: crc32 } = record;
  const { collectionId = "", documents = [] } = record.search ?? {};
  const drafts = documents.map(toDocumentDraft);
  const ttlMs = fromOptionalSpan(ttl, 0);
  const content = { value, uploadId, crc32, mediaType };
  return {
    ...{ path, key, ...content, owner: fromMemoryScope(owner), ttlMs, etag },
    ...(drafts.length === 0
      ? {}
      : { search: { collectionId: fromCollection(collectionId), documents: drafts } }),
  };
}

/** Gives the state that a checked precondition demands; undefined for any. */
export function fromPrecondition(
  precondition: wire.RecordPrecondition | undefined,
): RecordCondition {
  const condition = precondition?.condition;
  return condition?.$case === "version" ? Number(condition.value) : condition?.value;
}

/** Gives a checked operation to the service. */
export function fromOperation({ operation }: wire.RecordOperation): RecordOperation {
  switch (operation?.$case) {
    case "put": {
      const { precondition, record } = operation.value;
      if (record === undefined) break;
      return { kind: "put", name: fromRecord(record), condition: fromPrecondition(precondition) };
    }
    case "deletion": {
      const { allowMissing, etag, precondition, record } = operation.value;
      const name = { ...nameOf(record), etag };
      return { kind: "delete", name, condition: fromPrecondition(precondition), allowMissing };
    }
    case "check": {
      const { etag, precondition, record } = operation.value;
      const name = { ...nameOf(record), etag };
      return { kind: "check", name, condition: fromPrecondition(precondition) };
    }
  }
  throw new Error("A checked request has an empty operation.");
}

function nameOf(ref: wire.RecordRef | undefined): RecordName {
  return { path: ref?.path ?? [], key: ref?.key ?? "" };
}

/** Gives the range of a checked request. */
export function fromRange(range: wire.RecordRange | undefined): RecordRange {
  const { endKey = "", keyPrefix = "", path = [], recursive = false, startKey = "" } = range ?? {};
  return { path, recursive, keyPrefix, startKey, endKey };
}

/** Gives the wire form of a record, with its value unless that was left out. */
export function recordBytes(record: ReadRecord, etags: Etags): Uint8Array {
  const { createMs, expireMs, search, ttlMs, updateMs, value } = record;
  const createTime = toTimestamp(createMs);
  const rest = encodeWire(wire.NamedRecord, {
    path: [...record.path],
    key: record.key,
    value: NO_BYTES,
    mediaType: record.mediaType,
    owner: toMemoryScope(record.owner),
    ttl: ttlMs === 0 ? undefined : toDuration(ttlMs),
    version: BigInt(record.version),
    etag: etags.of(record.etagRevision),
    valueSize: BigInt(record.valueBytes),
    writer: record.writer,
    createTime,
    updateTime: updateMs === createMs ? createTime : toTimestamp(updateMs),
    expireTime: expireMs === 0 ? undefined : toTimestamp(expireMs),
    uploadId: "",
    valueCrc32: record.crc32,
    search: search && { ...search, documents: [] },
  });
  return value === undefined || value.length === 0 ? rest : spliceField(VALUE_FIELD, [value], rest);
}

/** Gives the wire form of a record that was asked for with its value. */
export function lookupBytes(
  record: ReadRecord | undefined,
  etags: Etags,
  isValueWanted = true,
): Uint8Array {
  const valueOmitted = isValueWanted && record !== undefined && record.value === undefined;
  const rest = encodeWire(wire.RecordLookup, { record: undefined, valueOmitted });
  if (record === undefined) return rest;
  return spliceField(LOOKED_UP_FIELD, [recordBytes(record, etags)], rest);
}

/** Turns an outcome into its public form. */
export function toOutcome(outcome: RecordOutcome, etags: Etags): wire.RecordOutcome {
  const { created, deleted, record } = outcome;
  const kept = deleted ? undefined : record;
  return {
    created,
    deleted,
    version: BigInt(record?.version ?? 0),
    etag: kept === undefined ? "" : etags.of(kept.etagRevision),
    createTime: kept && toTimestamp(kept.createMs),
    updateTime: kept && toTimestamp(kept.updateMs),
    expireTime: kept === undefined || kept.expireMs === 0 ? undefined : toTimestamp(kept.expireMs),
  };
}
