// The memories that a decision sees: the stored ones with its own changes so far.

import type { MemoryLookup } from "./lookup.ts";
import {
  isMemoryExpired,
  type Memory,
  type MemoryKind,
  type MemoryScope,
  type MemoryTier,
  tierOf,
} from "./memory.ts";
import { nameKeyOf, textKeyOf } from "./text-key.ts";

/** Whether two scopes are the same. */
export function isSameScope(a: MemoryScope, b: MemoryScope): boolean {
  return a.userId === b.userId && a.agentId === b.agentId && a.sessionId === b.sessionId;
}

/** Lookup keys of a memory. */
interface Keys {
  readonly text: string;
  /** Of an entity its name and aliases, of a relation its subject. */
  readonly names: readonly string[];
}

function namesOf({ content: { structure } }: Memory): readonly string[] {
  if (structure?.kind === "relation") return [structure.relation.subject];
  if (structure?.kind !== "entity") return [];
  return [structure.entity.name, ...structure.entity.aliases];
}

/** Low numbers first. */
function byNumber(a: Memory, b: Memory): number {
  return a.memoryNo - b.memoryNo;
}

/**
 * The memories of a namespace as a decision leaves them. Those whose time has run out are
 * left out; those that a lookup would have given are removed.
 */
export class MemoryOverlay {
  readonly #lookup: MemoryLookup;
  readonly #nowMs: number;
  /** New and changed ones, in the order in which they were first put. */
  readonly #changed = new Map<string, Memory>();
  /** The ids of those that had a text key when they were put. */
  readonly #byText = new Map<string, Set<string>>();
  /** The stored form of what was changed. */
  readonly #stored = new Map<string, Memory>();
  readonly #removed = new Set<string>();
  readonly #keys = new WeakMap<Memory, Keys>();
  /** Answers of the lookup: a decision asks for the same again and again. */
  readonly #listed = new Map<string, readonly Memory[]>();
  #createdCount = 0;

  constructor(lookup: MemoryLookup, nowMs: number) {
    this.#lookup = lookup;
    this.#nowMs = nowMs;
  }

  /** The number of the next new memory. */
  get nextMemoryNo(): number {
    return this.#lookup.nextMemoryNo + this.#createdCount;
  }

  /** Number of new memories so far, including evicted ones. */
  get createdCount(): number {
    return this.#createdCount;
  }

  get removed(): ReadonlySet<string> {
    return this.#removed;
  }

  get changed(): ReadonlyMap<string, Memory> {
    return this.#changed;
  }

  /** The stored form of a memory that was changed; undefined for a new one. */
  storedOf(memoryId: string): Memory | undefined {
    return this.#stored.get(memoryId);
  }

  byId(memoryId: string): Memory | undefined {
    const changed = this.#changed.get(memoryId);
    if (changed !== undefined || this.#removed.has(memoryId)) return changed;
    return this.#living(this.#lookup.byId(memoryId));
  }

  byText(scope: MemoryScope, kind: MemoryKind, textKey: string): readonly Memory[] {
    const stored = this.#lookup.byText(scope, kind, textKey);
    const changed = [...(this.#byText.get(textKey) ?? [])].flatMap(
      (memoryId) => this.#changed.get(memoryId) ?? [],
    );
    const isMeant = (memory: Memory): boolean =>
      isActive(memory) && memory.kind === kind && this.#keysOf(memory).text === textKey;
    return this.#seen(stored, scope, isMeant, changed);
  }

  byKey(scope: MemoryScope, key: string, state: Memory["state"] = "active"): readonly Memory[] {
    const stored = this.#list([`key ${state}`, scope, key, 0], () =>
      state === "active" ? this.#lookup.byKey(scope, key) : this.#lookup.pastByKey(scope, key),
    );
    return this.#seen(stored, scope, (m) => m.state === state && m.content.key === key);
  }

  byName(scope: MemoryScope, nameKey: string): Memory | undefined {
    const stored = this.#lookup.byName(scope, nameKey);
    const isNamed = (m: Memory): boolean => isActive(m) && this.#isNamed(m, "entity", nameKey);
    return this.#seen(stored === undefined ? [] : [stored], scope, isNamed)[0];
  }

  bySubject(
    scope: MemoryScope,
    nameKey: string,
    { limit, state = "active" }: { readonly limit: number; readonly state?: Memory["state"] },
  ): readonly Memory[] {
    const stored = this.#list([`subject ${state}`, scope, nameKey, limit], () =>
      state === "active"
        ? this.#lookup.bySubject(scope, nameKey, limit)
        : this.#lookup.pastBySubject(scope, nameKey, limit),
    );
    const isAbout = (m: Memory): boolean =>
      m.state === state && this.#isNamed(m, "relation", nameKey);
    return this.#seen(stored, scope, isAbout);
  }

  /** Active ones of a kind, the newest first. Does not remove those whose time has run out. */
  newest(scope: MemoryScope, kind: MemoryKind, limit: number): readonly Memory[] {
    const stored = this.#list(["newest", scope, kind, limit], () =>
      this.#lookup.newest(scope, new Set([kind]), limit),
    );
    const living = stored.filter((memory) => !isMemoryExpired(memory, this.#nowMs));
    const isMeant = (m: Memory): boolean => isActive(m) && m.kind === kind;
    return this.#seen(living, scope, isMeant).toReversed().slice(0, limit);
  }

  /** The answer of the lookup, asked once. */
  #list(
    asked: readonly [string, MemoryScope, string, number],
    read: () => readonly Memory[],
  ): readonly Memory[] {
    const [what, { userId, agentId, sessionId }, ...rest] = asked;
    const name = JSON.stringify([what, userId, agentId, sessionId, ...rest]);
    const listed = this.#listed.get(name) ?? read();
    this.#listed.set(name, listed);
    return listed;
  }

  /** Number of memories of a tier in the scope now. */
  count(scope: MemoryScope, tier: MemoryTier): number {
    return this.#lookup.count(scope, tier) + this.added(scope, tier);
  }

  /** Number of memories of a tier of the scope that the decision added. */
  added(scope: MemoryScope, tier: MemoryTier): number {
    const isIn = (memory: Memory | undefined): number =>
      memory !== undefined && tierOf(memory) === tier && isSameScope(memory.scope, scope) ? 1 : 0;
    let added = 0;
    for (const memory of this.#changed.values()) {
      added += isIn(memory) - isIn(this.#stored.get(memory.memoryId));
    }
    for (const memoryId of this.#removed) added -= isIn(this.#lookup.byId(memoryId));
    return added;
  }

  /** Those of a tier that may be evicted; among them all of the `limit` that go first. */
  evictable(scope: MemoryScope, tier: MemoryTier, limit: number): readonly Memory[] {
    // Of those that go first some may be changed or removed, and others follow them.
    const most = limit + this.#changed.size + this.#removed.size;
    const stored = this.#lookup.evictable(scope, tier, most);
    return this.#seen(stored, scope, (m) => tierOf(m) === tier && !m.persistent);
  }

  /** Puts a new memory, or a changed one: of several new states in one decision one is left. */
  put(memory: Memory): Memory {
    const { memoryId } = memory;
    if (!this.#changed.has(memoryId)) {
      const stored = this.#removed.has(memoryId) ? undefined : this.#lookup.byId(memoryId);
      if (stored === undefined) this.#createdCount++;
      else this.#stored.set(memoryId, stored);
    }
    const first = this.#stored.get(memoryId)?.version ?? 0;
    const version = Math.min(memory.version, first + 1);
    const put = { ...memory, version };
    this.#changed.set(memoryId, put);
    const { text } = this.#keysOf(put);
    const same = this.#byText.get(text);
    if (same === undefined) this.#byText.set(text, new Set([memoryId]));
    else same.add(memoryId);
    return put;
  }

  /** Takes a memory away. A new one was never there. */
  remove(memory: Memory): void {
    const { memoryId } = memory;
    const isNew = this.#changed.has(memoryId) && !this.#stored.has(memoryId);
    this.#changed.delete(memoryId);
    this.#stored.delete(memoryId);
    if (!isNew) this.#removed.add(memoryId);
  }

  #keysOf(memory: Memory): Keys {
    let keys = this.#keys.get(memory);
    if (keys === undefined) {
      keys = { text: textKeyOf(memory), names: namesOf(memory).map(nameKeyOf) };
      this.#keys.set(memory, keys);
    }
    return keys;
  }

  #isNamed(memory: Memory, kind: MemoryKind, nameKey: string): boolean {
    return memory.kind === kind && this.#keysOf(memory).names.includes(nameKey);
  }

  /** The memory, unless its time has run out: then it is removed. */
  #living(memory: Memory | undefined): Memory | undefined {
    if (memory === undefined || !isMemoryExpired(memory, this.#nowMs)) return memory;
    this.#removed.add(memory.memoryId);
    return undefined;
  }

  /** Stored ones as they are now, and changed ones, of a scope and as asked for, oldest first. */
  #seen(
    stored: readonly Memory[],
    scope: MemoryScope,
    isMeant: (memory: Memory) => boolean,
    changed: Iterable<Memory> = this.#changed.values(),
  ): readonly Memory[] {
    const seen: Memory[] = [];
    for (const memory of stored) {
      const { memoryId } = memory;
      const isKnown = this.#changed.has(memoryId) || this.#removed.has(memoryId);
      if (!isKnown && this.#living(memory) !== undefined) seen.push(memory);
    }
    for (const memory of changed) {
      if (isSameScope(memory.scope, scope) && isMeant(memory)) seen.push(memory);
    }
    return seen.sort(byNumber);
  }
}

function isActive({ state }: Memory): boolean {
  return state === "active";
}
