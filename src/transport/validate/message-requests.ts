// The rules of the requests about messages, one function each.

import { LIMITS } from "../../domain/limits.ts";
import {
  type Message,
  MessageOrder,
  Role,
  type ToolOutcome,
} from "../../gen/memorysidecar/v1/message.ts";
import type {
  AppendMessagesRequest,
  DeleteMessageRequest,
  GetMessageRequest,
  ListMessagesRequest,
  UpdateMessageRequest,
} from "../../gen/memorysidecar/v1/session_service.ts";
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
} from "./fields.ts";
import { checkMask, MESSAGE_MASK } from "./mask.ts";
import { checkContent, checkNewMessage, checkOneContent } from "./message.ts";
import type { Violations } from "./violations.ts";

const MODEL_INPUT_TOKENS = { min: 0, max: LIMITS.policyTokens };

export function checkAppendMessages(request: AppendMessagesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  const { messages } = request;
  if (messages.length === 0 && !request.turnEnd) {
    v.add("messages", "must have 1 entry at least, or turn_end must be set", 1);
  }
  checkCount(v, "messages", messages.length, LIMITS.appendMessages);
  for (let index = 0; index < messages.length && !v.full; index++) {
    v.enterItem("messages", index);
    checkNewMessage(v, messages[index] as Message);
    v.leaveItem();
  }
  if (messages.length > 1) checkDistinctIds(v, messages);
  if (request.expectedLastSeq !== undefined) {
    checkSeq(v, "expected_last_seq", request.expectedLastSeq);
  }
  if (request.requestId !== "") checkRequestId(v, request.requestId);
  if (request.modelInputTokens !== undefined) {
    checkRange(v, "model_input_tokens", request.modelInputTokens, MODEL_INPUT_TOKENS);
  }
  if (request.toolOutcomes.length > 0) checkToolOutcomes(v, request.toolOutcomes);
}

/** Checks what a caller says of tools whose messages it does not append. */
export function checkToolOutcomes(v: Violations, outcomes: readonly ToolOutcome[]): void {
  checkCount(v, "tool_outcomes", outcomes.length, LIMITS.toolOutcomes);
  for (let index = 0; index < outcomes.length && !v.full; index++) {
    const tool = outcomes[index]?.tool ?? "";
    checkRequiredText(v, `tool_outcomes[${index}].tool`, tool, LIMITS.nameBytes);
  }
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

export function checkListMessages(request: ListMessagesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  const { filter } = request;
  if (filter !== undefined) {
    v.enter("filter");
    checkCount(v, "roles", filter.roles.length, LIMITS.filterRoles);
    for (let index = 0; index < filter.roles.length && !v.full; index++) {
      const role = filter.roles[index] as number;
      if (role === 0) v.add(`roles[${index}]`, "must not be ROLE_UNSPECIFIED");
      else checkEnum(v, `roles[${index}]`, role, Role);
    }
    checkSeq(v, "first_seq", filter.firstSeq);
    checkSeq(v, "last_seq", filter.lastSeq);
    v.leave();
  }
  checkEnum(v, "order", request.order, MessageOrder);
  checkPage(v, request);
}

function checkMessageRef(
  request: { namespace: string; sessionId: string; messageId: string },
  v: Violations,
): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  checkRequiredId(v, "message_id", request.messageId, LIMITS.messageIdBytes);
}

export function checkGetMessage(request: GetMessageRequest, v: Violations): void {
  checkMessageRef(request, v);
}

export function checkUpdateMessage(request: UpdateMessageRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkSessionId(v, request.sessionId);
  const { message } = request;
  if (message === undefined) v.add("message", "is required");
  else {
    v.enter("message");
    checkRequiredId(v, "message_id", message.messageId, LIMITS.messageIdBytes);
    checkEnum(v, "role", message.role, Role);
    checkContent(v, message);
    checkOneContent(v, message);
    v.leave();
  }
  checkMask(v, request.updateMask, MESSAGE_MASK);
  checkRequestId(v, request.requestId);
}

export function checkDeleteMessage(request: DeleteMessageRequest, v: Violations): void {
  checkMessageRef(request, v);
  checkRequestId(v, request.requestId);
}

/** Gives the message of a checked update. */
export function requiredMessage(request: UpdateMessageRequest): Message {
  if (request.message === undefined) throw new Error("the request was not checked");
  return request.message;
}
