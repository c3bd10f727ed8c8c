// The methods of the client for recall and documents.

import { given, MUTATION_OPTIONS, type MutationOptions } from "./call.ts";
import { onlyOptions } from "./choice.ts";
import type {
  Document,
  DocumentCollection,
  Embedding,
  RefreshedDocument,
} from "./gen/memorysidecar/v1/document.ts";
import type { ListTotal } from "./gen/memorysidecar/v1/filter.ts";
import {
  type ClearCollectionResponse,
  type DeleteDocumentsResponse,
  MemoryServiceService as MemoryRpcs,
  PurgeDocumentsRequest,
  type PurgeDocumentsResponse,
  type UpsertDocumentsResponse,
} from "./gen/memorysidecar/v1/memory_service.ts";
import {
  type CountItemsResponse,
  type RecallResponse,
  RecallServiceService as Rpcs,
} from "./gen/memorysidecar/v1/recall_service.ts";
import {
  type CountTokensResponse,
  SessionServiceService as SessionRpcs,
} from "./gen/memorysidecar/v1/session_service.ts";
import { walkPages } from "./pages.ts";
import * as options from "./recall-options.ts";
import { PURPOSES } from "./recall-options.ts";
import * as requests from "./recall-requests.ts";
import { RecordMethods } from "./records.ts";

const CLEAR_OPTIONS = { ...MUTATION_OPTIONS, recursive: true } as const;
const PURGE_OPTIONS = { ...CLEAR_OPTIONS, force: true } as const;

/** Recall and documents. */
export class RecallMethods extends RecordMethods {
  /**
   * Finds the messages, documents and memories that fit best: one page of 10 by default. The
   * `nextPageToken` of the answer asks for the next page. With `userId` it finds what this user may
   * see, without one what everybody shares, never what is a user's. `filter: { everyone: true }`
   * searches the records of all users. `sessionId` widens what may be seen to memories bound to
   * that session. To search one session: `userId` and `filter: { sessionIds: [id] }`.
   */
  recall(query: string, opts: options.RecallOptions = {}): Promise<RecallResponse> {
    onlyOptions("recall", opts, options.RECALL_OPTIONS);
    return this.call(Rpcs.recall, requests.recallRequest(this.at(opts), query, opts), opts);
  }

  /**
   * Counts the messages, documents and memories that match a filter, in total and by the values of
   * `metadataPath` or `labelKey`. Whose records are counted is said as in `recall`.
   */
  countItems(opts: options.CountItemsOptions = {}): Promise<CountItemsResponse> {
    onlyOptions("countItems", opts, options.COUNT_ITEMS_OPTIONS);
    return this.call(Rpcs.countItems, requests.countItemsRequest(this.at(opts), opts), opts);
  }

  /** Writes documents, all or none; one that exists is replaced. */
  upsertDocuments(
    documents: options.DocumentInput | readonly options.DocumentInput[],
    opts: options.UpsertOptions = {},
  ): Promise<UpsertDocumentsResponse> {
    onlyOptions("upsertDocuments", opts, options.UPSERT_OPTIONS);
    const all = Array.isArray(documents) ? documents : [documents as options.DocumentInput];
    const request = requests.upsertRequest(this.change(opts), all, opts);
    return this.call(MemoryRpcs.upsertDocuments, request, opts);
  }

  /** Gets a document. */
  async getDocument(documentId: string, opts: options.GetDocumentOptions = {}): Promise<Document> {
    onlyOptions("getDocument", opts, options.GET_DOCUMENT_OPTIONS);
    const { collectionId = "", includeEmbedding = false, includePayload = false } = opts;
    const include = { includeEmbedding, includePayload };
    const request = { namespace: this.at(opts), collectionId, documentId, ...include };
    return given((await this.call(MemoryRpcs.getDocument, request, opts)).document);
  }

  /** Lists the documents of a collection in the order in which they were first stored. */
  listDocuments(
    opts: options.ListDocumentsOptions = {},
  ): AsyncGenerator<Document, void, undefined> {
    onlyOptions("listDocuments", opts, options.LIST_DOCUMENTS_OPTIONS);
    return walkPages(async (pageToken) => {
      const request = requests.listDocumentsRequest(this.at(opts), opts, pageToken);
      const page = await this.call(MemoryRpcs.listDocuments, request, opts);
      return { items: page.documents, nextPageToken: page.nextPageToken };
    });
  }

  /** Lists the collections of the namespace that hold documents, in the order of their segments. */
  listCollections(
    opts: options.ListCollectionsOptions = {},
  ): AsyncGenerator<DocumentCollection, void, undefined> {
    onlyOptions("listCollections", opts, options.LIST_COLLECTIONS_OPTIONS);
    const { pageSize = 0, parent, maxDepth = 0 } = opts;
    return walkPages(async (pageToken) => {
      const request = { namespace: this.at(opts), pageSize, pageToken, parent, maxDepth };
      const page = await this.call(MemoryRpcs.listCollections, request, opts);
      return { items: page.collections, nextPageToken: page.nextPageToken };
    });
  }

  /** Lets documents with a ttl live on from now; gives those that exist, with when they expire. */
  async refreshDocuments(
    documentIds: string | readonly string[],
    opts: options.CollectionOptions = {},
  ): Promise<RefreshedDocument[]> {
    onlyOptions("refreshDocuments", opts, options.COLLECTION_OPTIONS);
    const ids = typeof documentIds === "string" ? [documentIds] : [...documentIds];
    const { collectionId = "" } = opts;
    const request = { namespace: this.at(opts), collectionId, documentIds: ids };
    return (await this.call(MemoryRpcs.refreshDocuments, request, opts)).documents;
  }

  /** Deletes documents, for good. The id of a document that was split stands for its chunks. */
  deleteDocuments(
    documentIds: string | readonly string[],
    opts: options.DeleteDocumentsOptions = {},
  ): Promise<DeleteDocumentsResponse> {
    onlyOptions("deleteDocuments", opts, options.DELETE_DOCUMENTS_OPTIONS);
    const { collectionId = "", etag = "", allowMissing = false } = opts;
    const ids = typeof documentIds === "string" ? [documentIds] : [...documentIds];
    const request = { ...this.change(opts), collectionId, documentIds: ids, etag, allowMissing };
    return this.call(MemoryRpcs.deleteDocuments, request, opts);
  }

  /** Counts the documents that a list with these options gives, up to a bound. */
  async countDocuments(opts: options.CountDocumentsOptions = {}): Promise<ListTotal> {
    onlyOptions("countDocuments", opts, options.COUNT_DOCUMENTS_OPTIONS);
    const listed = requests.listDocumentsRequest(this.at(opts), { ...opts, pageSize: 1 }, "");
    const request = { ...listed, includeTotal: true };
    return given((await this.call(MemoryRpcs.listDocuments, request, opts)).total);
  }

  /**
   * Counts the documents of a filter, or with `force` deletes up to 1,000 of them. The filter must
   * name a user, or say `everyone`.
   */
  purgeDocuments(
    collectionId: string,
    filter: options.DocumentFilterInput,
    opts: MutationOptions & { readonly force?: boolean; readonly recursive?: boolean } = {},
  ): Promise<PurgeDocumentsResponse> {
    onlyOptions("purgeDocuments", opts, PURGE_OPTIONS);
    requests.checkBound(filter);
    const request = PurgeDocumentsRequest.fromPartial({
      ...{ ...this.change(opts), collectionId, force: opts.force ?? false },
      recursive: opts.recursive ?? false,
      filter: requests.toDocumentFilter(filter, "owned-by"),
    });
    return this.call(MemoryRpcs.purgeDocuments, request, opts);
  }

  /**
   * Deletes every document of a collection, for good. With `recursive` it includes the collections
   * below, up to 100 in one call: call again while the answer says `more`.
   */
  clearCollection(
    collectionId: string,
    opts: MutationOptions & { readonly recursive?: boolean } = {},
  ): Promise<ClearCollectionResponse> {
    onlyOptions("clearCollection", opts, CLEAR_OPTIONS);
    const { recursive = false } = opts;
    const request = { ...this.change(opts), collectionId, recursive };
    return this.call(MemoryRpcs.clearCollection, request, opts);
  }

  /** Makes vectors of texts with the server's embedder, in their order. */
  async embed(
    texts: string | readonly string[],
    opts: options.EmbedOptions = {},
  ): Promise<Embedding[]> {
    onlyOptions("embed", opts, options.EMBED_OPTIONS);
    const all = typeof texts === "string" ? [texts] : [...texts];
    const purpose = PURPOSES[opts.purpose ?? "passage"];
    const request = { namespace: this.at(opts), texts: all, purpose };
    return (await this.call(Rpcs.embed, request, opts)).embeddings;
  }

  /** Counts what texts and messages cost. */
  countTokens(
    texts: string | readonly string[] = [],
    opts: options.CountTokensOptions = {},
  ): Promise<CountTokensResponse> {
    onlyOptions("countTokens", opts, options.COUNT_TOKENS_OPTIONS);
    const all = typeof texts === "string" ? [texts] : texts;
    const request = requests.countTokensRequest(this.at(opts), all, opts);
    return this.call(SessionRpcs.countTokens, request, opts);
  }
}
