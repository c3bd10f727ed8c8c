// The rules of the requests about the summaries of a session, one function each.

import { MANUAL_HOOK } from "../../domain/summaries/spec.ts";
import type { CompactSessionRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { checkSummarize } from "./policy-summary.ts";
import type { Violations } from "./violations.ts";

export function checkCompactSession(request: CompactSessionRequest, v: Violations): void {
  const { summarize } = request;
  checkSummarize(v, summarize);
  if (summarize?.hook === MANUAL_HOOK) v.add("summarize.hook", `must not be ${MANUAL_HOOK}`);
}
