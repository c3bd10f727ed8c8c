// Contradictions across trust: a memory never changes one of higher trust. Both are kept, and the
// one of lower trust names the other.

import { LIMITS } from "../limits.ts";
import { nextState } from "./change.ts";
import type { Decision } from "./decision.ts";
import type { Memory } from "./memory.ts";

/** The ids of the rivals that are trusted more than a memory, the newest of them. */
export function idsAbove(
  { trust }: Pick<Memory, "trust">,
  rivals: readonly Memory[],
): readonly string[] {
  const above = rivals.filter((rival) => rival.trust > trust);
  return above.slice(-LIMITS.memoryContradictions).map(({ memoryId }) => memoryId);
}

/**
 * Marks the active rivals that are trusted less than a memory which did not supersede them. One
 * that is marked already stays as it is, so that a memory that is contradicted often has few
 * states.
 */
export function markBelow(
  { overlay, stamp }: Decision,
  { memoryId, trust, state }: Memory,
  rivals: readonly Memory[],
): void {
  if (state !== "active") return;
  for (const rival of rivals) {
    const now = overlay.byId(rival.memoryId);
    const isOpen = now?.state === "active" && now.contradictsIds.length === 0;
    if (!isOpen || now.trust >= trust || now.version >= LIMITS.memoryRevisions) continue;
    overlay.put(nextState(now, { contradictsIds: [memoryId] }, stamp));
  }
}
