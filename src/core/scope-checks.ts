// The rules of whose memories and documents a call means.

import type { MemoryScope, ScopeFilter } from "../gen/memorysidecar/v1/memory.ts";
import type { Violations } from "../grpc/violations.ts";

const NAMES = { visibleTo: "visible_to", exact: "exact", ownedBy: "owned_by" } as const;
const EVERYONE_IS_SAID = "; memories of everybody are meant with everyone only";

/** Whether a scope is empty. */
function isEmpty({ userId, agentId, sessionId }: MemoryScope): boolean {
  return userId === undefined && agentId === undefined && sessionId === undefined;
}

/** Checks the field `scope` of a filter, if it is set. */
export function checkScopeFilter(v: Violations, filter: ScopeFilter | undefined): void {
  if (filter === undefined) return;
  v.enter("scope");
  const choice = filter.scope;
  if (choice?.$case === "ownedBy" && isEmpty(choice.value)) {
    v.add("owned_by", `must name a user, an agent or a session${EVERYONE_IS_SAID}`);
  }
  v.leave();
}

/** Checks the field `scope` of a filter that must say whose memories it means. */
export function checkRequiredScope(v: Violations, filter: ScopeFilter | undefined): void {
  if (filter === undefined) {
    v.add("scope", `is required${EVERYONE_IS_SAID}`);
    return;
  }
  checkScopeFilter(v, filter);
  const choice = filter.scope;
  if (choice?.$case !== "visibleTo" && choice?.$case !== "exact") return;
  if (!isEmpty(choice.value)) return;
  const said = `must name a user, an agent or a session${EVERYONE_IS_SAID}`;
  v.add(`scope.${NAMES[choice.$case]}`, said);
}
