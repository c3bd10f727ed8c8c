// How one memory changes: new states, and changes of its strength, which make none.

import { requestInvalid } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { lowestTrust } from "../summaries/summary.ts";
import { describeStructure } from "./describe.ts";
import { memoryVersionLimitReached } from "./errors.ts";
import type { Entity, Memory, MemoryContent, MemorySource, MemoryStrength } from "./memory.ts";
import type { Stamp } from "./rules.ts";
import { nameKeyOf } from "./text-key.ts";

/** Mentions are told as 32 bit integers. */
const MENTIONS = 2 ** 31 - 1;
/** Sums of tenths come out as tenths. */
const CONFIDENCE_STEPS = 1e12;
/** The end of the year 9999. */
const LAST_MS = 253_402_300_799_999;

/** What UpdateMemory changes; what is not there stays. */
export type MemoryPatch = Partial<MemoryContent> &
  Partial<Pick<MemoryStrength, "confidence" | "lastSeenMs">> &
  Partial<Pick<Memory, "trust" | "persistent" | "ttlMs">>;

type Changes = Partial<
  Omit<Memory, "memoryId" | "memoryNo" | "kind" | "scope" | "version" | "createMs">
>;

/** The next state of a memory. Throws when it has had as many as it may. */
export function nextState(memory: Memory, changes: Changes, stamp: Stamp): Memory {
  if (memory.version >= LIMITS.memoryRevisions) {
    throw memoryVersionLimitReached(memory.memoryId);
  }
  return {
    ...memory,
    ...changes,
    version: memory.version + 1,
    writer: stamp.writer,
    reason: stamp.reason,
    updateMs: Math.max(stamp.nowMs, memory.updateMs),
    etagRevision: stamp.revision,
  };
}

/** The text of changed content: one that was made of the structure is made anew. */
function patchedText(old: MemoryContent, patch: MemoryPatch): string {
  const structure = "structure" in patch ? patch.structure : old.structure;
  const wasMade = old.structure !== undefined && old.text === describeStructure(old.structure);
  const text = patch.text ?? (patch.structure !== undefined && wasMade ? "" : old.text);
  return text === "" && structure !== undefined ? describeStructure(structure) : text;
}

/**
 * A memory with changed content, as its next state. A text that was made of the structure follows
 * it. Throws when it would end before it begins.
 */
export function updateMemory(memory: Memory, patch: MemoryPatch, stamp: Stamp): Memory {
  const { confidence, lastSeenMs, trust, persistent, ttlMs, ...given } = patch;
  const content = { ...memory.content, ...given, text: patchedText(memory.content, patch) };
  if (!isInOrder(content)) {
    const description = "must be after valid_from_time, also when only one of them is changed";
    throw requestInvalid([{ field: "memory.valid_until_time", description }]);
  }
  const strength = {
    ...memory.strength,
    confidence: confidence ?? memory.strength.confidence,
    lastSeenMs: lastSeenMs ?? memory.strength.lastSeenMs,
  };
  const kept = {
    trust: trust ?? memory.trust,
    persistent: persistent ?? memory.persistent,
    ttlMs: ttlMs ?? memory.ttlMs,
    contradictsIds: isSettled(memory, patch) ? [] : memory.contradictsIds,
  };
  return nextState(memory, { content, strength, ...kept }, stamp);
}

/** Whether a change decides on a contradiction: it raises the trust, or answers something else. */
function isSettled(memory: Memory, { trust, key, structure }: MemoryPatch): boolean {
  const isRaised = trust !== undefined && trust > memory.trust;
  const isOther = key !== undefined && key !== memory.content.key;
  return isRaised || isOther || (structure !== undefined && memory.kind !== "episode");
}

/** Whether content ends after it begins. */
export function isInOrder({
  validFromMs = -Infinity,
  validToMs = Infinity,
}: MemoryContent): boolean {
  return validFromMs < validToMs;
}

/** The strength of what was said again. */
export function strengthened(
  strength: MemoryStrength,
  amount: number,
  seenMs: number,
): MemoryStrength {
  const sum = Math.round((strength.confidence + amount) * CONFIDENCE_STEPS) / CONFIDENCE_STEPS;
  return {
    ...strength,
    confidence: Math.min(1, Math.max(sum, strength.confidence)),
    mentionCount: Math.min(MENTIONS, strength.mentionCount + 1),
    lastSeenMs: Math.max(strength.lastSeenMs, seenMs),
  };
}

/** A memory that was heard of again. Makes no new state. */
export function reinforce(memory: Memory, amount: number, stamp: Stamp): Memory {
  const strength = strengthened(memory.strength, amount, stamp.nowMs);
  return { ...memory, strength, etagRevision: stamp.revision };
}

/** A memory that is less sure. Makes no new state; when it was last said stays. */
export function decay(memory: Memory, factor: number, stamp: Stamp): Memory {
  const confidence = memory.strength.confidence * factor;
  const strength = { ...memory.strength, confidence, decayMs: stamp.nowMs };
  return { ...memory, strength, etagRevision: stamp.revision };
}

/**
 * When something ends that another thing ends: one that begins then or later was wrong all along,
 * and ends a millisecond after it begins, the shortest that an end lies behind a beginning. What
 * begins with the last moment of the year 9999 has no end.
 */
export function endOf(
  { validFromMs = -Infinity }: MemoryContent,
  atMs: number,
): number | undefined {
  const endMs = Math.max(atMs, validFromMs + 1);
  return endMs > LAST_MS ? undefined : endMs;
}

/** A memory whose place another one took. It ends at `atMs` unless it has an end: see endOf. */
export function supersede(old: Memory, by: string, atMs: number, stamp: Stamp): Memory {
  const content = { ...old.content, validToMs: old.content.validToMs ?? endOf(old.content, atMs) };
  const changes = { state: "superseded", supersededBy: by, contradictsIds: [] } as const;
  return nextState(old, { content, ...changes }, stamp);
}

/** A memory that has the content of one of its former states again, and is active. */
export function restoreRevision(current: Memory, former: Memory, stamp: Stamp): Memory {
  const { content, trust, contradictsIds } = former;
  const changes = { content, trust, contradictsIds, state: "active", supersededBy: "" } as const;
  return nextState(current, changes, stamp);
}

/** The sources of both: the first ones stay, of their messages the newest. */
export function unitedSources(first: MemorySource, second: MemorySource): MemorySource {
  // Ids of messages name them in one session only.
  if (first.sessionId !== "" && first.sessionId !== second.sessionId) return first;
  const ids = [...new Set([...first.messageIds, ...second.messageIds])];
  const { sessionId } = second;
  return { ...first, sessionId, messageIds: ids.slice(-LIMITS.memorySourceMessages) };
}

/** Both lists without what is there already, up to a limit. */
export function unitedNames(
  first: readonly string[],
  second: readonly string[],
  limit: number,
): readonly string[] {
  const names = new Map<string, string>();
  for (const name of [...first, ...second]) {
    if (!names.has(nameKeyOf(name))) names.set(nameKeyOf(name), name);
  }
  return [...names.values()].slice(0, limit);
}

function entityOf({ content }: Memory): Entity {
  if (content.structure?.kind === "entity") return content.structure.entity;
  return { name: content.text, type: "other", aliases: [], attributes: new Map() };
}

/** What an entity has with another one: that one's names as aliases, and what it lacked. */
function takenIn(target: Entity, source: Entity): Entity {
  const others = [...target.aliases, source.name, ...source.aliases];
  const own = nameKeyOf(target.name);
  const fresh = others.filter((name) => nameKeyOf(name) !== own);
  const attributes = new Map(target.attributes);
  for (const [key, value] of source.attributes) {
    if (attributes.size < LIMITS.entityAttributes && !attributes.has(key)) {
      attributes.set(key, value);
    }
  }
  const aliases = unitedNames(fresh, [], Infinity);
  if (aliases.length > LIMITS.entityAliases) {
    const description = `have more than ${LIMITS.entityAliases} other names with the target`;
    throw requestInvalid([{ field: "source_memory_ids", description }]);
  }
  return { ...target, aliases, attributes };
}

/**
 * The target with all that the sources are called and have, as its next state. It is trusted no
 * more than the least trusted of them.
 */
export function mergeEntities(target: Memory, sources: readonly Memory[], stamp: Stamp): Memory {
  let entity = entityOf(target);
  let { source, strength } = target;
  for (const other of sources) {
    entity = takenIn(entity, entityOf(other));
    source = unitedSources(source, other.source);
    strength = {
      ...strength,
      mentionCount: Math.min(MENTIONS, strength.mentionCount + other.strength.mentionCount),
      lastSeenMs: Math.max(strength.lastSeenMs, other.strength.lastSeenMs),
    };
  }
  const structure = { kind: "entity", entity } as const;
  const text = patchedText(target.content, { structure });
  const content = { ...target.content, structure, text };
  const trust = lowestTrust([target, ...sources].map((memory) => memory.trust));
  return nextState(target, { content, source, strength, trust }, stamp);
}
