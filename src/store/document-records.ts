// Documents, the vectors of messages and documents, and which namespaces are recalled, as the store
// keeps them.

import type { Life } from "../kit/life.ts";
import type { SessionRef } from "../session/rules/session.ts";
import type { ErasureProgress } from "./erasure-records.ts";
import type { NewEvent, StoredReply } from "./stored.ts";

/** Names a collection. */
export interface CollectionRef {
  readonly namespace: string;
  readonly collectionId: string;
}

/** A vector as it is kept: of length 1. */
export interface StoredVector {
  /** The model that made it; compared as it is. */
  readonly model: string;
  readonly values: Float32Array;
}

/** A document as stored. */
export interface StoredDocument extends Life {
  readonly documentId: string;
  /**
   * Its place in the order of the collection: rising with the first write, kept when the document
   * is replaced, never given twice in a collection, also after a clear.
   */
  readonly documentNo: number;
  /** Empty unless it is a chunk: then the id of what was split. */
  readonly sourceId: string;
  /**
   * The id of the record that it belongs to, with which alone it is written and deleted; missing
   * for any other document. It has no ttl of its own: it ends when the record does.
   */
  readonly recordId?: string;
  /** The wire form of the public Document, without its embedding. */
  readonly bytes: Uint8Array;
  readonly embedding: StoredVector | undefined;
  readonly createMs: number;
  /** The revision that last changed it; the etag is made of it. */
  readonly etagRevision: number;
  /** Size of the payload that is kept with it; 0 without one. */
  readonly payloadBytes: number;
  /** Set in a plan, and where a reader has put it; the store reads it on its own. */
  readonly payload?: StoredPayload | undefined;
}

/** Data that is kept with a document and read on its own. */
export interface StoredPayload {
  readonly mediaType: string;
  readonly data: Uint8Array;
}

/** A document with nothing but its payload. */
export interface PayloadHolder {
  readonly sourceId: string;
  readonly etagRevision: number;
  readonly payload: StoredPayload | undefined;
}

/** Names a document. */
export interface DocumentRef extends CollectionRef {
  readonly documentId: string;
}

/** A collection that holds documents, or once did. */
export interface StoredCollection {
  readonly collectionId: string;
  readonly documentCount: number;
  /** Number of those that belong to records. */
  readonly recordDocumentCount: number;
  /** When the first document since it was last empty was stored. */
  readonly createMs: number;
  readonly updateMs: number;
}

/** A collection in a list, which may hold none itself when a list is cut to a depth. */
export interface ListedCollection extends StoredCollection {
  /** Collections below it hold documents. */
  readonly hasBelow: boolean;
}

/** Asks for collections in the order of their segments. */
export interface CollectionQuery {
  readonly namespace: string;
  /** Only those below this one. Empty, the default, for all of the namespace. */
  readonly parent?: string;
  /** Cuts ids to so many segments below the parent; 0, the default, for never. */
  readonly maxDepth?: number;
  /** Goes on after this one, and with a depth after all below it; empty from the start. */
  readonly after: string;
  readonly limit: number;
}

/** The calls on documents that read less than all of them. */
export interface DocumentParts {
  /** Undefined when there is no such document. */
  readPayload(ref: CollectionRef, documentId: string): Promise<PayloadHolder | undefined>;
  /** The lives of documents by id; that of a source is that of its chunks. Rows alone are read. */
  readDocumentLives(
    ref: CollectionRef,
    documentIds: readonly string[],
  ): Promise<ReadonlyMap<string, Life>>;
  /**
   * Lets documents live on from now for their ttl, those that have one and have not expired. An id
   * of a source or of a chunk stands for all chunks. No revision.
   */
  refreshDocuments(
    ref: CollectionRef,
    documentIds: readonly string[],
    nowMs: number,
  ): Promise<void>;
  /**
   * Documents whose time has run out, the earliest first, without those of records; none when the
   * disk is full.
   */
  expiredDocuments(nowMs: number, limit: number): Promise<readonly DocumentRef[]>;
}

/** A change of documents, and the parts that it needs to see. */
export interface DocumentChange extends CollectionRef {
  /** Documents to load by id. */
  readonly documentIds: readonly string[];
  /** Sources whose chunks to load. */
  readonly sourceIds: readonly string[];
  /** Other collections of the namespace that the change may touch. */
  readonly also?: readonly OtherChange[];
  readonly requestId?: string;
  /** Lets the change through when the disk is below its floor, because it frees space. */
  readonly allowWhenFull?: boolean;
}

/** A part of a change in another collection. */
export interface OtherChange {
  readonly collectionId: string;
  /** Documents to load by id. */
  readonly documentIds: readonly string[];
}

/** Another collection that a change touches. */
export type OtherView = Pick<DocumentView, "collection" | "documents">;

/** The view for the decide function of such a change. */
export interface DocumentView {
  /** The revision the change will have if it is saved. */
  readonly revision: number;
  /** Undefined when the collection holds nothing. */
  readonly collection: StoredCollection | undefined;
  /** Number of collections of the namespace that hold documents. */
  readonly collectionCount: number;
  /** Those of the documents asked for that exist, by id. */
  readonly documents: ReadonlyMap<string, StoredDocument>;
  /** The chunks of the sources asked for that have any, by source, by rising number. */
  readonly chunks: ReadonlyMap<string, readonly StoredDocument[]>;
  /** The number of the next new document. */
  readonly nextDocumentNo: number;
  /** The other collections asked for, by id. */
  readonly also: ReadonlyMap<string, OtherView>;
  readonly reply: StoredReply | undefined;
}

/** The decision. Saved in one transaction or not at all. */
export type DocumentDecision<T> =
  | { readonly kind: "answer"; readonly result: T; readonly reply?: StoredReply }
  | { readonly kind: "save"; readonly result: T; readonly plan: DocumentPlan };

/** A change of the documents of one collection. */
export interface DocumentPlan {
  /**
   * New and replaced documents. New ones have the numbers from `nextDocumentNo` on, in their order;
   * replaced ones keep theirs.
   */
  readonly put?: readonly StoredDocument[];
  /** Ids of documents to delete, loaded and not among `put`. */
  readonly remove?: readonly string[];
  /** Deletes every document of the collection, which then has no `put` and no `remove`. */
  readonly clear?: boolean;
  /** Deletes in other collections that were asked for, each named once. */
  readonly also?: readonly OtherPlan[];
  readonly nowMs: number;
  /** At least one, in order. */
  readonly events: readonly NewEvent[];
  readonly reply?: StoredReply;
  readonly erasure?: ErasureProgress;
}

/** Deletes documents of another collection: some, or all. */
export type OtherPlan = { readonly collectionId: string } & Pick<DocumentPlan, "remove" | "clear">;

/** Asks for a page of documents by rising number. */
export interface DocumentQuery extends CollectionRef {
  /** Goes on after this number; 0 from the start. */
  readonly after: number;
  /** Ends with this number. Default: to the end. */
  readonly last?: number;
  readonly limit: number;
}

export interface DocumentPage {
  readonly documents: readonly StoredDocument[];
  /** The number the next page starts after; undefined at the end. */
  readonly next: number | undefined;
}

/** The vectors of one message or document: one for each passage. */
export interface VectorRecord {
  /** Names model, dimensions and text recipe. */
  readonly model: string;
  readonly vectors: readonly Float32Array[];
}

/** Names a message, a document or a memory by its place. */
export type VectorPlace =
  | (SessionRef & { readonly kind: "message"; readonly seq: number })
  | (CollectionRef & { readonly kind: "document"; readonly documentNo: number })
  | { readonly kind: "memory"; readonly namespace: string; readonly memoryNo: number };

/** Vectors to keep. They replace those of whatever model that were kept for the record. */
export interface NewVectors {
  readonly place: VectorPlace;
  /**
   * The wire form that they were made from, for a memory its text in UTF-8: they are dropped when
   * it is not the current one.
   */
  readonly bytes: Uint8Array;
  readonly record: VectorRecord;
}
