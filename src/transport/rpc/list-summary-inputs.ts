import { LIMITS } from "../../domain/limits.ts";
import {
  type ListSummaryInputsRequest,
  ListSummaryInputsResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTotals } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import { fractionPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceMessages } from "../splice.ts";

const MESSAGES_FIELD = 1;

/** ListSummaryInputs. The position of a page token is the place of the last message. */
export const listSummaryInputs: UnaryRpc<ListSummaryInputsRequest> = {
  handle: async ({ services, pageTokens }, call, request) => {
    const { namespace, sessionId, choice, pageSize, pageToken } = request;
    const result = await services.sessions.listSummaryInputs(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      choice:
        choice?.$case === "stage"
          ? { kind: "stage", stage: choice.value }
          : { kind: "keep-recent", keepRecent: choice?.value ?? 0 },
      ...(pageToken === ""
        ? {}
        : { after: fractionPosition(pageTokens.read(call.digest, pageToken)) }),
      limit: pageLimit(pageSize, LIMITS.pageSizeMax),
    });
    const { next } = result;
    const rest = encodeWire(ListSummaryInputsResponse, {
      messages: [],
      totals: toTotals(result.total),
      nextPageToken: next === undefined ? "" : pageTokens.make(call.digest, String(next)),
    });
    return spliceMessages(MESSAGES_FIELD, result.messages, rest);
  },
};
