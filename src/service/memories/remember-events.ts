// What the events tell of memories that were remembered.

import { EVENT_TYPE } from "../../domain/event.ts";
import type { MemoryLookup } from "../../domain/memories/lookup.ts";
import type { Memory, MemoryOrigin } from "../../domain/memories/memory.ts";
import type { RememberPlan } from "../../domain/memories/rules.ts";
import { byScope, deletedDetails, detailsOf, type ScopedDetail } from "./change-memories.ts";

/** The details of a plan of planRemember, scope by scope. Empty when it changes nothing. */
export function rememberDetails(
  plan: RememberPlan,
  lookup: Pick<MemoryLookup, "byId">,
  origin: MemoryOrigin,
): ScopedDetail[] {
  const put = new Map(plan.put.map((memory) => [memory.memoryId, memory]));
  const stored = (ids: readonly string[]): readonly Memory[] =>
    ids.flatMap((id) => {
      const memory = put.get(id) ?? lookup.byId(id);
      return memory === undefined ? [] : [memory];
    });
  const evicted = new Set(plan.evictedIds);
  // One that is gone as soon as it came is in neither list of the plan.
  const gone = stored(plan.remove.filter((id) => evicted.has(id)));
  const expired = stored(plan.remove.filter((id) => !evicted.has(id)));
  return [
    ...deletedDetails(expired, "expired"),
    ...rememberedDetails(stored(plan.createdIds), stored(plan.updatedIds), origin),
    ...detailsOf(stored(plan.reinforcedIds), (memoryIds) => ({
      type: EVENT_TYPE.memoriesReinforced,
      memoryIds,
    })),
    ...deletedDetails(gone, "evicted"),
  ];
}

function rememberedDetails(
  created: readonly Memory[],
  updated: readonly Memory[],
  origin: MemoryOrigin,
): ScopedDetail[] {
  const news = new Set(created);
  return [...byScope([...created, ...updated]).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const idsOf = (isMeant: (memory: Memory) => boolean): string[] =>
      group.filter(isMeant).map(({ memoryId }) => memoryId);
    const detail = {
      type: EVENT_TYPE.memoriesRemembered,
      memoryIds: idsOf((memory) => news.has(memory)),
      updatedIds: idsOf((memory) => !news.has(memory)),
      contradictingIds: idsOf(({ contradictsIds }) => contradictsIds.length > 0),
      origin,
    };
    return [{ scope: first.scope, detail }];
  });
}
