// Reads the few fields of a stored message that the window rules need, and skips the rest.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { MadeMessage } from "../core/codec.ts";
import * as wire from "../gen/memorysidecar/v1/message.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { structToJson } from "../grpc/struct.ts";
import { toTimestamp } from "../grpc/time.ts";
import { QUARTERS, withQuarters } from "../kit/token-quarters.ts";
import { TRUST, type Trust } from "../summary/rules/summary.ts";
import type { CountedContent } from "../window/policy/token-rules.ts";
import { codePointsOf } from "../window/policy/tokens.ts";
import { shortenText, shortenToHead } from "../window/rules/shorten.ts";
import { ROLE, type Role, type WindowFacts } from "../window/rules/types.ts";

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
/** Stored only; see kit/token-quarters.ts. */
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

// References of the last part that was read. Kept here instead of returned: no object is made for
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

// Wire forms that the server makes: shortened messages, placed summaries and filled results.

const NOTHING = new Uint8Array(0);

/** Gives the stored form of a message that costs so many tokens. */
export function encodeStored(message: wire.Message, tokenCount: number): Uint8Array {
  message.tokenCount = Math.floor(tokenCount);
  return withQuarters(encodeWire(wire.Message, message), tokenCount);
}

/** Replaces every text of the content, in order. */
function mapTexts(message: wire.Message, change: (text: string) => string): void {
  if (message.text !== "") message.text = change(message.text);
  mapParts(message.parts, change);
}

function mapParts(parts: readonly wire.ContentPart[], change: (text: string) => string): void {
  for (const { part } of parts) {
    if (part?.$case === "text") part.value = change(part.value);
    else if (part?.$case === "toolResult") {
      if (part.value.text !== "") part.value.text = change(part.value.text);
      mapParts(part.value.parts, change);
    }
  }
}

/**
 * Gives every text an equal share of what may stay; what short texts leave goes to the longer ones.
 */
function sharesOf(lengths: readonly number[], keptChars: number): readonly number[] {
  const shares = new Array<number>(lengths.length).fill(0);
  const order = lengths.map((_, index) => index);
  order.sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  let left = keptChars;
  for (const [done, index] of order.entries()) {
    const share = Math.min(lengths[index] ?? 0, Math.floor(left / (order.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

/**
 * Gives the wire form of a stored message with its texts cut to about `keptChars` code points in
 * all. Data, images, calls and provider payload stay as they are.
 */
export function shortenMessage(
  bytes: Uint8Array,
  keptChars: number,
  tokenCount: number,
  marker?: string,
): Uint8Array {
  const message = wire.Message.decode(bytes);
  const lengths: number[] = [];
  mapTexts(message, (text) => {
    lengths.push(codePointsOf(text));
    return text;
  });
  const shares = sharesOf(lengths, keptChars);
  let index = 0;
  mapTexts(message, (text) => {
    const share = shares[index] ?? 0;
    const isWhole = share >= (lengths[index] ?? 0);
    index += 1;
    if (isWhole) return text;
    return marker === undefined ? shortenText(text, share) : shortenToHead(text, share, marker);
  });
  return encodeStored(message, tokenCount);
}

/**
 * Gives the wire form of a stored message with a text behind its own: behind the last text part
 * where it has such, else behind its text.
 */
export function appendText(bytes: Uint8Array, suffix: string, tokenCount: number): Uint8Array {
  const message = wire.Message.decode(bytes);
  const last = message.parts.findLast(({ part }) => part?.$case === "text")?.part;
  if (last?.$case === "text") last.value += suffix;
  else message.text += suffix;
  return encodeStored(message, tokenCount);
}

/**
 * Gives the wire form of a message that stands in the window only. What shows a summary is a
 * model's, whatever its role; a filled result is a failed answer of its tool, unless it says else.
 */
export function encodeMade(made: MadeMessage): Uint8Array {
  const isResult = made.kind === "result";
  const isCall = made.kind === "call";
  const message: wire.Message = {
    ...wire.Message.decode(NOTHING),
    messageId: made.messageId,
    role: made.role,
    name: isCall ? "" : made.name,
    text: made.text,
    toolCallId: isResult ? made.toolCallId : "",
    toolError: isResult && made.succeeded !== true,
    source: isResult ? wire.Source.TOOL : wire.Source.MODEL,
    trust: made.trust,
    metadata: Buffer.from(made.metadata ?? NOTHING),
  };
  if (isCall) {
    const { arguments: given = "", name, toolCallId } = made;
    message.toolCalls = [{ toolCallId, name, arguments: given }];
  }
  if (made.createMs !== 0) {
    message.createTime = toTimestamp(made.createMs);
    message.updateTime = message.createTime;
  }
  return encodeStored(message, made.tokenCount);
}

// Counted content of a message, and the tool calls it answers.

type Parts = readonly wire.ContentPart[];

function addTexts(texts: string[], text: string, parts: Parts): void {
  if (text !== "") texts.push(text);
  for (const { part } of parts) {
    if (part?.$case === "text") texts.push(part.value);
    else if (part?.$case === "data") texts.push(structToJson(part.value));
    else if (part?.$case === "json") texts.push(part.value.toString());
    else if (part?.$case === "toolResult") addTexts(texts, part.value.text, part.value.parts);
    else if (part?.$case === "reasoning") addReasoning(texts, part.value);
  }
}

function addReasoning(texts: string[], { text, summaries }: wire.Reasoning): void {
  for (const one of [text, ...summaries]) if (one !== "") texts.push(one);
}

/** Gives the tool calls of a message, which stand in one place or the other. */
export function callsIn({ parts, toolCalls }: wire.Message): readonly wire.ToolCall[] {
  if (parts.length === 0 || toolCalls.length > 0) return toolCalls;
  return parts.flatMap(({ part }) => (part?.$case === "toolCall" ? [part.value] : []));
}

/** Counts the images of parts, those of tool results included. */
export function countImages(parts: Parts): number {
  let count = 0;
  for (const { part } of parts) {
    if (part?.$case === "image") count += 1;
    else if (part?.$case === "toolResult") count += countImages(part.value.parts);
  }
  return count;
}

/** Gives the tool results among parts; undefined for none. */
export function resultsIn(parts: Parts): readonly wire.ToolResult[] | undefined {
  let results: wire.ToolResult[] | undefined;
  for (const { part } of parts) {
    if (part?.$case !== "toolResult") continue;
    results ??= [];
    results.push(part.value);
  }
  return results;
}

/** Takes a message apart for the token rules. */
export function countedContent(message: wire.Message): CountedContent {
  const content: string[] = [];
  addTexts(content, message.text, message.parts);
  const calls = callsIn(message).map((call) => ({ name: call.name, body: call.arguments }));
  for (const call of message.agentCalls) calls.push({ name: call.agentName, body: call.request });
  return {
    content,
    calls,
    name: message.name,
    hasCallId: message.toolCallId !== "",
    imageCount: message.parts.length === 0 ? 0 : countImages(message.parts),
  };
}
