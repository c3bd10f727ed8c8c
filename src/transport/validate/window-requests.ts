// The rules of the requests that change the window of a session, one function each.

import { LIMITS } from "../../domain/limits.ts";
import { WindowUnit } from "../../gen/memorysidecar/v1/policy.ts";
import type {
  FillToolResultsRequest,
  ListSummaryInputsRequest,
  RestoreMessagesRequest,
  SetSummaryRequest,
  TrimSessionRequest,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { SummaryPlacement } from "../../gen/memorysidecar/v1/summary.ts";
import {
  checkCount,
  checkEnum,
  checkNamespace,
  checkPage,
  checkRange,
  checkRequestId,
  checkRequiredId,
  checkRequiredText,
  checkSeq,
  checkSessionId,
  checkText,
} from "./fields.ts";
import type { Violations } from "./violations.ts";

const MESSAGES = { min: 0, max: LIMITS.windowMessages };
const TOKENS = { min: 0, max: LIMITS.policyTokens };
const IN_PLACE = 2;

function checkRef(request: { namespace: string; sessionId: string }, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
}

export function checkTrimSession(request: TrimSessionRequest, v: Violations): void {
  checkRef(request, v);
  const { target, unit, discard } = request;
  switch (target?.$case) {
    case undefined:
      v.add("target", "one of max_tokens, max_messages, keep_recent and run_policy is required");
      break;
    case "maxTokens":
      checkRange(v, "max_tokens", target.value, TOKENS);
      break;
    case "maxMessages":
      checkRange(v, "max_messages", target.value, MESSAGES);
      break;
    case "keepRecent":
      checkRange(v, "keep_recent", target.value, MESSAGES);
      break;
    case "runPolicy":
      if (unit !== 0) v.add("unit", "is not allowed with run_policy");
      if (discard) v.add("discard", "is not allowed with run_policy");
      break;
  }
  checkEnum(v, "unit", unit, WindowUnit);
  checkRequestId(v, request.requestId);
}

export function checkRestoreMessages(request: RestoreMessagesRequest, v: Violations): void {
  checkRef(request, v);
  const { messageIds, seqRanges } = request;
  if (messageIds.length === 0 && seqRanges.length === 0) {
    v.add("message_ids", "or seq_ranges must name 1 message at least", 1);
  }
  checkMessageIds(v, "message_ids", messageIds, LIMITS.restoreMessages);
  checkCount(v, "seq_ranges", seqRanges.length, LIMITS.restoreRanges);
  for (let index = 0; index < seqRanges.length && !v.full; index++) {
    const { firstSeq = 0n, lastSeq = 0n } = seqRanges[index] ?? {};
    v.enterItem("seq_ranges", index);
    if (firstSeq < 1n) v.add("first_seq", "must be 1 at least", 1);
    else if (lastSeq < firstSeq) v.add("last_seq", "must not be below first_seq");
    else checkSeq(v, "last_seq", lastSeq);
    v.leaveItem();
  }
  checkRequestId(v, request.requestId);
}

function checkMessageIds(v: Violations, field: string, ids: readonly string[], max: number): void {
  checkCount(v, field, ids.length, max);
  for (let index = 0; index < ids.length && !v.full; index++) {
    checkRequiredId(v, `${field}[${index}]`, ids[index] ?? "", LIMITS.messageIdBytes);
  }
}

export function checkListSummaryInputs(request: ListSummaryInputsRequest, v: Violations): void {
  checkRef(request, v);
  checkPage(v, request);
  const { choice } = request;
  if (choice === undefined) v.add("choice", "one of keep_recent and stage is required");
  else if (choice.$case === "keepRecent") checkRange(v, "keep_recent", choice.value, MESSAGES);
  else checkRequiredText(v, "stage", choice.value, LIMITS.stageNameChars);
}

export function checkSetSummary(request: SetSummaryRequest, v: Violations): void {
  checkRef(request, v);
  const { text, replacedMessageIds, placement, expectedVersion } = request;
  checkText(v, "text", text, LIMITS.summaryBytes);
  checkMessageIds(v, "replaced_message_ids", replacedMessageIds, LIMITS.replacedMessages);
  checkEnum(v, "placement", placement, SummaryPlacement);
  if (placement === IN_PLACE) {
    if (text === "") v.add("text", "is required in place");
    if (replacedMessageIds.length === 0) {
      v.add("replaced_message_ids", "must have 1 entry at least in place", 1);
    }
  }
  if (expectedVersion !== undefined) checkSeq(v, "expected_version", expectedVersion);
  checkRequestId(v, request.requestId);
}

export function checkFillToolResults(request: FillToolResultsRequest, v: Violations): void {
  checkRef(request, v);
  checkText(v, "text", request.text, LIMITS.fillTextBytes);
  checkRequestId(v, request.requestId);
}
