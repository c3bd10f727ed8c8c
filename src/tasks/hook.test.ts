import { describe, expect, test } from "vitest";
import * as wire from "../gen/memorysidecar/v1/admin_service.ts";
import { Message, Role } from "../gen/memorysidecar/v1/message.ts";
import * as taskWire from "../gen/memorysidecar/v1/task.ts";
import { LeasedTask, SummarizeInput } from "../gen/memorysidecar/v1/task.ts";
import type { HookKind } from "../hooks/port.ts";
import { encodeSummarizeInput, fromSummarizeOutput } from "../hooks/works.ts";
import { TASK_FAILURES, type TaskFailureReason } from "../kit/errors.ts";
import { withQuarters } from "../kit/token-quarters.ts";
import { DEFAULT_SUMMARY_SPEC } from "../window/policy/summary-spec.ts";
import type { HookInfo, LeasedTask as Leased } from "./api.ts";
import { encodeLeasedTask, toHook } from "./wire.ts";

const settings = {
  timeoutMs: 1_500,
  concurrency: 7,
  maxAttempts: 5,
  callsPerHour: 10,
  tokensPerHour: 20,
  inputTokensMax: 30,
};

const infoOf = (kind: HookKind, fields: Partial<HookInfo> = {}): HookInfo => ({
  hook: { name: "h", kind, settings },
  isDefault: false,
  breaker: kind === "poll" ? undefined : "closed",
  retryMs: undefined,
  runningCalls: 2,
  callCount: 9,
  failures: new Map(),
  usage: { calls: 3, tokens: 4 },
  ...fields,
});

const named = (values: object) => Object.keys(values).filter((name) => !/^UN/.test(name));

describe("a hook", () => {
  test("has every kind and state of a breaker that the contract knows", () => {
    const kinds = ["builtin", "openai", "grpc", "poll", "onnx"] as const;
    expect(kinds.map((kind) => toHook(infoOf(kind)).kind)).toEqual(
      named(wire.HookKind).map((name) => wire.HookKind[name as "POLL"]),
    );
    const states = ["closed", "open", "half-open"] as const;
    expect(states.map((breaker) => toHook(infoOf("grpc", { breaker })).breaker)).toEqual(
      named(wire.BreakerState).map((name) => wire.BreakerState[name as "OPEN"]),
    );
    expect(toHook(infoOf("poll")).breaker).toBe(wire.BreakerState.UNSPECIFIED);
  });

  test("names its failures in the order of their reasons, and only those that there were", () => {
    const failures = new Map<TaskFailureReason, number>(
      [...TASK_FAILURES].reverse().map((reason, index) => [reason, index]),
    );
    const found = toHook(infoOf("openai", { failures })).failures;
    expect(found).toHaveLength(TASK_FAILURES.length - 1);
    expect(found.map(({ reason }) => reason)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(found[0]).toEqual({ reason: taskWire.TaskFailureReason.UNREACHABLE, count: 9n });
  });

  test("tells of calls only when the server makes them", () => {
    expect(toHook(infoOf("openai", { retryMs: 2_500 }))).toMatchObject({
      runningCalls: 2,
      maxRunningCalls: 7,
      timeout: { seconds: 1n, nanos: 500_000_000 },
      retryTime: { seconds: 2n, nanos: 500_000_000 },
    });
    const polled = { runningCalls: 0, maxRunningCalls: 0, timeout: undefined };
    expect(toHook(infoOf("poll"))).toMatchObject(polled);
  });
});

describe("a leased task", () => {
  test("holds the messages as they are stored, without quarters of tokens", () => {
    const stored = [1, 2].map((seq) =>
      Message.encode({
        ...Message.decode(new Uint8Array(0)),
        messageId: `m${seq}`,
        role: Role.USER,
        text: "ab".repeat(100 * seq),
      }).finish(),
    );
    const leased: Leased = {
      task: {
        ...{ taskNo: 513, namespace: "n", sessionId: "s", type: "summarize", hook: "h" },
        ...{ stage: "st", state: "leased", dueMs: 5_000, generation: 0, failedAttempts: 1 },
        ...{ callCount: 2, lastFailure: undefined, createMs: 1_000, deadMs: 0 },
        lease: {
          ...{ token: "t", worker: "w", startMs: 4_000, generation: 0, priorVersion: 0 },
          ...{ reservedTokens: 0, hour: 0 },
        },
        summarize: {
          ...{ spec: DEFAULT_SUMMARY_SPEC, ranges: [{ first: 1, last: 2 }], made: [] },
          ...{ sources: { messageCount: 2, tokenCount: 6 }, triggers: [], loop: 1 },
          ...{ draft: undefined, level: 1, inputTokens: 0, outputTokens: 0 },
        },
      },
      maxAttempts: 5,
      leaseToken: "t",
      input: {
        ...{
          messages: stored.map((bytes) => withQuarters(bytes, 1.25)),
          lines: [],
          transcript: "user: ab",
          priorTexts: ["before"],
        },
        ...{ replacesPrior: true, maxTokens: 512, instructions: "i", loop: 2, maxLoops: 3 },
        ...{ draft: "d", structured: true, trust: 1, savesTokens: true },
      },
    };
    const decoded = LeasedTask.decode(encodeLeasedTask(leased));
    expect(decoded).toMatchObject({ leaseToken: "t", task: { workerId: "w", maxAttempts: 5 } });
    const input = decoded.input?.$case === "summarize" ? decoded.input.value : undefined;
    expect(input?.messages.map((one) => Buffer.from(Message.encode(one).finish()))).toEqual(
      stored.map((bytes) => Buffer.from(bytes)),
    );
    const summarize = encodeSummarizeInput(leased.input);
    expect(summarize).toHaveLength(SummarizeInput.encode(input as SummarizeInput).finish().length);
    expect(input).toMatchObject({
      ...{ transcript: "user: ab", priorTexts: ["before"], replacesPrior: true },
      ...{ maxTokens: 512, instructions: "i", loop: 2, maxLoops: 3, draft: "d" },
      ...{ structured: true, trust: 1 },
    });
  });
});

describe("an output", () => {
  test("comes as it was sent", () => {
    const output = {
      ...{ text: "t", missingEntities: ["e"], requestText: "r", facts: ["f"] },
      ...{ openThreads: ["o"], model: "m" },
    };
    const sent = { ...output, inputTokens: -1n, outputTokens: 2n };
    expect(fromSummarizeOutput(sent)).toEqual({ ...output, inputTokens: -1, outputTokens: 2 });
  });
});
