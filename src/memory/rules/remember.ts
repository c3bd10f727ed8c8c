// The decision about new memories: what is known, what is new, what it contradicts, what must go.

import { etagMismatch, type FieldViolation, requestInvalid } from "../errors.ts";
import { TRUST, type Trust } from "../summaries/summary.ts";
import { placeDraft, rivalsOf } from "./conflict.ts";
import type { Decision, Placed } from "./decision.ts";
import { describeStructure } from "./describe.ts";
import { placeEntity } from "./entity-by-name.ts";
import { evict } from "./evict.ts";
import { isFinal, KnownTexts, placeKnown } from "./known.ts";
import type { MemoryLookup } from "./lookup.ts";
import type { Memory, MemoryContent } from "./memory.ts";
import { MemoryOverlay } from "./overlay.ts";
import type {
  ConflictRule,
  NewMemory,
  Remembered,
  RememberPlan,
  RememberRules,
  Stamp,
} from "./rules.ts";
import { textKeyOf } from "./text-key.ts";

/** Content with what the kind asks for: a name, a time, a text. */
function completeContent({ kind, content }: NewMemory, nowMs: number): MemoryContent {
  let { structure } = content;
  if (kind === "entity" && structure === undefined) {
    const entity = { name: content.text, type: "other", aliases: [], attributes: new Map() };
    structure = { kind, entity };
  }
  return {
    ...content,
    structure,
    text: content.text === "" && structure ? describeStructure(structure) : content.text,
    validFromMs: content.validFromMs ?? (kind === "episode" ? nowMs : undefined),
  };
}

/** What of a draft may not be with the id of a memory that exists. */
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
  // Earlier ones of the call may have changed it: its etag is that of before.
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

function placeOne(decision: Decision, texts: KnownTexts, given: NewMemory, index: number): Placed {
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
  // What is trusted more takes its place, with nothing that was said besides; a wish to keep it
  // stays.
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

/** What is to be saved for a decision. */
function planOf(
  { overlay }: Decision,
  firstNo: number,
  placed: readonly Placed[],
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
 * Decides what becomes of new memories, in their order: each sees what the ones before it did.
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
