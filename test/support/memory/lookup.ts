// An in-memory store for decisions: it answers their queries, applies their plans, and keeps every
// former state. It is simple on purpose: each query scans all memories.

import type { MemoryLookup } from "../../../src/memory/rules/lookup.ts";
import {
  describeStructure,
  type Memory,
  type MemoryScope,
  rankOf,
  SHARED_SCOPE,
  tierOf,
} from "../../../src/memory/rules/memory.ts";
import type { NewMemory, RememberRules, Stamp } from "../../../src/memory/rules/rules.ts";
import { nameKeyOf, textKeyOf } from "../../../src/memory/rules/text-key.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";

const SAME_TEXT_MAX = 16;
const SAME_KEY_MAX = 1_000;

function isIn(memory: Memory, { userId, agentId, sessionId }: MemoryScope): boolean {
  const { scope } = memory;
  return scope.userId === userId && scope.agentId === agentId && scope.sessionId === sessionId;
}

function isActive({ state }: Memory): boolean {
  return state === "active";
}

function subjectOf({ content: { structure } }: Memory): string | undefined {
  return structure?.kind === "relation" ? nameKeyOf(structure.relation.subject) : undefined;
}

function namesOf({ content: { structure } }: Memory): readonly string[] {
  if (structure?.kind !== "entity") return [];
  return [structure.entity.name, ...structure.entity.aliases].map(nameKeyOf);
}

/** Memories to put and to remove. */
interface Change {
  readonly put: readonly Memory[];
  readonly remove: readonly string[];
}

/** Memories with all their states. */
export class MemoryBook implements MemoryLookup {
  nextMemoryNo = 1;
  readonly promoted = new Set<string>();
  /** States of each existing memory, oldest first. */
  readonly states = new Map<string, readonly Memory[]>();

  constructor(memories: readonly Memory[] = []) {
    this.save({ put: memories, remove: [] });
  }

  /** The current states, oldest first. */
  all(): readonly Memory[] {
    const current = [...this.states.values()].flatMap((states) => states.slice(-1));
    return current.sort((a, b) => a.memoryNo - b.memoryNo);
  }

  /** Applies a plan. Throws when it breaks a rule of the store. */
  save({ put, remove }: Change): void {
    for (const memoryId of remove) {
      if (!this.states.delete(memoryId)) throw new Error(`${memoryId} is removed, and not there.`);
    }
    const ids = new Set<string>();
    for (const memory of put) {
      const { memoryId } = memory;
      if (ids.has(memoryId)) throw new Error(`${memoryId} is put twice.`);
      ids.add(memoryId);
      this.states.set(memoryId, this.#statesWith(memory));
    }
  }

  #statesWith(memory: Memory): readonly Memory[] {
    const { memoryId, memoryNo, version } = memory;
    const states = this.states.get(memoryId);
    const last = states?.at(-1);
    if (states === undefined || last === undefined) {
      if (version !== 1) throw new Error(`${memoryId} begins with ${version}.`);
      if (memoryNo !== this.nextMemoryNo) throw new Error(`${memoryId} has another number.`);
      this.nextMemoryNo++;
      return [memory];
    }
    if (memoryNo !== last.memoryNo) throw new Error(`${memoryId} gets another number.`);
    if (version === last.version) return [...states.slice(0, -1), memory];
    if (version !== last.version + 1) throw new Error(`${memoryId} skips a state.`);
    if (memory.updateMs < last.updateMs) throw new Error(`${memoryId} goes back in time.`);
    return [...states, memory];
  }

  /** State of the remaining memories at a time. */
  asOf(ms: number): readonly Memory[] {
    const known = [...this.states.values()].flatMap((states) =>
      states.filter(({ updateMs }) => updateMs <= ms).slice(-1),
    );
    return known.sort((a, b) => a.memoryNo - b.memoryNo);
  }

  #some(scope: MemoryScope, isMeant: (memory: Memory) => boolean): readonly Memory[] {
    return this.all().filter((memory) => isIn(memory, scope) && isMeant(memory));
  }

  byId(memoryId: string): Memory | undefined {
    return this.states.get(memoryId)?.at(-1);
  }

  byText(scope: MemoryScope, kind: Memory["kind"], textKey: string): readonly Memory[] {
    const isMeant = (m: Memory): boolean =>
      isActive(m) && m.kind === kind && textKeyOf(m) === textKey;
    return this.#some(scope, isMeant).slice(0, SAME_TEXT_MAX);
  }

  byKey(scope: MemoryScope, key: string): readonly Memory[] {
    const isMeant = (m: Memory): boolean => isActive(m) && m.content.key === key;
    return this.#some(scope, isMeant).slice(0, SAME_KEY_MAX);
  }

  pastByKey(scope: MemoryScope, key: string): readonly Memory[] {
    const isMeant = (m: Memory): boolean => !isActive(m) && m.content.key === key;
    return this.#some(scope, isMeant).toReversed().slice(0, SAME_KEY_MAX);
  }

  byName(scope: MemoryScope, nameKey: string): Memory | undefined {
    return this.#some(scope, (m) => isActive(m) && namesOf(m).includes(nameKey))[0];
  }

  bySubject(scope: MemoryScope, nameKey: string, limit: number): readonly Memory[] {
    return this.#some(scope, (m) => isActive(m) && subjectOf(m) === nameKey).slice(0, limit);
  }

  pastBySubject(scope: MemoryScope, nameKey: string, limit: number): readonly Memory[] {
    const past = this.#some(scope, (m) => !isActive(m) && subjectOf(m) === nameKey);
    return past.toReversed().slice(0, limit);
  }

  newest(scope: MemoryScope, kinds: ReadonlySet<Memory["kind"]>, limit: number): readonly Memory[] {
    const active = this.#some(scope, (m) => isActive(m) && kinds.has(m.kind));
    return active.toReversed().slice(0, limit);
  }

  count(scope: MemoryScope, tier: ReturnType<typeof tierOf>): number {
    return this.#some(scope, (m) => tierOf(m) === tier).length;
  }

  evictable(scope: MemoryScope, tier: ReturnType<typeof tierOf>, limit: number): readonly Memory[] {
    const some = this.#some(scope, (m) => tierOf(m) === tier && !m.persistent);
    return some.toSorted((a, b) => a.trust - b.trust || rankOf(a) - rankOf(b)).slice(0, limit);
  }

  bySource(sessionId: string, messageId: string, limit: number): readonly Memory[] {
    return this.all()
      .filter(({ source }) => sessionId !== "" && source.sessionId === sessionId)
      .filter(({ source }) => source.messageIds.includes(messageId))
      .slice(0, limit);
  }

  wasPromoted({ userId, agentId, sessionId }: MemoryScope, promotionKey: string): boolean {
    return this.promoted.has([userId, agentId, sessionId, promotionKey].join("\n"));
  }
}

/** Fields of a new memory in a test: parts of its content are given directly. */
export type DraftSpec = Partial<Omit<NewMemory, "content">> & Partial<NewMemory["content"]>;

/** A new memory: by default a fact for everyone with the text `text`. */
export function draftOf(spec: DraftSpec = {}): NewMemory {
  const { text = "", structure, key = "", category = "general", topics = [], ...other } = spec;
  const { importance = 0.5, labels = new Map(), metadata = new Uint8Array(0), ...rest } = other;
  const { validFromMs, validToMs, ...given } = rest;
  return {
    ...{ memoryId: "", kind: structure?.kind ?? "fact", scope: SHARED_SCOPE, confidence: 1 },
    ...{ trust: TRUST.medium, persistent: false, ttlMs: 0, lastSeenMs: undefined },
    source: { origin: "caller", sessionId: "", messageIds: [], hook: "", model: "" },
    ...given,
    content: {
      ...{ text, structure, key, category, topics, importance, labels, metadata },
      ...{ validFromMs, validToMs },
    },
  };
}

/** Rules with exact deduplication, kept contradictions and no eviction. */
export function rulesOf(
  dedupe: Partial<RememberRules["dedupe"]> = {},
  conflict: Partial<RememberRules["conflict"]> = {},
  limits: RememberRules["limits"] = {},
): RememberRules {
  return {
    dedupe: { mode: "same-text", threshold: 0.9, window: 200, keepUnchanged: false, ...dedupe },
    conflict: { mode: "keep-both", singleObject: false, ...conflict },
    limits,
  };
}

/** The stamp of a revision, a millisecond after the previous one. Ids contain the revision. */
export function stampOf(revision: number, nowMs = 1_000_000 + revision): Stamp {
  const newId = (index: number): string => `n${revision}-${index}`;
  return { revision, nowMs, writer: "test", reason: "", newId };
}

/** A stored memory, number 1, with the content of a new one; known since its revision. */
export function memoryOf(spec: DraftSpec = {}, revision = 1): Memory {
  const { confidence, content, lastSeenMs, memoryId, ...draft } = draftOf(spec);
  const { kind, scope, trust, persistent, ttlMs, source } = draft;
  const { structure } = content;
  const isMade = content.text === "" && structure !== undefined;
  const { writer, reason, nowMs } = stampOf(revision, revision);
  return {
    ...{ kind, scope, trust, persistent, ttlMs, source, writer, reason },
    content: { ...content, text: isMade ? describeStructure(structure) : content.text },
    memoryId: memoryId === "" ? "known" : memoryId,
    memoryNo: 1,
    strength: { confidence, mentionCount: 1, lastSeenMs: lastSeenMs ?? nowMs, decayMs: 0 },
    ...({ state: "active", supersededBy: "", contradictsIds: [] } as const),
    ...{ version: 1, createMs: nowMs, updateMs: nowMs, etagRevision: revision },
  };
}
