import {
  type DeleteDocumentsRequest,
  DeleteDocumentsResponse,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { fromCollection } from "../convert/document.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkDeleteDocuments } from "../validate/document-requests.ts";

/** DeleteDocuments. */
export const deleteDocuments: UnaryRpc<DeleteDocumentsRequest> = {
  validate: checkDeleteDocuments,
  handle: ({ services }, call, { namespace, collectionId, documentIds, etag, allowMissing }) =>
    services.recall.deleteDocuments(call, {
      namespace: fromNamespace(namespace),
      collectionId: fromCollection(collectionId),
      documentIds,
      etag,
      allowMissing,
      encode: ({ deletedCount, revision }) =>
        encodeWire(DeleteDocumentsResponse, { deletedCount, revision: BigInt(revision) }),
    }),
};
