// The requests of the bench, encoded once. A body for many sessions is a template whose session
// number is patched in place, so that the loader spends no time on encoding.

import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { Memory } from "../src/gen/memorysidecar/v1/memory.ts";
import { RememberRequest } from "../src/gen/memorysidecar/v1/memory_service.ts";
import { Message, Role } from "../src/gen/memorysidecar/v1/message.ts";
import { NamedRecord, type RecordPut, RecordRange } from "../src/gen/memorysidecar/v1/record.ts";
import {
  GetRecordRequest,
  ListRecordsRequest,
  PutRecordRequest,
} from "../src/gen/memorysidecar/v1/record_service.ts";
import {
  AppendMessagesRequest,
  GetMessageRequest,
  GetWindowRequest,
  WindowReply,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { grpcFrame } from "./wire.ts";

/** Characters of text in every message. */
export const TEXT_BYTES = 300;

const DIGITS = 7;
// The place of a request id.
const NO_ID = { none: "", rising: "+".repeat(32), random: "#".repeat(32) };
type Ids = keyof typeof NO_ID;

/** Kind of request that a load sends. */
export type BodySpec =
  | {
      readonly kind: "append";
      readonly count: number;
      readonly prefix: string;
      readonly namespace?: string;
      /** Whether it answers with the window. Default: no. */
      readonly reply?: boolean;
      /** The request ids. Default: rising, as those of the clients. */
      readonly ids?: Ids;
    }
  | { readonly kind: "window"; readonly prefix: string }
  | { readonly kind: "remember"; readonly prefix: string }
  /** Replaces a record; with `put-if` on a condition. */
  | { readonly kind: "put" | "put-if" | "get"; readonly prefix: string }
  /** A page of 100 records from a name on. */
  | { readonly kind: "list"; readonly prefix: string }
  | { readonly kind: "get-message"; readonly prefix: string }
  | { readonly kind: "echo"; readonly bytes: number }
  | { readonly kind: "sized"; readonly bytes: number };

/** A body whose session number can be replaced. */
export interface Template {
  readonly body: Buffer;
  /** Offset of the session number; -1 when there is none. */
  readonly at: number;
  readonly id: { readonly at: number; readonly rises: boolean } | undefined;
}

/** The id of a session of the bench. */
export function sessionName(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(DIGITS, "0")}`;
}

/** Plain text of a given length that resembles prose to a compressor and a tokenizer. */
export function textOf(bytes: number): string {
  return "the quick brown fox remembers what the lazy dog forgot. "
    .repeat(Math.ceil(bytes / 56) + 1)
    .slice(0, bytes);
}

/** A protobuf message with the given fields set and the rest at their defaults. */
export function make<T>(codec: { decode(bytes: Uint8Array): T }, fields: Partial<T>): T {
  return { ...codec.decode(new Uint8Array(0)), ...fields };
}

function message(role: Role): Message {
  return make(Message, { role, text: textOf(TEXT_BYTES) });
}

/** Messages of a conversation, user and assistant by turns. */
export function turns(count: number): Message[] {
  return Array.from({ length: count }, (_, i) => message(i % 2 === 0 ? Role.USER : Role.ASSISTANT));
}

/** The path of the records of the bench, and the id of messages that are read alone. */
export const RECORD_PATH = "bench";

/** A put of a record as large as a message. */
export function recordPut(prefix: string, index: number): RecordPut {
  const value = Buffer.from(textOf(TEXT_BYTES));
  const record = make(NamedRecord, { path: [RECORD_PATH], key: sessionName(prefix, index), value });
  return { record, precondition: undefined };
}

/** The wire form of a message with an echo of this size. */
function echoOf(bytes: number): Uint8Array {
  const tag = Message.encode(make(Message, { text: textOf(bytes) })).finish().length - bytes;
  return Message.encode(make(Message, { text: textOf(Math.max(1, bytes - tag)) })).finish();
}

/** The request ids of a body: the clients give one to each change. */
function idsOf(spec: BodySpec): Ids {
  if (spec.kind === "append") return spec.ids ?? "rising";
  return ["remember", "put", "put-if"].includes(spec.kind) ? "rising" : "none";
}

function encode(spec: BodySpec): Uint8Array {
  switch (spec.kind) {
    case "append":
      return AppendMessagesRequest.encode(
        make(AppendMessagesRequest, {
          namespace: spec.namespace ?? "",
          sessionId: sessionName(spec.prefix, 0),
          messages: turns(spec.count),
          createSession: true,
          requestId: NO_ID[idsOf(spec)],
          ...(spec.reply === true ? { windowReply: make(WindowReply, {}) } : {}),
        }),
      ).finish();
    case "window":
      return GetWindowRequest.encode(
        make(GetWindowRequest, { sessionId: sessionName(spec.prefix, 0) }),
      ).finish();
    case "remember":
      // The number makes each text of a scope unique.
      return RememberRequest.encode(
        make(RememberRequest, {
          memories: [
            make(Memory, {
              userId: "bench",
              text: `${sessionName(spec.prefix, 0)} ${textOf(TEXT_BYTES)}`,
            }),
          ],
          requestId: NO_ID[idsOf(spec)],
        }),
      ).finish();
    case "put":
    case "put-if": {
      const condition = { $case: "exists", value: true } as const;
      const precondition = spec.kind === "put" ? undefined : { condition };
      return PutRecordRequest.encode(
        make(PutRecordRequest, {
          ...recordPut(spec.prefix, 0),
          precondition,
          requestId: NO_ID[idsOf(spec)],
        }),
      ).finish();
    }
    case "get":
      return GetRecordRequest.encode(
        make(GetRecordRequest, { path: [RECORD_PATH], key: sessionName(spec.prefix, 0) }),
      ).finish();
    case "list": {
      const startKey = sessionName(spec.prefix, 0);
      const range = make(RecordRange, { path: [RECORD_PATH], startKey });
      return ListRecordsRequest.encode(make(ListRecordsRequest, { range })).finish();
    }
    case "get-message":
      return GetMessageRequest.encode(
        make(GetMessageRequest, {
          sessionId: sessionName(spec.prefix, 0),
          messageId: RECORD_PATH,
        }),
      ).finish();
    case "echo":
      return echoOf(spec.bytes);
    case "sized":
      return Message.encode(make(Message, { tokenCount: spec.bytes })).finish();
  }
}

/** The number of bytes a request takes without its gRPC prefix. */
export function bodyBytes(spec: BodySpec): number {
  return encode(spec).length;
}

/** Makes the template of a request. */
export function template(spec: BodySpec): Template {
  const body = grpcFrame(encode(spec));
  if (!("prefix" in spec)) return { body, at: -1, id: undefined };
  const at = body.indexOf(sessionName(spec.prefix, 0), 0, "latin1");
  const ids = idsOf(spec);
  const idAt = body.indexOf(NO_ID[ids], 0, "latin1");
  const id = ids === "none" ? undefined : { at: idAt, rises: ids === "rising" };
  return { body, at: at + spec.prefix.length, id };
}

/** Points a template at a session, and gives it another request id if it has one, in place. */
export function pointAt(target: Template, session: number): void {
  if (target.id !== undefined) {
    const random = randomUUID().replaceAll("-", "");
    const time = target.id.rises ? Date.now().toString(16).padStart(12, "0") : "";
    target.body.write((time + random).slice(0, 32), target.id.at, "latin1");
  }
  if (target.at < 0) return;
  let rest = session;
  for (let i = DIGITS - 1; i >= 0; i--) {
    target.body[target.at + i] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
