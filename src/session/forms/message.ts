// Messages of documents between the plain form of the domain and the wire.

import { snapshotInvalid } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { JsonObject } from "../../domain/snapshots/json.ts";
import type {
  Leftovers,
  PlainMessage,
  PlainPart,
  ReadMessage,
} from "../../domain/snapshots/plain.ts";
import type { Role } from "../../domain/window/types.ts";
import { Struct } from "../../gen/google/protobuf/struct.ts";
import type { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import { type ContentPart, Message } from "../../gen/memorysidecar/v1/message.ts";
import type { DocumentFormat } from "../../service/snapshot-api.ts";
import { callsIn } from "../convert/counted.ts";
import { structToJson } from "../convert/struct-json.ts";
import { structDepth } from "../validate/struct.ts";

const JSON_TYPE = "application/json";
const NANOS = 1e9;
const NOTHING = new Uint8Array(0);

/** Gives the wire form of JSON data. */
export function toStruct(value: JsonObject): Buffer {
  return Buffer.from(Struct.encode(Struct.wrap(value)).finish());
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
    case "data":
      return { part: { $case: "data", value: toStruct(part.value) } };
    default: {
      const { error, parts, text, toolCallId } = part;
      const value = { toolCallId, text, parts: parts.map(toPart), error };
      return { part: { $case: "toolResult", value } };
    }
  }
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
      const value = objectIn(part.value);
      return [value ? { kind: "data", value } : { kind: "text", text: part.value.toString() }];
    }
    default:
      // Calls stand beside the parts; reasoning has no place in documents.
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
export function toWire(read: ReadMessage, format: DocumentFormat, path: string): Message {
  const { leftovers, message } = read;
  const { payload, sentSeconds } = message;
  const wire: Message = {
    ...Message.decode(NOTHING),
    messageId: message.messageId,
    role: message.role,
    name: message.name,
    text: message.text,
    parts: message.parts.map(toPart),
    toolCalls: message.toolCalls.map(({ id, ...call }) => ({ toolCallId: id, ...call })),
    agentCalls: message.agentCalls.map((call) => ({ agentCallId: "", ...call })),
    toolCallId: message.toolCallId,
    toolError: message.toolError,
  };
  if (message.structuredData !== undefined) wire.structuredData = toStruct(message.structuredData);
  if (sentSeconds !== undefined) wire.sentTime = toTime(sentSeconds);
  if (payload !== undefined) wire.providerPayload = payloadOf(format, payload);
  if (leftovers !== undefined) keepLeftovers(wire, { ...leftovers }, { format, path });
  return wire;
}

function payloadOf(provider: string, value: unknown): NonNullable<Message["providerPayload"]> {
  return { provider, mediaType: JSON_TYPE, data: Buffer.from(JSON.stringify(value)) };
}

/** Keeps what is left over in the metadata, or as a payload when it is too large for that. */
function keepLeftovers(
  wire: Message,
  leftovers: Record<string, unknown>,
  { format, path }: { readonly format: DocumentFormat; readonly path: string },
): void {
  const struct = toStruct({ [format]: leftovers as JsonObject });
  if (struct.length <= LIMITS.metadataBytes && structDepth(struct) <= LIMITS.structDepth) {
    wire.metadata = struct;
  } else if (wire.providerPayload === undefined) {
    wire.providerPayload = payloadOf(fieldsProvider(format), leftovers);
  } else {
    const description = `has other fields of more than ${LIMITS.metadataBytes} bytes`;
    throw snapshotInvalid([{ field: path, description }]);
  }
}

function fieldsProvider(format: DocumentFormat): string {
  return `${format}.fields`;
}

/** Gives a stored message apart from any format, and what is left over of one. */
export function fromWire(
  message: Message,
  format: DocumentFormat,
): { readonly message: PlainMessage; readonly leftovers: Leftovers | undefined } {
  const { providerPayload: payload, sentTime } = message;
  const isJson = payload?.mediaType === JSON_TYPE;
  const value = isJson ? parse(payload.data) : undefined;
  const plain: PlainMessage = {
    messageId: message.messageId,
    role: message.role as Role,
    name: message.name,
    text: message.text,
    parts: message.parts.flatMap(fromPart),
    toolCalls: callsIn(message).map(({ toolCallId: id, ...call }) => ({ id, ...call })),
    agentCalls: message.agentCalls.map(({ agentName, request }) => ({ agentName, request })),
    toolCallId: message.toolCallId,
    toolError: message.toolError,
    structuredData: structuredIn(message),
    payload: payload?.provider === format ? (value as PlainMessage["payload"]) : undefined,
    sentSeconds:
      sentTime === undefined ? undefined : Number(sentTime.seconds) + sentTime.nanos / NANOS,
  };
  const inMetadata = message.metadata.length === 0 ? undefined : fromStruct(message.metadata);
  const kept = payload?.provider === fieldsProvider(format) ? value : inMetadata?.[format];
  return { message: plain, leftovers: leftoversIn(kept) };
}

/** The structured data of a message; a JSON value that is no object has no place in documents. */
function structuredIn({ structuredData, structuredJson }: Message): JsonObject | undefined {
  if (structuredData.length > 0) return fromStruct(structuredData);
  return structuredJson.length > 0 ? objectIn(structuredJson) : undefined;
}

function objectIn(json: Uint8Array): JsonObject | undefined {
  const value = parse(json);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : undefined;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    // A payload is whatever a caller sent.
    return undefined;
  }
}

/** Anybody may have written there: only what has the right form counts. */
function leftoversIn(value: unknown): Leftovers | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { absent, fields, shape } = value as Record<string, unknown>;
  const isFields = typeof fields === "object" && fields !== null && !Array.isArray(fields);
  return {
    ...(typeof shape === "string" ? { shape } : {}),
    ...(Array.isArray(absent) ? { absent: absent.map(String) } : {}),
    ...(isFields ? { fields: fields as JsonObject } : {}),
  };
}
