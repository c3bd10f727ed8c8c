// The rules of the requests about documents, one function each.

import { LIMITS } from "../../domain/limits.ts";
import type { Document, TextSplitter } from "../../gen/memorysidecar/v1/document.ts";
import type {
  DeleteDocumentsRequest,
  ListDocumentsRequest,
  UpsertDocumentsRequest,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { Trust } from "../../gen/memorysidecar/v1/message.ts";
import { fromCollection } from "../convert/document.ts";
import { checkEmbedding } from "./embedding.ts";
import { checkText } from "./fields.ts";
import { checkDocumentFilter } from "./recall-filter.ts";
import type { Violations } from "./violations.ts";

export function checkUpsertDocuments(request: UpsertDocumentsRequest, v: Violations): void {
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
  checkEmbedding(v, document.embedding);
  if (document.trust === Trust.HIGH) {
    v.add("trust", "must be TRUST_MEDIUM or TRUST_LOW: TRUST_HIGH is for the operator");
  }
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

export function checkListDocuments(request: ListDocumentsRequest, v: Violations): void {
  checkDocumentFilter(v, request.filter);
}

export function checkDeleteDocuments(request: DeleteDocumentsRequest, v: Violations): void {
  const { documentIds } = request;
  const seen = new Set<string>();
  for (let index = 0; index < documentIds.length && !v.full; index++) {
    const id = documentIds[index] ?? "";
    if (seen.has(id)) v.add(`document_ids[${index}]`, "is used twice in this request");
    seen.add(id);
  }
  if (request.etag !== "" && documentIds.length > 1) {
    v.add("etag", "must be empty unless the request names one document");
  }
}
