// Records that callers keep by name: their tables, and the reads. A value has no envelope here: it
// stands among the messages, which put it into one.

import { recordCorrupt } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { MemoryScope } from "../../memory/rules/memory.ts";
import {
  afterPath,
  isRecordExpired,
  type KeptRecord,
  type RecordName,
  type RecordRange,
  type RecordSearch,
  recordId,
  recordNameOf,
  shownPath,
} from "../../records/rules/record.ts";
import type { RecordUpload } from "../../records/rules/upload.ts";
import { afterPrefix, timesUnder } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { decodeRecord, firstOf, rangeIndex, takeRows } from "../engine/reads.ts";
import {
  aNumber,
  aText,
  bodyBytes,
  bucket,
  defineTable,
  field,
  lastText,
  mapped,
  NOTHING,
  record,
} from "../engine/table.ts";
import type {
  ExpiredRecord,
  ReadRecord,
  RecordPage,
  RecordPathPage,
  RecordPathQuery,
  RecordQuery,
  UploadRef,
  ValueRange,
} from "../store.ts";
import type { Core } from "./core.ts";
import { readMessage } from "./messages.ts";

/** Location of the value of a record, and everything else of it but the name. */
export type RecordRow = Omit<KeptRecord, "path" | "key"> & {
  /** 0 when the value stands in parts. */
  readonly bodyNo: number;
  /** Log number of the parts; 0 when there are none. */
  readonly partsNo: number;
};

// A row is decoded for every record that is read. Fields are named one by one: a rest of all others
// would cost more than the reads of the store.
function factsOf(
  row: Omit<RecordRow, keyof Composed | "bodyNo" | "partsNo">,
  { crc32, owner, search }: Composed,
): Omit<RecordRow, "bodyNo" | "partsNo"> {
  const facts = {
    valueBytes: row.valueBytes,
    crc32,
    mediaType: row.mediaType,
    owner,
    ttlMs: row.ttlMs,
    expireMs: row.expireMs,
    version: row.version,
    etagRevision: row.etagRevision,
    writer: row.writer,
    createMs: row.createMs,
    updateMs: row.updateMs,
  };
  return search === undefined ? facts : { ...facts, search };
}

/** The parts of a record that the fields of a row make up. */
interface Composed extends Pick<KeptRecord, "crc32" | "owner"> {
  readonly search: RecordSearch | undefined;
}

const NO_SEARCH: RecordSearch = { collectionId: "", documentCount: 0 };

/** By namespace and the id of the name. */
export const RECORD = defineTable(0x38, "record", [aText, lastText], {
  erasedWith: "record",
  record: mapped(
    record<
      Omit<RecordRow, "owner" | "crc32" | "search"> &
        MemoryScope &
        RecordSearch & { readonly crc32: number }
    >({
      bodyNo: field.number(1),
      valueBytes: field.number(2),
      mediaType: field.text(3),
      userId: field.text(4),
      agentId: field.text(5),
      sessionId: field.text(6),
      ttlMs: field.number(7),
      expireMs: field.number(8),
      version: field.number(9),
      etagRevision: field.number(10),
      writer: field.text(11),
      createMs: field.number(12),
      updateMs: field.number(13),
      partsNo: field.number(14),
      crc32: field.number(15),
      collectionId: field.text(16),
      documentCount: field.number(17),
    }),
    ({ owner, crc32 = 0, search = NO_SEARCH, ...row }: RecordRow) => {
      return { ...row, ...owner, ...search, crc32 };
    },
    (row): RecordRow => {
      const { bodyNo, collectionId, documentCount, partsNo, userId, agentId, sessionId } = row;
      const search = documentCount === 0 ? undefined : { collectionId, documentCount };
      const owner = { userId, agentId, sessionId };
      const crc32 = partsNo === 0 ? undefined : row.crc32;
      return { bodyNo, partsNo, ...factsOf(row, { crc32, owner, search }) };
    },
  ),
  bucket: bucket.firstText,
  bodyNo: ({ bodyNo }) => bodyNo,
});

/** Records that expire: when, the namespace, the id of the name. */
export const RECORD_END = defineTable(0x39, "end of a record", [aNumber, aText, lastText], {
  erasedWith: "record",
  record: NOTHING,
  bucket: bucket.table,
});

/** A part of a value: under the log number of its value, by its offset. */
export const VALUE_PART = defineTable(0x3c, "part of a value", [aNumber, aNumber], {
  under: "log",
  record: record<{ readonly bodyNo: number; readonly byteCount: number }>({
    bodyNo: field.number(1),
    byteCount: field.number(2),
  }),
  bucket: bucket.allButLast,
  bodyNo: ({ bodyNo }) => bodyNo,
});

/** An upload that no record has taken yet, and the log number of its parts. */
export type UploadRow = RecordUpload & { readonly partsNo: number };

/** By namespace and id. Its parts go when the upload ends. */
export const RECORD_UPLOAD = defineTable(0x3d, "upload", [aText, lastText], {
  erasedWith: "nothing",
  record: mapped(
    record<
      Omit<UploadRow, "last"> & { readonly lastByteCount: number; readonly lastCrc32: number }
    >({
      partsNo: field.number(1),
      byteCount: field.number(2),
      partCount: field.number(3),
      crc32: field.number(4),
      lastByteCount: field.number(5),
      lastCrc32: field.number(6),
      expireMs: field.number(7),
    }),
    ({ last, ...row }: UploadRow) => ({
      ...row,
      lastByteCount: last.byteCount,
      lastCrc32: last.crc32,
    }),
    ({ lastByteCount, lastCrc32, ...row }): UploadRow => ({
      ...row,
      last: { byteCount: lastByteCount, crc32: lastCrc32 },
    }),
  ),
  bucket: bucket.firstText,
});

/** When uploads end: when, the namespace, the id. */
export const UPLOAD_END = defineTable(0x3e, "end of an upload", [aNumber, aText, lastText], {
  erasedWith: "nothing",
  record: NOTHING,
  bucket: bucket.table,
});

interface RecordBody {
  readonly id: string;
  readonly value: Uint8Array;
}

const recordBody = record<RecordBody>({ id: field.text(1), value: field.bytes(2) });

export function encodeRecordBody(body: RecordBody): Uint8Array {
  return bodyBytes(recordBody, body);
}

export const decodeRecordBody: (payload: Uint8Array) => RecordBody = recordBody.decode;

const NO_KEYS = { keyPrefix: "", startKey: "", endKey: "" } as const;

const NO_BYTES = new Uint8Array(0);
// Rows of a page read at a time.
const PAGE = 64;
/** Parts read at a time: an answer seldom needs more. */
const PART_PAGE = 8;
/** About what a row takes in an answer beside its texts. */
const ROW_BYTES = 128;

/** The records of these names, with their rows, by id. */
export function readRows(
  core: Core,
  namespace: string,
  names: readonly RecordName[],
  visibility: Visibility,
): Map<string, RecordRow & RecordName> {
  const rows = new Map<string, RecordRow & RecordName>();
  for (const { path, key } of names) {
    const id = recordId({ path, key });
    const row = RECORD.get(core, RECORD.key(namespace, id), visibility);
    if (row !== undefined) rows.set(id, { path, key, ...row });
  }
  return rows;
}

/** A record as the layers above see it. */
export function recordOf(row: RecordRow & RecordName): KeptRecord {
  const { crc32, key, owner, path, search } = row;
  return { path, key, ...factsOf(row, { crc32, owner, search }) };
}

// Throws RECORD_CORRUPT when the value is missing or that of another record.
function valueIn(core: Core, row: RecordRow & RecordName): Uint8Array {
  return row.partsNo === 0
    ? bodyIn(core, row.bodyNo, { id: recordId(row), byteCount: row.valueBytes })
    : partsIn(core, row, { offset: 0, limit: row.valueBytes });
}

function bodyIn(
  core: Core,
  bodyNo: number,
  named: { readonly id: string; readonly byteCount: number },
): Uint8Array {
  const payload = readMessage(core, bodyNo, "committed");
  const { id, value } = decodeRecord("record", payload, decodeRecordBody);
  if (id !== named.id || value.length !== named.byteCount) {
    throw recordCorrupt(`message ${bodyNo} is not the record that its row names`);
  }
  return value;
}

/** The id of the body of a part. */
export function partId(partsNo: number, offset: number): string {
  return `${partsNo} ${offset}`;
}

// A value ends, or goes on with the part that begins where the one before ends.
function partsIn(
  core: Core,
  { partsNo, valueBytes }: RecordRow,
  { offset, limit }: ValueRange,
): Uint8Array {
  const end = Math.min(valueBytes, offset + limit);
  if (offset >= end) return NO_BYTES;
  const start = VALUE_PART.key(partsNo, 0);
  const before = { start, end: VALUE_PART.key(partsNo, offset + 1), reverse: true };
  const first = firstOf(core, "committed", before)?.key ?? "";
  const value = Buffer.allocUnsafeSlow(end - offset);
  let at = offset;
  const range = { start: first, end: VALUE_PART.key(partsNo, end), page: PART_PAGE };
  for (const { key, payload } of first === "" ? [] : rangeIndex(core, "committed", range)) {
    const [, from] = VALUE_PART.parts(key);
    const { bodyNo, byteCount } = VALUE_PART.of(payload);
    const isNext = at === offset ? from <= at && at < from + byteCount : from === at;
    if (!isNext) break;
    const bytes = bodyIn(core, bodyNo, { id: partId(partsNo, from), byteCount });
    const piece = bytes.subarray(at - from, end - from);
    value.set(piece, at - offset);
    at += piece.length;
  }
  if (at < end) throw recordCorrupt(`a part of the value in log ${partsNo} is missing at ${at}`);
  return value;
}

/** Some records by id, with those values that fit. */
export function readRecords(
  core: Core,
  namespace: string,
  names: readonly RecordName[],
  valuesMax: number,
): Map<string, ReadRecord> {
  const records = new Map<string, ReadRecord>();
  let bytes = 0;
  for (const [id, row] of readRows(core, namespace, names, "committed")) {
    const fits = bytes + row.valueBytes <= valuesMax;
    bytes += fits ? row.valueBytes : 0;
    records.set(id, { ...recordOf(row), value: fits ? valueIn(core, row) : undefined });
  }
  return records;
}

/** One record with a piece of its value. */
export function readRecordRange(
  core: Core,
  namespace: string,
  name: RecordName,
  range: ValueRange,
): ReadRecord | undefined {
  const { path, key } = name;
  const found = RECORD.get(core, RECORD.key(namespace, recordId(name)), "committed");
  if (found === undefined) return undefined;
  const row = { path, key, ...found };
  const { limit } = range;
  if (limit === 0) return { ...recordOf(row), value: undefined };
  return { ...recordOf(row), value: pieceIn(core, row, range) };
}

function pieceIn(core: Core, row: RecordRow & RecordName, range: ValueRange): Uint8Array {
  if (row.partsNo !== 0) return partsIn(core, row, range);
  const value = valueIn(core, row);
  const { limit, offset } = range;
  return offset === 0 && value.length <= limit ? value : value.subarray(offset, offset + limit);
}

/** The keys of a query: from `start` on and below `end`. */
function keysOf({ namespace, range, order, after }: RecordQuery): { start: string; end: string } {
  let { start, end } = range === undefined ? wholeOf(namespace) : partOf(namespace, range);
  if (after !== undefined) {
    const at = RECORD.key(namespace, after);
    // No id goes on with a zero byte after its key: this is the next one that there can be.
    if (order === "asc") start = at >= start ? `${at}\0` : start;
    else end = at < end ? at : end;
  }
  return { start, end };
}

function wholeOf(namespace: string): { start: string; end: string } {
  const start = RECORD.prefix(namespace);
  return { start, end: afterPrefix(start) };
}

function partOf(namespace: string, range: RecordRange): { start: string; end: string } {
  const path = `${range.path.join("\0")}\0`;
  if (range.recursive) {
    const start = RECORD.key(namespace, path);
    return { start, end: afterPrefix(start) };
  }
  const keyOf = (key: string) => RECORD.key(namespace, `${path}\0${key}`);
  const start = keyOf(range.keyPrefix);
  const end = afterPrefix(start);
  const first = keyOf(range.startKey);
  const last = range.endKey === "" ? end : keyOf(range.endKey);
  return { start: first > start ? first : start, end: last < end ? last : end };
}

/** A page of records by name: a bounded number of bytes. */
export function listRecords(core: Core, query: RecordQuery): RecordPage {
  const { limit, nowMs = 0, order, withValues } = query;
  const { start, end } = keysOf(query);
  const records: ReadRecord[] = [];
  if (start >= end) return { records, next: undefined };
  const range = { start, end, reverse: order === "desc", page: Math.min(PAGE, limit + 1) };
  let bytes = 0;
  let looks = 0;
  let last: string | undefined;
  for (const { key, payload } of rangeIndex(core, "committed", range)) {
    if (records.length >= limit || looks >= LIMITS.pageScan) return { records, next: last };
    const [, id] = RECORD.parts(key);
    const name = recordNameOf(id);
    if (name === undefined) throw recordCorrupt("a record has a name that none can have");
    const row = { ...name, ...RECORD.of(payload) };
    if (!isRecordExpired(row, nowMs)) {
      const isShown = withValues && row.valueBytes <= LIMITS.recordValueBytes;
      bytes += ROW_BYTES + key.length + payload.length + (isShown ? row.valueBytes : 0);
      if (records.length > 0 && bytes > LIMITS.pageBytes) return { records, next: last };
      records.push({ ...recordOf(row), value: isShown ? valueIn(core, row) : undefined });
    }
    looks++;
    last = id;
  }
  return { records, next: undefined };
}

/** A page of paths: goes from the first record of a path to the first one behind it. */
export function listRecordPaths(core: Core, query: RecordPathQuery): RecordPathPage {
  const { limit, maxDepth, namespace, nowMs, prefix } = query;
  const range = { ...{ path: prefix, recursive: true }, ...NO_KEYS };
  const { start, end } = prefix.length === 0 ? wholeOf(namespace) : partOf(namespace, range);
  const startOf = (place: string): string => {
    const key = RECORD.key(namespace, place);
    return key > start ? key : start;
  };
  const paths: (readonly string[])[] = [];
  let next = query.start;
  for (let looks = 0; looks < LIMITS.pageScan; looks++) {
    const from = next === undefined ? start : startOf(next);
    const row = from < end ? firstOf(core, "committed", { start: from, end }) : undefined;
    if (row === undefined) return { paths, next: undefined };
    const [, id] = RECORD.parts(row.key);
    const name = recordNameOf(id);
    if (name === undefined) throw recordCorrupt("a record has a name that none can have");
    if (isRecordExpired({ ...name, ...RECORD.of(row.payload) }, nowMs)) {
      next = `${id}\0`;
      continue;
    }
    const shown = shownPath(name.path, query);
    if (shown !== undefined) {
      if (paths.length >= limit) return { paths, next };
      paths.push(shown);
    }
    next = afterPath(shown ?? name.path, shown !== undefined && shown.length === maxDepth);
  }
  return { paths, next };
}

/** Records whose time has run out, the earliest first. */
export function expiredRecords(core: Core, nowMs: number, limit: number): ExpiredRecord[] {
  const rows = takeRows(core, "committed", timesUnder(RECORD_END.id, nowMs), limit);
  return rows.map(({ key }) => {
    const [endMs, namespace, id] = RECORD_END.parts(key);
    const name = recordNameOf(id);
    const row = RECORD.get(core, RECORD.key(namespace, id), "committed");
    if (name === undefined || row?.expireMs !== endMs) {
      throw recordCorrupt("the end of a record is listed, and the record is missing");
    }
    const { search } = row;
    return { ...name, namespace, ...(search === undefined ? {} : { search }) };
  });
}

/** Uploads whose time has run out, the earliest first. */
export function expiredUploads(core: Core, nowMs: number, limit: number): UploadRef[] {
  const rows = takeRows(core, "committed", timesUnder(UPLOAD_END.id, nowMs), limit);
  return rows.map(({ key }) => {
    const [, namespace, uploadId] = UPLOAD_END.parts(key);
    return { namespace, uploadId };
  });
}
