// Contents of the Gemini API.

import {
  isNone,
  isObject,
  type Json,
  type JsonObject,
  parseObject,
} from "../compat/common/json.ts";
import { ROLE } from "../window/rules/types.ts";
import { refuse } from "./elements.ts";
import {
  ADDED,
  type AssistantBlock,
  type Block,
  type BlockResult,
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
  argumentsObject,
  extrasOf,
  fieldAt,
  idAt,
  itemsAt,
  nameAt,
  type ObjectAt,
  objectAt,
  textAt,
} from "./reading.ts";
import { alternate, type Piece } from "./turns.ts";
import { dropped, noteExtras, shownAsText } from "./writing.ts";

const ROLES = ["user", "model", "function", "system"] as const;
const ROLE_OF = {
  user: ROLE.user,
  model: ROLE.assistant,
  function: ROLE.user,
  system: ROLE.system,
} as const;

const KNOWN = {
  content: new Set(["role", "parts"]),
  text: new Set(["text"]),
  thought: new Set(["text", "thought", "thoughtSignature", "thought_signature"]),
  call: new Set(["functionCall", "function_call"]),
  response: new Set(["functionResponse", "function_response"]),
  inline: new Set(["inlineData", "inline_data"]),
  file: new Set(["fileData", "file_data"]),
} as const;

/** Begins the ids of calls that came without one. */
const MADE_ID = "gemini-";

// Reading.

function read(element: Json, path: string): FormMessage {
  const content = objectAt({ value: element, path });
  const given = fieldAt(content, "role");
  const role = isNone(given.value) ? "user" : nameAt(given, ROLES);
  const extras = [...extrasOf(content.value, KNOWN.content)];
  const list = fieldAt(content, "parts");
  if (isNone(list.value)) refuse(list.path, "is required");
  const names = new Map<string, number>();
  const parts = itemsAt(list).map((one) => partOf(objectAt(one), { extras, names, role }));
  return { ...emptyMessage(ROLE_OF[role]), parts, extras };
}

interface PartContext {
  readonly extras: string[];
  /** Number of calls, or of results, by name so far. */
  readonly names: Map<string, number>;
  readonly role: (typeof ROLES)[number];
}

function partOf(part: ObjectAt, context: PartContext): FormPart {
  const { path, value: raw } = part;
  const { extras, role } = context;
  const note = (known: ReadonlySet<string>): void => {
    extras.push(...extrasOf(raw, known));
  };
  const call = fieldAt(part, "functionCall", "function_call");
  if (!isNone(call.value)) {
    if (role !== "model") refuse(call.path, "is only allowed in a content with the role model");
    note(KNOWN.call);
    return { ...callOf(objectAt(call), context), raw };
  }
  const response = fieldAt(part, "functionResponse", "function_response");
  if (!isNone(response.value)) {
    if (role === "model" || role === "system") {
      refuse(response.path, "is only allowed in a content with the role user");
    }
    note(KNOWN.response);
    return { ...responseOf(objectAt(response), context), raw };
  }
  const inline = fieldAt(part, "inlineData", "inline_data");
  const file = fieldAt(part, "fileData", "file_data");
  if (!isNone(inline.value) || !isNone(file.value)) {
    note(isNone(inline.value) ? KNOWN.file : KNOWN.inline);
    return { ...mediaOf(objectAt(isNone(inline.value) ? file : inline)), raw };
  }
  const text = fieldAt(part, "text");
  if (isNone(text.value)) return otherOf(raw, path);
  if (raw["thought"] === true && role === "model") {
    note(KNOWN.thought);
    const signature = textAt(fieldAt(part, "thoughtSignature", "thought_signature"));
    const rest = { summaries: [], id: "", redacted: false };
    return { kind: "reasoning", text: textAt(text), signature, ...rest, raw };
  }
  note(KNOWN.text);
  return { kind: "text", text: textAt(text), raw };
}

function otherOf(raw: JsonObject, path: string): FormPart {
  const type = Object.keys(raw).find((key) => !isNone(raw[key]));
  if (type === undefined) return refuse(path, "must have a field");
  return { kind: "other", type, value: raw, raw };
}

/** The id of a call, or of its result: one that came without it is numbered by its name. */
function callIdOf(call: ObjectAt, name: string, { names }: PartContext): string {
  const id = fieldAt(call, "id");
  const count = names.get(name) ?? 0;
  names.set(name, count + 1);
  if (textAt(id) !== "") return idAt(id);
  // A name may take all of an id.
  return `${MADE_ID}${name.slice(0, MADE_NAME_CHARS)}-${count}`;
}

const MADE_NAME_CHARS = 60;

function callOf(call: ObjectAt, context: PartContext): CallPart {
  const name = idAt(fieldAt(call, "name"));
  const args = fieldAt(call, "args");
  const text = isNone(args.value) ? "" : JSON.stringify(objectAt(args).value);
  return {
    kind: "call",
    id: callIdOf(call, name, context),
    name,
    arguments: text,
    isCustom: false,
  };
}

function responseOf(response: ObjectAt, context: PartContext): ResultPart {
  const name = idAt(fieldAt(response, "name"));
  const id = fieldAt(response, "id");
  const path = isNone(id.value) ? fieldAt(response, "name").path : id.path;
  const callId = callIdOf(response, name, context);
  const given = fieldAt(response, "response");
  const value = isNone(given.value) ? {} : objectAt(given).value;
  const keys = Object.keys(value);
  const [key] = keys;
  const only = key === undefined ? undefined : value[key];
  const isText = keys.length === 1 && typeof only === "string";
  const isError = keys.length === 1 && key === "error";
  const isPlain = isText && (key === "output" || key === "result" || isError);
  const said: FormPart = isPlain
    ? { kind: "text", text: textAt({ value: only, path }) }
    : { kind: "json", text: JSON.stringify(value) };
  const media = itemsAt(fieldAt(response, "parts")).map((one) => {
    const part = objectAt(one);
    const inline = fieldAt(part, "inlineData", "inline_data");
    const place = isNone(inline.value) ? fieldAt(part, "fileData", "file_data") : inline;
    return mediaOf(objectAt(place));
  });
  return { kind: "result", callId, path, parts: [said, ...media], isError };
}

const IMAGE = /^image\//;

function mediaOf(media: ObjectAt): FormPart {
  const mediaType = textAt(fieldAt(media, "mimeType", "mime_type"));
  const url = textAt(fieldAt(media, "fileUri", "file_uri"));
  const data = textAt(fieldAt(media, "data"));
  if (url === "" && data === "") refuse(`${media.path}.data`, "is required");
  // Some clients write the letters of Base64 for URLs.
  const base64 = data.replaceAll("-", "+").replaceAll("_", "/");
  const source = url === "" ? { base64 } : { url };
  if (IMAGE.test(mediaType)) return { kind: "image", source, mediaType, detail: "" };
  const name = textAt(fieldAt(media, "displayName", "display_name"));
  return { kind: "file", source, mediaType, name };
}

// Writing.

function partsOfPart(line: Line, part: FormPart, notes: Notes): readonly Json[] {
  if (line.origin === "gemini" && part.raw !== undefined) return [part.raw];
  switch (part.kind) {
    case "image":
    case "file":
      return [mediaPart(line, part) ?? { text: shownAsText(line, part, notes) }];
    case "reasoning":
      dropped(line, "reasoning", notes);
      return [];
    case "call":
      return [callPart(part)];
    default: {
      const text = shownAsText(line, part, notes);
      return text.trim() === "" ? [] : [{ text }];
    }
  }
}

/** The part of a picture or a file; a system instruction holds texts only. */
function mediaPart(
  { message }: Line,
  part: FormPart & { kind: "image" | "file" },
): Json | undefined {
  const { mediaType, source } = part;
  if (message.role === ROLE.system) return undefined;
  const type = mediaType === "" ? {} : { mimeType: mediaType };
  if ("url" in source) return { fileData: { ...type, fileUri: source.url } };
  if (!("base64" in source) || mediaType === "") return undefined;
  return { inlineData: { mimeType: mediaType, data: source.base64 } };
}

function idPart(id: string): JsonObject {
  return id.startsWith(MADE_ID) ? {} : { id };
}

function callPart(part: CallPart): Json {
  return { functionCall: { ...idPart(part.id), name: part.name, args: argumentsObject(part) } };
}

function resultPart(
  line: Line,
  { name, part }: { readonly name: string; readonly part: ResultPart },
  notes: Notes,
): Json {
  if (line.origin === "gemini" && part.raw !== undefined) return part.raw;
  const text = part.parts.map((one) => shownAsText(line, one, notes)).join("\n");
  const object = part.isError ? undefined : parseObject(text);
  const response = object ?? { [part.isError ? "error" : "output"]: text };
  return { functionResponse: { ...idPart(part.callId), name, response } };
}

/** The name of the tool of a message by itself: Gemini asks for it, others leave it to the call. */
function toolName({ message }: Line, part: ResultPart): string {
  if (message.name !== "") return message.name;
  return /^gemini-(.*)-\d+$/.exec(part.callId)?.[1] ?? part.callId;
}

function contentOf(line: Line, parts: readonly FormPart[], notes: Notes): readonly Json[] {
  if (line.origin !== "gemini") noteExtras(line, notes);
  return parts.flatMap((part) =>
    part.kind === "result"
      ? [resultPart(line, { name: toolName(line, part), part }, notes)]
      : partsOfPart(line, part, notes),
  );
}

function writeOne(line: Line, notes: Notes): readonly Json[] {
  const { parts, role } = line.message;
  const content = contentOf(line, parts, notes);
  if (content.length === 0 && parts.length > 0) return [];
  const name = role === ROLE.assistant ? "model" : role === ROLE.system ? "system" : "user";
  return [{ role: name, parts: content.length === 0 ? [{ text: "" }] : content }];
}

const ID_FORM = /^.{1,256}$/s;

function writeWindow(given: readonly Block[], notes: Notes): Written {
  const blocks = callIds(given, { form: ID_FORM, unique: "turn", rename: renamed, notes });
  const { system, turns } = alternate(
    blocks,
    {
      contentOf: (line, parts) => contentOf(line, parts, notes),
      resultsOf: (block) => inCallOrder(block).map((result) => resultPiece(result, notes)),
      textOf: (text) => ({ text }),
    },
    notes,
  );
  const elements = turns.map(
    ({ content: parts, exact, role }) =>
      exact ?? JSON.stringify({ role: role === "assistant" ? "model" : "user", parts }),
  );
  return { elements, system: system.length === 0 ? "" : JSON.stringify({ parts: system }) };
}

/** A part with another id of its call; one that came without stays so. */
function renamed<Part extends CallPart | ResultPart>(part: Part, id: string): Part {
  const [was, key] =
    part.kind === "call" ? [part.id, "functionCall"] : [part.callId, "functionResponse"];
  const isMade = was.startsWith(MADE_ID);
  const other = isMade ? MADE_ID + id : id;
  const named = part.kind === "call" ? { id: other } : { callId: other };
  const inner = isObject(part.raw) ? part.raw[key] : undefined;
  const raw =
    isMade || !isObject(part.raw) || !isObject(inner)
      ? part.raw
      : { ...part.raw, [key]: { ...inner, id } };
  return { ...part, ...named, raw };
}

/** Results by the order of their calls: without ids, it says which belong together. */
function inCallOrder({ lines, results }: AssistantBlock): readonly BlockResult[] {
  const calls = lines.flatMap(({ message }) => message.parts.filter(({ kind }) => kind === "call"));
  const place = ({ call }: BlockResult): number => calls.indexOf(call);
  return results.toSorted((a, b) => place(a) - place(b));
}

function resultPiece({ call, line, part }: BlockResult, notes: Notes): Piece {
  const content = [resultPart(line ?? ADDED, { name: call.name, part }, notes)];
  if (line !== undefined && line.origin !== "gemini") noteExtras(line, notes);
  return { role: "user", line, partCount: 1, content };
}

/** The Gemini API. */
export const GEMINI: Form = { provider: "gemini.contents", read, writeOne, writeWindow };
