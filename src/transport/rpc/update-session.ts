import {
  type UpdateSessionRequest,
  UpdateSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace, fromSession, sessionPaths, toSession } from "../convert/session.ts";
import { toStageRuns, toTrim } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkUpdateSession, requiredSession } from "../validate/session-requests.ts";

/** UpdateSession. */
export const updateSession: UnaryRpc<UpdateSessionRequest> = {
  validate: checkUpdateSession,
  handle: ({ services, etags }, call, request) => {
    const session = requiredSession(request);
    return services.sessions.updateSession(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: session.sessionId,
      input: fromSession(session),
      paths: sessionPaths(session, request.updateMask),
      etag: session.etag,
      encode: (result) =>
        encodeWire(UpdateSessionResponse, {
          session: toSession(result.session, etags),
          trims: result.trims.map(toTrim),
          stageRuns: toStageRuns(result.runs),
          overLimit: result.overLimit,
        }),
    });
  },
};
