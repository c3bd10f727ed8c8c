import { SessionOrder } from "../../gen/memorysidecar/v1/session.ts";
import {
  type ListSessionsRequest,
  ListSessionsResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import type { ListSessionsInput } from "../../service/api.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace, toSession } from "../convert/session.ts";
import { fromSessionFilter } from "../convert/session-filter.ts";
import { encodeWire } from "../fast-writer.ts";
import { numberPosition } from "../page-token.ts";
import type { UnaryRpc } from "../rpc.ts";

const PAGE_SIZE_DEFAULT = 50;

/** ListSessions. */
export const listSessions: UnaryRpc<ListSessionsRequest> = {
  handle: async ({ services, etags, pageTokens }, call, request) => {
    const { pageToken } = request;
    const input: ListSessionsInput = {
      namespace: fromNamespace(request.namespace),
      ...fromSessionFilter(request.filter),
      order: request.order === SessionOrder.CREATE_TIME_ASC ? "asc" : "desc",
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
      ...(pageToken === ""
        ? {}
        : { after: numberPosition(pageTokens.read(call.digest, pageToken)) }),
    };
    const page = await services.sessions.listSessions(call, input);
    return encodeWire(ListSessionsResponse, {
      sessions: page.sessions.map((session) => toSession(session, etags)),
      nextPageToken: page.next === undefined ? "" : pageTokens.make(call.digest, String(page.next)),
    });
  },
};
