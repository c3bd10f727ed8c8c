// The inputs and results of recall and documents, in domain terms.

import type { DocumentStamp, MessageDraft } from "../core/codec.ts";
import type { Memory, MemoryScope } from "../memory/rules/memory.ts";
import type { ScopeFilter } from "../memory/rules/scopes.ts";
import type {
  CollectionRef,
  DocumentRef,
  StoredDocument,
  StoredMessage,
  StoredPayload,
  StoredVector,
} from "../store/store.ts";
import type { Policy } from "../window/policy/policy.ts";
import type { CountQuery, ItemCounts } from "./index/port.ts";
import type { FusionMethod, RecallMode, ScoreParts } from "./rank/types.ts";
import type { RecallWeights } from "./rank/weights.ts";
import type { FlatMetadata, MetadataCondition, RecallFilter, RecallKind } from "./rules/filter.ts";
import type { ScoringOf } from "./rules/scoring.ts";

export type { DocumentStamp } from "../core/codec.ts";

/** A recall as it is asked for. */
export interface RecallInput {
  readonly namespace: string;
  readonly query: string;
  readonly embedding: StoredVector | undefined;
  readonly filter: RecallFilter;
  readonly limit: number;
  /** Hits, or groups, of earlier pages. */
  readonly offset: number;
  /** Number of candidates that each leg contributes, the same on all pages. */
  readonly perLeg: number;
  readonly mode: RecallMode;
  readonly fusion: FusionMethod;
  readonly weights: Partial<RecallWeights>;
  readonly minScore: number | undefined;
  readonly minRelevance: number;
  readonly diversity: number;
  readonly contextBefore: number;
  readonly contextAfter: number;
  readonly hitsPerGroup: number | undefined;
  readonly rerank: { readonly hook: string; readonly candidates: number } | undefined;
  readonly allowPartial: boolean;
  /** Whether documents come with the embeddings that were given with them. */
  readonly withEmbeddings: boolean;
  /** Default false. */
  readonly withPayloads?: boolean;
  /** Undefined means now. */
  readonly referenceMs: number | undefined;
  /** Only the best document of each record is a hit. Default false; not with groups. */
  readonly bestOfRecord?: boolean;
  /** Whose hits have their passages. Default all. */
  readonly passagesOf?: ReadonlySet<RecallKind>;
}

/** A record that fits. */
export interface RecallHit {
  readonly score: number;
  readonly relevance: number;
  readonly parts: ScoreParts;
  readonly record:
    | {
        readonly kind: "message";
        readonly sessionId: string;
        readonly userId: string;
        readonly message: StoredMessage;
        readonly before: readonly StoredMessage[];
        readonly after: readonly StoredMessage[];
      }
    | {
        readonly kind: "document";
        readonly collectionId: string;
        readonly document: StoredDocument;
      }
    | { readonly kind: "memory"; readonly memory: Memory };
  readonly passage: string;
  readonly rerankScore: number | undefined;
}

/** The part of the records that a search could read; see memorysidecar.v1.RecallCoverage. */
export interface RecallCoverage {
  readonly complete: boolean;
  readonly pendingCount: number;
  readonly leftOutCount: number;
  readonly dense: "used" | "off" | "unavailable";
  readonly embeddingModel: string;
  readonly withoutVectorCount: number;
  readonly rerank: "used" | "off" | "unavailable";
}

/** The coverage of a search that looked at everything, without vectors and rerankers. */
export const FULL_COVERAGE: RecallCoverage = {
  complete: true,
  pendingCount: 0,
  leftOutCount: 0,
  dense: "off",
  embeddingModel: "",
  withoutVectorCount: 0,
  rerank: "off",
};

export interface RecallResult {
  readonly hits: readonly RecallHit[];
  /** The offset of the next page; undefined at the end. */
  readonly next: number | undefined;
  readonly groups: readonly {
    readonly kind: "session" | "collection" | "scope";
    readonly id: string;
    readonly score: number;
    readonly hitCount: number;
  }[];
  readonly coverage: RecallCoverage;
  /** Relevance is on the scale that its floors were measured on. */
  readonly isCalibrated: boolean;
}

/** A count of records, as it is asked for. */
export interface CountItemsInput {
  readonly namespace: string;
  readonly filter: RecallFilter;
  /** Undefined only counts. */
  readonly groups: Omit<NonNullable<CountQuery["groups"]>, "maxBytes"> | undefined;
  readonly allowPartial: boolean;
  /** Undefined means now. */
  readonly referenceMs: number | undefined;
}

/** Numbers of records, and the part of the records that was counted. */
export interface CountItemsResult extends ItemCounts {
  readonly coverage: RecallCoverage;
}

/** A document as a caller gave it, before the server's fields. */
export interface DocumentDraft {
  /** Empty asks the server for one. */
  readonly documentId: string;
  /** Empty means any. */
  readonly etag: string;
  readonly text: string;
  readonly embedding: StoredVector | undefined;
  /** 0: it does not expire. */
  readonly ttlMs: number;
  readonly payload: StoredPayload | undefined;
  /** The decoded wire document; only the codec looks inside. */
  readonly wire: unknown;
}

/** The head of a document, read without the rest. */
export interface DocumentHead {
  readonly scope: MemoryScope;
  /** Of a chunk: how many chunks its source has; 0 for others. */
  readonly chunkCount: number;
}

/** Writes and reads the wire forms of documents. */
export interface DocumentForms {
  /** The wire form of a document without its embedding. */
  encodeDocument(draft: DocumentDraft, stamp: DocumentStamp): Uint8Array;
  /** Reads no more of a document than its head. */
  readDocumentHead(bytes: Uint8Array): DocumentHead;
  /** The wire form of the document that all these chunks, in their order, were cut from. */
  joinChunks(chunks: readonly Uint8Array[]): Uint8Array;
  /** The etag that a stored document was given. */
  readEtag(bytes: Uint8Array): string;
}

export interface UpsertDocumentsInput extends CollectionRef {
  readonly documents: readonly DocumentDraft[];
  readonly splitter: { readonly chunkChars: number; readonly overlapChars: number } | undefined;
  readonly encode: (result: {
    readonly documents: readonly UpsertedDocument[];
    readonly revision: number;
  }) => Uint8Array;
}

export interface UpsertedDocument {
  readonly documentId: string;
  readonly created: boolean;
  readonly etag: string;
  readonly chunkIds: readonly string[];
}

export interface GetDocumentInput extends DocumentRef {
  /** Default false. */
  readonly withPayload?: boolean;
}

/** Selects the documents of a list. */
export interface DocumentFilter {
  readonly scope: ScopeFilter;
  readonly labels: ReadonlyMap<string, string>;
  readonly metadata: readonly MetadataCondition[];
  readonly sourceDocumentId: string;
}

/** A collection, or it and all below it. */
export interface CollectionTreeRef extends CollectionRef {
  /** Default false. */
  readonly isRecursive?: boolean;
}

/** The place of a document in a list: the number that the next one is above. */
export interface DocumentPlace {
  readonly collectionId: string;
  readonly documentNo: number;
}

export interface ListDocumentsInput extends CollectionTreeRef {
  readonly filter: DocumentFilter;
  /** Begins with this collection. Default: the first one. */
  readonly startIn?: string | undefined;
  /** Goes on after this number in it; 0 from the start. */
  readonly after: number;
  readonly limit: number;
  /** Embeddings count toward the bytes of the page, and so do payloads. */
  readonly withEmbeddings: boolean;
  /** Default false. */
  readonly withPayloads?: boolean;
  /** Default false. */
  readonly includeTotal?: boolean;
}

export interface RefreshDocumentsInput extends CollectionRef {
  readonly documentIds: readonly string[];
}

/** A document that lives on. */
export interface RefreshedDocument {
  readonly documentId: string;
  /** 0: it does not expire. */
  readonly expireMs: number;
}

export interface DeleteDocumentsInput extends CollectionRef {
  readonly documentIds: readonly string[];
  readonly etag: string;
  readonly allowMissing: boolean;
  readonly encode: (result: { deletedCount: number; revision: number }) => Uint8Array;
}

export interface PurgeDocumentsResult {
  readonly documentCount: number;
  readonly samples: readonly DocumentName[];
  readonly more: boolean;
  readonly revision: number;
}

/** Names a document in its namespace. */
export type DocumentName = Omit<DocumentRef, "namespace">;

export interface PurgeDocumentsInput extends CollectionTreeRef {
  readonly filter: DocumentFilter;
  /** Only counts when false. */
  readonly force: boolean;
  readonly encode: (result: PurgeDocumentsResult) => Uint8Array;
}

export interface ClearCollectionInput extends CollectionTreeRef {
  readonly encode: (result: {
    readonly deletedCount: number;
    readonly revision: number;
    readonly collectionCount: number;
    readonly more: boolean;
  }) => Uint8Array;
}

/** A recall of the documents of one collection, which its filter names alone. */
export interface SearchDocumentsInput
  extends CollectionRef,
    Pick<RecallInput, "query" | "embedding" | "filter" | "offset" | "limit" | "minScore">,
    Pick<RecallInput, "withEmbeddings" | "withPayloads" | "bestOfRecord"> {
  readonly scoring: ScoringOf<"document">;
}

/** Documents that fit, the best first. */
export interface DocumentMatches {
  readonly matches: readonly { readonly document: StoredDocument; readonly score: number }[];
  /** The offset of the next page; undefined at the end. */
  readonly next: number | undefined;
}

export interface CountTokensInput {
  readonly texts: readonly string[];
  readonly drafts: readonly MessageDraft[];
  /** Token rule of a policy; never `given`. */
  readonly policy: Pick<Policy, "tokenRule" | "model" | "customTokenRule" | "imageTokenCount">;
}

/** Reads and writes the wire form of memories. */
export interface MemoryCodec {
  /** The public form of a memory. */
  encodeMemory(memory: Memory): Uint8Array;
  /** The metadata of a memory, flat for filters. */
  flatMetadata(bytes: Uint8Array): FlatMetadata;
}
