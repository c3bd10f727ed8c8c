// The rules of the requests about the summaries of a session, one function each.

import { LIMITS } from "../../domain/limits.ts";
import { MANUAL_HOOK } from "../../domain/summaries/spec.ts";
import type {
  CompactSessionRequest,
  ListSummariesRequest,
  ListSummarySourcesRequest,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { SummaryOrder } from "../../gen/memorysidecar/v1/summary.ts";
import {
  checkEnum,
  checkNamespace,
  checkPage,
  checkRange,
  checkRequestId,
  checkRequiredText,
  checkSessionId,
  checkSpan,
} from "./fields.ts";
import { checkSummarize } from "./policy-summary.ts";
import type { Violations } from "./violations.ts";

const MESSAGES = { min: 0, max: LIMITS.windowMessages };
const COMPACT_WAIT = { min: 0, max: LIMITS.compactWaitMs };
const VERSION = { min: 1, max: Number.MAX_SAFE_INTEGER };

function checkRef(request: { namespace: string; sessionId: string }, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
}

export function checkCompactSession(request: CompactSessionRequest, v: Violations): void {
  checkRef(request, v);
  const { choice, summarize } = request;
  if (choice === undefined) v.add("choice", "one of keep_recent and stage is required");
  else if (choice.$case === "keepRecent") checkRange(v, "keep_recent", choice.value, MESSAGES);
  else checkRequiredText(v, "stage", choice.value, LIMITS.stageNameChars);
  checkSummarize(v, summarize);
  if (summarize?.hook === MANUAL_HOOK) v.add("summarize.hook", `must not be ${MANUAL_HOOK}`);
  checkSpan(v, "wait", request.wait, COMPACT_WAIT);
  checkRequestId(v, request.requestId);
}

export function checkListSummaries(request: ListSummariesRequest, v: Violations): void {
  checkRef(request, v);
  checkEnum(v, "order", request.order, SummaryOrder);
  checkPage(v, request);
}

export function checkListSummarySources(request: ListSummarySourcesRequest, v: Violations): void {
  checkRef(request, v);
  checkRange(v, "version", request.version, VERSION);
  checkPage(v, request);
}
