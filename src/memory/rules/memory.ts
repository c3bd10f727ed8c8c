// Long-term memories as the domain sees them.

import { AppError, resourceError } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { cutText } from "../../kit/text.ts";
import type { Owner } from "../../session/rules/session.ts";
import type { Trust } from "../../summary/rules/summary.ts";

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

/** The owner of a memory in its namespace. An empty field means shared by all. */
export interface MemoryScope {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
}

/** The scope that all share. */
export const SHARED_SCOPE: MemoryScope = { userId: "", agentId: "", sessionId: "" };

/** Names a memory. */
export interface MemoryRef {
  readonly namespace: string;
  readonly memoryId: string;
}

export interface Entity {
  readonly name: string;
  /** Never empty: `other` by default. */
  readonly type: string;
  readonly aliases: readonly string[];
  /** In the order in which the keys were first given. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** An entity of which only the name is known. */
export function entityNamed(name: string): Entity {
  return { name, type: "other", aliases: [], attributes: new Map() };
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

/** The structured content of a memory, beside its text. */
export type MemoryStructure =
  | { readonly kind: "entity"; readonly entity: Entity }
  | { readonly kind: "relation"; readonly relation: Relation }
  | { readonly kind: "episode"; readonly episode: Episode };

/** Origin of a memory; the names of the public enum in lower case. */
export type MemoryOrigin = "caller" | "promotion" | "extraction" | "turn";

/** A session that a memory was made of. */
export interface SourceSession {
  /** Empty when there was none, or when it is cut and only its owner is known. */
  readonly sessionId: string;
  readonly messageIds: readonly string[];
  /**
   * The owner of the session when the memory was made of it: an erasure needs it once the session
   * is gone. Unset when there was no such session, or when the memory is older than this.
   */
  readonly owner?: Owner;
  /** Some of its messages, or without a session id whole sessions, are not named. */
  readonly isCut?: boolean;
}

/** Sources of a memory. */
export interface MemorySource extends Omit<SourceSession, "isCut"> {
  readonly origin: MemoryOrigin;
  /** The hook that found it, `builtin` for the rules; empty for others. */
  readonly hook: string;
  readonly model: string;
  /** Sessions that it took more in from, the newest last. Unset for none. */
  readonly further?: readonly SourceSession[];
  /** When messages that it depends on were erased; unset while none was. */
  readonly erasedMs?: number;
  /**
   * It has support besides its messages: a caller gave, changed or confirmed it, or it was said in
   * another session too. Unset without any.
   */
  readonly isVouched?: boolean;
}

/** All that a memory was made of, the first source first. */
export function sessionsOfSource(source: MemorySource): readonly SourceSession[] {
  return [source, ...(source.further ?? [])];
}

/** Whether a memory was made of a message. */
export function namesMessage(source: MemorySource, sessionId: string, messageId: string): boolean {
  return sessionsOfSource(source).some(
    (one) => sessionId !== "" && one.sessionId === sessionId && one.messageIds.includes(messageId),
  );
}

/** The content of a state of a memory: RestoreMemoryVersion brings it back. */
export interface MemoryContent {
  readonly text: string;
  /** Undefined for the kinds without one. Its kind is that of the memory. */
  readonly structure: MemoryStructure | undefined;
  readonly key: string;
  /** Never empty: `general` by default. */
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

/** The strength of a memory, which changes without a new state. */
export interface MemoryStrength {
  readonly confidence: number;
  readonly mentionCount: number;
  readonly lastSeenMs: number;
  /** When the scheduled decay last changed it; 0 for never. */
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
  /** The memory that superseded it; empty while it is active. */
  readonly supersededBy: string;
  /** Memories of higher trust that this one contradicts; empty while it is superseded. */
  readonly contradictsIds: readonly string[];
  /** Rising from 1 with each new state. */
  readonly version: number;
  /** Author of this state, and reason for it. */
  readonly writer: string;
  readonly reason: string;
  readonly createMs: number;
  /** When this state was made. Rising with the revision numbers. */
  readonly updateMs: number;
  /** The store's revision that last changed anything of it; the etag is made of it. */
  readonly etagRevision: number;
}

/** The writer of changes that the server made by itself. */
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
 * Groups with a limit of their own in a scope. `past`: superseded ones. Which go first when there
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

/** The public path of a text of a structure. */
export type StructurePath =
  | "entity.name"
  | "entity.type"
  | "entity.aliases"
  | "entity.attributes"
  | "relation.subject"
  | "relation.predicate"
  | "relation.object"
  | "episode.user_text"
  | "episode.assistant_text";

/** A structure with each of its texts replaced; attributes give their key, then their value. */
export function mapTexts(
  structure: MemoryStructure,
  change: (text: string, path: StructurePath, part?: "key" | "value") => string,
): MemoryStructure {
  switch (structure.kind) {
    case "entity": {
      const { name, type, aliases, attributes } = structure.entity;
      const entity = {
        name: change(name, "entity.name"),
        type: change(type, "entity.type"),
        aliases: aliases.map((alias) => change(alias, "entity.aliases")),
        attributes: new Map(
          [...attributes].map(([key, value]) => [
            change(key, "entity.attributes", "key"),
            change(value, "entity.attributes", "value"),
          ]),
        ),
      };
      return { kind: "entity", entity };
    }
    case "relation": {
      const { subject, predicate, object } = structure.relation;
      const relation = {
        subject: change(subject, "relation.subject"),
        predicate: change(predicate, "relation.predicate"),
        object: change(object, "relation.object"),
      };
      return { kind: "relation", relation };
    }
    case "episode": {
      const { userText, assistantText } = structure.episode;
      const episode = {
        userText: change(userText, "episode.user_text"),
        assistantText: change(assistantText, "episode.assistant_text"),
      };
      return { kind: "episode", episode };
    }
  }
}

/** Values of a memory of which nobody said more. */
export const MEMORY_DEFAULTS = { importance: 0.5, confidence: 1, category: "general" } as const;

// Memories as text.

const SURE = 0.8;
const HALF_SURE = 0.5;

function describeEntity({ name, type, attributes }: Entity): string {
  const pairs = [...attributes].map(([key, value]) => `${key}: ${value}`);
  return `${name} [${type}]${pairs.length === 0 ? "" : ` (${pairs.join(", ")})`}`;
}

function describeEpisode({ userText, assistantText }: Episode): string {
  const sides = [
    userText === "" ? "" : `user: ${userText}`,
    assistantText === "" ? "" : `assistant: ${assistantText}`,
  ];
  return sides.filter((side) => side !== "").join(" | ");
}

function describeWhole(structure: MemoryStructure): string {
  if (structure.kind === "entity") return describeEntity(structure.entity);
  if (structure.kind === "episode") return describeEpisode(structure.episode);
  const { subject, predicate, object } = structure.relation;
  return `${subject} ${predicate} ${object}`;
}

/** A structure as text, cut to the limit of the text of a memory. */
export function describeStructure(structure: MemoryStructure): string {
  return cutText(describeWhole(structure), LIMITS.memoryTextBytes);
}

/** Whether the text of a relation holds one of some words in small letters. */
export function holdsWord({ content: { structure } }: Memory, words: readonly string[]): boolean {
  if (structure?.kind !== "relation") return false;
  const { subject, predicate, object } = structure.relation;
  const text = `${subject} ${predicate} ${object}`.toLowerCase();
  return words.some((word) => text.includes(word));
}

/** Confidence of a memory as a word. */
export function confidenceLabel(confidence: number): "high" | "medium" | "low" {
  if (confidence >= SURE) return "high";
  return confidence >= HALF_SURE ? "medium" : "low";
}

// Days of episodes, by UTC.

const DAY_MS = 86_400_000;

/** The midnight before which whole days of episodes are over: that of the day so many days back. */
export function retentionCutMs(nowMs: number, days: number): number {
  return Math.floor((nowMs - days * DAY_MS) / DAY_MS) * DAY_MS;
}

/** The moment since which episodes are of the last days. */
export function recentFromMs(nowMs: number, days: number): number {
  return nowMs - days * DAY_MS;
}

/** The day of a moment, as `2026-01-31`. Years outside 0 to 9999 have six digits and a sign. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().split("T")[0] ?? "";
}

// The expected failures of long-term memory.

/** The memory does not exist, or its time has run out. */
export function memoryNotFound(memoryId: string): AppError {
  const problem = "The memory does not exist in this namespace.";
  return resourceError("MEMORY_NOT_FOUND", "Memory", memoryId, problem);
}

/** The scope is full. */
export function memoryLimitReached(): AppError {
  const limit = LIMITS.scopeMemories;
  return new AppError(
    "MEMORY_LIMIT_REACHED",
    `The scope holds ${limit} memories of this tier, which is the limit. Forget some first.`,
    { metadata: { limit } },
  );
}

/** The memory never had this version. */
export function memoryVersionNotFound(memoryId: string, version: number): AppError {
  const metadata = { memory_id: memoryId, version };
  return new AppError("MEMORY_VERSION_NOT_FOUND", "The memory never had this version.", {
    metadata,
    resource: { type: "MemoryRevision", name: `${memoryId}@${version}` },
  });
}

/** The memory has had as many states as it may. */
export function memoryVersionLimitReached(memoryId: string): AppError {
  const limit = LIMITS.memoryRevisions;
  return new AppError(
    "MEMORY_VERSION_LIMIT_REACHED",
    `The memory has had ${limit} states, which is the limit. Forget it and remember it again.`,
    { metadata: { memory_id: memoryId, limit } },
  );
}
