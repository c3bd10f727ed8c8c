import type { WindowUnit } from "../../domain/policy.ts";
import {
  type TrimSessionRequest,
  TrimSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import type { TrimTarget } from "../../service/window-api.ts";
import { fromNamespace } from "../convert/session.ts";
import { toStageRuns, toTotals, toTrim } from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkTrimSession } from "../validate/window-requests.ts";

// By their public numbers. Not set means one message after the other here.
const UNITS: readonly WindowUnit[] = ["message", "message", "assistant-turn", "turn"];

function fromTarget(target: TrimSessionRequest["target"]): TrimTarget {
  switch (target?.$case) {
    case "maxTokens":
      return { kind: "tokens", maxTokens: Number(target.value) };
    case "maxMessages":
      return { kind: "messages", maxMessages: target.value };
    case "keepRecent":
      return { kind: "recent", unitCount: target.value };
    default:
      return { kind: "policy" };
  }
}

/** TrimSession. */
export const trimSession: UnaryRpc<TrimSessionRequest> = {
  validate: checkTrimSession,
  handle: ({ services }, call, { namespace, sessionId, target, unit, discard, etag }) =>
    services.sessions.trimSession(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      target: fromTarget(target),
      unit: UNITS[unit] ?? "message",
      discard,
      etag,
      encode: (result) =>
        encodeWire(TrimSessionResponse, {
          revision: BigInt(result.revision),
          trims: result.trims.map(toTrim),
          windowTotals: toTotals(result.window),
          stageRuns: toStageRuns(result.runs),
          overLimit: result.overLimit,
        }),
    }),
};
