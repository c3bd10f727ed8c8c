// Sessions that give to long-term memory, and what tests ask of them, in few words.

import type { Memory } from "../../src/domain/memories/memory.ts";
import {
  DEFAULT_EPISODES,
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type MemoryPolicy,
  type PromotionPolicy,
} from "../../src/domain/memories/policy.ts";
import type { Policy } from "../../src/domain/policy.ts";
import { ROLE } from "../../src/domain/window/types.ts";
import type { Hook } from "../../src/service/hook-port.ts";
import type { ConsolidateResult } from "../../src/service/memory-api.ts";
import type { ListTasksInput, MemoryTaskInfo } from "../../src/service/tasks-api.ts";
import { TEST_HOOK_SETTINGS } from "./hooks.ts";
import { fromBytes, toBytes } from "./json-codec.ts";
import { policyOf, stageOf } from "./policies.ts";
import { listAll } from "./service-memories.ts";
import type { AppendAnswer, TestServices } from "./services.ts";

/** Promotes any text, and otherwise as a test says. */
export function promotion(fields: Partial<PromotionPolicy> = {}): PromotionPolicy {
  return { ...DEFAULT_PROMOTION, selection: "any-text", ...fields };
}

/** A memory policy that promotes any text and remembers episodes, with what a test names. */
export function memoryPolicy(fields: Partial<MemoryPolicy> = {}): MemoryPolicy {
  return {
    ...{ ...DEFAULT_MEMORY_POLICY, promotion: promotion(), episodes: DEFAULT_EPISODES },
    ...fields,
  };
}

/** Keeps two messages in the window. */
export const TWO: Policy = policyOf([stageOf({})]);

/** Opens a session of the user `u1`; without a policy it gives nothing. */
export async function openSession(
  services: TestServices,
  sessionId: string,
  said: { readonly memory?: MemoryPolicy; readonly policy?: Policy; readonly userId?: string } = {},
): Promise<void> {
  const { memory, policy = TWO, userId = "u1" } = said;
  await services.sessions.createSession(services.call("CreateSession"), {
    ...{ namespace: "default", sessionId, encode: () => toBytes({}) },
    input: { userId, policy, ...(memory === undefined ? {} : { memoryPolicy: memory }) },
  });
}

/** Appends what was said in a turn and ends it. */
export async function endTurn(
  services: TestServices,
  sessionId: string,
  texts: readonly [user: string, assistant: string],
  said: {
    readonly turnMs?: number;
    readonly expectedLastSeq?: number;
    readonly requestId?: string;
  } = {},
): Promise<AppendAnswer> {
  const { turnMs, ...options } = said;
  const sent = turnMs === undefined ? {} : { sentMs: turnMs };
  const [user, assistant] = texts;
  const messages = [
    { role: ROLE.user, text: user, ...sent },
    { role: ROLE.assistant, text: assistant, ...sent },
  ];
  return await services.append(
    sessionId,
    messages.filter(({ text }) => text !== ""),
    { createSession: false, turnEnd: true, ...options },
  );
}

/** Promotes from the window now. */
export async function consolidate(
  services: TestServices,
  sessionId: string,
  requestId = "",
): Promise<ConsolidateResult> {
  const bytes = await services.memories.consolidateSession(
    services.call("ConsolidateSession", requestId),
    { namespace: "default", sessionId, encode: toBytes },
  );
  return fromBytes(bytes);
}

/** The memories of an origin, the oldest first. */
export async function memoriesOf(
  services: TestServices,
  origin: Memory["source"]["origin"],
): Promise<Memory[]> {
  return (await listAll(services)).filter(({ source }) => source.origin === origin);
}

/** The texts of what was promoted, the oldest first. */
export async function promotedTexts(services: TestServices): Promise<string[]> {
  return (await memoriesOf(services, "promotion")).map(({ content }) => content.text);
}

/** The jobs on memories of a namespace. */
export async function jobsOf(
  services: TestServices,
  said: Partial<ListTasksInput> = {},
): Promise<readonly MemoryTaskInfo[]> {
  const input = { ...said, namespace: "default", limit: 1_000 };
  const { tasks } = await services.hooks.listTasks(services.call("ListTasks"), input);
  return tasks.flatMap((info) => ("job" in info ? [info] : []));
}

/** A hook that scores as the test says, and tells what it was asked. */
export function scoringHook(
  name: string,
  score: (texts: readonly string[]) => Promise<readonly number[]> | readonly number[],
): Hook & { readonly asked: (readonly string[])[] } {
  const asked: (readonly string[])[] = [];
  return {
    ...{ name, kind: "openai", settings: TEST_HOOK_SETTINGS, asked },
    score: async (_, texts) => {
      asked.push(texts);
      return await score(texts);
    },
  };
}
