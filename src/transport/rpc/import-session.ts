import {
  type ImportSessionRequest,
  ImportSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace, toSession } from "../convert/session.ts";
import { fromChunk, fromFormat } from "../convert/snapshot.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkImportSession } from "../validate/snapshot.ts";

/** ImportSession. */
export const importSession: UnaryRpc<ImportSessionRequest> = {
  validate: checkImportSession,
  handle: ({ services, etags }, call, request) => {
    const { chunkIndex, more, replace, sessionId, uploadId } = request;
    return services.snapshots.importChunk(call, {
      namespace: fromNamespace(request.namespace),
      sessionId,
      format: fromFormat(request.format),
      replace,
      uploadId,
      chunkIndex,
      more,
      content: fromChunk(request),
      encode: (result) =>
        encodeWire(
          ImportSessionResponse,
          "session" in result
            ? { session: toSession(result.session, etags), uploadId: "", nextChunkIndex: 0 }
            : { session: undefined, ...result },
        ),
    });
  },
};
