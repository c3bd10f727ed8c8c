import {
  type ListSummarySourcesRequest,
  ListSummarySourcesResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceMessages } from "../splice.ts";

const PAGE_SIZE_DEFAULT = 100;
const MESSAGES_FIELD = 1;

/** ListSummarySources. The position of a page token is the seq of the last message. */
export const listSummarySources: UnaryRpc<ListSummarySourcesRequest> = {
  handle: async ({ services, pageTokens }, call, request) => {
    const { pageToken } = request;
    const page = await services.summaries.listSummarySources(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      version: Number(request.version),
      ...(pageToken === ""
        ? {}
        : { after: numberPosition(pageTokens.read(call.digest, pageToken)) }),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const nextPageToken =
      page.next === undefined ? "" : pageTokens.make(call.digest, String(page.next));
    const rest = encodeWire(ListSummarySourcesResponse, { messages: [], nextPageToken });
    return spliceMessages(MESSAGES_FIELD, page.messages, rest);
  },
};
