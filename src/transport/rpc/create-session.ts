import {
  type CreateSessionRequest,
  CreateSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { encodeSessionAnswer, fromNamespace, fromSession } from "../convert/session.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkCreateSession } from "../validate/session-requests.ts";

/** CreateSession. */
export const createSession: UnaryRpc<CreateSessionRequest> = {
  validate: checkCreateSession,
  handle: ({ services, etags }, call, { namespace, session }) =>
    services.sessions.createSession(call, {
      namespace: fromNamespace(namespace),
      sessionId: session?.sessionId ?? "",
      input: session === undefined ? {} : fromSession(session),
      encode: (created) => encodeSessionAnswer(CreateSessionResponse, created, etags),
    }),
};
