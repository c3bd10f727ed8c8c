// Whose records a filter means.

import { choice, conditions, onlyFields } from "./choice.ts";
import type { MemoryScope, ScopeFilter } from "./gen/memorysidecar/v1/memory.ts";
import type { DeepPartial } from "./gen/memorysidecar/v1/message.ts";

export const SCOPE_MATCHES = {
  "visible-to": "visibleTo",
  exact: "exact",
  "owned-by": "ownedBy",
} as const;

/** Comparison of the scope of a record with that of a filter. */
export type ScopeMatch = keyof typeof SCOPE_MATCHES;

/** Whom a memory or a document belongs to. */
export interface ScopeInput {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export const SCOPE_FIELDS = { userId: true, agentId: true, sessionId: true } as const;

/** Makes a scope of what a caller wrote. */
export function toScope(scope: ScopeInput): MemoryScope;
export function toScope(scope: ScopeInput | undefined): MemoryScope | undefined;
export function toScope(scope: ScopeInput | undefined): MemoryScope | undefined {
  if (scope === undefined) return undefined;
  onlyFields("scope", scope, SCOPE_FIELDS);
  return scopeOf(scope);
}

/** Makes a scope. */
export function scopeOf({ userId, agentId, sessionId }: ScopeInput): MemoryScope {
  return conditions({ userId, agentId, sessionId });
}

/** The members of a scope, or everyone. */
interface ScopeFilterInput extends ScopeInput {
  readonly everyone?: boolean | undefined;
}

/** Makes a filter of whose records are meant. */
export function scopeFilterOf(
  { everyone = false, ...members }: ScopeFilterInput,
  match: ScopeMatch | undefined,
  usual: ScopeMatch,
): DeepPartial<ScopeFilter> | undefined {
  const value = scopeOf(members);
  const { userId, agentId, sessionId } = value;
  if (everyone && userId !== undefined) throw new TypeError("give userId or everyone, not both");
  if (match === undefined && (userId ?? agentId ?? sessionId) === undefined) {
    return everyone ? { scope: { $case: "everyone", value: {} } } : undefined;
  }
  const chosen = match ?? (everyone ? "owned-by" : usual);
  if (chosen === "owned-by" && userId === undefined && !everyone) {
    throw new TypeError('the scope "owned-by" needs userId, or everyone: true');
  }
  return { scope: { $case: choice("scope", SCOPE_MATCHES, chosen), value } };
}
