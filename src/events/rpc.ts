import type { StreamRpc, UnaryRpc } from "../edge/rpc.ts";
import {
  type AckEventsRequest,
  AckEventsResponse,
  type CreateConsumerRequest,
  CreateConsumerResponse,
  type DeleteConsumerRequest,
  DeleteConsumerResponse,
  type GetConsumerRequest,
  GetConsumerResponse,
  type ListConsumersRequest,
  ListConsumersResponse,
  type ListEventsRequest,
  ListEventsResponse,
  type WatchEventsRequest,
} from "../gen/memorysidecar/v1/event_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { pageLimit } from "../grpc/page-token.ts";
import { spliceField } from "../grpc/splice.ts";
import { encodeCheckpoint, encodeWatchAnswers } from "./watch-wire.ts";
import { fromEventFilter, fromFixedStart, fromStart, toConsumer } from "./wire.ts";

/** WatchEvents. Pulls from the service as fast as the reader takes the answers, and no faster. */
export const watchEvents: StreamRpc<WatchEventsRequest> = {
  stream: async (context, call, request, answers) => {
    const { services, resumeTokens, checkpointIntervalMs } = context;
    const namespace = request.namespace;
    const watcher = await services.events.watch(call, {
      namespace,
      start: fromStart(request.start, namespace, resumeTokens),
      filter: fromEventFilter(request.filter),
    });
    const checkpoint = () => encodeCheckpoint(resumeTokens.make(namespace, watcher.position));
    const close = () => watcher.close();
    call.signal.addEventListener("abort", close, { once: true });
    try {
      await answers.send(checkpoint());
      while (!call.signal.aborted) {
        const events = await watcher.next(checkpointIntervalMs);
        if (events.length === 0 && !call.signal.aborted) await answers.send(checkpoint());
        for (const answer of encodeWatchAnswers(events, resumeTokens)) {
          const wait = answers.send(answer);
          if (wait !== undefined) await wait;
        }
      }
    } finally {
      call.signal.removeEventListener("abort", close);
      watcher.close();
    }
  },
};

const PAGE_SIZE_DEFAULT = 100;
const EVENTS_FIELD = 1;

/** ListEvents. The position of a page token is a resume token. */
export const listEvents: UnaryRpc<ListEventsRequest> = {
  handle: async ({ services, pageTokens, resumeTokens }, call, request) => {
    const namespace = request.namespace;
    const resumed = pageTokens.read(call, request.pageToken, (value) => {
      return { $case: "resumeToken", value } as const;
    });
    const page = await services.events.listEvents(call, {
      namespace,
      start: fromFixedStart(resumed ?? request.start, namespace, resumeTokens, "oldest"),
      filter: fromEventFilter(request.filter),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const resumeToken = resumeTokens.make(namespace, page.position);
    const nextPageToken = pageTokens.make(call, page.atEnd ? undefined : resumeToken);
    const rest = encodeWire(ListEventsResponse, { events: [], nextPageToken, resumeToken });
    return spliceField(
      EVENTS_FIELD,
      page.events.map((event) => event.body),
      rest,
    );
  },
};

/** CreateConsumer. */
export const createConsumer: UnaryRpc<CreateConsumerRequest> = {
  handle: async ({ services, resumeTokens }, call, { consumerId, start, ...request }) => {
    const namespace = request.namespace;
    return await services.events.createConsumer(call, {
      ...{ namespace, consumerId },
      start: fromFixedStart(start, namespace, resumeTokens, "now"),
      encode: (view) => {
        const consumer = toConsumer(view, namespace, resumeTokens);
        return encodeWire(CreateConsumerResponse, { consumer });
      },
    });
  },
};

/** GetConsumer. */
export const getConsumer: UnaryRpc<GetConsumerRequest> = {
  handle: async ({ services, resumeTokens }, call, { consumerId, ...request }) => {
    const namespace = request.namespace;
    const view = await services.events.getConsumer(call, { namespace, consumerId });
    const consumer = toConsumer(view, namespace, resumeTokens);
    return encodeWire(GetConsumerResponse, { consumer });
  },
};

const CONSUMER_PAGE_SIZE_DEFAULT = 50;

/** ListConsumers. The position of a page token is the last id of the page before. */
export const listConsumers: UnaryRpc<ListConsumersRequest> = {
  handle: async ({ services, pageTokens, resumeTokens }, call, { pageToken, ...request }) => {
    const namespace = request.namespace;
    const page = await services.events.listConsumers(call, {
      namespace,
      after: pageTokens.read(call, pageToken, String) ?? "",
      limit: pageLimit(request.pageSize, CONSUMER_PAGE_SIZE_DEFAULT),
    });
    return encodeWire(ListConsumersResponse, {
      consumers: page.consumers.map((view) => toConsumer(view, namespace, resumeTokens)),
      nextPageToken: pageTokens.make(call, page.next),
    });
  },
};

/** DeleteConsumer. */
export const deleteConsumer: UnaryRpc<DeleteConsumerRequest> = {
  handle: ({ services }, call, { namespace, consumerId, allowMissing }) =>
    services.events.deleteConsumer(call, {
      ...{ namespace, consumerId, allowMissing },
      encode: () => encodeWire(DeleteConsumerResponse, {}),
    }),
};

/** AckEvents. */
export const ackEvents: UnaryRpc<AckEventsRequest> = {
  handle: async ({ services, resumeTokens }, call, { consumerId, resumeToken, ...request }) => {
    const namespace = request.namespace;
    const position = resumeTokens.read(namespace, resumeToken);
    const view = await services.events.ackEvents(call, { namespace, consumerId, position });
    const consumer = toConsumer(view, namespace, resumeTokens);
    return encodeWire(AckEventsResponse, { consumer });
  },
};
