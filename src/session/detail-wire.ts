// Reads the content of a stored message as conditions, duplicates, shortening and search see it.

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { Speech } from "../core/codec.ts";
import { Timestamp } from "../gen/google/protobuf/timestamp.ts";
import { structToJson } from "../grpc/struct.ts";
import { fromTimestamp } from "../grpc/time.ts";
import {
  aText,
  fieldTable,
  type ReadField,
  readFields,
  readMessageField,
} from "../grpc/wire-fields.ts";
import type { MessageDetail } from "../window/rules/types.ts";

const NO_CALL = { id: "", name: "", arguments: "" };
const NO_CALLS: readonly Call[] = [];

type Call = MessageDetail["toolCalls"][number];

/** Details of a message. */
interface Found {
  texts: string[];
  name: string;
  images: number;
  /** The characters of data, of reasoning and of calls of agents. */
  chars: number;
  calls: Call[] | undefined;
}

// The fields of Message and what it holds by number, as in message.proto.

const CALL = fieldTable<typeof NO_CALL>(
  [1, "id", aText],
  [2, "name", aText],
  [3, "arguments", aText],
);

const plusCall: ReadField<Call[] | undefined> = (reader, calls = []) => {
  calls.push(readMessageField(reader, CALL, { ...NO_CALL }));
  return calls;
};

const plusText: ReadField<string[]> = (reader, texts) => {
  const text = reader.string();
  if (text !== "") texts.push(text);
  return texts;
};

const plusChars: ReadField<number> = (reader, chars) => chars + reader.string().length;

/** Adds the characters of two texts of a message within. */
function plusCharsOf(one: number, other: number): ReadField<number> {
  const table = fieldTable<{ chars: number }>(
    [one, "chars", plusChars],
    [other, "chars", plusChars],
  );
  return (reader, chars) => readMessageField(reader, table, { chars }).chars;
}

/** Adds the characters of data in UTF-16 units, which come close enough to characters here. */
const plusData: ReadField<number> = (reader, chars) => chars + structToJson(reader.bytes()).length;

const plusImage: ReadField<number> = (reader, images) => {
  reader.skip(WireType.LengthDelimited);
  return images + 1;
};

const plusResult: ReadField<string[], Found> = (reader, _, found) =>
  readMessageField(reader, RESULT, found).texts;

const PART = fieldTable<Found>(
  [1, "texts", plusText],
  [2, "images", plusImage],
  [3, "chars", plusData],
  [4, "texts", plusResult],
  [5, "calls", plusCall],
  // The texts and the summaries of reasoning cost tokens.
  [6, "chars", plusCharsOf(1, 2)],
  [7, "chars", plusChars],
);

const plusPart: ReadField<string[], Found> = (reader, _, found) =>
  readMessageField(reader, PART, found).texts;

const RESULT = fieldTable<Found>([2, "texts", plusText], [3, "texts", plusPart]);

const MESSAGE = fieldTable<Found>(
  [4, "name", aText],
  [5, "texts", plusText],
  [6, "texts", plusPart],
  [7, "calls", plusCall],
  // So do the name and the request of an agent's call.
  [8, "chars", plusCharsOf(2, 3)],
);

/**
 * Reads the texts, the name and the tool calls of a stored message, and whether it holds more; data
 * and images are no text. Throws on damaged bytes.
 */
export function readDetail(bytes: Uint8Array): MessageDetail {
  const none: Found = { texts: [], name: "", images: 0, chars: 0, calls: undefined };
  const found = readFields(new BinaryReader(bytes), MESSAGE, none);
  const { texts, name, images, chars, calls } = found;
  const detail = { content: join(texts), name, toolCalls: calls ?? NO_CALLS };
  return images + chars === 0 ? detail : { ...detail, rest: { images, chars } };
}

function join(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] ?? "") : texts.join("\n");
}

const TEXT_PART = fieldTable<{ texts: string[] }>([1, "texts", plusText]);

const plusTextPart: ReadField<string[]> = (reader, texts) =>
  readMessageField(reader, TEXT_PART, { texts }).texts;

const readTimestamp = (reader: BinaryReader): Timestamp =>
  Timestamp.decode(reader, reader.uint32());

const SPEECH = fieldTable<{ texts: string[]; sentTime?: Timestamp; createTime?: Timestamp }>(
  [5, "texts", plusText],
  [6, "texts", plusTextPart],
  [17, "sentTime", readTimestamp],
  [21, "createTime", readTimestamp],
);

/** Reads what a stored message says without its tool results, and when. Throws on damaged bytes. */
export function readSpeech(bytes: Uint8Array): Speech {
  const speech = readFields(new BinaryReader(bytes), SPEECH, { texts: [] });
  const said = speech.sentTime ?? speech.createTime;
  return { text: join(speech.texts), saidMs: said === undefined ? 0 : fromTimestamp(said) };
}
