// What goes when a scope holds too many memories.

import { LIMITS } from "../limits.ts";
import type { Trust } from "../summaries/summary.ts";
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

/** How much of a tier stays, and what a decision may evict for it. */
interface Room {
  readonly tier: MemoryTier;
  readonly limit: number;
  /** What is trusted more stays. */
  readonly trust: Trust;
}

/** Those of a tier that are too many: of the lowest trust those of the lowest rank first. */
function surplusOf(
  overlay: MemoryOverlay,
  scope: MemoryScope,
  { tier, limit, trust }: Room,
): readonly Memory[] {
  const most = Math.min(EVICTED_MAX, overlay.count(scope, tier).all - limit);
  if (most <= 0) return [];
  const evictable = overlay.evictable(scope, tier, most);
  // Those whose time has run out are gone by having been looked at.
  const left = Math.max(0, Math.min(EVICTED_MAX, overlay.count(scope, tier).all - limit));
  const mayGo = evictable.filter((memory) => memory.trust <= trust);
  mayGo.sort((a, b) => a.trust - b.trust || rankOf(a) - rankOf(b) || a.memoryNo - b.memoryNo);
  return mayGo.slice(0, left);
}

/**
 * Takes away what is too many in the scopes that a decision touches, nothing that is trusted more
 * than `trust`. Gives the memories, as they were at the end. Throws when a tier would hold more
 * than the server keeps.
 */
export function evict(
  overlay: MemoryOverlay,
  { limits, trust }: Pick<RememberRules, "limits"> & Pick<Room, "trust">,
): ReadonlyMap<string, Memory> {
  const evicted = new Map<string, Memory>();
  for (const scope of scopesOf(overlay)) {
    for (const tier of MEMORY_TIERS) {
      const limit = limits[tier];
      const surplus = limit === undefined ? [] : surplusOf(overlay, scope, { tier, limit, trust });
      for (const memory of surplus) {
        overlay.remove(memory);
        evicted.set(memory.memoryId, memory);
      }
      if (overlay.added(scope, tier) <= 0) continue;
      if (overlay.count(scope, tier).all > LIMITS.scopeMemories) throw memoryLimitReached();
    }
  }
  return evicted;
}
