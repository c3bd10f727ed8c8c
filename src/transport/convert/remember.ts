// How memories are taken in, and what became of them, between the wire and the domain.

import { type IdRoom, takeIds } from "../../domain/id-list.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { ConflictRule, DedupeRule, RememberOutcome } from "../../domain/memories/rules.ts";
import * as wire from "../../gen/memorysidecar/v1/memory.ts";
import type * as memoryServiceWire from "../../gen/memorysidecar/v1/memory_service.ts";
import type { ConflictInput, RememberResult } from "../../service/memory-api.ts";

const THRESHOLD_DEFAULT = 0.9;

const DEDUPES: Readonly<Partial<Record<number, DedupeRule["mode"]>>> = {
  [wire.DedupeMode.SIMILAR]: "similar",
  [wire.DedupeMode.NONE]: "none",
};

const CONFLICTS: Readonly<Partial<Record<number, ConflictRule["mode"] | "ask-hook">>> = {
  [wire.ConflictMode.SUPERSEDE]: "supersede",
  [wire.ConflictMode.MERGE]: "merge",
  [wire.ConflictMode.ASK_HOOK]: "ask-hook",
};

const OUTCOMES = {
  created: wire.RememberOutcome.CREATED,
  reinforced: wire.RememberOutcome.REINFORCED,
  unchanged: wire.RememberOutcome.UNCHANGED,
  updated: wire.RememberOutcome.UPDATED,
  superseded: wire.RememberOutcome.SUPERSEDED,
  dropped: wire.RememberOutcome.DROPPED,
} as const satisfies Readonly<Record<RememberOutcome, wire.RememberOutcome>>;

/** Fills in every default of what counts as known. */
export function fromDedupe(rule: wire.DedupeRule | undefined): DedupeRule {
  const window = rule?.window ?? 0;
  return {
    mode: DEDUPES[rule?.mode ?? 0] ?? "same-text",
    threshold: rule?.threshold ?? THRESHOLD_DEFAULT,
    window: window === 0 ? LIMITS.dedupeWindowDefault : window,
    keepUnchanged: rule?.keepUnchanged ?? false,
  };
}

/** Fills in every default of what happens to memories that contradict. */
export function fromConflict(rule: wire.ConflictRule | undefined): ConflictInput {
  return {
    mode: CONFLICTS[rule?.mode ?? 0] ?? "keep-both",
    hook: rule?.hook ?? "",
    singleObject: rule?.singleObject ?? false,
  };
}

/**
 * The room that an answer has for ids of memories: one change can name more of them than an answer
 * may hold.
 */
export function memoryIdRoom(): IdRoom {
  return { count: LIMITS.scopeMemories, bytes: LIMITS.pageBytes };
}

/** Turns what became of memories into its public form. */
export function toRememberResponse(result: RememberResult): memoryServiceWire.RememberResponse {
  const room = memoryIdRoom();
  const results = result.results.map(({ memoryId, outcome, etag, supersededIds }) => ({
    memoryId,
    outcome: OUTCOMES[outcome],
    etag,
    supersededMemoryIds: takeIds(supersededIds, room),
  }));
  const evictedMemoryIds = takeIds(result.evictedIds, room);
  return { results, evictedMemoryIds, revision: BigInt(result.revision) };
}
