// The decision about new memories: repeats, contradictions and evictions.

import { etagMismatch, type FieldViolation, requestInvalid } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { TRUST, type Trust } from "../../summary/rules/summary.ts";
import { placeDraft, rivalsOf } from "./conflict.ts";
import { placeEntity } from "./entity-by-name.ts";
import { isFinal, KnownTexts, placeKnown } from "./known.ts";
import type { MemoryLookup } from "./lookup.ts";
import {
  describeStructure,
  entityNamed,
  MEMORY_TIERS,
  type Memory,
  type MemoryContent,
  type MemoryScope,
  type MemoryTier,
  memoryLimitReached,
  rankOf,
} from "./memory.ts";
import { isSameScope, MemoryOverlay } from "./overlay.ts";
import type {
  ConflictRule,
  Decision,
  NewMemory,
  Remembered,
  RememberPlan,
  RememberRules,
  Stamp,
} from "./rules.ts";
import { textKeyOf } from "./text-key.ts";

/** Content with the fields that its kind requires: a name, a time, a text. */
function completeContent({ kind, content }: NewMemory, nowMs: number): MemoryContent {
  const isBare = kind === "entity" && content.structure === undefined;
  const structure = isBare ? { kind, entity: entityNamed(content.text) } : content.structure;
  return {
    ...content,
    structure,
    text: content.text === "" && structure ? describeStructure(structure) : content.text,
    validFromMs: content.validFromMs ?? (kind === "episode" ? nowMs : undefined),
  };
}

/** Faults of a draft with the id of an existing memory. */
function givenFaults(existing: Memory, draft: NewMemory, index: number): FieldViolation[] {
  const { scope } = existing;
  const isFixed: readonly (readonly [string, boolean])[] = [
    ["kind", existing.kind === draft.kind],
    ["user_id", scope.userId === draft.scope.userId],
    ["agent_id", scope.agentId === draft.scope.agentId],
    ["session_id", scope.sessionId === draft.scope.sessionId],
  ];
  const description = "differs from that of the memory with this id, and cannot be changed";
  const faults = isFixed.flatMap(([name, isSame]) =>
    isSame ? [] : [{ field: `memories[${index}].${name}`, description }],
  );
  if (draft.trust >= existing.trust) return faults;
  const lower = "is below that of the memory with this id: UpdateMemory can lower it";
  return [...faults, { field: `memories[${index}].trust`, description: lower }];
}

/** The memory that a draft is the next state of. Throws when it may not be. */
function existingOf({ overlay }: Decision, draft: NewMemory, index: number): Memory | undefined {
  const { memoryId, expectedRevision } = draft;
  const existing = memoryId === "" ? undefined : overlay.byId(memoryId);
  // Earlier drafts of the call may have changed it: the etag is that before the call.
  const before = existing && (overlay.storedOf(memoryId) ?? existing);
  if (expectedRevision !== undefined && before?.etagRevision !== expectedRevision) {
    throw etagMismatch();
  }
  const faults = existing === undefined ? [] : givenFaults(existing, draft, index);
  if (faults.length > 0) throw requestInvalid(faults);
  return existing;
}

/** Refuses an entity by its id with the name of another one of its scope and trust. */
function checkOnlyName({ overlay }: Decision, draft: NewMemory, index: number): void {
  if (draft.kind !== "entity") return;
  const named = overlay.byText(draft.scope, draft.kind, textKeyOf(draft));
  const rivals = named.filter(({ trust }) => trust === draft.trust);
  if (rivals.every(({ memoryId }) => memoryId === draft.memoryId)) return;
  const field = `memories[${index}].entity.name`;
  const description = "is the name of another entity of the scope: merge the two";
  throw requestInvalid([{ field, description }]);
}

function placeOne(
  decision: Decision,
  texts: KnownTexts,
  given: NewMemory,
  index: number,
): Remembered {
  const draft = { ...given, content: completeContent(given, decision.stamp.nowMs) };
  const existing = existingOf(decision, draft, index);
  if (existing !== undefined) {
    checkOnlyName(decision, draft, index);
    return placeDraft(decision, draft, existing);
  }
  const entity = placeEntity(decision, draft);
  if (entity !== undefined) return entity;
  const known = draft.kind === "entity" ? undefined : texts.find(decision, draft);
  if (known === undefined) return placeDraft(decision, draft, undefined);
  const isBelow = known.trust < draft.trust && !decision.rules.dedupe.keepUnchanged;
  if (!isBelow) return placeKnown(decision, known, draft);
  // A draft of higher trust replaces it and takes over only the wish to keep it.
  const persistent = draft.persistent || known.persistent;
  return placeDraft(decision, { ...draft, persistent }, isFinal(known, draft) ? undefined : known);
}

/** The new memories that are still there, numbered without gaps. */
function numbered(overlay: MemoryOverlay, firstNo: number): readonly Memory[] {
  const isNew = ({ memoryId }: Memory): boolean => overlay.storedOf(memoryId) === undefined;
  const created = [...overlay.changed.values()].filter(isNew);
  created.sort((a, b) => a.memoryNo - b.memoryNo);
  return created.map((memory, index) => ({ ...memory, memoryNo: firstNo + index }));
}

/** The plan of a decision. */
function planOf(
  { overlay }: Decision,
  firstNo: number,
  placed: readonly Remembered[],
  evicted: ReadonlyMap<string, Memory>,
): RememberPlan {
  const created = numbered(overlay, firstNo);
  const changed = [...overlay.changed.values()].filter(
    ({ memoryId }) => overlay.storedOf(memoryId) !== undefined,
  );
  const isUpdated = ({ memoryId, version }: Memory): boolean =>
    overlay.storedOf(memoryId)?.version !== version;
  const put = [...created, ...changed];
  const last = new Map([...evicted, ...put.map((memory) => [memory.memoryId, memory] as const)]);
  const results = placed.map((one): Remembered => {
    const memory = one.memory && (last.get(one.memory.memoryId) ?? one.memory);
    return { ...one, memory };
  });
  const idOf = ({ memoryId }: Memory): string => memoryId;
  return {
    put,
    remove: [...overlay.removed],
    results,
    createdIds: created.map(idOf),
    updatedIds: changed.filter(isUpdated).map(idOf),
    reinforcedIds: changed.filter((memory) => !isUpdated(memory)).map(idOf),
    evictedIds: [...evicted.keys()],
  };
}

/**
 * Decides on new memories, in their order: each sees the effects of those before it.
 * Throws when an id is that of another kind or scope, an etag is old, a memory has had too many
 * states, or the scope is full.
 */
export function planRemember(
  lookup: MemoryLookup,
  news: readonly NewMemory[],
  rules: RememberRules,
  stamp: Stamp,
): RememberPlan {
  const overlay = new MemoryOverlay(lookup, stamp.nowMs);
  const decision: Decision = { overlay, rules, stamp };
  const texts = new KnownTexts(news.length);
  const placed = news.map((draft, index) => placeOne(decision, texts, draft, index));
  const trust = news.reduce<Trust>((most, one) => (one.trust > most ? one.trust : most), TRUST.low);
  const evicted = evict(overlay, { limits: rules.limits, trust });
  return planOf(decision, lookup.nextMemoryNo, placed, evicted);
}

/** The active memories that a new one contradicts, oldest first. */
export function contradictedBy(
  lookup: MemoryLookup,
  draft: NewMemory,
  { rule, nowMs }: { readonly rule: ConflictRule; readonly nowMs: number },
): readonly Memory[] {
  const content = completeContent(draft, nowMs);
  return rivalsOf(new MemoryOverlay(lookup, nowMs), { ...draft, content }, rule);
}

// Eviction: which memories go when a scope holds too many.

/** Most evictions of one decision from a tier; the next decision evicts the rest. */
const EVICTED_MAX = LIMITS.changeMemories;

function scopesOf(overlay: MemoryOverlay): readonly MemoryScope[] {
  const scopes: MemoryScope[] = [];
  for (const { scope } of overlay.changed.values()) {
    if (!scopes.some((known) => isSameScope(known, scope))) scopes.push(scope);
  }
  return scopes;
}

/** Limit of a tier, and the trust up to which a decision may evict. */
interface Room {
  readonly tier: MemoryTier;
  readonly limit: number;
  /** Memories of higher trust stay. */
  readonly trust: Trust;
}

/** The surplus of a tier: lowest trust first, then lowest rank. */
function surplusOf(
  overlay: MemoryOverlay,
  scope: MemoryScope,
  { tier, limit, trust }: Room,
): readonly Memory[] {
  const most = Math.min(EVICTED_MAX, overlay.count(scope, tier) - limit);
  if (most <= 0) return [];
  const evictable = overlay.evictable(scope, tier, most);
  // The lookup above has removed those whose time has run out.
  const left = Math.max(0, Math.min(EVICTED_MAX, overlay.count(scope, tier) - limit));
  const mayGo = evictable.filter((memory) => memory.trust <= trust);
  mayGo.sort((a, b) => a.trust - b.trust || rankOf(a) - rankOf(b) || a.memoryNo - b.memoryNo);
  return mayGo.slice(0, left);
}

/**
 * Evicts the surplus in the scopes that a decision touches, up to `trust`. Gives the evicted
 * memories in their last state. Throws when a tier would hold more than the server keeps.
 */
function evict(
  overlay: MemoryOverlay,
  { limits, trust }: Pick<RememberRules, "limits"> & Pick<Room, "trust">,
): ReadonlyMap<string, Memory> {
  const evicted = new Map<string, Memory>();
  for (const scope of scopesOf(overlay)) {
    for (const tier of MEMORY_TIERS) {
      const limit = limits[tier];
      const surplus = limit === undefined ? [] : surplusOf(overlay, scope, { tier, limit, trust });
      for (const memory of surplus) {
        overlay.remove(memory);
        evicted.set(memory.memoryId, memory);
      }
      if (overlay.added(scope, tier) <= 0) continue;
      if (overlay.count(scope, tier) > LIMITS.scopeMemories) throw memoryLimitReached();
    }
  }
  return evicted;
}
