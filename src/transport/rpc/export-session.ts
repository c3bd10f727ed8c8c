import type { ExportSessionRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromFormat } from "../convert/snapshot.ts";
import { exportAnswers } from "../export-answers.ts";
import type { StreamRpc } from "../rpc.ts";
import { checkExportSession } from "../validate/snapshot.ts";

/** ExportSession. Reads on as fast as the reader takes the chunks, and no faster. */
export const exportSession: StreamRpc<ExportSessionRequest> = {
  validate: checkExportSession,
  stream: ({ services, etags, exports }, call, { format, namespace, sessionId }, answers) =>
    exports.run(answers, (send) => {
      const ref = { namespace: fromNamespace(namespace), sessionId };
      return exportAnswers({ services, etags }, call, { ...ref, format: fromFormat(format) }, send);
    }),
};
