import type { StreamRpc, UnaryRpc } from "../../edge/rpc.ts";
import {
  type ExportSessionRequest,
  type ImportSessionRequest,
  ImportSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { encodeWire } from "../../grpc/fast-writer.ts";
import { toSession } from "../wire.ts";
import { checkExportSession, checkImportSession } from "./checks.ts";
import { exportAnswers } from "./export-wire.ts";
import { fromChunk, fromFormat } from "./wire.ts";

/** ExportSession. Reads on as fast as the reader takes the chunks, and no faster. */
export const exportSession: StreamRpc<ExportSessionRequest> = {
  validate: checkExportSession,
  stream: ({ services, etags, exports }, call, request, answers) => {
    const ref = { namespace: request.namespace, sessionId: request.sessionId };
    const wanted = { ...ref, format: fromFormat(request.format) };
    return exports.run(ref.namespace, answers, (send) =>
      exportAnswers({ services, etags }, call, wanted, send),
    );
  },
};

/** ImportSession. */
export const importSession: UnaryRpc<ImportSessionRequest> = {
  validate: checkImportSession,
  handle: ({ services, etags }, call, request) => {
    const { chunkIndex, more, replace, sessionId, uploadId } = request;
    return services.snapshots.importChunk(call, {
      namespace: request.namespace,
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
