// Records to bytes and back. What every append writes is done by hand with plain numbers (wire.ts);
// the rest by the generated code.

import type { EventType } from "../../domain/event.ts";
import type { Policy } from "../../domain/policy.ts";
import type { SessionFields, SessionHead } from "../../domain/session.ts";
import type { Role, SeqRange } from "../../domain/window/types.ts";
import { SessionRecord } from "../../gen/memorysidecar/storage/v1/records.ts";
import type { Slab } from "../../lib/slab.ts";
import type { Consumer, NewEvent, StoredReply } from "../store.ts";
import { ENVELOPE_BYTES, seal, writeEnvelope } from "./envelope.ts";
import { u64 } from "./keys.ts";
import { indexSlab, logSlab, sealIndex } from "./slab.ts";
import { WireReader, WireWriter } from "./wire.ts";

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
  readonly tokenCount: number;
  readonly byteCount: number;
}

export function encodeEntry(key: string, entry: Entry): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, entry.messageNo);
  writer.number(2, entry.role);
  writer.number(3, entry.tokenCount);
  writer.number(4, entry.byteCount);
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
      entry.tokenCount = reader.varint();
    } else if (tag === 32) {
      entry.byteCount = reader.varint();
    } else {
      reader.unknown(tag);
    }
  }
  return entry;
}

function flatten(ranges: readonly SeqRange[]): number[] {
  const flat: number[] = [];
  for (const range of ranges) {
    flat.push(range.first, range.last);
  }
  return flat;
}

function unflatten(flat: readonly number[]): SeqRange[] {
  if (flat.length % 2 !== 0) {
    throw new Error("A list of ranges has an odd length.");
  }
  const ranges: SeqRange[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const range = { first: flat[i] ?? 0, last: flat[i + 1] ?? 0 };
    if (range.first < 1 || range.last < range.first || range.first <= (ranges.at(-1)?.last ?? 0)) {
      throw new Error("A list of ranges is not in order.");
    }
    ranges.push(range);
  }
  return ranges;
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
  writer.number(5, head.log.tokenCount);
  writer.number(6, head.window.messageCount);
  writer.number(7, head.window.tokenCount);
  writer.number(8, head.window.byteCount);
  writer.packed(9, flatten(head.windowRanges));
  writer.number(10, head.updateMs);
  writer.number(11, head.revision);
  return finish(key);
}

export function decodeHead(payload: Uint8Array): Head {
  const reader = new WireReader(payload);
  const values = new Array<number>(12).fill(0);
  let ranges: SeqRange[] = [];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    const field = tag >>> 3;
    if (tag === 74) {
      ranges = unflatten(reader.packed());
    } else if ((tag & 7) === 0 && field < 12) {
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
      log: { messageCount: at(4), tokenCount: at(5) },
      window: { messageCount: at(6), tokenCount: at(7), byteCount: at(8) },
      windowRanges: ranges,
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
  return finish(key);
}

export function decodeConsumer(payload: Uint8Array): Omit<Consumer, "consumerId"> {
  const values = decodeNumbers(payload, 4);
  return {
    position: { revision: values[1] ?? 0, index: values[2] ?? 0 },
    createMs: values[3] ?? 0,
    updateMs: values[4] ?? 0,
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

export function encodeEvent(key: string, event: NewEvent): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.bytes(1, event.body);
  writer.number(2, event.type);
  writer.string(3, event.namespace);
  writer.string(4, event.sessionId);
  writer.string(5, event.userId);
  writer.number(6, event.createMs);
  return finish(key, logSlab);
}

export function decodeEvent(payload: Uint8Array): NewEvent {
  const reader = new WireReader(payload);
  let body: Uint8Array = new Uint8Array(0);
  let type = 0;
  let namespace = "";
  let sessionId = "";
  let userId = "";
  let createMs = 0;
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
    } else {
      reader.unknown(tag);
    }
  }
  return { body, type: type as EventType, namespace, sessionId, userId, createMs };
}

/** A session record with what its fields do not hold. */
export interface SessionRow {
  readonly sessionNo: number;
  readonly namespace: string;
  readonly sessionId: string;
  readonly fields: SessionFields;
}

const policyTexts = new WeakMap<Policy, string>();
const policies = new Map<string, Policy>();
const POLICIES_MAX = 4_096;

function policyText(policy: Policy): string {
  let text = policyTexts.get(policy);
  if (text === undefined) {
    text = JSON.stringify(policy);
    policyTexts.set(policy, text);
  }
  return text;
}

function parsePolicy(text: string): Policy {
  let policy = policies.get(text);
  if (policy === undefined) {
    policy = JSON.parse(text) as Policy;
    if (policies.size >= POLICIES_MAX) {
      policies.clear();
    }
    policies.set(text, policy);
    policyTexts.set(policy, text);
  }
  return policy;
}

export function encodeSession(key: string, row: SessionRow): Buffer {
  const { fields } = row;
  const record: SessionRecord = {
    sessionNo: BigInt(row.sessionNo),
    namespace: row.namespace,
    sessionId: row.sessionId,
    userId: fields.userId,
    agentId: fields.agentId,
    labels: [...fields.labels].map(([labelKey, value]) => ({ key: labelKey, value })),
    metadata: Buffer.from(fields.metadata),
    policyJson: policyText(fields.policy),
    ttlMs: BigInt(fields.ttlMs),
    summaryText: fields.summary?.text ?? "",
    summaryTokenCount: BigInt(fields.summary?.tokenCount ?? 0),
    summaryVersion: BigInt(fields.summaryVersion),
    summaryUpdateMs: BigInt(fields.summary?.updateMs ?? 0),
    forkedFromSessionId: fields.forkedFrom?.sessionId ?? "",
    forkedFromSeq: BigInt(fields.forkedFrom?.seq ?? 0),
    createMs: BigInt(fields.createMs),
    etagRevision: BigInt(fields.etagRevision),
  };
  return seal(key, SessionRecord.encode(record).finish());
}

export function decodeSession(payload: Uint8Array): SessionRow {
  const record = SessionRecord.decode(payload);
  const summaryVersion = Number(record.summaryVersion);
  return {
    sessionNo: Number(record.sessionNo),
    namespace: record.namespace,
    sessionId: record.sessionId,
    fields: {
      userId: record.userId,
      agentId: record.agentId,
      labels: new Map(record.labels.map(({ key, value }) => [key, value])),
      metadata: record.metadata,
      policy: parsePolicy(record.policyJson),
      ttlMs: Number(record.ttlMs),
      summary:
        record.summaryText === ""
          ? undefined
          : {
              text: record.summaryText,
              tokenCount: Number(record.summaryTokenCount),
              version: summaryVersion,
              updateMs: Number(record.summaryUpdateMs),
            },
      summaryVersion,
      forkedFrom:
        record.forkedFromSessionId === ""
          ? undefined
          : { sessionId: record.forkedFromSessionId, seq: Number(record.forkedFromSeq) },
      createMs: Number(record.createMs),
      etagRevision: Number(record.etagRevision),
    },
  };
}
