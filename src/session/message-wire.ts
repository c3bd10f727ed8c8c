// Messages between the wire and the service. A stored message is its public wire form with the
// fields of the server filled in, so that answers hold it as it is.

import { isDeepStrictEqual } from "node:util";
import type {
  MergedMessage,
  MessageChanges,
  MessageDraft,
  MessageStamp,
  PlainMessage,
} from "../core/codec.ts";
import * as history from "../gen/memorysidecar/v1/history.ts";
import * as wire from "../gen/memorysidecar/v1/message.ts";
import { AppendMessagesResponse } from "../gen/memorysidecar/v1/session_service.ts";
import { numbersByWord } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { changedPaths } from "../grpc/mask.ts";
import { spliceMessages } from "../grpc/splice.ts";
import { fromTimestamp, toTimestamp } from "../grpc/time.ts";
import { Violations } from "../grpc/violations.ts";
import { requestInvalid } from "../kit/errors.ts";
import type { Etags } from "../kit/etag.ts";
import { takeIds } from "../kit/id-list.ts";
import { QUARTERS, quartersOf } from "../kit/token-quarters.ts";
import { memoryIdRoom } from "../memory/wire.ts";
import { toOutcome } from "../records/wire.ts";
import type { FoundMessage } from "../store/store.ts";
import { ROLE, type Role } from "../window/rules/types.ts";
import { messageTokenRule, toTokenRule } from "../window/token-rule-wire.ts";
import { toStageRuns, toTotals, toTrim } from "../window/wire.ts";
import type { AppendResult } from "./api.ts";
import { MESSAGE_FIELDS, MESSAGE_MASK, type MessagePath } from "./checks.ts";
import {
  answersOf,
  callsIn,
  countedContent,
  countImages,
  encodeStored,
  resultsIn,
} from "./facts-wire.ts";
import { checkRole } from "./message-checks.ts";

const NO_IDS: readonly string[] = [];
const NO_BYTES = Buffer.alloc(0);

type MessageField = (typeof MESSAGE_FIELDS)[MessagePath];

/** Whether the value of a field is not the one of a message without it. */
function isSet(value: wire.Message[MessageField]): boolean {
  if (value === undefined || value === "" || value === false) return false;
  if (value instanceof Map) return value.size > 0;
  return Array.isArray(value) || value instanceof Uint8Array ? value.length > 0 : true;
}

/** The paths whose change makes the server count tokens anew. */
const COUNTED_PATHS: ReadonlySet<string> = new Set([
  "text",
  "parts",
  "tool_calls",
  "agent_calls",
] satisfies MessagePath[]);

const SOURCES = {
  [ROLE.user]: wire.Source.USER,
  [ROLE.assistant]: wire.Source.MODEL,
  [ROLE.system]: wire.Source.SYSTEM,
  [ROLE.tool]: wire.Source.TOOL,
} as const satisfies Readonly<Record<Role, wire.Source>>;

const TRUSTS = {
  [ROLE.user]: wire.Trust.MEDIUM,
  [ROLE.assistant]: wire.Trust.MEDIUM,
  [ROLE.system]: wire.Trust.HIGH,
  [ROLE.tool]: wire.Trust.LOW,
} as const satisfies Readonly<Record<Role, wire.Trust>>;

/** Provenance and trust of content by role: tool output never ranks above low. */
function setOrigin(message: wire.Message, draft: MessageDraft): void {
  const { role } = draft;
  message.source = draft.isResult ? wire.Source.TOOL : SOURCES[role];
  message.trust = draft.isResult || draft.answers.length > 0 ? wire.Trust.LOW : TRUSTS[role];
}

function failedIds(
  message: wire.Message,
  results: readonly wire.ToolResult[] | undefined,
): readonly string[] {
  const own = message.toolError && message.toolCallId !== "" ? message.toolCallId : "";
  const failed = results?.filter((result) => result.error).map((result) => result.toolCallId);
  return answersOf(own, failed);
}

/** Gives a checked message of a request to the service. */
export function toDraft(message: wire.Message): MessageDraft {
  const { role, parts } = message;
  const toolCalls = callsIn(message);
  const results = parts.length === 0 ? undefined : resultsIn(parts);
  const isOnlyResults = results?.length === parts.length && message.text === "";
  return {
    messageId: message.messageId,
    role: role as Role,
    name: message.name,
    callIds: toolCalls.length === 0 ? NO_IDS : toolCalls.map((call) => call.toolCallId),
    answers: answersOf(
      message.toolCallId,
      results?.map((result) => result.toolCallId),
    ),
    isResult: role === ROLE.tool || (role === ROLE.user && isOnlyResults),
    toolError: message.toolError,
    failedIds: failedIds(message, results),
    tokenCount: message.tokenCount,
    imageCount: parts.length === 0 ? 0 : countImages(parts),
    counted: () => countedContent(message),
    wire: message,
  };
}

/** Gives the paths that an update changes: those of the mask, or all that are set. */
export function messagePaths(
  message: wire.Message,
  mask: readonly string[] | undefined,
): readonly MessagePath[] {
  return changedPaths(mask, MESSAGE_MASK.changeable, (path) =>
    isSet(message[MESSAGE_FIELDS[path]]),
  );
}

export function encodeMessage(draft: MessageDraft, stamp: MessageStamp): Uint8Array {
  // The draft belongs to the change: setting the server's fields on it saves a copy, and a second
  // decision about the same draft sets them all again.
  const message = draft.wire as wire.Message;
  const createTime = toTimestamp(stamp.createMs);
  message.messageId = stamp.messageId;
  message.seq = BigInt(stamp.seq);
  const { tokenRule, tokenPreset } = toTokenRule(stamp.tokenRule);
  message.tokenRule = tokenRule;
  message.tokenPreset = tokenPreset;
  setOrigin(message, draft);
  message.writer = stamp.writer;
  message.createTime = createTime;
  message.updateTime = stamp.updateMs === stamp.createMs ? createTime : toTimestamp(stamp.updateMs);
  message.etag = stamp.etag;
  return encodeStored(message, stamp.tokenCount);
}

/** Gives what the server added to a message that costs so many tokens. */
export function stampOf(message: wire.Message, tokenCount: number): MessageStamp {
  return {
    messageId: message.messageId,
    seq: Number(message.seq),
    tokenCount,
    tokenRule: messageTokenRule(message) ?? "bytes-div-4",
    writer: message.writer,
    createMs: message.createTime === undefined ? 0 : fromTimestamp(message.createTime),
    updateMs: message.updateTime === undefined ? 0 : fromTimestamp(message.updateTime),
    etag: message.etag,
  };
}

function setField<Field extends MessageField>(
  to: wire.Message,
  from: wire.Message,
  field: Field,
): void {
  to[field] = from[field];
  if (!isSet(from[field])) return;
  // A message has one of the two.
  if (field === "text") to.parts = [];
  else if (field === "parts") to.text = "";
  else if (field === "structuredData") to.structuredJson = NO_BYTES;
  else if (field === "structuredJson") to.structuredData = NO_BYTES;
}

function isMessagePath(path: string): path is MessagePath {
  return path in MESSAGE_FIELDS;
}

function countOf(message: wire.Message, stored: Uint8Array): number {
  return (message.tokenCount ?? 0) + quartersOf(stored) / QUARTERS;
}

export function mergeMessage(
  stored: Uint8Array,
  draft: MessageDraft,
  paths: readonly string[],
): MergedMessage {
  const message = wire.Message.decode(stored);
  const stamp = stampOf(message, countOf(message, stored));
  // A count is the caller's only when this very update brings it.
  delete message.tokenCount;
  for (const path of paths) {
    if (isMessagePath(path)) setField(message, draft.wire as wire.Message, MESSAGE_FIELDS[path]);
  }
  const violations = new Violations();
  violations.enter("message");
  checkRole(violations, message, message.role);
  const fault = violations.error();
  if (fault !== undefined) throw requestInvalid(fault.detail.violations ?? []);
  return {
    draft: toDraft(message),
    stamp,
    contentChanged: paths.some((path) => COUNTED_PATHS.has(path)),
  };
}

export function decodeMessage(stored: Uint8Array): Pick<MergedMessage, "draft" | "stamp"> {
  const message = wire.Message.decode(stored);
  const stamp = stampOf(message, countOf(message, stored));
  delete message.tokenCount;
  return { draft: toDraft(message), stamp };
}

export function changesOf(stored: Uint8Array, draft: MessageDraft): MessageChanges {
  const before = wire.Message.decode(stored);
  if (messageTokenRule(before) !== "given") delete before.tokenCount;
  // Through the wire: what was decoded from a request may hold its bytes in another way.
  const after = wire.Message.decode(encodeWire(wire.Message, draft.wire as wire.Message));
  if (draft.tokenCount === undefined) delete after.tokenCount;
  else after.tokenCount = draft.tokenCount;
  const paths = MESSAGE_MASK.changeable.filter(
    (path) => !isDeepStrictEqual(before[MESSAGE_FIELDS[path]], after[MESSAGE_FIELDS[path]]),
  );
  return { paths, contentChanged: paths.some((path) => COUNTED_PATHS.has(path)) };
}

export function draftOf({ role, text, sentMs }: PlainMessage): MessageDraft {
  const sentTime = sentMs === undefined ? undefined : toTimestamp(sentMs);
  return toDraft({ ...wire.Message.decode(NO_BYTES), role: role as wire.Role, text, sentTime });
}

const FOUND_MESSAGE_FIELD = 2;

/** The wire form of a message with its session. */
export function encodeFound({ sessionId, bytes }: FoundMessage): Uint8Array {
  const found = encodeWire(history.FoundMessage, { sessionId, message: undefined });
  return spliceMessages(FOUND_MESSAGE_FIELD, [bytes], found);
}

// The answer to an append.

const OUTCOMES = numbersByWord(wire.AppendOutcome);

/** A message of the answer to an append. */
export function toAppended(message: AppendResult["messages"][number]): wire.AppendedMessage {
  const { messageId, seq, tokenCount, outcome } = message;
  return {
    messageId,
    seq: BigInt(seq),
    tokenCount: Math.floor(tokenCount),
    outcome: outcome === undefined ? wire.AppendOutcome.UNSPECIFIED : OUTCOMES[outcome],
  };
}

/** Gives the wire form of what an append did. */
export function encodeAppendAnswer(result: AppendResult, etags: Etags): Uint8Array {
  const { given } = result;
  const room = memoryIdRoom();
  return encodeWire(AppendMessagesResponse, {
    messages: result.messages.map(toAppended),
    revision: BigInt(result.revision),
    trims: result.trims.map(toTrim),
    windowTotals: toTotals(result.window),
    lastSeq: BigInt(result.lastSeq),
    stageRuns: toStageRuns(result.runs),
    overLimit: result.overLimit,
    promotedMemoryIds: given === undefined ? [] : takeIds(given.promotedIds, room),
    evictedMemoryIds: given === undefined ? [] : takeIds(given.evictedIds, room),
    episodeMemoryId: given?.episodeId ?? "",
    recordOutcomes: result.recordOutcomes.map((outcome) => toOutcome(outcome, etags)),
    sessionEtag: result.sessionEtag,
    // Replies come on top of what is remembered: see reply-rpc.ts.
    window: undefined,
    context: undefined,
    windowError: undefined,
    contextError: undefined,
  });
}
