import {
  type ListEventsRequest,
  ListEventsResponse,
} from "../../gen/memorysidecar/v1/event_service.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromEventFilter } from "../convert/stream.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";
import { checkListEvents } from "../validate/event-requests.ts";

const PAGE_SIZE_DEFAULT = 100;
const EVENTS_FIELD = 1;

/** ListEvents. The position of a page token is a resume token. */
export const listEvents: UnaryRpc<ListEventsRequest> = {
  validate: checkListEvents,
  handle: async ({ services, pageTokens, resumeTokens }, call, request) => {
    const namespace = fromNamespace(request.namespace);
    const from =
      request.pageToken === ""
        ? request.resumeToken
        : pageTokens.read(call.digest, request.pageToken);
    const page = await services.events.listEvents(call, {
      namespace,
      after: from === "" ? undefined : resumeTokens.read(namespace, from),
      filter: fromEventFilter(request.filter),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const resumeToken = resumeTokens.make(namespace, page.position);
    const nextPageToken = page.atEnd ? "" : pageTokens.make(call.digest, resumeToken);
    const rest = encodeWire(ListEventsResponse, { events: [], nextPageToken, resumeToken });
    return spliceField(
      EVENTS_FIELD,
      page.events.map((event) => event.body),
      rest,
    );
  },
};
