// What every part of a decision about new memories works with.

import { nextState, unitedSources } from "./change.ts";
import type { Memory } from "./memory.ts";
import type { MemoryOverlay } from "./overlay.ts";
import type { NewMemory, Remembered, RememberRules, Stamp } from "./rules.ts";

/** A decision that is being made. */
export interface Decision {
  readonly overlay: MemoryOverlay;
  readonly rules: RememberRules;
  readonly stamp: Stamp;
}

/** What became of one new memory so far: later ones may change the memory again. */
export type Placed = Remembered;

/** A new memory in its first state. */
function firstState({ overlay, stamp }: Decision, draft: NewMemory): Memory {
  const { memoryId, kind, scope, content, trust, persistent, ttlMs, source } = draft;
  const { confidence, lastSeenMs = stamp.nowMs } = draft;
  return {
    ...{ kind, scope, content, trust, persistent, ttlMs, source },
    memoryId: memoryId === "" ? stamp.newId(overlay.createdCount) : memoryId,
    memoryNo: overlay.nextMemoryNo,
    strength: { confidence, mentionCount: 1, lastSeenMs, decayMs: 0 },
    ...({ state: "active", supersededBy: "", contradictsIds: [] } as const),
    version: 1,
    ...{ writer: stamp.writer, reason: stamp.reason },
    ...{ createMs: stamp.nowMs, updateMs: stamp.nowMs, etagRevision: stamp.revision },
  };
}

/** What a caller gave for the id of a memory, as its next state: it holds again. */
function givenState({ stamp }: Decision, existing: Memory, draft: NewMemory): Memory {
  const { content, trust, persistent, ttlMs, confidence, lastSeenMs = stamp.nowMs } = draft;
  const { strength } = existing;
  const changes = {
    ...{ content, trust, persistent, ttlMs },
    ...({ state: "active", supersededBy: "", contradictsIds: [] } as const),
    source: unitedSources(existing.source, draft.source),
    strength: {
      ...strength,
      confidence,
      mentionCount: strength.mentionCount + 1,
      lastSeenMs: Math.max(strength.lastSeenMs, lastSeenMs),
    },
  };
  return nextState(existing, changes, stamp);
}

/** What a draft makes, without regard to what it contradicts. Nothing is put. */
export function stateOf(
  decision: Decision,
  draft: NewMemory,
  existing: Memory | undefined,
): Memory {
  return existing === undefined
    ? firstState(decision, draft)
    : givenState(decision, existing, draft);
}
