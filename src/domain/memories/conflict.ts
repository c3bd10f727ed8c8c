// What becomes of memories that a new one contradicts.

import { LIMITS } from "../limits.ts";
import { nextState, strengthened, supersede, unitedNames, unitedSources } from "./change.ts";
import { idsAbove, markBelow } from "./contradict.ts";
import { type Decision, type Placed, stateOf } from "./decision.ts";
import { isFinal, placeKnown } from "./known.ts";
import type { Memory, MemoryContent, Relation } from "./memory.ts";
import type { MemoryOverlay } from "./overlay.ts";
import { type Dated, placeInTime } from "./place-in-time.ts";
import type { ConflictRule, NewMemory, Resolved } from "./rules.ts";
import { nameKeyOf, normalText } from "./text-key.ts";

/** Relations of one subject that are looked at. */
const SUBJECT_RELATIONS = 1_000;

/** Something that may contradict others. */
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

/** The active memories that something contradicts, oldest first. */
export function rivalsOf(
  overlay: MemoryOverlay,
  { memoryId, scope, content }: Contradicting,
  { singleObject }: ConflictRule,
): readonly Memory[] {
  const { key, structure } = content;
  const rivals = key === "" ? [] : [...overlay.byKey(scope, key)];
  if (singleObject && structure?.kind === "relation") {
    const subject = nameKeyOf(structure.relation.subject);
    const relations = overlay.bySubject(scope, subject, SUBJECT_RELATIONS);
    rivals.push(...relations.filter((memory) => isRival(memory.content, content)));
  }
  return union(rivals, memoryId);
}

/** Superseded ones that it would contradict, oldest first. */
function pastOf(
  overlay: MemoryOverlay,
  { memoryId, scope, content }: Contradicting,
  { singleObject }: ConflictRule,
): readonly Memory[] {
  const { key, structure } = content;
  const past = key === "" ? [] : [...overlay.pastByKey(scope, key)];
  if (singleObject && structure?.kind === "relation") {
    const subject = nameKeyOf(structure.relation.subject);
    const relations = overlay.pastBySubject(scope, subject, SUBJECT_RELATIONS);
    past.push(...relations.filter((memory) => isRival(memory.content, content)));
  }
  return union(past, memoryId);
}

/** What is to be done, and with which text for a merge that a hook wrote. */
interface Way {
  readonly action: Resolved["action"];
  readonly text?: string | undefined;
}

/** What a hook said holds only while the memories are those it was asked about. */
function wayOf({ resolved }: NewMemory, { mode }: ConflictRule, rivals: readonly Memory[]): Way {
  if (resolved === undefined) return { action: rivals.length === 0 ? "keep-both" : mode };
  const { action, text, asked } = resolved;
  const isSame =
    asked.size === rivals.length &&
    rivals.every(({ memoryId, etagRevision }) => asked.get(memoryId) === etagRevision);
  return isSame && rivals.length > 0 ? { action, text } : { action: "keep-both" };
}

/** The text of a merge; undefined when both cannot be one. */
function mergedText(
  target: Memory,
  draft: NewMemory,
  text: string | undefined,
): string | undefined {
  // A structure says one thing: a text for two would not be its text.
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

/** The newest rival with what the draft says. */
function mergedMemory({ stamp }: Decision, draft: NewMemory, target: Memory, text: string): Memory {
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
    source: unitedSources(target.source, draft.source),
    persistent: target.persistent || draft.persistent,
  };
  return nextState(target, changes, stamp);
}

/** Merges a draft into the newest rival of its trust; undefined when they cannot be one. */
function placeMerged(
  decision: Decision,
  draft: NewMemory,
  all: readonly Memory[],
  { text: written }: Way,
): Placed | undefined {
  const { overlay, stamp } = decision;
  const rivals = all.filter(({ trust }) => trust === draft.trust);
  // The text that a hook wrote holds what all of them say.
  if (written !== undefined && rivals.length < all.length) return undefined;
  const target = rivals.at(-1);
  const text = target && mergedText(target, draft, written);
  if (target === undefined || text === undefined) return undefined;
  if (written === undefined && hasTakenIn(target, draft.content.text)) {
    return placeKnown(decision, target, draft);
  }
  const merged = mergedMemory(decision, draft, target, text);
  const memory = overlay.put({ ...merged, contradictsIds: idsAbove(draft, all) });
  if (written === undefined) return { memory, outcome: "updated", supersededIds: [] };
  // The text that a hook wrote stands for all of them.
  const atMs = draft.content.validFromMs ?? stamp.nowMs;
  const others = rivals.slice(0, -1);
  for (const other of others) overlay.put(supersede(other, memory.memoryId, atMs, stamp));
  const supersededIds = others.map(({ memoryId }) => memoryId);
  return { memory, outcome: "updated", supersededIds };
}

/**
 * Puts a draft, as a new memory or as the next state of one, and settles what it contradicts: of
 * what is trusted more it changes nothing, and names it.
 */
export function placeDraft(
  decision: Decision,
  draft: NewMemory,
  existing: Memory | undefined,
): Placed {
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
): Placed {
  const { overlay, rules } = decision;
  const rivals = all.filter((rival) => !isFinal(rival, draft));
  const way = wayOf(draft, rules.conflict, rivals);
  if (way.action === "drop") return { memory: undefined, outcome: "dropped", supersededIds: [] };
  if (way.action === "merge" && existing === undefined) {
    const merged = placeMerged(decision, draft, rivals, way);
    if (merged !== undefined) return merged;
  }
  const base = stateOf(decision, draft, existing);
  const outcome = existing === undefined ? "created" : "updated";
  if (way.action !== "supersede") {
    const memory = overlay.put({ ...base, contradictsIds: idsAbove(draft, all) });
    return { memory, outcome, supersededIds: [] };
  }
  const past = (): readonly Memory[] =>
    pastOf(overlay, draft, rules.conflict).filter((one) => !isFinal(one, draft));
  const others: Dated = { active: rivals, past };
  return placeInTime(decision, base, others, outcome);
}
