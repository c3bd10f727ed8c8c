// Events as the domain sees them: what happened, without content.

import { EVENT_TYPE, type EventType } from "./event-type.ts";
import type { MemoryEventDetail } from "./memories/event.ts";
import type { MemoryJobType } from "./memories/job.ts";
import type { SummaryFailure } from "./summaries/spec.ts";
import type { TaskFailureReason } from "./tasks/task.ts";
import type {
  ConditionWarning,
  SeqRange,
  Totals,
  TriggerHit,
  Trim,
  WindowEntry,
} from "./window/types.ts";

export { EVENT_TYPE, type EventType };

export type EventDetail =
  | { readonly type: typeof EVENT_TYPE.sessionCreated }
  | { readonly type: typeof EVENT_TYPE.sessionUpdated; readonly paths: readonly string[] }
  | {
      readonly type: typeof EVENT_TYPE.sessionDeleted;
      readonly reason: "request" | "expired";
      readonly log: Totals;
    }
  | {
      readonly type: typeof EVENT_TYPE.sessionForked;
      readonly origin: { readonly sessionId: string; readonly seq: number };
      readonly log: Totals;
      readonly window: Totals;
    }
  | {
      readonly type: typeof EVENT_TYPE.sessionReset;
      readonly deleted: Totals;
      readonly kept: Totals;
    }
  | {
      readonly type: typeof EVENT_TYPE.messagesAppended;
      readonly messageIds: readonly string[];
      readonly seqs: SeqRange;
      readonly appended: Totals;
      readonly window: Totals;
    }
  | { readonly type: typeof EVENT_TYPE.messagesTrimmed; readonly trim: Trim }
  | {
      readonly type: typeof EVENT_TYPE.messageUpdated;
      readonly messageId: string;
      readonly seq: number;
      readonly paths: readonly string[];
      readonly tokenCount: number;
    }
  | {
      readonly type: typeof EVENT_TYPE.messageDeleted;
      readonly messageId: string;
      readonly seq: number;
      readonly tokenCount: number;
      readonly wasInWindow: boolean;
    }
  | {
      readonly type: typeof EVENT_TYPE.messagesRestored;
      /** By rising seq. */
      readonly restored: readonly WindowEntry[];
      readonly total: Totals;
      readonly window: Totals;
    }
  | {
      readonly type: typeof EVENT_TYPE.summarySet;
      readonly version: number;
      /** Empty for the summary of the session. */
      readonly placedMessageId: string;
      readonly tokenCount: number;
      readonly ranges: readonly SeqRange[];
      /** How it was made; undefined for a text that a caller set. */
      readonly made: SummaryMade | undefined;
    }
  | {
      readonly type: typeof EVENT_TYPE.toolResultsFilled;
      readonly toolCallIds: readonly string[];
      readonly window: Totals;
    }
  | {
      readonly type: typeof EVENT_TYPE.sessionImported;
      readonly format: SnapshotFormat;
      readonly log: Totals;
      readonly window: Totals;
    }
  | { readonly type: typeof EVENT_TYPE.policyWarned; readonly warning: PolicyWarning }
  | { readonly type: typeof EVENT_TYPE.turnEnded; readonly window: Totals }
  | (TaskNamed & {
      readonly type: typeof EVENT_TYPE.summaryRequested;
      readonly triggers: readonly TriggerHit[];
      readonly ranges: readonly SeqRange[];
      readonly sources: Totals;
      readonly joined: boolean;
    })
  | (TaskNamed & {
      readonly type: typeof EVENT_TYPE.summaryFailed;
      readonly reason: TaskFailureReason;
      readonly failedAttempts: number;
      readonly durationMs: number;
      /** Undefined when the task is given up. */
      readonly retryMs: number | undefined;
    })
  | (TaskNamed & {
      readonly type: typeof EVENT_TYPE.summarySuperseded;
      readonly reason: SupersedeReason;
    })
  | (TaskNamed & {
      readonly type: typeof EVENT_TYPE.taskDead;
      readonly taskType: "summarize" | MemoryJobType;
      readonly reason: TaskFailureReason;
      readonly failedAttempts: number;
      readonly callCount: number;
      /** Undefined for a job on memories: its messages stay where they are. */
      readonly effect: SummaryFailure | undefined;
      readonly ranges: readonly SeqRange[];
      readonly durationMs: number;
    })
  | {
      readonly type: typeof EVENT_TYPE.documentsUpserted;
      readonly collectionId: string;
      readonly documentIds: readonly string[];
      readonly createdCount: number;
    }
  | {
      readonly type: typeof EVENT_TYPE.documentsDeleted;
      readonly collectionId: string;
      readonly documentIds: readonly string[];
    }
  | {
      readonly type: typeof EVENT_TYPE.collectionCleared;
      readonly collectionId: string;
      readonly documentCount: number;
    }
  | MemoryEventDetail;

/** The task that an event is about. */
export interface TaskNamed {
  readonly taskId: string;
  /** Empty for CompactSession. */
  readonly stage: string;
  readonly hook: string;
}

/** How a summary was made. */
export interface SummaryMade extends TaskNamed {
  readonly model: string;
  readonly added: Totals;
  readonly callCount: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly durationMs: number;
  readonly placeholder: boolean;
}

/** Why a task is not wanted any more. */
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

/** The format of a snapshot. */
export const SNAPSHOT_FORMATS = ["native", "selectools", "lauren", "definable", "marsys"] as const;
export type SnapshotFormat = (typeof SNAPSHOT_FORMATS)[number];

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
