// Options of the methods for long-term memory.

import { CALL_OPTIONS, type CallOptions, MUTATION_OPTIONS, type MutationOptions } from "./call.ts";
import type { FormName } from "./forms.ts";
import {
  ConflictMode,
  DedupeMode,
  MemoryOrder,
  MemoryOrigin,
  MemoryState,
} from "./gen/memorysidecar/v1/memory.ts";
import type { DeepPartial } from "./gen/memorysidecar/v1/message.ts";
import type { CustomTokenRule, TokenRule } from "./gen/memorysidecar/v1/policy.ts";
import { ContextPlace, ContextSectionKind } from "./gen/memorysidecar/v1/recall.ts";
import type { MemoryKindName } from "./memory-kinds.ts";
import type { ExtractionInput, ImportanceRuleInput } from "./memory-policy.ts";
import type { JsonObject } from "./message.ts";
import type { MetadataInput } from "./metadata.ts";
import { LIST_OPTIONS, type ListOptions, type SeqInput } from "./options.ts";
import type { WeightsInput } from "./recall-options.ts";
import { SCOPE_FIELDS, type ScopeInput, type ScopeMatch } from "./scope-filter.ts";

export const MEMORY_STATES = {
  active: MemoryState.ACTIVE,
  superseded: MemoryState.SUPERSEDED,
} as const;
export const MEMORY_ORIGINS = {
  caller: MemoryOrigin.CALLER,
  promotion: MemoryOrigin.PROMOTION,
  extraction: MemoryOrigin.EXTRACTION,
  turn: MemoryOrigin.TURN,
} as const;
export const DEDUPES = {
  "same-text": DedupeMode.SAME_TEXT,
  similar: DedupeMode.SIMILAR,
  none: DedupeMode.NONE,
} as const;
export const CONFLICTS = {
  "keep-both": ConflictMode.KEEP_BOTH,
  supersede: ConflictMode.SUPERSEDE,
  merge: ConflictMode.MERGE,
  "ask-hook": ConflictMode.ASK_HOOK,
} as const;
export const MEMORY_ORDERS = {
  oldest: MemoryOrder.CREATE_TIME_ASC,
  newest: MemoryOrder.CREATE_TIME_DESC,
  importance: MemoryOrder.IMPORTANCE_DESC,
  confidence: MemoryOrder.CONFIDENCE_DESC,
  "last-seen": MemoryOrder.LAST_SEEN_TIME_DESC,
} as const;
export const SECTIONS = {
  summary: ContextSectionKind.SUMMARY,
  "long-term": ContextSectionKind.LONG_TERM,
  entities: ContextSectionKind.ENTITIES,
  relations: ContextSectionKind.RELATIONS,
  episodes: ContextSectionKind.EPISODES,
  "recalled-messages": ContextSectionKind.RECALLED_MESSAGES,
  documents: ContextSectionKind.DOCUMENTS,
  conversation: ContextSectionKind.CONVERSATION,
  "daily-log": ContextSectionKind.DAILY_LOG,
} as const;

export const PLACES = {
  system: ContextPlace.SYSTEM,
  "user-message": ContextPlace.USER_MESSAGE,
  "tool-result": ContextPlace.TOOL_RESULT,
} as const;

/** A kind of section of a context. */
export type SectionName = keyof typeof SECTIONS;

/** A memory to remember: the fields a caller may set. */
export interface MemoryFields extends ScopeInput {
  readonly memoryId?: string | undefined;
  /** Default: `fact`, or that of the structure that is given. */
  readonly kind?: MemoryKindName | undefined;
  readonly text?: string | undefined;
  readonly entity?:
    | {
        readonly name: string;
        readonly type?: string;
        readonly aliases?: readonly string[];
        readonly attributes?: Readonly<Record<string, string>>;
      }
    | undefined;
  readonly relation?:
    | { readonly subject: string; readonly predicate: string; readonly objectValue: string }
    | undefined;
  readonly episode?: { readonly userText?: string; readonly assistantText?: string } | undefined;
  /** The question that it currently answers. */
  readonly key?: string | undefined;
  readonly category?: string | undefined;
  readonly topics?: readonly string[] | undefined;
  readonly importance?: number | undefined;
  readonly confidence?: number | undefined;
  /** Low for content from outside. Default medium. */
  readonly trust?: "low" | "medium" | undefined;
  readonly persistent?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly validFromTime?: Date | undefined;
  readonly validUntilTime?: Date | undefined;
  /**
   * Time that it lives after it was last remembered or updated, in milliseconds. Default: without
   * limit.
   */
  readonly ttlMs?: number | undefined;
  readonly lastSeenTime?: Date | undefined;
  /** The messages that say it. */
  readonly source?:
    | { readonly sessionId: string; readonly messageIds?: readonly string[] }
    | undefined;
  /** The memory with this id must still have this etag. */
  readonly etag?: string | undefined;
}

export const MEMORY_FIELDS = {
  ...{ ...SCOPE_FIELDS, memoryId: true, kind: true, text: true, key: true, category: true },
  ...{ entity: true, relation: true, episode: true, topics: true, importance: true },
  ...{ confidence: true, trust: true, persistent: true, labels: true, metadata: true },
  ...{ validFromTime: true, validUntilTime: true, ttlMs: true, lastSeenTime: true },
  ...{ source: true, etag: true },
} as const;

/** A memory to remember: a text, which is a fact, or its fields. */
export type MemoryInput = string | MemoryFields;

/** Filter of memories. Every condition that is set must hold. */
export interface MemoryFilterInput extends ScopeInput {
  /**
   * Comparison of user, agent and session: `visible-to` means what they may see, which is
   * theirs and what everybody shares; `exact` means this scope alone; `owned-by` means theirs
   * without what is shared, whatever the members that are not given. Default: `visible-to` to read,
   * `owned-by` to purge, decay and export.
   */
  readonly scope?: ScopeMatch | undefined;
  /** Means memories whoever their user is. Default false: where no user is given, shared ones. */
  readonly everyone?: boolean | undefined;
  readonly kinds?: readonly MemoryKindName[] | undefined;
  /** Default: active ones. */
  readonly states?: readonly (keyof typeof MEMORY_STATES)[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly topics?: readonly string[] | undefined;
  readonly key?: string | undefined;
  readonly textContains?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: readonly MetadataInput[] | undefined;
  readonly minImportance?: number | undefined;
  readonly minConfidence?: number | undefined;
  readonly minTrust?: "low" | "medium" | "high" | undefined;
  readonly persistent?: boolean | undefined;
  /** True in the world then. */
  readonly validAtTime?: Date | undefined;
  readonly createTimeFrom?: Date | undefined;
  readonly createTimeBefore?: Date | undefined;
  readonly lastSeenTimeFrom?: Date | undefined;
  readonly lastSeenTimeBefore?: Date | undefined;
  readonly sourceSessionId?: string | undefined;
  readonly origin?: keyof typeof MEMORY_ORIGINS | undefined;
}

export const MEMORY_FILTER = {
  ...{ ...SCOPE_FIELDS, scope: true, everyone: true, kinds: true, states: true },
  ...{ categories: true, topics: true, key: true, textContains: true, labels: true },
  ...{ metadata: true, minImportance: true, minConfidence: true, minTrust: true },
  ...{ persistent: true, validAtTime: true, createTimeFrom: true, createTimeBefore: true },
  ...{ lastSeenTimeFrom: true, lastSeenTimeBefore: true, sourceSessionId: true, origin: true },
} as const;

/** Options for remembering. */
export interface RememberOptions extends MutationOptions {
  /** Whom memories belong to that name no scope. Default: everybody. */
  readonly scope?: ScopeInput | undefined;
  /** Rule for memories that are already known. Default `same-text`. */
  readonly dedupe?:
    | keyof typeof DEDUPES
    | {
        readonly mode: keyof typeof DEDUPES;
        readonly threshold?: number;
        readonly window?: number;
        readonly keepUnchanged?: boolean;
      }
    | undefined;
  /** Rule for memories with the same key. Default `keep-both`. */
  readonly conflict?:
    | keyof typeof CONFLICTS
    | {
        readonly mode: keyof typeof CONFLICTS;
        readonly hook?: string;
        readonly singleObject?: boolean;
      }
    | undefined;
  /** Maximum number of memories of each tier in the scope. Default: the server's limit. */
  readonly maxMemories?: number | undefined;
  /** Takes the power out of what looks like markers of prompts. Default false. */
  readonly neutralizePromptMarkers?: boolean | undefined;
  readonly reason?: string | undefined;
}

export const REMEMBER_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, scope: true, dedupe: true, conflict: true, maxMemories: true },
  ...{ neutralizePromptMarkers: true, reason: true },
} as const;

/** The time of which memories are given. */
export interface AsOfOptions {
  /** Gives what was known at this time. Default: now. */
  readonly asOfTime?: Date | undefined;
  /** The same as `asOfTime`, which wins. */
  readonly asOf?: Date | undefined;
}

export const GET_MEMORY_OPTIONS = { ...CALL_OPTIONS, asOfTime: true, asOf: true } as const;

/** Options of a list of memories. */
export interface ListMemoriesOptions extends ListOptions, AsOfOptions {
  readonly filter?: MemoryFilterInput | undefined;
  /** Default `oldest`. */
  readonly order?: keyof typeof MEMORY_ORDERS | undefined;
}

/** Options for counting memories. */
export type CountMemoriesOptions = Omit<ListMemoriesOptions, "order" | "pageSize">;

export const COUNT_MEMORIES_OPTIONS = { ...GET_MEMORY_OPTIONS, filter: true } as const;
export const LIST_MEMORIES_OPTIONS = {
  ...{ ...COUNT_MEMORIES_OPTIONS, ...LIST_OPTIONS, order: true },
} as const;

/** Changes of a memory. */
export interface UpdateMemoryOptions extends MutationOptions {
  /** The fields to change, by their names in the contract. Default: those that are given. */
  readonly updateMask?: readonly string[] | undefined;
  readonly reason?: string | undefined;
}

export const UPDATE_MEMORY_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, updateMask: true, reason: true },
} as const;

export interface ReinforceOptions extends MutationOptions {
  /** Added to the confidence. Default 0.1. */
  readonly amount?: number | undefined;
  readonly allowMissing?: boolean | undefined;
}

export const REINFORCE_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, amount: true, allowMissing: true },
} as const;

export interface DecayOptions extends MutationOptions {
  readonly filter: MemoryFilterInput;
  /** Default 0.8. */
  readonly factor?: number | undefined;
  readonly deleteBelow?: number | undefined;
  readonly unseenForMs?: number | undefined;
  /** The `nextPageToken` of an earlier answer. */
  readonly pageToken?: string | undefined;
}

export const DECAY_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, filter: true, factor: true, deleteBelow: true },
  ...{ unseenForMs: true, pageToken: true },
} as const;

export interface RestoreMemoryOptions extends MutationOptions {
  readonly etag?: string | undefined;
  readonly reason?: string | undefined;
}

export const RESTORE_MEMORY_OPTIONS = { ...MUTATION_OPTIONS, etag: true, reason: true } as const;

/** A pattern of relations, in which an empty place fits anything. */
export interface RelationPattern extends CallOptions {
  readonly subject?: string | undefined;
  readonly predicate?: string | undefined;
  readonly objectValue?: string | undefined;
  /** Subject or object. */
  readonly entity?: string | undefined;
  readonly filter?: MemoryFilterInput | undefined;
  /** Default 1. */
  readonly maxHops?: number | undefined;
  readonly keywords?: readonly string[] | undefined;
  /** Default 100. */
  readonly pageSize?: number | undefined;
  /** The `nextPageToken` of an earlier answer. */
  readonly pageToken?: string | undefined;
}

export const RELATION_PATTERN = {
  ...{ ...LIST_OPTIONS, subject: true, predicate: true, objectValue: true, entity: true },
  ...{ filter: true, maxHops: true, keywords: true, pageToken: true },
} as const;

export interface RecordTurnOptions extends MutationOptions {
  /** When the turn was. Default: now. */
  readonly turnTime?: Date | undefined;
  readonly expectedLastSeq?: SeqInput | undefined;
  /** Creates the session if it does not exist. */
  readonly createSession?: boolean | undefined;
}

export const RECORD_TURN_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, turnTime: true, expectedLastSeq: true, createSession: true },
} as const;

export interface ExtractOptions extends MutationOptions {
  /** The messages of this session. */
  readonly sessionId?: string | undefined;
  readonly firstSeq?: SeqInput | undefined;
  readonly lastSeq?: SeqInput | undefined;
  /** A text instead. */
  readonly text?: string | undefined;
  /** Whom memories from `text` belong to. Default: everybody shares them. */
  readonly scope?: ScopeInput | undefined;
  readonly extraction?: ExtractionInput | undefined;
  /** Remembers nothing, and gives `scores`: how important the messages are. Default false. */
  readonly preview?: boolean | undefined;
  /** The rules of these scores. Default: those of the session, else those of the server. */
  readonly importanceRules?: readonly ImportanceRuleInput[] | undefined;
}

export const EXTRACT_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, sessionId: true, firstSeq: true, lastSeq: true, text: true },
  ...{ scope: true, extraction: true, preview: true, importanceRules: true },
} as const;

/** A section of a context: its kind, or more. */
export type SectionInput =
  | SectionName
  | {
      readonly kind: SectionName;
      readonly share?: number;
      /** Share for items that match the query, before other shares are given out. */
      readonly firstShare?: number;
      readonly limit?: number;
      readonly heading?: string;
      readonly maxChars?: number;
    };

export const SECTION_FIELDS = {
  ...{ kind: true, share: true, firstShare: true, limit: true, heading: true, maxChars: true },
} as const;

/** Sections of a context with a text and a place of their own. */
export interface BlockInput {
  readonly name: string;
  readonly place: keyof typeof PLACES;
  readonly sections: readonly SectionName[];
  /** Marks that declare it as data: the name of a tag, or the lines before and after it. */
  readonly fence?: string | { readonly open: string; readonly close: string } | undefined;
  /** Maximum cost in tokens. Default: only the budget of the context. */
  readonly maxTokens?: number | undefined;
  /** The tool, for `tool-result`. */
  readonly toolName?: string | undefined;
  /** Id of the tool call. Default: the name of the block. */
  readonly toolCallId?: string | undefined;
  /** Arguments of the tool call. Default: none. */
  readonly toolArguments?: JsonObject | undefined;
}

export const BLOCK_FIELDS = {
  ...{ name: true, place: true, sections: true, fence: true, maxTokens: true },
  ...{ toolName: true, toolCallId: true, toolArguments: true },
} as const;

/** Parts and limits of a whole prompt in the form of a model API. */
export interface FormContextOptions extends ContextOptions {
  readonly form: FormName;
}

/** Parts and limits of a context. */
export interface ContextOptions extends CallOptions {
  readonly sessionId?: string | undefined;
  /** Scope of the reader. Default of agent and session: those of the session. */
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly query?: string | undefined;
  /** Default 4,000. */
  readonly maxTokens?: number | undefined;
  readonly tokenRule?: TokenRule | undefined;
  readonly model?: string | undefined;
  readonly customTokenRule?: DeepPartial<CustomTokenRule> | undefined;
  /** A token rule by its name, in place of `tokenRule`. */
  readonly tokenPreset?: string | undefined;
  /** Default: those of the profile. */
  readonly sections?: readonly SectionInput[] | undefined;
  /** `default`, `selectools`, `lauren` or `definable`. Default `default`. */
  readonly profile?: string | undefined;
  /** Leaves out the window. Default false. */
  readonly excludeConversation?: boolean | undefined;
  readonly compactionThreshold?: number | undefined;
  /** Leaves out less relevant messages, documents and memories, 0 to 1. Default 0.05. */
  readonly minRelevance?: number | undefined;
  /** Leaves out all recalled messages, or documents, when the best has less. Default 0.25. */
  readonly minBestRelevance?: number | undefined;
  /** Collections whose documents are considered, with all below them. Default: all. */
  readonly collectionIds?: readonly string[] | undefined;
  readonly weights?: WeightsInput | undefined;
  readonly referenceTime?: Date | undefined;
  /** Whether the content stands between marks that say that it is data. Default: as the profile. */
  readonly fence?: boolean | undefined;
  /** Sections with a text and a place of their own. */
  readonly blocks?: readonly BlockInput[] | undefined;
}

export const CONTEXT_PARTS = {
  ...{ userId: true, agentId: true, query: true, maxTokens: true, tokenRule: true, model: true },
  ...{ customTokenRule: true, tokenPreset: true, sections: true, profile: true },
  ...{ excludeConversation: true, compactionThreshold: true, minRelevance: true },
  ...{ minBestRelevance: true, collectionIds: true, weights: true, referenceTime: true },
  ...{ fence: true, blocks: true },
} as const;
export const CONTEXT_OPTIONS = {
  ...{ ...CALL_OPTIONS, ...CONTEXT_PARTS, sessionId: true, form: true },
} as const;
