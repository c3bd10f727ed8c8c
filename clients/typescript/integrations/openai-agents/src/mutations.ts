// Changes to items that are already in a history.

import type { Message } from "@memory-sidecar/client";
import type { AgentInputItem, SessionHistoryMutation } from "@openai/agents-core";
import { itemOf } from "./items.ts";

/** The changes to the log that carry out a list of mutations. */
export interface LogChanges {
  readonly updates: readonly { readonly message: Message; readonly item: AgentInputItem }[];
  readonly removals: readonly Message[];
}

/**
 * Works out what mutations change. The replacement takes the place of the first call with its id,
 * and other calls with that id are removed. Each mutation sees the result of those before it.
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
