// Goal: every part of tasks and of the history of summaries goes over the wire, and what does not
// belong to the state of a task is left out.

import { describe, expect, test } from "vitest";
import { Trust } from "../gen/memorysidecar/v1/message.ts";
import { Summary, SummaryPlacement } from "../gen/memorysidecar/v1/summary.ts";
import * as wire from "../gen/memorysidecar/v1/task.ts";
import { TriggerKind } from "../gen/memorysidecar/v1/window.ts";
import { TASK_FAILURES } from "../kit/errors.ts";
import { type SummaryRecord, TRUST } from "../summary/rules/summary.ts";
import { DEFAULT_SUMMARY_SPEC } from "../window/policy/summary-spec.ts";
import { toSummarize } from "../window/policy-wire.ts";
import { type Task, taskIdOf } from "./rules/task.ts";
import { FAILURE_REASONS, TASK_STATES, toListedSummary, toTask } from "./wire.ts";

const SPEC = { ...DEFAULT_SUMMARY_SPEC, hook: "mine", maxTokens: 100 };

const TASK: Task = {
  taskNo: 513,
  namespace: "n",
  sessionId: "s",
  type: "summarize",
  hook: "mine",
  stage: "old",
  state: "ready",
  dueMs: 5_000,
  generation: 2,
  failedAttempts: 1,
  callCount: 3,
  lease: undefined,
  lastFailure: { reason: "busy", message: "later", atMs: 4_000 },
  createMs: 1_000,
  deadMs: 0,
  summarize: {
    spec: SPEC,
    ranges: [{ first: 1, last: 3 }],
    made: [{ messageId: "summary-1", version: 1 }],
    sources: { messageCount: 4, tokenCount: 10.75 },
    triggers: [{ kind: "token-count-over", tool: "" }],
    loop: 2,
    draft: undefined,
    level: 2,
    inputTokens: 7,
    outputTokens: 8,
  },
};

const LEASE = {
  token: "secret",
  worker: "w1",
  startMs: 1,
  generation: 2,
  priorVersion: 0,
  reservedTokens: 0,
  hour: 0,
};

function overTheWire(task: Task): wire.HookTask {
  const bytes = wire.HookTask.encode(toTask({ task, maxAttempts: 5 })).finish();
  return wire.HookTask.decode(bytes);
}

const seconds = (count: number) => ({ seconds: BigInt(count), nanos: 0 });

describe("a task", () => {
  test("tells all there is to know of it", () => {
    expect(overTheWire(TASK)).toEqual({
      namespace: "n",
      taskId: taskIdOf(513),
      type: wire.TaskType.SUMMARIZE,
      sessionId: "s",
      hook: "mine",
      stage: "old",
      state: wire.TaskState.READY,
      failedAttempts: 1,
      maxAttempts: 5,
      callCount: 3,
      readyTime: seconds(5),
      leaseExpireTime: undefined,
      workerId: "",
      lastFailure: {
        reason: wire.TaskFailureReason.BUSY,
        message: "later",
        createTime: seconds(4),
      },
      work: {
        $case: "summarize",
        value: {
          seqRanges: [{ firstSeq: 1n, lastSeq: 3n }],
          madeMessageIds: ["summary-1"],
          sourceTotals: { messageCount: 4n, tokenCount: 10n },
          options: toSummarize(SPEC),
          loop: 2,
          level: 2,
          triggers: [{ kind: TriggerKind.TOKEN_COUNT, tool: "" }],
        },
      },
      createTime: seconds(1),
    });
  });

  test("names its worker and the end of its lease only while it is leased", () => {
    expect(overTheWire({ ...TASK, state: "leased", lease: LEASE })).toMatchObject({
      state: wire.TaskState.LEASED,
      readyTime: undefined,
      leaseExpireTime: seconds(5),
      workerId: "w1",
    });
    for (const state of ["waiting", "dead"] as const) {
      expect(overTheWire({ ...TASK, state, dueMs: 0, lastFailure: undefined })).toMatchObject({
        readyTime: undefined,
        leaseExpireTime: undefined,
        workerId: "",
        lastFailure: undefined,
      });
    }
  });

  test("has the states and failures of the contract", () => {
    const known = (values: object) =>
      Object.values(values).filter((value) => typeof value === "number" && value > 0);
    const states = ["ready", "leased", "waiting", "dead"] as const;
    expect(states.map((state) => TASK_STATES[state])).toEqual(known(wire.TaskState));
    expect(Object.values(FAILURE_REASONS)).toEqual(known(wire.TaskFailureReason));
    expect(Object.keys(FAILURE_REASONS).sort()).toEqual([...TASK_FAILURES].sort());
  });
});

const RECORD: SummaryRecord = {
  version: 4,
  text: "so far",
  tokenCount: 2.5,
  placement: "in-place",
  placedMessageId: "summary-4",
  ranges: [{ first: 1, last: 9 }],
  added: [{ first: 7, last: 9 }],
  sources: { messageCount: 9, tokenCount: 90 },
  sourceVersions: [1, 3],
  level: 2,
  stage: "old",
  hook: "mine",
  model: "m",
  taskId: "task-00000000001",
  trust: TRUST.low,
  inputTokens: 100,
  outputTokens: 10,
  callCount: 2,
  durationMs: 1_500,
  placeholder: true,
  createMs: 2_000,
};

describe("a summary of the history", () => {
  const overTheWireToo = (record: SummaryRecord, current: boolean): Summary =>
    Summary.decode(Summary.encode(toListedSummary({ record, current })).finish());

  test("tells all there is to know of it", () => {
    expect(overTheWireToo(RECORD, true)).toEqual({
      version: 4n,
      text: "so far",
      tokenCount: 2,
      placement: SummaryPlacement.IN_PLACE,
      placedMessageId: "summary-4",
      current: true,
      seqRanges: [{ firstSeq: 1n, lastSeq: 9n }],
      level: 2,
      stage: "old",
      hook: "mine",
      trust: Trust.LOW,
      createTime: seconds(2),
      firstMessageTime: undefined,
      origin: {
        addedSeqRanges: [{ firstSeq: 7n, lastSeq: 9n }],
        sourceTotals: { messageCount: 9n, tokenCount: 90n },
        sourceVersions: [1n, 3n],
        taskId: "task-00000000001",
        model: "m",
        inputTokens: 100n,
        outputTokens: 10n,
        callCount: 2,
        duration: { seconds: 1n, nanos: 500_000_000 },
        placeholder: true,
      },
    });
  });

  test("took no time when a caller set it", () => {
    const byHand = { ...RECORD, placement: "session", taskId: "", durationMs: 0 } as const;
    expect(overTheWireToo(byHand, false)).toMatchObject({
      placement: SummaryPlacement.SESSION,
      current: false,
      origin: { duration: undefined },
    });
  });
});
