// Promotions that are forgotten with what they came from or became: their texts can be learnt
// again, and nothing of them is kept.

import type { Memory } from "../../domain/memories/memory.ts";
import { promotionScope } from "../../domain/memories/scopes.ts";
import { promotionPart } from "../../domain/memories/text-key.ts";
import type { Session } from "../../domain/session.ts";
import type { MemoryPlan } from "../../storage/store.ts";

/** For memories that somebody forgot. */
export function unpromotedMemories(memories: readonly Memory[]): Pick<MemoryPlan, "unpromoted"> {
  const unpromoted = memories.map(({ memoryId, scope }) => ({
    scope,
    parts: [promotionPart("memory", memoryId)],
  }));
  return { unpromoted };
}

/** For a session that is emptied or deleted, whatever its policy said of agents. */
export function unpromotedSession({ fields, sessionId }: Session): MemoryPlan {
  const { userId, agentId } = fields;
  const parts = [promotionPart("session", sessionId)];
  const scopes = [true, false].map((agentScope) =>
    promotionScope({ userId, agentId, sessionId }, { agentScope }),
  );
  return { unpromoted: scopes.map((scope) => ({ scope, parts })) };
}
