import { LIMITS } from "../../domain/limits.ts";
import type { SearchDocumentsRequest } from "../../gen/memorysidecar/v1/memory_service.ts";
import { DocumentMatch, DocumentScoring } from "../../gen/memorysidecar/v1/recall.ts";
import type { SearchDocumentsInput } from "../../service/recall-api.ts";
import { documentBytes, fromCollection } from "../convert/document.ts";
import { fromEmbedding } from "../convert/embedding.ts";
import { fromDocumentFilter } from "../convert/recall-filter.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkSearchDocuments } from "../validate/document-requests.ts";

const MATCHES_FIELD = 1;
const DOCUMENT_FIELD = 1;

const SCORINGS: Readonly<Partial<Record<number, SearchDocumentsInput["scoring"]>>> = {
  [DocumentScoring.COSINE]: "cosine",
  [DocumentScoring.TF_IDF]: "tf-idf",
};

/** SearchDocuments. */
export const searchDocuments: UnaryRpc<SearchDocumentsRequest> = {
  validate: checkSearchDocuments,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const { includeEmbeddings } = request;
    const found = await services.recall.searchDocuments(call, {
      namespace: fromNamespace(request.namespace),
      collectionId: fromCollection(request.collectionId),
      query: request.query,
      embedding: fromEmbedding(request.embedding),
      scoring: SCORINGS[request.scoring] ?? "recall",
      filter: fromDocumentFilter(request.filter),
      limit: request.limit ?? LIMITS.searchDocumentsDefault,
      minScore: request.minScore,
      withEmbeddings: includeEmbeddings,
    });
    const matches = found.map(({ document, score }) => {
      const rest = encodeWire(DocumentMatch, { document: undefined, score });
      return spliceField(DOCUMENT_FIELD, [documentBytes(document, includeEmbeddings)], rest);
    });
    return spliceField(MATCHES_FIELD, matches, new Uint8Array(0));
  },
};
