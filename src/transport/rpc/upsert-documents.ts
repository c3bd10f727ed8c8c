import {
  type UpsertDocumentsRequest,
  UpsertDocumentsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { fromCollection, fromSplitter, toDocumentDraft } from "../convert/document.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkUpsertDocuments } from "../validate/document-requests.ts";

/** UpsertDocuments. */
export const upsertDocuments: UnaryRpc<UpsertDocumentsRequest> = {
  validate: checkUpsertDocuments,
  handle: ({ services }, call, request) =>
    services.recall.upsertDocuments(call, {
      namespace: fromNamespace(request.namespace),
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
