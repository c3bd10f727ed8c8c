// Messages of the Anthropic API.

import { isNone, isObject, type Json, type JsonObject } from "../compat/common/json.ts";
import { ROLE } from "../window/rules/types.ts";
import { refuse } from "./elements.ts";
import {
  ADDED,
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
  type Source,
  type Written,
} from "./form.ts";
import { callIds } from "./ids.ts";
import {
  argumentsObject,
  contentAt,
  extrasOf,
  fieldAt,
  flagAt,
  idAt,
  nameAt,
  type ObjectAt,
  objectAt,
  textAt,
} from "./reading.ts";
import { alternate, type Piece } from "./turns.ts";
import { dropped, noteExtras, shownAsText } from "./writing.ts";

const ROLES = ["user", "assistant", "system"] as const;
const ROLE_OF = { user: ROLE.user, assistant: ROLE.assistant, system: ROLE.system } as const;

const KNOWN = {
  message: new Set(["role", "content"]),
  text: new Set(["type", "text"]),
  image: new Set(["type", "source"]),
  document: new Set(["type", "source", "title"]),
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
  tool_use: new Set(["type", "id", "name", "input"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error"]),
} as const;

type KnownType = Exclude<keyof typeof KNOWN, "message">;

function isKnown(type: string): type is KnownType {
  return type !== "message" && Object.hasOwn(KNOWN, type);
}

/** Blocks that only one role may hold. */
const OF_ROLE: Readonly<Partial<Record<string, "user" | "assistant">>> = {
  thinking: "assistant",
  redacted_thinking: "assistant",
  tool_use: "assistant",
  tool_result: "user",
};

// Reading.

function read(element: Json, path: string): FormMessage {
  const message = objectAt({ value: element, path });
  const role = nameAt(fieldAt(message, "role"), ROLES);
  const content = fieldAt(message, "content");
  if (isNone(content.value)) refuse(content.path, "is required");
  const extras = [...extrasOf(message.value, KNOWN.message)];
  const parts = contentAt(content, (block) => {
    const type = textAt(fieldAt(block, "type"));
    if (type === "") refuse(`${block.path}.type`, "is required");
    const only = OF_ROLE[type];
    if (role === "system" && type !== "text") {
      refuse(`${block.path}.type`, "must be text in a system message");
    }
    if (only !== undefined && only !== role) {
      refuse(`${block.path}.type`, `is only allowed in a message with the role ${only}`);
    }
    return partOf(block, type, extras);
  });
  return { ...emptyMessage(ROLE_OF[role]), parts, extras };
}

function partOf(block: ObjectAt, type: string, extras: string[]): FormPart {
  const raw = block.value;
  if (!isKnown(type)) return { kind: "other", type, value: raw, raw };
  extras.push(...extrasOf(raw, KNOWN[type]));
  switch (type) {
    case "text":
      return { kind: "text", text: textAt(fieldAt(block, "text")), raw };
    case "image": {
      const { mediaType, source } = sourceOf(objectAt(fieldAt(block, "source")));
      return { kind: "image", source, mediaType, detail: "", raw };
    }
    case "document":
      return documentOf(block);
    case "thinking":
    case "redacted_thinking":
      return thinkingOf(block, type);
    case "tool_use": {
      const id = idAt(fieldAt(block, "id"));
      const name = idAt(fieldAt(block, "name"));
      const input = fieldAt(block, "input");
      const text = isNone(input.value) ? "" : JSON.stringify(input.value);
      return { kind: "call", id, name, arguments: text, isCustom: false, raw };
    }
    default: {
      const id = fieldAt(block, "tool_use_id");
      const parts = contentAt(fieldAt(block, "content"), (one) =>
        partOf(one, textAt(fieldAt(one, "type")), extras),
      );
      const isError = flagAt(fieldAt(block, "is_error"));
      return { kind: "result", callId: idAt(id), path: id.path, parts, isError, raw };
    }
  }
}

function sourceOf(source: ObjectAt): { source: Source; mediaType: string } {
  const type = textAt(fieldAt(source, "type"));
  const mediaType = textAt(fieldAt(source, "media_type"));
  if (type === "url") return { source: { url: textAt(fieldAt(source, "url")) }, mediaType };
  if (type === "file") return { source: { id: textAt(fieldAt(source, "file_id")) }, mediaType };
  if (type === "base64") return { source: { base64: textAt(fieldAt(source, "data")) }, mediaType };
  return refuse(`${source.path}.type`, "must be one of base64, url, file");
}

/** A document: a file, or a text that stands in the message. */
function documentOf(block: ObjectAt): FormPart {
  const raw = block.value;
  const source = objectAt(fieldAt(block, "source"));
  const type = textAt(fieldAt(source, "type"));
  const name = textAt(fieldAt(block, "title"));
  if (type === "text") return { kind: "text", text: textAt(fieldAt(source, "data")), raw };
  if (type === "content") return { kind: "other", type: "document", value: raw, raw };
  return { kind: "file", ...sourceOf(source), name, raw };
}

function thinkingOf(block: ObjectAt, type: "thinking" | "redacted_thinking"): FormPart {
  const redacted = type === "redacted_thinking";
  const signature = textAt(fieldAt(block, redacted ? "data" : "signature"));
  const text = redacted ? "" : textAt(fieldAt(block, "thinking"));
  const rest = { kind: "reasoning", summaries: [], id: "" } as const;
  return { ...rest, text, signature, redacted, raw: block.value };
}

// Writing.

/** Blocks of a part; none for one that has no place. */
function blocksOfPart(line: Line, part: FormPart, notes: Notes): readonly Json[] {
  if (line.origin === "anthropic" && part.raw !== undefined) return [part.raw];
  switch (part.kind) {
    case "text":
    case "json":
      return textBlocks(part.text);
    case "image":
    case "file":
      return [mediaBlock(line, part) ?? textBlock(shownAsText(line, part, notes))];
    case "reasoning":
      return reasoningBlocks(line, part, notes);
    case "call":
      return [useBlock(part)];
    case "result":
      return [resultBlock(line, part, notes)];
    default:
      return textBlocks(shownAsText(line, part, notes));
  }
}

function textBlock(text: string): Json {
  return { type: "text", text };
}

/** The API takes no empty text. */
function textBlocks(text: string): readonly Json[] {
  return text.trim() === "" ? [] : [textBlock(text)];
}

/** The block of a picture or a document, which only the user gives. */
function mediaBlock(
  { message }: Line,
  part: FormPart & { kind: "image" | "file" },
): Json | undefined {
  const { source } = part;
  if (message.role !== ROLE.user && message.role !== ROLE.tool) return undefined;
  const type = part.kind === "image" ? "image" : "document";
  const title = part.kind === "file" && part.name !== "" ? { title: part.name } : {};
  if ("url" in source) return { type, source: { type: "url", url: source.url }, ...title };
  if (!("base64" in source)) return undefined;
  const isPdf = part.mediaType === "application/pdf";
  if (part.kind === "file" && !isPdf) return undefined;
  const media_type = part.mediaType === "" ? "image/png" : part.mediaType;
  return { type, source: { type: "base64", media_type, data: source.base64 }, ...title };
}

/** Reasoning counts only with the signature of the API, which refuses any other. */
function reasoningBlocks(
  line: Line,
  part: FormPart & { kind: "reasoning" },
  notes: Notes,
): readonly Json[] {
  const { id, redacted, signature, text } = part;
  const isForeign = line.origin === undefined ? id !== "" : line.origin !== "anthropic";
  if (isForeign || signature === "") {
    dropped(line, "reasoning", notes);
    return [];
  }
  if (redacted) return [{ type: "redacted_thinking", data: signature }];
  return [{ type: "thinking", thinking: text, signature }];
}

function useBlock(part: CallPart): Json {
  return { type: "tool_use", id: part.id, name: part.name, input: argumentsObject(part) };
}

function resultBlock(line: Line, part: ResultPart, notes: Notes): Json {
  const { callId: tool_use_id, isError, parts } = part;
  const [first] = parts;
  const isText = parts.length === 1 && first?.kind === "text";
  const blocks = isText ? [] : parts.flatMap((one) => blocksOfPart(line, one, notes));
  const content = isText ? first.text : blocks.length === 0 ? "" : blocks;
  const block = { type: "tool_result", tool_use_id, content };
  return isError ? { ...block, is_error: true } : block;
}

function contentOf(line: Line, parts: readonly FormPart[], notes: Notes): readonly Json[] {
  if (line.origin !== "anthropic") noteExtras(line, notes);
  return parts.flatMap((part) => blocksOfPart(line, part, notes));
}

/** A single text stands for itself. */
function contentValue(blocks: readonly Json[]): Json {
  const [only] = blocks;
  const isText = blocks.length === 1 && isObject(only) && Object.keys(only).length === 2;
  return isText && only["type"] === "text" ? (only["text"] ?? "") : blocks;
}

function roleName({ role }: FormMessage): string {
  if (role === ROLE.assistant) return "assistant";
  return role === ROLE.system ? "system" : "user";
}

function writeOne(line: Line, notes: Notes): readonly Json[] {
  const blocks = contentOf(line, line.message.parts, notes);
  if (blocks.length === 0 && line.message.parts.length > 0) return [];
  const content = blocks.length === 0 ? "" : contentValue(blocks);
  return [{ role: roleName(line.message), content }];
}

const ID_FORM = /^[A-Za-z0-9_-]{1,64}$/;

function writeWindow(given: readonly Block[], notes: Notes): Written {
  const blocks = callIds(given, { form: ID_FORM, unique: "window", rename: renamed, notes });
  const { system, turns } = alternate(
    blocks,
    {
      contentOf: (line, parts) => contentOf(line, parts, notes),
      resultsOf: ({ results }) => results.map((result) => resultPiece(result, notes)),
      textOf: textBlock,
    },
    notes,
  );
  const marks = capMarks([...system, ...turns.flatMap(({ content }) => content)], notes);
  const elements = turns.map(({ role, exact, content }) =>
    exact !== undefined && !content.some((one) => marks.has(one))
      ? exact
      : JSON.stringify({
          role,
          content: contentValue(content.map((one) => marks.get(one) ?? one)),
        }),
  );
  const prompt = system.map((one) => marks.get(one) ?? one);
  return { elements, system: prompt.length === 0 ? "" : JSON.stringify(prompt) };
}

function resultPiece({ line, part }: BlockResult, notes: Notes): Piece {
  const content =
    line === undefined ? [resultBlock(ADDED, part, notes)] : contentOf(line, [part], notes);
  return { role: "user", line, partCount: 1, content };
}

/** A part with another id of its call. */
function renamed<Part extends CallPart | ResultPart>(part: Part, id: string): Part {
  const [named, written] =
    part.kind === "call" ? [{ id }, { id }] : [{ callId: id }, { tool_use_id: id }];
  const raw = isObject(part.raw) ? { ...part.raw, ...written } : undefined;
  return { ...part, ...named, raw };
}

/** The most blocks with `cache_control` that the API takes. */
const MARKS_MAX = 4;

/** Blocks without their mark for caches, by the block: all but the newest ones that are allowed. */
function capMarks(blocks: readonly Json[], notes: Notes): ReadonlyMap<Json, Json> {
  const marked = blocks.filter((one) => isObject(one) && !isNone(one["cache_control"]));
  const over = marked.slice(0, -MARKS_MAX);
  if (over.length > 0) notes.add("", "attribute-dropped", "cache_control");
  return new Map(over.map((one) => [one, withoutMark(one)]));
}

function withoutMark(block: Json): Json {
  const { cache_control: _, ...rest } = block as JsonObject;
  return rest;
}

/** The Anthropic API. */
export const ANTHROPIC: Form = { provider: "anthropic.messages", read, writeOne, writeWindow };
