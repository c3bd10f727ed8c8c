// Checks records that callers keep by name: their values, and the list of those that expire.

import { recordNameOf } from "../../records/rules/record.ts";
import { decodeRecordBody, RECORD, RECORD_END } from "../tables/records.ts";
import { bodyOf, type DocumentCheck } from "./documents.ts";

/** Checks everything about records; gives their number. */
export function checkRecords(check: DocumentCheck): number {
  const { problems, view } = check;
  let count = 0;
  let expiring = 0;
  for (const row of view.under(RECORD.id)) {
    count++;
    const [namespace, id] = RECORD.parts(row.key);
    // Names are the callers': a number says which record it is.
    const place = `record ${count}`;
    problems.check(recordNameOf(id) !== undefined, "a record has a wrong name", place);
    const found = view.decode(row, RECORD.decode);
    if (found === undefined) continue;
    const { bodyNo, etagRevision, expireMs, valueBytes, version } = found;
    const newest = check.newestRevision(namespace);
    problems.check(etagRevision <= newest, "a record is of a later revision", place);
    problems.check(version > 0, "a record has no version", place);
    if (expireMs > 0) {
      expiring++;
      const isListed = view.has(RECORD_END.key(expireMs, namespace, id));
      problems.check(isListed, "a record would never expire", place);
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
  return count;
}
