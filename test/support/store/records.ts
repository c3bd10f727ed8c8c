// Changes to records in tests of the storage: plain data, decided by pure functions, like the
// actions of actions.ts.

import { EVENT_TYPE } from "../../../src/events/rules/event.ts";
import {
  type FullRecord,
  type KeptRecord,
  type RecordName,
  recordId,
} from "../../../src/records/rules/record.ts";
import { type RecordUpload, withPart } from "../../../src/records/rules/upload.ts";
import type {
  ReadRecord,
  RecordPathQuery,
  RecordQuery,
  RecordView,
  Store,
  UploadView,
} from "../../../src/store/store.ts";
import { type ActionBase, isYoung, type RecordChanges, type RecordDraft } from "./action-types.ts";
import { newEvent, newReply, START_MS } from "./plans.ts";

/** Writes and deletes records in one transaction. `sessionId` means nothing. */
export interface RecordAction extends ActionBase, RecordChanges {
  readonly kind: "records";
}

/** Observations and effects of a change to records. */
export interface RecordResult {
  readonly revision: number;
  readonly saved: boolean;
  /** The records as the change saw them. */
  readonly seen: readonly string[];
  readonly replayed?: true;
}

/** A record as it is written; everything but its name has a default. */
export function newRecord(parts: Partial<FullRecord> & RecordName): FullRecord {
  const value = parts.value ?? Uint8Array.from(Buffer.from(`value of ${parts.key}`));
  return {
    crc32: undefined,
    uploadId: "",
    mediaType: "",
    owner: { userId: "", agentId: "", sessionId: "" },
    ttlMs: 0,
    expireMs: 0,
    version: 1,
    etagRevision: 1,
    writer: "local",
    createMs: START_MS,
    updateMs: START_MS,
    valueBytes: value.length,
    ...parts,
    value,
  };
}

/** A record in words. */
export function wordsOf(record: KeptRecord): string {
  const { expireMs, owner, search, updateMs, valueBytes, version } = record;
  const facts = [recordId(record), version, valueBytes, owner.userId, updateMs, expireMs];
  return [...facts, search?.collectionId, search?.documentCount].join("|");
}

/** The names and uploads that a change of records must see. */
export function askedBy({ put, remove }: RecordChanges) {
  return {
    names: [...put, ...remove].map(({ path, key }) => ({ path, key })),
    uploadIds: put.flatMap(({ uploadId }) => uploadId ?? []),
  };
}

/** The part of a plan that writes and deletes records. */
export function recordPart(
  view: Omit<RecordView, "reply">,
  { nowMs, ...action }: RecordChanges & { readonly nowMs: number },
): { readonly put: readonly FullRecord[]; readonly remove: readonly RecordName[]; nowMs: number } {
  const taking = new Map(view.uploads);
  const put = action.put.map(({ path, key, text, ttlMs = 0, ...rest }) => {
    const { search, uploadId = "", userId = "" } = rest;
    const old = view.records.get(recordId({ path, key }));
    const upload = taking.get(uploadId);
    taking.delete(uploadId);
    return newRecord({
      ...{ path, key, ttlMs, etagRevision: view.revision, updateMs: nowMs },
      ...(upload === undefined
        ? { value: Uint8Array.from(Buffer.from(text)) }
        : {
            ...{ uploadId, value: new Uint8Array(0) },
            ...{ valueBytes: upload.byteCount, crc32: upload.crc32 },
          }),
      expireMs: ttlMs === 0 ? 0 : nowMs + ttlMs,
      owner: { userId, agentId: "", sessionId: "" },
      version: (old?.version ?? 0) + 1,
      createMs: old?.createMs ?? nowMs,
      ...(search === undefined ? {} : documentsOf(search)),
    });
  });
  const taken = new Set(put.map(recordId));
  const byId = new Map(action.remove.map((name) => [recordId(name), name]));
  const remove = [...byId].flatMap(([id, name]) =>
    view.records.has(id) && !taken.has(id) ? [name] : [],
  );
  return { put, remove, nowMs };
}

function documentsOf({ collectionId, texts }: NonNullable<RecordDraft["search"]>) {
  return {
    search: { collectionId, documentCount: texts.length },
    documents: texts.map((text) => {
      const length = Buffer.byteLength(text) % 4;
      const vector = { model: "m", values: new Float32Array(length).fill(0.5) };
      const bytes = Uint8Array.from(Buffer.from(text));
      return { bytes, embedding: length === 0 ? undefined : vector };
    }),
  };
}

/** Does an action of records. Nothing to do is an answer. */
export function changeRecords(store: Store, action: RecordAction): Promise<RecordResult> {
  const { namespace, nowMs, requestId } = action;
  const change = {
    namespace,
    ...askedBy(action),
    ...(requestId === undefined ? {} : { requestId }),
  };
  return store.changeRecords<RecordResult>(change, (view) => {
    if (isYoung(view.reply, nowMs)) {
      const result = JSON.parse(Buffer.from(view.reply.bytes).toString()) as RecordResult;
      return { kind: "answer", result: { ...result, replayed: true } };
    }
    const part = recordPart(view, action);
    const saved = part.put.length + part.remove.length > 0;
    const seen = [...view.records.values()].map(wordsOf).sort();
    const result = { revision: view.revision, saved, seen };
    if (!saved) return { kind: "answer", result };
    const ref = { namespace, sessionId: "" };
    const events = [newEvent(ref, { type: EVENT_TYPE.sessionUpdated, createMs: nowMs })];
    const reply = newReply(JSON.stringify(result), nowMs);
    return { kind: "save", result, plan: { ...part, events, reply } };
  });
}

/** Adds a part to an upload, or deletes the upload. */
export interface UploadAction {
  readonly kind: "upload";
  readonly namespace: string;
  readonly uploadId: string;
  /** Empty deletes. */
  readonly text: string;
  readonly nowMs: number;
}

/** Does an action of an upload; gives what it saw. */
export function changeUpload(store: Store, action: UploadAction): Promise<UploadView> {
  const { namespace, nowMs, text, uploadId } = action;
  return store.changeUpload({ namespace, uploadId }, (view) => {
    const { upload: old } = view;
    // An engine keeps more than the rest may see.
    const result = { count: view.count, upload: old && seenOf(old) };
    if (text === "" && old === undefined) return { kind: "answer", result };
    if (text === "") return { kind: "save", result, upload: undefined };
    const data = Buffer.from(text);
    const upload = withPart(old, { uploadId, offset: old?.byteCount ?? 0, data }, nowMs);
    if (upload === undefined) return { kind: "answer", result };
    return { kind: "save", result, upload, part: data };
  });
}

function seenOf({ byteCount, crc32, expireMs, last, partCount }: RecordUpload): RecordUpload {
  return { byteCount, crc32, expireMs, last, partCount };
}

/** All records of a query, page by page. */
export async function allRecords(
  store: Store,
  query: Omit<RecordQuery, "after">,
): Promise<readonly ReadRecord[]> {
  const records: ReadRecord[] = [];
  let after: string | undefined;
  do {
    const at = after === undefined ? {} : { after };
    const page = await store.listRecords({ ...query, ...at });
    records.push(...page.records);
    after = page.next;
  } while (after !== undefined);
  return records;
}

/** All paths of a query, page by page. */
export async function allRecordPaths(
  store: Store,
  query: Omit<RecordPathQuery, "start">,
): Promise<readonly (readonly string[])[]> {
  const paths: (readonly string[])[] = [];
  let start: string | undefined;
  do {
    const at = start === undefined ? {} : { start };
    const page = await store.listRecordPaths({ ...query, ...at });
    paths.push(...page.paths);
    start = page.next;
  } while (start !== undefined);
  return paths;
}

/** All records of a namespace, whenever they expire. */
export function recordsIn(store: Store, namespace = "default"): Promise<readonly ReadRecord[]> {
  return allRecords(store, { namespace, order: "asc", limit: 7, withValues: true });
}
