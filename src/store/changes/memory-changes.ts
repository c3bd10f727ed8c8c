// What plans do to memories. A plan is read for and checked as a whole before any of it is applied.

import { LIMITS } from "../../domain/limits.ts";
import type { Memory, MemoryScope } from "../../domain/memories/memory.ts";
import { hasPromotionPart } from "../../domain/memories/text-key.ts";
import { memoryFrameFault, memoryPlanFault } from "../memory-faults.ts";
import { scopeIdOf } from "../scope-id.ts";
import type { MemoryChange, MemoryDecision, MemoryPlan } from "../store.ts";
import { encodeNumber, encodeText } from "./codec.ts";
import { type Core, rangeIndex } from "./core.ts";
import { u64 } from "./keys.ts";
import { type FoundMemory, formerRows, type MemoryLog } from "./memories.ts";
import {
  encodeMemories,
  encodeMemory,
  encodeMemoryBody,
  encodeScope,
  type MemoryRow,
  type ScopeRow,
} from "./memory-codec.ts";
import { ERASED_AT_ONCE, eraseLater } from "./memory-erase.ts";
import { endKeyOf, listKeysOf, rowOf } from "./memory-index.ts";
import {
  lastNumber,
  type MemoryPlace,
  memoriesKey,
  memoryHeldInKey,
  memoryHeldKey,
  memoryIdKey,
  memoryKey,
  memoryPastKey,
  memoryScopeKey,
  numbersUnder,
  promotedAtPrefix,
  promotedKey,
  scopePart,
} from "./memory-keys.ts";
import type { PendingMemories } from "./memory-lookup.ts";
import { checkEvents, unsound } from "./plan-check.ts";
import { finishChange } from "./replies.ts";
import { emptyRecord } from "./sessions.ts";
import { dropVectors, readVectorRow } from "./vectors.ts";

const TIERS = 5;
const PROMOTED_PAGE = 256;

/** What becomes of one memory. */
interface MemoryStep {
  readonly before: FoundMemory | undefined;
  /** Undefined removes it. */
  readonly after: Memory | undefined;
  readonly memoryNo: number;
  /** Former states that go with it. */
  readonly former: readonly MemoryRow[];
  /** How many former states are left to upkeep. */
  readonly later: number;
  /** The body of vectors that go. */
  readonly vectorsNo: number | undefined;
}

/** A scope that changes. */
interface ScopeStep {
  readonly scope: MemoryScope;
  readonly before: ScopeRow | undefined;
  /** Memories of it change. */
  readonly isChanged: boolean;
  /** Keys of texts that are new to it. */
  readonly promoted: readonly string[];
  /** The promotions that are forgotten for them. */
  readonly forgotten: readonly { readonly no: number; readonly promotionKey: string }[];
}

/** What a plan does to memories, read and checked, so that nothing of it can fail any more. */
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
  const fault = memoryFrameFault(plan);
  if (fault !== undefined) {
    throw unsound(fault);
  }
  checkEvents(plan.events);
  const steps = memorySteps(base, change.namespace, plan);
  core.writer.whole(() => {
    saveMemories(core, steps);
    finishChange(core, change, plan);
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
  if (fault !== undefined) {
    throw unsound(fault);
  }
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
  log: MemoryLog | undefined,
  before: FoundMemory | undefined,
  after: Memory | undefined,
  room = 0,
): MemoryStep {
  const memoryNo = after?.memoryNo ?? before?.memory.memoryNo ?? 0;
  if (log === undefined || before === undefined) {
    return { before, after, memoryNo, former: [], later: 0, vectorsNo: undefined };
  }
  const isKept = after?.content.text === before.memory.content.text;
  const states = after === undefined ? before.row.version - 1 : 0;
  const isNow = states > 0 && states <= room;
  return {
    before,
    after,
    memoryNo,
    former: isNow ? [...formerRows(log, memoryNo, Number.MAX_SAFE_INTEGER)] : [],
    later: isNow ? 0 : states,
    vectorsNo: isKept ? undefined : readVectorRow(log.core, log.logNo, memoryNo, "pending")?.bodyNo,
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
  for (const { promotionKey, scope } of promoted) {
    const part = scopePart(scopeIdOf(scope));
    scopes.set(part, scope);
    if (!base.wasPromoted(scope, promotionKey)) {
      texts.set(part, (texts.get(part) ?? new Set()).add(promotionKey));
    }
  }
  const gone = new Map<string, Set<string>>();
  for (const { parts, scope } of unpromoted) {
    const part = scopePart(scopeIdOf(scope));
    if ((base.scopeRow(part)?.promotedCount ?? 0) > 0) {
      scopes.set(part, scope);
      const all = gone.get(part) ?? new Set();
      for (const one of parts) {
        all.add(one);
      }
      gone.set(part, all);
    }
  }
  return new Map(
    [...scopes].map(([part, scope]) => {
      const before = base.scopeRow(part);
      const keys = [...(texts.get(part) ?? [])];
      const isOver = (before?.promotedCount ?? 0) + keys.length - LIMITS.promotedTexts;
      const parts = gone.get(part);
      const forgotten = log === undefined ? [] : forgottenPromotions(log, part, isOver, parts);
      const isChanged = changed.has(part);
      return [part, { scope, before, isChanged, promoted: keys, forgotten }];
    }),
  );
}

/** The promotions that go: those with one of the parts, or else the oldest `count`. */
function forgottenPromotions(
  log: MemoryLog,
  scope: string,
  count: number,
  parts: ReadonlySet<string> | undefined,
): ScopeStep["forgotten"] {
  const gone: { readonly no: number; readonly promotionKey: string }[] = [];
  if (count <= 0 && parts === undefined) {
    return gone;
  }
  const page = parts === undefined ? count + 3 : PROMOTED_PAGE;
  const range = { ...numbersUnder(promotedAtPrefix(log.logNo, scope), {}), page };
  for (const { key, payload } of rangeIndex(log.core, "pending", range)) {
    const promotionKey = Buffer.from(payload).toString("utf8");
    if (parts === undefined || hasPromotionPart(promotionKey, parts)) {
      gone.push({ no: lastNumber(key), promotionKey });
    }
    if (parts === undefined && gone.length >= count) {
      break;
    }
  }
  return gone;
}

/** Applies what a plan does to memories. */
export function saveMemories(core: Core, all: MemorySteps): void {
  const { base, namespace, nowMs, scopes, steps } = all;
  const { row } = base;
  if (scopes.size === 0) {
    return;
  }
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
    const { before } = step;
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
    const key = memoriesKey(namespace);
    const nextMemoryNo = (row?.nextMemoryNo ?? 1) + news;
    const oldCount = row?.memoryCount ?? 0;
    const memoryCount = oldCount + added;
    core.memtable.set(key, encodeMemories(key, { logNo, nextMemoryNo, memoryCount }));
    saveHeld(core, memoryHeldKey(namespace), oldCount, memoryCount);
  }
}

// A list of those that hold memories, so that nobody reads over those that once did.
function saveHeld({ memtable }: Core, key: string, before: number, after: number): void {
  if (before > 0 !== after > 0) {
    memtable.set(key, after > 0 ? emptyRecord(key) : null);
  }
}

function count(
  counts: ReadonlyMap<string, number[]>,
  row: MemoryRow | undefined,
  by: number,
): void {
  const of = row && counts.get(row.scope);
  if (of !== undefined && row !== undefined) {
    of[row.tierNo - 1] = (of[row.tierNo - 1] ?? 0) + by;
  }
}

function saveScope(
  core: Core,
  { logNo, part }: { readonly logNo: number; readonly part: string },
  { before, forgotten, promoted, scope }: ScopeStep,
  { counts, updateMs }: Pick<ScopeRow, "counts" | "updateMs">,
): void {
  const { memtable } = core;
  let promotedNo = before?.promotedNo ?? 0;
  for (const promotionKey of promoted) {
    promotedNo++;
    const key = promotedKey(logNo, part, promotionKey);
    memtable.set(key, encodeNumber(key, promotedNo));
    const at = promotedAtPrefix(logNo, part) + u64(promotedNo);
    memtable.set(at, encodeText(at, promotionKey));
  }
  for (const { no, promotionKey } of forgotten) {
    memtable.set(promotedKey(logNo, part, promotionKey), null);
    memtable.set(promotedAtPrefix(logNo, part) + u64(no), null);
  }
  const promotedCount = (before?.promotedCount ?? 0) + promoted.length - forgotten.length;
  const key = memoryScopeKey(logNo, part);
  const row = { scope, counts, updateMs, promotedNo, promotedCount };
  const memoryCount = sumOf(counts);
  memtable.set(key, promotedCount + memoryCount === 0 ? null : encodeScope(key, row));
  saveHeld(core, memoryHeldInKey(logNo, part), sumOf(before?.counts ?? []), memoryCount);
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
  const { after, before, former, later, memoryNo, vectorsNo } = step;
  const place = { logNo, memoryNo };
  dropVectors(core, logNo, memoryNo, vectorsNo);
  const row = after === undefined ? undefined : rowAfter(core, after, before);
  saveKeys(core, namespace, { place, before, after, row });
  const key = memoryKey(logNo, memoryNo);
  memtable.set(key, row === undefined ? null : encodeMemory(key, row));
  const memoryId = (after ?? before?.memory)?.memoryId ?? "";
  const idKey = memoryIdKey(logNo, memoryId);
  if (before === undefined) {
    memtable.set(idKey, encodeNumber(idKey, memoryNo));
  } else if (row === undefined) {
    memtable.set(idKey, null);
    writer.eraseMessage(before.row.bodyNo);
    for (const old of former) {
      writer.eraseMessage(old.bodyNo);
      memtable.set(memoryPastKey(logNo, memoryNo, old.version), null);
    }
    if (later > 0) {
      eraseLater(core, logNo, memoryNo, later);
    }
  } else if (row.bodyNo !== before.row.bodyNo) {
    const past = memoryPastKey(logNo, memoryNo, before.row.version);
    memtable.set(past, encodeMemory(past, before.row));
  }
  return row;
}

// A state that only got stronger keeps its body.
function rowAfter(core: Core, after: Memory, before: FoundMemory | undefined): MemoryRow {
  if (before !== undefined && before.row.version === after.version) {
    return rowOf(after, before.row);
  }
  const body = encodeMemoryBody(after);
  const bodyNo = core.writer.putMessage(body);
  const isKept = before?.memory.content.text === after.content.text;
  const textNo = isKept && before !== undefined ? before.row.textNo : bodyNo;
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
  const old = new Set(before === undefined ? [] : listKeysOf(place, before.row, userId));
  const oldEnd = before && endKeyOf(place, before.row);
  const end = row && endKeyOf(place, row);
  for (const key of row === undefined ? [] : listKeysOf(place, row, userId)) {
    if (!old.delete(key)) {
      memtable.set(key, emptyRecord(key));
    }
  }
  for (const key of old) {
    memtable.set(key, null);
  }
  if (oldEnd !== undefined && oldEnd !== end) {
    memtable.set(oldEnd, null);
  }
  if (end !== undefined && end !== oldEnd) {
    memtable.set(end, encodeText(end, namespace));
  }
}
