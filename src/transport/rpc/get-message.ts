import {
  type GetMessageRequest,
  GetMessageResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceMessages } from "../splice.ts";

const MESSAGE_FIELD = 1;

/** GetMessage. */
export const getMessage: UnaryRpc<GetMessageRequest> = {
  handle: async ({ services }, call, { namespace, sessionId, messageId }) => {
    const ref = { namespace: fromNamespace(namespace), sessionId, messageId };
    const { message, inWindow } = await services.sessions.getMessage(call, ref);
    const rest = encodeWire(GetMessageResponse, { message: undefined, inWindow });
    return spliceMessages(MESSAGE_FIELD, [message.bytes], rest);
  },
};
