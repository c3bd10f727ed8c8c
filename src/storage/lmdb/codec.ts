// Records to bytes and back, by hand with plain numbers (wire.ts); session records, which change
// seldom, are those of session-codec.ts.

import type { EventType } from "../../domain/event.ts";
import { EMPTY_POLICY_STATE, type SessionHead } from "../../domain/session.ts";
import type { Role, SeqRange } from "../../domain/window/types.ts";
import type { Slab } from "../../lib/slab.ts";
import type { Consumer, NewEvent, StoredReply, StreamPositions } from "../store.ts";
import { ENVELOPE_BYTES, writeEnvelope } from "./envelope.ts";
import { u64 } from "./keys.ts";
import { parsePolicyState, policyStateText } from "./policy-json.ts";
import { indexSlab, logSlab, sealIndex } from "./slab.ts";
import { flatten, QUARTERS, quartersOf, unflatten, WireReader, WireWriter } from "./wire.ts";

const writer = new WireWriter();

function finish(key: string, slab: Slab = indexSlab): Buffer {
  writeEnvelope(key, writer.buffer, writer.position);
  const record = slab.take(writer.position);
  writer.buffer.copy(record, 0, 0, writer.position);
  return record;
}

/** Where a message is, and what lists need to know of it. Message number 0 means erased. */
export interface Entry {
  readonly messageNo: number;
  readonly role: Role;
  /** A multiple of a quarter. */
  readonly tokenCount: number;
  readonly byteCount: number;
}

export function encodeEntry(key: string, entry: Entry): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, entry.messageNo);
  writer.number(2, entry.role);
  writer.number(3, Math.floor(entry.tokenCount));
  writer.number(4, entry.byteCount);
  writer.number(5, quartersOf(entry.tokenCount));
  return finish(key);
}

export function decodeEntry(payload: Uint8Array): Entry {
  const reader = new WireReader(payload);
  const entry = { messageNo: 0, role: 1 as Role, tokenCount: 0, byteCount: 0 };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 8) {
      entry.messageNo = reader.varint();
    } else if (tag === 16) {
      entry.role = reader.varint() as Role;
    } else if (tag === 24) {
      entry.tokenCount += reader.varint();
    } else if (tag === 32) {
      entry.byteCount = reader.varint();
    } else if (tag === 40) {
      entry.tokenCount += reader.varint() / QUARTERS;
    } else {
      reader.unknown(tag);
    }
  }
  return entry;
}

/** The head of a session and the number of its log. */
export interface Head {
  readonly logNo: number;
  readonly head: SessionHead;
}

export function encodeHead(key: string, logNo: number, head: SessionHead): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, logNo);
  writer.number(2, head.lastSeq);
  writer.number(3, head.firstSeq);
  writer.number(4, head.log.messageCount);
  writer.number(5, Math.floor(head.log.tokenCount));
  writer.number(6, head.window.messageCount);
  writer.number(7, Math.floor(head.window.tokenCount));
  writer.number(8, head.window.byteCount);
  writer.packed(9, flatten(head.windowRanges));
  writer.number(10, head.updateMs);
  writer.number(11, head.revision);
  writer.number(12, quartersOf(head.log.tokenCount));
  writer.number(13, quartersOf(head.window.tokenCount));
  writer.string(14, policyStateText(head.policyState));
  return finish(key);
}

export function decodeHead(payload: Uint8Array): Head {
  const reader = new WireReader(payload);
  const values = new Array<number>(14).fill(0);
  let ranges: SeqRange[] = [];
  let policyState = EMPTY_POLICY_STATE;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    const field = tag >>> 3;
    if (tag === 74) {
      ranges = unflatten(reader.packed());
    } else if (tag === 114) {
      policyState = parsePolicyState(reader.string());
    } else if ((tag & 7) === 0 && field < 14) {
      values[field] = reader.varint();
    } else {
      reader.unknown(tag);
    }
  }
  const at = (field: number): number => values[field] ?? 0;
  return {
    logNo: at(1),
    head: {
      lastSeq: at(2),
      firstSeq: at(3),
      log: { messageCount: at(4), tokenCount: at(5) + at(12) / QUARTERS },
      window: {
        messageCount: at(6),
        tokenCount: at(7) + at(13) / QUARTERS,
        byteCount: at(8),
      },
      windowRanges: ranges,
      policyState,
      updateMs: at(10),
      revision: at(11),
    },
  };
}

export function encodeRanges(key: string, ranges: readonly SeqRange[]): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.packed(1, flatten(ranges));
  return finish(key);
}

export function decodeRanges(payload: Uint8Array): SeqRange[] {
  const reader = new WireReader(payload);
  let ranges: SeqRange[] = [];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag !== 10) {
      reader.unknown(tag);
    }
    ranges = unflatten(reader.packed());
  }
  return ranges;
}

export function encodeReply(key: string, reply: StoredReply): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.string(1, reply.method);
  writer.bytes(2, reply.digest);
  writer.bytes(3, reply.bytes);
  writer.number(4, reply.createMs);
  return finish(key);
}

export function decodeReply(payload: Uint8Array): StoredReply {
  const reader = new WireReader(payload);
  const empty = new Uint8Array(0);
  let reply: StoredReply = { method: "", digest: empty, bytes: empty, createMs: 0 };
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) {
      reply = { ...reply, method: reader.string() };
    } else if (tag === 18) {
      reply = { ...reply, digest: reader.bytes() };
    } else if (tag === 26) {
      reply = { ...reply, bytes: reader.bytes() };
    } else if (tag === 32) {
      reply = { ...reply, createMs: reader.varint() };
    } else {
      reader.unknown(tag);
    }
  }
  return reply;
}

export function encodeConsumer(key: string, consumer: Omit<Consumer, "consumerId">): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, consumer.position.revision);
  writer.number(2, consumer.position.index);
  writer.number(3, consumer.createMs);
  writer.number(4, consumer.updateMs);
  if (consumer.historyId !== undefined) writer.string(5, consumer.historyId);
  return finish(key);
}

export function decodeConsumer(payload: Uint8Array): Omit<Consumer, "consumerId"> {
  const reader = new WireReader(payload);
  const values = [0, 0, 0, 0, 0];
  let historyId: string | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 42) {
      historyId = reader.string();
    } else if ((tag & 7) === 0 && tag >>> 3 < values.length) {
      values[tag >>> 3] = reader.varint();
    } else {
      reader.unknown(tag);
    }
  }
  return {
    position: { revision: values[1] ?? 0, index: values[2] ?? 0 },
    createMs: values[3] ?? 0,
    updateMs: values[4] ?? 0,
    ...(historyId === undefined ? {} : { historyId }),
  };
}

/** Where the events of a namespace begin and end. */
export function encodeNamespace(key: string, { newest, oldest }: StreamPositions): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, newest.revision);
  writer.number(2, newest.index);
  writer.number(3, oldest.revision);
  writer.number(4, oldest.index);
  return finish(key);
}

export function decodeNamespace(payload: Uint8Array): StreamPositions {
  const values = decodeNumbers(payload, 4);
  return {
    newest: { revision: values[1] ?? 0, index: values[2] ?? 0 },
    oldest: { revision: values[3] ?? 0, index: values[4] ?? 0 },
  };
}

export function encodePurge(key: string, nextSeq: number, lastSeq: number): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, nextSeq);
  writer.number(2, lastSeq);
  return finish(key);
}

function decodeNumbers(payload: Uint8Array, fields: number): number[] {
  const reader = new WireReader(payload);
  const values = new Array<number>(fields + 1).fill(0);
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if ((tag & 7) !== 0 || tag >>> 3 > fields) {
      reader.unknown(tag);
    }
    values[tag >>> 3] = reader.varint();
  }
  return values;
}

/** A number as the whole record. */
export function encodeNumber(key: string, value: number): Buffer {
  return sealIndex(key, Buffer.from(u64(value), "latin1"));
}

export function decodeNumber(payload: Uint8Array): number {
  if (payload.length !== 8) {
    throw new Error("A number has the wrong length.");
  }
  return payload.reduce((value, byte) => value * 256 + byte, 0);
}

/** A text as the whole record. */
export function encodeText(key: string, text: string): Buffer {
  return sealIndex(key, Buffer.from(text, "utf8"));
}

export function decodeText(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString("utf8");
}

/** An event as it is kept. Up to format 2 its revision is the commit number of its key. */
export type EventRecord = NewEvent & { readonly revision: number | undefined };

export function encodeEvent(key: string, revision: number, event: NewEvent): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.bytes(1, event.body);
  writer.number(2, event.type);
  writer.string(3, event.namespace);
  writer.string(4, event.sessionId);
  writer.string(5, event.userId);
  writer.number(6, event.createMs);
  writer.number(7, revision);
  return finish(key, logSlab);
}

export function decodeEvent(payload: Uint8Array): EventRecord {
  const reader = new WireReader(payload);
  let body: Uint8Array = new Uint8Array(0);
  let type = 0;
  let namespace = "";
  let sessionId = "";
  let userId = "";
  let createMs = 0;
  let revision: number | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) {
      body = reader.bytes();
    } else if (tag === 16) {
      type = reader.varint();
    } else if (tag === 26) {
      namespace = reader.string();
    } else if (tag === 34) {
      sessionId = reader.string();
    } else if (tag === 42) {
      userId = reader.string();
    } else if (tag === 48) {
      createMs = reader.varint();
    } else if (tag === 56) {
      revision = reader.varint();
    } else {
      reader.unknown(tag);
    }
  }
  return { body, type: type as EventType, namespace, sessionId, userId, createMs, revision };
}
