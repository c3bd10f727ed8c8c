import {
  type ForkSessionRequest,
  ForkSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { encodeSessionAnswer, fromNamespace } from "../convert/session.ts";
import type { UnaryRpc } from "../rpc.ts";

/** ForkSession. Copying a long log takes a while: it stops when nobody waits for it any more. */
export const forkSession: UnaryRpc<ForkSessionRequest> = {
  cancelable: true,
  handle: ({ services, etags }, call, { namespace, sourceSessionId, sessionId, atSeq }) =>
    services.sessions.forkSession(call, {
      namespace: fromNamespace(namespace),
      sourceSessionId,
      sessionId,
      ...(atSeq === undefined ? {} : { atSeq: Number(atSeq) }),
      encode: (session) => encodeSessionAnswer(ForkSessionResponse, session, etags),
    }),
};
