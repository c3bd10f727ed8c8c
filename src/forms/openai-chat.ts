// Messages of Chat Completions.

import { isNone, type Json, type JsonObject } from "../compat/common/json.ts";
import { ROLE } from "../window/rules/types.ts";
import { refuse } from "./elements.ts";
import {
  ADDED,
  type AssistantBlock,
  type Block,
  type CallPart,
  emptyMessage,
  type Form,
  type FormMessage,
  type FormPart,
  type Line,
  type Notes,
  type ResultPart,
  type Written,
} from "./form.ts";
import { callIds } from "./ids.ts";
import {
  contentAt,
  extrasOf,
  fieldAt,
  idAt,
  itemsAt,
  nameAt,
  type ObjectAt,
  objectAt,
  resultAt,
  sourceOfUrl,
  textAt,
  urlOfSource,
} from "./reading.ts";
import {
  dropped,
  noteErrorDropped,
  noteExtras,
  shownAsText,
  textOfPart,
  textOrParts,
} from "./writing.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"] as const;

const KNOWN = {
  message: new Set(["role", "content", "name"]),
  assistant: new Set(["role", "content", "name", "refusal", "tool_calls", "function_call"]),
  tool: new Set(["role", "content", "tool_call_id"]),
  text: new Set(["type", "text"]),
  refusal: new Set(["type", "refusal"]),
} as const;

// Reading.

function read(element: Json, path: string): FormMessage {
  const message = objectAt({ value: element, path });
  const role = nameAt(fieldAt(message, "role"), ROLES);
  switch (role) {
    case "assistant":
      return assistantOf(message);
    case "tool":
      return toolOf(message);
    case "function":
      return functionOf(message);
    default:
      return saidOf(message, role);
  }
}

function saidOf(message: ObjectAt, role: "system" | "developer" | "user"): FormMessage {
  const content = fieldAt(message, "content");
  if (isNone(content.value)) refuse(content.path, "is required");
  const extras = [...extrasOf(message.value, KNOWN.message)];
  return {
    ...emptyMessage(role === "user" ? ROLE.user : ROLE.system),
    providerRole: role === "developer" ? role : "",
    name: textAt(fieldAt(message, "name")),
    parts: contentAt(content, (part) => partOf(part, extras)),
    extras,
  };
}

function partOf(part: ObjectAt, extras: string[]): FormPart {
  const { value } = part;
  const type = textAt(fieldAt(part, "type"));
  switch (type) {
    case "text":
      extras.push(...extrasOf(value, KNOWN.text));
      return { kind: "text", text: textAt(fieldAt(part, "text")) };
    case "refusal":
      return { kind: "refusal", text: textAt(fieldAt(part, "refusal")) };
    case "image_url": {
      const image = objectAt(fieldAt(part, "image_url"));
      const url = fieldAt(image, "url");
      if (textAt(url) === "") refuse(url.path, "is required");
      const detail = textAt(fieldAt(image, "detail"));
      return { kind: "image", ...sourceOfUrl(textAt(url)), detail };
    }
    case "file":
      return fileOf(objectAt(fieldAt(part, "file")));
    case "":
      return refuse(`${part.path}.type`, "is required");
    default:
      return { kind: "other", type, value };
  }
}

function fileOf(file: ObjectAt): FormPart {
  const name = textAt(fieldAt(file, "filename"));
  const data = textAt(fieldAt(file, "file_data"));
  const id = textAt(fieldAt(file, "file_id"));
  if (data !== "") return { kind: "file", ...sourceOfUrl(data), name };
  if (id === "") refuse(`${file.path}.file_id`, "is required, or file_data");
  return { kind: "file", source: { id }, mediaType: "", name };
}

function assistantOf(message: ObjectAt): FormMessage {
  const extras = [...extrasOf(message.value, KNOWN.assistant)];
  const parts = [...contentAt(fieldAt(message, "content"), (part) => partOf(part, extras))];
  const refusal = textAt(fieldAt(message, "refusal"));
  if (refusal !== "") parts.push({ kind: "refusal", text: refusal });
  for (const call of itemsAt(fieldAt(message, "tool_calls"))) parts.push(callOf(objectAt(call)));
  if (!isNone(fieldAt(message, "function_call").value)) {
    const call = objectAt(fieldAt(message, "function_call"));
    const name = idAt(fieldAt(call, "name"));
    const text = textAt(fieldAt(call, "arguments"));
    parts.push({ kind: "call", id: name, name, arguments: text, isCustom: false });
  }
  const name = textAt(fieldAt(message, "name"));
  return { ...emptyMessage(ROLE.assistant), name, parts, extras };
}

function callOf(call: ObjectAt): CallPart {
  const id = idAt(fieldAt(call, "id"));
  if (textAt(fieldAt(call, "type")) === "custom") {
    const custom = objectAt(fieldAt(call, "custom"));
    const name = idAt(fieldAt(custom, "name"));
    return { kind: "call", id, name, arguments: textAt(fieldAt(custom, "input")), isCustom: true };
  }
  const called = objectAt(fieldAt(call, "function"));
  const name = idAt(fieldAt(called, "name"));
  const text = textAt(fieldAt(called, "arguments"));
  return { kind: "call", id, name, arguments: text, isCustom: false };
}

function toolOf(message: ObjectAt): FormMessage {
  const extras = [...extrasOf(message.value, KNOWN.tool)];
  const id = fieldAt(message, "tool_call_id");
  const parts = contentAt(fieldAt(message, "content"), (part) => partOf(part, extras));
  return { ...emptyMessage(ROLE.tool), parts: [resultAt(id, parts)], extras };
}

/** The result of a call as it was before calls had ids. */
function functionOf(message: ObjectAt): FormMessage {
  const at = fieldAt(message, "name");
  const name = idAt(at);
  const parts = contentAt(fieldAt(message, "content"), (part) => partOf(part, []));
  const result = resultAt(at, parts);
  return { ...emptyMessage(ROLE.tool), providerRole: "function", name, parts: [result] };
}

// Writing.

function writeOne(line: Line, notes: Notes): readonly Json[] {
  const { role, parts } = line.message;
  noteExtras(line, notes);
  if (role === ROLE.system) return [systemElement(line, notes)];
  if (role === ROLE.assistant) {
    const element = assistantElement([line], notes);
    return element === undefined ? [] : [element];
  }
  const results = parts.flatMap((part) =>
    part.kind === "result" ? [resultElement(line, part, notes)] : [],
  );
  const said = parts.filter(({ kind }) => kind !== "result");
  if (role === ROLE.tool || (said.length === 0 && results.length > 0)) return results;
  return [...results, userElement(line, said, notes)];
}

function systemElement(line: Line, notes: Notes): Json {
  const { name, parts, providerRole } = line.message;
  const role = providerRole === "developer" ? "developer" : "system";
  return named({ role, content: textContent(line, parts, notes) }, name);
}

function named(element: JsonObject, name: string): JsonObject {
  return name === "" ? element : { ...element, name };
}

function userElement(line: Line, parts: readonly FormPart[], notes: Notes): Json {
  const content = textOrParts(parts, (part) => userPart(line, part, notes));
  return named({ role: "user", content }, line.message.name);
}

function userPart(line: Line, part: FormPart, notes: Notes): Json {
  if (part.kind === "image") {
    const url = urlOfSource(part.source, part.mediaType);
    const { detail } = part;
    if (url !== undefined) {
      return { type: "image_url", image_url: detail === "" ? { url } : { url, detail } };
    }
  }
  if (part.kind === "file") {
    const { mediaType, name, source } = part;
    if ("base64" in source) {
      const file_data = urlOfSource(source, mediaType) ?? "";
      return { type: "file", file: { filename: name === "" ? "file" : name, file_data } };
    }
    if ("id" in source && line.origin?.startsWith("openai") === true) {
      return { type: "file", file: { file_id: source.id } };
    }
  }
  if (part.kind === "other" && line.origin === "openai_chat") return part.value;
  return { type: "text", text: shownAsText(line, part, notes) };
}

/** Content of a message that may hold only texts. */
function textContent(line: Line, parts: readonly FormPart[], notes: Notes): Json {
  if (parts.length <= 1) return parts.map((part) => shownAsText(line, part, notes)).join("");
  return parts.map((part) => ({ type: "text", text: shownAsText(line, part, notes) }));
}

function resultElement(line: Line, part: ResultPart, notes: Notes): Json {
  const content = textContent(line, part.parts, notes);
  if (line.message.providerRole === "function") {
    return { role: "function", name: line.message.name, content };
  }
  noteErrorDropped(line, part, notes);
  return { role: "tool", tool_call_id: part.callId, content };
}

function callElement({ arguments: text, id, isCustom, name }: CallPart): Json {
  if (isCustom) return { id, type: "custom", custom: { name, input: text } };
  return { id, type: "function", function: { name, arguments: text } };
}

/** Calls of a message: in the old way when they came so, without an id. */
function callsIn(calls: readonly CallPart[]): JsonObject {
  const [only] = calls;
  if (only === undefined) return {};
  const { arguments: text, id, name } = only;
  if (calls.length === 1 && id === name) return { function_call: { name, arguments: text } };
  return { tool_calls: calls.map(callElement) };
}

/** One message for what the model said in some; undefined when nothing of it has a place. */
function assistantElement(lines: readonly Line[], notes: Notes): Json | undefined {
  const texts: FormPart[] = [];
  const calls: CallPart[] = [];
  let wasEmpty = false;
  let refusal = "";
  for (const line of lines) {
    wasEmpty ||= line.message.parts.length === 0;
    for (const part of line.message.parts) {
      if (part.kind === "call") calls.push(part);
      else if (part.kind === "refusal") refusal += part.text;
      else if (part.kind === "reasoning") dropped(line, "reasoning", notes);
      else if (part.kind === "text") texts.push(part);
      else texts.push({ kind: "text", text: shownAsText(line, part, notes) });
    }
  }
  if (texts.length + calls.length === 0 && refusal === "" && !wasEmpty) return undefined;
  const [first] = texts;
  const said =
    texts.length > 1
      ? texts.map((part) => ({ type: "text", text: textOfPart(part) }))
      : first && textOfPart(first);
  const hasOther = calls.length > 0 || refusal !== "";
  const element: JsonObject = {
    role: "assistant",
    content: said ?? (hasOther ? null : ""),
    ...(refusal === "" ? {} : { refusal }),
    ...callsIn(calls),
  };
  return named(element, lines.at(-1)?.message.name ?? "");
}

const ID_FORM = /^.{1,64}$/s;

function writeWindow(given: readonly Block[], notes: Notes): Written {
  const blocks = callIds(given, { form: ID_FORM, unique: "turn", notes });
  const elements: string[] = [];
  const push = (...values: readonly Json[]): void => {
    for (const value of values) elements.push(JSON.stringify(value));
  };
  for (const block of blocks) {
    if (block.kind === "assistant") {
      elements.push(...assistantTexts(block, notes));
      for (const { line, part } of block.results) {
        const isWhole = line?.exact !== undefined && line.message.parts.length === 1;
        if (isWhole && line.exact !== undefined) elements.push(line.exact);
        else push(resultElement(line ?? ADDED, part, notes));
      }
      continue;
    }
    const { line } = block;
    const isWhole = block.kind === "system" || block.parts.length === line.message.parts.length;
    if (line.exact !== undefined && isWhole) elements.push(line.exact);
    else if (block.kind === "system") push(systemElement(line, notes));
    else push(userElement(line, block.parts, notes));
    if (line.exact === undefined) noteExtras(line, notes);
  }
  return { elements, system: "" };
}

/** Messages of the model. Calls of several become those of one: all their results follow it. */
function assistantTexts({ lines }: AssistantBlock, notes: Notes): readonly string[] {
  const calling = lines.findIndex(({ message }) => message.parts.some((p) => p.kind === "call"));
  const apart = calling === -1 ? lines.length : calling;
  const groups = lines.slice(0, apart).map((line) => [line]);
  if (apart < lines.length) groups.push(lines.slice(apart));
  return groups.flatMap((group) => {
    const [only] = group;
    if (group.length === 1 && only?.exact !== undefined) return [only.exact];
    for (const line of group) noteExtras(line, notes);
    const element = assistantElement(group, notes);
    return element === undefined ? [] : [JSON.stringify(element)];
  });
}

/** Chat Completions. */
export const OPENAI_CHAT: Form = { provider: "openai.chat", read, writeOne, writeWindow };
