// The memories that decisions may ask for.

import type { Memory, MemoryKind, MemoryScope, MemoryTier } from "./memory.ts";

/** Read access to the memories of a namespace for pure decisions. */
export interface MemoryLookup {
  /** Also one whose time has run out. */
  byId(memoryId: string): Memory | undefined;
  /**
   * Active ones of the scope with this kind and text key (see textKeyOf), oldest first; at most 16.
   */
  byText(scope: MemoryScope, kind: MemoryKind, textKey: string): readonly Memory[];
  /** Active ones of the scope with this `key`, oldest first; at most 1,000. */
  byKey(scope: MemoryScope, key: string): readonly Memory[];
  /**
   * Superseded ones of the scope with this `key`, the newest number first; at most 1,000. A memory
   * that comes late finds its place in the history by them.
   */
  pastByKey(scope: MemoryScope, key: string): readonly Memory[];
  /** The active entity of the scope with this name or alias (see nameKeyOf); the oldest one. */
  byName(scope: MemoryScope, nameKey: string): Memory | undefined;
  /** Active relations of the scope with this subject (a name key), oldest first. */
  bySubject(scope: MemoryScope, nameKey: string, limit: number): readonly Memory[];
  /** Superseded relations of the scope with this subject, the newest number first. */
  pastBySubject(scope: MemoryScope, nameKey: string, limit: number): readonly Memory[];
  /** Active ones of the scope, of any of the kinds, the newest number first. */
  newest(scope: MemoryScope, kinds: ReadonlySet<MemoryKind>, limit: number): readonly Memory[];
  /** Those of any scope and state that name a message of a session, the oldest number first. */
  bySource(sessionId: string, messageId: string, limit: number): readonly Memory[];
  /** Number of memories of a tier in the scope, including persistent ones. */
  count(scope: MemoryScope, tier: MemoryTier): number;
  /**
   * Those of a tier that may be evicted: by rising trust, then rank, then number. Persistent ones
   * are left out.
   */
  evictable(scope: MemoryScope, tier: MemoryTier, limit: number): readonly Memory[];
  /**
   * Whether a text was promoted to the scope before, by its key; see promotionKeyOf. Outlives a
   * memory that is evicted, not one that is forgotten.
   */
  wasPromoted(scope: MemoryScope, promotionKey: string): boolean;
  /** The number of the next new memory of the namespace. */
  readonly nextMemoryNo: number;
}
