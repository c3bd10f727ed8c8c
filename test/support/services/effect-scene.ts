// Sessions whose stages have their messages summarized, for tests of what results do: the test
// takes each task itself and says what becomes of it.

import type { ServiceContext } from "../../../src/core/context.ts";
import { TokenCounter } from "../../../src/core/token-counter.ts";
import type { HookSettings } from "../../../src/hooks/port.ts";
import { Etags } from "../../../src/kit/etag.ts";
import { PARTICIPANTS } from "../../../src/services.ts";
import type { Session } from "../../../src/session/rules/session.ts";
import type { Store } from "../../../src/store/store.ts";
import type { SummaryOutput, SummaryRecord } from "../../../src/summary/rules/summary.ts";
import type { LeaseRef } from "../../../src/tasks/api.ts";
import type { Task } from "../../../src/tasks/rules/task.ts";
import { applyResult, type CompleteResult } from "../../../src/tasks/run/complete-task.ts";
import {
  type AttemptFailure,
  applyFailure,
  type FailResult,
} from "../../../src/tasks/run/fail-task.ts";
import { leaseRefOf, type TakenTask, takeTask } from "../../../src/tasks/take-task.ts";
import { DEFAULT_STAGE, type Policy, type PolicyStage } from "../../../src/window/policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../../../src/window/policy/summary-spec.ts";
import { hooksOf, outputOf, pollHook } from "../hooks/hooks.ts";
import { randomFrom } from "../kit/random.ts";
import { revisionOf } from "../store/revisions.ts";
import { dropOldest, policyOf } from "../window/policies.ts";
import { type JsonMessage, jsonCodec, toBytes } from "./json-codec.ts";
import { startTestServices, type TestServices } from "./services.ts";

/** The hook of the stages here. */
export const WORKERS = "workers";
/** The session of a scene. */
export const SESSION = { namespace: "default", sessionId: "s" } as const;

/** Summary options, with those that a test names. */
export function specOf(fields: Partial<SummarySpec> = {}): SummarySpec {
  const onFailure = fields.leave === "at-once" ? "drop" : DEFAULT_SUMMARY_SPEC.onFailure;
  return { ...DEFAULT_SUMMARY_SPEC, hook: WORKERS, onFailure, ...fields };
}

/** A stage that keeps the newest two messages and has the others summarized. */
export function summarizing(
  spec: Partial<SummarySpec> = {},
  stage: Partial<PolicyStage> = {},
): PolicyStage {
  return {
    ...DEFAULT_STAGE,
    name: "old",
    unit: "message",
    select: dropOldest({ maxMessages: 2 }),
    removedTo: "summarize",
    summarize: specOf(spec),
    ...stage,
  };
}

/** A policy that protects nothing but the newest message. */
export function openPolicy(stages: readonly PolicyStage[], fields: Partial<Policy> = {}): Policy {
  const none = { pinFirst: 0, pinIds: [], minMessages: 1, lastUser: false } as const;
  return policyOf(stages, { protections: { system: "none", ...none }, ...fields });
}

/** Messages of 10 tokens each, with ids and texts `m1`, `m2` and so on. */
export function lines(count: number, first = 1, fields: JsonMessage = {}): JsonMessage[] {
  return Array.from({ length: count }, (_, index) => {
    const messageId = `m${first + index}`;
    return { messageId, text: messageId, tokenCount: 10, ...fields };
  });
}

/** A session and the tasks of it. */
export interface EffectScene {
  readonly services: TestServices;
  readonly context: ServiceContext;
  append(messages: readonly JsonMessage[], options?: { readonly turnEnd?: boolean }): Promise<void>;
  /** Sets a summary by hand: in the window in the place of messages, else that of the session. */
  setSummary(
    text: string,
    replacedMessageIds?: readonly string[],
    isPlaced?: boolean,
  ): Promise<void>;
  setPolicy(policy: Policy): Promise<void>;
  session(): Promise<Session>;
  tasks(): Promise<readonly Task[]>;
  /** Takes the task that is due longest. Throws when none is. */
  take(): Promise<TakenTask>;
  complete(
    task: TakenTask | LeaseRef,
    output: string | SummaryOutput,
    requestId?: string,
  ): Promise<CompleteResult>;
  /** Takes a task and completes it. */
  make(output: string | SummaryOutput): Promise<CompleteResult>;
  fail(task: TakenTask, failure?: Partial<AttemptFailure>): Promise<FailResult>;
  /** The history, oldest first. */
  summaries(): Promise<readonly SummaryRecord[]>;
  /** The types of the events of a revision, in order. Default: the newest. */
  eventTypes(revision?: number): Promise<readonly number[]>;
  texts(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Whether a task is due for the hook of the stages here. */
export async function isDue({ context }: EffectScene): Promise<boolean> {
  return (await dueTasks(context)).length > 0;
}

function dueTasks({ store, world }: ServiceContext) {
  const nowMs = world.nowMs();
  return store.dueTasks({ hook: WORKERS, nowMs, limit: 10, perNamespace: 10 });
}

function refOf(task: TakenTask | LeaseRef): LeaseRef {
  return "leaseToken" in task ? task : leaseRefOf(task);
}

/** A scene with a policy; the session is there, and empty. Default: a new store in memory. */
export async function sceneOf(
  policy: Policy,
  settings: Partial<HookSettings> = {},
  store?: Store,
): Promise<EffectScene> {
  const hooks = hooksOf([pollHook(WORKERS, settings)], WORKERS);
  const services = await startTestServices(
    {},
    { hooks, ...(store === undefined ? {} : { store }) },
  );
  const chance = randomFrom(1);
  const context: ServiceContext = {
    store: services.store,
    etags: new Etags("0123456789abcdef"),
    codec: jsonCodec,
    world: {
      nowMs: services.nowMs,
      random: (length) => Uint8Array.from({ length }, () => chance.int(0, 255)),
    },
    tokens: new TokenCounter(),
    hooks,
    participants: PARTICIPANTS,
    settings: { idempotencyWindowMs: 86_400_000, eventAgeMsMax: 1, eventCountMax: 1 },
  };
  await services.sessions.createSession(services.call("CreateSession"), {
    ...SESSION,
    input: { policy },
    encode: () => new Uint8Array(0),
  });
  return sceneWith(services, context);
}

function sceneWith(services: TestServices, context: ServiceContext): EffectScene {
  const { store } = context;
  const take = async (): Promise<TakenTask> => {
    const [due] = await dueTasks(context);
    const hook = context.hooks.byName.get(WORKERS);
    if (due === undefined || hook === undefined) throw new Error("No task is due.");
    const taken = await takeTask(context, due, { hook, worker: "test", leaseMs: 60_000 });
    if (taken.kind !== "taken") throw new Error(`The task is not taken: ${taken.kind}.`);
    return taken.task;
  };
  const complete: EffectScene["complete"] = (task, output, requestId = "") =>
    applyResult(
      context,
      services.call("CompleteTask", requestId),
      { ...refOf(task), encode: toBytes },
      typeof output === "string" ? outputOf(output) : output,
    );
  return {
    services,
    context,
    ...callsOf(services),
    ...looksOf(services, context),
    take,
    complete,
    make: async (output) => await complete(await take(), output),
    fail: (task, failure = {}) =>
      applyFailure(context, services.call("FailTask"), leaseRefOf(task), {
        ...{ reason: "hook-error", message: "It failed.", random: 0.5 },
        ...failure,
      }),
    tasks: async () => (await store.listTasks({ ...SESSION, limit: 1_000 })).tasks,
    stop: async () => {
      await services.stop();
      await context.tokens.close();
    },
  };
}

function callsOf({
  sessions,
  call,
  append,
}: TestServices): Pick<EffectScene, "append" | "setSummary" | "setPolicy"> {
  return {
    append: async (messages, options = {}) => {
      await append(SESSION.sessionId, messages, options);
    },
    setSummary: async (text, replacedMessageIds = [], isPlaced = false) => {
      const placement = isPlaced ? "in-place" : "session";
      const input = { ...SESSION, text, replacedMessageIds, placement, encode: toBytes } as const;
      await sessions.setSummary(call("SetSummary"), input);
    },
    setPolicy: async (policy) => {
      await sessions.updateSession(call("UpdateSession"), {
        ...{ ...SESSION, input: { policy }, paths: ["policy"], etag: "", encode: toBytes },
      });
    },
  };
}

function looksOf(
  services: TestServices,
  { store }: ServiceContext,
): Pick<EffectScene, "session" | "summaries" | "eventTypes" | "texts"> {
  return {
    session: async () => {
      const found = await store.readSession(SESSION);
      if (found === undefined) throw new Error("There is no session.");
      return found;
    },
    summaries: async () => {
      const query = { order: "asc", limit: 10_000, maxBytes: 1e9 } as const;
      return (await store.listSummaries(SESSION, query))?.summaries ?? [];
    },
    eventTypes: async (revision) => {
      const wanted = revision ?? (await revisionOf(store));
      return (await services.allEvents())
        .filter((event) => event.revision === wanted)
        .map(({ detail }) => detail.type);
    },
    texts: () => services.windowTexts(SESSION.sessionId),
  };
}
