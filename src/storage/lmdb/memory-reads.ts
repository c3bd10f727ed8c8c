// What decisions get of the memories before a change: an object of functions that need no `this`,
// so that a decision may take it apart or put something else in its place.

import type { MemoryReads } from "../store.ts";
import type { PendingMemories } from "./memory-lookup.ts";

/** The reads of pending memories. */
export function readsOf(pending: PendingMemories): MemoryReads {
  return {
    byId: (memoryId) => pending.byId(memoryId),
    byText: (scope, kind, textKey) => pending.byText(scope, kind, textKey),
    byKey: (scope, key) => pending.byKey(scope, key),
    pastByKey: (scope, key) => pending.pastByKey(scope, key),
    byName: (scope, nameKey) => pending.byName(scope, nameKey),
    bySubject: (scope, nameKey, limit) => pending.bySubject(scope, nameKey, limit),
    pastBySubject: (scope, nameKey, limit) => pending.pastBySubject(scope, nameKey, limit),
    newest: (scope, kinds, limit) => pending.newest(scope, kinds, limit),
    count: (scope, tier) => pending.count(scope, tier),
    evictable: (scope, tier, limit) => pending.evictable(scope, tier, limit),
    wasPromoted: (scope, promotionKey) => pending.wasPromoted(scope, promotionKey),
    get nextMemoryNo() {
      return pending.nextMemoryNo;
    },
  };
}
