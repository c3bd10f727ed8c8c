import {
  type ListSummaryInputsRequest,
  ListSummaryInputsResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { toTotals } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceMessages } from "../splice.ts";
import { checkListSummaryInputs } from "../validate/window-requests.ts";

const MESSAGES_FIELD = 1;

/** ListSummaryInputs. */
export const listSummaryInputs: UnaryRpc<ListSummaryInputsRequest> = {
  validate: checkListSummaryInputs,
  handle: async ({ services }, call, { namespace, sessionId, choice }) => {
    const result = await services.sessions.listSummaryInputs(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      choice:
        choice?.$case === "stage"
          ? { kind: "stage", stage: choice.value }
          : { kind: "keep-recent", keepRecent: choice?.value ?? 0 },
    });
    const rest = encodeWire(ListSummaryInputsResponse, {
      messages: [],
      truncated: result.truncated,
      totals: toTotals(result.total),
    });
    return spliceMessages(MESSAGES_FIELD, result.messages, rest);
  },
};
