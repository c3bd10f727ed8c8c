// The rules of the requests about documents, one function each.

import { LIMITS } from "../../domain/limits.ts";
import type { Document, TextSplitter } from "../../gen/memorysidecar/v1/document.ts";
import type {
  ClearCollectionRequest,
  DeleteDocumentsRequest,
  GetDocumentRequest,
  ListCollectionsRequest,
  ListDocumentsRequest,
  UpsertDocumentsRequest,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { Trust } from "../../gen/memorysidecar/v1/message.ts";
import { fromCollection } from "../convert/document.ts";
import { checkEmbedding } from "./embedding.ts";
import {
  checkCount,
  checkEnum,
  checkId,
  checkLabels,
  checkNamespace,
  checkPage,
  checkRange,
  checkRequestId,
  checkRequiredId,
  checkStruct,
  checkText,
  checkTimestamp,
} from "./fields.ts";
import { checkCollectionId, checkDocumentFilter } from "./recall-filter.ts";
import { checkOptionalScope } from "./scope.ts";
import type { Violations } from "./violations.ts";

const SHARE = { min: 0, max: 1 };
const CHUNK = { min: LIMITS.chunkCharsMin, max: LIMITS.chunkCharsMax };

interface CollectionNamed {
  readonly namespace: string;
  readonly collectionId: string;
}

function checkCollection(request: CollectionNamed, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkCollectionId(v, "collection_id", request.collectionId);
}

export function checkUpsertDocuments(request: UpsertDocumentsRequest, v: Violations): void {
  checkCollection(request, v);
  const { documents } = request;
  if (documents.length === 0) v.add("documents", "must have 1 entry at least", 1);
  checkCount(v, "documents", documents.length, LIMITS.writeDocuments);
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
  checkRequestId(v, request.requestId);
}

function checkDocument(v: Violations, document: Document, request: UpsertDocumentsRequest): void {
  const { collectionId } = document;
  if (collectionId !== "" && collectionId !== fromCollection(request.collectionId)) {
    v.add("collection_id", "must be empty or that of the request");
  }
  checkNewId(v, document.documentId, request.splitter !== undefined);
  checkOptionalScope(v, document.scope);
  checkText(v, "author", document.author, LIMITS.nameBytes);
  checkStruct(v, "metadata", document.metadata, LIMITS.metadataBytes);
  checkLabels(v, document.labels);
  checkTimestamp(v, "document_time", document.documentTime);
  if (document.importance !== undefined) checkRange(v, "importance", document.importance, SHARE);
  checkEmbedding(v, document.embedding);
  if (document.trust === Trust.HIGH) {
    v.add("trust", "must be TRUST_MEDIUM or TRUST_LOW: TRUST_HIGH is for the operator");
  } else checkEnum(v, "trust", document.trust, Trust);
}

function checkNewId(v: Violations, documentId: string, isSplit: boolean): void {
  const bytes = isSplit ? LIMITS.splitDocumentIdBytes : LIMITS.documentIdBytes;
  checkId(v, "document_id", documentId, bytes);
  if (isSplit && documentId.includes("#")) {
    v.add("document_id", "must not hold # with a splitter: chunks are named with it");
  }
}

function checkSplitter(v: Violations, splitter: TextSplitter | undefined): void {
  if (splitter === undefined) return;
  const { chunkChars, overlapChars } = splitter;
  v.enter("splitter");
  if (chunkChars !== 0) checkRange(v, "chunk_chars", chunkChars, CHUNK);
  const chars = chunkChars === 0 ? LIMITS.chunkCharsDefault : chunkChars;
  if (overlapChars !== undefined && (overlapChars < 0 || overlapChars * 2 >= chars)) {
    v.add("overlap_chars", "must be 0 or more and less than half of chunk_chars");
  }
  v.leave();
}

export function checkGetDocument(request: GetDocumentRequest, v: Violations): void {
  checkCollection(request, v);
  checkRequiredId(v, "document_id", request.documentId, LIMITS.documentIdBytes);
}

export function checkListDocuments(request: ListDocumentsRequest, v: Violations): void {
  checkCollection(request, v);
  checkDocumentFilter(v, request.filter);
  checkPage(v, request);
}

export function checkListCollections(request: ListCollectionsRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkPage(v, request);
}

export function checkDeleteDocuments(request: DeleteDocumentsRequest, v: Violations): void {
  checkCollection(request, v);
  const { documentIds } = request;
  if (documentIds.length === 0) v.add("document_ids", "must have 1 entry at least", 1);
  checkCount(v, "document_ids", documentIds.length, LIMITS.writeDocuments);
  const seen = new Set<string>();
  for (let index = 0; index < documentIds.length && !v.full; index++) {
    const id = documentIds[index] ?? "";
    checkRequiredId(v, `document_ids[${index}]`, id, LIMITS.documentIdBytes);
    if (seen.has(id)) v.add(`document_ids[${index}]`, "is used twice in this request");
    seen.add(id);
  }
  if (request.etag !== "" && documentIds.length > 1) {
    v.add("etag", "must be empty unless the request names one document");
  }
  checkRequestId(v, request.requestId);
}

export function checkClearCollection(request: ClearCollectionRequest, v: Violations): void {
  checkCollection(request, v);
  checkRequestId(v, request.requestId);
}
