// The wire form of events.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { toMemoryOrigin } from "../core/wire.ts";
import * as wire from "../gen/memorysidecar/v1/event.ts";
import type {
  CreateConsumerRequest,
  ListEventsRequest,
  WatchEventsRequest,
} from "../gen/memorysidecar/v1/event_service.ts";
import { TaskFailureReason } from "../gen/memorysidecar/v1/task.ts";
import { numbersByWord } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import type { ResumeTokens } from "../grpc/resume-token.ts";
import { toDuration, toTimestamp } from "../grpc/time.ts";
import { anInt64, fieldTable, readMessageField } from "../grpc/wire-fields.ts";
import { Slab } from "../kit/bytes.ts";
import { LIMITS } from "../kit/limits.ts";
import { FAILURE_REASONS, TASK_TYPES } from "../tasks/wire.ts";
import { toSummaryFailure } from "../window/policy-wire.ts";
import { rangesOf } from "../window/rules/ranges.ts";
import type { SeqRange } from "../window/rules/types.ts";
import {
  fromSeqRange,
  toSeqRange,
  toTotals,
  toTriggerHit,
  toTrim,
  toWarning,
} from "../window/wire.ts";
import type { ConsumerView, FixedStart, StreamStart } from "./api.ts";
import {
  ERASING_EVENTS,
  EVENT_TYPE,
  type Event,
  type EventDetail,
  type EventDetails,
  type EventKind,
  type EventType,
  type TaskNamed,
} from "./rules/event.ts";
import type { EventFilter } from "./rules/event-filter.ts";

const DELETE_REASONS = numbersByWord(wire.SessionDeleteReason);
const SUPERSEDE_REASONS = numbersByWord(wire.SupersedeReason);
const DELETIONS = numbersByWord(wire.MemoryDeleteReason);
const RECORD_DELETIONS = numbersByWord(wire.RecordDeleteReason);

// The newest events stay in memory for watchers, and go in the order in which they came.
const slab = new Slab(65_536);

/** Turns an event into its stored and public wire form. */
export function encodeEvent(event: Event): Uint8Array {
  const message: wire.Event = {
    revision: BigInt(event.revision),
    index: event.index,
    type: event.detail.type,
    namespace: event.namespace,
    sessionId: event.sessionId,
    userId: event.userId,
    agentId: event.agentId,
    createTime: toTimestamp(event.createMs),
    requestId: event.requestId,
    continued: event.continued,
    detail: toDetail(event.detail),
  };
  return encodeWire(wire.Event, message, slab);
}

type Detail = NonNullable<wire.Event["detail"]>;

/** The public form of the details of each kind of event. */
const DETAILS: {
  readonly [Kind in EventKind]: (
    detail: EventDetails[Kind],
  ) => Extract<Detail, { $case: Kind }>["value"];
} = {
  sessionCreated: () => ({}),
  sessionUpdated: ({ paths }) => ({ paths: [...paths] }),
  sessionDeleted: ({ reason, log }) => ({
    reason: DELETE_REASONS[reason],
    logTotals: toTotals(log),
  }),
  sessionForked: ({ origin, log, window }) => ({
    origin: { sessionId: origin.sessionId, seq: BigInt(origin.seq) },
    logTotals: toTotals(log),
    windowTotals: toTotals(window),
  }),
  sessionReset: ({ deleted, kept }) => ({
    deletedTotals: toTotals(deleted),
    keptTotals: toTotals(kept),
  }),
  messagesAppended: ({ messageIds, seqs, appended, window }) => ({
    messageIds: [...messageIds],
    seqRange: toSeqRange(seqs),
    appendedTotals: toTotals(appended),
    windowTotals: toTotals(window),
  }),
  messagesTrimmed: ({ trim }) => ({ trim: toTrim(trim) }),
  messageUpdated: ({ messageId, seq, paths, tokenCount }) => ({
    messageId,
    seq: BigInt(seq),
    paths: [...paths],
    tokenCount: Math.floor(tokenCount),
  }),
  messageDeleted: ({ messageId, seq, tokenCount, wasInWindow }) => ({
    messageId,
    seq: BigInt(seq),
    tokenCount: Math.floor(tokenCount),
    wasInWindow,
  }),
  messagesRestored: ({ restored, total, window }) => ({
    messageIds: restored.map((entry) => entry.messageId),
    seqRanges: rangesOf(restored).map(toSeqRange),
    restoredTotals: toTotals(total),
    windowTotals: toTotals(window),
  }),
  summarySet: ({ version, placedMessageId, tokenCount, ranges, made }) => ({
    version: BigInt(version),
    placedMessageId,
    tokenCount: Math.floor(tokenCount),
    seqRanges: ranges.map(toSeqRange),
    taskId: made?.taskId ?? "",
    stage: made?.stage ?? "",
    hook: made?.hook ?? "",
    model: made?.model ?? "",
    addedTotals: made && toTotals(made.added),
    callCount: made?.callCount ?? 0,
    inputTokens: BigInt(made?.inputTokens ?? 0),
    outputTokens: BigInt(made?.outputTokens ?? 0),
    duration: made && toDuration(made.durationMs),
    placeholder: made?.placeholder ?? false,
  }),
  toolResultsFilled: ({ toolCallIds, window }) => ({
    toolCallIds: toolCallIds.slice(0, LIMITS.filledCallIds),
    windowTotals: toTotals(window),
  }),
  sessionImported: ({ format, log, window }) => ({
    format,
    logTotals: toTotals(log),
    windowTotals: toTotals(window),
  }),
  policyWarned: ({ warning }) => ({ warning: toWarning(warning) }),
  turnEnded: ({ window }) => ({ windowTotals: toTotals(window) }),
  summaryRequested: (detail) => ({
    ...named(detail),
    triggers: detail.triggers.map(toTriggerHit),
    seqRanges: detail.ranges.map(toSeqRange),
    sourceTotals: toTotals(detail.sources),
    joined: detail.joined,
  }),
  summaryFailed: (detail) => ({
    ...named(detail),
    reason: FAILURE_REASONS[detail.reason],
    failedAttempts: detail.failedAttempts,
    duration: toDuration(detail.durationMs),
    retryTime: detail.retryMs === undefined ? undefined : toTimestamp(detail.retryMs),
  }),
  summarySuperseded: (detail) => ({
    ...named(detail),
    reason: SUPERSEDE_REASONS[detail.reason],
  }),
  taskDead: (detail) => ({
    ...named(detail),
    type: TASK_TYPES[detail.taskType],
    reason: FAILURE_REASONS[detail.reason],
    failedAttempts: detail.failedAttempts,
    callCount: detail.callCount,
    effect: detail.effect === undefined ? 0 : toSummaryFailure(detail.effect),
    seqRanges: detail.ranges.map(toSeqRange),
    duration: toDuration(detail.durationMs),
  }),
  documentsUpserted: ({ collectionId, documentIds, createdCount }) => ({
    collectionId,
    documentIds: [...documentIds],
    createdCount,
  }),
  documentsDeleted: ({ collectionId, documentIds, expired = false }) => ({
    collectionId,
    documentIds: [...documentIds],
    expired,
  }),
  collectionCleared: ({ collectionId, documentCount }) => ({
    collectionId,
    documentCount: BigInt(documentCount),
  }),
  memoriesRemembered: ({ memoryIds, updatedIds, origin, contradictingIds }) => ({
    memoryIds: [...memoryIds],
    updatedMemoryIds: [...updatedIds],
    origin: toMemoryOrigin(origin),
    contradictingMemoryIds: [...contradictingIds],
  }),
  memoryUpdated: ({ memoryId, paths, version }) => ({
    memoryId,
    paths: [...paths],
    version: BigInt(version),
  }),
  memoriesReinforced: ({ memoryIds }) => ({ memoryIds: [...memoryIds] }),
  memoriesDecayed: ({ memoryIds }) => ({ memoryIds: [...memoryIds] }),
  memoriesDeleted: ({ memoryIds, reason }) => ({
    memoryIds: [...memoryIds],
    reason: DELETIONS[reason],
  }),
  taskAttempted: ({ taskId, taskType, hook, ranges, createdCount, rejectedCount, failure }) => ({
    taskId,
    type: TASK_TYPES[taskType],
    hook,
    seqRanges: ranges.map(toSeqRange),
    createdCount,
    rejectedCount,
    reason: failure === undefined ? TaskFailureReason.UNSPECIFIED : FAILURE_REASONS[failure],
  }),
  recordsWritten: ({ records }) => ({
    records: records.map(({ path, key, version }) => {
      return { path: [...path], key, version: BigInt(version) };
    }),
  }),
  recordsDeleted: ({ records, reason }) => ({
    records: records.map(({ path, key }) => ({ path: [...path], key })),
    reason: RECORD_DELETIONS[reason],
  }),
};

function named({ taskId, stage, hook }: TaskNamed): TaskNamed {
  return { taskId, stage, hook };
}

const KINDS: EventKind[] = [];
for (const kind of Object.keys(EVENT_TYPE) as EventKind[]) KINDS[EVENT_TYPE[kind]] = kind;

function toDetail(detail: EventDetail): Detail {
  const $case = KINDS[detail.type] as EventKind;
  const toValue = DETAILS[$case] as (detail: EventDetail) => Detail["value"];
  return { $case, value: toValue(detail) } as Detail;
}

// Reads which messages a stored event brings, changes or deletes, and skips the rest: the index of
// recall asks it of each append, before the caller is answered.

// The fields of Event, of its details and of SeqRange by number, as in event.proto.
const APPENDED = 16;
const TRIMMED = 17;
const UPDATED = 18;
const DELETED = 19;
const SEQS_IN_DETAIL = 2;

const SEQ_RANGE = fieldTable<{ first: number; last: number }>(
  [1, "first", anInt64],
  [2, "last", anInt64],
);

function readDetail(reader: BinaryReader, isRange: boolean): readonly SeqRange[] | undefined {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 !== SEQS_IN_DETAIL) {
      reader.skip(tag & 7);
      continue;
    }
    if (isRange) return [readMessageField(reader, SEQ_RANGE, { first: 0, last: 0 })];
    const seq = Number(reader.int64());
    return [{ first: seq, last: seq }];
  }
  return undefined;
}

/**
 * The seqs of the messages that an event appends, changes or deletes, also by a trim that discards;
 * undefined for others.
 */
export function readEventSeqs(body: Uint8Array): readonly SeqRange[] | undefined {
  const reader = new BinaryReader(body);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    if (field === APPENDED || field === UPDATED || field === DELETED) {
      return readDetail(reader, field === APPENDED);
    }
    if (field === TRIMMED) {
      const { trim } = wire.MessagesTrimmed.decode(reader, reader.uint32());
      return trim?.discarded === true ? trim.seqRanges.map(fromSeqRange) : [];
    }
    reader.skip(tag & 7);
  }
  return undefined;
}

/**
 * Whether the change of an event erased texts from the store. A change of a memory erases nothing:
 * its former states can still be read.
 */
export function readEventErases({
  type,
  body,
}: {
  readonly type: EventType;
  readonly body: Uint8Array;
}): boolean {
  if (ERASING_EVENTS.has(type)) return true;
  const isMaybe = type === EVENT_TYPE.messagesTrimmed || type === EVENT_TYPE.documentsUpserted;
  if (!isMaybe) return false;
  const { detail } = wire.Event.decode(body);
  if (detail?.$case === "messagesTrimmed") return detail.value.trim?.discarded === true;
  if (detail?.$case !== "documentsUpserted") return true;
  const { createdCount, documentIds } = detail.value;
  return createdCount !== documentIds.length;
}

// Converts starts and filters of event streams from the wire to the domain.

/** Gives where a watch starts. Throws the errors of a resume token. */
export function fromStart(
  start: WatchEventsRequest["start"],
  namespace: string,
  tokens: ResumeTokens,
): StreamStart {
  return start?.$case === "consumerId"
    ? { kind: "consumer", consumerId: start.value }
    : fromFixedStart(start, namespace, tokens, "now");
}

/** Gives where a consumer or a list starts. Throws the errors of a resume token. */
export function fromFixedStart(
  start: CreateConsumerRequest["start"] | ListEventsRequest["start"],
  namespace: string,
  tokens: ResumeTokens,
  otherwise: "now" | "oldest",
): FixedStart {
  switch (start?.$case) {
    case undefined:
      return { kind: otherwise };
    case "resumeToken":
      return { kind: "after", position: tokens.read(namespace, start.value) };
    case "afterRevision":
      return { kind: "revision", revision: Number(start.value) };
    case "position":
      return start.value === wire.StreamPosition.OLDEST ? { kind: "oldest" } : { kind: "now" };
  }
}

/** Gives what a filter asks for; what is unset asks for nothing. */
export function fromEventFilter(filter: wire.EventFilter | undefined): EventFilter {
  if (filter === undefined) return {};
  const { sessionId, userId, eventTypes, sessionIds, sessionIdPrefixes } = filter;
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(sessionIds.length === 0 ? {} : { sessionIds: new Set(sessionIds) }),
    ...(sessionIdPrefixes.length === 0 ? {} : { sessionIdPrefixes }),
    ...(userId === undefined ? {} : { userId }),
    ...(eventTypes.length === 0 ? {} : { types: new Set(eventTypes as EventType[]) }),
  };
}

// Consumers, from the domain to the wire.

/** Turns a consumer into its public form. */
export function toConsumer(
  view: ConsumerView,
  namespace: string,
  tokens: ResumeTokens,
): wire.Consumer {
  return {
    consumerId: view.consumerId,
    resumeToken: tokens.make(namespace, view.position, view.historyId),
    revision: BigInt(view.position.revision),
    lag: BigInt(view.lag),
    createTime: toTimestamp(view.createMs),
    updateTime: toTimestamp(view.updateMs),
  };
}
