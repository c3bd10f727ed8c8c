// The wire form of events about summaries and tasks.

import {
  EVENT_TYPE,
  type EventDetail,
  type SummaryMade,
  type SupersedeReason,
  type TaskNamed,
} from "../../domain/event.ts";
import type * as event from "../../gen/memorysidecar/v1/event.ts";
import * as wire from "../../gen/memorysidecar/v1/event.ts";
import { toSummaryFailure } from "./policy-summary.ts";
import { toFailureReason, toTaskType } from "./task.ts";
import { toDuration, toTimestamp } from "./time.ts";
import { toSeqRange, toTotals, toTriggerHit } from "./window.ts";

const SUPERSEDE_REASONS = {
  "messages-changed": wire.SupersedeReason.MESSAGES_CHANGED,
  "summary-changed": wire.SupersedeReason.SUMMARY_CHANGED,
  "policy-changed": wire.SupersedeReason.POLICY_CHANGED,
  "session-reset": wire.SupersedeReason.SESSION_RESET,
  deleted: wire.SupersedeReason.DELETED,
} as const satisfies Readonly<Record<SupersedeReason, wire.SupersedeReason>>;

/** The part of an event that says what happened to a summary or a task. */
export type SummaryDetail = Extract<
  EventDetail,
  {
    type:
      | typeof EVENT_TYPE.summarySet
      | typeof EVENT_TYPE.summaryRequested
      | typeof EVENT_TYPE.summaryFailed
      | typeof EVENT_TYPE.summarySuperseded
      | typeof EVENT_TYPE.taskDead;
  }
>;

const SUMMARY_TYPES: ReadonlySet<number> = new Set<SummaryDetail["type"]>([
  EVENT_TYPE.summarySet,
  EVENT_TYPE.summaryRequested,
  EVENT_TYPE.summaryFailed,
  EVENT_TYPE.summarySuperseded,
  EVENT_TYPE.taskDead,
]);

/** Whether an event is about a summary or a task. */
export function isSummaryDetail(detail: EventDetail): detail is SummaryDetail {
  return SUMMARY_TYPES.has(detail.type);
}

/** Turns what happened to a summary or a task into its public form. */
export function toSummaryDetail(detail: SummaryDetail): event.Event["detail"] {
  switch (detail.type) {
    case EVENT_TYPE.summarySet:
      return { $case: "summarySet", value: toSummarySet(detail) };
    case EVENT_TYPE.summaryRequested:
      return {
        $case: "summaryRequested",
        value: {
          ...named(detail),
          triggers: detail.triggers.map(toTriggerHit),
          seqRanges: detail.ranges.map(toSeqRange),
          sourceTotals: toTotals(detail.sources),
          joined: detail.joined,
        },
      };
    case EVENT_TYPE.summaryFailed: {
      const { retryMs } = detail;
      return {
        $case: "summaryFailed",
        value: {
          ...named(detail),
          reason: toFailureReason(detail.reason),
          failedAttempts: detail.failedAttempts,
          duration: toDuration(detail.durationMs),
          retryTime: retryMs === undefined ? undefined : toTimestamp(retryMs),
        },
      };
    }
    case EVENT_TYPE.summarySuperseded: {
      const reason = SUPERSEDE_REASONS[detail.reason];
      return { $case: "summarySuperseded", value: { ...named(detail), reason } };
    }
    case EVENT_TYPE.taskDead:
      return { $case: "taskDead", value: toTaskDead(detail) };
  }
}

function named({ taskId, stage, hook }: TaskNamed): TaskNamed {
  return { taskId, stage, hook };
}

type Set = Extract<SummaryDetail, { type: typeof EVENT_TYPE.summarySet }>;

function toSummarySet({ version, placedMessageId, tokenCount, ranges, made }: Set) {
  const text = { placedMessageId, tokenCount: Math.floor(tokenCount) };
  const seqRanges = ranges.map(toSeqRange);
  return { version: BigInt(version), ...text, seqRanges, ...toMade(made) };
}

const BY_HAND: Omit<wire.SummarySet, "version" | "placedMessageId" | "tokenCount" | "seqRanges"> = {
  ...{ taskId: "", stage: "", hook: "", model: "" },
  addedTotals: undefined,
  ...{ callCount: 0, inputTokens: 0n, outputTokens: 0n },
  duration: undefined,
  placeholder: false,
};

function toMade(made: SummaryMade | undefined): typeof BY_HAND {
  if (made === undefined) return BY_HAND;
  return {
    ...named(made),
    model: made.model,
    addedTotals: toTotals(made.added),
    callCount: made.callCount,
    inputTokens: BigInt(made.inputTokens),
    outputTokens: BigInt(made.outputTokens),
    duration: toDuration(made.durationMs),
    placeholder: made.placeholder,
  };
}

type Dead = Extract<SummaryDetail, { type: typeof EVENT_TYPE.taskDead }>;

function toTaskDead(detail: Dead): wire.TaskDead {
  return {
    ...named(detail),
    type: toTaskType(detail.taskType),
    reason: toFailureReason(detail.reason),
    failedAttempts: detail.failedAttempts,
    callCount: detail.callCount,
    effect: detail.effect === undefined ? 0 : toSummaryFailure(detail.effect),
    seqRanges: detail.ranges.map(toSeqRange),
    duration: toDuration(detail.durationMs),
  };
}
