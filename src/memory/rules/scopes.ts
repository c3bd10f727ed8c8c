// Scopes of memories and documents, and the scopes that a call sees.

import type { MemoryPolicy } from "../../window/policy/memory-policy.ts";
import { type MemoryScope, SHARED_SCOPE } from "./memory.ts";

function orEmpty(id: string): readonly string[] {
  return id === "" ? [""] : [id, ""];
}

/** The scopes that a user, an agent and a session see: theirs first, the shared one last. */
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

/** Owners of the records that a call means; see memorysidecar.v1.ScopeFilter. */
export type ScopeFilter =
  | { readonly kind: "visible-to" | "exact" | "owned-by"; readonly scope: MemoryScope }
  | { readonly kind: "everyone" };

/** Matches every record. */
export const EVERYONE: ScopeFilter = { kind: "everyone" };

/** Matches the records that all share. */
export const SHARED_RECORDS: ScopeFilter = { kind: "visible-to", scope: SHARED_SCOPE };

const MEMBERS = ["userId", "agentId", "sessionId"] as const;

/** Whether a filter means records of a scope. */
export function meansScope(own: MemoryScope, filter: ScopeFilter): boolean {
  if (filter.kind === "everyone") return true;
  const { kind, scope: wanted } = filter;
  return MEMBERS.every((member) => {
    if (own[member] === wanted[member]) return true;
    if (kind === "visible-to") return own[member] === "";
    return kind === "owned-by" && wanted[member] === "";
  });
}

/** The scopes that a filter names one by one; undefined when it leaves some open. */
export function namedScopes(filter: ScopeFilter): readonly MemoryScope[] | undefined {
  if (filter.kind === "everyone") return undefined;
  const { kind, scope } = filter;
  if (kind === "visible-to") return visibleScopes(scope);
  const isWhole = kind === "exact" || MEMBERS.every((member) => scope[member] !== "");
  return isWhole ? [scope] : undefined;
}

/**
 * The scope of memories made from a session: that of its user, or the session when it has no user,
 * and its agent's if the policy says so.
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
