// Changes of items that are in a history already.

import type { Message } from "@memory-sidecar/client";
import type { AgentInputItem, SessionHistoryMutation } from "@openai/agents-core";
import { itemOf } from "./items.ts";

/** Changes of a log that mutations come down to. */
export interface LogChanges {
  readonly updates: readonly { readonly message: Message; readonly item: AgentInputItem }[];
  readonly removals: readonly Message[];
}

/**
 * Works out what mutations change: the first call with an id gets the replacement, and others with
 * the same id go. Each mutation sees what those before it made.
 */
export function changesBy(
  messages: readonly Message[],
  mutations: readonly SessionHistoryMutation[],
): LogChanges {
  let kept = messages.map((message) => ({ message, item: itemOf(message), isChanged: false }));
  const removals: Message[] = [];
  for (const mutation of mutations) {
    if (mutation.type !== "replace_function_call") continue;
    const { callId, replacement } = mutation;
    const found = kept.filter(
      ({ item }) => item.type === "function_call" && item.callId === callId,
    );
    const [first, ...others] = found;
    if (first === undefined) continue;
    removals.push(...others.map(({ message }) => message));
    kept = kept
      .filter((one) => !others.includes(one))
      .map((one) => (one === first ? { ...one, item: replacement, isChanged: true } : one));
  }
  return { updates: kept.filter(({ isChanged }) => isChanged), removals };
}
