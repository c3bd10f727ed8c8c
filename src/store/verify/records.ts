// Checks records that callers keep by name: their values, the list of those that expire, and
// uploads that no record has taken yet.

import { checksum } from "../../kit/checksum.ts";
import { recordNameOf } from "../../records/rules/record.ts";
import { COLLECTION } from "../tables/document-tables.ts";
import {
  decodeRecordBody,
  partId,
  RECORD,
  RECORD_END,
  RECORD_UPLOAD,
  UPLOAD_END,
  type UploadRow,
  VALUE_PART,
} from "../tables/records.ts";
import { bodyOf, type DocumentCheck } from "./documents.ts";

/** Checks everything about records; gives their number. */
export function checkRecords(check: DocumentCheck): number {
  const { problems, view } = check;
  let count = 0;
  let expiring = 0;
  let documents = 0;
  for (const { parts, record: found } of view.rows(RECORD)) {
    count++;
    const [namespace, id] = parts;
    // Names are the callers': a number says which record it is.
    const place = `record ${count}`;
    problems.check(recordNameOf(id) !== undefined, "a record has a wrong name", place);
    if (found === undefined) continue;
    const { bodyNo, crc32, etagRevision, expireMs, partsNo, valueBytes, version } = found;
    documents += found.search?.documentCount ?? 0;
    const newest = check.newestRevision(namespace);
    problems.check(etagRevision <= newest, "a record is of a later revision", place);
    problems.check(version > 0, "a record has no version", place);
    if (expireMs > 0) {
      expiring++;
      const isListed = view.has(RECORD_END.key(expireMs, namespace, id));
      problems.check(isListed, "a record would never expire", place);
    }
    if (partsNo !== 0) {
      checkParts(check, { partsNo, byteCount: valueBytes, crc32: crc32 ?? 0 }, place);
      continue;
    }
    const body = bodyOf(check, bodyNo, { what: "record", place }, decodeRecordBody);
    if (body !== undefined) {
      const isSame = body.id === id && body.value.length === valueBytes;
      problems.check(isSame, "a record and its row differ", place);
    }
  }
  // Every end was looked up above: the same number means that none is too many.
  const ends = view.count(RECORD_END.id);
  problems.check(ends === expiring, "the ends of records are wrong", "records");
  // Each document of a record was found to be one of its own: the same number means that none is
  // missing.
  problems.check(documents === documentsOf(check), "records lack documents", "records");
  checkUploads(check);
  return count;
}

/** The documents of records, by the counts of their collections. */
function documentsOf({ view }: DocumentCheck): number {
  let count = 0;
  for (const { record } of view.rows(COLLECTION)) count += record?.recordDocumentCount ?? 0;
  return count;
}

/** Checks uploads that no record has taken yet. */
function checkUploads(check: DocumentCheck): void {
  const { problems, view } = check;
  let count = 0;
  for (const { parts, record: found } of view.rows(RECORD_UPLOAD)) {
    count++;
    if (found === undefined) continue;
    const [namespace, uploadId] = parts;
    const place = `upload ${count}`;
    const isListed = view.has(UPLOAD_END.key(found.expireMs, namespace, uploadId));
    problems.check(isListed, "an upload would never end", place);
    const partCount = checkParts(check, found, place);
    problems.check(
      partCount === found.partCount,
      "the parts of an upload are counted wrongly",
      place,
    );
  }
  problems.check(view.count(UPLOAD_END.id) === count, "the ends of uploads are wrong", "uploads");
}

/** Checks the parts of a value, and that it is whole; gives their number. */
function checkParts(
  check: DocumentCheck,
  value: Pick<UploadRow, "partsNo" | "byteCount" | "crc32">,
  place: string,
): number {
  const { logs, nextLogNo, problems, view } = check;
  const { partsNo } = value;
  const isOwn = logs.add(partsNo) && partsNo < nextLogNo;
  problems.check(isOwn, "the parts of a value belong to another log", place);
  let count = 0;
  let at = 0;
  let crc32 = 0;
  for (const { parts, record: part } of view.rows(VALUE_PART, partsNo)) {
    count++;
    const [, offset] = parts;
    if (part === undefined) continue;
    const body = bodyOf(check, part.bodyNo, { what: "part", place }, decodeRecordBody);
    const isNext =
      offset === at &&
      (body === undefined ||
        (body.id === partId(partsNo, offset) && body.value.length === part.byteCount));
    problems.check(isNext, "a part of a value does not follow the one before", place);
    at = offset + part.byteCount;
    crc32 = body === undefined ? crc32 : checksum(body.value, crc32);
  }
  const isWhole = at === value.byteCount && crc32 === value.crc32;
  problems.check(isWhole, "a value in parts is not whole", place);
  return count;
}
