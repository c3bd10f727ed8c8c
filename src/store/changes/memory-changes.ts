// Plans for memories. A plan is read for and checked as a whole before any of it is applied.

import { isDeepStrictEqual } from "node:util";
import { marksOf } from "../../erase/rules/erasure.ts";
import { LIMITS } from "../../kit/limits.ts";
import {
  type Memory,
  type MemoryScope,
  SHARED_SCOPE,
  sessionsOfSource,
} from "../../memory/rules/memory.ts";
import { hasPromotionPart, keyOfPromotion } from "../../memory/rules/text-key.ts";
import { lastNumber, numbersUnder, u64 } from "../engine/keys.ts";
import { rangeIndex } from "../engine/reads.ts";
import { NOTHING, ONE_NUMBER, ONE_TEXT } from "../engine/table.ts";
import { memoryPlanFault } from "../memory-faults.ts";
import { scopeIdOf } from "../scope-id.ts";
import type { MemoryChange, MemoryDecision, MemoryPlan } from "../store.ts";
import type { Core, LogAt } from "../tables/core.ts";
import { VECTOR, type VectorRow } from "../tables/document-tables.ts";
import { ERASED_AT_ONCE, eraseLater, type FoundMemory, formerRows } from "../tables/memories.ts";
import { endKeyOf, listKeysOf, rowOf, sourceKeysOf } from "../tables/memory-index.ts";
import type { PendingMemories } from "../tables/memory-lookup.ts";
import {
  encodeMemoryBody,
  MEMORIES,
  MEMORY,
  MEMORY_HELD,
  MEMORY_HELD_IN,
  MEMORY_ID,
  MEMORY_PAST,
  MEMORY_SCOPE,
  type MemoryPlace,
  type MemoryRow,
  PROMOTED,
  PROMOTED_AT,
  promotedKey,
  type ScopeRow,
  scopePart,
} from "../tables/memory-tables.ts";
import { checkEvents, unsound } from "../tables/plan-check.ts";
import { finishChange } from "../tables/replies.ts";
import { dropVectors, readVectorRow } from "../tables/vectors.ts";
import { frameFault } from "../task-faults.ts";

const TIERS = 5;
const PROMOTED_PAGE = 256;

/** A memory before and after a change. */
interface MemoryStep {
  readonly before: FoundMemory | undefined;
  /** Undefined removes it. */
  readonly after: Memory | undefined;
  readonly memoryNo: number;
  /** Former states that go with it. */
  readonly former: readonly MemoryRow[];
  /** Number of former states left to upkeep. */
  readonly later: number;
  /** The vectors that the memory has. */
  readonly vectors: VectorRow | undefined;
}

/** A scope that changes. */
interface ScopeStep {
  readonly scope: MemoryScope;
  readonly before: ScopeRow | undefined;
  /** Memories of it change. */
  readonly isChanged: boolean;
  /** Keys of texts that are new to it. */
  readonly promoted: readonly string[];
  /** The numbers of promotions that are forgotten, by the keys of their texts. */
  readonly forgotten: ReadonlyMap<string, number>;
}

/** The steps of a plan for memories, read and checked, so that none of them can fail. */
export interface MemorySteps {
  readonly namespace: string;
  readonly base: PendingMemories;
  readonly nowMs: number;
  readonly steps: readonly MemoryStep[];
  /** By scope as part of a key. */
  readonly scopes: ReadonlyMap<string, ScopeStep>;
}

/** Applies a plan to the pending state. Throws an Error that names a fault of it. */
export function applyMemories(
  core: Core,
  change: MemoryChange,
  base: PendingMemories,
  plan: (MemoryDecision<unknown> & { readonly kind: "save" })["plan"],
): void {
  const fault = frameFault(plan);
  if (fault !== undefined) throw unsound(fault);
  checkEvents(plan.events);
  const steps = memorySteps(base, change.namespace, plan);
  core.writer.whole(() => {
    saveMemories(core, steps);
    finishChange(core, change, plan, aboutMemories(steps));
  });
}

/** The marks of the memories that steps change. */
export function aboutMemories({ steps }: Pick<MemorySteps, "steps">): readonly string[] {
  return steps.flatMap(({ after, before }) => {
    const memory = after ?? before?.memory;
    if (memory === undefined) return [];
    const sources = sessionsOfSource(memory.source).flatMap(({ sessionId, owner }) =>
      marksOf({ ...SHARED_SCOPE, ...owner, sessionId }),
    );
    return [...marksOf(memory.scope), ...sources];
  });
}

/** Reads what a plan for memories needs, and checks it. Throws an Error that names the fault. */
export function memorySteps(
  base: PendingMemories,
  namespace: string,
  plan: MemoryPlan & { readonly nowMs: number },
): MemorySteps {
  const { log, nextMemoryNo, revision } = base;
  const known = (memoryId: string): Memory | undefined => base.byId(memoryId);
  const fault = memoryPlanFault(plan, { revision, nextMemoryNo, known });
  if (fault !== undefined) throw unsound(fault);
  const steps: MemoryStep[] = [];
  const removed = new Set(plan.remove);
  let room = ERASED_AT_ONCE;
  for (const memoryId of removed) {
    const step = stepOf(log, base.find(memoryId), undefined, room);
    room -= step.former.length;
    steps.push(step);
  }
  for (const after of plan.put ?? []) {
    const isNew = removed.has(after.memoryId);
    steps.push(stepOf(log, isNew ? undefined : base.find(after.memoryId), after));
  }
  return { namespace, base, nowMs: plan.nowMs, steps, scopes: scopesOf(base, steps, plan) };
}

function stepOf(
  log: LogAt | undefined,
  before: FoundMemory | undefined,
  after: Memory | undefined,
  room = 0,
): MemoryStep {
  const memoryNo = after?.memoryNo ?? before?.memory.memoryNo ?? 0;
  if (log === undefined || before === undefined) {
    return { before, after, memoryNo, former: [], later: 0, vectors: undefined };
  }
  const states = after === undefined ? before.row.version - 1 : 0;
  const isNow = states > 0 && states <= room;
  return {
    before,
    after,
    memoryNo,
    former: isNow ? [...formerRows(log, memoryNo, Number.MAX_SAFE_INTEGER)] : [],
    later: isNow ? 0 : states,
    vectors: readVectorRow(log.core, log.logNo, memoryNo, "pending"),
  };
}

function scopesOf(
  base: PendingMemories,
  steps: readonly MemoryStep[],
  { promoted = [], unpromoted = [] }: MemoryPlan,
): ReadonlyMap<string, ScopeStep> {
  const { log } = base;
  const scopes = new Map<string, MemoryScope>();
  const changed = new Set<string>();
  const texts = new Map<string, Set<string>>();
  for (const { after, before } of steps) {
    const scope = (after ?? before?.memory)?.scope;
    if (scope !== undefined) {
      const part = scopePart(scopeIdOf(scope));
      scopes.set(part, scope);
      changed.add(part);
    }
  }
  const asked = new Map<string, Unpromoted>();
  for (const one of unpromoted) {
    const part = scopePart(scopeIdOf(one.scope));
    if ((base.scopeRow(part)?.promotedCount ?? 0) > 0) {
      scopes.set(part, one.scope);
      asked.set(part, [...(asked.get(part) ?? []), one]);
    }
  }
  const gone = new Map<string, ReadonlyMap<string, number>>();
  for (const [part, of] of asked) {
    gone.set(part, log === undefined ? new Map() : unpromotedIn(log, part, of));
  }
  for (const { promotionKey, scope } of promoted) {
    const part = scopePart(scopeIdOf(scope));
    scopes.set(part, scope);
    // A text that is forgotten by the same change may be promoted anew by it.
    const isGone = gone.get(part)?.has(keyOfPromotion(promotionKey)) === true;
    if (isGone || !base.wasPromoted(scope, promotionKey)) {
      texts.set(part, (texts.get(part) ?? new Set()).add(promotionKey));
    }
  }
  return new Map(
    [...scopes].map(([part, scope]) => {
      const before = base.scopeRow(part);
      const keys = [...(texts.get(part) ?? [])];
      const isOver = (before?.promotedCount ?? 0) + keys.length - LIMITS.promotedTexts;
      const forgotten = gone.get(part) ?? (log && oldestPromotions(log, part, isOver)) ?? new Map();
      const isChanged = changed.has(part);
      return [part, { scope, before, isChanged, promoted: keys, forgotten }];
    }),
  );
}

type Unpromoted = NonNullable<MemoryPlan["unpromoted"]>;

/** The promotions of a scope that a plan forgets. */
function unpromotedIn(log: LogAt, scope: string, asked: Unpromoted): Map<string, number> {
  const gone = new Map<string, number>();
  const everywhere = new Set(asked.flatMap(({ keys, parts }) => (keys === undefined ? parts : [])));
  if (everywhere.size > 0) {
    for (const { mark, no } of promotionsOf(log, scope, PROMOTED_PAGE)) {
      if (hasPromotionPart(mark, everywhere)) gone.set(keyOfPromotion(mark), no);
    }
  }
  for (const { keys = [], parts } of asked) {
    for (const key of keys) {
      const no = PROMOTED.get(log.core, promotedKey(log.logNo, scope, key), "pending");
      if (no === undefined) continue;
      const mark = PROMOTED_AT.get(log.core, PROMOTED_AT.key(log.logNo, scope, no), "pending");
      if (hasPromotionPart(mark ?? "", new Set(parts))) gone.set(keyOfPromotion(key), no);
    }
  }
  return gone;
}

/** The oldest promotions of a scope. */
function oldestPromotions(log: LogAt, scope: string, count: number): Map<string, number> {
  const gone = new Map<string, number>();
  if (count <= 0) return gone;
  for (const { mark, no } of promotionsOf(log, scope, count + 3)) {
    gone.set(keyOfPromotion(mark), no);
    if (gone.size >= count) break;
  }
  return gone;
}

function* promotionsOf(log: LogAt, scope: string, page: number) {
  const range = { ...numbersUnder(PROMOTED_AT.prefix(log.logNo, scope), {}), page };
  for (const { key, payload } of rangeIndex(log.core, "pending", range)) {
    yield { no: lastNumber(key), mark: ONE_TEXT.decode(payload) };
  }
}

/** Applies what a plan does to memories. */
export function saveMemories(core: Core, all: MemorySteps): void {
  const { base, namespace, nowMs, scopes, steps } = all;
  const { row } = base;
  if (scopes.size === 0) return;
  const logNo = row?.logNo ?? core.writer.nextLogNo++;
  const counts = new Map<string, number[]>();
  for (const [part, { before }] of scopes) {
    counts.set(
      part,
      Array.from({ length: TIERS }, (_, at) => before?.counts[at] ?? 0),
    );
  }
  let added = 0;
  for (const step of steps) {
    const { before, memoryNo } = step;
    const scope = (step.after ?? before?.memory)?.scope;
    if (scope !== undefined) core.writer.report.memories.push({ namespace, scope, memoryNo });
    const after = saveMemory(core, logNo, namespace, step);
    added += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    count(counts, before?.row, -1);
    count(counts, after, 1);
  }
  for (const [part, step] of scopes) {
    const updateMs = step.isChanged ? nowMs : (step.before?.updateMs ?? 0);
    saveScope(core, { logNo, part }, step, { counts: counts.get(part) ?? [], updateMs });
  }
  const news = steps.filter(({ before }) => before === undefined).length;
  if (row === undefined || added !== 0 || news > 0) {
    const key = MEMORIES.key(namespace);
    const nextMemoryNo = (row?.nextMemoryNo ?? 1) + news;
    const oldCount = row?.memoryCount ?? 0;
    const memoryCount = oldCount + added;
    const sourcesListed = row?.sourcesListed ?? 1;
    const next = { logNo, nextMemoryNo, memoryCount, sourcesListed };
    MEMORIES.put(core, key, next);
    saveHeld(core, MEMORY_HELD.key(namespace), oldCount, memoryCount);
  }
}

// A list of those that hold memories, so that nobody reads over those that once did.
function saveHeld({ memtable }: Core, key: string, before: number, after: number): void {
  if (before > 0 !== after > 0) memtable.set(key, after > 0 ? NOTHING.encode(key, true) : null);
}

function count(
  counts: ReadonlyMap<string, number[]>,
  row: MemoryRow | undefined,
  by: number,
): void {
  const of = row && counts.get(row.scope);
  if (of !== undefined && row !== undefined) of[row.tierNo - 1] = (of[row.tierNo - 1] ?? 0) + by;
}

function saveScope(
  core: Core,
  { logNo, part }: { readonly logNo: number; readonly part: string },
  { before, forgotten, promoted, scope }: ScopeStep,
  { counts, updateMs }: Pick<ScopeRow, "counts" | "updateMs">,
): void {
  const { memtable } = core;
  for (const [promotionKey, no] of forgotten) {
    memtable.set(promotedKey(logNo, part, promotionKey), null);
    memtable.set(PROMOTED_AT.prefix(logNo, part) + u64(no), null);
  }
  let promotedNo = before?.promotedNo ?? 0;
  for (const promotionKey of promoted) {
    promotedNo++;
    const key = promotedKey(logNo, part, promotionKey);
    memtable.set(key, ONE_NUMBER.encode(key, promotedNo));
    const at = PROMOTED_AT.prefix(logNo, part) + u64(promotedNo);
    memtable.set(at, ONE_TEXT.encode(at, promotionKey));
  }
  const promotedCount = (before?.promotedCount ?? 0) + promoted.length - forgotten.size;
  const key = MEMORY_SCOPE.key(logNo, part);
  const row = { scope, counts, updateMs, promotedNo, promotedCount };
  const memoryCount = sumOf(counts);
  memtable.set(key, promotedCount + memoryCount === 0 ? null : MEMORY_SCOPE.encode(key, row));
  saveHeld(core, MEMORY_HELD_IN.key(logNo, part), sumOf(before?.counts ?? []), memoryCount);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, of) => sum + of, 0);
}

/** Applies what becomes of one memory; gives its new row. */
function saveMemory(
  core: Core,
  logNo: number,
  namespace: string,
  step: MemoryStep,
): MemoryRow | undefined {
  const { memtable, writer } = core;
  const { after, before, former, later, memoryNo } = step;
  const place = { logNo, memoryNo };
  const row = after === undefined ? undefined : rowAfter(core, after, before);
  saveVectorsOf(core, place, row, step);
  saveKeys(core, namespace, { place, before, after, row });
  const key = MEMORY.key(logNo, memoryNo);
  memtable.set(key, row === undefined ? null : MEMORY.encode(key, row));
  const memoryId = (after ?? before?.memory)?.memoryId ?? "";
  const idKey = MEMORY_ID.key(logNo, memoryId);
  if (before === undefined) {
    memtable.set(idKey, ONE_NUMBER.encode(idKey, memoryNo));
  } else if (row === undefined) {
    memtable.set(idKey, null);
    writer.eraseMessage(before.row.bodyNo);
    for (const old of former) {
      writer.eraseMessage(old.bodyNo);
      memtable.set(MEMORY_PAST.key(logNo, memoryNo, old.version), null);
    }
    if (later > 0) eraseLater(core, logNo, memoryNo, later);
  } else if (row.version === before.row.version) {
    if (row.bodyNo !== before.row.bodyNo) writer.eraseMessage(before.row.bodyNo);
  } else {
    MEMORY.put({ memtable }, MEMORY_PAST.key(logNo, memoryNo, before.row.version), before.row);
  }
  return row;
}

// Vectors go with the text that they were made from, and name the record that holds it.
function saveVectorsOf(
  core: Core,
  { logNo, memoryNo }: MemoryPlace,
  row: MemoryRow | undefined,
  { after, before, vectors }: MemoryStep,
): void {
  if (vectors === undefined) return;
  if (row === undefined || after?.content.text !== before?.memory.content.text) {
    dropVectors(core, logNo, memoryNo, vectors.bodyNo);
  } else if (row.textNo !== vectors.ofNo) {
    VECTOR.put(core, VECTOR.key(logNo, memoryNo), { ...vectors, ofNo: row.textNo });
  }
}

// A state that only got stronger keeps its body; one that gets other sources gets another, which
// takes the place of the body before, also as the first one with the text.
function rowAfter(core: Core, after: Memory, before: FoundMemory | undefined): MemoryRow {
  const isSameState = before?.row.version === after.version;
  if (isSameState && isDeepStrictEqual({ ...before.memory.source }, { ...after.source })) {
    return rowOf(after, before.row);
  }
  const body = encodeMemoryBody(after);
  const bodyNo = core.writer.putMessage(body);
  const isKept = before?.memory.content.text === after.content.text;
  const isErased = isSameState && before.row.textNo === before.row.bodyNo;
  const textNo = isKept && before !== undefined && !isErased ? before.row.textNo : bodyNo;
  return rowOf(after, { bodyNo, byteCount: body.length, textNo });
}

// The keys that list a memory: those that it no longer has go, those that it had stay as they are.
function saveKeys(
  core: Core,
  namespace: string,
  of: {
    readonly place: MemoryPlace;
    readonly before: FoundMemory | undefined;
    readonly after: Memory | undefined;
    readonly row: MemoryRow | undefined;
  },
): void {
  const { memtable } = core;
  const { after, before, place, row } = of;
  const { userId = "" } = (after ?? before?.memory)?.scope ?? {};
  const keysOf = (memory: Memory | undefined, of: MemoryRow | undefined): readonly string[] =>
    memory === undefined || of === undefined
      ? []
      : [...listKeysOf(place, of, userId), ...sourceKeysOf(place, memory.source)];
  const old = new Set(keysOf(before?.memory, before?.row));
  const oldEnd = before && endKeyOf(place, before.row);
  const end = row && endKeyOf(place, row);
  for (const key of keysOf(after, row)) {
    if (!old.delete(key)) memtable.set(key, NOTHING.encode(key, true));
  }
  for (const key of old) {
    memtable.set(key, null);
  }
  if (oldEnd !== undefined && oldEnd !== end) memtable.set(oldEnd, null);
  if (end !== undefined && end !== oldEnd) memtable.set(end, ONE_TEXT.encode(end, namespace));
}
