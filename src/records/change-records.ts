// Changes of records: those of callers, and those that the server makes itself.

import { decideOnce, removeEach } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { newEvents } from "../core/new-events.ts";
import { EVENT_TYPE, type RecordDeleteReason } from "../events/rules/event.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import type { ErasureProgress, NewEvent, RecordChange, RecordDecision } from "../store/store.ts";
import type { DeleteRangeInput, WriteRecordsInput } from "./api.ts";
import {
  type ChangedRecord,
  checkDocuments,
  documentDetails,
  type RecordsSeen,
  removalSteps,
  withDocuments,
} from "./record-documents.ts";
import {
  type DecidedRecords,
  decideRecords,
  isRecordExpired,
  type KeptRecord,
  type RecordName,
  type RecordOperation,
  recordId,
} from "./rules/record.ts";

/** Does operations on records, all of them or none. Throws the errors of `planRecords`. */
export async function writeRecords(
  context: ServiceContext,
  call: Call,
  { encode, isSeveral, namespace, operations }: WriteRecordsInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { requestId } = call;
  const { store, world } = context;
  const asked = askedOf(operations);
  const allowWhenFull = operations.every(({ kind }) => kind !== "put");
  const nowMs = world.nowMs();
  const change = { namespace, ...asked, requestId, allowWhenFull };
  return await store.changeRecords(change, (view) =>
    decideOnce({ context, call, nowMs }, view, () => {
      const at = { namespace, revision: view.revision, nowMs };
      const asked = { operations, before: view, isSeveral };
      const { outcomes, ...plan } = planRecords(context, call, at, asked);
      return {
        plan: plan.events.length === 0 ? undefined : plan,
        answer: (revision) => encode({ outcomes, revision }),
      };
    }),
  );
}

/** The records and uploads that operations name. */
export function askedOf(
  operations: readonly RecordOperation[],
): Required<Pick<RecordChange, "names" | "uploadIds">> {
  const uploadIds = operations.flatMap((operation) =>
    operation.kind === "put" && operation.name.uploadId !== "" ? [operation.name.uploadId] : [],
  );
  return { names: operations.map(({ name }) => name), uploadIds };
}

/**
 * Plans operations on records as a part of a change. Throws RECORD_NOT_FOUND,
 * RECORD_ALREADY_EXISTS, RECORD_VERSION_MISMATCH, ETAG_MISMATCH, UPLOAD_NOT_FOUND,
 * RECORD_CHECKSUM_MISMATCH and COLLECTION_LIMIT_REACHED.
 */
export function planRecords(
  context: ServiceContext,
  call: Call,
  at: Omit<EventsAt, "requestId">,
  asked: {
    readonly operations: readonly RecordOperation[];
    /** The records and uploads that the operations name. */
    readonly before: RecordsSeen;
    /** An error says which operation failed. */
    readonly isSeveral: boolean;
  },
): Pick<DecidedRecords, "outcomes" | "put" | "remove"> & { readonly events: readonly NewEvent[] } {
  const { nowMs, revision } = at;
  const { requestId, writer } = call;
  const stamp = { revision, nowMs, writer, etags: context.etags };
  const { before, isSeveral, operations } = asked;
  const decided = decideRecords(operations, before, stamp, isSeveral);
  const { expired, outcomes, remove } = decided;
  const put = withDocuments(context, operations, decided.put, isSeveral);
  checkDocuments(before, { put, remove });
  const gone = new Set(expired.map(recordId));
  const replacedBy = (record: KeptRecord): KeptRecord | undefined => {
    const id = recordId(record);
    return gone.has(id) ? undefined : before.records.get(id);
  };
  const events = recordEvents(context, { ...at, requestId }, [
    ...expired.map((record) => ({ record, reason: "expired" as const })),
    ...put.map((record) => ({ record, reason: undefined, replaced: replacedBy(record) })),
    ...remove.map((record) => ({ record, reason: "request" as const })),
  ]);
  return { outcomes, put, remove, events };
}

/** Deletes the first records of a range. */
export async function deleteRange(
  context: ServiceContext,
  call: Call,
  { encode, namespace, range }: DeleteRangeInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { requestId } = call;
  const { store, world } = context;
  const nowMs = world.nowMs();
  const query = { order: "asc", limit: LIMITS.deleteRecords, withValues: false } as const;
  // Expired ones go as well, so that a repeat does not meet them again.
  const { next, records } = await store.listRecords({ namespace, range, ...query });
  const [names = []] = removalSteps(records);
  const change = { namespace, names, requestId, allowWhenFull: true };
  return await store.changeRecords(change, (view) =>
    decideOnce({ context, call, nowMs }, view, () => {
      const remove = [...view.records.values()];
      const isLive = (record: KeptRecord): boolean => !isRecordExpired(record, nowMs);
      const deletedCount = remove.filter(isLive).length;
      const more = next !== undefined || names.length < records.length;
      const answer = (revision: number) => encode({ deletedCount, more, revision });
      if (remove.length === 0) return { answer };
      const at = { namespace, revision: view.revision, nowMs, requestId };
      const changed = remove.map((record) => {
        return { record, reason: isLive(record) ? ("request" as const) : ("expired" as const) };
      });
      return { answer, plan: { remove, events: recordEvents(context, at, changed) } };
    }),
  );
}

/**
 * Deletes those of some records that are still meant, without a call. They are one of the
 * `removalSteps`.
 *
 * @param settle - Gives the erasure that counts them; undefined only counts. Default: none counts.
 */
export async function removeByServer(
  context: ServiceContext,
  removal: {
    readonly namespace: string;
    readonly names: readonly RecordName[];
    readonly reason: RecordDeleteReason;
    readonly isMeant: (record: KeptRecord) => boolean;
  },
  settle?: (removed: readonly KeptRecord[]) => ErasureProgress | undefined,
): Promise<void> {
  const { isMeant, names, namespace, reason } = removal;
  const nowMs = context.world.nowMs();
  const change = { namespace, names, allowWhenFull: true };
  await context.store.changeRecords(change, (view): RecordDecision<undefined> => {
    const remove = [...view.records.values()].filter(isMeant);
    const erasure = remove.length === 0 ? undefined : settle?.(remove);
    const isOnlyCounted = settle !== undefined && erasure === undefined;
    if (remove.length === 0 || isOnlyCounted) return { kind: "answer", result: undefined };
    const at = { namespace, revision: view.revision, nowMs, requestId: "" };
    const changed = remove.map((record) => ({ record, reason }));
    const events = recordEvents(context, at, changed);
    const plan = { remove, nowMs, events, ...(erasure === undefined ? {} : { erasure }) };
    return { kind: "save", result: undefined, plan };
  });
}

/** Records that one step of upkeep removes. */
const STEP = 500;

/** Removes records whose time has run out; true when there may be more. */
export async function removeExpiredRecords(
  context: ServiceContext,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const { store, world } = context;
  const nowMs = world.nowMs();
  const expired = await store.expiredRecords(nowMs, STEP);
  const isMeant = (record: KeptRecord): boolean => isRecordExpired(record, nowMs);
  const removals = [...Map.groupBy(expired, (one) => one.namespace)].flatMap(([namespace, all]) =>
    removalSteps(all).map((names) => ({ namespace, names, reason: "expired", isMeant }) as const),
  );
  const remove = (one: (typeof removals)[number]) => removeByServer(context, one);
  return (await removeEach(removals, remove, onError)) && expired.length === STEP;
}

/** The change that events of records are of. */
interface EventsAt {
  readonly namespace: string;
  readonly revision: number;
  readonly nowMs: number;
  readonly requestId: string;
  /** Number of events of the revision before these. Default 0. */
  readonly firstIndex?: number;
}

/**
 * The events of changed records, one for each kind of change of each owner, in order, then those of
 * their documents.
 */
function recordEvents(
  context: ServiceContext,
  at: EventsAt,
  changed: readonly ChangedRecord[],
): NewEvent[] {
  const { firstIndex = 0, namespace, ...rest } = at;
  const groups = Map.groupBy(changed, ({ record: { owner }, reason }) =>
    JSON.stringify([reason, owner.userId, owner.agentId, owner.sessionId]),
  );
  const events: NewEvent[] = [];
  for (const group of groups.values()) {
    const [{ record, reason } = {}] = group;
    if (record === undefined) continue;
    const { owner } = record;
    const session = { namespace, sessionId: owner.sessionId, fields: owner };
    const records = group.map((one) => one.record);
    const detail =
      reason === undefined
        ? { type: EVENT_TYPE.recordsWritten, records }
        : { type: EVENT_TYPE.recordsDeleted, records, reason };
    events.push(
      ...newEvents(context, { ...rest, session, firstIndex: firstIndex + events.length }, [detail]),
    );
  }
  // Documents belong to no session.
  const session = { namespace, sessionId: "", fields: { userId: "", agentId: "" } };
  const origin = { ...rest, session, firstIndex: firstIndex + events.length };
  return [...events, ...newEvents(context, origin, documentDetails(changed))];
}
