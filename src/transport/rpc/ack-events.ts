import {
  type AckEventsRequest,
  AckEventsResponse,
} from "../../gen/memorysidecar/v1/event_service.ts";
import { toConsumer } from "../convert/consumer.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** AckEvents. */
export const ackEvents: UnaryRpc<AckEventsRequest> = {
  handle: async ({ services, resumeTokens }, call, { consumerId, resumeToken, ...request }) => {
    const namespace = fromNamespace(request.namespace);
    const position = resumeTokens.read(namespace, resumeToken);
    const view = await services.events.ackEvents(call, { namespace, consumerId, position });
    const consumer = toConsumer(view, namespace, resumeTokens);
    return encodeWire(AckEventsResponse, { consumer });
  },
};
