// What events tell of memories, without content.

import type { EVENT_TYPE } from "../event-type.ts";
import type { TaskFailureReason } from "../tasks/task.ts";
import type { SeqRange } from "../window/types.ts";
import type { MemoryJobType } from "./job.ts";
import type { MemoryOrigin } from "./memory.ts";

/** Why memories are gone; the names of the public enum in lower case. */
export type MemoryDeleteReason =
  | "forgotten"
  | "evicted"
  | "expired"
  | "decayed"
  | "retention"
  | "merged";

export type MemoryEventDetail =
  | {
      readonly type: typeof EVENT_TYPE.memoriesRemembered;
      readonly memoryIds: readonly string[];
      readonly updatedIds: readonly string[];
      /** Those of both lists that contradict memories of higher trust. */
      readonly contradictingIds: readonly string[];
      readonly origin: MemoryOrigin;
    }
  | {
      readonly type: typeof EVENT_TYPE.memoryUpdated;
      readonly memoryId: string;
      readonly paths: readonly string[];
      readonly version: number;
    }
  | {
      readonly type: typeof EVENT_TYPE.memoriesReinforced | typeof EVENT_TYPE.memoriesDecayed;
      readonly memoryIds: readonly string[];
    }
  | {
      readonly type: typeof EVENT_TYPE.memoriesDeleted;
      readonly memoryIds: readonly string[];
      readonly reason: MemoryDeleteReason;
    }
  | {
      readonly type: typeof EVENT_TYPE.taskAttempted;
      readonly taskId: string;
      readonly taskType: MemoryJobType;
      readonly hook: string;
      readonly ranges: readonly SeqRange[];
      readonly createdCount: number;
      readonly rejectedCount: number;
      /** Undefined when the attempt did not fail. */
      readonly failure: TaskFailureReason | undefined;
    };
