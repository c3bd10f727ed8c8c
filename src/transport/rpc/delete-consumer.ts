import {
  type DeleteConsumerRequest,
  DeleteConsumerResponse,
} from "../../gen/memorysidecar/v1/event_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";

/** DeleteConsumer. */
export const deleteConsumer: UnaryRpc<DeleteConsumerRequest> = {
  handle: ({ services }, call, { namespace, consumerId, allowMissing }) =>
    services.events.deleteConsumer(call, {
      namespace: fromNamespace(namespace),
      consumerId,
      allowMissing,
      encode: () => encodeWire(DeleteConsumerResponse, {}),
    }),
};
