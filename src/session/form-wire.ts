// Messages in the forms of model APIs, from requests and to answers. The fields of a message say
// what a form says as far as they can; the element itself is kept as the provider payload, and goes
// out as it came while the fields still say the same.

import { isObject, type JsonObject, parseObject } from "../compat/common/json.ts";
import { refuse } from "../forms/elements.ts";
import type { FormMessage, FormName, FormPart, Line, Note, Source } from "../forms/form.ts";
import {
  formOfProvider,
  providerOf,
  type ReadElement,
  readElements,
  readPayload,
  renderLog,
  renderOne,
  renderWindow,
  type WantedCall,
  wantedCalls,
} from "../forms/forms.ts";
import { textOfPart } from "../forms/writing.ts";
import { checkMessage } from "../gen/checks.ts";
import * as wire from "../gen/memorysidecar/v1/message.ts";
import { numbersByWord } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { jsonDepth, structToJson } from "../grpc/struct.ts";
import { Violations } from "../grpc/violations.ts";
import { formTooLarge } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import { ROLE, type Role } from "../window/rules/types.ts";
import { callsIn } from "./facts-wire.ts";
import { checkNewMessage } from "./message-checks.ts";

const NO_BYTES = Buffer.alloc(0);
const JSON_TYPE = "application/json";
const FIELD = "form_messages";

const FORMS: Readonly<Partial<Record<wire.MessageForm, FormName>>> = {
  [wire.MessageForm.OPENAI_CHAT]: "openai_chat",
  [wire.MessageForm.OPENAI_RESPONSES]: "openai_responses",
  [wire.MessageForm.ANTHROPIC]: "anthropic",
  [wire.MessageForm.GEMINI]: "gemini",
};

/** The form that a request names; undefined for our own. */
export function fromForm(form: wire.MessageForm): FormName | undefined {
  return FORMS[form];
}

// From a request.

/** Messages of a request that gave them in a form. */
export interface FormDrafts {
  readonly messages: readonly wire.Message[];
  /** Results whose calls must be in the window. */
  readonly wanted: readonly WantedCall[];
}

/** The messages of a request: ours, or those in the form that it names. */
export interface GivenMessages {
  readonly form: wire.MessageForm;
  readonly formMessages: Uint8Array;
  readonly messages: readonly wire.Message[];
}

/** Gives the messages of a request, `least` if they are in a form. Throws REQUEST_INVALID. */
export function fromMessages(given: GivenMessages, least: 0 | 1): FormDrafts {
  const form = fromForm(given.form);
  if (form === undefined) return { messages: given.messages, wanted: [] };
  return fromFormMessages(form, given.formMessages, least);
}

/** Gives messages in a form as if a request had brought ours. Throws REQUEST_INVALID. */
export function fromFormMessages(form: FormName, bytes: Uint8Array, least: 0 | 1 = 1): FormDrafts {
  const elements = readElements(form, bytes, { field: FIELD, least });
  const wanted = wantedCalls(elements.map(({ message }) => message));
  return { messages: elements.map((element, index) => toMessage(form, element, index)), wanted };
}

function toMessage(form: FormName, element: ReadElement, index: number): wire.Message {
  const message = fieldsOf(element.message);
  const violations = new Violations();
  violations.enterItem(FIELD, index);
  checkMessage(violations, message);
  checkNewMessage(violations, message);
  const fault = violations.error();
  if (fault !== undefined) throw fault;
  if (!saysAll(form, element, message)) {
    const data = Buffer.from(element.text);
    const { providerPayloadBytes: max } = LIMITS;
    if (data.length > max) {
      const problem = `takes ${data.length} bytes; at most ${max} if Message cannot say all of it`;
      return refuse(`${FIELD}[${index}]`, problem, max);
    }
    message.providerPayload = { provider: providerOf(form), mediaType: JSON_TYPE, data };
  }
  return message;
}

/** Whether the fields alone give the element back byte for byte. */
function saysAll(form: FormName, { message: read, text }: ReadElement, message: wire.Message) {
  // Only the payload says whose reasoning it is.
  if (read.parts.some(({ kind }) => kind === "reasoning")) return false;
  const line = lineOf(message, fromFields(message), undefined);
  return renderOne(form, line) === text;
}

/** The fields of a message as far as they can say it. */
function fieldsOf(read: FormMessage): wire.Message {
  const { name, parts, providerRole, role } = read;
  const message: wire.Message = {
    ...wire.Message.decode(NO_BYTES),
    role: role as wire.Role,
    name,
    providerRole,
  };
  const [only] = parts;
  if (role === ROLE.tool && parts.length === 1 && only?.kind === "result") {
    message.toolCallId = only.callId;
    message.toolError = only.isError;
    setContent(message, only.parts);
    return message;
  }
  const firstCall = parts.findIndex(({ kind }) => kind === "call");
  const calls = firstCall === -1 ? [] : parts.slice(firstCall);
  if (calls.every(({ kind }) => kind === "call")) {
    setContent(message, firstCall === -1 ? parts : parts.slice(0, firstCall));
    message.toolCalls = calls.flatMap((part) => (part.kind === "call" ? [callOf(part)] : []));
  } else setContent(message, parts);
  return message;
}

function setContent(message: wire.Message, parts: readonly FormPart[]): void {
  const [only] = parts;
  const isText = only?.kind === "text" || only?.kind === "refusal";
  if (parts.length === 1 && isText) message.text = only.text;
  else message.parts = parts.map(toPart);
}

function callOf(part: FormPart & { kind: "call" }): wire.ToolCall {
  return { toolCallId: part.id, name: part.name, arguments: part.arguments };
}

function toPart(part: FormPart): wire.ContentPart {
  switch (part.kind) {
    case "image":
      return imagePart(part);
    case "file":
      return jsonPart(JSON.stringify({ file: fileJson(part) }), part);
    case "json":
      return jsonPart(part.text, part);
    case "other":
      return jsonPart(JSON.stringify(part.value), part);
    case "call":
      return { part: { $case: "toolCall", value: callOf(part) } };
    case "reasoning": {
      const { id: reasoningId, redacted, signature, summaries, text } = part;
      const value = { reasoningId, redacted, signature, summaries: [...summaries], text };
      return { part: { $case: "reasoning", value } };
    }
    case "result": {
      const { callId: toolCallId, isError: error, parts } = part;
      const [only] = parts;
      const isText = parts.length === 1 && only?.kind === "text";
      const said = isText ? { text: only.text, parts: [] } : { text: "", parts: parts.map(toPart) };
      return { part: { $case: "toolResult", value: { toolCallId, error, ...said } } };
    }
    default:
      return { part: { $case: "text", value: part.text } };
  }
}

function imagePart(part: FormPart & { kind: "image" }): wire.ContentPart {
  const { detail, mediaType, source } = part;
  if ("url" in source) {
    const value = { source: { $case: "url", value: source.url } as const, mediaType, detail };
    return { part: { $case: "image", value } };
  }
  if ("base64" in source) {
    const value = Buffer.from(source.base64, "base64");
    const image = { source: { $case: "data", value } as const, mediaType, detail };
    return { part: { $case: "image", value: image } };
  }
  return jsonPart(JSON.stringify({ image: fileJson({ ...part, kind: "file", name: "" }) }), part);
}

/** Bytes of a file stay in the payload: as fields they would cost tokens by the thousand. */
function fileJson({ mediaType, name, source }: FormPart & { kind: "file" }) {
  return {
    ...(name === "" ? {} : { name }),
    ...(mediaType === "" ? {} : { media_type: mediaType }),
    ...("base64" in source ? { byte_count: Buffer.byteLength(source.base64, "base64") } : source),
  };
}

/** JSON that the model sees, unless it is too large or too deep: then the name of the thing. */
function jsonPart(text: string, part: FormPart): wire.ContentPart {
  const value = Buffer.from(text);
  const { structDepth, metadataBytes, structuredDataBytes } = LIMITS;
  const max = part.kind === "json" ? structuredDataBytes : metadataBytes;
  const fits = value.length <= max && (jsonDepth(value) ?? Infinity) <= structDepth;
  if (fits) return { part: { $case: "json", value } };
  return { part: { $case: "text", value: part.kind === "json" ? text : textOfPart(part) } };
}

// To an answer.

/** Purpose of written messages: a window for an API, or a log, each by itself. */
export type FormUse = "window" | "log";

/** Gives stored messages in a form. Throws WINDOW_FULL when that takes too many bytes. */
export function toRendered(
  form: wire.MessageForm,
  stored: readonly Uint8Array[],
  use: FormUse,
): wire.RenderedMessages | undefined {
  const name = fromForm(form);
  if (name === undefined) return undefined;
  const lines = stored.map(readLine);
  const { messages, notes, system } = (use === "window" ? renderWindow : renderLog)(name, lines);
  const bytes = { messages: Buffer.from(messages), system: Buffer.from(system) };
  const size = bytes.messages.length + bytes.system.length;
  if (size > LIMITS.renderedBytes) throw formTooLarge(size, LIMITS.renderedBytes);
  const some = notes.slice(0, LIMITS.formNotes).map(toNote);
  return { form, ...bytes, notes: some, totalNoteCount: notes.length };
}

/** The texts that a window gets in a form besides what its messages say. */
export function addedIn(form: FormName, stored: readonly Uint8Array[]): readonly string[] {
  return renderWindow(form, stored.map(readLine)).added;
}

const NOTE_KINDS = numbersByWord(wire.FormNoteKind);

function toNote({ kind, messageId, subject }: Note): wire.FormNote {
  return { messageId, kind: NOTE_KINDS[kind], subject: shortened(subject) };
}

/** A name from the JSON of a caller may have any length. */
function shortened(subject: string): string {
  const bytes = Buffer.from(subject.toWellFormed());
  if (bytes.length <= LIMITS.formSubjectBytes) return bytes.toString();
  return new TextDecoder().decode(bytes.subarray(0, LIMITS.formSubjectBytes), { stream: true });
}

/** A stored message, with its element when the fields say nothing else. */
function readLine(stored: Uint8Array): Line {
  const message = wire.Message.decode(stored);
  const payload = message.providerPayload;
  const origin = payload && formOfProvider(payload.provider);
  const read = payload && origin && untouched(origin, payload.data, message);
  if (read === undefined) return lineOf(message, fromFields(message), origin);
  return { ...lineOf(message, read.message, origin), exact: read.text };
}

function lineOf(message: wire.Message, said: FormMessage, origin: FormName | undefined): Line {
  const { messageId, seq } = message;
  return { messageId, seq: Number(seq), message: said, origin, exact: undefined };
}

/** The element in a payload; undefined when the fields were changed since, or never came of it. */
function untouched(
  form: FormName,
  data: Uint8Array,
  message: wire.Message,
): ReadElement | undefined {
  try {
    const read = readPayload(form, data);
    const fields = encodeWire(wire.Message, saidBy(fieldsOf(read.message)));
    const stored = encodeWire(wire.Message, saidBy(message));
    return Buffer.compare(stored, fields) === 0 ? read : undefined;
  } catch {
    // A payload is whatever a caller sent.
    return undefined;
  }
}

/** A message with nothing but the fields that come from an element. */
function saidBy(message: wire.Message): wire.Message {
  const { name, parts, providerRole, role, text, toolCallId, toolCalls, toolError } = message;
  const empty = wire.Message.decode(NO_BYTES);
  return { ...empty, name, parts, providerRole, role, text, toolCallId, toolCalls, toolError };
}

/** A message as its fields say it. */
function fromFields(message: wire.Message): FormMessage {
  const { agentCalls, name, providerRole, text, toolError } = message;
  const said = [...(text === "" ? [] : [textPart(text)]), ...message.parts.map(fromPart)];
  const inParts = said.some(({ kind }) => kind === "call");
  for (const call of inParts ? [] : callsIn(message)) said.push(fromCall(call));
  const role = message.role as Role;
  const results = said.filter(({ kind }) => kind === "result");
  const isTool = role === ROLE.tool && (results.length === 0 || message.toolCallId !== "");
  const { toolCallId: callId } = message;
  const own = said.filter(({ kind }) => kind !== "result");
  const parts: readonly FormPart[] = isTool
    ? [{ kind: "result", callId, parts: own, isError: toolError }, ...results]
    : said;
  return { role, providerRole, name, parts, extras: agentCalls.length > 0 ? ["agent_calls"] : [] };
}

function textPart(text: string): FormPart {
  return { kind: "text", text };
}

function fromCall({ arguments: text, name, toolCallId: id }: wire.ToolCall): FormPart {
  return { kind: "call", id, name, arguments: text, isCustom: false };
}

function fromPart({ part }: wire.ContentPart): FormPart {
  switch (part?.$case) {
    case "image": {
      const { detail, mediaType, source } = part.value;
      const place =
        source?.$case === "data"
          ? { base64: source.value.toString("base64") }
          : { url: source?.value ?? "" };
      return { kind: "image", source: place, mediaType, detail };
    }
    case "data":
      return { kind: "json", text: structToJson(part.value) };
    case "json":
      return fromJson(part.value.toString());
    case "toolCall":
      return fromCall(part.value);
    case "toolResult": {
      const { error: isError, parts, text, toolCallId: callId } = part.value;
      const said = [...(text === "" ? [] : [textPart(text)]), ...parts.map(fromPart)];
      return { kind: "result", callId, parts: said, isError };
    }
    case "reasoning": {
      const { reasoningId: id, redacted, signature, summaries, text } = part.value;
      return { kind: "reasoning", id, redacted, signature, summaries, text };
    }
    default:
      return textPart(part?.$case === "text" ? part.value : "");
  }
}

/** JSON as such, or the image or the file that it stands for. */
function fromJson(text: string): FormPart {
  const json: FormPart = { kind: "json", text };
  if (!/^{"(file|image)":/.test(text)) return json;
  const entries = Object.entries(parseObject(text) ?? {});
  const [kind, value] = entries[0] ?? [];
  if (entries.length !== 1 || !isObject(value)) return json;
  const { media_type: mediaType = "", name = "", ...rest } = value;
  const source = sourceOf(rest);
  if (source === undefined || typeof mediaType !== "string" || typeof name !== "string") {
    return json;
  }
  if (kind === "file") return { kind, source, mediaType, name };
  return { kind: "image", source, mediaType, detail: "" };
}

function sourceOf(rest: JsonObject): Source | undefined {
  const entries = Object.entries(rest);
  const [key, value] = entries[0] ?? [];
  if (entries.length !== 1) return undefined;
  if (key === "byte_count") return { lost: true };
  if (typeof value !== "string") return undefined;
  if (key === "url") return { url: value };
  return key === "id" ? { id: value } : undefined;
}
