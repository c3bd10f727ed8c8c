// The index of recall as the service sees it. It is derived from the store and holds nothing else;
// it runs in a thread of its own (client.ts), or in this one for tests (local.ts). Calls take
// effect in the order in which they are made, so a search finds what was applied before it.

import type { MemoryScope } from "../../memory/rules/memory.ts";
import type { FusionMethod, RecallMode, ScoreParts } from "../rank/types.ts";
import type { RecallWeights } from "../rank/weights.ts";
import type { FlatMetadata, RecallFilter, RecallKind } from "../rules/filter.ts";
import type { FirstGroups, GroupOrder } from "../rules/item-groups.ts";
import type { FilteredMemory } from "../rules/item-tests.ts";

/** Holds items: a session messages, a collection documents, a scope (by its id) memories. */
export interface ContainerRef {
  readonly kind: "session" | "collection" | "scope";
  readonly id: string;
}

/** The description of a container for filters. That of a collection is blank. */
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
   * Replaces the items of the container at these positions, both included, by these, which rise.
   * The container must be known.
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

/** Size of the index. */
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

/** Asks for the index of a namespace to be written to a file. */
export interface SaveOrder {
  /** A file that does not exist. */
  readonly path: string;
  /** The first thing in the file. */
  readonly header: string;
  /** Writes as fast as it can, since the server is about to stop. */
  readonly isUrgent: boolean;
}

/**
 * The outcome of a save. "changed": something was taken out meanwhile or just before, and another
 * try may do; or there is no such namespace. A file that was not "saved" is worth nothing.
 */
export type SaveOutcome =
  | { readonly kind: "saved"; readonly bytes: number }
  | { readonly kind: "changed" }
  /** The name that the system has for the fault, such as ENOSPC. */
  | { readonly kind: "failed"; readonly code: string };

/** A container of an index that was read from a file. */
export interface LoadedContainer {
  readonly container: ContainerInfo;
  readonly count: number;
  /** The highest position; 0 when it holds nothing. */
  readonly top: number;
  /** Some of its items have no vectors of an outside model. */
  readonly lacksVectors: boolean;
}

/** A search by words, vectors or both. */
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
  /** Undefined gives hits, else sessions with at most this many hits each. */
  readonly hitsPerGroup: number | undefined;
  /** Number of candidates that each leg contributes. */
  readonly perLeg: number;
  /** Number of hits, or groups, to skip, and number to return after them. */
  readonly offset: number;
  readonly limit: number;
  /** Containers whose time has run out by then are left out. */
  readonly nowMs: number;
  /** The time from which recency counts. */
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

/** A search by TF-IDF; see recall/rules/tf-idf.ts. */
export interface TfIdfQuery {
  readonly collectionId: string;
  readonly text: string;
  readonly filter: RecallFilter;
  readonly minScore: number | undefined;
  readonly limit: number;
}

/** A count of items by kind, and by value. */
export interface CountQuery {
  readonly filter: RecallFilter;
  /** Containers and memories whose time has run out by then are left out. */
  readonly nowMs: number;
  /** The time at which memories must be true. */
  readonly referenceMs: number;
  /** Undefined only counts. */
  readonly groups:
    | {
        readonly by: { readonly path: string } | { readonly label: string };
        readonly order: GroupOrder;
        readonly limit: number;
        /** Of the texts of the groups. */
        readonly maxBytes: number;
      }
    | undefined;
}

/** Numbers of items. */
export interface ItemCounts {
  readonly counts: Readonly<Record<RecallKind, number>>;
  /** Set when groups were asked for. */
  readonly groups:
    | (FirstGroups & {
        /** Number of all groups. */
        readonly valueCount: number;
        /** Number of items in no group. */
        readonly withoutCount: number;
      })
    | undefined;
}

/** A record that fits. What it says is read from the store. */
export interface IndexHit {
  readonly kind: RecallKind;
  readonly containerId: string;
  readonly position: number;
  /** Index of the passage that fits best, from 0. */
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

/** The answer to a search. */
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

/** The questions that the index answers. Everything else about them follows from this table. */
export interface IndexMethods {
  /** Applies changes in their order. */
  apply(namespace: string, changes: readonly IndexChange[]): IndexSize;
  search(namespace: string, query: IndexQuery): IndexAnswer;
  searchCosine(namespace: string, query: CosineQuery): IndexAnswer;
  searchTfIdf(namespace: string, query: TfIdfQuery): IndexAnswer;
  count(namespace: string, query: CountQuery): ItemCounts;
  /** The positions that a container holds, rising; for comparing with the store. */
  positions(namespace: string, container: ContainerRef): readonly number[];
  /** Forgets a namespace. */
  drop(namespace: string): void;
  /**
   * Writes the index of a namespace, as it is when the call comes, to a file: in pieces, while
   * everything else goes on.
   */
  save(namespace: string, order: SaveOrder): Promise<SaveOutcome>;
  /**
   * Reads the index of a namespace that is not known from a file that `save` wrote; undefined when
   * it cannot be read. No change of the namespace may be applied meanwhile.
   */
  load(namespace: string, path: string): Promise<readonly LoadedContainer[] | undefined>;
  /**
   * The texts of the passages of a record, in order, at least one. Long records take a while, which
   * the calling thread need not spend.
   */
  passages(kind: RecallKind, bytes: Uint8Array): readonly string[];
  /** Vectors of texts by the local model. Only when `model.isLocal`. */
  embed(texts: readonly string[]): readonly Float32Array[];
}

/** Whether the first parameter of a method is the namespace that it is about. */
const HAS_NAMESPACE: Readonly<Record<keyof IndexMethods, boolean>> = {
  apply: true,
  search: true,
  searchCosine: true,
  searchTfIdf: true,
  count: true,
  positions: true,
  drop: true,
  save: true,
  load: true,
  passages: false,
  embed: false,
};

/** The namespace that a call is about; undefined for one that is about none. */
export function namespaceOf({ method, args }: IndexCall): string | undefined {
  return HAS_NAMESPACE[method] ? (args[0] as string) : undefined;
}

/** A call of a method with its arguments. */
export type IndexCall = {
  [M in keyof IndexMethods]: { readonly method: M; readonly args: Parameters<IndexMethods[M]> };
}[keyof IndexMethods];

type AsyncMethods = {
  [M in keyof IndexMethods]: (
    ...args: Parameters<IndexMethods[M]>
  ) => Promise<Awaited<ReturnType<IndexMethods[M]>>>;
};

/** The index of a server. Every method rejects with IndexStopped after a close or a crash. */
export interface RecallIndex extends AsyncMethods {
  readonly model: IndexModel;
  /** Calls back when the thread was restarted, and so has forgotten everything. */
  onRestart(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Makes the methods of an index out of one function that runs any call. */
export function indexMethods(run: (call: IndexCall) => Promise<unknown>): AsyncMethods {
  const entries = Object.keys(HAS_NAMESPACE).map((method) => [
    method,
    (...args: unknown[]) => run({ method, args } as IndexCall),
  ]);
  return Object.fromEntries(entries) as AsyncMethods;
}

/** Runs a call on whatever has the methods. */
export function runCall(methods: IndexMethods, { method, args }: IndexCall): unknown {
  return (methods[method] as (...args: readonly unknown[]) => unknown).apply(methods, args);
}

/** A record as the index reads it; the codec of the worker makes it from the wire form. */
export interface IndexedRecord {
  /** Everything that can be found: text, text parts, results of tools, joined by line breaks. */
  readonly text: string;
  /** The speaker or the author; may be empty. */
  readonly author: string;
  /** 0 for a document. */
  readonly role: 0 | 1 | 2 | 3 | 4;
  readonly trust: 1 | 2 | 3;
  /** The time of the message or of its subject, else the time it was stored. */
  readonly timeMs: number;
  readonly labels: ReadonlyMap<string, string>;
  readonly metadata: FlatMetadata;
  /** 0 to 1; undefined when not given. */
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

/** The fields of a memory that the index reads besides its text. */
export interface IndexedMemory extends FilteredMemory {
  /** The messages that say it. */
  readonly source: { readonly sessionId: string; readonly messageIds: readonly string[] };
  /** Names that queries may name: of an entity its own and aliases, of a relation both ends. */
  readonly names: readonly string[];
  /** Its topics; each counts where an entity has this name. */
  readonly topics: readonly string[];
}

/** Reads wire forms for the index. Implemented by the transport. */
export interface IndexCodec {
  readMessage(bytes: Uint8Array): IndexedRecord;
  readDocument(bytes: Uint8Array): IndexedRecord;
  readMemory(bytes: Uint8Array): IndexedRecord;
}

/** The index was closed, or its thread ended: what it held is forgotten. */
export class IndexStopped extends Error {
  override readonly name = "IndexStopped";

  constructor(problem = "The index was stopped.") {
    super(problem);
  }
}
