// The rules of exports and imports. What a request says beside the snapshot is checked with the
// request; the snapshot itself is checked as if it came from a stranger, when its turn comes.

import { SNAPSHOT_FORMATS } from "../../compat/forms.ts";
import {
  checkPolicy as checkPolicyFields,
  checkSession as checkSessionFields,
} from "../../gen/checks.ts";
import type { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import { type Message, Role, Trust } from "../../gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../gen/memorysidecar/v1/policy.ts";
import type { Session, StageState } from "../../gen/memorysidecar/v1/session.ts";
import type {
  ExportSessionRequest,
  ImportSessionRequest,
} from "../../gen/memorysidecar/v1/session_service.ts";
import type { SnapshotHeader, SnapshotInsert } from "../../gen/memorysidecar/v1/snapshot.ts";
import type { Summary } from "../../gen/memorysidecar/v1/summary.ts";
import type { SeqRange } from "../../gen/memorysidecar/v1/window.ts";
import {
  checkCount,
  checkEnum,
  checkRange,
  checkRequiredId,
  checkRequiredText,
  checkSeq,
  checkStruct,
  checkText,
  checkTimestamp,
} from "../../grpc/fields.ts";
import type { Violations } from "../../grpc/violations.ts";
import { LIMITS } from "../../kit/limits.ts";
import { checkPolicy } from "../../window/policy-checks.ts";
import { messageTokenRule } from "../../window/token-rule-wire.ts";

import { checkSessionInput } from "../checks.ts";
import { checkWholeMessage } from "../message-checks.ts";

const LEVEL_MAX = 1_000_000;
/** A placed summary may be shown as two messages. */
const INSERTS_MAX = 2 * LIMITS.placedSummaries + LIMITS.filledResults;
/** Half of what numbers hold exactly: whatever goes on from here has room. */
const COUNT_MAX = 2 ** 52;
/** Between two seqs there is room for the fractions at which all inserts may stand. */
const SEQ_MAX = 2 ** 40;

export function checkExportSession(request: ExportSessionRequest, v: Violations): void {
  checkFormat(v, request.format);
}

function checkFormat(v: Violations, format: string): void {
  if (format === "" || SNAPSHOT_FORMATS.includes(format)) return;
  v.add("format", `is none of ${SNAPSHOT_FORMATS.join(", ")}`);
}

export function checkImportSession(request: ImportSessionRequest, v: Violations): void {
  checkFormat(v, request.format);
  const { chunk, chunkIndex, uploadId } = request;
  if (uploadId === "" && chunkIndex > 0) v.add("chunk_index", "must be 0 without an upload_id", 0);
  if (chunk === undefined) return;
  const isNative = chunk.header !== undefined || chunk.messages.length > 0;
  if (isNative && chunk.document.length > 0) {
    v.add("chunk.document", "must not come with a header or messages");
  }
}

/** Checks a time that the server once set: one of its own is not before 1970. */
function checkServerTime(v: Violations, field: string, time: Timestamp | undefined): void {
  if (time === undefined) v.add(field, "is required");
  else if (time.seconds < 0n) v.add(field, "must not lie before 1970");
  else checkTimestamp(v, field, time);
}

/** Checks a message of a log as it was exported. */
export function checkImportedMessage(v: Violations, message: Message): void {
  const { tokenCount, tokenRule } = message;
  // A count of the server may exceed the limit for callers.
  checkWholeMessage(v, { ...message, tokenCount: undefined });
  if (message.messageId === "") v.add("message_id", "is required");
  checkRange(v, "seq", message.seq, { min: 1, max: SEQ_MAX });
  if (tokenRule === 0 || messageTokenRule(message) === undefined) {
    v.add("token_rule", `is not a rule of messages: ${tokenRule}`);
  }
  const max = tokenRule === TokenRule.GIVEN ? LIMITS.tokenCount : LIMITS.countedTokens;
  if (tokenCount === undefined) v.add("token_count", "is required");
  else checkRange(v, "token_count", tokenCount, { min: 0, max });
  checkServerTime(v, "create_time", message.createTime);
  checkServerTime(v, "update_time", message.updateTime);
}

/** Checks the header of a native snapshot. */
export function checkHeader(v: Violations, header: SnapshotHeader): void {
  const { session, firstSeq } = header;
  if (session === undefined) {
    v.add("session", "is required");
    return;
  }
  v.enter("session");
  checkSession(v, session);
  v.leave();
  const { lastSeq } = session;
  checkRange(v, "first_seq", firstSeq, { min: 1, max: SEQ_MAX + 1 });
  if (firstSeq > lastSeq + 1n) v.add("first_seq", "must be at most one above the last seq");
  checkCount(v, "window_seq_ranges", header.windowSeqRanges.length, LIMITS.windowMessages);
  checkRanges(v, "window_seq_ranges", header.windowSeqRanges, lastSeq);
  checkInserts(v, header.inserts, session);
  checkCount(v, "outcomes", header.outcomes.length, LIMITS.toolOutcomes);
  for (let index = 0; index < header.outcomes.length && !v.full; index++) {
    v.enterItem("outcomes", index);
    checkRequiredText(v, "tool", header.outcomes[index]?.tool ?? "", LIMITS.nameBytes);
    v.leaveItem();
  }
  checkCount(v, "over_limit_stages", header.overLimitStages.length, LIMITS.policyStages);
  for (const stage of header.overLimitStages) {
    checkRequiredText(v, "over_limit_stages", stage, LIMITS.stageNameChars);
  }
  checkRange(v, "summary_version", header.summaryVersion, { min: 0, max: COUNT_MAX });
  checkRange(v, "turn_end_seq", header.turnEndSeq, { min: 0, max: Number(session.lastSeq) });
  checkVersions(v, session, header.summaryVersion);
}

/** Every summary has a number of its own. Those of older servers, where placed ones have none. */
function checkVersions(v: Violations, session: Session, newest: bigint): void {
  const { summary, placedSummaries } = session;
  const seen = new Set<bigint>();
  const check = (field: string, version: bigint): void => {
    if (version > newest) v.add("summary_version", "must not be less than any summary has");
    if (version !== 0n && seen.has(version)) v.add(field, "is used twice");
    seen.add(version);
  };
  if (summary !== undefined) check("session.summary.version", summary.version);
  for (const [index, { version }] of placedSummaries.entries()) {
    check(`session.placed_summaries[${index}].version`, version);
  }
}

function checkSession(v: Violations, session: Session): void {
  checkSessionFields(v, session);
  checkSessionInput(v, session);
  if (session.effectivePolicy !== undefined) {
    v.enter("effective_policy");
    checkPolicyFields(v, session.effectivePolicy);
    checkPolicy(v, session.effectivePolicy);
    v.leave();
  }
  checkRange(v, "last_seq", session.lastSeq, { min: 0, max: SEQ_MAX });
  checkServerTime(v, "create_time", session.createTime);
  checkServerTime(v, "update_time", session.updateTime);
  const { forkedFrom, summary } = session;
  if (forkedFrom !== undefined) {
    v.enter("forked_from");
    checkRequiredId(v, "session_id", forkedFrom.sessionId, LIMITS.sessionIdBytes);
    checkSeq(v, "seq", forkedFrom.seq);
    v.leave();
  }
  if (summary !== undefined) {
    v.enter("summary");
    checkRequiredText(v, "text", summary.text, LIMITS.summaryBytes);
    checkRange(v, "token_count", summary.tokenCount, { min: 0, max: LIMITS.countedTokens });
    checkRange(v, "version", summary.version, { min: 1, max: COUNT_MAX });
    checkServerTime(v, "create_time", summary.createTime);
    checkCount(v, "seq_ranges", summary.seqRanges.length, LIMITS.summaryRanges);
    checkRanges(v, "seq_ranges", summary.seqRanges, session.lastSeq);
    checkMaker(v, summary);
    v.leave();
  }
  checkCount(v, "placed_summaries", session.placedSummaries.length, LIMITS.placedSummaries);
  checkPlacedSummaries(v, session);
  checkCount(v, "stage_states", session.stageStates.length, LIMITS.policyStages);
  for (let index = 0; index < session.stageStates.length && !v.full; index++) {
    v.enterItem("stage_states", index);
    checkStageState(v, session.stageStates[index] as StageState, session.lastSeq);
    v.leaveItem();
  }
  const tokens = { min: 0, max: LIMITS.policyTokens };
  checkRange(v, "model_input_tokens", session.modelInputTokens, tokens);
}

function checkStageState(v: Violations, state: StageState, lastSeq: bigint): void {
  checkRequiredText(v, "stage", state.stage, LIMITS.stageNameChars);
  checkRange(v, "last_seq", state.lastSeq, { min: 0, max: Number(lastSeq) });
  if (state.windowTotals === undefined) v.add("window_totals", "is required");
  else {
    checkRange(v, "window_totals", state.windowTotals.messageCount, { min: 0, max: COUNT_MAX });
    checkRange(v, "window_totals", state.windowTotals.tokenCount, { min: 0, max: COUNT_MAX });
  }
}

function checkRanges(
  v: Violations,
  field: "window_seq_ranges" | "seq_ranges",
  ranges: readonly SeqRange[],
  last: bigint,
): void {
  let before = 0n;
  for (let index = 0; index < ranges.length && !v.full; index++) {
    const range = ranges[index];
    if (range === undefined) continue;
    if (range.firstSeq <= before || range.lastSeq < range.firstSeq || range.lastSeq > last) {
      v.add(`${field}[${index}]`, `must rise, and end at ${last} at the latest`);
    }
    before = range.lastSeq;
  }
}

function checkInserts(v: Violations, inserts: readonly SnapshotInsert[], session: Session): void {
  const placed = new Set(session.placedSummaries.map(({ placedMessageId }) => placedMessageId));
  const seen = new Set<string>();
  checkCount(v, "inserts", inserts.length, INSERTS_MAX);
  let before = 0n;
  for (let index = 0; index < inserts.length && !v.full; index++) {
    const insert = inserts[index] as SnapshotInsert;
    v.enterItem("inserts", index);
    checkInsert(v, insert, placed);
    const { afterSeq } = insert;
    if (afterSeq < before || afterSeq > session.lastSeq) {
      v.add("after_seq", `must be ${before} to ${session.lastSeq}`);
    }
    before = afterSeq;
    const id = insert.message?.messageId ?? "";
    if (seen.has(id)) v.add("message.message_id", "is used twice");
    seen.add(id);
    v.leaveItem();
  }
  const summaries = inserts.filter(({ summary }) => summary).length;
  if (summaries !== placed.size) {
    v.add("session.placed_summaries", "must be the summaries among the inserts");
  }
  const requests = inserts.filter(isRequest).length;
  const results = inserts.length - summaries - requests;
  checkCount(v, "inserts", results, LIMITS.filledResults);
  checkCount(v, "inserts", requests, LIMITS.placedSummaries);
}

/**
 * Whether an insert shows what the user asked for in a summary: it is the user's and answers no
 * tool call. It stands before the summary, which may have left the window alone.
 */
export function isRequest({ summary, message }: SnapshotInsert): boolean {
  return !summary && message?.role === Role.USER && message.toolCallId === "";
}

function checkInsert(v: Violations, insert: SnapshotInsert, placed: ReadonlySet<string>): void {
  const { message } = insert;
  if (message === undefined) {
    v.add("message", "is required");
    return;
  }
  v.enter("message");
  checkRequiredId(v, "message_id", message.messageId, LIMITS.messageIdBytes);
  checkText(v, "text", message.text, LIMITS.summaryBytes);
  checkStruct(v, "metadata", message.metadata, LIMITS.metadataBytes);
  const tokens = { min: 0, max: LIMITS.countedTokens };
  checkRange(v, "token_count", message.tokenCount ?? 0, tokens);
  // Out of documents come summaries that nobody knows the time of.
  if (message.createTime !== undefined) checkServerTime(v, "create_time", message.createTime);
  if (insert.summary) {
    if (!placed.has(message.messageId)) v.add("message_id", "is not among the placed summaries");
    if (message.name !== "") v.add("name", "is only allowed with a result");
  } else if (isRequest(insert)) {
    if (message.name !== "") v.add("name", "is only allowed with a result");
  } else {
    checkRequiredText(v, "tool_call_id", message.toolCallId, LIMITS.callIdBytes);
    checkText(v, "name", message.name, LIMITS.nameBytes);
  }
  v.leave();
}

function checkPlacedSummaries(v: Violations, session: Session): void {
  for (let index = 0; index < session.placedSummaries.length && !v.full; index++) {
    const summary = session.placedSummaries[index];
    if (summary === undefined) continue;
    v.enterItem("placed_summaries", index);
    checkCount(v, "seq_ranges", summary.seqRanges.length, LIMITS.summaryRanges);
    checkRanges(v, "seq_ranges", summary.seqRanges, session.lastSeq);
    // Callers set this time: it may lie before 1970.
    if (summary.firstMessageTime === undefined) v.add("first_message_time", "is required");
    else checkTimestamp(v, "first_message_time", summary.firstMessageTime);
    checkRange(v, "version", summary.version, { min: 0, max: COUNT_MAX });
    checkMaker(v, summary);
    v.leaveItem();
  }
}

/** Checks who made a summary of what. */
function checkMaker(v: Violations, { hook, stage, trust, level }: Summary): void {
  checkText(v, "hook", hook, LIMITS.hookNameChars);
  checkText(v, "stage", stage, LIMITS.stageNameChars);
  checkEnum(v, "trust", trust, Trust);
  checkRange(v, "level", level, { min: 0, max: LEVEL_MAX });
}
