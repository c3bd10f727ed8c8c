// The rules that join fields of messages.

import { checkMessage } from "../gen/checks.ts";
import type {
  ContentPart,
  Message,
  ToolCall,
  ToolResult,
} from "../gen/memorysidecar/v1/message.ts";
import { checkCount, checkJson } from "../grpc/fields.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { ROLE } from "../window/rules/types.ts";

/** Checks a message to append: its content is either a text or parts. */
export function checkNewMessage(v: Violations, message: Message): void {
  checkTogether(v, message);
  checkOneContent(v, message);
}

/** Checks that the content is either a text or parts. Older servers took both. */
export function checkOneContent(v: Violations, { text, parts }: Message): void {
  if (text !== "" && parts.length > 0) v.add("text", "must not come with parts");
}

/**
 * Checks a message as a log may hold it, field by field as well: it came in no request. Systems
 * that do not look into tool calls keep some without a name.
 */
export function checkWholeMessage(v: Violations, message: Message): void {
  checkMessage(v, withNames(message));
  checkTogether(v, message);
}

/** A message of which every call has a name. */
function withNames(message: Message): Message {
  const named = (call: ToolCall) => (call.name === "" ? { ...call, name: "-" } : call);
  const parts = message.parts.map((piece): ContentPart => {
    const { part } = piece;
    if (part?.$case !== "toolCall") return piece;
    return { part: { $case: "toolCall", value: named(part.value) } };
  });
  return { ...message, parts, toolCalls: message.toolCalls.map(named) };
}

function checkTogether(v: Violations, message: Message): void {
  const { role } = message;
  if (role === 0) v.add("role", "is required");
  else checkRole(v, message, role);
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
  if (message.parts.length > 0) checkParts(v, message.parts);
  if (message.toolCalls.length > 0) checkDistinctCalls(v, message.toolCalls);
  const { structuredJson } = message;
  if (structuredJson.length > 0) {
    checkJson(v, "structured_json", structuredJson, LIMITS.structuredDataBytes);
  }
}

function checkParts(v: Violations, parts: readonly ContentPart[]): void {
  for (let index = 0; index < parts.length && !v.full; index++) {
    const part = parts[index]?.part;
    if (part?.$case !== "json" && part?.$case !== "toolResult") continue;
    v.enterItem("parts", index);
    if (part.$case === "json") checkJson(v, "json", part.value, LIMITS.structuredDataBytes);
    else checkToolResult(v, part.value);
    v.leaveItem();
  }
}

type Part = NonNullable<ContentPart["part"]>;

/** The parts that a tool result must not hold, by their names in the contract. */
const NOT_IN_RESULTS: Readonly<Partial<Record<Part["$case"], string>>> = {
  toolResult: "tool_result",
  toolCall: "tool_call",
  reasoning: "reasoning",
};

function checkToolResult(v: Violations, { parts }: ToolResult): void {
  v.enter("tool_result");
  for (let index = 0; index < parts.length && !v.full; index++) {
    const part = parts[index]?.part;
    if (part === undefined) continue;
    v.enterItem("parts", index);
    const misplaced = NOT_IN_RESULTS[part.$case];
    if (misplaced !== undefined) v.add(misplaced, "is not allowed in a tool result");
    else if (part.$case === "json") checkJson(v, "json", part.value, LIMITS.structuredDataBytes);
    v.leaveItem();
  }
  v.leave();
}

function checkDistinctCalls(v: Violations, calls: readonly ToolCall[]): void {
  const seen = new Set<string>();
  for (let index = 0; index < calls.length && !v.full; index++) {
    const id = calls[index]?.toolCallId ?? "";
    if (seen.has(id)) v.add(`tool_calls[${index}].tool_call_id`, "is used twice in this message");
    seen.add(id);
  }
}
