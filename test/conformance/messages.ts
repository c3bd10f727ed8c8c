// Messages of cases as messages of the contract, and back.

import {
  type ContentPart,
  type Message,
  Message as MessageCodec,
  Role,
  type ToolCall,
} from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import { type Shown, shown } from "./compare.ts";
import {
  CaseFault,
  isObject,
  type Json,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";

const ROLES: Readonly<Record<string, Role>> = {
  user: Role.USER,
  human: Role.USER,
  assistant: Role.ASSISTANT,
  ai: Role.ASSISTANT,
  system: Role.SYSTEM,
  tool: Role.TOOL,
};

/** Gives the role of a name; unset for none. Throws a CaseFault for one that nobody knows. */
export function roleOf(name: Json | undefined): Role {
  if (name === undefined || name === null) return Role.UNSPECIFIED;
  const role = typeof name === "string" ? ROLES[name] : undefined;
  if (role === undefined) throw new CaseFault(`role ${JSON.stringify(name)} is not understood`);
  return role;
}

/** Gives the name of a role. */
export function roleName(role: Role): string {
  return role === Role.UNSPECIFIED ? "" : role.replace("ROLE_", "").toLowerCase();
}

/** Gives data as the source systems write it inside a text. */
function compact(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toolCallOf(value: Json): ToolCall {
  const call = objectOf(value, "a tool call");
  const inner = objectOf(call["function"], "the function of a tool call");
  const name = textOf(call["name"] ?? call["tool_name"] ?? inner["name"], "the name of a call");
  const given = call["arguments"] ?? call["parameters"] ?? call["input"] ?? inner["arguments"];
  return {
    toolCallId: textOf(call["id"], "the id of a tool call") ?? "",
    // Systems that do not look into calls let them have no name; the contract asks for one.
    name: name ?? "unnamed",
    arguments: compact(given),
  };
}

function imagePart(url: string): ContentPart {
  const image = { source: { $case: "url" as const, value: url }, mediaType: "", detail: "" };
  return { part: { $case: "image", value: image } };
}

function imageUrl(block: JsonObject): string {
  const source = block["image_url"] ?? block["source"] ?? block["url"];
  if (typeof source === "string") return source;
  const { url, data } = objectOf(source, "an image");
  return compact(url ?? data) || "image";
}

function blockPart(block: Json): ContentPart | undefined {
  if (typeof block === "string") return { part: { $case: "text", value: block } };
  const fields = objectOf(block, "a content block");
  const { type } = fields;
  if (type === "tool_use") return undefined;
  if (type === "text") return { part: { $case: "text", value: compact(fields["text"]) } };
  if (type === "image" || type === "image_url") return imagePart(imageUrl(fields));
  if (type !== "tool_result") return { part: { $case: "data", value: { ...fields } } };
  const { content } = fields;
  const value = {
    toolCallId: textOf(fields["tool_use_id"], "tool_use_id") ?? "",
    text: Array.isArray(content) ? "" : compact(content),
    parts: Array.isArray(content) ? content.flatMap((part) => blockPart(part) ?? []) : [],
    error: fields["is_error"] === true,
  };
  return { part: { $case: "toolResult", value } };
}

/** The content of a message: as text, as parts, and the calls that stand among its blocks. */
export function contentOf(
  content: Json | undefined,
): Pick<Message, "text" | "parts" | "toolCalls"> {
  if (content === undefined || content === null) return { text: "", parts: [], toolCalls: [] };
  if (typeof content === "string") return { text: content, parts: [], toolCalls: [] };
  const blocks = Array.isArray(content) ? content : undefined;
  if (blocks === undefined) {
    const data = { ...objectOf(content, "content") };
    return { text: "", parts: [{ part: { $case: "data", value: data } }], toolCalls: [] };
  }
  return {
    text: "",
    parts: blocks.flatMap((block: Json) => blockPart(block) ?? []),
    toolCalls: blocks
      .filter((block: Json) => isObject(block) && block["type"] === "tool_use")
      .map(toolCallOf),
  };
}

function agentCallOf(value: Json) {
  const call = objectOf(value, "an agent call");
  return {
    agentCallId: textOf(call["id"], "the id of an agent call") ?? "",
    agentName: textOf(call["agent_name"], "agent_name") ?? "",
    request: compact(call["request"]),
  };
}

/** A content is either a text or parts: beside others, a text is the first part. */
function textOrParts(text: string, parts: ContentPart[]): Pick<Message, "text" | "parts"> {
  if (text === "" || parts.length === 0) return { text, parts };
  return { text: "", parts: [{ part: { $case: "text", value: text } }, ...parts] };
}

/** Makes a message of the contract; without a token count, so that the server counts. */
export function toMessage(source: JsonObject): Message {
  const content = contentOf(source["content"]);
  const calls = listOf(source["tool_calls"], "tool_calls").map(toolCallOf);
  const images = listOf(source["images"], "images").map((url) => imagePart(compact(url)));
  const data = source["structured_data"];
  return MessageCodec.fromPartial({
    messageId: textOf(source["id"] ?? source["message_id"], "the id of a message") ?? "",
    role: roleOf(source["role"]),
    name: textOf(source["name"] ?? source["tool_name"], "the name of a message") ?? "",
    ...textOrParts(content.text, [...content.parts, ...images]),
    toolCalls: [...content.toolCalls, ...calls],
    agentCalls: listOf(source["agent_calls"], "agent_calls").map(agentCallOf),
    toolCallId: textOf(source["tool_call_id"], "tool_call_id") ?? "",
    ...(isObject(data) ? { structuredData: { ...data } } : {}),
  });
}

/** The token count that a case gives beside a message. */
export function givenTokens(source: JsonObject): number | undefined {
  return numberOf(source["tokens"], "tokens");
}

/**
 * Throws a CaseFault when the server counted a message otherwise than the case says. For cases that
 * name the rule that they count by.
 */
export function checkTokens(
  source: readonly JsonObject[],
  stored: readonly { readonly tokenCount: number }[],
): void {
  for (const [index, message] of source.entries()) {
    const given = givenTokens(message);
    const counted = stored[index]?.tokenCount;
    if (given === undefined || given === counted) continue;
    throw new CaseFault(
      `${JSON.stringify(message["id"])} costs ${given} tokens by the case, ${counted} by the server`,
    );
  }
}

function partBlock({ part }: ContentPart): Json {
  if (part === undefined) return null;
  if (part.$case === "text") return { type: "text", text: part.value };
  if (part.$case === "data") return part.value as JsonObject;
  if (part.$case === "image") {
    const url = part.value.source?.$case === "url" ? part.value.source.value : "";
    return { type: "image_url", image_url: { url } };
  }
  if (part.$case !== "toolResult") throw new CaseFault(`no system has blocks of ${part.$case}`);
  const { toolCallId, text } = part.value;
  return { type: "tool_result", tool_use_id: toolCallId, content: text };
}

/** The content of a message as the source systems hold it: a text, an object or blocks. */
export function contentJson(message: Message): Json {
  const blocks = message.parts.map(partBlock);
  if (blocks.length === 0) return message.text;
  const [only] = message.parts;
  if (message.text === "" && blocks.length === 1 && only?.part?.$case === "data") {
    return blocks[0] ?? null;
  }
  return message.text === "" ? blocks : [{ type: "text", text: message.text }, ...blocks];
}

/** The text of a message, with that of its parts. */
export function plainText(message: Message): string {
  const content = contentJson(message);
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content : [content];
  return blocks
    .map((block: Json) => {
      const fields = isObject(block) ? block : {};
      if (fields["type"] === "text") return compact(fields["text"]);
      return fields["type"] === "tool_result" ? compact(fields["content"]) : compact(block);
    })
    .join("");
}

/** The messages of a case by their ids: those given, and those that operations bring along. */
export interface CaseMessages {
  /** Remembers a message, so that its id names it from now on. */
  learn(message: JsonObject): JsonObject;
  /** Gives the message that an operation is about. Throws a CaseFault for an unknown id. */
  of(reference: Json | undefined): JsonObject;
  /** Says which messages of a case became which messages of a session, by their order. */
  match(source: readonly JsonObject[], stored: readonly Message[]): void;
  /** Gives what a case calls a stored message; its id when the case has no name for it. */
  nameOf(messageId: string): string;
  /** Shows a stored message: by its id when the case knows it, else by its text. */
  show(message: Message, value?: object): Shown;
}

/** Collects the messages of a case. */
export function caseMessages(given: readonly Json[]): CaseMessages {
  const known = new Map<string, JsonObject>();
  const learn = (message: JsonObject): JsonObject => {
    const id = textOf(message["id"], "the id of a message");
    if (id !== undefined) known.set(id, message);
    return message;
  };
  for (const value of given) if (isObject(value)) learn(value);
  const names = new Map<string, string>();
  const knownName = (id: string): string | undefined =>
    names.get(id) ?? (known.has(id) ? id : undefined);
  return {
    learn,
    of: (reference) => {
      if (isObject(reference)) return learn(reference);
      const message = typeof reference === "string" ? known.get(reference) : undefined;
      if (message !== undefined) return message;
      throw new CaseFault(`message ${JSON.stringify(reference)} is not given`);
    },
    match: (source, stored) => {
      // A system that drops messages of a loaded document drops them at its start: match from the
      // end.
      const offset = source.length - stored.length;
      for (const [index, message] of stored.entries()) {
        const id = source[index + offset]?.["id"];
        if (typeof id === "string") names.set(message.messageId, id);
      }
      for (const message of source) learn(message);
    },
    nameOf: (messageId) => knownName(messageId) ?? messageId,
    show: (message, value = {}) =>
      shown([knownName(message.messageId) ?? plainText(message)], value),
  };
}
