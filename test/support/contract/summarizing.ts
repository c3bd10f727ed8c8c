// Sessions whose stages summarize messages, and workers in tests.

import type { Event } from "../../../src/gen/memorysidecar/v1/event.ts";
import type { Message } from "../../../src/gen/memorysidecar/v1/message.ts";
import {
  type Policy,
  type PolicyStage,
  RemovedTo,
  Summarize,
} from "../../../src/gen/memorysidecar/v1/policy.ts";
import type {
  HookTask,
  LeasedTask,
  SummarizeInput,
} from "../../../src/gen/memorysidecar/v1/task.ts";
import type { RequestOf, ResponseOf, TestServer } from "./client.ts";
import { bare, keepNewest } from "./policy-wire.ts";
import { message, session, summaryOutput } from "./samples.ts";

/** Hook of these stages, whose tasks the tests lease themselves. */
export const WORKERS = "workers";

/** Name of the stage. */
export const STAGE = "shrink";

/** A span of time. */
export function span(ms: number): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Math.floor(ms / 1_000)), nanos: (ms % 1_000) * 1_000_000 };
}

/** Summary settings with the fields that a test sets. */
export function summarize(fields: Partial<Summarize> = {}): Summarize {
  return { ...Summarize.decode(new Uint8Array(0)), hook: WORKERS, ...fields };
}

/** A stage that keeps the newest two messages and summarizes the others. */
export function summarizing(
  fields: Partial<Summarize> = {},
  stage: Partial<PolicyStage> = {},
): PolicyStage {
  return keepNewest(2, {
    name: STAGE,
    removedTo: RemovedTo.SUMMARIZE,
    summarize: summarize(fields),
    ...stage,
  });
}

/** A policy with that stage, which protects nothing but the newest message. */
export function summarizingPolicy(fields: Partial<Summarize> = {}): Policy {
  return bare([summarizing(fields)]);
}

/** A message of 20 tokens. */
export function line(messageId: string, fields: Partial<Message> = {}): Message {
  return message({ messageId, text: `${messageId} says: `.padEnd(80, "so it goes, "), ...fields });
}

/** Messages of 20 tokens each with ids m1, m2 and so on. */
export function lines(count: number, first = 1): Message[] {
  return Array.from({ length: count }, (_, index) => line(`m${first + index}`));
}

/** Session settings that a test may choose. */
export interface Scene {
  readonly namespace?: string;
  readonly policy?: Policy;
  readonly messages?: readonly Message[];
}

/** Creates a session whose append requests a summary: by default of m1, m2 and m3. */
export async function makeScene(
  { client }: TestServer,
  sessionId: string,
  scene: Scene = {},
): Promise<ResponseOf<"appendMessages">> {
  const { namespace = "", policy = summarizingPolicy(), messages = lines(5) } = scene;
  await client.call("createSession", { namespace, session: session({ sessionId, policy }) });
  return await client.call("appendMessages", { namespace, sessionId, messages: [...messages] });
}

/** Leases the only task. */
export async function takeTask(
  { client }: TestServer,
  fields: Partial<RequestOf<"pollTasks">> = {},
): Promise<{ leased: LeasedTask; task: HookTask; ref: { taskId: string; leaseToken: string } }> {
  const { tasks } = await client.call("pollTasks", { hooks: [WORKERS], ...fields });
  const [leased] = tasks;
  if (leased?.task === undefined || tasks.length !== 1) {
    throw new Error(`there are ${tasks.length} tasks`);
  }
  const { leaseToken, task } = leased;
  return { leased, task, ref: { taskId: task.taskId, leaseToken } };
}

/** Input of a summary task. */
export function inputOf({ input }: LeasedTask): SummarizeInput | undefined {
  return input?.$case === "summarize" ? input.value : undefined;
}

/** An output with this text. */
export function outputOf(text: string, fields: Parameters<typeof summaryOutput>[0] = {}) {
  return { $case: "summarize", value: summaryOutput({ text, ...fields }) } as const;
}

/** The tasks of a session. */
export async function tasksOf({ client }: TestServer, sessionId: string): Promise<HookTask[]> {
  return (await client.call("listTasks", { sessionId })).tasks;
}

/** Deletes every task, so that the next test finds only its own. */
export async function dropTasks({ client }: TestServer): Promise<void> {
  const { tasks } = await client.call("listTasks", { pageSize: 1_000 });
  for (const { taskId } of tasks) await client.call("deleteTask", { taskId, allowMissing: true });
}

/** The texts of the window. */
export async function windowTexts({ client }: TestServer, sessionId: string): Promise<string[]> {
  const { messages } = await client.call("getWindow", { sessionId });
  return messages.map(({ text }) => text);
}

/** Kinds of a session's events, in order. */
export async function kindsOf(
  { client }: TestServer,
  sessionId: string,
  from = 0n,
): Promise<string[]> {
  const filter = {
    sessionId,
    userId: undefined,
    sessionIds: [],
    sessionIdPrefixes: [],
    eventTypes: [],
  };
  const { events } = await client.call("listEvents", { filter, pageSize: 1_000 });
  return events
    .filter((event) => event.revision >= from)
    .map(({ detail }) => detail?.$case ?? "none");
}

type Detail = NonNullable<Event["detail"]>;
type ValueOf<K extends Detail["$case"]> = Extract<Detail, { $case: K }>["value"];

/** The details of one kind of event of a session, oldest first. */
export async function detailsOf<K extends Detail["$case"]>(
  { client }: TestServer,
  sessionId: string,
  kind: K,
): Promise<ValueOf<K>[]> {
  const filter = {
    sessionId,
    userId: undefined,
    sessionIds: [],
    sessionIdPrefixes: [],
    eventTypes: [],
  };
  const { events } = await client.call("listEvents", { filter, pageSize: 1_000 });
  return events.flatMap(({ detail }) =>
    detail?.$case === kind ? [detail.value as unknown as ValueOf<K>] : [],
  );
}

/** Waits for a value; throws after five seconds. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (let tries = 0; tries < 250; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  throw new Error("it did not come");
}
