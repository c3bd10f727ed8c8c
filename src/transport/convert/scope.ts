// Whose memories and documents a call means, from the wire to the domain.

import { type MemoryScope, SHARED_SCOPE } from "../../domain/memories/memory.ts";
import { type ScopeFilter, SHARED_RECORDS } from "../../domain/memories/scopes.ts";
import type * as wire from "../../gen/memorysidecar/v1/memory.ts";

/** Gives a checked scope; unset means everybody's. */
export function fromMemoryScope(scope: wire.MemoryScope | undefined): MemoryScope {
  if (scope === undefined) return SHARED_SCOPE;
  const { userId = "", agentId = "", sessionId = "" } = scope;
  return { userId, agentId, sessionId };
}

/** Tells a scope; undefined for everybody's. */
export function toMemoryScope(scope: MemoryScope): wire.MemoryScope | undefined {
  const { userId, agentId, sessionId } = scope;
  if (userId === "" && agentId === "" && sessionId === "") return undefined;
  const member = (id: string) => (id === "" ? undefined : id);
  return { userId: member(userId), agentId: member(agentId), sessionId: member(sessionId) };
}

/** Gives whose records a checked filter means; unset means those that everybody shares. */
export function fromScopeFilter(filter: wire.ScopeFilter | undefined): ScopeFilter {
  const choice = filter?.scope;
  switch (choice?.$case) {
    case "visibleTo":
      return { kind: "visible-to", scope: fromMemoryScope(choice.value) };
    case "exact":
      return { kind: "exact", scope: fromMemoryScope(choice.value) };
    case "ownedBy":
      return { kind: "owned-by", scope: fromMemoryScope(choice.value) };
    case "everyone":
      return { kind: "everyone" };
    case undefined:
      return SHARED_RECORDS;
  }
}
