// The rules of the requests about messages, one function each.

import type { Message } from "../../gen/memorysidecar/v1/message.ts";
import type {
  AppendMessagesRequest,
  UpdateMessageRequest,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { checkMask, MESSAGE_MASK } from "./mask.ts";
import { checkContent, checkNewMessage, checkOneContent } from "./message.ts";
import type { Violations } from "./violations.ts";

export function checkAppendMessages(request: AppendMessagesRequest, v: Violations): void {
  const { messages } = request;
  if (messages.length === 0 && !request.turnEnd) {
    v.add("messages", "must have 1 entry at least, or turn_end must be set", 1);
  }
  for (let index = 0; index < messages.length && !v.full; index++) {
    v.enterItem("messages", index);
    checkNewMessage(v, messages[index] as Message);
    v.leaveItem();
  }
  if (messages.length > 1) checkDistinctIds(v, messages);
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
