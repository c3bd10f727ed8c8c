import {
  type GetDocumentRequest,
  GetDocumentResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { documentBytes, fromCollection } from "../convert/document.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";

const DOCUMENT_FIELD = 1;

/** GetDocument. */
export const getDocument: UnaryRpc<GetDocumentRequest> = {
  handle: async ({ services }, call, { namespace, collectionId, documentId, ...request }) => {
    const document = await services.recall.getDocument(call, {
      namespace: fromNamespace(namespace),
      collectionId: fromCollection(collectionId),
      documentId,
    });
    const rest = encodeWire(GetDocumentResponse, { document: undefined });
    const bytes = documentBytes(document, request.includeEmbedding);
    return spliceField(DOCUMENT_FIELD, [bytes], rest);
  },
};
