// Items of the Agents SDK as messages of a log.
//
// The item itself is the payload of its message, and reads give it back unchanged. Text and calls
// are copied out of it, so that windows, recall and extraction see them.

import { type Message, type MessageFields, Role } from "@memory-sidecar/client";
import { isName } from "@memory-sidecar/client/adapters";
import type { AgentInputItem } from "@openai/agents-core";
import { fromExact, toExact } from "./exact.ts";

/** The SDK for Python names the fields of items differently, so it has its own provider. */
export const PROVIDER = "openai.agents.ts";
const MAX_ROLE_BYTES = 63;

type Json = Readonly<Record<string, unknown>>;

/** Makes the message that keeps an item. */
export function messageOf(item: AgentInputItem): MessageFields {
  const providerPayload = { provider: PROVIDER, ...toExact(item) };
  return { ...contentOf(item as Json), providerPayload };
}

/**
 * Gives the item that a message keeps. A message that the server or another client made, such as
 * a summary in a window, becomes an item with its text.
 */
export function itemOf(message: Message): AgentInputItem {
  const { providerPayload: payload, role } = message;
  if (payload?.provider === PROVIDER) return fromExact(payload) as AgentInputItem;
  const parts = message.parts.flatMap(({ part }) => (part?.$case === "text" ? part.value : []));
  const text = [message.text, ...parts].filter((one) => one !== "").join("\n");
  if (role === Role.USER) return { type: "message", role: "user", content: text };
  if (role === Role.SYSTEM) return { type: "message", role: "system", content: text };
  const content = [{ type: "output_text" as const, text }];
  return { type: "message", role: "assistant", status: "completed", content };
}

function contentOf(item: Json): MessageFields {
  const { type = "message", role, callId, name } = item;
  if (type === "message" && (role === "user" || role === "assistant" || role === "system")) {
    return { role, text: textOf(item["content"]) };
  }
  if (type === "function_call" && isName(callId) && isName(name)) {
    const text = typeof item["arguments"] === "string" ? item["arguments"] : "";
    return { role: "assistant", toolCalls: [{ toolCallId: callId, name, arguments: text }] };
  }
  if (type === "function_call_result" && isName(callId)) {
    return { role: "tool", toolCallId: callId, text: textOf(item["output"]) };
  }
  // Reasoning, compactions, calls of hosted tools: only the SDK reads them.
  const kind = String(type);
  return { role: "assistant", ...(isName(kind, MAX_ROLE_BYTES) ? { providerRole: kind } : {}) };
}

/** Joins the texts of a content or an output. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .flatMap((part) => {
      const { text, refusal, transcript } = (part ?? {}) as Json;
      return [text, refusal, transcript].find((one) => typeof one === "string") ?? [];
    })
    .join("\n");
}
