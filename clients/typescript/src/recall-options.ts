// Options of the methods for recall and documents.

import { CALL_OPTIONS, type CallOptions, MUTATION_OPTIONS, type MutationOptions } from "./call.ts";
import { EmbeddingPurpose } from "./gen/memorysidecar/v1/document.ts";
import { Trust } from "./gen/memorysidecar/v1/message.ts";
import type { CustomTokenRule, TokenRule } from "./gen/memorysidecar/v1/policy.ts";
import {
  FusionMethod,
  RecallKind,
  RecallMode,
  type RecallWeights,
} from "./gen/memorysidecar/v1/recall.ts";
import { ItemGroupOrder } from "./gen/memorysidecar/v1/recall_service.ts";
import type { MemoryKindName } from "./memory-kinds.ts";
import type { JsonObject, MessageInput, RoleInput } from "./message.ts";
import type { MetadataInput } from "./metadata.ts";
import { LIST_OPTIONS, type ListOptions } from "./options.ts";
import { SCOPE_FIELDS, type ScopeInput, type ScopeMatch } from "./scope-filter.ts";

export const RECALL_MODES = {
  hybrid: RecallMode.HYBRID,
  lexical: RecallMode.LEXICAL,
  dense: RecallMode.DENSE,
} as const;
export const FUSIONS = {
  scores: FusionMethod.SCORES,
  "reciprocal-rank": FusionMethod.RECIPROCAL_RANK,
} as const;
export const RECALL_KINDS = {
  message: RecallKind.MESSAGE,
  document: RecallKind.DOCUMENT,
  memory: RecallKind.MEMORY,
} as const;
export const TRUSTS = { low: Trust.LOW, medium: Trust.MEDIUM, high: Trust.HIGH } as const;
export const PURPOSES = {
  passage: EmbeddingPurpose.PASSAGE,
  query: EmbeddingPurpose.QUERY,
} as const;

export const GROUP_ORDERS = {
  count: ItemGroupOrder.COUNT_DESC,
  value: ItemGroupOrder.VALUE_ASC,
} as const;

/** A vector. A list of numbers alone has no model's name. */
export type VectorInput = readonly number[] | Float32Array | NamedVector;

/** A vector, and what made it. */
export interface NamedVector {
  readonly values: readonly number[] | Float32Array;
  readonly model?: string;
}

/** Records that recall considers. Every field that is set must hold. */
export interface RecallFilterInput {
  readonly kinds?: readonly (keyof typeof RECALL_KINDS)[] | undefined;
  readonly sessionIds?: readonly string[] | undefined;
  readonly excludeSessionIds?: readonly string[] | undefined;
  /** Only messages of sessions whose id begins so. */
  readonly sessionIdPrefix?: string | undefined;
  /** The chunks of this document, and the document itself. */
  readonly sourceDocumentId?: string | undefined;
  /** Whose records: what this user, agent and session may see. Default: what everybody shares. */
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  /**
   * Widens what may be seen to memories bound to that session. To search one session: `userId` and
   * `sessionIds: [id]`.
   */
  readonly sessionId?: string | undefined;
  /** Comparison of the scope. Default `visible-to`. */
  readonly scope?: ScopeMatch | undefined;
  /** The records of every user. */
  readonly everyone?: boolean | undefined;
  readonly sessionLabels?: Readonly<Record<string, string>> | undefined;
  /** Default: user and assistant. */
  readonly roles?: readonly RoleInput[] | undefined;
  readonly collectionIds?: readonly string[] | undefined;
  /** Includes all collections below `collectionIds`. Default false. */
  readonly recursiveCollections?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: readonly MetadataInput[] | undefined;
  /** Said, or dated, at this time or later. */
  readonly timeFrom?: Date | undefined;
  /** Said, or dated, before this time. */
  readonly timeBefore?: Date | undefined;
  /** Trusted at least so far. */
  readonly minTrust?: keyof typeof TRUSTS | undefined;
  /** Filter of memories. Default: every kind. */
  readonly memoryKinds?: readonly MemoryKindName[] | undefined;
  /** Memories that were true in the world then, superseded ones too. */
  readonly validAtTime?: Date | undefined;
  /** Also memories that are superseded or over. Default false. */
  readonly includeSuperseded?: boolean | undefined;
  readonly categories?: readonly string[] | undefined;
  /** Memories at least so sure, 0 to 1. */
  readonly minConfidence?: number | undefined;
}

export const RECALL_FILTER = {
  ...{ ...SCOPE_FIELDS, kinds: true, sessionIds: true, excludeSessionIds: true },
  ...{ sessionIdPrefix: true, sourceDocumentId: true, scope: true, everyone: true },
  ...{ sessionLabels: true, roles: true, collectionIds: true, recursiveCollections: true },
  ...{ labels: true, metadata: true, timeFrom: true, timeBefore: true, minTrust: true },
  ...{ memoryKinds: true, validAtTime: true, includeSuperseded: true, categories: true },
  minConfidence: true,
} as const;

/** Weights of the features of a score, by their names. */
export type WeightsInput = Partial<Omit<RecallWeights, "recencyHalfLife">> & {
  /** The time in which recency halves. Default: 30 days. */
  readonly recencyHalfLifeMs?: number | undefined;
};

/**
 * Options of a recall. The scope members name the reader. Default: shared items only. `sessionId`
 * widens what may be seen to memories bound to that session. To search one session: `userId` and
 * `filter: { sessionIds: [id] }`.
 */
export interface RecallOptions extends CallOptions, ScopeInput {
  readonly filter?: RecallFilterInput | undefined;
  /** The vector of the query, when the caller has it already. */
  readonly embedding?: VectorInput | undefined;
  /** Default `hybrid`. */
  readonly mode?: keyof typeof RECALL_MODES | undefined;
  /** Default `scores`. */
  readonly fusion?: keyof typeof FUSIONS | undefined;
  readonly weights?: WeightsInput | undefined;
  readonly minScore?: number | undefined;
  /** Leaves out what is less probable to fit, 0 to 1. Default 0. */
  readonly minRelevance?: number | undefined;
  /** 0 for the order of scores, up to 1 for hits that differ most. Default 0. */
  readonly diversity?: number | undefined;
  readonly contextBefore?: number | undefined;
  readonly contextAfter?: number | undefined;
  /** True, or how many hits of each session, gives sessions. Default: single hits. */
  readonly groupBySession?: boolean | number | undefined;
  /** True for the server's default reranker, or the name of a hook. Default: none. */
  readonly rerank?:
    | boolean
    | string
    | { readonly hook?: string; readonly candidates?: number }
    | undefined;
  /** Answers at once from what the index holds. Default false. */
  readonly allowPartial?: boolean | undefined;
  /**
   * Another scoring than the default: `cosine`, `tf_idf`, `overlap`, `word_count`, `substring` or
   * `occurrences`.
   */
  readonly scoring?: string | undefined;
  /** Gives documents with their embeddings. Default false. */
  readonly includeEmbeddings?: boolean | undefined;
  /** Gives documents with their payloads. Default false. */
  readonly includePayloads?: boolean | undefined;
  /**
   * Gives the records that documents belong to, with their values, in `foundRecord` of the first
   * hit of each. Default false.
   */
  readonly includeRecords?: boolean | undefined;
  /** Of the documents of a record, only the best is a hit. Default false. */
  readonly bestOfRecord?: boolean | undefined;
  /** Reference time for recency. Default: now. */
  readonly referenceTime?: Date | undefined;
  /** Hits, or sessions, of one answer. Default 10. */
  readonly pageSize?: number | undefined;
  /** The `nextPageToken` of an earlier answer. */
  readonly pageToken?: string | undefined;
}

export const RECALL_OPTIONS = {
  ...{ ...LIST_OPTIONS, ...SCOPE_FIELDS, filter: true, embedding: true, mode: true },
  ...{ fusion: true, weights: true, minScore: true, minRelevance: true, diversity: true },
  ...{ contextBefore: true, contextAfter: true, groupBySession: true, rerank: true },
  ...{ allowPartial: true, scoring: true, includeEmbeddings: true, includePayloads: true },
  ...{ includeRecords: true, bestOfRecord: true, referenceTime: true, pageToken: true },
} as const;

/** Options of a count. The scope members name the reader, as in a recall. */
export interface CountItemsOptions extends CallOptions, ScopeInput {
  readonly filter?: RecallFilterInput | undefined;
  /** Groups by the values at this path of the metadata. Not with `labelKey`. */
  readonly metadataPath?: string | undefined;
  /** Groups by the values of this label. */
  readonly labelKey?: string | undefined;
  /** Order of the groups. Default `count`: the largest first. */
  readonly order?: keyof typeof GROUP_ORDERS | undefined;
  /** Maximum number of groups. Default 100, at most 1,000. */
  readonly maxGroups?: number | undefined;
  /** Counts at once what the index holds. Default false. */
  readonly allowPartial?: boolean | undefined;
  /** The time at which memories must be true. Default: now. */
  readonly referenceTime?: Date | undefined;
}

export const COUNT_ITEMS_OPTIONS = {
  ...{ ...CALL_OPTIONS, ...SCOPE_FIELDS, filter: true, metadataPath: true, labelKey: true },
  ...{ order: true, maxGroups: true, allowPartial: true, referenceTime: true },
} as const;

/** Data that a document keeps byte for byte. */
export interface PayloadInput {
  readonly data: Uint8Array;
  readonly mediaType?: string | undefined;
}

/** A document to write: the fields a caller may set. */
export interface DocumentFields {
  readonly documentId?: string | undefined;
  readonly text?: string | undefined;
  readonly author?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly documentTime?: Date | undefined;
  readonly importance?: number | undefined;
  readonly embedding?: VectorInput | undefined;
  /** Low for content from outside. Default medium. */
  readonly trust?: "low" | "medium" | undefined;
  /** Whom it belongs to. Default: that of the call, or else everybody shares it. */
  readonly scope?: ScopeInput | undefined;
  /** Its life, from now or from a refresh. Default: it does not expire. */
  readonly ttlMs?: number | undefined;
  /**
   * Exact data beside the text, at most 4,128,768 bytes; a string is JSON. Default: none, so an
   * upsert removes the payload that a document had.
   */
  readonly payload?: PayloadInput | string | undefined;
  /** The document must still have this etag. */
  readonly etag?: string | undefined;
}

/** A document to write: a text, or its fields. */
export type DocumentInput = string | DocumentFields;

/** Name of a collection. */
export interface CollectionOptions extends CallOptions {
  /** Default `default`. */
  readonly collectionId?: string | undefined;
}

export const COLLECTION_OPTIONS = { ...CALL_OPTIONS, collectionId: true } as const;

/** Options for writing documents. */
export interface UpsertOptions extends CollectionOptions, MutationOptions {
  /** Splits longer texts into chunks of at most so many characters. Default: none is split. */
  readonly chunkChars?: number | undefined;
  /** Overlap: the part of a chunk with which the next one begins. Default: a tenth. */
  readonly overlapChars?: number | undefined;
  /** Whom documents belong to that name no scope. Default: everybody shares them. */
  readonly scope?: ScopeInput | undefined;
}

export const UPSERT_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, collectionId: true, chunkChars: true, overlapChars: true },
  scope: true,
} as const;

/** Filter of documents. */
export interface DocumentFilterInput {
  /**
   * Whose documents: what this user, agent and session may see. Default: what everybody shares.
   */
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Comparison of the scope. Default `visible-to`. */
  readonly scope?: ScopeMatch | undefined;
  /** The documents of every user. */
  readonly everyone?: boolean | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly metadata?: readonly MetadataInput[] | undefined;
  readonly sourceDocumentId?: string | undefined;
}

export const DOCUMENT_FILTER = {
  ...{ ...SCOPE_FIELDS, scope: true, everyone: true, labels: true, metadata: true },
  sourceDocumentId: true,
} as const;

/** Options of a list of documents. */
export interface ListDocumentsOptions extends ListOptions, CollectionOptions {
  readonly filter?: DocumentFilterInput | undefined;
  readonly includeEmbeddings?: boolean | undefined;
  readonly includePayloads?: boolean | undefined;
  /** Lists the documents of all collections below as well. Default false. */
  readonly recursive?: boolean | undefined;
}

export const LIST_DOCUMENTS_OPTIONS = {
  ...{ ...LIST_OPTIONS, collectionId: true, filter: true, includeEmbeddings: true },
  ...{ includePayloads: true, recursive: true },
} as const;

/** Options of a list of collections. */
export interface ListCollectionsOptions extends ListOptions {
  /** Only collections below this one. */
  readonly parent?: string | undefined;
  /** Cuts ids to this many segments below the parent: 1 gives its children. */
  readonly maxDepth?: number | undefined;
}

export const LIST_COLLECTIONS_OPTIONS = { ...LIST_OPTIONS, parent: true, maxDepth: true } as const;

/** Options for counting documents. */
export interface CountDocumentsOptions extends CollectionOptions {
  readonly filter?: DocumentFilterInput | undefined;
  readonly recursive?: boolean | undefined;
}

export const COUNT_DOCUMENTS_OPTIONS = {
  ...{ ...COLLECTION_OPTIONS, filter: true, recursive: true },
} as const;

/** Options for getting a document. */
export interface GetDocumentOptions extends CollectionOptions {
  readonly includeEmbedding?: boolean | undefined;
  readonly includePayload?: boolean | undefined;
}

export const GET_DOCUMENT_OPTIONS = {
  ...{ ...COLLECTION_OPTIONS, includeEmbedding: true, includePayload: true },
} as const;

/** Options for deleting documents. */
export interface DeleteDocumentsOptions extends CollectionOptions, MutationOptions {
  /** The only document of the call must still have this etag. */
  readonly etag?: string | undefined;
  /** Passes over ids that do not exist. Default false. */
  readonly allowMissing?: boolean | undefined;
}

export const DELETE_DOCUMENTS_OPTIONS = {
  ...{ ...MUTATION_OPTIONS, collectionId: true, etag: true, allowMissing: true },
} as const;

/** Options for embedding texts. */
export interface EmbedOptions extends CallOptions {
  /** Default `passage`. */
  readonly purpose?: keyof typeof PURPOSES | undefined;
}

export const EMBED_OPTIONS = { ...CALL_OPTIONS, purpose: true } as const;

/** Options for counting tokens. */
export interface CountTokensOptions extends CallOptions {
  readonly messages?: readonly MessageInput[] | undefined;
  /** Default: UTF-8 bytes divided by 4. */
  readonly tokenRule?: TokenRule | undefined;
  readonly model?: string | undefined;
  readonly customTokenRule?: CustomTokenRule | undefined;
  /** A token rule by its name, in place of `tokenRule`. */
  readonly tokenPreset?: string | undefined;
  /** Cost of one image in tokens. Default 800. */
  readonly imageTokenCount?: number | undefined;
}

export const COUNT_TOKENS_OPTIONS = {
  ...{ ...CALL_OPTIONS, messages: true, tokenRule: true, model: true, customTokenRule: true },
  ...{ tokenPreset: true, imageTokenCount: true },
} as const;
