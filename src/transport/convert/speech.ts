// Reads what was said and when from a stored message, and skips the rest.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import type { Speech } from "../../service/api.ts";
import { fromTimestamp } from "./time.ts";

// The fields of Message and ContentPart by number, as in message.proto.
const TEXT = 5;
const PARTS = 6;
const SENT_TIME = 17;
const CREATE_TIME = 21;
const TEXT_IN_PART = 1;

/** Reads the text and the text parts of a stored message. Throws on damaged bytes. */
export function readSpeech(bytes: Uint8Array): Speech {
  const reader = new BinaryReader(bytes);
  const texts: string[] = [];
  let sentMs: number | undefined;
  let createMs = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case TEXT:
        texts.push(reader.string());
        break;
      case PARTS:
        readPart(reader, texts);
        break;
      case SENT_TIME:
        sentMs = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
        break;
      case CREATE_TIME:
        createMs = fromTimestamp(Timestamp.decode(reader, reader.uint32()));
        break;
      default:
        reader.skip(tag & 7);
    }
  }
  return { text: texts.join("\n"), saidMs: sentMs ?? createMs };
}

function readPart(reader: BinaryReader, texts: string[]): void {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === TEXT_IN_PART) texts.push(reader.string());
    else reader.skip(tag & 7);
  }
}
