// Random conversations for the models of the source systems: users, models, system messages, and
// tool calls in parallel with their results in any order, or some of them missing.

import type { Random } from "../support/kit/random.ts";
import type { JsonObject } from "./json.ts";

/** A message of a conversation. */
export interface Said {
  readonly id: string;
  readonly role: "user" | "assistant" | "system" | "tool";
  readonly content: string;
  /** The ids of the calls that it makes. */
  readonly calls: readonly string[];
  /** The id of the call that it answers. */
  readonly answers: string | undefined;
}

/** Ingredients of a random conversation. */
export interface Mix {
  readonly system: boolean;
  /** Whether calls may lack results. */
  readonly pending: boolean;
}

const SIZES = [0, 3, 4, 8, 12, 20, 40];

function shuffled(random: Random, items: readonly string[]): string[] {
  return items
    .map((item) => [random.next(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** Makes a conversation of about this many messages. */
export function randomConversation(random: Random, length: number, mix: Mix): readonly Said[] {
  const said: Said[] = [];
  let callCount = 0;
  const say = (role: Said["role"], parts: Partial<Said> = {}): void => {
    const id = `m${said.length + 1}`;
    const letter = String.fromCharCode(97 + (said.length % 26));
    const content = letter.repeat(random.pick(SIZES));
    said.push({ id, role, content, calls: [], answers: undefined, ...parts });
  };
  while (said.length < length) {
    const kind = random.weighted({ user: 4, assistant: 3, system: mix.system ? 1 : 0, tools: 3 });
    if (kind !== "tools") {
      say(kind);
      continue;
    }
    const first = callCount + 1;
    const made = Array.from({ length: random.int(1, 3) }, (_, index) => `c${first + index}`);
    callCount += made.length;
    say("assistant", { calls: shuffled(random, made) });
    const answered = shuffled(random, made);
    const isPending = mix.pending && random.chance(0.35);
    const count = isPending ? random.int(0, answered.length) : answered.length;
    for (const answers of answered.slice(0, count)) say("tool", { answers });
  }
  return said;
}

/** Writes a message as cases do. */
export function written(message: Said, tokens?: number): JsonObject {
  const { id, role, content, calls, answers } = message;
  return {
    ...{ id, role, content },
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call) => ({ id: call, name: "look", arguments: "{}" })) }),
    ...(answers === undefined ? {} : { tool_call_id: answers, name: "look" }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

/** The ids of messages. */
export function idsOf(messages: readonly { readonly id: string }[]): readonly string[] {
  return messages.map(({ id }) => id);
}
