import {
  type GetWindowRequest,
  GetWindowResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromPolicyChoice } from "../convert/policy.ts";
import { fromNamespace, toSummary } from "../convert/session.ts";
import {
  toConditionWarning,
  toSeqRange,
  toStageRuns,
  toTotals,
  toTrim,
} from "../convert/window.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { spliceMessages } from "../splice.ts";
import { checkGetWindow } from "../validate/session-requests.ts";

const MESSAGES_FIELD = 1;

/** GetWindow. */
export const getWindow: UnaryRpc<GetWindowRequest> = {
  validate: checkGetWindow,
  handle: async ({ services }, call, request) => {
    const { namespace, sessionId, policy, asOfSeq, newest, readOnly } = request;
    const chosen = policy && fromPolicyChoice(policy);
    const result = await services.sessions.getWindow(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      ...(chosen === undefined ? {} : { policy: chosen }),
      ...(asOfSeq === undefined ? {} : { asOfSeq: Number(asOfSeq) }),
      ...(newest === undefined ? {} : { newest }),
      readOnly,
    });
    const rest = encodeWire(GetWindowResponse, {
      messages: [],
      summary: result.summary === undefined ? undefined : toSummary(result.summary),
      windowTotals: toTotals(result.window),
      outsideTotals: result.outside === undefined ? undefined : toTotals(result.outside),
      outsideSeqRanges: result.outsideRanges.map(toSeqRange),
      outsideTruncated: result.outsideTruncated,
      trims: result.trims.map(toTrim),
      openToolCallIds: [...result.openToolCallIds],
      overLimit: result.overLimit,
      lastSeq: BigInt(result.lastSeq),
      revision: BigInt(result.revision),
      stageRuns: toStageRuns(result.runs),
      warnings: result.warnings.map(toConditionWarning),
      shortenedMessageIds: [...result.shortenedIds],
    });
    return spliceMessages(MESSAGES_FIELD, result.messages, rest);
  },
};
