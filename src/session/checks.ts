// The rules of the requests about sessions and their windows, one function each.

import type {
  BatchDeleteMessagesRequest,
  DeleteFoundMessagesRequest,
  FindMessagesRequest,
  MessageSessions,
  ReplaceMessagesRequest,
} from "../gen/memorysidecar/v1/history.ts";
import { type Message, OnExistingMessage } from "../gen/memorysidecar/v1/message.ts";
import type { Session } from "../gen/memorysidecar/v1/session.ts";
import type {
  AppendMessagesRequest,
  CreateSessionRequest,
  GetWindowRequest,
  ListMessagesRequest,
  ListSessionsRequest,
  UpdateMessageRequest,
  UpdateSessionRequest,
} from "../gen/memorysidecar/v1/session_service.ts";
import { checkMask, type MaskPaths } from "../grpc/mask.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { checkMemoryPolicy } from "../memory/policy-wire.ts";
import { checkConditions, checkPeriod } from "../recall/filter-wire.ts";
import { checkOperations } from "../records/checks.ts";
import { checkNamed } from "../window/checks.ts";
import { checkPolicyChoice } from "../window/policy-checks.ts";
import type { GivenMessages } from "./form-wire.ts";
import { checkContent, checkNewMessage, checkOneContent } from "./message-checks.ts";
import { SETTING_PATHS } from "./rules/session.ts";

/** The paths of UpdateSession. */
export const SESSION_MASK = {
  changeable: Object.values(SETTING_PATHS),
  ignored: new Set([
    "namespace",
    "effective_policy",
    "expire_time",
    "last_seq",
    "log_totals",
    "window_totals",
    "forked_from",
    "create_time",
    "update_time",
    "revision",
    "etag",
    "placed_summaries",
    "stage_states",
    "model_input_tokens",
  ]),
} as const satisfies MaskPaths;

/** The paths that UpdateMessage can change, each with its field. */
export const MESSAGE_FIELDS = {
  name: "name",
  text: "text",
  parts: "parts",
  tool_calls: "toolCalls",
  agent_calls: "agentCalls",
  tool_call_id: "toolCallId",
  tool_error: "toolError",
  structured_data: "structuredData",
  provider_payload: "providerPayload",
  metadata: "metadata",
  labels: "labels",
  token_count: "tokenCount",
  sent_time: "sentTime",
  provider_role: "providerRole",
  structured_json: "structuredJson",
} as const satisfies Readonly<Record<string, keyof Message>>;

/** A path of a message that UpdateMessage can change. */
export type MessagePath = keyof typeof MESSAGE_FIELDS;

/** The paths of UpdateMessage. */
export const MESSAGE_MASK = {
  changeable: Object.keys(MESSAGE_FIELDS) as readonly MessagePath[],
  ignored: new Set([
    "seq",
    "token_rule",
    "token_preset",
    "source",
    "trust",
    "writer",
    "create_time",
    "update_time",
    "etag",
  ]),
} as const satisfies MaskPaths;

/** Checks the fields that a caller may set; the others are ignored. */
export function checkSessionInput(v: Violations, session: Session): void {
  checkPolicyChoice(v, session.policy);
  checkMemoryPolicy(v, session.memoryPolicy);
}

export function checkCreateSession(request: CreateSessionRequest, v: Violations): void {
  if (request.session !== undefined) {
    v.enter("session");
    checkSessionInput(v, request.session);
    v.leave();
  }
}

export function checkSessionFilter(
  {
    filter,
  }: ListSessionsRequest | FindMessagesRequest | DeleteFoundMessagesRequest | MessageSessions,
  v: Violations,
): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkConditions(v, filter.metadata);
  v.leave();
}

export function checkListMessages(request: ListMessagesRequest, v: Violations): void {
  const { filter, sessions, sessionId } = request;
  if (sessions !== undefined) checkMessageSessions(v, sessions, request);
  else if (sessionId === "") v.add("session_id", "is required, or sessions");
  if (filter === undefined) return;
  v.enter("filter");
  checkPeriod(v, "time", filter.timeFrom, filter.timeBefore);
  checkConditions(v, filter.metadata);
  v.leave();
}

function checkMessageSessions(
  v: Violations,
  sessions: MessageSessions,
  { sessionId, form }: ListMessagesRequest,
): void {
  if (sessionId !== "") v.add("session_id", "must be empty with sessions");
  if (form !== 0) v.add("form", "must be unset with sessions");
  const { sessionIds } = sessions;
  v.enter("sessions");
  if (sessions.filter === undefined && sessionIds.length === 0) {
    v.add("session_ids", "or filter must be set: an empty filter means all sessions");
  }
  if (sessions.filter !== undefined && sessionIds.length > 0) {
    v.add("filter", "must be unset with session_ids");
  }
  if (new Set(sessionIds).size < sessionIds.length) v.add("session_ids", "name a session twice");
  checkSessionFilter(sessions, v);
  v.leave();
}

export function checkUpdateSession(request: UpdateSessionRequest, v: Violations): void {
  if (request.session !== undefined) {
    v.enter("session");
    if (request.session.sessionId === "") v.add("session_id", "is required");
    checkSessionInput(v, request.session);
    v.leave();
  }
  checkMask(v, request.updateMask, SESSION_MASK);
}

export function checkGetWindow(request: GetWindowRequest, v: Violations): void {
  checkPolicyChoice(v, request.policy);
}

/** Gives the session of a checked update. */
export function requiredSession(request: UpdateSessionRequest): Session {
  if (request.session === undefined) throw new Error("the request was not checked");
  return request.session;
}

// The rules of the requests about messages, one function each.

export function checkAppendMessages(request: AppendMessagesRequest, v: Violations): void {
  const { messages } = request;
  checkForm(v, request);
  if (request.form === 0 && request.formMessages.length === 0) checkCount(v, request);
  checkNewMessages(v, messages);
  const isFail = request.onExisting <= OnExistingMessage.FAIL;
  if (messages.length > 1 && isFail) checkDistinctIds(v, messages);
  checkOperations(v, request.recordOperations, "record_operations");
  checkAttributes(v, request);
}

/** Checks the attributes of the session that come with an append. */
function checkAttributes(v: Violations, request: AppendMessagesRequest): void {
  const { session, sessionUpdateMask } = request;
  if (session === undefined) {
    if (sessionUpdateMask !== undefined) v.add("session_update_mask", "must come with session");
    return;
  }
  v.enter("session");
  if (session.sessionId !== "" && session.sessionId !== request.sessionId) {
    v.add("session_id", "must be empty or the session_id of the request");
  }
  checkSessionInput(v, session);
  if (request.createSession && (session.summary?.text ?? "") !== "") {
    v.add("summary.text", "is not set by an append: use CreateSession or SetSummary");
  }
  v.leave();
  checkMask(v, sessionUpdateMask, SESSION_MASK, "session_update_mask");
  if (!request.createSession && sessionUpdateMask === undefined && session.etag === "") {
    const description =
      "has no effect: set create_session, session_update_mask or the etag of the session";
    v.add("session", description);
  }
}

/** Checks that an append of our messages has something to do. */
function checkCount(v: Violations, { messages, turnEnd }: AppendMessagesRequest): void {
  if (messages.length > 0 || turnEnd) return;
  v.add("messages", "must have 1 entry at least, or turn_end must be set", 1);
}

function checkNewMessages(v: Violations, messages: readonly Message[]): void {
  for (let index = 0; index < messages.length && !v.full; index++) {
    v.enterItem("messages", index);
    checkNewMessage(v, messages[index] as Message);
    v.leaveItem();
  }
}

/** Checks that the messages come in one way: as ours, or in the form that is named. */
function checkForm(v: Violations, { form, formMessages, messages }: GivenMessages): void {
  if (form !== 0) {
    if (messages.length > 0) v.add("messages", "must not come with form");
    if (formMessages.length === 0) v.add("form_messages", "is required with form");
  } else if (formMessages.length > 0) v.add("form", "is required with form_messages");
}

function checkDistinctIds(v: Violations, messages: readonly Message[]): void {
  const seen = new Set<string>();
  for (let index = 0; index < messages.length && !v.full; index++) {
    const id = messages[index]?.messageId ?? "";
    if (id === "") continue;
    if (seen.has(id)) v.add(`messages[${index}].message_id`, "is used twice in this request");
    seen.add(id);
  }
}

export function checkUpdateMessage(request: UpdateMessageRequest, v: Violations): void {
  const { message } = request;
  if (message !== undefined) {
    v.enter("message");
    if (message.messageId === "") v.add("message_id", "is required");
    checkContent(v, message);
    checkOneContent(v, message);
    v.leave();
  }
  checkMask(v, request.updateMask, MESSAGE_MASK);
}

/** Gives the message of a checked update. */
export function requiredMessage(request: UpdateMessageRequest): Message {
  if (request.message === undefined) throw new Error("the request was not checked");
  return request.message;
}

export function checkReplaceMessages(request: ReplaceMessagesRequest, v: Violations): void {
  const { messages, target } = request;
  checkForm(v, request);
  checkNewMessages(v, messages);
  if (messages.length > 1) checkDistinctIds(v, messages);
  if (target?.$case === "all" && request.keepCommonPrefix) {
    v.add("keep_common_prefix", "is not allowed with all");
  }
}

// The rules of the requests that name several messages.

export function checkBatchDeleteMessages(request: BatchDeleteMessagesRequest, v: Violations): void {
  checkNamed(request, v);
  const seqs = request.seqRanges.reduce((sum, run) => sum + run.lastSeq - run.firstSeq + 1n, 0n);
  if (seqs > LIMITS.batchMessages) {
    v.add("seq_ranges", `must hold at most ${LIMITS.batchMessages} seqs together`);
  }
}
