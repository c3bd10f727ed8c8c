import {
  type ListConsumersRequest,
  ListConsumersResponse,
} from "../../gen/memorysidecar/v1/event_service.ts";
import { toConsumer } from "../convert/consumer.ts";
import { pageLimit } from "../convert/page.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

const PAGE_SIZE_DEFAULT = 50;

/** ListConsumers. The position of a page token is the last id of the page before. */
export const listConsumers: UnaryRpc<ListConsumersRequest> = {
  handle: async ({ services, pageTokens, resumeTokens }, call, { pageToken, ...request }) => {
    const namespace = fromNamespace(request.namespace);
    const page = await services.events.listConsumers(call, {
      namespace,
      after: pageToken === "" ? "" : pageTokens.read(call.digest, pageToken),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    return encodeWire(ListConsumersResponse, {
      consumers: page.consumers.map((view) => toConsumer(view, namespace, resumeTokens)),
      nextPageToken: page.next === undefined ? "" : pageTokens.make(call.digest, page.next),
    });
  },
};
