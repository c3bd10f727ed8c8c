import {
  type CreateConsumerRequest,
  CreateConsumerResponse,
} from "../../gen/memorysidecar/v1/event_service.ts";
import { toConsumer } from "../convert/consumer.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromFixedStart } from "../convert/stream.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** CreateConsumer. */
export const createConsumer: UnaryRpc<CreateConsumerRequest> = {
  handle: async ({ services, resumeTokens }, call, { consumerId, start, ...request }) => {
    const namespace = fromNamespace(request.namespace);
    return await services.events.createConsumer(call, {
      namespace,
      consumerId,
      start: fromFixedStart(start, namespace, resumeTokens, "now"),
      encode: (view) => {
        const consumer = toConsumer(view, namespace, resumeTokens);
        return encodeWire(CreateConsumerResponse, { consumer });
      },
    });
  },
};
