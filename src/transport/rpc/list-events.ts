import {
  type ListEventsRequest,
  ListEventsResponse,
} from "../../gen/memorysidecar/v1/event_service.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromEventFilter, fromFixedStart } from "../convert/stream.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceField } from "../splice.ts";

const PAGE_SIZE_DEFAULT = 100;
const EVENTS_FIELD = 1;

/** ListEvents. The position of a page token is a resume token. */
export const listEvents: UnaryRpc<ListEventsRequest> = {
  handle: async ({ services, pageTokens, resumeTokens }, call, request) => {
    const namespace = fromNamespace(request.namespace);
    const start =
      request.pageToken === ""
        ? request.start
        : ({
            $case: "resumeToken",
            value: pageTokens.read(call.digest, request.pageToken),
          } as const);
    const page = await services.events.listEvents(call, {
      namespace,
      start: fromFixedStart(start, namespace, resumeTokens, "oldest"),
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
