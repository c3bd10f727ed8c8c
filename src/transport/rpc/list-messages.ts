import type { Role } from "../../domain/window/types.ts";
import { MessageOrder } from "../../gen/memorysidecar/v1/message.ts";
import {
  type ListMessagesRequest,
  ListMessagesResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import type { ListMessagesInput } from "../../service/api.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceMessages } from "../splice.ts";

const PAGE_SIZE_DEFAULT = 100;
const MESSAGES_FIELD = 1;

/** ListMessages. */
export const listMessages: UnaryRpc<ListMessagesRequest> = {
  handle: async ({ services, pageTokens }, call, request) => {
    const { filter, pageToken } = request;
    const roles = filter?.roles ?? [];
    const input: ListMessagesInput = {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      ...(roles.length === 0 ? {} : { roles: new Set(roles as Role[]) }),
      firstSeq: Number(filter?.firstSeq ?? 0),
      lastSeq: Number(filter?.lastSeq ?? 0),
      order: request.order === MessageOrder.SEQ_DESC ? "desc" : "asc",
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
      ...(pageToken === ""
        ? {}
        : { startSeq: numberPosition(pageTokens.read(call.digest, pageToken)) }),
    };
    const { messages, next } = await services.sessions.listMessages(call, input);
    const nextPageToken = next === undefined ? "" : pageTokens.make(call.digest, String(next));
    const rest = encodeWire(ListMessagesResponse, { messages: [], nextPageToken });
    return spliceMessages(
      MESSAGES_FIELD,
      messages.map((message) => message.bytes),
      rest,
    );
  },
};
