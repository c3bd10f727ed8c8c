// Changes of one memory: new states, and changes of its strength, which make none.

import { requestInvalid } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { lowestTrust } from "../../summary/rules/summary.ts";
import {
  describeStructure,
  type Entity,
  entityNamed,
  type Memory,
  type MemoryContent,
  type MemorySource,
  type MemoryStrength,
  memoryVersionLimitReached,
  type SourceSession,
} from "./memory.ts";
import type { Stamp } from "./rules.ts";
import { nameKeyOf } from "./text-key.ts";

/** The contract has mentions as 32 bit integers. */
const MENTIONS = 2 ** 31 - 1;
/** Sums of tenths come out as tenths. */
const CONFIDENCE_STEPS = 1e12;
/** The end of the year 9999. */
const LAST_MS = 253_402_300_799_999;

/** The changes of UpdateMemory; missing fields stay. */
export type MemoryPatch = Partial<MemoryContent> &
  Partial<Pick<MemoryStrength, "confidence" | "lastSeenMs">> &
  Partial<Pick<Memory, "trust" | "persistent" | "ttlMs">>;

type Changes = Partial<
  Omit<Memory, "memoryId" | "memoryNo" | "kind" | "scope" | "version" | "createMs">
>;

/** The next state of a memory. Throws when the limit of states is reached. */
export function nextState(memory: Memory, changes: Changes, stamp: Stamp): Memory {
  if (memory.version >= LIMITS.memoryRevisions) throw memoryVersionLimitReached(memory.memoryId);
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

/** The text of changed content: one that was made from the structure is rebuilt. */
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
    source: vouched(memory.source),
  };
  return nextState(memory, { content, strength, ...kept }, stamp);
}

/** Whether a change settles a contradiction: by higher trust, another key or another structure. */
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

/** The strength of a memory that was mentioned again. */
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

/** A memory that was mentioned again. Makes no new state. */
export function reinforce(memory: Memory, amount: number, stamp: Stamp): Memory {
  const strength = strengthened(memory.strength, amount, stamp.nowMs);
  return { ...memory, strength, source: vouched(memory.source), etagRevision: stamp.revision };
}

/** A memory with less confidence. Makes no new state and keeps the time of the last mention. */
export function decay(memory: Memory, factor: number, stamp: Stamp): Memory {
  const confidence = memory.strength.confidence * factor;
  const strength = { ...memory.strength, confidence, decayMs: stamp.nowMs };
  return { ...memory, strength, etagRevision: stamp.revision };
}

/**
 * End of content that is superseded at `atMs`. Content that begins then or later was wrong all
 * along and ends a millisecond after it begins, the shortest duration. Content that begins at the
 * last moment of the year 9999 has no end.
 */
function endOf({ validFromMs = -Infinity }: MemoryContent, atMs: number): number | undefined {
  const endMs = Math.max(atMs, validFromMs + 1);
  return endMs > LAST_MS ? undefined : endMs;
}

/** End of content that something else holds instead of from `atMs` on: its own if earlier. */
export function earlierEnd(content: MemoryContent, atMs: number): number | undefined {
  const { validToMs = Infinity } = content;
  const endMs = Math.min(validToMs, endOf(content, atMs) ?? Infinity);
  return endMs === Infinity ? undefined : endMs;
}

/** A superseded memory. It ends at `atMs` at the latest: see endOf. */
export function supersede(old: Memory, by: string, atMs: number, stamp: Stamp): Memory {
  const content = { ...old.content, validToMs: earlierEnd(old.content, atMs) };
  const changes = { state: "superseded", supersededBy: by, contradictsIds: [] } as const;
  return nextState(old, { content, ...changes }, stamp);
}

/** A memory that has the content of one of its former states again, and is active. */
export function restoreRevision(current: Memory, former: Memory, stamp: Stamp): Memory {
  const { content, trust, contradictsIds } = former;
  const changes = { content, trust, contradictsIds, state: "active", supersededBy: "" } as const;
  return nextState(current, { ...changes, source: vouched(current.source) }, stamp);
}

/**
 * The source of a memory that is said again, which takes no content in: the first one stays, with
 * the newest messages of both. A memory that lost its messages is supported again once it is
 * repeated.
 */
export function unitedSources(first: MemorySource, second: MemorySource): MemorySource {
  const { erasedMs, ...known } = first;
  const isAnew = erasedMs !== undefined && second.messageIds.length > 0;
  // Ids of messages name them in one session only.
  const isElsewhere = first.sessionId !== "" && !mayBeSameSession(first, second);
  if (isElsewhere && !isAnew) return vouched(first);
  const ids = [...new Set([...(isElsewhere ? [] : first.messageIds), ...second.messageIds])];
  const isCut = ids.length > LIMITS.memorySourceMessages;
  const { owner: _, ...kept } = isAnew ? known : first;
  const owner = isElsewhere ? second.owner : (first.owner ?? second.owner);
  const united = {
    ...kept,
    sessionId: second.sessionId,
    messageIds: ids.slice(-LIMITS.memorySourceMessages),
    ...(owner === undefined ? {} : { owner }),
  };
  const isStood = second.origin === "caller" || second.isVouched === true || isCut;
  const source = isElsewhere ? withFurther(united, oldestFirst(first)) : united;
  return isStood ? vouched(source) : source;
}

/**
 * The source of a memory that takes in content made of another source. Both are kept, so that each
 * message and each session still leads to what was made of it.
 */
export function joinedSources(first: MemorySource, second: MemorySource): MemorySource {
  const isFirst = first.sessionId === "" || mayBeSameSession(first, second);
  const isAnew = first.erasedMs !== undefined && second.messageIds.length > 0;
  // Messages support it that are known: nobody else has to.
  const isKnown = second.origin !== "caller" && second.messageIds.length > 0;
  const isAdded = !isFirst && !isAnew && isKnown && second.isVouched !== true;
  const united = isAdded ? first : unitedSources(first, second);
  return withFurther(united, [...oldestFirst(first), ...oldestFirst(second)]);
}

/** Whether two sources are one session of one owner: its id may have been used anew by another. */
function isSameSession(first: SourceSession, second: SourceSession): boolean {
  const [one, other] = [first.owner, second.owner];
  return (
    first.sessionId === second.sessionId &&
    one?.userId === other?.userId &&
    one?.agentId === other?.agentId
  );
}

/** Whether two sources are one session as far as their owners are known. */
function mayBeSameSession(first: SourceSession, second: SourceSession): boolean {
  const isKnown = first.owner !== undefined && second.owner !== undefined;
  return isKnown ? isSameSession(first, second) : first.sessionId === second.sessionId;
}

/** All that a memory was made of: what the first source named longest ago is already further. */
function oldestFirst(source: MemorySource): readonly SourceSession[] {
  return [...(source.further ?? []), source];
}

/** A source that also names the messages and sessions of others that it does not name itself. */
function withFurther(source: MemorySource, all: readonly SourceSession[]): MemorySource {
  const further: SourceSession[] = [];
  for (const one of all) {
    if (one.sessionId === "" && one.isCut !== true) continue;
    const isOwn = isSameSession(source, one);
    const messageIds = isOwn
      ? one.messageIds.filter((id) => !source.messageIds.includes(id))
      : one.messageIds;
    if (isOwn && messageIds.length === 0 && one.isCut !== true) continue;
    const at = further.findIndex((other) => isSameSession(other, one));
    const known = further[at];
    const added = { ...placeOf(one), messageIds };
    if (known === undefined) further.push(added);
    else further[at] = bothOf(known, added);
  }
  return further.length === 0 ? source : { ...source, further: bounded(further) };
}

function placeOf({ sessionId, messageIds, owner, isCut }: SourceSession): SourceSession {
  return {
    ...{ sessionId, messageIds },
    ...(owner === undefined ? {} : { owner }),
    ...(isCut === true ? { isCut } : {}),
  };
}

function bothOf(first: SourceSession, second: SourceSession): SourceSession {
  const messageIds = [...new Set([...first.messageIds, ...second.messageIds])];
  return { ...placeOf(second), ...placeOf(first), messageIds };
}

/**
 * The newest of the further sources. What there is no room for says so: messages at their session,
 * sessions by their owner alone, owners by a source that names nothing.
 */
function bounded(further: readonly SourceSession[]): readonly SourceSession[] {
  const named = further.filter(({ sessionId }) => sessionId !== "");
  const dropped = named.slice(0, -LIMITS.memoryFurtherSources);
  const owners = new Map<string, SourceSession>();
  for (const { owner } of [...further.filter(({ sessionId }) => sessionId === ""), ...dropped]) {
    const one = { ...{ sessionId: "", messageIds: [], owner }, isCut: true } as SourceSession;
    owners.set(JSON.stringify(owner ?? null), placeOf(one));
  }
  if (owners.size > LIMITS.memoryFurtherSources) {
    owners.clear();
    owners.set("", { sessionId: "", messageIds: [], isCut: true });
  }
  let room: number = LIMITS.memoryFurtherMessages;
  const kept = named.slice(-LIMITS.memoryFurtherSources).reverse();
  const cut = kept.map((one) => {
    const messageIds = room === 0 ? [] : one.messageIds.slice(-room);
    room -= messageIds.length;
    return messageIds.length === one.messageIds.length ? one : { ...one, messageIds, isCut: true };
  });
  return [...owners.values(), ...cut.reverse()];
}

/** A source that more than its messages vouches for. */
function vouched(source: MemorySource): MemorySource {
  // A source that a caller gave needs no mark.
  if (source.origin === "caller" || source.isVouched === true) return source;
  return { ...source, isVouched: true };
}

/** Both lists without repeats, up to a limit. */
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
  const { structure, text } = content;
  return structure?.kind === "entity" ? structure.entity : entityNamed(text);
}

/** An entity with another one: its names as aliases, and the attributes that were missing. */
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
 * The target with the names and attributes of the sources, as its next state. It has the lowest
 * trust of all.
 */
export function mergeEntities(target: Memory, sources: readonly Memory[], stamp: Stamp): Memory {
  let entity = entityOf(target);
  let { source, strength } = target;
  for (const other of sources) {
    entity = takenIn(entity, entityOf(other));
    source = joinedSources(source, other.source);
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
  return nextState(target, { content, source: vouched(source), strength, trust }, stamp);
}
