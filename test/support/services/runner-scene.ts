// Services with hooks, sessions whose stages have their messages summarized, and ways to wait for
// what happens without a caller.

import type { Hook } from "../../../src/hooks/port.ts";
import type { SummaryRecord } from "../../../src/summary/rules/summary.ts";
import type { HookInfo, LeasedSummary, PollTasksInput } from "../../../src/tasks/api.ts";
import { type Task, taskIdOf } from "../../../src/tasks/rules/task.ts";
import type { Policy, PolicyStage } from "../../../src/window/policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../../../src/window/policy/summary-spec.ts";
import { hooksOf, outputOf } from "../hooks/hooks.ts";
import { dropOldest, policyOf, stageOf } from "../window/policies.ts";
import { toBytes } from "./json-codec.ts";
import { startTestServices, type TestServices } from "./services.ts";

/** Cost of one message of a scene. */
export const LINE_TOKENS = 20;
const LINE_CHARS = 80;
const QUICK_TURNS = 200;
const TURNS_MAX = 5_000;
const STEP_MS = 1_000;
const STEP_TURNS = 5;

/** A stage that keeps the newest two messages and has the others summarized by a hook. */
export function summaryStage(
  hook: string,
  spec: Partial<SummarySpec> = {},
  stage: Partial<PolicyStage> = {},
): PolicyStage {
  return stageOf({
    name: "sum",
    removedTo: "summarize",
    summarize: { ...DEFAULT_SUMMARY_SPEC, hook, maxTokens: 16, ...spec },
    select: dropOldest({ maxMessages: 2 }),
    ...stage,
  });
}

/** A policy of that stage that protects nothing but the newest message. */
export function summaryPolicy(
  hook: string,
  spec: Partial<SummarySpec> = {},
  stage: Partial<PolicyStage> = {},
): Policy {
  return policyOf([summaryStage(hook, spec, stage)], {
    protections: { system: "none", pinFirst: 0, pinIds: [], minMessages: 1, lastUser: false },
  });
}

/** Waits until something holds, while everything else has its turns. Throws when it never does. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    if (await check()) return;
    // Work that waits for the disk needs real time.
    if (turn < QUICK_TURNS) await new Promise((resolve) => setImmediate(resolve));
    else await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`It never came to this: ${what}`);
}

/** Lets everything else have some turns, to see that something does not happen. */
export async function someTurns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Services and what tests of tasks ask of them. */
export interface RunnerScene extends TestServices {
  /** Makes a session. */
  open(sessionId: string, policy: Policy, namespace?: string): Promise<void>;
  /** Appends so many messages of 20 tokens, with ids that count on: `m1`, `m2`. */
  say(sessionId: string, count: number, namespace?: string): Promise<void>;
  tasks(namespace?: string): Promise<readonly Task[]>;
  /** Lets time pass second by second, with turns for everything in between. */
  pass(ms: number): Promise<void>;
  /** Every summary that a session has had, the oldest first. */
  history(sessionId: string, namespace?: string): Promise<readonly SummaryRecord[]>;
  info(hook: string, namespace?: string): Promise<HookInfo>;
  poll(hook: string, input?: Partial<PollTasksInput>): Promise<readonly LeasedSummary[]>;
  complete(task: LeasedSummary, text: string): Promise<void>;
}

/** Starts services with hooks. */
export async function startRunnerScene(
  hooks: readonly Hook[],
  options: Omit<NonNullable<Parameters<typeof startTestServices>[1]>, "hooks"> = {},
): Promise<RunnerScene> {
  const services = await startTestServices({}, { ...options, hooks: hooksOf(hooks) });
  const { call } = services;
  const said = new Map<string, number>();
  return {
    ...services,
    open: async (sessionId, policy, namespace = "default") => {
      const input = { ...{ namespace, sessionId }, input: { policy }, encode: toBytes };
      await services.sessions.createSession(call("CreateSession"), input);
    },
    say: async (sessionId, count, namespace = "default") => {
      const key = `${namespace}/${sessionId}`;
      const first = (said.get(key) ?? 0) + 1;
      said.set(key, first + count - 1);
      const messages = Array.from({ length: count }, (_, i) => {
        const messageId = `m${first + i}`;
        return { messageId, text: `${messageId} says `.padEnd(LINE_CHARS, "and so on ") };
      });
      await services.append(sessionId, messages, { namespace });
    },
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= STEP_MS) {
        services.advance(Math.min(left, STEP_MS));
        await someTurns(STEP_TURNS);
      }
    },
    tasks: async (namespace = "default") => {
      const page = await services.store.listTasks({ namespace, limit: 1_000 });
      return page.tasks;
    },
    history: async (sessionId, namespace = "default") => {
      const query = { order: "asc", limit: 1_000, maxBytes: 10_000_000 } as const;
      const page = await services.store.listSummaries({ namespace, sessionId }, query);
      return page?.summaries ?? [];
    },
    info: async (name, namespace = "default") => {
      const asked = { namespace, after: "", limit: 1_000 };
      const { hooks } = await services.hooks.listHooks(call("ListHooks"), asked);
      const info = hooks.find(({ hook }) => hook.name === name);
      if (info === undefined) throw new Error("There is no such hook.");
      return info;
    },
    poll: async (hook, input = {}) => {
      const tasks = await services.hooks.pollTasks(call("PollTasks"), {
        ...{ namespace: "default", hooks: [hook], maxTasks: 1, waitMs: 0 },
        ...{ leaseMs: 60_000, workerId: "worker", ...input },
      });
      return tasks.filter((task) => "task" in task);
    },
    complete: async ({ task, leaseToken }, text) => {
      const ref = { namespace: task.namespace, taskId: taskIdOf(task.taskNo), leaseToken };
      const input = { ...ref, output: outputOf(text), encode: toBytes };
      await services.hooks.completeTask(call("CompleteTask"), input);
    },
  };
}
