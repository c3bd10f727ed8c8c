// The rules of messages.

import { LIMITS } from "../../domain/limits.ts";
import { ROLE } from "../../domain/window/types.ts";
import {
  type AgentCall,
  type ContentPart,
  type Image,
  type Message,
  type ProviderPayload,
  type Reasoning,
  Role,
  type ToolCall,
  type ToolResult,
} from "../../gen/memorysidecar/v1/message.ts";
import {
  checkBytes,
  checkCount,
  checkEnum,
  checkId,
  checkJson,
  checkLabels,
  checkRange,
  checkRequiredText,
  checkStruct,
  checkText,
  checkTimestamp,
} from "./fields.ts";
import type { Violations } from "./violations.ts";

/** Checks a message to append: its content is either a text or parts. */
export function checkNewMessage(v: Violations, message: Message): void {
  checkWholeMessage(v, message);
  checkOneContent(v, message);
}

/** Checks that the content is either a text or parts. Older servers took both. */
export function checkOneContent(v: Violations, { text, parts }: Message): void {
  if (text !== "" && parts.length > 0) v.add("text", "must not come with parts");
}

/** Checks a message as a log may hold it. */
export function checkWholeMessage(v: Violations, message: Message): void {
  const { role } = message;
  if (message.messageId !== "") {
    checkId(v, "message_id", message.messageId, LIMITS.messageIdBytes);
  }
  if (role === 0) v.add("role", "is required");
  else {
    checkEnum(v, "role", role, Role);
    checkRole(v, message, role);
  }
  checkContent(v, message);
}

/** Checks what only some roles may have. */
export function checkRole(v: Violations, message: Message, role: number): void {
  if (role !== ROLE.assistant) {
    if (message.toolCalls.length > 0) v.add("tool_calls", "are only allowed with ROLE_ASSISTANT");
    if (message.agentCalls.length > 0) v.add("agent_calls", "are only allowed with ROLE_ASSISTANT");
  }
  if (role !== ROLE.tool) {
    if (message.toolCallId !== "") v.add("tool_call_id", "is only allowed with ROLE_TOOL");
    if (message.toolError) v.add("tool_error", "is only allowed with ROLE_TOOL");
  }
  if (message.parts.length > 0) {
    checkAnswers(v, message, role);
    checkSpoken(v, message, role);
  }
  if (message.structuredData.length > 0 && message.structuredJson.length > 0) {
    v.add("structured_json", "must not come with structured_data");
  }
}

/** Checks which messages hold reasoning and tool calls as parts, and that calls have one home. */
function checkSpoken(v: Violations, message: Message, role: number): void {
  const calls = new Set<string>();
  for (let index = 0; index < message.parts.length && !v.full; index++) {
    const part = message.parts[index]?.part;
    if (part?.$case !== "toolCall" && part?.$case !== "reasoning") continue;
    const field = part.$case === "toolCall" ? "tool_call" : "reasoning";
    v.enterItem("parts", index);
    if (role !== ROLE.assistant) v.add(field, "is only allowed with ROLE_ASSISTANT");
    if (part.$case === "toolCall") {
      const { toolCallId } = part.value;
      v.enter("tool_call");
      if (calls.has(toolCallId)) v.add("tool_call_id", "is used twice in this message");
      v.leave();
      calls.add(toolCallId);
    }
    v.leaveItem();
  }
  checkCount(v, "parts", calls.size, LIMITS.toolCalls);
  if (calls.size > 0 && message.toolCalls.length > 0) {
    v.add("tool_calls", "must not come with tool calls among the parts");
  }
}

/** Checks which messages hold tool results, and that no two of them answer the same call. */
function checkAnswers(v: Violations, message: Message, role: number): void {
  const seen = new Set<string>();
  if (message.toolCallId !== "") seen.add(message.toolCallId);
  for (let index = 0; index < message.parts.length && !v.full; index++) {
    const part = message.parts[index]?.part;
    if (part?.$case !== "toolResult") continue;
    v.enterItem("parts", index);
    if (role !== ROLE.user && role !== ROLE.tool) {
      v.add("tool_result", "is only allowed with ROLE_USER and ROLE_TOOL");
    }
    const { toolCallId } = part.value;
    v.enter("tool_result");
    if (seen.has(toolCallId)) v.add("tool_call_id", "is used twice in this message");
    v.leave();
    if (toolCallId !== "") seen.add(toolCallId);
    v.leaveItem();
  }
}

/** Checks everything of a message that does not depend on its role. */
export function checkContent(v: Violations, message: Message): void {
  if (message.name !== "") checkText(v, "name", message.name, LIMITS.nameBytes);
  if (message.parts.length > 0) checkParts(v, message.parts);
  if (message.toolCalls.length > 0) checkToolCalls(v, message.toolCalls);
  if (message.agentCalls.length > 0) checkAgentCalls(v, message.agentCalls);
  if (message.toolCallId !== "") {
    checkText(v, "tool_call_id", message.toolCallId, LIMITS.callIdBytes);
  }
  checkStruct(v, "structured_data", message.structuredData, LIMITS.structuredDataBytes);
  if (message.structuredJson.length > 0) {
    checkJson(v, "structured_json", message.structuredJson, LIMITS.structuredDataBytes);
  }
  checkText(v, "provider_role", message.providerRole, LIMITS.providerRoleBytes);
  if (message.providerPayload !== undefined) checkPayload(v, message.providerPayload);
  checkStruct(v, "metadata", message.metadata, LIMITS.metadataBytes);
  checkLabels(v, message.labels);
  if (message.tokenCount !== undefined) {
    checkRange(v, "token_count", message.tokenCount, { min: 0, max: LIMITS.tokenCount });
  }
  if (message.sentTime !== undefined) checkTimestamp(v, "sent_time", message.sentTime);
}

function checkParts(v: Violations, parts: readonly ContentPart[]): void {
  checkCount(v, "parts", parts.length, LIMITS.parts);
  for (let index = 0; index < parts.length && !v.full; index++) {
    const part = parts[index]?.part;
    v.enterItem("parts", index);
    if (part === undefined) {
      v.add("part", "one of its kinds is required");
    } else checkPart(v, part);
    v.leaveItem();
  }
}

type Part = NonNullable<ContentPart["part"]>;

function checkPart(v: Violations, part: Part): void {
  switch (part.$case) {
    case "image":
      checkImage(v, part.value);
      break;
    case "data":
      checkStruct(v, "data", part.value, LIMITS.structuredDataBytes);
      break;
    case "json":
      checkJson(v, "json", part.value, LIMITS.structuredDataBytes);
      break;
    case "toolResult":
      checkToolResult(v, part.value);
      break;
    case "toolCall":
      v.enter("tool_call");
      checkToolCall(v, part.value);
      v.leave();
      break;
    case "reasoning":
      checkReasoning(v, part.value);
      break;
    default:
  }
}

function checkReasoning(v: Violations, { summaries, signature, reasoningId }: Reasoning): void {
  v.enter("reasoning");
  checkCount(v, "summaries", summaries.length, LIMITS.reasoningSummaries);
  checkText(v, "signature", signature, LIMITS.reasoningSignatureBytes);
  checkText(v, "reasoning_id", reasoningId, LIMITS.reasoningIdBytes);
  v.leave();
}

/** The parts that a tool result must not hold, by their names in the contract. */
const NOT_IN_RESULTS: Readonly<Partial<Record<Part["$case"], string>>> = {
  toolResult: "tool_result",
  toolCall: "tool_call",
  reasoning: "reasoning",
};

function checkToolResult(v: Violations, result: ToolResult): void {
  const { parts } = result;
  v.enter("tool_result");
  checkRequiredText(v, "tool_call_id", result.toolCallId, LIMITS.callIdBytes);
  if (parts.length > 0) checkCount(v, "parts", parts.length, LIMITS.toolResultParts);
  for (let index = 0; index < parts.length && !v.full; index++) {
    const part = parts[index]?.part;
    v.enterItem("parts", index);
    if (part === undefined) v.add("part", "one of text, image, data and json is required");
    else {
      const misplaced = NOT_IN_RESULTS[part.$case];
      if (misplaced === undefined) checkPart(v, part);
      else v.add(misplaced, "is not allowed in a tool result");
    }
    v.leaveItem();
  }
  v.leave();
}

function checkImage(v: Violations, image: Image): void {
  const { source } = image;
  v.enter("image");
  if (source === undefined) v.add("source", "one of url and data is required");
  else if (source.$case === "url") {
    checkRequiredText(v, "url", source.value, LIMITS.imageUrlBytes);
  } else if (source.value.length === 0) v.add("data", "must hold at least one byte", 1);
  checkText(v, "media_type", image.mediaType, LIMITS.mediaTypeBytes);
  checkText(v, "detail", image.detail, LIMITS.imageDetailBytes);
  v.leave();
}

function checkToolCalls(v: Violations, calls: readonly ToolCall[]): void {
  checkCount(v, "tool_calls", calls.length, LIMITS.toolCalls);
  const seen = new Set<string>();
  for (let index = 0; index < calls.length && !v.full; index++) {
    const call = calls[index] as ToolCall;
    v.enterItem("tool_calls", index);
    checkToolCall(v, call);
    if (seen.has(call.toolCallId)) v.add("tool_call_id", "is used twice in this message");
    seen.add(call.toolCallId);
    v.leaveItem();
  }
}

function checkToolCall(v: Violations, call: ToolCall): void {
  checkRequiredText(v, "tool_call_id", call.toolCallId, LIMITS.callIdBytes);
  checkRequiredText(v, "name", call.name, LIMITS.nameBytes);
}

function checkAgentCalls(v: Violations, calls: readonly AgentCall[]): void {
  checkCount(v, "agent_calls", calls.length, LIMITS.agentCalls);
  for (let index = 0; index < calls.length && !v.full; index++) {
    const call = calls[index] as AgentCall;
    v.enterItem("agent_calls", index);
    checkText(v, "agent_call_id", call.agentCallId, LIMITS.callIdBytes);
    checkRequiredText(v, "agent_name", call.agentName, LIMITS.nameBytes);
    v.leaveItem();
  }
}

function checkPayload(v: Violations, payload: ProviderPayload): void {
  v.enter("provider_payload");
  checkRequiredText(v, "provider", payload.provider, LIMITS.providerBytes);
  checkText(v, "media_type", payload.mediaType, LIMITS.mediaTypeBytes);
  checkBytes(v, "data", payload.data, LIMITS.providerPayloadBytes);
  v.leave();
}
