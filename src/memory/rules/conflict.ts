// Contradictions across trust: a memory never changes one of higher trust. Both are kept, and the
// one of lower trust names the other.

import { LIMITS } from "../../kit/limits.ts";
import {
  earlierEnd,
  joinedSources,
  nextState,
  strengthened,
  supersede,
  unitedNames,
} from "./change.ts";
import { isFinal, placeKnown } from "./known.ts";
import type { Memory, MemoryContent, Relation } from "./memory.ts";
import type { MemoryOverlay } from "./overlay.ts";
import type { ConflictRule, Decision, NewMemory, Remembered, Resolved, Stamp } from "./rules.ts";
import { nameKeyOf, normalText } from "./text-key.ts";

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

// The history of what contradicts one another: each memory ends where the next one begins, and is
// superseded by it, in whatever order they came. A memory is superseded by none of lower trust.

/** The memories that a memory contradicts. */
interface Dated {
  readonly active: readonly Memory[];
  /** Memories that are superseded already. Only needed for a memory that comes late. */
  readonly past: () => readonly Memory[];
}

/** Begin of a memory: one without a given begin precedes all others. */
function beginOf({ content }: Memory): number {
  return content.validFromMs ?? -Infinity;
}

/** The first memory that begins after a moment; of equal ones the oldest. */
function nextAfter(memories: readonly Memory[], ms: number): Memory | undefined {
  let next: Memory | undefined;
  for (const memory of memories) {
    const begin = beginOf(memory);
    if (begin > ms && (next === undefined || begin < beginOf(next))) next = memory;
  }
  return next;
}

/** A memory as history: superseded by the next one, where it ends at the latest. */
function asHistory(memory: Memory, next: Memory): Memory {
  const { validToMs = Infinity } = memory.content;
  const content = { ...memory.content, validToMs: Math.min(validToMs, beginOf(next)) };
  return {
    ...{ ...memory, content, contradictsIds: [] },
    ...{ state: "superseded", supersededBy: next.memoryId },
  };
}

/** A superseded memory that another one now follows: it ends where that begins, if not before. */
function followedBy(past: Memory, memory: Memory, stamp: Stamp): Memory {
  const { content } = past;
  const validToMs = earlierEnd(content, beginOf(memory));
  const changes = { content: { ...content, validToMs }, supersededBy: memory.memoryId };
  return nextState(past, changes, stamp);
}

/**
 * Puts a memory at its place in the history of the memories that it contradicts. One without a
 * given begin is the newest.
 */
function placeInTime(
  { overlay, stamp }: Decision,
  memory: Memory,
  { active, past }: Dated,
  outcome: "created" | "updated",
): Remembered {
  const { trust } = memory;
  const beginMs = memory.content.validFromMs ?? Infinity;
  const mayFollow = active.filter((rival) => rival.trust >= trust);
  const isHistory = mayFollow.some((rival) => beginOf(rival) > beginMs);
  const before = isHistory ? past() : [];
  const followers = [...before.filter((rival) => rival.trust >= trust), ...mayFollow];
  const next = isHistory ? nextAfter(followers, beginMs) : undefined;
  // A memory that begins in the future supersedes nothing now: it only ends the earlier ones.
  const isAhead = (begin: number): boolean => begin > stamp.nowMs && begin !== Infinity;
  const isPast = next !== undefined && !isAhead(beginOf(next));
  const history = next === undefined ? memory : asHistory(memory, next);
  const begun = active.filter((rival) => beginOf(rival) <= beginMs);
  const contradictsIds = idsAbove(memory, begun);
  const put = overlay.put(
    isPast ? history : { ...memory, contradictsIds, content: history.content },
  );
  const earlier = begun.filter((rival) => rival.trust <= trust);
  for (const rival of isAhead(beginMs) ? earlier : []) {
    const validToMs = earlierEnd(rival.content, beginMs);
    if (validToMs === rival.content.validToMs) continue;
    overlay.put(nextState(rival, { content: { ...rival.content, validToMs } }, stamp));
  }
  const superseded = isAhead(beginMs) ? [] : earlier;
  const atMs = memory.content.validFromMs ?? stamp.nowMs;
  for (const rival of superseded) overlay.put(supersede(rival, put.memoryId, atMs, stamp));
  const followed: Memory[] = [];
  if (next !== undefined && isPast) {
    const below = before.filter((one) => one.trust <= trust);
    followed.push(...below.filter((one) => isFollowed(one, next, beginMs)));
    for (const one of followed) overlay.put(followedBy(one, put, stamp));
  }
  return {
    memory: put,
    outcome: isPast ? "superseded" : outcome,
    supersededIds: [...superseded, ...followed].map(({ memoryId }) => memoryId),
  };
}

/** Whether the next one followed it, and something that begins at `beginMs` comes between. */
function isFollowed(past: Memory, next: Memory, beginMs: number): boolean {
  return past.supersededBy === next.memoryId && beginOf(past) <= beginMs;
}

/** The most relations of one subject that are compared. */
const SUBJECT_RELATIONS = 1_000;

/** A memory or draft that may contradict others. */
type Contradicting = Pick<NewMemory, "memoryId" | "scope" | "content">;

/** The parts of relations as they are compared, of each relation once. */
const compared = new WeakMap<Relation, Pick<Relation, "predicate" | "object">>();

function comparedParts(relation: Relation): Pick<Relation, "predicate" | "object"> {
  let parts = compared.get(relation);
  if (parts === undefined) {
    const { predicate, object } = relation;
    parts = { predicate: normalText(predicate), object: normalText(object) };
    compared.set(relation, parts);
  }
  return parts;
}

/** Whether two relations say different things of the same subject and predicate. */
function isRival(a: MemoryContent, b: MemoryContent): boolean {
  if (a.structure?.kind !== "relation" || b.structure?.kind !== "relation") return false;
  const one = comparedParts(a.structure.relation);
  const other = comparedParts(b.structure.relation);
  return one.predicate === other.predicate && one.object !== other.object;
}

/** Memories without repeats and without one of them, oldest first. */
export function union(memories: readonly Memory[], except: string): readonly Memory[] {
  const byId = new Map(memories.map((memory) => [memory.memoryId, memory]));
  byId.delete(except);
  return [...byId.values()].sort((a, b) => a.memoryNo - b.memoryNo);
}

/** The memories of a state, active by default, that something contradicts, oldest first. */
export function rivalsOf(
  overlay: MemoryOverlay,
  { memoryId, scope, content }: Contradicting,
  { singleObject }: ConflictRule,
  state: Memory["state"] = "active",
): readonly Memory[] {
  const { key, structure } = content;
  const rivals = key === "" ? [] : [...overlay.byKey(scope, key, state)];
  if (singleObject && structure?.kind === "relation") {
    const subject = nameKeyOf(structure.relation.subject);
    const relations = overlay.bySubject(scope, subject, { limit: SUBJECT_RELATIONS, state });
    rivals.push(...relations.filter((memory) => isRival(memory.content, content)));
  }
  return union(rivals, memoryId);
}

/** Settlement of a contradiction, with the text of a merge that a hook wrote. */
interface Way {
  readonly action: Resolved["action"];
  readonly text?: string | undefined;
}

/** A hook's answer holds only while the memories are those it was asked about. */
function wayOf({ resolved }: NewMemory, { mode }: ConflictRule, rivals: readonly Memory[]): Way {
  if (resolved === undefined) return { action: rivals.length === 0 ? "keep-both" : mode };
  const { action, text, asked } = resolved;
  const isSame =
    asked.size === rivals.length &&
    rivals.every(({ memoryId, etagRevision }) => asked.get(memoryId) === etagRevision);
  return isSame && rivals.length > 0 ? { action, text } : { action: "keep-both" };
}

/** The text of a merge; undefined when the two cannot be merged. */
function mergedText(
  target: Memory,
  draft: NewMemory,
  text: string | undefined,
): string | undefined {
  // A structure holds one statement: the text of a merge would not describe it.
  if (target.content.structure !== undefined || draft.content.structure !== undefined) {
    return undefined;
  }
  const merged = text ?? `${target.content.text}\n${draft.content.text}`;
  const bytes = Buffer.byteLength(merged);
  return bytes > 0 && bytes <= LIMITS.memoryTextBytes ? merged : undefined;
}

/** Whether a memory took in a text before. */
function hasTakenIn({ content }: Memory, text: string): boolean {
  const wanted = normalText(text);
  return content.text.split("\n").some((line) => normalText(line) === wanted);
}

/** The newest rival with the content of the draft, and of the others, merged in. */
function mergedMemory(
  { stamp }: Decision,
  draft: NewMemory,
  [target, ...others]: readonly [Memory, ...Memory[]],
  text: string,
): Memory {
  const { content, strength } = target;
  const { topics, importance } = draft.content;
  const changes = {
    content: {
      ...content,
      text,
      topics: unitedNames(content.topics, topics, LIMITS.memoryTopics),
      importance: Math.max(content.importance, importance),
    },
    strength: strengthened(strength, 0, draft.lastSeenMs ?? stamp.nowMs),
    source: [...others, draft].reduce(
      (joined, { source }) => joinedSources(joined, source),
      target.source,
    ),
    persistent: target.persistent || draft.persistent,
  };
  return nextState(target, changes, stamp);
}

/** Merges a draft into the newest rival of its trust; undefined when they cannot be merged. */
function placeMerged(
  decision: Decision,
  draft: NewMemory,
  all: readonly Memory[],
  { text: written }: Way,
): Remembered | undefined {
  const { overlay, stamp } = decision;
  const rivals = all.filter(({ trust }) => trust === draft.trust);
  // A hook writes its text for all rivals.
  if (written !== undefined && rivals.length < all.length) return undefined;
  const target = rivals.at(-1);
  const text = target && mergedText(target, draft, written);
  if (target === undefined || text === undefined) return undefined;
  if (written === undefined && hasTakenIn(target, draft.content.text)) {
    return placeKnown(decision, target, draft);
  }
  // The text of the hook replaces all rivals, and is made of all of them.
  const others = written === undefined ? [] : rivals.slice(0, -1);
  const merged = mergedMemory(decision, draft, [target, ...others], text);
  const memory = overlay.put({ ...merged, contradictsIds: idsAbove(draft, all) });
  const atMs = draft.content.validFromMs ?? stamp.nowMs;
  for (const other of others) overlay.put(supersede(other, memory.memoryId, atMs, stamp));
  const supersededIds = others.map(({ memoryId }) => memoryId);
  return { memory, outcome: "updated", supersededIds };
}

/**
 * Puts a draft, as a new memory or as the next state of one, and settles its contradictions. It
 * names memories of higher trust, and does not change them.
 */
export function placeDraft(
  decision: Decision,
  draft: NewMemory,
  existing: Memory | undefined,
): Remembered {
  const all = rivalsOf(decision.overlay, draft, decision.rules.conflict);
  const placed = settled(decision, draft, existing, all);
  if (placed.memory !== undefined) markBelow(decision, placed.memory, all);
  return placed;
}

function settled(
  decision: Decision,
  draft: NewMemory,
  existing: Memory | undefined,
  all: readonly Memory[],
): Remembered {
  const { overlay, rules } = decision;
  const rivals = all.filter((rival) => !isFinal(rival, draft));
  const way = wayOf(draft, rules.conflict, rivals);
  if (way.action === "drop") return { memory: undefined, outcome: "dropped", supersededIds: [] };
  if (way.action === "merge" && existing === undefined) {
    const merged = placeMerged(decision, draft, rivals, way);
    if (merged !== undefined) return merged;
  }
  const base =
    existing === undefined ? firstState(decision, draft) : givenState(decision, existing, draft);
  const outcome = existing === undefined ? "created" : "updated";
  if (way.action !== "supersede") {
    const memory = overlay.put({ ...base, contradictsIds: idsAbove(draft, all) });
    return { memory, outcome, supersededIds: [] };
  }
  const past = (): readonly Memory[] =>
    rivalsOf(overlay, draft, rules.conflict, "superseded").filter((one) => !isFinal(one, draft));
  const others: Dated = { active: rivals, past };
  return placeInTime(decision, base, others, outcome);
}

/** A new memory in its first state. Nothing is put, as for givenState. */
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

/** A draft with the id of a memory, as the next state of that: it is active again. */
function givenState({ stamp }: Decision, existing: Memory, draft: NewMemory): Memory {
  const { content, trust, persistent, ttlMs, confidence, lastSeenMs = stamp.nowMs } = draft;
  const { strength } = existing;
  const changes = {
    ...{ content, trust, persistent, ttlMs },
    ...({ state: "active", supersededBy: "", contradictsIds: [] } as const),
    source: joinedSources(existing.source, draft.source),
    strength: {
      ...strength,
      confidence,
      mentionCount: strength.mentionCount + 1,
      lastSeenMs: Math.max(strength.lastSeenMs, lastSeenMs),
    },
  };
  return nextState(existing, changes, stamp);
}
