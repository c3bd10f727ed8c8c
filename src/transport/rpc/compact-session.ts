import {
  type CompactSessionRequest,
  CompactSessionResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { CompactOutcome } from "../../gen/memorysidecar/v1/summary.ts";
import type { CompactSessionResult } from "../../service/tasks-api.ts";
import { fromSummarize } from "../convert/policy-summary.ts";
import { fromNamespace } from "../convert/session.ts";
import { toListedSummary, toTask } from "../convert/task.ts";
import { fromOptionalSpan } from "../convert/time.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkCompactSession } from "../validate/summary-requests.ts";

const OUTCOMES = {
  nothing: CompactOutcome.NOTHING,
  pending: CompactOutcome.PENDING,
  done: CompactOutcome.DONE,
  failed: CompactOutcome.FAILED,
  superseded: CompactOutcome.SUPERSEDED,
} as const satisfies Readonly<Record<CompactSessionResult["outcome"], CompactOutcome>>;

function encodeAnswer({ revision, task, outcome, summary }: CompactSessionResult): Uint8Array {
  return encodeWire(CompactSessionResponse, {
    revision: BigInt(revision),
    task: task === undefined ? undefined : toTask(task),
    outcome: OUTCOMES[outcome],
    summary: summary === undefined ? undefined : toListedSummary(summary),
  });
}

/** CompactSession. */
export const compactSession: UnaryRpc<CompactSessionRequest> = {
  validate: checkCompactSession,
  waits: ({ wait }) => fromOptionalSpan(wait, 0) > 0,
  handle: ({ services }, call, { namespace, sessionId, choice, summarize, wait }) =>
    services.summaries.compactSession(call, {
      namespace: fromNamespace(namespace),
      sessionId,
      choice:
        choice?.$case === "stage"
          ? { kind: "stage", stage: choice.value }
          : { kind: "keep-recent", keepRecent: choice?.value ?? 0 },
      spec: summarize === undefined ? undefined : fromSummarize(summarize),
      waitMs: fromOptionalSpan(wait, 0),
      encode: encodeAnswer,
    }),
};
