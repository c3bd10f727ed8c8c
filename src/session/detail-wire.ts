// Reads the content of a stored message as conditions, duplicates, shortening and search see it.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { Speech } from "../core/codec.ts";
import { Timestamp } from "../gen/google/protobuf/timestamp.ts";
import { structToJson } from "../grpc/struct.ts";
import { fromTimestamp } from "../grpc/time.ts";
import type { MessageDetail } from "../window/rules/types.ts";

// The fields of Message and what it holds by number, as in message.proto.
const MESSAGE = {
  ...{ name: 4, text: 5, parts: 6, toolCalls: 7, agentCalls: 8 },
  ...{ sentTime: 17, createTime: 21 },
} as const;
const PART = {
  ...{ text: 1, image: 2, data: 3, toolResult: 4 },
  ...{ toolCall: 5, reasoning: 6, json: 7 },
} as const;
const RESULT = { text: 2, parts: 3 } as const;
const CALL = { id: 1, name: 2, arguments: 3 } as const;
// The texts that cost tokens: text and summaries of reasoning, name and request of an agent's call.
const COUNTED_REASONING = [1, 2];
const COUNTED_AGENT_CALL = [2, 3];

type Call = MessageDetail["toolCalls"][number];

const NO_CALLS: readonly Call[] = [];

/** Details of parts. */
interface Found {
  readonly texts: string[];
  images: number;
  /** The characters of data, of reasoning and of calls of agents. */
  chars: number;
  calls: Call[] | undefined;
}

/** Adds what a part holds. */
function readPart(reader: BinaryReader, found: Found): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case PART.text:
        addText(found.texts, reader.string());
        break;
      case PART.image:
        found.images += 1;
        reader.skip(tag & 7);
        break;
      case PART.data:
        found.chars += lengthOfJson(reader.bytes());
        break;
      case PART.json:
        found.chars += reader.string().length;
        break;
      case PART.toolResult:
        readResult(reader, found);
        break;
      case PART.toolCall:
        addCall(found, readCall(reader));
        break;
      case PART.reasoning:
        found.chars += readChars(reader, COUNTED_REASONING);
        break;
      default:
        reader.skip(tag & 7);
    }
  }
}

/** Adds the text of a part that is one. */
function readTextPart(reader: BinaryReader, texts: string[]): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === PART.text) addText(texts, reader.string());
    else reader.skip(tag & 7);
  }
}

function addCall(found: Found, call: Call): void {
  found.calls ??= [];
  found.calls.push(call);
}

/** The characters of the texts in some fields of a message within. */
function readChars(reader: BinaryReader, fields: readonly number[]): number {
  const end = reader.uint32() + reader.pos;
  let chars = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (fields.includes(tag >>> 3)) chars += reader.string().length;
    else reader.skip(tag & 7);
  }
  return chars;
}

/** In UTF-16 units, which come close enough to characters here. */
function lengthOfJson(struct: Uint8Array): number {
  return structToJson(struct).length;
}

function readResult(reader: BinaryReader, found: Found): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === RESULT.text) addText(found.texts, reader.string());
    else if (tag >>> 3 === RESULT.parts) readPart(reader, found);
    else reader.skip(tag & 7);
  }
}

function addText(texts: string[], text: string): void {
  if (text !== "") texts.push(text);
}

function readCall(reader: BinaryReader): Call {
  const end = reader.uint32() + reader.pos;
  const call = { id: "", name: "", arguments: "" };
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === CALL.id) call.id = reader.string();
    else if (tag >>> 3 === CALL.name) call.name = reader.string();
    else if (tag >>> 3 === CALL.arguments) call.arguments = reader.string();
    else reader.skip(tag & 7);
  }
  return call;
}

/**
 * Reads the texts, the name and the tool calls of a stored message, and whether it holds more; data
 * and images are no text. Throws on damaged bytes.
 */
export function readDetail(bytes: Uint8Array): MessageDetail {
  const reader = new BinaryReader(bytes);
  const found: Found = { texts: [], images: 0, chars: 0, calls: undefined };
  let name = "";
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case MESSAGE.name:
        name = reader.string();
        break;
      case MESSAGE.text:
        addText(found.texts, reader.string());
        break;
      case MESSAGE.parts:
        readPart(reader, found);
        break;
      case MESSAGE.toolCalls:
        addCall(found, readCall(reader));
        break;
      case MESSAGE.agentCalls:
        found.chars += readChars(reader, COUNTED_AGENT_CALL);
        break;
      default:
        reader.skip(tag & 7);
    }
  }
  const { texts, images, chars, calls } = found;
  const detail = { content: join(texts), name, toolCalls: calls ?? NO_CALLS };
  return images + chars === 0 ? detail : { ...detail, rest: { images, chars } };
}

function join(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? "") : texts.join("\n");
}

/** Reads what a stored message says without its tool results, and when. Throws on damaged bytes. */
export function readSpeech(bytes: Uint8Array): Speech {
  const reader = new BinaryReader(bytes);
  const texts: string[] = [];
  let sentTime: Timestamp | undefined;
  let createTime: Timestamp | undefined;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case MESSAGE.text:
        addText(texts, reader.string());
        break;
      case MESSAGE.parts:
        readTextPart(reader, texts);
        break;
      case MESSAGE.sentTime:
        sentTime = Timestamp.decode(reader, reader.uint32());
        break;
      case MESSAGE.createTime:
        createTime = Timestamp.decode(reader, reader.uint32());
        break;
      default:
        reader.skip(tag & 7);
    }
  }
  const said = sentTime ?? createTime;
  return { text: join(texts), saidMs: said === undefined ? 0 : fromTimestamp(said) };
}
