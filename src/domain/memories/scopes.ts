// Whom memories belong to, and whose memories a call sees.

import type { MemoryScope } from "./memory.ts";
import type { MemoryPolicy } from "./policy.ts";

function orEmpty(id: string): readonly string[] {
  return id === "" ? [""] : [id, ""];
}

/** The scopes that a user, an agent and a session see: theirs first, everybody's last. */
export function visibleScopes({ userId, agentId, sessionId }: MemoryScope): readonly MemoryScope[] {
  const scopes: MemoryScope[] = [];
  for (const user of orEmpty(userId)) {
    for (const agent of orEmpty(agentId)) {
      for (const session of orEmpty(sessionId)) {
        scopes.push({ userId: user, agentId: agent, sessionId: session });
      }
    }
  }
  return scopes;
}

/**
 * The scope that gets what comes of a session: that of its user, or its own when it has no user,
 * and its agent's as the policy says.
 */
export function promotionScope(
  { userId, agentId, sessionId }: MemoryScope,
  { agentScope }: Pick<MemoryPolicy, "agentScope">,
): MemoryScope {
  return {
    userId,
    agentId: agentScope ? agentId : "",
    sessionId: userId === "" ? sessionId : "",
  };
}
