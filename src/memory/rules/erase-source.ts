// Changes of memories when a message that they name is deleted or rewritten.

import type { SourceErasure } from "../../window/policy/memory-policy.ts";
import type { MemoryLookup } from "./lookup.ts";
import {
  type Memory,
  type MemorySource,
  type SourceSession,
  sessionsOfSource,
  tierOf,
} from "./memory.ts";
import { isSameScope } from "./overlay.ts";
import { keyOfPromotion } from "./text-key.ts";

/** Memories of which a message was taken. */
export interface ErasedSources {
  /** Memories to remove with the message, in their old state. */
  readonly gone: readonly Memory[];
  /** Memories that stay, in their new state. */
  readonly changed: readonly Memory[];
}

/** A message of a session. */
interface NamedMessage {
  readonly sessionId: string;
  readonly messageId: string;
}

/** Takes a message from memories that name it. */
export function eraseSource(
  memories: readonly Memory[],
  message: NamedMessage,
  erasure: Exclude<SourceErasure, "keep">,
  stamp: { readonly revision: number; readonly nowMs: number },
): ErasedSources {
  const gone: Memory[] = [];
  const changed: Memory[] = [];
  for (const memory of memories) {
    const source = withoutMessage(memory, message, stamp.nowMs);
    if (erasure === "forget" && source.erasedMs !== undefined && isLearnt(source)) {
      gone.push(memory);
    } else {
      changed.push({ ...memory, source, etagRevision: stamp.revision });
    }
  }
  return { gone, changed };
}

function withoutMessage(
  { kind, source }: Memory,
  { sessionId, messageId }: NamedMessage,
  nowMs: number,
): MemorySource {
  const idsIn = (one: SourceSession): readonly string[] =>
    one.sessionId === sessionId ? one.messageIds.filter((id) => id !== messageId) : one.messageIds;
  const further = source.further?.map((one) => ({ ...one, messageIds: idsIn(one) }));
  const left = {
    ...{ ...source, messageIds: idsIn(source) },
    ...(further === undefined ? {} : { further }),
  };
  // An episode quotes all of its messages: the loss of one erases its source.
  const isErased =
    kind === "episode" || sessionsOfSource(left).every(({ messageIds }) => messageIds.length === 0);
  return isErased ? { ...left, erasedMs: nowMs } : left;
}

/** Whether only its messages support a memory. */
function isLearnt({ origin, isVouched }: MemorySource): boolean {
  return origin !== "caller" && isVouched !== true;
}

/** A lookup after messages were taken from memories and promotions were forgotten. */
export function lookupWithout(
  lookup: MemoryLookup,
  { gone, changed }: ErasedSources,
  forgottenKeys: ReadonlySet<string>,
): MemoryLookup {
  const removed = new Set(gone.map(({ memoryId }) => memoryId));
  const now = new Map(changed.map((memory) => [memory.memoryId, memory]));
  const left = (memories: readonly Memory[], limit = Infinity): readonly Memory[] =>
    memories
      .filter(({ memoryId }) => !removed.has(memoryId))
      .map((memory) => now.get(memory.memoryId) ?? memory)
      .slice(0, limit);
  const one = (memory: Memory | undefined) => left(memory === undefined ? [] : [memory])[0];
  const more = (limit: number): number => limit + gone.length;
  return {
    byId: (memoryId) => one(lookup.byId(memoryId)),
    byText: (...asked) => left(lookup.byText(...asked)),
    byKey: (...asked) => left(lookup.byKey(...asked)),
    pastByKey: (...asked) => left(lookup.pastByKey(...asked)),
    byName: (...asked) => one(lookup.byName(...asked)),
    bySubject: (scope, name, limit) => left(lookup.bySubject(scope, name, more(limit)), limit),
    pastBySubject: (scope, name, limit) =>
      left(lookup.pastBySubject(scope, name, more(limit)), limit),
    newest: (scope, kinds, limit) => left(lookup.newest(scope, kinds, more(limit)), limit),
    bySource: (session, message, limit) =>
      left(lookup.bySource(session, message, more(limit)), limit),
    count: (scope, tier) =>
      lookup.count(scope, tier) -
      gone.filter((memory) => tierOf(memory) === tier && isSameScope(memory.scope, scope)).length,
    evictable: (scope, tier, limit) => left(lookup.evictable(scope, tier, more(limit)), limit),
    wasPromoted: (scope, key) =>
      !forgottenKeys.has(keyOfPromotion(key)) && lookup.wasPromoted(scope, key),
    get nextMemoryNo() {
      return lookup.nextMemoryNo;
    },
  };
}
