// Goal: events about memories carry all that the domain says of them, and nothing of what they say.

import { describe, expect, test } from "vitest";
import * as wire from "../gen/memorysidecar/v1/event.ts";
import { MemoryDeleteReason as Deletion } from "../gen/memorysidecar/v1/event.ts";
import { MemoryOrigin } from "../gen/memorysidecar/v1/memory.ts";
import { TaskFailureReason, TaskType } from "../gen/memorysidecar/v1/task.ts";
import type { EventDetail, MemoryDeleteReason } from "./rules/event.ts";
import { EVENT_TYPE } from "./rules/event.ts";
import { encodeEvent } from "./wire.ts";

function overTheWire(detail: EventDetail): wire.Event {
  const bytes = encodeEvent({
    revision: 7,
    index: 1,
    namespace: "n",
    sessionId: "s",
    userId: "u",
    agentId: "a",
    createMs: 1_000,
    requestId: "r",
    continued: true,
    detail,
  });
  return wire.Event.decode(bytes);
}

describe("an event", () => {
  test("tells what was remembered", () => {
    const memoryIds = ["a", "b"];
    const updatedIds = ["c"];
    const contradictingIds = ["b"];
    const type = EVENT_TYPE.memoriesRemembered;
    const told = { type, memoryIds, updatedIds, contradictingIds, origin: "extraction" } as const;
    expect(overTheWire(told)).toMatchObject({
      type: wire.EventType.MEMORIES_REMEMBERED,
      ...{ namespace: "n", sessionId: "s", userId: "u", agentId: "a", continued: true },
      detail: {
        $case: "memoriesRemembered",
        value: {
          memoryIds,
          updatedMemoryIds: updatedIds,
          contradictingMemoryIds: contradictingIds,
          origin: MemoryOrigin.EXTRACTION,
        },
      },
    });
  });

  test("tells what of a memory was changed", () => {
    const changed = { memoryId: "m", paths: ["text", "ttl"] };
    const event = overTheWire({ type: EVENT_TYPE.memoryUpdated, ...changed, version: 4 });
    expect(event.type).toBe(wire.EventType.MEMORY_UPDATED);
    expect(event.detail).toEqual({ $case: "memoryUpdated", value: { ...changed, version: 4n } });
  });

  test("tells of what memories were heard of again", () => {
    const event = overTheWire({ type: EVENT_TYPE.memoriesReinforced, memoryIds: ["a"] });
    expect(event.type).toBe(wire.EventType.MEMORIES_REINFORCED);
    expect(event.detail).toEqual({ $case: "memoriesReinforced", value: { memoryIds: ["a"] } });
  });

  test("tells which memories became less sure", () => {
    const event = overTheWire({ type: EVENT_TYPE.memoriesDecayed, memoryIds: ["a"] });
    expect(event.type).toBe(wire.EventType.MEMORIES_DECAYED);
    expect(event.detail).toEqual({ $case: "memoriesDecayed", value: { memoryIds: ["a"] } });
  });

  const reasons: readonly (readonly [MemoryDeleteReason, Deletion])[] = [
    ["forgotten", Deletion.FORGOTTEN],
    ["evicted", Deletion.EVICTED],
    ["expired", Deletion.EXPIRED],
    ["decayed", Deletion.DECAYED],
    ["retention", Deletion.RETENTION],
    ["merged", Deletion.MERGED],
  ];

  test.each(reasons)("tells that memories are gone: %s", (reason, number) => {
    const event = overTheWire({ type: EVENT_TYPE.memoriesDeleted, memoryIds: ["a"], reason });
    expect(event.type).toBe(wire.EventType.MEMORIES_DELETED);
    expect(event.detail).toEqual({
      $case: "memoriesDeleted",
      value: { memoryIds: ["a"], reason: number },
    });
  });

  test("tells how an attempt at a task ended", () => {
    const counts = { hook: "h", createdCount: 3, rejectedCount: 1 };
    const type = EVENT_TYPE.taskAttempted;
    const taskId = "task-00000000001";
    const ranges = [{ first: 1, last: 4 }];
    const attempt = { type, taskId, ranges, ...counts } as const;
    const detail = { ...attempt, taskType: "score", failure: "timeout" } as const;
    const value = {
      ...{ ...counts, type: TaskType.SCORE, seqRanges: [{ firstSeq: 1n, lastSeq: 4n }] },
      ...{ reason: TaskFailureReason.TIMEOUT, taskId },
    };
    const event = overTheWire(detail);
    expect(event.type).toBe(wire.EventType.TASK_ATTEMPTED);
    expect(event.detail).toEqual({ $case: "taskAttempted", value });
    const sound = { ...attempt, taskType: "extract", failure: undefined } as const;
    expect(overTheWire(sound).detail).toMatchObject({
      value: { type: TaskType.EXTRACT, reason: TaskFailureReason.UNSPECIFIED },
    });
  });
});
