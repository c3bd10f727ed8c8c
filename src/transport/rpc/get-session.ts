import {
  type GetSessionRequest,
  GetSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { encodeSessionAnswer, fromNamespace } from "../convert/session.ts";
import type { UnaryRpc } from "../rpc.ts";

/** GetSession. */
export const getSession: UnaryRpc<GetSessionRequest> = {
  handle: async ({ services, etags }, call, { namespace, sessionId }) => {
    const ref = { namespace: fromNamespace(namespace), sessionId };
    const session = await services.sessions.getSession(call, ref);
    return encodeSessionAnswer(GetSessionResponse, session, etags);
  },
};
