import {
  type ListDocumentsRequest,
  ListDocumentsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { documentBytes, fromCollection } from "../convert/document.ts";
import { pageLimit } from "../convert/page.ts";
import { fromDocumentFilter } from "../convert/recall-filter.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkListDocuments } from "../validate/document-requests.ts";

const PAGE_SIZE_DEFAULT = 100;
const DOCUMENTS_FIELD = 1;

/** ListDocuments. */
export const listDocuments: UnaryRpc<ListDocumentsRequest> = {
  validate: checkListDocuments,
  handle: async ({ services, pageTokens }, call, request) => {
    const { pageToken, includeEmbeddings } = request;
    const { documents, next } = await services.recall.listDocuments(call, {
      namespace: fromNamespace(request.namespace),
      collectionId: fromCollection(request.collectionId),
      filter: fromDocumentFilter(request.filter),
      after: pageToken === "" ? 0 : numberPosition(pageTokens.read(call.digest, pageToken)),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
      withEmbeddings: includeEmbeddings,
    });
    const nextPageToken = next === undefined ? "" : pageTokens.make(call.digest, String(next));
    const rest = encodeWire(ListDocumentsResponse, { documents: [], nextPageToken });
    const items = documents.map((document) => documentBytes(document, includeEmbeddings));
    return spliceField(DOCUMENTS_FIELD, items, rest);
  },
};
