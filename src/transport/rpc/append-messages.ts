import type { AppendMessagesRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { encodeAppendAnswer } from "../convert/append-answer.ts";
import { toDraft } from "../convert/message.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromSignals } from "../convert/signals.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkAppendMessages } from "../validate/message-requests.ts";

/** AppendMessages. */
export const appendMessages: UnaryRpc<AppendMessagesRequest> = {
  validate: checkAppendMessages,
  handle: ({ services }, call, request) => {
    const { expectedLastSeq } = request;
    return services.sessions.appendMessages(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      drafts: request.messages.map(toDraft),
      createSession: request.createSession,
      turnEnd: request.turnEnd,
      ...fromSignals(request),
      ...(expectedLastSeq === undefined ? {} : { expectedLastSeq: Number(expectedLastSeq) }),
      encode: encodeAppendAnswer,
    });
  },
};
