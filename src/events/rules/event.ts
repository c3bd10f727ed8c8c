// Events as the domain sees them: what happened, without content.

import type { TaskFailureReason } from "../../kit/errors.ts";
import type { MemoryJobType } from "../../memory/rules/job.ts";
import type { MemoryOrigin } from "../../memory/rules/memory.ts";
import type { RecordName } from "../../records/rules/record.ts";
import type { SummaryFailure } from "../../window/policy/summary-spec.ts";
import type {
  ConditionWarning,
  SeqRange,
  Totals,
  TriggerHit,
  Trim,
  WindowEntry,
} from "../../window/rules/types.ts";

/** Details of each kind of event, under the names of the public messages. */
export interface EventDetails {
  readonly sessionCreated: unknown;
  readonly sessionUpdated: { readonly paths: readonly string[] };
  readonly sessionDeleted: {
    readonly reason: "request" | "expired" | "erased";
    readonly log: Totals;
  };
  readonly sessionForked: {
    readonly origin: { readonly sessionId: string; readonly seq: number };
    readonly log: Totals;
    readonly window: Totals;
  };
  readonly sessionReset: { readonly deleted: Totals; readonly kept: Totals };
  readonly messagesAppended: {
    readonly messageIds: readonly string[];
    readonly seqs: SeqRange;
    readonly appended: Totals;
    readonly window: Totals;
  };
  readonly messagesTrimmed: { readonly trim: Trim };
  readonly messageUpdated: {
    readonly messageId: string;
    readonly seq: number;
    readonly paths: readonly string[];
    readonly tokenCount: number;
  };
  readonly messageDeleted: {
    readonly messageId: string;
    readonly seq: number;
    readonly tokenCount: number;
    readonly wasInWindow: boolean;
  };
  readonly messagesRestored: {
    /** By rising seq. */
    readonly restored: readonly WindowEntry[];
    readonly total: Totals;
    readonly window: Totals;
  };
  readonly summarySet: {
    readonly version: number;
    /** Empty for the summary of the session. */
    readonly placedMessageId: string;
    readonly tokenCount: number;
    readonly ranges: readonly SeqRange[];
    /** Details of the hook call that made it; undefined for a text that a caller set. */
    readonly made: SummaryMade | undefined;
  };
  readonly toolResultsFilled: { readonly toolCallIds: readonly string[]; readonly window: Totals };
  readonly sessionImported: {
    /** The name of the snapshot's format. */
    readonly format: string;
    readonly log: Totals;
    readonly window: Totals;
  };
  readonly policyWarned: { readonly warning: PolicyWarning };
  readonly turnEnded: { readonly window: Totals };
  readonly summaryRequested: TaskNamed & {
    readonly triggers: readonly TriggerHit[];
    readonly ranges: readonly SeqRange[];
    readonly sources: Totals;
    readonly joined: boolean;
  };
  readonly summaryFailed: TaskNamed & {
    readonly reason: TaskFailureReason;
    readonly failedAttempts: number;
    readonly durationMs: number;
    /** Undefined when the task is given up. */
    readonly retryMs: number | undefined;
  };
  readonly summarySuperseded: TaskNamed & { readonly reason: SupersedeReason };
  readonly taskDead: TaskNamed & {
    readonly taskType: "summarize" | MemoryJobType;
    readonly reason: TaskFailureReason;
    readonly failedAttempts: number;
    readonly callCount: number;
    /** Undefined for a job on memories: its messages stay where they are. */
    readonly effect: SummaryFailure | undefined;
    readonly ranges: readonly SeqRange[];
    readonly durationMs: number;
  };
  readonly documentsUpserted: {
    readonly collectionId: string;
    readonly documentIds: readonly string[];
    readonly createdCount: number;
  };
  readonly documentsDeleted: {
    readonly collectionId: string;
    readonly documentIds: readonly string[];
    /** Their ttl expired. Default false. */
    readonly expired?: boolean;
  };
  readonly collectionCleared: { readonly collectionId: string; readonly documentCount: number };
  readonly memoriesRemembered: {
    readonly memoryIds: readonly string[];
    readonly updatedIds: readonly string[];
    /** Those of both lists that contradict memories of higher trust. */
    readonly contradictingIds: readonly string[];
    readonly origin: MemoryOrigin;
  };
  readonly memoryUpdated: {
    readonly memoryId: string;
    readonly paths: readonly string[];
    readonly version: number;
  };
  readonly memoriesReinforced: { readonly memoryIds: readonly string[] };
  readonly memoriesDecayed: { readonly memoryIds: readonly string[] };
  readonly memoriesDeleted: {
    readonly memoryIds: readonly string[];
    readonly reason: MemoryDeleteReason;
  };
  readonly taskAttempted: {
    readonly taskId: string;
    readonly taskType: MemoryJobType;
    readonly hook: string;
    readonly ranges: readonly SeqRange[];
    readonly createdCount: number;
    readonly rejectedCount: number;
    /** Undefined when the attempt did not fail. */
    readonly failure: TaskFailureReason | undefined;
  };
  readonly recordsWritten: {
    readonly records: readonly (RecordName & { readonly version: number })[];
  };
  readonly recordsDeleted: {
    readonly records: readonly RecordName[];
    readonly reason: RecordDeleteReason;
  };
}

export type EventKind = keyof EventDetails;

/** Numbers as in the public `EventType` enum. */
export const EVENT_TYPE = {
  sessionCreated: 1,
  sessionUpdated: 2,
  sessionDeleted: 3,
  sessionForked: 4,
  sessionReset: 5,
  messagesAppended: 6,
  messagesTrimmed: 7,
  messageUpdated: 8,
  messageDeleted: 9,
  messagesRestored: 10,
  summarySet: 11,
  toolResultsFilled: 12,
  sessionImported: 13,
  policyWarned: 14,
  turnEnded: 15,
  summaryRequested: 16,
  summaryFailed: 17,
  summarySuperseded: 18,
  taskDead: 19,
  documentsUpserted: 20,
  documentsDeleted: 21,
  collectionCleared: 22,
  memoriesRemembered: 23,
  memoryUpdated: 24,
  memoriesReinforced: 25,
  memoriesDecayed: 26,
  memoriesDeleted: 27,
  taskAttempted: 28,
  recordsWritten: 29,
  recordsDeleted: 30,
} as const satisfies Readonly<Record<EventKind, number>>;
export type EventType = (typeof EVENT_TYPE)[EventKind];

/** Events of changes that take texts out of the store. */
export const ERASING_EVENTS: ReadonlySet<EventType> = new Set([
  ...[EVENT_TYPE.sessionDeleted, EVENT_TYPE.sessionReset, EVENT_TYPE.sessionImported],
  ...[EVENT_TYPE.messageUpdated, EVENT_TYPE.messageDeleted, EVENT_TYPE.memoriesDeleted],
  ...[EVENT_TYPE.documentsDeleted, EVENT_TYPE.collectionCleared],
]);

export type EventDetail = {
  [Kind in EventKind]: { readonly type: (typeof EVENT_TYPE)[Kind] } & EventDetails[Kind];
}[EventKind];

/** Reasons for which memories are deleted; the names of the public enum in lower case. */
export type MemoryDeleteReason =
  | "forgotten"
  | "evicted"
  | "expired"
  | "decayed"
  | "retention"
  | "merged"
  | "source-erased"
  | "erased";

/** Reasons for which records are deleted; the names of the public enum in lower case. */
export type RecordDeleteReason = "request" | "expired" | "erased";

/** The task that an event is about. */
export interface TaskNamed {
  readonly taskId: string;
  /** Empty for CompactSession. */
  readonly stage: string;
  readonly hook: string;
}

/** Details of how a summary was made. */
export interface SummaryMade extends TaskNamed {
  readonly model: string;
  readonly added: Totals;
  readonly callCount: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly durationMs: number;
  readonly placeholder: boolean;
}

/** Reasons for which a task is cancelled. */
export type SupersedeReason =
  | "messages-changed"
  | "summary-changed"
  | "policy-changed"
  | "session-reset"
  | "deleted";

/** Something that went wrong while a policy was applied. */
export type PolicyWarning =
  | ({ readonly kind: "condition-failed" } & ConditionWarning)
  | { readonly kind: "over-limit"; readonly stage: string };

/** An event ready to be encoded. */
export interface Event {
  readonly revision: number;
  readonly index: number;
  readonly namespace: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly agentId: string;
  readonly createMs: number;
  readonly requestId: string;
  /** The next event of the revision continues this one's lists. */
  readonly continued: boolean;
  readonly detail: EventDetail;
}

/** A position in the stream of events: everything up to it is behind. */
export interface EventPosition {
  readonly revision: number;
  readonly index: number;
}

/** The position before every event. */
export const STREAM_START: EventPosition = { revision: 0, index: 0 };

/** Above the index of every event. */
const INDEX_END = 0x7fff_ffff;

/** The position after every event of a revision. */
export function endOfRevision(revision: number): EventPosition {
  return { revision, index: INDEX_END };
}

/** Orders positions. */
export function comparePositions(a: EventPosition, b: EventPosition): number {
  return a.revision - b.revision || a.index - b.index;
}
