// Events as the domain sees them: what happened, without content.

import type { ConditionWarning, SeqRange, Totals, Trim, WindowEntry } from "./window/types.ts";

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
  messagesHealed: 12,
  sessionImported: 13,
  policyWarned: 14,
  turnEnded: 15,
} as const;
export type EventType = (typeof EVENT_TYPE)[keyof typeof EVENT_TYPE];

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
      /** 0 for a placed summary. */
      readonly version: number;
      /** Empty for the summary of the session. */
      readonly placedMessageId: string;
      readonly tokenCount: number;
      readonly ranges: readonly SeqRange[];
    }
  | {
      readonly type: typeof EVENT_TYPE.messagesHealed;
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
  | { readonly type: typeof EVENT_TYPE.turnEnded; readonly window: Totals };

/** Something that went wrong while a policy was applied. */
export type PolicyWarning =
  | ({ readonly kind: "condition-failed" } & ConditionWarning)
  | { readonly kind: "over-limit"; readonly stage: string };

/** The format of a snapshot. */
export type SnapshotFormat = "native" | "selectools" | "lauren" | "definable" | "marsys";

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

/** Orders positions. */
export function comparePositions(a: EventPosition, b: EventPosition): number {
  return a.revision - b.revision || a.index - b.index;
}
