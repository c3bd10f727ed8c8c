// The index of recall as the service sees it. It is derived from the store and holds nothing else;
// it runs in a thread of its own (client.ts), or in this one for tests (local.ts). Calls take
// effect in the order in which they are made, so a search finds what was applied before it.

import type { MemoryScope } from "../domain/memories/memory.ts";
import type { FlatMetadata, RecallFilter, RecallKind } from "../domain/recall/filter.ts";
import type { FilteredMemory } from "../domain/recall/memory-test.ts";
import type { FusionMethod, RecallMode, ScoreParts } from "../domain/recall/rank/types.ts";
import type { RecallWeights } from "../domain/recall/rank/weights.ts";

/** What holds items: a session messages, a collection documents, a scope (by its id) memories. */
export interface ContainerRef {
  readonly kind: "session" | "collection" | "scope";
  readonly id: string;
}

/** What the filters need to know of a container. A collection has nothing of it. */
export interface ContainerInfo extends ContainerRef {
  readonly userId: string;
  readonly agentId: string;
  /** Of a scope: the session that it is for; empty for others. */
  readonly sessionId?: string;
  readonly labels: ReadonlyMap<string, string>;
  /** When its time runs out: a search leaves it out from then on. Undefined: never. */
  readonly expireMs: number | undefined;
}

/** A vector that was made elsewhere, and what made it. */
export interface GivenVector {
  readonly model: string;
  readonly values: Float32Array;
}

/** A message, a document or a memory to be indexed. */
export interface IndexItem {
  /** The seq of a message, the number of a document in its collection, or that of a memory. */
  readonly position: number;
  /** The wire form of the public Message, Document or Memory; the worker's codec reads it. */
  readonly bytes: Uint8Array;
  /**
   * One vector for each passage, of the model that the index was started with, when that model does
   * not run in the index itself. Undefined while there are none yet.
   */
  readonly vectors?: readonly Float32Array[];
  /** The embedding that a caller gave with a document. */
  readonly given?: GivenVector;
}

/** A change of the index of one namespace. */
export type IndexChange =
  /** A container is new, or what describes it has changed. What it holds stays. */
  | { readonly kind: "container"; readonly container: ContainerInfo }
  /** The container is gone with all that it holds. */
  | { readonly kind: "drop-container"; readonly container: ContainerRef }
  /**
   * What the container holds at these positions, both included, is exactly this, by rising
   * position: what the index has there besides is gone. The container must be known.
   */
  | {
      readonly kind: "items";
      readonly container: ContainerRef;
      readonly firstPosition: number;
      readonly lastPosition: number;
      readonly items: readonly IndexItem[];
    }
  /** Vectors for an item that is there already; passed over when it is not. */
  | {
      readonly kind: "vectors";
      readonly container: ContainerRef;
      readonly position: number;
      readonly vectors: readonly Float32Array[];
    }
  /** From now on the documents of the collection are kept for TF-IDF too; give them all again. */
  | { readonly kind: "want-tf-idf"; readonly container: ContainerRef };

/** How large the index is. */
export interface IndexSize {
  /** Bytes of the namespace, and of all namespaces together. */
  readonly bytes: number;
  readonly totalBytes: number;
  readonly containers: number;
  readonly items: number;
  readonly rows: number;
  /** Items without a vector of the model of the index. */
  readonly withoutVector: number;
}

/** What to look for. */
export interface IndexQuery {
  readonly text: string;
  /** The vector of the query when it was made elsewhere; of length 1. */
  readonly vector?: Float32Array;
  readonly filter: RecallFilter;
  readonly mode: RecallMode;
  readonly fusion: FusionMethod;
  readonly weights: Partial<RecallWeights>;
  readonly minScore: number | undefined;
  readonly minRelevance: number;
  /** 0 to 1: how much the order is given up to make hits differ. */
  readonly diversity: number;
  /** Undefined gives hits, else sessions with so many hits each. */
  readonly hitsPerGroup: number | undefined;
  /** Looks at twice as many candidates, for large answers. Default false. */
  readonly isWide?: boolean;
  /** How many hits, or groups, to pass over, and how many to give then. */
  readonly offset: number;
  readonly limit: number;
  /** Containers whose time has run out by then are left out. */
  readonly nowMs: number;
  /** What recency is counted from. */
  readonly referenceMs: number;
}

/** A search by one vector alone, scored by the cosine. */
export interface CosineQuery {
  /** The text to make the vector of, when `vector` is not set. */
  readonly text: string;
  readonly vector?: GivenVector;
  readonly filter: RecallFilter;
  readonly minScore: number | undefined;
  readonly limit: number;
  readonly nowMs: number;
}

/** A search as the vector store of system 001 does it; see domain/recall/tf-idf.ts. */
export interface TfIdfQuery {
  readonly collectionId: string;
  readonly text: string;
  readonly filter: RecallFilter;
  readonly minScore: number | undefined;
  readonly limit: number;
}

/** A record that fits. What it says is read from the store. */
export interface IndexHit {
  readonly kind: RecallKind;
  readonly containerId: string;
  readonly position: number;
  /** Which passage fits best, counted from 0. */
  readonly passage: number;
  readonly score: number;
  readonly parts: ScoreParts;
  readonly relevance: number;
}

/** A session, a collection or a scope with hits. */
export interface IndexGroup extends ContainerRef {
  readonly score: number;
  readonly hitCount: number;
}

/** What was found. */
export interface IndexAnswer {
  /** By falling score; group by group when groups were asked for. */
  readonly hits: readonly IndexHit[];
  readonly groups: readonly IndexGroup[];
  /** There are more behind the limit. */
  readonly more: boolean;
  /** Vectors were compared. */
  readonly denseUsed: boolean;
  /** Relevance knows what the cosines are worth; true without any. */
  readonly isCalibrated: boolean;
  readonly size: IndexSize;
}

/** The model whose vectors the index compares. */
export interface IndexModel {
  /** Names model, dimensions and text recipe; empty when there are no vectors. */
  readonly id: string;
  readonly dimensions: number;
  /** The index makes the vectors itself; else they come with the items and the queries. */
  readonly isLocal: boolean;
}

/** The index of a server. Every method rejects with IndexStopped after a close or a crash. */
export interface RecallIndex {
  readonly model: IndexModel;
  /** Applies changes in their order. Resolves when they are in. */
  apply(namespace: string, changes: readonly IndexChange[]): Promise<IndexSize>;
  search(namespace: string, query: IndexQuery): Promise<IndexAnswer>;
  searchCosine(namespace: string, query: CosineQuery): Promise<IndexAnswer>;
  searchTfIdf(namespace: string, query: TfIdfQuery): Promise<IndexAnswer>;
  /** The positions that a container holds, rising; for comparing with the store. */
  positions(namespace: string, container: ContainerRef): Promise<readonly number[]>;
  /**
   * The texts of the passages of a record, in order, at least one. Long records take a while, which
   * the calling thread need not spend.
   */
  passages(kind: RecallKind, bytes: Uint8Array): Promise<readonly string[]>;
  /** Vectors of texts by the local model. Only when `model.isLocal`. */
  embed(texts: readonly string[], purpose: "query" | "passage"): Promise<readonly Float32Array[]>;
  /** Forgets a namespace. */
  drop(namespace: string): Promise<void>;
  /** Calls back when the thread had to be started anew: everything is forgotten then. */
  onRestart(listener: () => void): () => void;
  close(): Promise<void>;
}

/** What a record says to the index; the codec of the worker makes it of the wire form. */
export interface IndexedRecord {
  /** Everything that can be found: text, text parts, results of tools, joined by line breaks. */
  readonly text: string;
  /** The speaker or the author; may be empty. */
  readonly author: string;
  /** 0 for a document. */
  readonly role: 0 | 1 | 2 | 3 | 4;
  readonly trust: 1 | 2 | 3;
  /** When it was said or what it tells of was, else when it was stored. */
  readonly timeMs: number;
  readonly labels: ReadonlyMap<string, string>;
  readonly metadata: FlatMetadata;
  /** 0 to 1; undefined when nobody said. */
  readonly importance: number | undefined;
  /** Of a document; empty for a message. */
  readonly documentId: string;
  /** Of a chunk; empty for others. */
  readonly sourceDocumentId: string;
  /** Of a document that is not everybody's; left out for others. */
  readonly scope?: MemoryScope;
  /** Of a message; left out for others. */
  readonly messageId?: string;
  /** Words that find it besides its text, but are no part of its passages. */
  readonly alsoWords?: string;
  /** Of a memory; undefined for others. */
  readonly memory?: IndexedMemory;
}

/** What a memory says to the index besides its text. */
export interface IndexedMemory extends FilteredMemory {
  /** The messages that say it. */
  readonly source: { readonly sessionId: string; readonly messageIds: readonly string[] };
  /** Names that queries may name: of an entity its own and aliases, of a relation both ends. */
  readonly names: readonly string[];
  /** What it is about; counts where an entity has this name. */
  readonly topics: readonly string[];
}

/** Reads wire forms for the index. Implemented by the transport. */
export interface IndexCodec {
  readMessage(bytes: Uint8Array): IndexedRecord;
  readDocument(bytes: Uint8Array): IndexedRecord;
  readMemory(bytes: Uint8Array): IndexedRecord;
}
