import {
  type FillToolResultsRequest,
  FillToolResultsResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTotals } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceMessages } from "../splice.ts";

const MESSAGES_FIELD = 2;

/** FillToolResults. */
export const fillToolResults: UnaryRpc<FillToolResultsRequest> = {
  handle: ({ services }, call, { namespace, sessionId, text, newestOnly }) =>
    services.sessions.fillToolResults(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      text,
      newestOnly,
      encode: ({ revision, messages, window }) => {
        const rest = encodeWire(FillToolResultsResponse, {
          revision: BigInt(revision),
          messages: [],
          windowTotals: toTotals(window),
        });
        return spliceMessages(MESSAGES_FIELD, messages, rest);
      },
    }),
};
