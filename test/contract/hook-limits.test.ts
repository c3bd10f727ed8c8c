// Goal: every limit of the requests about tasks, hooks and summaries holds exactly, and so do those
// of what a worker brings: at the limit it is taken, above it is refused.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SummaryFailure, SummaryFlow, SummaryKeep } from "../../src/gen/memorysidecar/v1/policy.ts";
import type { SummarizeOutput } from "../../src/gen/memorysidecar/v1/task.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import { session } from "../support/contract/samples.ts";
import {
  makeScene,
  outputOf,
  span,
  summarize,
  summarizingPolicy,
  takeTask,
  WORKERS,
} from "../support/contract/summarizing.ts";
import { hooksOf, pollHook } from "../support/hooks/hooks.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;
let unique = 0;

beforeAll(async () => {
  server = await startContractServer({ hooks: hooksOf([pollHook(WORKERS)], WORKERS) });
  await server.client.call("createSession", { session: session({ sessionId: "s" }) });
});

afterAll(() => server[Symbol.asyncDispose]());

interface Row<M extends UnaryName = UnaryName> {
  readonly method: M;
  readonly field: string;
  readonly range: { readonly min?: number; readonly max?: number };
  readonly make: (size: number) => Partial<RequestOf<M>>;
}

function row<M extends UnaryName>(
  method: M,
  field: string,
  range: Row["range"] | number,
  make: (size: number) => Partial<RequestOf<M>>,
): Row {
  const limits = typeof range === "number" ? { max: range } : range;
  return { method, field, range: limits, make } as unknown as Row;
}

const x = (size: number): string => "x".repeat(size);
const fresh = (size: number): string => String(unique++).padStart(size, "x").slice(0, size);
const lease = { min: LIMITS.leaseMsMin, max: LIMITS.leaseMsMax };
const task = { taskId: "task-00000000001", leaseToken: "x" };
const output = outputOf("text");
// A hook that there is not: nothing waits, and nothing is taken.
const hooks = ["nobody"];
const sessionId = "s";
const choice = { $case: "keepRecent", value: 0 } as const;
const compactAll = { sessionId, choice };

const compact = (
  field: string,
  range: Row["range"] | number,
  make: (size: number) => Parameters<typeof summarize>[0],
) =>
  row("compactSession", `summarize.${field}`, range, (size) => ({
    sessionId,
    choice,
    summarize: summarize({ hook: "", ...make(size) }),
  }));

const ROWS: readonly Row[] = [
  row("pollTasks", "namespace", LIMITS.namespaceChars, (size) => ({ namespace: x(size), hooks })),
  row("pollTasks", "hooks", { min: 1, max: LIMITS.pollHooks }, (size) => ({
    hooks: Array.from({ length: size }, (_, index) => `hook-${index}`),
  })),
  row("pollTasks", "hooks[0]", LIMITS.hookNameChars, (size) => ({ hooks: [x(size)] })),
  row("pollTasks", "max_tasks", { min: 0, max: LIMITS.pollTasks }, (maxTasks) => ({
    hooks,
    maxTasks,
  })),
  row("pollTasks", "wait", { min: 0, max: LIMITS.pollWaitMs }, (ms) => ({
    hooks,
    wait: span(ms),
  })),
  row("pollTasks", "lease", lease, (ms) => ({ hooks, lease: span(ms) })),
  row("pollTasks", "worker_id", LIMITS.workerIdBytes, (size) => ({ hooks, workerId: x(size) })),
  row("completeTask", "lease_token", { min: 1, max: LIMITS.leaseTokenBytes }, (size) => ({
    ...task,
    leaseToken: x(size),
    output,
  })),
  row("completeTask", "request_id", LIMITS.requestIdBytes, (size) => ({
    ...task,
    output,
    requestId: fresh(size),
  })),
  row("failTask", "lease_token", { min: 1, max: LIMITS.leaseTokenBytes }, (size) => ({
    ...task,
    leaseToken: x(size),
  })),
  row("failTask", "message", LIMITS.taskFailureBytes, (size) => ({ ...task, message: x(size) })),
  row("failTask", "retry_delay", { min: 0, max: LIMITS.retryDelayMsMax }, (ms) => ({
    ...task,
    retryDelay: span(ms),
  })),
  row("failTask", "request_id", LIMITS.requestIdBytes, (size) => ({
    ...task,
    requestId: fresh(size),
  })),
  row("extendLease", "lease_token", { min: 1, max: LIMITS.leaseTokenBytes }, (size) => ({
    ...task,
    leaseToken: x(size),
  })),
  row("extendLease", "lease", lease, (ms) => ({ ...task, lease: span(ms) })),
  row("listTasks", "session_id", LIMITS.sessionIdBytes, (size) => ({ sessionId: x(size) })),
  row("listTasks", "hook", LIMITS.hookNameChars, (size) => ({ hook: x(size) })),
  row("listTasks", "page_token", LIMITS.pageTokenBytes, (size) => ({ pageToken: x(size) })),
  row("listTasks", "page_size", { min: 0 }, (pageSize) => ({ pageSize })),
  row("getTask", "namespace", LIMITS.namespaceChars, (size) => ({ ...task, namespace: x(size) })),
  row("retryTask", "request_id", LIMITS.requestIdBytes, (size) => ({
    taskId: task.taskId,
    requestId: fresh(size),
  })),
  row("deleteTask", "request_id", LIMITS.requestIdBytes, (size) => ({
    taskId: task.taskId,
    allowMissing: true,
    requestId: fresh(size),
  })),
  row("listHooks", "namespace", LIMITS.namespaceChars, (size) => ({ namespace: x(size) })),
  row("compactSession", "session_id", { min: 1, max: LIMITS.sessionIdBytes }, (size) => ({
    sessionId: x(size),
    choice,
  })),
  row("compactSession", "keep_recent", { min: 0, max: LIMITS.windowMessages }, (value) => ({
    sessionId,
    choice: { $case: "keepRecent" as const, value },
  })),
  row("compactSession", "stage", { min: 1, max: LIMITS.stageNameChars }, (size) => ({
    sessionId: "none",
    choice: { $case: "stage" as const, value: x(size) },
  })),
  row("compactSession", "wait", { min: 0, max: LIMITS.compactWaitMs }, (ms) => ({
    sessionId: "none",
    choice,
    wait: span(ms),
  })),
  row("compactSession", "request_id", LIMITS.requestIdBytes, (size) => ({
    sessionId,
    choice,
    requestId: fresh(size),
  })),
  compact("hook", LIMITS.hookNameChars, (size) => ({ hook: x(size) })),
  compact("max_tokens", { min: 16, max: 16_384 }, (maxTokens) => ({ maxTokens })),
  compact("instructions", LIMITS.summaryInstructionsBytes, (size) => ({ instructions: x(size) })),
  compact("max_loops", { min: 1, max: LIMITS.summaryLoops }, (maxLoops) => ({
    flow: SummaryFlow.DENSITY,
    maxLoops,
  })),
  compact("placeholder", LIMITS.summaryPlaceholderBytes, (size) => ({
    onFailure: SummaryFailure.PLACEHOLDER,
    placeholder: x(size),
  })),
  compact("separator", LIMITS.summarySeparatorBytes, (size) => ({
    keep: SummaryKeep.APPEND,
    separator: x(size),
  })),
  compact("last_chars", { min: 100, max: 16_000 }, (lastChars) => ({
    keep: SummaryKeep.APPEND,
    lastChars,
  })),
  compact("prefix", LIMITS.summaryPrefixBytes, (size) => ({ prefix: x(size) })),
  row("listSummaries", "session_id", { min: 1, max: LIMITS.sessionIdBytes }, (size) => ({
    sessionId: x(size),
  })),
  row("listSummaries", "page_token", LIMITS.pageTokenBytes, (size) => ({
    sessionId,
    pageToken: x(size),
  })),
  row("listSummaries", "page_size", { min: 0 }, (pageSize) => ({ sessionId, pageSize })),
  row("listSummarySources", "version", { min: 1, max: Number.MAX_SAFE_INTEGER }, (version) => ({
    sessionId,
    version: BigInt(version),
  })),
  row("listSummarySources", "page_token", LIMITS.pageTokenBytes, (size) => ({
    sessionId,
    version: 1n,
    pageToken: x(size),
  })),
  row("listSummarySources", "page_size", { min: 0 }, (pageSize) => ({
    ...{ sessionId, version: 1n },
    pageSize,
  })),
];

/** Whether a request passes the checks of its shape; other failures come after them. */
async function passes({ method, make }: Row, size: number): Promise<boolean> {
  const outcome = await server.client.raw(method, requestBytes(method, make(size)));
  if (!("failure" in outcome)) return true;
  expect(outcome.failure.code).not.toBe("INTERNAL");
  return outcome.failure.reason !== "REQUEST_INVALID";
}

async function refuses(entry: Row, size: number): Promise<void> {
  const before = await revisionOf(server.store);
  const failure = await server.client.fail(entry.method, entry.make(size));
  expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
  expect(failure.fields[0]).toBe(entry.field);
  expect(await revisionOf(server.store)).toBe(before);
}

describe("a limit", () => {
  test.each(ROWS)("of $range holds for $method $field", async (entry) => {
    const { min, max } = entry.range;
    if (max !== undefined) {
      expect(await passes(entry, max - 1)).toBe(true);
      expect(await passes(entry, max)).toBe(true);
      if (max < Number.MAX_SAFE_INTEGER) {
        await refuses(entry, max + 1);
        const failure = await server.client.fail(entry.method, entry.make(max + 1));
        expect(failure.metadata).toMatchObject({ field: entry.field, limit: String(max) });
      }
    }
    if (min !== undefined) {
      expect(await passes(entry, min)).toBe(true);
      // Nothing is shorter than an empty text or list.
      const isSpan = /wait|lease$|delay/.test(entry.field);
      if (min > 0 || isSpan || /size|tasks|recent/.test(entry.field)) await refuses(entry, min - 1);
    }
  });

  test.each<readonly [UnaryName, string, Partial<RequestOf<UnaryName>>]>([
    ["pollTasks", "hooks[0]", { hooks: ["", "Workers"] }],
    ["pollTasks", "wait", { hooks, wait: { seconds: 0n, nanos: -1 } }],
    ["pollTasks", "lease", { hooks, lease: { seconds: 5n, nanos: 1_000_000_000 } }],
    ["completeTask", "output", { ...task }],
    ["completeTask", "task_id", { leaseToken: "x", output }],
    ["failTask", "task_id", { leaseToken: "x" }],
    ["extendLease", "task_id", { leaseToken: "x" }],
    ["getTask", "task_id", {}],
    ["retryTask", "task_id", {}],
    ["deleteTask", "task_id", { allowMissing: true }],
    ["listTasks", "type", { type: 7 as 0 }],
    ["listTasks", "state", { state: 5 as 0 }],
    ["listTasks", "hook", { hook: "No Hook" }],
    ["listTasks", "session_id", { sessionId: "a\u0000" }],
    ["compactSession", "choice", { sessionId }],
    ["compactSession", "summarize.keep", { ...compactAll, summarize: summarize({ keep: 5 as 0 }) }],
    ["compactSession", "summarize.leave", { ...compactAll, summarize: summarize({ leave: 2 }) }],
  ])("%s refuses what is wrong with %s", async (method, field, fields) => {
    const failure = await server.client.fail(method, fields);
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(failure.fields[0]).toBe(field);
  });
});

describe("the limit of a result", () => {
  type Made = Partial<SummarizeOutput>;
  const list = (length: number): string[] => Array.from({ length }, () => "x");
  test.each<readonly [string, number, (size: number) => Made, string]>([
    ["text", LIMITS.summaryBytes, (size) => ({ text: x(size) }), "OUTPUT_TOO_LONG"],
    ...(
      [
        ["missing_entities", LIMITS.missingEntities, (size) => ({ missingEntities: list(size) })],
        ["an entity", LIMITS.missingEntityBytes, (size) => ({ missingEntities: [x(size)] })],
        ["request_text", LIMITS.summaryRequestBytes, (size) => ({ requestText: x(size) })],
        ["facts", LIMITS.summaryFacts, (size) => ({ facts: list(size) })],
        ["a fact", LIMITS.summaryFactBytes, (size) => ({ facts: [x(size)] })],
        ["open_threads", LIMITS.summaryFacts, (size) => ({ openThreads: list(size) })],
        ["an open thread", LIMITS.summaryFactBytes, (size) => ({ openThreads: [x(size)] })],
        ["model", LIMITS.hookModelBytes, (size) => ({ model: x(size) })],
        ["input_tokens", LIMITS.hookTokens, (size) => ({ inputTokens: BigInt(size) })],
        ["output_tokens", LIMITS.hookTokens, (size) => ({ outputTokens: BigInt(size) })],
      ] as readonly (readonly [string, number, (size: number) => Made])[]
    ).map(([name, max, make]) => [name, max, make, "INVALID_OUTPUT"] as const),
  ])("holds for %s: %i", async (_, max, make, failure) => {
    const bring = async (size: number) => {
      const namespace = `n${unique++}`;
      const of = { keep: SummaryKeep.REPLACE, maxTokens: 16_384 };
      await makeScene(server, "s", { namespace, policy: summarizingPolicy(of) });
      const { ref } = await takeTask(server, { namespace });
      return { namespace, ...ref, output: outputOf("text", make(size)) };
    };
    for (const size of [max - 1, max]) {
      const { summaryVersion } = await server.client.call("completeTask", await bring(size));
      expect(summaryVersion).toBe(1n);
    }
    expect(await server.client.fail("completeTask", await bring(max + 1))).toMatchObject({
      code: "INVALID_ARGUMENT",
      reason: "TASK_RESULT_INVALID",
      metadata: { failure },
    });
  });

  test("cuts a text of more than twice the tokens that were asked for", async () => {
    const cases = [
      [x(128), x(128)],
      [x(129), `${x(124)} …`],
      [`Whole. X${x(129)}`, "Whole."],
    ] as const;
    for (const [text, kept] of cases) {
      const namespace = `n${unique++}`;
      const policy = summarizingPolicy({ keep: SummaryKeep.REPLACE, maxTokens: 16 });
      await makeScene(server, "s", { namespace, policy });
      const { ref } = await takeTask(server, { namespace });
      await server.client.call("completeTask", { namespace, ...ref, output: outputOf(text) });
      const { session } = await server.client.call("getSession", { namespace, sessionId: "s" });
      expect(session?.summary?.text).toBe(kept);
    }
  });
});
