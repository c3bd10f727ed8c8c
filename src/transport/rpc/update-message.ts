import {
  type UpdateMessageRequest,
  UpdateMessageResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { messagePaths, toDraft } from "../convert/message.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTotals, toTrim } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceMessages } from "../splice.ts";
import { checkUpdateMessage, requiredMessage } from "../validate/message-requests.ts";

const MESSAGE_FIELD = 1;

/** UpdateMessage. */
export const updateMessage: UnaryRpc<UpdateMessageRequest> = {
  validate: checkUpdateMessage,
  handle: ({ services }, call, request) => {
    const message = requiredMessage(request);
    return services.sessions.updateMessage(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      messageId: message.messageId,
      draft: toDraft(message),
      paths: messagePaths(message, request.updateMask),
      etag: message.etag,
      encode: (result) => {
        const rest = encodeWire(UpdateMessageResponse, {
          message: undefined,
          revision: BigInt(result.revision),
          trims: result.trims.map(toTrim),
          windowTotals: toTotals(result.window),
        });
        return spliceMessages(MESSAGE_FIELD, [result.message], rest);
      },
    });
  },
};
