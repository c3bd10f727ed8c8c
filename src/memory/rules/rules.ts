// Rules of remembering, and the drafts and plans of a decision.

import type { Trust } from "../../summary/rules/summary.ts";
import {
  MEMORY_DEFAULTS,
  type Memory,
  type MemoryContent,
  type MemoryKind,
  type MemoryScope,
  type MemorySource,
  type MemoryTier,
} from "./memory.ts";
import type { MemoryOverlay } from "./overlay.ts";

/** Memories that count as known; see memorysidecar.v1.DedupeRule. */
export interface DedupeRule {
  readonly mode: "same-text" | "similar" | "none";
  readonly threshold: number;
  readonly window: number;
  readonly keepUnchanged: boolean;
}

/** Settlement of contradictions; see memorysidecar.v1.ConflictRule. */
export interface ConflictRule {
  readonly mode: "keep-both" | "supersede" | "merge";
  /** A subject has one object for each predicate. */
  readonly singleObject: boolean;
}

/** A hook's answer for one draft and the memories that it contradicts. */
export interface Resolved {
  readonly action: ConflictRule["mode"] | "drop";
  /** For a merge: the text that replaces all. */
  readonly text?: string;
  /** Those it was asked about, with their etag revisions: else both are kept. */
  readonly asked: ReadonlyMap<string, number>;
}

export type RememberOutcome =
  | "created"
  | "reinforced"
  | "unchanged"
  | "updated"
  | "superseded"
  | "dropped";

/** A draft of a memory, complete except for the fields that the decision sets. */
export interface NewMemory {
  /** Empty asks for one. */
  readonly memoryId: string;
  readonly kind: MemoryKind;
  readonly scope: MemoryScope;
  readonly content: MemoryContent;
  readonly confidence: number;
  readonly trust: Trust;
  readonly persistent: boolean;
  readonly ttlMs: number;
  readonly source: MemorySource;
  /** Undefined means now. */
  readonly lastSeenMs: number | undefined;
  /** Only for one with the id of a memory that exists: the etag revision it must still have. */
  readonly expectedRevision?: number;
  /** Of a hook that was asked about this one. */
  readonly resolved?: Resolved;
}

const NO_METADATA = new Uint8Array(0);

/** A memory that the server makes itself, with the defaults of what nobody said. */
export function learnt(
  own: Pick<NewMemory, "kind" | "scope" | "trust" | "source">,
  { text, ...content }: Partial<MemoryContent> & Pick<MemoryContent, "text">,
  confidence: number = MEMORY_DEFAULTS.confidence,
): NewMemory {
  const { category, importance } = MEMORY_DEFAULTS;
  return {
    ...{ ...own, confidence, memoryId: "", persistent: false, ttlMs: 0, lastSeenMs: undefined },
    content: {
      ...{ text, structure: undefined, key: "", category, topics: [], importance },
      ...{ labels: new Map(), metadata: NO_METADATA, validFromMs: undefined, validToMs: undefined },
      ...content,
    },
  };
}

export interface RememberRules {
  readonly dedupe: DedupeRule;
  readonly conflict: ConflictRule;
  /**
   * The most memories of each tier in a scope afterwards; unset tiers have no limit of the call.
   */
  readonly limits: Readonly<Partial<Record<MemoryTier, number>>>;
}

/** Author, time and ids of a decision. */
export interface Stamp {
  /** The store's revision of the change. */
  readonly revision: number;
  readonly nowMs: number;
  readonly writer: string;
  readonly reason: string;
  /** A fresh id for the index-th new memory of the change. */
  readonly newId: (index: number) => string;
}

/** The result for one NewMemory. */
export interface Remembered {
  /** The memory that now holds it; undefined when it was dropped. */
  readonly memory: Memory | undefined;
  readonly outcome: RememberOutcome;
  readonly supersededIds: readonly string[];
}

/** A decided change of memories. */
export interface RememberPlan {
  readonly put: readonly Memory[];
  /** Evicted memories, and expired ones that were in the way. */
  readonly remove: readonly string[];
  readonly results: readonly Remembered[];
  /** New ones that are still there, changed ones with a new state, only reinforced ones. */
  readonly createdIds: readonly string[];
  readonly updatedIds: readonly string[];
  readonly reinforcedIds: readonly string[];
  /** Also new ones that were evicted at once: nothing of them is put or removed. */
  readonly evictedIds: readonly string[];
}

/** A decision about new memories that is being made. */
export interface Decision {
  readonly overlay: MemoryOverlay;
  readonly rules: RememberRules;
  readonly stamp: Stamp;
}
