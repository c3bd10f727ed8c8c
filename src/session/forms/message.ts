// Messages of documents between the plain form of the domain and the wire.

import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import {
  isObject,
  isPlain,
  type Json,
  type JsonObject,
  parseJson,
  parseObject,
  plainOf,
} from "../../compat/common/json.ts";
import { readLeftovers } from "../../compat/common/leftovers.ts";
import type {
  Format,
  Leftovers,
  PlainCall,
  PlainMessage,
  PlainPart,
  ReadMessage,
} from "../../compat/common/plain.ts";
import { Struct, Struct_FieldsEntry } from "../../gen/google/protobuf/struct.ts";
import type { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import { type ContentPart, Message, type ToolCall } from "../../gen/memorysidecar/v1/message.ts";
import { structDepth, structToJson } from "../../grpc/struct.ts";
import { snapshotInvalid } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { Role } from "../../window/rules/types.ts";
import { callsIn } from "../facts-wire.ts";

const JSON_TYPE = "application/json";
const NANOS = 1e9;
const NOTHING = Buffer.alloc(0);

/** Gives the wire form of JSON data, as far as it can say it. */
export function toStruct(value: JsonObject): Buffer {
  const plain = plainOf(value) as { [key: string]: Json };
  return Buffer.from(Struct.encode(Struct.wrap(plain)).finish());
}

/**
 * Puts an entry into metadata, or takes that of a format out of it. Others are copied as they are.
 */
export function withKept(
  metadata: Uint8Array,
  format: Format,
  kept: Uint8Array | undefined,
): Uint8Array {
  const writer = new BinaryWriter();
  const copy = (bytes: Uint8Array, except?: string): void => {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      const entry = reader.bytes();
      if (Struct_FieldsEntry.decode(entry).key !== except) writer.uint32(tag).bytes(entry);
    }
  };
  copy(metadata, format.name);
  copy(kept ?? NOTHING);
  return writer.finish();
}

/** Gives what is kept under a name of metadata: JSON text where data cannot say it. */
export function toKept(value: JsonObject): Json {
  return isPlain(value) ? value : JSON.stringify(value);
}

/** Gives JSON data from its wire form. What JSON has no number for becomes null. */
export function fromStruct(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(structToJson(bytes)) as JsonObject;
  } catch {
    return JSON.parse(JSON.stringify(Struct.unwrap(Struct.decode(bytes)))) as JsonObject;
  }
}

function toPart(part: PlainPart): ContentPart {
  switch (part.kind) {
    case "text":
      return { part: { $case: "text", value: part.text } };
    case "image": {
      const { detail, mediaType, source } = part;
      const value = {
        source:
          "url" in source
            ? ({ $case: "url", value: source.url } as const)
            : ({ $case: "data", value: Buffer.from(source.base64, "base64") } as const),
        mediaType,
        detail,
      };
      return { part: { $case: "image", value } };
    }
    case "data": {
      const { value } = part;
      if (isPlain(value)) return { part: { $case: "data", value: toStruct(value) } };
      return { part: { $case: "json", value: Buffer.from(JSON.stringify(value)) } };
    }
    case "call":
      return { part: { $case: "toolCall", value: toCall(part.call) } };
    default: {
      const { error, parts, text, toolCallId } = part;
      const value = { toolCallId, text, parts: parts.map(toPart), error };
      return { part: { $case: "toolResult", value } };
    }
  }
}

function toCall({ id, ...call }: PlainCall): ToolCall {
  return { toolCallId: id, ...call };
}

function fromCall({ toolCallId: id, ...call }: ToolCall): PlainCall {
  return { id, ...call };
}

function fromPart({ part }: ContentPart): readonly PlainPart[] {
  switch (part?.$case) {
    case "text":
      return [{ kind: "text", text: part.value }];
    case "image": {
      const { detail, mediaType, source } = part.value;
      const from =
        source?.$case === "data"
          ? { base64: source.value.toString("base64") }
          : { url: source?.value ?? "" };
      return [{ kind: "image", source: from, mediaType, detail }];
    }
    case "data":
      return [{ kind: "data", value: fromStruct(part.value) }];
    case "toolResult": {
      const { error, parts, text, toolCallId } = part.value;
      return [{ kind: "result", toolCallId, text, parts: parts.flatMap(fromPart), error }];
    }
    case "json": {
      const value = parseObject(part.value.toString());
      return [value ? { kind: "data", value } : { kind: "text", text: part.value.toString() }];
    }
    case "toolCall":
      return [{ kind: "call", call: fromCall(part.value) }];
    default:
      // Reasoning has no place in documents.
      return [];
  }
}

function toTime(seconds: number): Timestamp {
  const whole = Math.floor(seconds);
  const nanos = Math.round((seconds - whole) * NANOS);
  // A fraction that rounds up to a whole second is one.
  return nanos < NANOS
    ? { seconds: BigInt(whole), nanos }
    : { seconds: BigInt(whole + 1), nanos: 0 };
}

/** Gives a message of a document as a request would bring it. Throws SNAPSHOT_INVALID. */
export function toWire(read: ReadMessage, format: Format, path: string): Message {
  const { leftovers, message } = read;
  const { payload, sentSeconds } = message;
  const wire: Message = {
    ...Message.decode(NOTHING),
    messageId: message.messageId,
    role: message.role,
    name: message.name,
    text: message.text,
    parts: message.parts.map(toPart),
    toolCalls: message.parts.some(isCall) ? [] : message.toolCalls.map(toCall),
    agentCalls: message.agentCalls.map((call) => ({ agentCallId: "", ...call })),
    toolCallId: message.toolCallId,
    toolError: message.toolError,
  };
  const { structuredData: data } = message;
  const struct = data !== undefined && isPlain(data) ? toStruct(data) : NOTHING;
  // An empty object takes no bytes as data, and would be none.
  if (struct.length > 0) wire.structuredData = struct;
  else if (data !== undefined) wire.structuredJson = Buffer.from(JSON.stringify(data));
  if (sentSeconds !== undefined) wire.sentTime = toTime(sentSeconds);
  if (payload !== undefined) wire.providerPayload = payloadOf(format.name, payload);
  if (leftovers !== undefined) keepLeftovers(wire, { ...leftovers }, { format, path });
  return wire;
}

function isCall({ kind }: PlainPart): boolean {
  return kind === "call";
}

/** Gives the metadata that keeps leftovers; undefined when they are too large for that. */
function metadataWith(leftovers: Leftovers, format: Format): Buffer | undefined {
  const struct = toStruct({ [format.name]: toKept({ ...leftovers } as JsonObject) });
  const fits = struct.length <= LIMITS.metadataBytes && structDepth(struct) <= LIMITS.structDepth;
  return fits ? struct : undefined;
}

function tooLarge(path: string): never {
  const description = `has other fields of more than ${LIMITS.metadataBytes} bytes`;
  throw snapshotInvalid([{ field: path, description }]);
}

/** Gives the metadata of a summary among the messages. Throws SNAPSHOT_INVALID. */
export function summaryMetadata(
  leftovers: Leftovers | undefined,
  format: Format,
  path: string,
): Uint8Array {
  if (leftovers === undefined) return NOTHING;
  return new Uint8Array(metadataWith(leftovers, format) ?? tooLarge(path));
}

function payloadOf(provider: string, value: unknown): NonNullable<Message["providerPayload"]> {
  return { provider, mediaType: JSON_TYPE, data: Buffer.from(JSON.stringify(value)) };
}

/** Keeps what is left over in the metadata, or as a payload when it is too large for that. */
function keepLeftovers(
  wire: Message,
  leftovers: Leftovers,
  { format, path }: { readonly format: Format; readonly path: string },
): void {
  const metadata = metadataWith(leftovers, format);
  if (metadata !== undefined) wire.metadata = metadata;
  else if (wire.providerPayload !== undefined) tooLarge(path);
  else wire.providerPayload = payloadOf(fieldsProvider(format), leftovers);
}

function fieldsProvider(format: Format): string {
  return `${format.name}.fields`;
}

/** Gives a stored message apart from any format, and what is left over of one. */
export function fromWire(
  message: Message,
  format: Format,
): { readonly message: PlainMessage; readonly leftovers: Leftovers | undefined } {
  const { providerPayload: payload, sentTime } = message;
  const isJson = payload?.mediaType === JSON_TYPE;
  const value = isJson ? parse(payload.data) : undefined;
  const plain: PlainMessage = {
    messageId: message.messageId,
    role: message.role as Role,
    name: message.name,
    text: message.text,
    parts: message.parts.flatMap(fromPart).filter((part) => format.hasCallParts || !isCall(part)),
    toolCalls: callsIn(message).map(fromCall),
    agentCalls: message.agentCalls.map(({ agentName, request }) => ({ agentName, request })),
    toolCallId: message.toolCallId,
    toolError: message.toolError,
    structuredData: structuredIn(message),
    payload: payload?.provider === format.name ? value : undefined,
    sentSeconds:
      sentTime === undefined ? undefined : Number(sentTime.seconds) + sentTime.nanos / NANOS,
  };
  const inMetadata = message.metadata.length === 0 ? undefined : fromStruct(message.metadata);
  const kept = payload?.provider === fieldsProvider(format) ? value : inMetadata?.[format.name];
  return { message: plain, leftovers: kept === undefined ? undefined : readLeftovers(kept) };
}

/** The structured data of a message; a JSON value that is no object has no place in documents. */
function structuredIn({ structuredData, structuredJson }: Message): JsonObject | undefined {
  if (structuredData.length > 0) return fromStruct(structuredData);
  const value = structuredJson.length > 0 ? parse(structuredJson) : undefined;
  return isObject(value) ? value : undefined;
}

function parse(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(Buffer.from(bytes).toString());
  } catch {
    // A payload is whatever a caller sent.
    return undefined;
  }
}
