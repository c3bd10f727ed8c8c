// Reads the few fields of a stored message that the window rules need, and skips the rest.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { TRUST, type Trust } from "../../domain/summaries/summary.ts";
import { ROLE, type Role, type WindowFacts } from "../../domain/window/types.ts";
import { QUARTERS } from "../../lib/token-quarters.ts";

// The fields of Message, of what it holds, and of Timestamp by number, as in message.proto.
const MESSAGE_ID = 1;
const ROLE_FIELD = 3;
const TEXT = 5;
const PARTS = 6;
const TOOL_CALLS = 7;
const TOOL_CALL_ID = 9;
const TOKEN_COUNT = 15;
const TRUST_FIELD = 19;
const CREATE_TIME = 21;
/** Stored only; see lib/token-quarters.ts. */
const TOKEN_QUARTERS = 24;
const ID_IN_CALL_OR_RESULT = 1;
const TOOL_RESULT_IN_PART = 4;
const TOOL_CALL_IN_PART = 5;
const SECONDS = 1;
const NANOS = 2;

const MS_PER_SECOND = 1_000;
const NANOS_PER_MS = 1_000_000;

const NO_IDS: readonly string[] = [];

/** Reads the id of a tool call or of a tool result; the reader stands before its length. */
function readId(reader: BinaryReader): string {
  const end = reader.uint32() + reader.pos;
  let id = "";
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === ID_IN_CALL_OR_RESULT) id = reader.string();
    else reader.skip(tag & 7);
  }
  return id;
}

// What the last part that was read refers to. Kept here instead of returned: no object is made for
// each part.
let partKind = 0;
let partId = "";

/** Reads which call a part makes or answers; the kind is the number of its field. */
function readPart(reader: BinaryReader): void {
  const end = reader.uint32() + reader.pos;
  partKind = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    partKind = tag >>> 3;
    if (partKind === TOOL_RESULT_IN_PART || partKind === TOOL_CALL_IN_PART) partId = readId(reader);
    else reader.skip(tag & 7);
  }
}

/** Moves over a text; true when it is not empty. */
function skipText(reader: BinaryReader): boolean {
  const length = reader.uint32();
  reader.pos += length;
  return length > 0;
}

/** Reads a time after 1970 as milliseconds, without a bigint for its seconds. */
function readTime(reader: BinaryReader, bytes: Uint8Array): number {
  const end = reader.uint32() + reader.pos;
  let seconds = 0;
  let nanos = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === SECONDS) {
      let scale = 1;
      let byte = 0;
      do {
        byte = bytes[reader.pos++] ?? 0;
        seconds += (byte & 0x7f) * scale;
        scale *= 0x80;
      } while (byte >= 0x80);
    } else if (tag >>> 3 === NANOS) nanos = reader.int32();
    else reader.skip(tag & 7);
  }
  return seconds * MS_PER_SECOND + nanos / NANOS_PER_MS;
}

function add(ids: string[] | undefined, id: string): string[] {
  if (ids === undefined) return [id];
  ids.push(id);
  return ids;
}

/** Reads what the window rules need to know of a stored message. Throws on damaged bytes. */
export function readFacts(bytes: Uint8Array): WindowFacts {
  const reader = new BinaryReader(bytes);
  let messageId = "";
  let role: Role = ROLE.user;
  let callIds: string[] | undefined;
  let toolCallId = "";
  let results: string[] | undefined;
  let hasMore = false;
  let tokenCount = 0;
  let createMs = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case MESSAGE_ID:
        messageId = reader.string();
        break;
      case ROLE_FIELD:
        role = reader.int32() as Role;
        break;
      case TEXT:
        hasMore = skipText(reader) || hasMore;
        break;
      case PARTS:
        readPart(reader);
        if (partKind === TOOL_RESULT_IN_PART) results = add(results, partId);
        else hasMore = true;
        if (partKind === TOOL_CALL_IN_PART) callIds = add(callIds, partId);
        break;
      case TOOL_CALLS:
        callIds = add(callIds, readId(reader));
        break;
      case TOOL_CALL_ID:
        toolCallId = reader.string();
        break;
      case TOKEN_COUNT:
        tokenCount += reader.int32();
        break;
      case CREATE_TIME:
        createMs = readTime(reader, bytes);
        break;
      case TOKEN_QUARTERS:
        tokenCount += reader.int32() / QUARTERS;
        break;
      default:
        reader.skip(tag & 7);
    }
  }
  if (reader.pos > reader.len) throw new RangeError("A message ends in the middle of a field.");
  return {
    messageId,
    role,
    callIds: callIds ?? NO_IDS,
    answers: answersOf(toolCallId, results),
    isResult: role === ROLE.tool || (role === ROLE.user && results !== undefined && !hasMore),
    tokenCount,
    createMs,
  };
}

/** Reads how far a stored message may be trusted; one that does not say, as little as possible. */
export function readTrust(bytes: Uint8Array): Trust {
  const reader = new BinaryReader(bytes);
  let trust = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === TRUST_FIELD) trust = reader.int32();
    else reader.skip(tag & 7);
  }
  return trust === TRUST.high || trust === TRUST.medium ? trust : TRUST.low;
}

/** The ids that a message answers: its own and those of its parts. */
export function answersOf(
  toolCallId: string,
  results: readonly string[] | undefined,
): readonly string[] {
  if (toolCallId === "") return results ?? NO_IDS;
  return results === undefined ? [toolCallId] : [toolCallId, ...results];
}
