// Records that callers keep by name, in the memory engine.

import { LIMITS } from "../../src/kit/limits.ts";
import {
  type FullRecord,
  isRecordExpired,
  type KeptRecord,
  type RecordName,
  recordDocumentIds,
  recordId,
  shownPath,
} from "../../src/records/rules/record.ts";
import type { RecordUpload } from "../../src/records/rules/upload.ts";
import { recordDocuments, recordPlanFault, uploadFault } from "../../src/store/kept-records.ts";
import type {
  ChangedDocuments,
  ExpiredRecord,
  RecordChange,
  RecordPage,
  RecordPathPage,
  RecordPathQuery,
  RecordPlan,
  RecordQuery,
  RecordStore,
  RecordView,
} from "../../src/store/store.ts";
import {
  checkDocuments,
  collectionCountWith,
  liveOn,
  recordPlan,
  saveDocuments,
} from "./documents.ts";
import { saveErasure } from "./erasures.ts";
import {
  type HeldUpload,
  type MemoryParts,
  type MemoryState,
  marked,
  namespaceOf,
  nextRevision,
  rememberReply,
  replyOf,
} from "./state.ts";

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function withoutValue({ value: _, uploadId: __, ...record }: FullRecord): KeptRecord {
  return record;
}

function found(state: MemoryState, namespace: string, names: readonly RecordName[]): FullRecord[] {
  const { records } = namespaceOf(state, namespace);
  const ids = new Set(names.map(recordId));
  return [...ids].flatMap((id) => records.get(id) ?? []);
}

/** The records and uploads that a change sees. */
export function recordsSeen(
  state: MemoryState,
  namespace: string,
  { names, uploadIds = [] }: Pick<RecordChange, "names" | "uploadIds">,
): Omit<RecordView, "revision" | "reply"> {
  const seen = found(state, namespace, names);
  const { uploads } = namespaceOf(state, namespace);
  return {
    collectionCountWith: (ids) => collectionCountWith(state, namespace, ids),
    records: new Map(seen.map((one) => [recordId(one), withoutValue(one)])),
    uploads: new Map(
      uploadIds.flatMap((id) => {
        const upload = uploads.get(id);
        return upload === undefined ? [] : [[id, uploadOf(upload)] as const];
      }),
    ),
  };
}

function uploadOf({ bytes: _, ...upload }: HeldUpload): RecordUpload {
  return upload;
}

/** Throws, changing nothing, if a plan of records is faulty. */
export function checkRecords(state: MemoryState, change: RecordChange, plan: RecordPlan): void {
  const { namespace } = change;
  const view = {
    revision: nextRevision(state, namespace),
    ...recordsSeen(state, namespace, change),
    reply: undefined,
  };
  const fault = recordPlanFault(plan, change, view);
  if (fault !== undefined) throw new Error(`The plan is faulty: ${fault}.`);
  for (const of of documentsOf(state, namespace, plan)) {
    checkDocuments(state, of.change, of.plan, true);
  }
}

function documentsOf(state: MemoryState, namespace: string, plan: SavedRecords) {
  const all = recordDocuments(namespace, plan, namespaceOf(state, namespace).records);
  return all.map((changed) => recordPlan(state, changed, plan));
}

type SavedRecords = Pick<RecordPlan, "put" | "remove" | "nowMs" | "events">;

/** Saves a plan of records that was checked; gives what changed of their documents. */
export function saveRecords(
  state: MemoryState,
  namespace: string,
  plan: SavedRecords,
): readonly ChangedDocuments[] {
  const { put = [], remove = [] } = plan;
  const { records, uploads } = namespaceOf(state, namespace);
  const changed = documentsOf(state, namespace, plan).map((of) =>
    saveDocuments(state, of.change, of.plan),
  );
  for (const { documents: _, ...record } of put) {
    const value = uploads.get(record.uploadId)?.bytes ?? record.value;
    records.set(recordId(record), structuredClone({ ...record, value, uploadId: "" }));
    uploads.delete(record.uploadId);
  }
  for (const name of remove) records.delete(recordId(name));
  return changed;
}

function isMeant({ path, key }: RecordName, { range }: RecordQuery): boolean {
  if (range === undefined) return true;
  const { endKey, keyPrefix, recursive, startKey } = range;
  if (!range.path.every((segment, at) => path[at] === segment)) return false;
  if (recursive) return true;
  return (
    path.length === range.path.length &&
    key.startsWith(keyPrefix) &&
    compare(key, startKey) >= 0 &&
    (endKey === "" || compare(key, endKey) < 0)
  );
}

function list(state: MemoryState, query: RecordQuery): RecordPage {
  const { after, limit, namespace, nowMs = 0, order, withValues } = query;
  const way = order === "asc" ? 1 : -1;
  const all = [...namespaceOf(state, namespace).records.values()]
    .filter((record) => isMeant(record, query))
    .filter((record) => !isRecordExpired(record, nowMs))
    .filter((record) => after === undefined || compare(recordId(record), after) * way > 0)
    .sort((a, b) => compare(recordId(a), recordId(b)) * way);
  const records = all.slice(0, limit).map(({ value, ...record }) => {
    const isShown = withValues && value.length <= LIMITS.recordValueBytes;
    return { ...withoutValue({ ...record, value }), value: isShown ? value : undefined };
  });
  let bytes = 0;
  const fitting = records.findIndex(({ value }) => {
    bytes += value?.length ?? 0;
    return bytes > LIMITS.pageBytes;
  });
  if (fitting !== -1) records.splice(Math.max(1, fitting));
  const last = records.at(-1);
  return { records, next: all.length > records.length && last ? recordId(last) : undefined };
}

function listPaths(
  state: MemoryState,
  { limit, namespace, nowMs, start = "", ...choice }: RecordPathQuery,
): RecordPathPage {
  const live = [...namespaceOf(state, namespace).records.values()].filter(
    (record) => !isRecordExpired(record, nowMs),
  );
  const shown = live.flatMap(({ path }) => {
    const of = shownPath(path, choice);
    return of === undefined ? [] : [of.join("\0")];
  });
  const all = [...new Set(shown)].sort(compare).filter((path) => compare(path, start) > 0);
  const page = all.slice(0, limit);
  return {
    paths: page.map((path) => path.split("\0")),
    next: all.length > limit ? page.at(-1) : undefined,
  };
}

function expired(state: MemoryState, nowMs: number, limit: number): ExpiredRecord[] {
  return [...state.namespaces]
    .flatMap(([namespace, { records }]) =>
      [...records.values()].map((record) => ({ namespace, ...record })),
    )
    .filter(({ expireMs }) => expireMs > 0 && expireMs <= nowMs)
    .sort((a, b) => a.expireMs - b.expireMs)
    .slice(0, limit)
    .map(({ namespace, path, key, search }) => {
      return { namespace, path, key, ...(search === undefined ? {} : { search }) };
    });
}

function letDocumentsLive(
  state: MemoryState,
  namespace: string,
  record: KeptRecord,
  expireMs: number,
): void {
  const { collectionId = "" } = record.search ?? {};
  for (const documentId of recordDocumentIds(record)) {
    liveOn(state, { namespace, collectionId }, documentId, expireMs);
  }
}

/** The calls on records, over the state of the engine. */
export function recordCalls(
  now: () => MemoryState,
  run: MemoryParts["run"],
  publish: MemoryParts["publish"],
): RecordStore {
  return {
    readRecords: (namespace, names, valuesMax) =>
      run(() => {
        let bytes = 0;
        const records = found(now(), namespace, names).map((record) => {
          const fits = bytes + record.value.length <= valuesMax;
          bytes += fits ? record.value.length : 0;
          return { ...withoutValue(record), value: fits ? record.value : undefined };
        });
        return new Map(records.map((one) => [recordId(one), one]));
      }),
    readRecordRange: (namespace, name, { limit, offset }) =>
      run(() => {
        const [record] = found(now(), namespace, [name]);
        const value = limit === 0 ? undefined : record?.value.slice(offset, offset + limit);
        return record && { ...withoutValue(record), value };
      }),
    listRecords: (query) => run(() => list(now(), query)),
    listRecordPaths: (query) => run(() => listPaths(now(), query)),
    expiredRecords: (nowMs, limit) => run(() => expired(now(), nowMs, limit)),
    changeRecords: (change, decide) =>
      run(() => {
        const { namespace, requestId } = change;
        const state = now();
        const view = {
          revision: nextRevision(state, namespace),
          ...recordsSeen(state, namespace, change),
          reply: replyOf(state, namespace, requestId),
        };
        const decision = decide(view);
        if (decision.kind === "answer") {
          rememberReply(state, namespace, requestId, marked(decision.reply, []));
          return decision.result;
        }
        const { plan, result } = decision;
        checkRecords(state, change, plan);
        const changed = saveRecords(state, namespace, plan);
        rememberReply(state, namespace, requestId, marked(plan.reply, []));
        saveErasure(state, namespace, plan.erasure);
        publish(namespace, plan.events, changed.length === 0 ? {} : { documents: changed });
        return result;
      }),
    ...uploadCalls(now, run),
    refreshRecords: (namespace, names, nowMs) =>
      run(() => {
        const { records } = namespaceOf(now(), namespace);
        for (const record of found(now(), namespace, names)) {
          const expireMs = nowMs + record.ttlMs;
          if (record.expireMs <= nowMs || record.expireMs >= expireMs) continue;
          records.set(recordId(record), { ...record, expireMs });
          letDocumentsLive(now(), namespace, record, expireMs);
        }
      }),
  };
}

function uploadCalls(
  now: () => MemoryState,
  run: MemoryParts["run"],
): Pick<RecordStore, "expiredUploads" | "changeUpload"> {
  return {
    expiredUploads: (nowMs, limit) =>
      run(() =>
        [...now().namespaces]
          .flatMap(([namespace, { uploads }]) =>
            [...uploads].map(([uploadId, { expireMs }]) => ({ namespace, uploadId, expireMs })),
          )
          .filter(({ expireMs }) => expireMs <= nowMs)
          .sort((a, b) => a.expireMs - b.expireMs)
          .slice(0, limit)
          .map(({ namespace, uploadId }) => ({ namespace, uploadId })),
      ),
    changeUpload: ({ namespace, uploadId }, decide) =>
      run(() => {
        const { uploads } = namespaceOf(now(), namespace);
        const held = uploads.get(uploadId);
        const old = held && uploadOf(held);
        const decision = decide({ upload: old, count: uploads.size });
        if (decision.kind === "answer") return decision.result;
        const fault = uploadFault(decision, old);
        if (fault !== undefined) throw new Error(`The plan is faulty: ${fault}.`);
        const { part = new Uint8Array(0), upload } = decision;
        const bytes = Buffer.concat([held?.bytes ?? part.subarray(0, 0), part]);
        if (upload === undefined) uploads.delete(uploadId);
        else uploads.set(uploadId, { ...upload, bytes });
        return decision.result;
      }),
  };
}
