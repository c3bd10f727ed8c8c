// Goal: events about summaries and tasks carry all that the domain says of them, and no text.

import { describe, expect, test } from "vitest";
import * as wire from "../gen/memorysidecar/v1/event.ts";
import { SupersedeReason } from "../gen/memorysidecar/v1/event.ts";
import { SummaryFailure } from "../gen/memorysidecar/v1/policy.ts";
import { TaskFailureReason, TaskType } from "../gen/memorysidecar/v1/task.ts";
import { TriggerKind } from "../gen/memorysidecar/v1/window.ts";
import { EVENT_TYPE, type EventDetail } from "./rules/event.ts";
import { encodeEvent } from "./wire.ts";

const TASK = { taskId: "task-00000000001", stage: "old", hook: "mine" } as const;
const RANGES = [{ first: 2, last: 5 }] as const;
const WIRE_RANGES = [{ firstSeq: 2n, lastSeq: 5n }];
const seconds = (count: number) => ({ seconds: BigInt(count), nanos: 0 });

function overTheWire(detail: EventDetail): wire.Event {
  const bytes = encodeEvent({
    revision: 7,
    index: 1,
    namespace: "n",
    sessionId: "s",
    userId: "",
    agentId: "",
    createMs: 1_000,
    requestId: "",
    continued: false,
    detail,
  });
  return wire.Event.decode(bytes);
}

describe("an event", () => {
  test("tells how a summary was made", () => {
    const event = overTheWire({
      type: EVENT_TYPE.summarySet,
      version: 3,
      placedMessageId: "summary-3",
      tokenCount: 9.25,
      ranges: RANGES,
      made: {
        ...TASK,
        model: "m",
        added: { messageCount: 4, tokenCount: 40 },
        callCount: 2,
        inputTokens: 50,
        outputTokens: 6,
        durationMs: 3_000,
        placeholder: true,
      },
    });
    expect(event.type).toBe(wire.EventType.SUMMARY_SET);
    expect(event.detail).toEqual({
      $case: "summarySet",
      value: {
        ...TASK,
        version: 3n,
        placedMessageId: "summary-3",
        tokenCount: 9,
        seqRanges: WIRE_RANGES,
        model: "m",
        addedTotals: { messageCount: 4n, tokenCount: 40n },
        callCount: 2,
        inputTokens: 50n,
        outputTokens: 6n,
        duration: seconds(3),
        placeholder: true,
      },
    });
  });

  test("tells of a summary by hand without how it was made", () => {
    const { detail } = overTheWire({
      type: EVENT_TYPE.summarySet,
      version: 1,
      placedMessageId: "",
      tokenCount: 2,
      ranges: [],
      made: undefined,
    });
    expect(detail?.value).toMatchObject({
      ...{ version: 1n, taskId: "", stage: "", hook: "", model: "", callCount: 0 },
      ...{ addedTotals: undefined, duration: undefined, placeholder: false },
    });
  });

  test("tells that a summary was asked for", () => {
    const { type, detail } = overTheWire({
      ...TASK,
      type: EVENT_TYPE.summaryRequested,
      triggers: [{ kind: "tool-error", tool: "pay" }],
      ranges: RANGES,
      sources: { messageCount: 4, tokenCount: 40 },
      joined: true,
    });
    expect(type).toBe(wire.EventType.SUMMARY_REQUESTED);
    expect(detail).toEqual({
      $case: "summaryRequested",
      value: {
        ...TASK,
        triggers: [{ kind: TriggerKind.TOOL_ERROR, tool: "pay" }],
        seqRanges: WIRE_RANGES,
        sourceTotals: { messageCount: 4n, tokenCount: 40n },
        joined: true,
      },
    });
  });

  test("tells that an attempt failed, and when it is tried again", () => {
    const failed = {
      ...TASK,
      type: EVENT_TYPE.summaryFailed,
      reason: "timeout",
      failedAttempts: 2,
      durationMs: 30_000,
    } as const;
    const { type, detail } = overTheWire({ ...failed, retryMs: 60_000 });
    expect(type).toBe(wire.EventType.SUMMARY_FAILED);
    expect(detail).toEqual({
      $case: "summaryFailed",
      value: {
        ...TASK,
        reason: TaskFailureReason.TIMEOUT,
        failedAttempts: 2,
        duration: seconds(30),
        retryTime: seconds(60),
      },
    });
    const last = overTheWire({ ...failed, retryMs: undefined }).detail;
    expect(last?.value).toMatchObject({ retryTime: undefined });
  });

  test.each([
    ["messages-changed", SupersedeReason.MESSAGES_CHANGED],
    ["summary-changed", SupersedeReason.SUMMARY_CHANGED],
    ["policy-changed", SupersedeReason.POLICY_CHANGED],
    ["session-reset", SupersedeReason.SESSION_RESET],
    ["deleted", SupersedeReason.DELETED],
  ] as const)("tells that a task is not wanted any more: %s", (reason, number) => {
    const { type, detail } = overTheWire({ ...TASK, type: EVENT_TYPE.summarySuperseded, reason });
    expect(type).toBe(wire.EventType.SUMMARY_SUPERSEDED);
    expect(detail).toEqual({ $case: "summarySuperseded", value: { ...TASK, reason: number } });
  });

  test("tells that a task was given up", () => {
    const { type, detail } = overTheWire({
      ...TASK,
      type: EVENT_TYPE.taskDead,
      taskType: "summarize",
      reason: "refused",
      failedAttempts: 1,
      callCount: 4,
      effect: "placeholder",
      ranges: RANGES,
      durationMs: 5_000,
    });
    expect(type).toBe(wire.EventType.TASK_DEAD);
    expect(detail).toEqual({
      $case: "taskDead",
      value: {
        ...TASK,
        type: TaskType.SUMMARIZE,
        reason: TaskFailureReason.REFUSED,
        failedAttempts: 1,
        callCount: 4,
        effect: SummaryFailure.PLACEHOLDER,
        seqRanges: WIRE_RANGES,
        duration: seconds(5),
      },
    });
  });

  test("has the number of every type of the contract", () => {
    const known = Object.values(wire.EventType).filter(
      (value) => typeof value === "number" && value > 0,
    );
    expect(Object.values(EVENT_TYPE).sort((a, b) => a - b)).toEqual(known);
  });
});
