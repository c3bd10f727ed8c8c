// Long-term memories in the memory engine: what decisions see of them and what plans do to them.

import { marksOf } from "../../src/erase/rules/erasure.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import type { MemoryLookup } from "../../src/memory/rules/lookup.ts";
import {
  type Memory,
  type MemoryScope,
  type MemoryTier,
  namesMessage,
  SHARED_SCOPE,
  sessionsOfSource,
} from "../../src/memory/rules/memory.ts";
import { hasPromotionPart, keyOfPromotion } from "../../src/memory/rules/text-key.ts";
import { ownerOf } from "../../src/session/rules/session.ts";
import { memoryFacts } from "../../src/store/memory-facts.ts";
import { memoryPlanFault } from "../../src/store/memory-faults.ts";
import { scopeIdOf } from "../../src/store/scope-id.ts";
import type {
  ChangedMemory,
  MemoryChange,
  MemoryDecision,
  MemoryPlan,
  MemoryView,
  NewEvent,
} from "../../src/store/store.ts";
import { frameFault } from "../../src/store/task-faults.ts";
import { TRUST } from "../../src/summary/rules/summary.ts";
import { saveErasure } from "./erasures.ts";
import {
  type KeptMemory,
  type MemoryState,
  marked,
  namespaceOf,
  nextRevision,
  PROMOTED_MAX,
  rememberReply,
  replyOf,
} from "./state.ts";

const SAME_TEXT_MAX = 16;
const SAME_KEY_MAX = LIMITS.changeMemories;

/** The memories of a namespace by rising number. */
export function memoriesOf(state: MemoryState, namespace: string): readonly KeptMemory[] {
  return [...(state.namespaces.get(namespace)?.memories.values() ?? [])].sort(
    (a, b) => a.memory.memoryNo - b.memory.memoryNo,
  );
}

/** The memories of a scope by rising number. */
export function memoriesIn(
  state: MemoryState,
  namespace: string,
  scopeId: string,
): readonly KeptMemory[] {
  return memoriesOf(state, namespace).filter(({ facts }) => facts.scopeId === scopeId);
}

/** The oldest active entity of a scope with a name. */
export function entitiesNamed(
  state: MemoryState,
  namespace: string,
  scopeId: string,
  nameKey: string,
): readonly Memory[] {
  return memoriesIn(state, namespace, scopeId)
    .filter(({ facts }) => facts.nameKeys.includes(nameKey))
    .map(({ memory }) => memory);
}

/** Those of a tier by rising rank, then number. */
export function rankedIn(
  state: MemoryState,
  namespace: string,
  of: { readonly scope: MemoryScope; readonly tier: MemoryTier },
): readonly KeptMemory[] {
  return memoriesIn(state, namespace, scopeIdOf(of.scope))
    .filter(({ facts }) => facts.tier === of.tier)
    .sort((a, b) => a.facts.rank - b.facts.rank);
}

/** Reads of the memories of a namespace, for decisions. */
export function lookupOf(state: MemoryState, namespace: string): MemoryLookup {
  const within = (scope: MemoryScope) => memoriesIn(state, namespace, scopeIdOf(scope));
  const isActive = ({ facts }: KeptMemory) => facts.isActive;
  const isPast = ({ facts }: KeptMemory) => !facts.isActive;
  return {
    byId: (memoryId) => state.namespaces.get(namespace)?.memories.get(memoryId)?.memory,
    byText: (scope, kind, textKey) =>
      within(scope)
        .filter((kept) => isActive(kept) && kept.memory.kind === kind)
        .filter(({ facts }) => facts.textKey === textKey)
        .slice(0, SAME_TEXT_MAX)
        .map(({ memory }) => memory),
    byKey: (scope, key) =>
      within(scope)
        .filter((kept) => isActive(kept) && key !== "" && kept.facts.key === key)
        .slice(0, SAME_KEY_MAX)
        .map(({ memory }) => memory),
    pastByKey: (scope, key) =>
      [...within(scope)]
        .reverse()
        .filter((kept) => isPast(kept) && key !== "" && kept.facts.key === key)
        .slice(0, SAME_KEY_MAX)
        .map(({ memory }) => memory),
    byName: (scope, nameKey) => entitiesNamed(state, namespace, scopeIdOf(scope), nameKey)[0],
    bySubject: (scope, nameKey, limit) =>
      within(scope)
        .filter((kept) => isActive(kept) && kept.facts.subject === nameKey)
        .slice(0, limit)
        .map(({ memory }) => memory),
    pastBySubject: (scope, nameKey, limit) =>
      [...within(scope)]
        .reverse()
        .filter((kept) => isPast(kept) && kept.facts.subject === nameKey)
        .slice(0, limit)
        .map(({ memory }) => memory),
    newest: (scope, kinds, limit) =>
      [...within(scope)]
        .reverse()
        .filter((kept) => isActive(kept) && kinds.has(kept.memory.kind))
        .slice(0, limit)
        .map(({ memory }) => memory),
    bySource: (sessionId, messageId, limit) =>
      memoriesOf(state, namespace)
        .filter(({ memory: { source } }) => namesMessage(source, sessionId, messageId))
        .slice(0, limit)
        .map(({ memory }) => memory),
    count: (scope, tier) => rankedIn(state, namespace, { scope, tier }).length,
    evictable: (scope, tier, limit) =>
      rankedIn(state, namespace, { scope, tier })
        .map(({ memory }) => memory)
        .filter(({ persistent }) => !persistent)
        .sort((a, b) => Number(a.trust !== TRUST.low) - Number(b.trust !== TRUST.low))
        .slice(0, limit),
    wasPromoted: (scope, promotionKey) =>
      namespaceOf(state, namespace)
        .promoted.get(scopeIdOf(scope))
        ?.has(keyOfPromotion(promotionKey)) === true,
    get nextMemoryNo() {
      return namespaceOf(state, namespace).nextMemoryNo;
    },
  };
}

/** Checks what a plan does to memories. Throws an Error that names the fault. */
export function checkMemories(
  state: MemoryState,
  namespace: string,
  plan: MemoryPlan | undefined,
): void {
  if (plan === undefined) return;
  const { memories, nextMemoryNo } = namespaceOf(state, namespace);
  const known = (memoryId: string) => memories.get(memoryId)?.memory;
  const revision = nextRevision(state, namespace);
  const fault = memoryPlanFault(plan, { revision, nextMemoryNo, known });
  if (fault !== undefined) throw new Error(`The plan is faulty: ${fault}.`);
}

/** Does what a plan does to memories; gives those that changed. */
export function saveMemories(
  state: MemoryState,
  namespace: string,
  plan: MemoryPlan | undefined,
  nowMs: number,
): readonly ChangedMemory[] {
  if (plan === undefined) return [];
  const kept = namespaceOf(state, namespace);
  const changed: Memory[] = [];
  for (const memoryId of plan.remove ?? []) {
    const old = kept.memories.get(memoryId);
    if (old !== undefined) changed.push(old.memory);
    const scopeId = old?.facts.scopeId ?? "";
    kept.memories.delete(memoryId);
    kept.scopeTimes.set(scopeId, nowMs);
  }
  for (const memory of plan.put ?? []) {
    const old = kept.memories.get(memory.memoryId);
    const isNewState = old !== undefined && old.memory.version < memory.version;
    const copy = structuredClone(memory);
    const facts = memoryFacts(copy);
    kept.memories.set(memory.memoryId, {
      memory: copy,
      facts,
      former: isNewState ? [old.memory, ...old.former] : (old?.former ?? []),
      text: old?.text.value === memory.content.text ? old.text : textOf(memory),
    });
    changed.push(copy);
    kept.scopeTimes.set(facts.scopeId, nowMs);
    kept.nextMemoryNo = Math.max(kept.nextMemoryNo, memory.memoryNo + 1);
  }
  for (const { keys, parts, scope } of plan.unpromoted ?? []) {
    const gone = new Set(parts);
    const marks = kept.promoted.get(scopeIdOf(scope)) ?? new Map();
    for (const [key, mark] of marks) {
      const isMeant = keys?.includes(key) ?? true;
      if (isMeant && hasPromotionPart(mark, gone)) marks.delete(key);
    }
  }
  for (const { promotionKey, scope } of plan.promoted ?? []) {
    const scopeId = scopeIdOf(scope);
    const texts = kept.promoted.get(scopeId) ?? new Map();
    const key = keyOfPromotion(promotionKey);
    if (!texts.has(key)) texts.set(key, promotionKey);
    // A map is in the order in which its members came.
    for (const oldest of texts.keys()) {
      if (texts.size <= PROMOTED_MAX) break;
      texts.delete(oldest);
    }
    kept.promoted.set(scopeId, texts);
  }
  return changed.map(({ scope, memoryNo }) => ({ namespace, scope, memoryNo }));
}

function textOf({ content }: Memory): KeptMemory["text"] {
  return { value: content.text, bytes: Buffer.from(content.text, "utf8") };
}

/** The marks of memories that a plan writes or removes, before it is saved. */
export function aboutMemories(
  state: MemoryState,
  namespace: string,
  plan: Pick<MemoryPlan, "put" | "remove"> | undefined,
): readonly string[] {
  const known = namespaceOf(state, namespace).memories;
  const gone = (plan?.remove ?? []).flatMap((id) => known.get(id)?.memory ?? []);
  return [...gone, ...(plan?.put ?? [])].flatMap(({ scope, source }) => [
    ...marksOf(scope),
    ...sessionsOfSource(source).flatMap(({ sessionId, owner }) =>
      marksOf({ ...SHARED_SCOPE, ...owner, sessionId }),
    ),
  ]);
}

/** Changes memories; gives what was saved. */
export function changeMemories<T>(
  state: MemoryState,
  change: MemoryChange,
  decide: (view: MemoryView) => MemoryDecision<T>,
): {
  readonly result: T;
  readonly events: readonly NewEvent[];
  readonly memories: readonly ChangedMemory[];
} {
  const { namespace, requestId } = change;
  const decision = decide({
    revision: nextRevision(state, namespace),
    memories: lookupOf(state, namespace),
    ownerOf: (sessionId) => {
      const found = state.namespaces.get(namespace)?.sessions.get(sessionId);
      return found && ownerOf(found.session);
    },
    reply: replyOf(state, namespace, requestId),
  });
  if (decision.kind === "answer") {
    rememberReply(state, namespace, requestId, marked(decision.reply, undefined));
    return { result: decision.result, events: [], memories: [] };
  }
  const { plan, result } = decision;
  const fault = frameFault(plan);
  if (fault !== undefined) throw new Error(`The plan is faulty: ${fault}.`);
  checkMemories(state, namespace, plan);
  const about = aboutMemories(state, namespace, plan);
  const memories = saveMemories(state, namespace, plan, plan.nowMs);
  rememberReply(state, namespace, requestId, marked(plan.reply, about));
  saveErasure(state, namespace, plan.erasure);
  return { result, events: plan.events, memories };
}
