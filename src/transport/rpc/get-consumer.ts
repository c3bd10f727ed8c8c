import {
  type GetConsumerRequest,
  GetConsumerResponse,
} from "../../gen/memorysidecar/v1/event_service.ts";
import { toConsumer } from "../convert/consumer.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** GetConsumer. */
export const getConsumer: UnaryRpc<GetConsumerRequest> = {
  handle: async ({ services, resumeTokens }, call, { consumerId, ...request }) => {
    const namespace = fromNamespace(request.namespace);
    const view = await services.events.getConsumer(call, { namespace, consumerId });
    const consumer = toConsumer(view, namespace, resumeTokens);
    return encodeWire(GetConsumerResponse, { consumer });
  },
};
