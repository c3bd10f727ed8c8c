// Long-term memories as the domain sees them.

import type { Trust } from "../summaries/summary.ts";

/** The kinds of memories; the names of the public enum in lower case, its numbers in order. */
export const MEMORY_KINDS = [
  "fact",
  "preference",
  "knowledge",
  "entity",
  "relation",
  "episode",
  "summary",
] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** Whom a memory belongs to, in its namespace. Each may be empty: everybody's. */
export interface MemoryScope {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
}

/** Everybody's. */
export const SHARED_SCOPE: MemoryScope = { userId: "", agentId: "", sessionId: "" };

/** Names a memory. */
export interface MemoryRef {
  readonly namespace: string;
  readonly memoryId: string;
}

export interface Entity {
  readonly name: string;
  /** Never empty: `other` when nobody said. */
  readonly type: string;
  readonly aliases: readonly string[];
  /** In the order in which the keys were first given. */
  readonly attributes: ReadonlyMap<string, string>;
}

export interface Relation {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

export interface Episode {
  readonly userText: string;
  readonly assistantText: string;
}

/** What a memory is made of beside its text. */
export type MemoryStructure =
  | { readonly kind: "entity"; readonly entity: Entity }
  | { readonly kind: "relation"; readonly relation: Relation }
  | { readonly kind: "episode"; readonly episode: Episode };

/** How a memory came; the names of the public enum in lower case. */
export type MemoryOrigin = "caller" | "promotion" | "extraction" | "turn";

/** Where a memory comes from. */
export interface MemorySource {
  readonly origin: MemoryOrigin;
  /** Empty when there was none. */
  readonly sessionId: string;
  readonly messageIds: readonly string[];
  /** The hook that found it, `builtin` for the rules; empty for others. */
  readonly hook: string;
  readonly model: string;
}

/** What a state of a memory says: what a revision keeps and RestoreMemoryVersion brings back. */
export interface MemoryContent {
  readonly text: string;
  /** Undefined for the kinds without one. Its kind is that of the memory. */
  readonly structure: MemoryStructure | undefined;
  readonly key: string;
  /** Never empty: `general` when nobody said. */
  readonly category: string;
  readonly topics: readonly string[];
  readonly importance: number;
  /** Sorted by key. */
  readonly labels: ReadonlyMap<string, string>;
  /** The wire form of a Struct; may be empty. */
  readonly metadata: Uint8Array;
  readonly validFromMs: number | undefined;
  /** Not included. */
  readonly validToMs: number | undefined;
}

/** What changes without a new state: how strong a memory is. */
export interface MemoryStrength {
  readonly confidence: number;
  readonly mentionCount: number;
  readonly lastSeenMs: number;
  /** When the scheduled decay last looked at it; 0 when it never did. */
  readonly decayMs: number;
}

/** A memory in its current, or in a former, state. */
export interface Memory {
  readonly memoryId: string;
  /**
   * Its place among the memories of its namespace: rising in the order in which they were first
   * remembered, never given twice.
   */
  readonly memoryNo: number;
  readonly kind: MemoryKind;
  readonly scope: MemoryScope;
  readonly content: MemoryContent;
  readonly strength: MemoryStrength;
  readonly trust: Trust;
  readonly persistent: boolean;
  /** 0 means for ever. Counts from updateMs. */
  readonly ttlMs: number;
  readonly source: MemorySource;
  readonly state: "active" | "superseded";
  /** The memory that took its place; empty while it is active. */
  readonly supersededBy: string;
  /** Memories of higher trust that this one contradicts; empty while it is superseded. */
  readonly contradictsIds: readonly string[];
  /** Rising from 1 with each new state. */
  readonly version: number;
  /** Who made this state, and why. */
  readonly writer: string;
  readonly reason: string;
  readonly createMs: number;
  /** When this state was made. Rising with the revision numbers. */
  readonly updateMs: number;
  /** The store's revision that last changed anything of it; the etag is made of it. */
  readonly etagRevision: number;
}

/** The writer of what the server did by itself. */
export const SERVER_WRITER = "server";

/** When a memory is gone by its ttl; undefined for never. */
export function memoryExpireMs(memory: Pick<Memory, "ttlMs" | "updateMs">): number | undefined {
  return memory.ttlMs === 0 ? undefined : memory.updateMs + memory.ttlMs;
}

/** Whether the time of a memory has run out. */
export function isMemoryExpired(
  memory: Pick<Memory, "ttlMs" | "updateMs">,
  nowMs: number,
): boolean {
  const end = memoryExpireMs(memory);
  return end !== undefined && end <= nowMs;
}

/**
 * What is limited together in a scope. `past`: those that are superseded. Which go first when there
 * are too many: see rankOf.
 */
export const MEMORY_TIERS = ["long-term", "entities", "relations", "episodes", "past"] as const;
export type MemoryTier = (typeof MEMORY_TIERS)[number];

/** The tier of a memory. */
export function tierOf({ kind, state }: Pick<Memory, "kind" | "state">): MemoryTier {
  if (state === "superseded") return "past";
  if (kind === "entity") return "entities";
  if (kind === "relation") return "relations";
  return kind === "episode" ? "episodes" : "long-term";
}

/**
 * The rank of a memory among those of its tier and trust, never negative: the lowest goes first, of
 * equal ones the one with the lowest number. Long-term memories by importance, entities by when
 * they were last seen, episodes by when they were, relations by their number, superseded ones by
 * when they became so.
 */
export function rankOf(memory: Memory): number {
  const tier = tierOf(memory);
  if (tier === "long-term") return memory.content.importance;
  if (tier === "entities") return Math.max(0, memory.strength.lastSeenMs);
  if (tier === "episodes") return Math.max(0, memory.content.validFromMs ?? memory.createMs);
  return tier === "past" ? memory.updateMs : memory.memoryNo;
}
