import {
  type RestoreMessagesRequest,
  RestoreMessagesResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTotals } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkRestoreMessages } from "../validate/window-requests.ts";

/** RestoreMessages. */
export const restoreMessages: UnaryRpc<RestoreMessagesRequest> = {
  validate: checkRestoreMessages,
  cancelable: true,
  handle: ({ services }, call, { namespace, sessionId, messageIds, seqRanges }) =>
    services.sessions.restoreMessages(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      messageIds,
      ranges: seqRanges.map(({ firstSeq, lastSeq }) => ({
        first: Number(firstSeq),
        last: Number(lastSeq),
      })),
      encode: (result) =>
        encodeWire(RestoreMessagesResponse, {
          revision: BigInt(result.revision),
          messageIds: [...result.messageIds],
          windowTotals: toTotals(result.window),
        }),
    }),
};
