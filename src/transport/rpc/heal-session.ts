import {
  type HealSessionRequest,
  HealSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTotals } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkHealSession } from "../validate/window-requests.ts";

const MESSAGES_FIELD = 2;

/** HealSession. */
export const healSession: UnaryRpc<HealSessionRequest> = {
  validate: checkHealSession,
  handle: ({ services }, call, { namespace, sessionId, text, newestOnly }) =>
    services.sessions.healSession(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      text,
      newestOnly,
      encode: ({ revision, messages, window }) => {
        const rest = encodeWire(HealSessionResponse, {
          revision: BigInt(revision),
          messages: [],
          windowTotals: toTotals(window),
        });
        return spliceField(MESSAGES_FIELD, messages, rest);
      },
    }),
};
