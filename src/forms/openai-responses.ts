// Items of the Responses API. Each is a message of its own.

import { isNone, isObject, type Json } from "../compat/common/json.ts";
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
import { dropped, noteErrorDropped, noteExtras, shownAsText, textOrParts } from "./writing.ts";

const ROLES = ["user", "assistant", "system", "developer"] as const;
const ROLE_OF = {
  user: ROLE.user,
  assistant: ROLE.assistant,
  system: ROLE.system,
  developer: ROLE.system,
} as const;

const KNOWN = {
  message: new Set(["type", "role", "content", "id", "status"]),
  text: new Set(["type", "text"]),
  call: new Set(["type", "id", "call_id", "name", "arguments", "input", "status"]),
  output: new Set(["type", "id", "call_id", "output", "status"]),
  reasoning: new Set(["type", "id", "summary", "content", "encrypted_content", "status"]),
} as const;

// Reading.

function read(element: Json, path: string): FormMessage {
  const item = objectAt({ value: element, path });
  const type = textAt(fieldAt(item, "type"));
  switch (type) {
    case "":
    case "message":
      return messageOf(item);
    case "function_call":
      return callOf(item, "arguments");
    case "custom_tool_call":
      return callOf(item, "input");
    case "function_call_output":
    case "custom_tool_call_output":
      return outputOf(item);
    case "reasoning":
      return reasoningOf(item);
    default:
      return otherOf(item, type);
  }
}

function messageOf(item: ObjectAt): FormMessage {
  const name = nameAt(fieldAt(item, "role"), ROLES);
  const content = fieldAt(item, "content");
  if (isNone(content.value)) refuse(content.path, "is required");
  const extras = [...extrasOf(item.value, KNOWN.message)];
  const parts = contentAt(content, (part) => partOf(part, extras));
  const providerRole = name === "developer" ? name : "";
  return { ...emptyMessage(ROLE_OF[name]), providerRole, parts, extras };
}

function partOf(part: ObjectAt, extras: string[]): FormPart {
  const { value } = part;
  const type = textAt(fieldAt(part, "type"));
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      extras.push(...extrasOf(value, KNOWN.text));
      return { kind: "text", text: textAt(fieldAt(part, "text")) };
    case "refusal":
      return { kind: "refusal", text: textAt(fieldAt(part, "refusal")) };
    case "input_image": {
      const url = textAt(fieldAt(part, "image_url"));
      const id = textAt(fieldAt(part, "file_id"));
      if (url === "" && id === "") refuse(`${part.path}.image_url`, "is required, or file_id");
      const detail = textAt(fieldAt(part, "detail"));
      const place = url === "" ? { source: { id }, mediaType: "" } : sourceOfUrl(url);
      return { kind: "image", ...place, detail };
    }
    case "input_file":
      return fileOf(part);
    case "":
      return refuse(`${part.path}.type`, "is required");
    default:
      return { kind: "other", type, value };
  }
}

function fileOf(part: ObjectAt): FormPart {
  const name = textAt(fieldAt(part, "filename"));
  const data = textAt(fieldAt(part, "file_data"));
  const url = textAt(fieldAt(part, "file_url"));
  const id = textAt(fieldAt(part, "file_id"));
  if (data !== "") return { kind: "file", ...sourceOfUrl(data), name };
  if (url !== "") return { kind: "file", source: { url }, mediaType: "", name };
  if (id === "") refuse(`${part.path}.file_id`, "is required, or file_url, or file_data");
  return { kind: "file", source: { id }, mediaType: "", name };
}

function callOf(item: ObjectAt, body: "arguments" | "input"): FormMessage {
  const id = idAt(fieldAt(item, "call_id"));
  const name = idAt(fieldAt(item, "name"));
  const said = { kind: "call", id, name, arguments: textAt(fieldAt(item, body)) } as const;
  const call: CallPart = { ...said, isCustom: body === "input" };
  const extras = extrasOf(item.value, KNOWN.call);
  return { ...emptyMessage(ROLE.assistant), parts: [call], extras };
}

function outputOf(item: ObjectAt): FormMessage {
  const id = fieldAt(item, "call_id");
  const extras = [...extrasOf(item.value, KNOWN.output)];
  const parts = contentAt(fieldAt(item, "output"), (part) => partOf(part, extras));
  return { ...emptyMessage(ROLE.tool), parts: [resultAt(id, parts)], extras };
}

function reasoningOf(item: ObjectAt): FormMessage {
  const texts = (name: string) =>
    itemsAt(fieldAt(item, name)).map((one) => textAt(fieldAt(objectAt(one), "text")));
  const part: FormPart = {
    kind: "reasoning",
    text: texts("content").join("\n"),
    summaries: texts("summary"),
    signature: textAt(fieldAt(item, "encrypted_content")),
    id: textAt(fieldAt(item, "id")),
    redacted: false,
  };
  const extras = extrasOf(item.value, KNOWN.reasoning);
  return { ...emptyMessage(ROLE.assistant), parts: [part], extras };
}

/** Calls of tools that the provider knows, their outputs, and whatever else the API has. */
function otherOf({ path, value }: ObjectAt, type: string): FormMessage {
  const item = { path, value };
  const at = fieldAt(item, "call_id");
  const hasId = typeof at.value === "string" && at.value !== "";
  if (hasId && type.endsWith("_call_output")) {
    const result = resultAt(at, [{ kind: "other", type, value }]);
    return { ...emptyMessage(ROLE.tool), parts: [{ ...result, raw: value }] };
  }
  if (hasId && type.endsWith("_call")) {
    const { call_id: _, id: __, status: ___, type: ____, ...rest } = value;
    const said = {
      kind: "call",
      id: idAt(at),
      name: type,
      arguments: JSON.stringify(rest),
    } as const;
    return { ...emptyMessage(ROLE.assistant), parts: [{ ...said, isCustom: false, raw: value }] };
  }
  return { ...emptyMessage(ROLE.assistant), parts: [{ kind: "other", type, value, raw: value }] };
}

// Writing.

/** Items of some parts of a message. */
function itemsOf(line: Line, parts: readonly FormPart[], notes: Notes): readonly Json[] {
  const items: Json[] = [];
  let said: FormPart[] = [];
  const close = (): void => {
    if (said.length > 0) items.push(...messageItems(line, said, notes));
    said = [];
  };
  for (const part of parts) {
    const item = itemOfPart(line, part, notes);
    if (item === undefined) said.push(part);
    else {
      close();
      if (item !== null) items.push(item);
    }
  }
  close();
  return items;
}

/** The item of a part; null for one without a place, undefined for content of a message. */
function itemOfPart(line: Line, part: FormPart, notes: Notes): Json | undefined {
  if (line.origin === "openai_responses" && part.raw !== undefined) return part.raw;
  switch (part.kind) {
    case "call": {
      const { arguments: text, id, isCustom, name } = part;
      const call = { call_id: id, name };
      return isCustom
        ? { type: "custom_tool_call", ...call, input: text }
        : { type: "function_call", ...call, arguments: text };
    }
    case "result":
      return resultItem(line, part, { isCustom: false, notes });
    case "reasoning":
      return reasoningItem(line, part, notes);
    default:
      return undefined;
  }
}

function resultItem(
  line: Line,
  part: ResultPart,
  { isCustom, notes }: { readonly isCustom: boolean; readonly notes: Notes },
): Json {
  noteErrorDropped(line, part, notes);
  const output = inputContent(line, part.parts, notes);
  const type = isCustom ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: part.callId, output };
}

/** Reasoning that another API signed would be refused. */
function reasoningItem(line: Line, part: FormPart & { kind: "reasoning" }, notes: Notes): Json {
  const { id, signature, summaries, text } = part;
  const isForeign = line.origin !== undefined && line.origin !== "openai_responses";
  if (isForeign || id === "") {
    dropped(line, "reasoning", notes);
    return null;
  }
  return {
    type: "reasoning",
    id,
    summary: summaries.map((one) => ({ type: "summary_text", text: one })),
    ...(text === "" ? {} : { content: [{ type: "reasoning_text", text }] }),
    ...(signature === "" ? {} : { encrypted_content: signature }),
  };
}

function messageItems(line: Line, parts: readonly FormPart[], notes: Notes): readonly Json[] {
  const { providerRole, role } = line.message;
  if (role === ROLE.assistant) {
    return parts.map((part) => ({ role: "assistant", content: shownAsText(line, part, notes) }));
  }
  const system = providerRole === "developer" ? "developer" : "system";
  const name = role === ROLE.system ? system : "user";
  return [{ role: name, content: inputContent(line, parts, notes) }];
}

function inputContent(line: Line, parts: readonly FormPart[], notes: Notes): Json {
  return textOrParts(parts, (part) => inputPart(line, part, notes));
}

function inputPart(line: Line, part: FormPart, notes: Notes): Json {
  const isOwn = line.origin === "openai_responses" || line.origin === "openai_chat";
  if (part.kind === "image") {
    const { detail, mediaType, source } = part;
    const shown = { detail: detail === "" ? "auto" : detail };
    const image_url = urlOfSource(source, mediaType);
    if (image_url !== undefined) return { type: "input_image", ...shown, image_url };
    if ("id" in source && isOwn) return { type: "input_image", ...shown, file_id: source.id };
  }
  if (part.kind === "file") {
    const { mediaType, name, source } = part;
    const filename = name === "" ? {} : { filename: name };
    if ("url" in source) return { type: "input_file", ...filename, file_url: source.url };
    if ("id" in source && isOwn) return { type: "input_file", ...filename, file_id: source.id };
    const file_data = urlOfSource(source, mediaType);
    const named = { filename: name === "" ? "file" : name };
    if (file_data !== undefined) return { type: "input_file", ...named, file_data };
  }
  if (part.kind === "other" && line.origin === "openai_responses") return part.value;
  return { type: "input_text", text: shownAsText(line, part, notes) };
}

function writeOne(line: Line, notes: Notes): readonly Json[] {
  noteExtras(line, notes);
  const { parts, role } = line.message;
  if (parts.length === 0 && role !== ROLE.tool) {
    const name = role === ROLE.user ? "user" : role === ROLE.system ? "system" : "assistant";
    return [{ role: name, content: "" }];
  }
  return itemsOf(line, parts, notes);
}

const ID_FORM = /^.{1,64}$/s;

function writeWindow(given: readonly Block[], notes: Notes): Written {
  const blocks = callIds(given, { form: ID_FORM, unique: "turn", notes });
  const elements: string[] = [];
  const push = (values: readonly Json[]): void => {
    for (const value of values) elements.push(JSON.stringify(value));
  };
  for (const block of blocks) {
    if (block.kind === "assistant") {
      elements.push(...spokenTexts(block, notes));
      for (const { call, line, part } of block.results) {
        if (line?.exact !== undefined) elements.push(line.exact);
        else push([resultItem(line ?? ADDED, part, { isCustom: call.isCustom, notes })]);
      }
      continue;
    }
    const { line } = block;
    const parts = block.kind === "user" ? block.parts : line.message.parts;
    if (line.exact !== undefined) elements.push(line.exact);
    else if (parts.length === 0) push(writeOne(line, notes));
    else {
      noteExtras(line, notes);
      push(itemsOf(line, parts, notes));
    }
  }
  return { elements, system: "" };
}

/** Items of what the model said. The API refuses reasoning that nothing follows. */
function spokenTexts({ lines }: AssistantBlock, notes: Notes): readonly string[] {
  const items = lines.flatMap((line) => {
    if (line.exact !== undefined) {
      const isReasoning = line.message.parts[0]?.kind === "reasoning";
      return [{ text: line.exact, line, isReasoning }];
    }
    return writeOne(line, notes).map((item) => ({
      text: JSON.stringify(item),
      line,
      isReasoning: isObject(item) && item["type"] === "reasoning",
    }));
  });
  while (items.at(-1)?.isReasoning === true) {
    const last = items.pop();
    if (last !== undefined) dropped(last.line, "reasoning", notes);
  }
  return items.map(({ text }) => text);
}

/** The Responses API. */
export const OPENAI_RESPONSES: Form = {
  provider: "openai.responses",
  read,
  writeOne,
  writeWindow,
};
