import { toListTotal } from "../../core/wire.ts";
import type { UnaryRpc } from "../../edge/rpc.ts";
import type { Document, TextSplitter } from "../../gen/memorysidecar/v1/document.ts";
import {
  type ClearCollectionRequest,
  ClearCollectionResponse,
  type DeleteDocumentsRequest,
  DeleteDocumentsResponse,
  type GetDocumentRequest,
  GetDocumentResponse,
  type ListCollectionsRequest,
  ListCollectionsResponse,
  type ListDocumentsRequest,
  ListDocumentsResponse,
  type PurgeDocumentsRequest,
  PurgeDocumentsResponse,
  type RefreshDocumentsRequest,
  RefreshDocumentsResponse,
  type UpsertDocumentsRequest,
  UpsertDocumentsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { encodeWire } from "../../grpc/fast-writer.ts";
import { checkDistinct, checkText } from "../../grpc/fields.ts";
import { numberPosition, pageLimit } from "../../grpc/page-token.ts";
import { spliceField } from "../../grpc/splice.ts";
import { toTimestamp } from "../../grpc/time.ts";
import type { Violations } from "../../grpc/violations.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { DocumentPlace, ListDocumentsInput } from "../api.ts";
import { checkDocumentFilter, checkRequiredFilter, fromDocumentFilter } from "../filter-wire.ts";
import {
  checkDocumentContent,
  documentBytes,
  fromCollection,
  fromSplitter,
  toCollection,
  toDocumentDraft,
} from "./wire.ts";

/** UpsertDocuments. */
export const upsertDocuments: UnaryRpc<UpsertDocumentsRequest> = {
  validate: checkUpsertDocuments,
  handle: ({ services }, call, request) =>
    services.recall.upsertDocuments(call, {
      namespace: request.namespace,
      collectionId: fromCollection(request.collectionId),
      documents: request.documents.map(toDocumentDraft),
      splitter: fromSplitter(request.splitter),
      encode: ({ documents, revision }) =>
        encodeWire(UpsertDocumentsResponse, {
          documents: documents.map((document) => ({
            ...document,
            chunkDocumentIds: [...document.chunkIds],
          })),
          revision: BigInt(revision),
        }),
    }),
};

const DOCUMENT_FIELD = 1;

/** GetDocument. */
export const getDocument: UnaryRpc<GetDocumentRequest> = {
  handle: async ({ services }, call, { namespace, collectionId, documentId, ...request }) => {
    const document = await services.recall.getDocument(call, {
      namespace,
      collectionId: fromCollection(collectionId),
      documentId,
      withPayload: request.includePayload,
    });
    const rest = encodeWire(GetDocumentResponse, { document: undefined });
    const bytes = documentBytes(document, request.includeEmbedding);
    return spliceField(DOCUMENT_FIELD, [bytes], rest);
  },
};

const PAGE_SIZE_DEFAULT = 100;
const DOCUMENTS_FIELD = 1;

/** ListDocuments. */
export const listDocuments: UnaryRpc<ListDocumentsRequest> = {
  validate: (request, v) => checkDocumentFilter(v, request.filter),
  cancelable: true,
  handle: async ({ services, pageTokens }, call, request) => {
    const { pageToken, includeEmbeddings } = request;
    const {
      documents,
      next,
      total: counted,
    } = await services.recall.listDocuments(call, {
      namespace: request.namespace,
      collectionId: fromCollection(request.collectionId),
      filter: fromDocumentFilter(request.filter),
      isRecursive: request.recursive,
      ...(pageTokens.read(call, pageToken, placeOf) ?? { after: 0 }),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
      withEmbeddings: includeEmbeddings,
      withPayloads: request.includePayloads,
      includeTotal: request.includeTotal,
    });
    const total = counted && toListTotal(counted);
    const nextPageToken = pageTokens.make(call, next && positionOf(request, next));
    const rest = encodeWire(ListDocumentsResponse, { documents: [], nextPageToken, total });
    const items = documents.map((document) => documentBytes(document, includeEmbeddings));
    return spliceField(DOCUMENTS_FIELD, items, rest);
  },
};

/** The position in a page token: a list of one collection names none. */
function positionOf(
  { recursive }: ListDocumentsRequest,
  { collectionId, documentNo }: DocumentPlace,
): string {
  return recursive ? `${documentNo}/${collectionId}` : String(documentNo);
}

function placeOf(position: string): Pick<ListDocumentsInput, "after" | "startIn"> {
  const [documentNo = "", ...segments] = position.split("/");
  const startIn = segments.length === 0 ? undefined : segments.join("/");
  return { after: numberPosition(documentNo), startIn };
}

/** RefreshDocuments. */
export const refreshDocuments: UnaryRpc<RefreshDocumentsRequest> = {
  validate: ({ documentIds }, v) => checkDistinct(v, "document_ids", documentIds),
  handle: async ({ services }, call, { namespace, collectionId, documentIds }) => {
    const refreshed = await services.recall.refreshDocuments(call, {
      namespace,
      collectionId: fromCollection(collectionId),
      documentIds,
    });
    const documents = refreshed.map(({ documentId, expireMs }) => ({
      documentId,
      expireTime: expireMs === 0 ? undefined : toTimestamp(expireMs),
    }));
    return encodeWire(RefreshDocumentsResponse, { documents });
  },
};

/** DeleteDocuments. */
export const deleteDocuments: UnaryRpc<DeleteDocumentsRequest> = {
  validate: checkDeleteDocuments,
  handle: ({ services }, call, { namespace, collectionId, documentIds, etag, allowMissing }) =>
    services.recall.deleteDocuments(call, {
      namespace,
      collectionId: fromCollection(collectionId),
      documentIds,
      etag,
      allowMissing,
      encode: ({ deletedCount, revision }) =>
        encodeWire(DeleteDocumentsResponse, { deletedCount, revision: BigInt(revision) }),
    }),
};

/** PurgeDocuments. */
export const purgeDocuments: UnaryRpc<PurgeDocumentsRequest> = {
  validate: ({ filter }, v) => checkRequiredFilter(v, filter),
  cancelable: true,
  handle: ({ services }, call, { namespace, collectionId, filter, force, recursive }) =>
    services.recall.purgeDocuments(call, {
      ...{ namespace, collectionId },
      isRecursive: recursive,
      filter: fromDocumentFilter(filter),
      force,
      encode: ({ documentCount, samples, more, revision }) =>
        encodeWire(PurgeDocumentsResponse, {
          documentCount,
          sampleDocumentIds: samples.map(({ documentId }) => documentId),
          sampleDocuments: recursive ? [...samples] : [],
          more,
          revision: BigInt(revision),
        }),
    }),
};

const COLLECTION_PAGE_SIZE_DEFAULT = 100;

/** ListCollections. */
export const listCollections: UnaryRpc<ListCollectionsRequest> = {
  handle: async ({ services, pageTokens }, call, { namespace, pageSize, pageToken, ...cut }) => {
    const { collections, next } = await services.recall.listCollections(call, {
      namespace,
      parent: cut.parent ?? "",
      maxDepth: cut.maxDepth,
      after: pageTokens.read(call, pageToken, String) ?? "",
      limit: pageLimit(pageSize, COLLECTION_PAGE_SIZE_DEFAULT),
    });
    return encodeWire(ListCollectionsResponse, {
      collections: collections.map(toCollection),
      nextPageToken: pageTokens.make(call, next),
    });
  },
};

/** ClearCollection. */
export const clearCollection: UnaryRpc<ClearCollectionRequest> = {
  handle: ({ services }, call, { namespace, collectionId, recursive }) =>
    services.recall.clearCollection(call, {
      ...{ namespace, collectionId },
      isRecursive: recursive,
      encode: ({ deletedCount, revision, ...rest }) =>
        encodeWire(ClearCollectionResponse, {
          ...rest,
          deletedCount: BigInt(deletedCount),
          revision: BigInt(revision),
        }),
    }),
};

function checkUpsertDocuments(request: UpsertDocumentsRequest, v: Violations): void {
  const { documents } = request;
  const seen = new Set<string>();
  for (const [index, document] of documents.entries()) {
    if (v.full) return;
    v.enterItem("documents", index);
    checkDocument(v, document, request);
    const { documentId } = document;
    if (seen.has(documentId)) v.add("document_id", "is used twice in this request");
    if (documentId !== "") seen.add(documentId);
    v.leaveItem();
  }
  checkSplitter(v, request.splitter);
}

function checkDocument(v: Violations, document: Document, request: UpsertDocumentsRequest): void {
  const { collectionId } = document;
  if (collectionId !== "" && collectionId !== fromCollection(request.collectionId)) {
    v.add("collection_id", "must be empty or that of the request");
  }
  if (request.splitter !== undefined) checkSplitId(v, document.documentId);
  checkDocumentContent(v, document);
}

/** The ids of chunks are made of it and fit the limit of all ids. */
function checkSplitId(v: Violations, documentId: string): void {
  checkText(v, "document_id", documentId, LIMITS.splitDocumentIdBytes);
  if (documentId.includes("#")) {
    v.add("document_id", "must not hold # with a splitter: chunks are named with it");
  }
}

function checkSplitter(v: Violations, splitter: TextSplitter | undefined): void {
  if (splitter === undefined) return;
  const { chunkChars, overlapChars } = splitter;
  v.enter("splitter");
  const chars = chunkChars === 0 ? LIMITS.chunkCharsDefault : chunkChars;
  if (overlapChars !== undefined && (overlapChars < 0 || overlapChars * 2 >= chars)) {
    v.add("overlap_chars", "must be 0 or more and less than half of chunk_chars");
  }
  v.leave();
}

function checkDeleteDocuments(request: DeleteDocumentsRequest, v: Violations): void {
  const { documentIds } = request;
  checkDistinct(v, "document_ids", documentIds);
  if (request.etag !== "" && documentIds.length > 1) {
    v.add("etag", "must be empty unless the request names one document");
  }
}
