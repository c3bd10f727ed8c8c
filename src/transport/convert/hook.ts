// Hooks and what they get and give, between the domain and the wire.

import type { SummaryOutput } from "../../domain/summaries/summary.ts";
import * as adminServiceWire from "../../gen/memorysidecar/v1/admin_service.ts";
import { EmbeddingPurpose } from "../../gen/memorysidecar/v1/document.ts";
import * as wire from "../../gen/memorysidecar/v1/task.ts";
import { LeasedTask as LeasedTaskCodec } from "../../gen/memorysidecar/v1/task.ts";
import type { CompleteTaskRequest } from "../../gen/memorysidecar/v1/task_service.ts";
import { extractInputBytes, rawExtracted, rawResolution } from "../../hooks/wire-memories.ts";
import {
  type Hook,
  type HookKind,
  type SummarizeInput,
  summarizesByWorkers,
} from "../../service/hook-port.ts";
import type {
  DirectInput,
  DirectOutput,
  HookInfo,
  LeasedDirect,
  LeasedTask,
} from "../../service/tasks-api.ts";
import { encodeWire } from "../fast-writer.ts";
import { spliceField, spliceMessages } from "../splice.ts";
import { FAILURE_REASONS, toDirectTask, toFailureReason, toTask } from "./task.ts";
import { toDuration, toTimestamp } from "./time.ts";

// The fields that are spliced in, as in task.proto.
const MESSAGES_FIELD = 1;
const SUMMARIZE_FIELD = 3;
const EXTRACT_FIELD = 6;

const KINDS = {
  builtin: adminServiceWire.HookKind.BUILTIN,
  openai: adminServiceWire.HookKind.OPENAI,
  grpc: adminServiceWire.HookKind.GRPC,
  poll: adminServiceWire.HookKind.POLL,
  onnx: adminServiceWire.HookKind.ONNX,
} as const satisfies Readonly<Record<HookKind, adminServiceWire.HookKind>>;

const BREAKERS = {
  closed: adminServiceWire.BreakerState.CLOSED,
  open: adminServiceWire.BreakerState.OPEN,
  "half-open": adminServiceWire.BreakerState.HALF_OPEN,
} as const satisfies Readonly<
  Record<NonNullable<HookInfo["breaker"]>, adminServiceWire.BreakerState>
>;

function taskTypesOf(hook: Hook): wire.TaskType[] {
  const { summarize, embedder, rerank, extract, score, resolve } = hook;
  const summarizes = summarize !== undefined || summarizesByWorkers(hook);
  return [
    ...(summarizes ? [wire.TaskType.SUMMARIZE] : []),
    ...(embedder === undefined ? [] : [wire.TaskType.EMBED]),
    ...(rerank === undefined ? [] : [wire.TaskType.RERANK]),
    ...(extract === undefined ? [] : [wire.TaskType.EXTRACT]),
    ...(score === undefined ? [] : [wire.TaskType.SCORE]),
    ...(resolve === undefined ? [] : [wire.TaskType.RESOLVE]),
  ];
}

/** Turns a hook into its public form. */
export function toHook(info: HookInfo): adminServiceWire.Hook {
  const { hook, breaker, retryMs, usage } = info;
  const { settings } = hook;
  const isPolled = hook.kind === "poll";
  return {
    name: hook.name,
    kind: KINDS[hook.kind],
    taskTypes: taskTypesOf(hook),
    isDefault: info.isDefault,
    breaker: breaker === undefined ? adminServiceWire.BreakerState.UNSPECIFIED : BREAKERS[breaker],
    retryTime: retryMs === undefined ? undefined : toTimestamp(retryMs),
    runningCalls: isPolled ? 0 : info.runningCalls,
    maxRunningCalls: isPolled ? 0 : settings.concurrency,
    callCount: BigInt(info.callCount),
    failures: FAILURE_REASONS.flatMap((reason) => {
      const count = info.failures.get(reason) ?? 0;
      return count === 0 ? [] : [{ reason: toFailureReason(reason), count: BigInt(count) }];
    }),
    timeout: isPolled ? undefined : toDuration(settings.timeoutMs),
    callsPerHour: BigInt(settings.callsPerHour),
    tokensPerHour: BigInt(settings.tokensPerHour),
    usedCalls: BigInt(usage.calls),
    usedTokens: BigInt(usage.tokens),
  };
}

/** Gives the wire form of what is to be summarized. */
export function encodeSummarizeInput(input: SummarizeInput): Uint8Array {
  const rest = encodeWire(wire.SummarizeInput, {
    messages: [],
    transcript: input.transcript,
    priorTexts: [...input.priorTexts],
    replacesPrior: input.replacesPrior,
    maxTokens: input.maxTokens,
    instructions: input.instructions,
    loop: input.loop,
    maxLoops: input.maxLoops,
    draft: input.draft,
    structured: input.structured,
    savesTokens: input.savesTokens,
    trust: input.trust,
  });
  return spliceMessages(MESSAGES_FIELD, input.messages, rest);
}

/** Gives the wire form of a task that a worker has taken. */
export function encodeLeasedTask(leased: LeasedTask): Uint8Array {
  if ("direct" in leased) return encodeDirect(leased);
  const { leaseToken, input } = leased;
  const rest = encodeWire(LeasedTaskCodec, { task: toTask(leased), leaseToken, input: undefined });
  return spliceField(SUMMARIZE_FIELD, [encodeSummarizeInput(input)], rest);
}

function encodeDirect({ direct, leaseToken }: LeasedDirect): Uint8Array {
  const task = toDirectTask(direct);
  if (direct.input.kind === "extract") {
    const rest = encodeWire(LeasedTaskCodec, { task, leaseToken, input: undefined });
    return spliceField(EXTRACT_FIELD, [extractInputBytes(direct.input.input)], rest);
  }
  return encodeWire(LeasedTaskCodec, { task, leaseToken, input: toDirectInput(direct.input) });
}

function toDirectInput(
  input: Exclude<DirectInput, { kind: "extract" }>,
): NonNullable<LeasedTaskCodec["input"]> {
  if (input.kind === "resolve") {
    const { text, known, key } = input.input;
    return { $case: "resolve", value: { text, known: [...known], key } };
  }
  const texts = [...input.texts];
  if (input.kind === "score") return { $case: "score", value: { texts } };
  if (input.kind === "rerank") return { $case: "rerank", value: { query: input.query, texts } };
  const isQuery = input.purpose === "query";
  const purpose = isQuery ? EmbeddingPurpose.QUERY : EmbeddingPurpose.PASSAGE;
  return { $case: "embed", value: { texts, purpose, dimensions: input.dimensions } };
}

/** Gives what a worker brought, as it came: whether it is sound is for the service to say. */
export function fromTaskOutput(
  output: NonNullable<CompleteTaskRequest["output"]>,
): SummaryOutput | DirectOutput {
  switch (output.$case) {
    case "summarize":
      return fromOutput(output.value);
    case "embed":
      return { kind: "embed", vectors: output.value.vectors.map(({ values }) => values) };
    case "rerank":
      return { kind: "rerank", scores: output.value.scores };
    case "extract":
      return { kind: "extract", answer: rawExtracted(output.value) };
    case "score":
      return { kind: "score", scores: output.value.scores };
    case "resolve":
      return { kind: "resolve", answer: rawResolution(output.value) };
  }
}

/** Gives what a hook made of messages, as it came. */
export function fromOutput(output: wire.SummarizeOutput): SummaryOutput {
  return {
    text: output.text,
    missingEntities: output.missingEntities,
    requestText: output.requestText,
    facts: output.facts,
    openThreads: output.openThreads,
    model: output.model,
    inputTokens: Number(output.inputTokens),
    outputTokens: Number(output.outputTokens),
  };
}
