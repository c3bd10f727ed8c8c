// What goes when a scope holds too many memories.

import { LIMITS } from "../limits.ts";
import { memoryLimitReached } from "./errors.ts";
import { MEMORY_TIERS, type Memory, type MemoryScope, type MemoryTier, rankOf } from "./memory.ts";
import { isSameScope, type MemoryOverlay } from "./overlay.ts";
import type { RememberRules } from "./rules.ts";

/** Most that one decision evicts from a tier: what is left over goes with the next one. */
const EVICTED_MAX = LIMITS.changeMemories;

function scopesOf(overlay: MemoryOverlay): readonly MemoryScope[] {
  const scopes: MemoryScope[] = [];
  for (const { scope } of overlay.changed.values()) {
    if (!scopes.some((known) => isSameScope(known, scope))) scopes.push(scope);
  }
  return scopes;
}

/** Those of a tier that are too many, the lowest rank first. */
function surplusOf(
  overlay: MemoryOverlay,
  scope: MemoryScope,
  { tier, limit }: { readonly tier: MemoryTier; readonly limit: number },
): readonly Memory[] {
  const most = Math.min(EVICTED_MAX, overlay.count(scope, tier).all - limit);
  if (most <= 0) return [];
  const evictable = overlay.evictable(scope, tier, most);
  // Those whose time has run out are gone by having been looked at.
  const left = Math.max(0, Math.min(EVICTED_MAX, overlay.count(scope, tier).all - limit));
  const byRank = evictable.toSorted((a, b) => rankOf(a) - rankOf(b) || a.memoryNo - b.memoryNo);
  return byRank.slice(0, left);
}

/**
 * Takes away what is too many in the scopes that a decision touches. Gives the memories, as they
 * were at the end. Throws when a tier would hold more than the server keeps.
 */
export function evict(
  overlay: MemoryOverlay,
  limits: RememberRules["limits"],
): ReadonlyMap<string, Memory> {
  const evicted = new Map<string, Memory>();
  for (const scope of scopesOf(overlay)) {
    for (const tier of MEMORY_TIERS) {
      const limit = limits[tier];
      for (const memory of limit === undefined ? [] : surplusOf(overlay, scope, { tier, limit })) {
        overlay.remove(memory);
        evicted.set(memory.memoryId, memory);
      }
      if (overlay.added(scope, tier) <= 0) continue;
      if (overlay.count(scope, tier).all > LIMITS.scopeMemories) throw memoryLimitReached();
    }
  }
  return evicted;
}
