// Reads the content of a stored message as conditions, duplicates, shortening and search see it.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { MessageDetail } from "../../domain/window/types.ts";
import { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import type { Speech } from "../../service/api.ts";
import { fromTimestamp } from "./time.ts";

// The fields of Message, ContentPart, ToolResult and ToolCall by number, as in message.proto.
const MESSAGE = { name: 4, text: 5, parts: 6, toolCalls: 7, sentTime: 17, createTime: 21 } as const;
const PART = { text: 1, toolResult: 4 } as const;
const RESULT = { text: 2, parts: 3 } as const;
const CALL = { id: 1, name: 2, arguments: 3 } as const;

type Call = MessageDetail["toolCalls"][number];

const NO_CALLS: readonly Call[] = [];

/** Adds the text of a part, and those of a tool result if they are wanted. */
function readPart(reader: BinaryReader, texts: string[], withResults: boolean): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === PART.text) addText(texts, reader.string());
    else if (withResults && tag >>> 3 === PART.toolResult) readResult(reader, texts);
    else reader.skip(tag & 7);
  }
}

function readResult(reader: BinaryReader, texts: string[]): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === RESULT.text) addText(texts, reader.string());
    else if (tag >>> 3 === RESULT.parts) readPart(reader, texts, true);
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
 * Reads the texts, the name and the tool calls of a stored message; data and images are no text.
 * Throws on damaged bytes.
 */
export function readDetail(bytes: Uint8Array): MessageDetail {
  const reader = new BinaryReader(bytes);
  const texts: string[] = [];
  let name = "";
  let toolCalls: Call[] | undefined;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case MESSAGE.name:
        name = reader.string();
        break;
      case MESSAGE.text:
        addText(texts, reader.string());
        break;
      case MESSAGE.parts:
        readPart(reader, texts, true);
        break;
      case MESSAGE.toolCalls:
        toolCalls ??= [];
        toolCalls.push(readCall(reader));
        break;
      default:
        reader.skip(tag & 7);
    }
  }
  return { content: join(texts), name, toolCalls: toolCalls ?? NO_CALLS };
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
        readPart(reader, texts, false);
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
