// Reads of records, and how they let these live on.

import type { ServiceContext } from "../core/context.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { undefinedFor } from "../kit/errors.ts";
import { isRefreshDue } from "../kit/life.ts";
import type { ReadRecord, RecordPage, RecordPathPage } from "../store/store.ts";
import type {
  ListRecordPathsInput,
  ListRecordsInput,
  ReadRecordRangeInput,
  ReadRecordsInput,
} from "./api.ts";
import { etagMismatch, isRecordExpired, recordId, recordNotFound } from "./rules/record.ts";

/** Gives the records of some names; undefined where there is none. */
export async function readRecords(
  context: ServiceContext,
  call: Call,
  { namespace, names, refresh, valuesMax }: ReadRecordsInput,
): Promise<readonly (ReadRecord | undefined)[]> {
  checkLive(call.signal);
  const nowMs = context.world.nowMs();
  const found = await context.store.readRecords(namespace, names, valuesMax);
  const live = [...found.values()].filter((record) => !isRecordExpired(record, nowMs));
  const shown = refresh ? await refreshed(context, namespace, live, nowMs) : live;
  const byId = new Map(shown.map((record) => [recordId(record), record]));
  return names.map((name) => byId.get(recordId(name)));
}

/** Gives a record with a piece of its value. Throws RECORD_NOT_FOUND and ETAG_MISMATCH. */
export async function readRecordRange(
  context: ServiceContext,
  call: Call,
  { etag, name, namespace, range, refresh }: ReadRecordRangeInput,
): Promise<ReadRecord> {
  checkLive(call.signal);
  const nowMs = context.world.nowMs();
  const record = await context.store.readRecordRange(namespace, name, range);
  if (record === undefined || isRecordExpired(record, nowMs))
    throw recordNotFound({ key: name.key });
  if (!context.etags.allows(etag, record.etagRevision)) throw etagMismatch({ key: name.key });
  const [shown = record] = refresh ? await refreshed(context, namespace, [record], nowMs) : [];
  return shown;
}

/** Gives a page of records. */
export async function listRecords(
  context: ServiceContext,
  call: Call,
  { refresh, ...query }: ListRecordsInput,
): Promise<RecordPage> {
  checkLive(call.signal);
  const nowMs = context.world.nowMs();
  const page = await context.store.listRecords({ ...query, nowMs });
  if (!refresh) return page;
  return { ...page, records: await refreshed(context, query.namespace, page.records, nowMs) };
}

/** Gives a page of the paths that hold records. */
export async function listRecordPaths(
  { store, world }: ServiceContext,
  call: Call,
  query: ListRecordPathsInput,
): Promise<RecordPathPage> {
  checkLive(call.signal);
  return await store.listRecordPaths({ ...query, nowMs: world.nowMs() });
}

// The reads of a full disk still work: they just do not let records live on.
async function refreshed(
  { store }: ServiceContext,
  namespace: string,
  records: readonly ReadRecord[],
  nowMs: number,
): Promise<readonly ReadRecord[]> {
  const due = new Set(records.filter((record) => isRefreshDue(record, nowMs)));
  if (due.size === 0) return records;
  const saving = store.refreshRecords(namespace, [...due], nowMs).then(() => true);
  if (!(await saving.catch(undefinedFor("STORE_FULL")))) return records;
  return records.map((record) =>
    due.has(record) ? { ...record, expireMs: nowMs + record.ttlMs } : record,
  );
}
