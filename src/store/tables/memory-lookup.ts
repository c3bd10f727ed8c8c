// Memories as decisions see them: the pending state, each part read when it is asked for, and each
// memory once. Valid until the change is applied.

import { LIMITS } from "../../kit/limits.ts";
import type { MemoryLookup } from "../../memory/rules/lookup.ts";
import {
  MEMORY_KINDS,
  type Memory,
  type MemoryKind,
  type MemoryScope,
  type MemoryTier,
  namesMessage,
} from "../../memory/rules/memory.ts";
import { afterPrefix, lastNumber, u64 } from "../engine/keys.ts";
import { readIndex, takeRows } from "../engine/reads.ts";
import { scopeIdOf } from "../scope-id.ts";
import type { MemoryReads } from "../store.ts";
import type { Core, LogAt } from "./core.ts";
import {
  type FoundMemory,
  memoryNoOf,
  needMemory,
  numbersOf,
  numbersWith,
  readMemories,
  readMemoryRow,
  readScope,
} from "./memories.ts";
import { kindNoOf, tierNoOf } from "./memory-index.ts";
import {
  MEMORY_IN,
  MEMORY_RANK,
  MEMORY_SOURCE,
  type MemoriesRow,
  promotedKey,
  rankClass,
  rankPart,
  type ScopeRow,
  scopePart,
  sourcePart,
  TERM,
  termOf,
  textTerm,
} from "./memory-tables.ts";
import { nextRevision } from "./replies.ts";

const SAME_TEXT_MAX = 16;
const SAME_KEY_MAX = LIMITS.changeMemories;

/** Reads of the memories of a namespace before a change. */
export class PendingMemories implements MemoryLookup {
  readonly #core: Core;
  readonly #namespace: string;
  readonly #looked: () => void;
  readonly #known = new Map<number, FoundMemory>();
  /** The numbers of ids that were asked for, also of those that nobody has. */
  readonly #numbers = new Map<string, number | undefined>();
  readonly #scopes = new Map<string, { readonly row: ScopeRow | undefined }>();
  #opened: { readonly row: MemoriesRow | undefined } | undefined;

  /** `looked` hears that something was read. */
  constructor(core: Core, namespace: string, looked: () => void) {
    this.#core = core;
    this.#namespace = namespace;
    this.#looked = looked;
  }

  /** The row of the namespace; undefined while it never held a memory. */
  get row(): MemoriesRow | undefined {
    this.#looked();
    this.#opened ??= { row: readMemories(this.#core, this.#namespace, "pending") };
    return this.#opened.row;
  }

  /** Location of the memories. */
  get log(): LogAt | undefined {
    const { row } = this;
    return row && { core: this.#core, visibility: "pending", logNo: row.logNo };
  }

  /** That of the change. */
  get revision(): number {
    return nextRevision(this.#core, this.#namespace);
  }

  get nextMemoryNo(): number {
    return this.row?.nextMemoryNo ?? 1;
  }

  /** A memory with its row, by its id. */
  find(memoryId: string): FoundMemory | undefined {
    const { log } = this;
    if (log === undefined) return undefined;
    if (!this.#numbers.has(memoryId)) this.#numbers.set(memoryId, memoryNoOf(log, memoryId));
    const memoryNo = this.#numbers.get(memoryId);
    return memoryNo === undefined ? undefined : this.#at(log, memoryNo);
  }

  byId(memoryId: string): Memory | undefined {
    return this.find(memoryId)?.memory;
  }

  byText(scope: MemoryScope, kind: MemoryKind, textKey: string): readonly Memory[] {
    return this.#with(scope, textTerm(kindNoOf(kind), textKey), { limit: SAME_TEXT_MAX });
  }

  byKey(scope: MemoryScope, key: string): readonly Memory[] {
    return this.#with(scope, termOf(TERM.key, key), { limit: SAME_KEY_MAX });
  }

  pastByKey(scope: MemoryScope, key: string): readonly Memory[] {
    const list = { limit: SAME_KEY_MAX, reverse: true };
    return this.#with(scope, termOf(TERM.pastKey, key), list);
  }

  byName(scope: MemoryScope, nameKey: string): Memory | undefined {
    return this.#with(scope, termOf(TERM.name, nameKey), { limit: 1 })[0];
  }

  bySubject(scope: MemoryScope, nameKey: string, limit: number): readonly Memory[] {
    return this.#with(scope, termOf(TERM.subject, nameKey), { limit });
  }

  pastBySubject(scope: MemoryScope, nameKey: string, limit: number): readonly Memory[] {
    return this.#with(scope, termOf(TERM.pastSubject, nameKey), { limit, reverse: true });
  }

  newest(scope: MemoryScope, kinds: ReadonlySet<MemoryKind>, limit: number): readonly Memory[] {
    const { log } = this;
    if (log === undefined) return [];
    const part = scopePart(scopeIdOf(scope));
    return MEMORY_KINDS.filter((kind) => kinds.has(kind))
      .flatMap((kind) => {
        const prefix = MEMORY_IN.prefix(log.logNo, part, kindNoOf(kind) * 2 + 0);
        return numbersOf(log, prefix, { limit, reverse: true });
      })
      .sort((a, b) => b - a)
      .slice(0, limit)
      .map((memoryNo) => this.#at(log, memoryNo).memory);
  }

  bySource(sessionId: string, messageId: string, limit: number): readonly Memory[] {
    const { log } = this;
    if (log === undefined) return [];
    const prefix = MEMORY_SOURCE.prefix(log.logNo, sourcePart(sessionId, messageId));
    // A version that knows no further sources leaves their rows when it changes a memory.
    return numbersOf(log, prefix, { limit })
      .filter((memoryNo) => readMemoryRow(log, memoryNo) !== undefined)
      .map((memoryNo) => this.#at(log, memoryNo).memory)
      .filter(({ source }) => namesMessage(source, sessionId, messageId));
  }

  count(scope: MemoryScope, tier: MemoryTier): number {
    return this.scopeRow(scopePart(scopeIdOf(scope)))?.counts[tierNoOf(tier) - 1] ?? 0;
  }

  /** The row of a scope as part of a key; undefined when nothing was ever in it. */
  scopeRow(part: string): ScopeRow | undefined {
    const { log } = this;
    let found = this.#scopes.get(part);
    if (found === undefined) {
      found = { row: log && readScope(log, part) };
      this.#scopes.set(part, found);
    }
    return found.row;
  }

  evictable(scope: MemoryScope, tier: MemoryTier, limit: number): readonly Memory[] {
    const { log } = this;
    if (log === undefined || limit <= 0) return [];
    const part = scopePart(scopeIdOf(scope));
    const found: Memory[] = [];
    for (const low of [1, 0]) {
      const of = { tierNo: tierNoOf(tier), persistent: 0, low };
      const prefix = MEMORY_RANK.prefix(log.logNo, part, rankClass(of));
      const range = { start: prefix + rankPart(0) + u64(0), end: afterPrefix(prefix) };
      const rows = takeRows(log.core, "pending", range, limit - found.length);
      found.push(...rows.map(({ key }) => this.#at(log, lastNumber(key)).memory));
    }
    return found;
  }

  wasPromoted(scope: MemoryScope, promotionKey: string): boolean {
    const { log } = this;
    if (log === undefined) return false;
    const key = promotedKey(log.logNo, scopePart(scopeIdOf(scope)), promotionKey);
    return readIndex(this.#core, key, "pending", () => true) === true;
  }

  #with(
    scope: MemoryScope,
    term: string,
    list: { readonly limit: number; readonly reverse?: boolean },
  ): readonly Memory[] {
    const { log } = this;
    const of = { scope: scopePart(scopeIdOf(scope)), term };
    return log === undefined
      ? []
      : numbersWith(log, of, list).map((memoryNo) => this.#at(log, memoryNo).memory);
  }

  #at(log: LogAt, memoryNo: number): FoundMemory {
    let found = this.#known.get(memoryNo);
    if (found === undefined) {
      found = needMemory(log, memoryNo);
      this.#known.set(memoryNo, found);
    }
    return found;
  }
}

// The reads of memories that decisions get: an object of functions that need no `this`,
// so that a decision may take it apart or put something else in its place.

/** The reads of pending memories. */
export function readsOf(pending: PendingMemories): MemoryReads {
  return {
    byId: (memoryId) => pending.byId(memoryId),
    byText: (scope, kind, textKey) => pending.byText(scope, kind, textKey),
    byKey: (scope, key) => pending.byKey(scope, key),
    pastByKey: (scope, key) => pending.pastByKey(scope, key),
    byName: (scope, nameKey) => pending.byName(scope, nameKey),
    bySubject: (scope, nameKey, limit) => pending.bySubject(scope, nameKey, limit),
    pastBySubject: (scope, nameKey, limit) => pending.pastBySubject(scope, nameKey, limit),
    newest: (scope, kinds, limit) => pending.newest(scope, kinds, limit),
    bySource: (sessionId, messageId, limit) => pending.bySource(sessionId, messageId, limit),
    count: (scope, tier) => pending.count(scope, tier),
    evictable: (scope, tier, limit) => pending.evictable(scope, tier, limit),
    wasPromoted: (scope, promotionKey) => pending.wasPromoted(scope, promotionKey),
    get nextMemoryNo() {
      return pending.nextMemoryNo;
    },
  };
}
