import {
  type SetSummaryRequest,
  SetSummaryResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { SummaryPlacement } from "../../gen/memorysidecar/v1/summary.ts";
import { fromNamespace, toPlacedSummary, toSession } from "../convert/session.ts";
import { toTrim } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkSetSummary } from "../validate/window-requests.ts";

/** SetSummary. */
export const setSummary: UnaryRpc<SetSummaryRequest> = {
  validate: checkSetSummary,
  handle: ({ services, etags }, call, request) => {
    const { namespace, sessionId, text, replacedMessageIds, placement, expectedVersion } = request;
    return services.sessions.setSummary(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      text,
      replacedMessageIds,
      placement: placement === SummaryPlacement.IN_PLACE ? "in-place" : "session",
      ...(expectedVersion === undefined ? {} : { expectedVersion: Number(expectedVersion) }),
      encode: ({ session, trims, placed }) =>
        encodeWire(SetSummaryResponse, {
          session: toSession(session, etags),
          trims: trims.map(toTrim),
          placed: placed === undefined ? undefined : toPlacedSummary(placed),
        }),
    });
  },
};
