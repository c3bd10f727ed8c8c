// Sessions that add to long-term memory, with shorthands for tests.

import type { Hook } from "../../../src/hooks/port.ts";
import type { ConsolidateResult } from "../../../src/memory/api.ts";
import type { Memory } from "../../../src/memory/rules/memory.ts";
import type { ListTasksInput, MemoryTaskInfo } from "../../../src/tasks/api.ts";
import {
  DEFAULT_EPISODES,
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type MemoryPolicy,
  type PromotionPolicy,
} from "../../../src/window/policy/memory-policy.ts";
import type { Policy } from "../../../src/window/policy/policy.ts";
import { ROLE } from "../../../src/window/rules/types.ts";
import { TEST_HOOK_SETTINGS } from "../hooks/hooks.ts";
import { fromBytes, toBytes } from "../services/json-codec.ts";
import type { AppendAnswer, TestServices } from "../services/services.ts";
import { policyOf, stageOf } from "../window/policies.ts";
import { listAll } from "./service-memories.ts";

/** Promotion of any text, with the other fields that a test sets. */
export function promotion(fields: Partial<PromotionPolicy> = {}): PromotionPolicy {
  return { ...DEFAULT_PROMOTION, selection: "any-text", ...fields };
}

/** A memory policy that promotes any text and stores episodes, with the fields that a test sets. */
export function memoryPolicy(fields: Partial<MemoryPolicy> = {}): MemoryPolicy {
  return {
    ...{ ...DEFAULT_MEMORY_POLICY, promotion: promotion(), episodes: DEFAULT_EPISODES },
    ...fields,
  };
}

/** Policy that keeps two messages in the window. */
export const TWO: Policy = policyOf([stageOf({})]);

/** Opens a session of the user `u1`; without a policy it adds no memories. */
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

/** Appends the messages of a turn and ends it. */
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

/** The memories of an origin, oldest first. */
export async function memoriesOf(
  services: TestServices,
  origin: Memory["source"]["origin"],
): Promise<Memory[]> {
  return (await listAll(services)).filter(({ source }) => source.origin === origin);
}

/** The promoted texts, oldest first. */
export async function promotedTexts(services: TestServices): Promise<string[]> {
  return (await memoriesOf(services, "promotion")).map(({ content }) => content.text);
}

/** The memory jobs of a namespace. */
export async function jobsOf(
  services: TestServices,
  said: Partial<ListTasksInput> = {},
): Promise<readonly MemoryTaskInfo[]> {
  const input = { ...said, namespace: "default", limit: 1_000 };
  const { tasks } = await services.hooks.listTasks(services.call("ListTasks"), input);
  return tasks.flatMap((info) => ("job" in info ? [info] : []));
}

/** A hook with scripted scores that records its requests. */
export function scoringHook(
  name: string,
  score: (texts: readonly string[]) => Promise<readonly number[]> | readonly number[],
): Hook & { readonly asked: (readonly string[])[] } {
  const asked: (readonly string[])[] = [];
  return {
    ...{ name, kind: "openai", settings: TEST_HOOK_SETTINGS, asked },
    score: async (_, { texts }) => {
      asked.push(texts);
      return await score(texts);
    },
  };
}
