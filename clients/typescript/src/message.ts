// Messages and sessions as callers write them.

import { fieldsOf, onlyFields } from "./choice.ts";
import {
  AgentCall,
  type ContentPart,
  type DeepPartial,
  Message,
  Reasoning,
  Role,
  ToolCall,
} from "./gen/memorysidecar/v1/message.ts";
import { Session } from "./gen/memorysidecar/v1/session.ts";
import type { Summary } from "./gen/memorysidecar/v1/summary.ts";
import { type MemoryPolicyInput, toMemoryPolicy } from "./memory-policy.ts";
import { type PolicyInput, toPolicyChoice } from "./policy.ts";
import { type TimeInput, toDate, toDuration } from "./time.ts";

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown };

/** Role of the speaker: a short name, or the name in the contract. */
export type RoleInput = "user" | "assistant" | "system" | "tool" | `ROLE_${string}` | Role;

/** Bytes, or their Base64 text as in JSON. */
export type BytesInput = Uint8Array | string;

/** A piece of content: a text, the JSON form of the contract, or the generated form. */
export type PartInput =
  | string
  | ContentPart
  | { readonly text: string }
  | { readonly data: JsonObject }
  /** JSON text, kept byte for byte. */
  | { readonly json: string | Uint8Array }
  | { readonly image: ImageInput }
  | { readonly toolResult: ToolResultInput }
  | { readonly toolCall: Partial<ToolCall> }
  | { readonly reasoning: Partial<Reasoning> };

/** The result of a tool call as a part of a user message or of a tool message. */
export interface ToolResultInput {
  readonly toolCallId: string;
  readonly text?: string;
  readonly parts?: readonly PartInput[];
  readonly error?: boolean;
}

/** A picture by address or by value. */
export interface ImageInput {
  readonly url?: string;
  readonly data?: BytesInput;
  readonly mediaType?: string;
  readonly detail?: string;
}

/** A message to append: the fields a caller may set, as in the JSON form of the contract. */
export interface MessageFields {
  readonly role: RoleInput;
  readonly messageId?: string | undefined;
  readonly name?: string | undefined;
  readonly text?: string | undefined;
  readonly parts?: readonly PartInput[] | undefined;
  readonly toolCalls?: readonly Partial<ToolCall>[] | undefined;
  readonly agentCalls?: readonly Partial<AgentCall>[] | undefined;
  readonly toolCallId?: string | undefined;
  readonly toolError?: boolean | undefined;
  readonly structuredData?: JsonObject | undefined;
  /** JSON text, kept byte for byte; in place of `structuredData`. */
  readonly structuredJson?: string | Uint8Array | undefined;
  /** The role as the provider names it, for example `developer`. */
  readonly providerRole?: string | undefined;
  readonly providerPayload?:
    | { readonly provider: string; readonly mediaType?: string; readonly data: BytesInput }
    | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly tokenCount?: number | undefined;
  readonly sentTime?: TimeInput | undefined;
}

/** A message to append: a text, which is a user message, or its fields. */
export type MessageInput = string | MessageFields;

/** A message to change: its id, and the fields that get new values. The role never changes. */
export interface MessageChanges extends Omit<MessageFields, "role"> {
  readonly messageId: string;
  /** The message must still have this etag. */
  readonly etag?: string | undefined;
}

type TextFields = {
  readonly [Name in keyof Session as Session[Name] extends string ? Name : never]?: string;
};

/** The fields that describe a session, as callers write them; texts stand as in the contract. */
export interface SessionFields extends Omit<TextFields, "namespace"> {
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: JsonObject | undefined;
  readonly policy?: PolicyInput | undefined;
  /** Time that the session lives after its last change, in milliseconds. Default: without limit. */
  readonly ttlMs?: number;
  /** The text that stands for messages that left the window, or the summary of a session read. */
  readonly summary?: string | Summary | undefined;
  /** Rules by which the session feeds long-term memory. Default: nothing. */
  readonly memoryPolicy?: MemoryPolicyInput | undefined;
  /** In an update: the session must still have this etag. */
  readonly etag?: string;
}

/** Turns a role into that of the contract. Throws a TypeError for an unknown name. */
export function toRole(role: RoleInput): Role {
  if (typeof role !== "string") throw new TypeError("a message has a role: user, assistant, ...");
  // The server judges an unset role, and a role that only a newer server knows.
  if (role.startsWith("UNKNOWN_") || role === Role.UNSPECIFIED) return role as Role;
  const name = role.replace(/^ROLE_/, "").toUpperCase();
  const found = Object.entries(Role).find(([key]) => key === name && key !== "UNSPECIFIED");
  if (found === undefined) throw new TypeError("role must be user, assistant, system or tool");
  return found[1];
}

function toBuffer(bytes: BytesInput): Buffer {
  return typeof bytes === "string" ? Buffer.from(bytes, "base64") : Buffer.from(bytes);
}

function toPart(part: PartInput): DeepPartial<ContentPart> {
  if (typeof part === "string") return { part: { $case: "text", value: part } };
  onlyFields("part", part, PART_FIELDS);
  if ("text" in part) return { part: { $case: "text", value: part.text } };
  if ("data" in part) return { part: { $case: "data", value: part.data } };
  if ("json" in part) return { part: { $case: "json", value: Buffer.from(part.json) } };
  if ("toolCall" in part) {
    onlyFields("tool call", part.toolCall, TOOL_CALL_FIELDS);
    return { part: { $case: "toolCall", value: part.toolCall } };
  }
  if ("reasoning" in part) {
    onlyFields("part of reasoning", part.reasoning, REASONING_FIELDS);
    return { part: { $case: "reasoning", value: part.reasoning } };
  }
  if ("toolResult" in part) {
    onlyFields("tool result", part.toolResult, TOOL_RESULT_FIELDS);
    const { parts = [], ...rest } = part.toolResult;
    return { part: { $case: "toolResult", value: { ...rest, parts: parts.map(toPart) } } };
  }
  if (!("image" in part)) return part;
  onlyFields("image", part.image, { url: true, data: true, mediaType: true, detail: true });
  const { url, data, mediaType = "", detail = "" } = part.image;
  const shown = { mediaType, detail };
  if (url !== undefined) {
    const source = { $case: "url", value: url } as const;
    return { part: { $case: "image", value: { ...shown, source } } };
  }
  const source = { $case: "data", value: toBuffer(data ?? "") } as const;
  return { part: { $case: "image", value: { ...shown, source } } };
}

// A message or a session that the server gave may be given back.
const MESSAGE_FIELDS = fieldsOf(Message.fromPartial({}));
const SESSION_FIELDS = { ...fieldsOf(Session.fromPartial({})), ttlMs: true };
const TOOL_CALL_FIELDS = fieldsOf(ToolCall.fromPartial({}));
const AGENT_CALL_FIELDS = fieldsOf(AgentCall.fromPartial({}));
const REASONING_FIELDS = fieldsOf(Reasoning.fromPartial({}));
const TOOL_RESULT_FIELDS = { toolCallId: true, text: true, parts: true, error: true } as const;
const PAYLOAD_FIELDS = { provider: true, mediaType: true, data: true } as const;
const PART_FIELDS = {
  ...{ part: true, text: true, data: true, json: true, image: true },
  ...{ toolResult: true, toolCall: true, reasoning: true },
} as const;

/** Turns what a caller wrote into a message of the contract; fields of the server are left out. */
export function toMessage(input: MessageInput): Message {
  if (typeof input === "string") return Message.fromPartial({ role: Role.USER, text: input });
  onlyFields("message", input, MESSAGE_FIELDS);
  return { ...content(input), role: toRole(input.role) };
}

/** Turns a change into a message of the contract. */
export function toChangedMessage(changes: MessageChanges): Message {
  onlyFields("message", changes, MESSAGE_FIELDS);
  return { ...content(changes), etag: changes.etag ?? "" };
}

function content(input: Omit<MessageFields, "role">): Message {
  for (const call of input.toolCalls ?? []) onlyFields("tool call", call, TOOL_CALL_FIELDS);
  for (const call of input.agentCalls ?? []) onlyFields("agent call", call, AGENT_CALL_FIELDS);
  const payload = input.providerPayload;
  if (payload !== undefined) onlyFields("provider payload", payload, PAYLOAD_FIELDS);
  return Message.fromPartial({
    messageId: input.messageId ?? "",
    name: input.name ?? "",
    text: input.text ?? "",
    parts: (input.parts ?? []).map(toPart),
    toolCalls: [...(input.toolCalls ?? [])],
    agentCalls: [...(input.agentCalls ?? [])],
    toolCallId: input.toolCallId ?? "",
    toolError: input.toolError ?? false,
    structuredData: input.structuredData,
    structuredJson: Buffer.from(input.structuredJson ?? ""),
    providerRole: input.providerRole ?? "",
    providerPayload: payload && { ...payload, data: toBuffer(payload.data) },
    metadata: input.metadata,
    labels: { ...input.labels },
    tokenCount: input.tokenCount,
    sentTime: input.sentTime === undefined ? undefined : toDate(input.sentTime),
  });
}

/** Turns what a caller wrote into a session of the contract. */
export function toSession(fields: SessionFields): DeepPartial<Session> {
  onlyFields("session", fields, SESSION_FIELDS);
  const { ttlMs, summary, labels, policy, memoryPolicy, ...rest } = fields;
  return {
    ...rest,
    labels: { ...labels },
    policy: policy && toPolicyChoice(policy),
    ttl: ttlMs === undefined ? undefined : toDuration(ttlMs),
    summary: typeof summary === "string" ? { text: summary } : summary,
    memoryPolicy: memoryPolicy && toMemoryPolicy(memoryPolicy),
  };
}
