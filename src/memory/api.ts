// The inputs and results of long-term memory, in domain terms. Mutations take an `encode` function
// for their answer, as those of api.ts do.

import type {
  AskedSection,
  BlockRules,
  ContextProfile,
  PackedContext,
} from "../context/rules/types.ts";
import type { RecallCoverage } from "../recall/api.ts";
import type { RecallWeights } from "../recall/rank/weights.ts";
import type { RecallFilter } from "../recall/rules/filter.ts";
import type { MemoryFilter } from "../recall/rules/memory-filter.ts";
import type { ScoringOf } from "../recall/rules/scoring.ts";
import type { SessionRef } from "../session/rules/session.ts";
import type { Trust } from "../summary/rules/summary.ts";
import type { ExtractionPolicy, ImportanceRule } from "../window/policy/memory-policy.ts";
import type { Policy, TokenRule } from "../window/policy/policy.ts";
import type { Memory, MemoryKind, MemoryRef, MemoryScope } from "./rules/memory.ts";
import type { ConflictRule, DedupeRule, RememberOutcome } from "./rules/rules.ts";

/** A memory as a caller gave it: `undefined` means not set. */
export interface MemoryDraft {
  /** Empty asks the server for one. */
  readonly memoryId: string;
  readonly kind: MemoryKind;
  readonly scope: MemoryScope;
  /** May be empty for the kinds with a structure. */
  readonly text: string;
  readonly structure: Memory["content"]["structure"];
  readonly key: string;
  readonly category: string;
  readonly topics: readonly string[];
  readonly importance: number | undefined;
  readonly confidence: number | undefined;
  readonly trust: Trust;
  readonly persistent: boolean;
  readonly labels: ReadonlyMap<string, string>;
  readonly metadata: Uint8Array;
  readonly validFromMs: number | undefined;
  readonly validToMs: number | undefined;
  readonly ttlMs: number;
  readonly source: { readonly sessionId: string; readonly messageIds: readonly string[] };
  readonly lastSeenMs: number | undefined;
  /** Empty means any. */
  readonly etag: string;
}

/** Settlement of contradictions, possibly by a hook. */
export interface ConflictInput {
  readonly mode: ConflictRule["mode"] | "ask-hook";
  /** Empty means the server's default. */
  readonly hook: string;
  readonly singleObject: boolean;
}

/** The result for one memory. */
interface RememberedMemory {
  /** Empty when it was dropped. */
  readonly memoryId: string;
  readonly outcome: RememberOutcome;
  /** Empty when it was dropped or evicted. */
  readonly etag: string;
  readonly supersededIds: readonly string[];
}

export interface RememberResult {
  readonly results: readonly RememberedMemory[];
  readonly evictedIds: readonly string[];
  readonly revision: number;
}

export interface RememberInput {
  readonly namespace: string;
  readonly drafts: readonly MemoryDraft[];
  readonly dedupe: DedupeRule;
  readonly conflict: ConflictInput;
  /** 0 means no limit but that of the server. */
  readonly maxMemories: number;
  readonly neutralizePromptMarkers: boolean;
  readonly reason: string;
  readonly encode: (result: RememberResult) => Uint8Array;
}

export type MemoryOrder = "oldest" | "newest" | "importance" | "confidence" | "last-seen";

export interface ListMemoriesInput {
  readonly namespace: string;
  readonly filter: MemoryFilter;
  readonly asOfMs: number | undefined;
  readonly order: MemoryOrder;
  /**
   * Start of the page: after this memory number for the orders of time, otherwise an offset; 0 for
   * the first page.
   */
  readonly after: number;
  readonly limit: number;
  /** Default false. */
  readonly includeTotal?: boolean;
}

export interface SearchMemoriesInput {
  readonly namespace: string;
  readonly query: string;
  readonly filter: MemoryFilter;
  readonly scoring: ScoringOf<"memory">;
  readonly limit: number;
  readonly minScore: number | undefined;
  /** Overrides states and time of validity in the filter. */
  readonly validity: RecallFilter["validity"];
  /** Undefined means now. */
  readonly referenceMs: number | undefined;
  /** Only what happened, became true or was last said from this time on, and before that one. */
  readonly fromMs: number | undefined;
  readonly beforeMs: number | undefined;
}

export interface MemoryMatch {
  readonly memory: Memory;
  readonly score: number;
}

/** The paths of UpdateMemory. */
export type MemoryPath =
  | "text"
  | "entity"
  | "relation"
  | "episode"
  | "key"
  | "category"
  | "topics"
  | "importance"
  | "confidence"
  | "trust"
  | "persistent"
  | "labels"
  | "metadata"
  | "valid_from_time"
  | "valid_until_time"
  | "ttl"
  | "last_seen_time";

/** A new state of a memory, and the revision of the change. */
export interface ChangedMemory {
  readonly memory: Memory;
  readonly revision: number;
}

export interface UpdateMemoryInput extends MemoryRef {
  /** Its etag may be empty: any. */
  readonly draft: MemoryDraft;
  readonly paths: readonly MemoryPath[];
  readonly reason: string;
  readonly encode: (result: ChangedMemory) => Uint8Array;
}

export interface ReinforceInput {
  readonly namespace: string;
  readonly memoryIds: readonly string[];
  readonly amount: number;
  readonly allowMissing: boolean;
  readonly encode: (result: {
    readonly memories: readonly Memory[];
    readonly revision: number;
  }) => Uint8Array;
}

export interface DecayInput {
  readonly namespace: string;
  readonly filter: MemoryFilter;
  readonly factor: number;
  readonly deleteBelow: number;
  readonly unseenForMs: number;
  /** Goes on after this number; 0 from the start. */
  readonly after: number;
  readonly encode: (result: DecayResult) => Uint8Array;
}

export interface DecayResult {
  readonly decayedCount: number;
  readonly deletedIds: readonly string[];
  /** Undefined when all are done. */
  readonly next: number | undefined;
  readonly revision: number;
}

export interface ForgetInput {
  readonly namespace: string;
  readonly memoryIds: readonly string[];
  readonly etag: string;
  readonly allowMissing: boolean;
  readonly encode: (result: { forgottenCount: number; revision: number }) => Uint8Array;
}

export interface PurgeResult {
  readonly memoryCount: number;
  readonly sampleIds: readonly string[];
  readonly more: boolean;
  readonly revision: number;
}

export interface PurgeInput {
  readonly namespace: string;
  readonly filter: MemoryFilter;
  readonly force: boolean;
  readonly encode: (result: PurgeResult) => Uint8Array;
}

export interface RestoreVersionInput extends MemoryRef {
  readonly version: number;
  readonly etag: string;
  readonly reason: string;
  readonly encode: (result: ChangedMemory) => Uint8Array;
}

export interface MergeEntitiesInput {
  readonly namespace: string;
  readonly targetMemoryId: string;
  readonly sourceMemoryIds: readonly string[];
  readonly reason: string;
  readonly encode: (result: ChangedMemory) => Uint8Array;
}

export interface QueryRelationsInput {
  readonly namespace: string;
  readonly filter: MemoryFilter;
  /** Empty means any, as for those below. */
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly entity: string;
  readonly maxHops: number;
  readonly keywords: readonly string[];
  /** Continues after this relation; undefined from the start. */
  readonly after: RelationPlace | undefined;
  readonly limit: number;
}

/** The place of a relation in an answer: by steps, then oldest first. */
export interface RelationPlace {
  readonly hop: number;
  readonly memoryNo: number;
}

/** The relations of a query. */
export interface RelationsFound {
  readonly relations: readonly FoundRelation[];
  /** Whether there are more. */
  readonly hasMore: boolean;
  /** The scan ended early: matching relations may be missing. */
  readonly truncated: boolean;
}

export interface FoundRelation {
  readonly memory: Memory;
  readonly hop: number;
}

export interface ConsolidateResult {
  readonly promotedIds: readonly string[];
  readonly evictedIds: readonly string[];
  readonly revision: number;
}

export interface ConsolidateInput extends SessionRef {
  readonly encode: (result: ConsolidateResult) => Uint8Array;
}

/** Importance of a text or a message by rules; the rule is empty if none fits. */
export interface ImportanceScore {
  readonly score: number;
  readonly rule: string;
  /** Empty for a text. */
  readonly messageId: string;
}

interface ExtractResult {
  readonly memories: readonly Memory[];
  readonly createdCount: number;
  readonly rejectedCount: number;
  readonly revision: number;
  /** Empty unless it is a preview. */
  readonly scores: readonly ImportanceScore[];
}

export interface ExtractMemoriesInput {
  readonly namespace: string;
  /** Empty with `text`. */
  readonly sessionId: string;
  /** 0 means as the contract says, as for `lastSeq`. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly text: string;
  /** Of memories from `text`. */
  readonly scope: MemoryScope;
  readonly extraction: ExtractionPolicy | undefined;
  readonly preview: boolean;
  /** Of the scores of a preview; none means as the contract says. */
  readonly importanceRules: readonly ImportanceRule[];
  readonly encode: (result: ExtractResult) => Uint8Array;
}

export interface AssembleContextInput {
  readonly namespace: string;
  /** Empty without a session. */
  readonly sessionId: string;
  /** Scope of the reader; undefined means the session with its user and agent. */
  readonly scope: MemoryScope | undefined;
  readonly query: string;
  readonly maxTokens: number;
  /** Token counting; undefined means that of the session's policy. Never `given`. */
  readonly counting:
    | Pick<Policy, "tokenRule" | "model" | "customTokenRule" | "imageTokenCount">
    | undefined;
  /** Empty means those of the profile. */
  readonly sections: readonly AskedSection[];
  /** Collections whose documents count, with those below them. Empty means all. */
  readonly collectionIds: readonly string[];
  readonly profile: ContextProfile;
  readonly includeConversation: boolean;
  /** Undefined means that of the profile, as for `fence`. */
  readonly compactionThreshold: number | undefined;
  /** Undefined means the calibrated one, as for the best item of a section. */
  readonly minRelevance: number | undefined;
  readonly minBestRelevance: number | undefined;
  readonly weights: Partial<RecallWeights>;
  /** Undefined means now. */
  readonly referenceMs: number | undefined;
  readonly fence: boolean | undefined;
  readonly blocks: readonly BlockRules[];
  /** The conversation comes as messages, in a form that adds these texts to them. */
  readonly addedTo?: ((messages: readonly Uint8Array[]) => readonly string[]) | undefined;
}

export interface AssembledContext extends PackedContext {
  readonly coverage: RecallCoverage | undefined;
  readonly tokenRule: TokenRule;
}
