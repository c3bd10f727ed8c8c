// The wire form of events about long-term memory.

import { EVENT_TYPE, type EventDetail } from "../../domain/event.ts";
import type { MemoryDeleteReason, MemoryEventDetail } from "../../domain/memories/event.ts";
import type * as wire from "../../gen/memorysidecar/v1/event.ts";
import {
  MemoryDeleteReason as Deletion,
  type TaskAttempted,
} from "../../gen/memorysidecar/v1/event.ts";
import { TaskFailureReason } from "../../gen/memorysidecar/v1/task.ts";
import { toMemoryOrigin } from "./memory-enums.ts";
import { toFailureReason, toTaskType } from "./task.ts";
import { toSeqRange } from "./window.ts";

const DELETIONS = {
  forgotten: Deletion.FORGOTTEN,
  evicted: Deletion.EVICTED,
  expired: Deletion.EXPIRED,
  decayed: Deletion.DECAYED,
  retention: Deletion.RETENTION,
  merged: Deletion.MERGED,
} as const satisfies Readonly<Record<MemoryDeleteReason, Deletion>>;

const MEMORY_TYPES: ReadonlySet<number> = new Set<MemoryEventDetail["type"]>([
  EVENT_TYPE.memoriesRemembered,
  EVENT_TYPE.memoryUpdated,
  EVENT_TYPE.memoriesReinforced,
  EVENT_TYPE.memoriesDecayed,
  EVENT_TYPE.memoriesDeleted,
  EVENT_TYPE.taskAttempted,
]);

/** Whether an event is about long-term memory. */
export function isMemoryDetail(detail: EventDetail): detail is MemoryEventDetail {
  return MEMORY_TYPES.has(detail.type);
}

/** Turns what happened to memories into its public form. */
export function toMemoryDetail(detail: MemoryEventDetail): wire.Event["detail"] {
  switch (detail.type) {
    case EVENT_TYPE.memoriesRemembered: {
      const origin = toMemoryOrigin(detail.origin);
      const value = {
        memoryIds: [...detail.memoryIds],
        updatedMemoryIds: [...detail.updatedIds],
        origin,
        contradictingMemoryIds: [...detail.contradictingIds],
      };
      return { $case: "memoriesRemembered", value };
    }
    case EVENT_TYPE.memoryUpdated: {
      const { memoryId, paths, version } = detail;
      const value = { memoryId, paths: [...paths], version: BigInt(version) };
      return { $case: "memoryUpdated", value };
    }
    case EVENT_TYPE.memoriesReinforced:
      return { $case: "memoriesReinforced", value: { memoryIds: [...detail.memoryIds] } };
    case EVENT_TYPE.memoriesDecayed:
      return { $case: "memoriesDecayed", value: { memoryIds: [...detail.memoryIds] } };
    case EVENT_TYPE.memoriesDeleted: {
      const reason = DELETIONS[detail.reason];
      return { $case: "memoriesDeleted", value: { memoryIds: [...detail.memoryIds], reason } };
    }
    case EVENT_TYPE.taskAttempted:
      return { $case: "taskAttempted", value: toAttempted(detail) };
  }
}

type Attempted = Extract<MemoryEventDetail, { type: typeof EVENT_TYPE.taskAttempted }>;

function toAttempted(detail: Attempted): TaskAttempted {
  const { failure } = detail;
  return {
    taskId: detail.taskId,
    type: toTaskType(detail.taskType),
    hook: detail.hook,
    seqRanges: detail.ranges.map(toSeqRange),
    createdCount: detail.createdCount,
    rejectedCount: detail.rejectedCount,
    reason: failure === undefined ? TaskFailureReason.UNSPECIFIED : toFailureReason(failure),
  };
}
