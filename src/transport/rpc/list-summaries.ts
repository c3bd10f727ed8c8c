import {
  type ListSummariesRequest,
  ListSummariesResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { Summary, SummaryOrder } from "../../gen/memorysidecar/v1/summary.ts";
import { fillPage, pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { toListedSummary } from "../convert/task.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";

const PAGE_SIZE_DEFAULT = 100;
const SUMMARIES_FIELD = 1;

/** ListSummaries. The position of a page token is the version of the last summary. */
export const listSummaries: UnaryRpc<ListSummariesRequest> = {
  handle: async ({ services, pageTokens }, call, request) => {
    const { pageToken } = request;
    const page = await services.summaries.listSummaries(call, {
      namespace: fromNamespace(request.namespace),
      sessionId: request.sessionId,
      currentOnly: request.currentOnly,
      order: request.order === SummaryOrder.VERSION_ASC ? "asc" : "desc",
      ...(pageToken === ""
        ? {}
        : { after: numberPosition(pageTokens.read(call.digest, pageToken)) }),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const summaries = fillPage(page.summaries, (listed) =>
      encodeWire(Summary, toListedSummary(listed)),
    );
    const isCut = summaries.length < page.summaries.length;
    const next = isCut ? page.summaries[summaries.length - 1]?.record.version : page.next;
    const nextPageToken = next === undefined ? "" : pageTokens.make(call.digest, String(next));
    const rest = encodeWire(ListSummariesResponse, { summaries: [], nextPageToken });
    return spliceField(SUMMARIES_FIELD, summaries, rest);
  },
};
