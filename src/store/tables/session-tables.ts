// The tables of sessions and of their logs: a session, its lists and its head, and the entries, ids
// and windows of its log. Records that every append touches are encoded by hand.

import { type InsertRecord, SessionRecord } from "../../gen/memorysidecar/storage/v1/records.ts";
import { QUARTERS } from "../../kit/token-quarters.ts";
import {
  DEFAULT_SETTINGS,
  EMPTY_POLICY_STATE,
  type ForkOrigin,
  type Session,
  type SessionFields,
  type SessionHead,
  type WindowInsert,
} from "../../session/rules/session.ts";
import { type Summary, TRUST, type Trust } from "../../summary/rules/summary.ts";
import type { Role, SeqRange } from "../../window/rules/types.ts";
import { seal } from "../engine/envelope.ts";
import {
  aNumber,
  aText,
  bucket,
  type Codec,
  defineTable,
  field,
  finish,
  lastText,
  NOTHING,
  ONE_NUMBER,
  record,
  startRecord,
} from "../engine/table.ts";
import { WireReader } from "../engine/wire.ts";
import {
  memoryPolicyText,
  parseMemoryPolicy,
  parsePolicy,
  parsePolicyState,
  policyStateText,
  policyText,
} from "./policy-json.ts";

/** The quarters of a count of tokens beyond its whole ones, which records hold apart. */
export function quartersOf(tokenCount: number): number {
  return (tokenCount - Math.floor(tokenCount)) * QUARTERS;
}

/** Runs as their ends: first, last, first, last and so on. */
export function flatten(ranges: readonly SeqRange[]): number[] {
  const flat: number[] = [];
  for (const range of ranges) {
    flat.push(range.first, range.last);
  }
  return flat;
}

/** Runs of their ends. Throws an Error when they are not in order. */
export function unflatten(flat: readonly number[]): SeqRange[] {
  if (flat.length % 2 !== 0) throw new Error("A list of ranges has an odd length.");
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

/** Location of a message, and its facts for lists. Message number 0 means erased. */
export interface Entry {
  readonly messageNo: number;
  readonly role: Role;
  /** A multiple of a quarter. */
  readonly tokenCount: number;
  readonly byteCount: number;
}

export function encodeEntry(key: string, entry: Entry): Buffer {
  const writer = startRecord();
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

export function encodeHead(key: string, { logNo, head }: Head): Buffer {
  const writer = startRecord();
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
  const writer = startRecord();
  writer.packed(1, flatten(ranges));
  return finish(key);
}

export function decodeRanges(payload: Uint8Array): SeqRange[] {
  const reader = new WireReader(payload);
  let ranges: SeqRange[] = [];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag !== 10) reader.unknown(tag);
    ranges = unflatten(reader.packed());
  }
  return ranges;
}

const UNDER_LOG = { under: "log" } as const;

/** By id. */
export const SESSION_NAME = defineTable(0x01, "session id", [aText, lastText], {
  erasedWith: "session",
  record: ONE_NUMBER,
  bucket: bucket.firstText,
});

const LISTED = { erasedWith: "session", record: NOTHING, bucket: bucket.allButLast } as const;

/** All sessions of a namespace; below those of a user, of an agent, and with a label. */
export const SESSION_LIST = defineTable(0x04, "session of a namespace", [aText, aNumber], LISTED);
export const SESSION_USER = defineTable(0x05, "session of a user", [aText, aText, aNumber], LISTED);
export const SESSION_AGENT = defineTable(
  0x06,
  "session of an agent",
  [aText, aText, aNumber],
  LISTED,
);
export const SESSION_LABEL = defineTable(
  0x07,
  "session with a label",
  [aText, aText, aText, aNumber],
  LISTED,
);

/** All sessions of a namespace by the time of their last change in ms, then by number. */
export const SESSION_UPDATED = defineTable(0x3a, "changed session", [aText, aNumber, aNumber], {
  erasedWith: "session",
  record: NOTHING,
  bucket: bucket.firstText,
});

/** The key of a session in the list by the time of its last change. */
export function updatedKey(
  sessionNo: number,
  { namespace, head }: Pick<Session, "namespace" | "head">,
): string {
  return SESSION_UPDATED.key(namespace, head.updateMs, sessionNo);
}

/** By the end of its time: ms, session number. May be too early, never too late. */
export const EXPIRY = defineTable(0x0e, "expiry", [aNumber, aNumber], {
  erasedWith: "session",
  record: NOTHING,
  bucket: bucket.table,
});

export const HEAD = defineTable(0x03, "head", [aNumber], {
  erasedWith: "session",
  record: {
    encode: encodeHead,
    decode: decodeHead,
  },
});

/** By log number and seq. */
export const ENTRY = defineTable(0x08, "entry", [aNumber, aNumber], {
  record: { encode: encodeEntry, decode: decodeEntry },
  ...UNDER_LOG,
  bodyNo: ({ messageNo }) => messageNo,
});

/** The seqs of ids that do not name their seq themselves. */
export const MESSAGE_ID = defineTable(0x09, "message id", [aNumber, lastText], {
  record: ONE_NUMBER,
  ...UNDER_LOG,
});

const ranges: Codec<readonly SeqRange[]> = { encode: encodeRanges, decode: decodeRanges };

/** The window when a seq was the newest. */
export const PAST_WINDOW = defineTable(0x0a, "window history", [aNumber, aNumber], {
  record: ranges,
  bucket: bucket.allButLast,
  ...UNDER_LOG,
});

/** The seqs below the first that a reset kept. */
export const KEPT = defineTable(0x0b, "kept seqs", [aNumber], { record: ranges, ...UNDER_LOG });

/** A log that belongs to nobody any more, or not yet. */
export const PURGE = defineTable(0x0f, "purge", [aNumber], {
  erasedWith: "nothing",
  record: record<{ readonly nextSeq: number; readonly lastSeq: number }>({
    nextSeq: field.number(1),
    lastSeq: field.number(2),
  }),
  bucket: bucket.table,
});

// Records of sessions change seldom: the generated code encodes them.

/** A session record with what its fields do not hold. */
export interface SessionRow {
  readonly sessionNo: number;
  readonly namespace: string;
  readonly sessionId: string;
  readonly fields: SessionFields;
}

// The kinds by their numbers in records.
const INSERT_KINDS: readonly (WindowInsert["kind"] | undefined)[] = [
  undefined,
  "summary",
  "result",
  "request",
];

const NO_INSERTS: readonly WindowInsert[] = [];

function encodeSession(key: string, row: SessionRow): Buffer {
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
    summaryUpdateMs: BigInt(fields.summary?.createMs ?? 0),
    forkedFromSessionId: fields.forkedFrom?.sessionId ?? "",
    forkedFromSeq: BigInt(fields.forkedFrom?.seq ?? 0),
    createMs: BigInt(fields.createMs),
    etagRevision: BigInt(fields.etagRevision),
    inserts: fields.inserts.map(toInsertRecord),
    summaryStage: fields.summary?.stage ?? "",
    summaryLevel: fields.summary?.level ?? 0,
    summaryRanges: flatten(fields.summary?.ranges ?? []).map(BigInt),
    summaryHook: fields.summary?.hook ?? "",
    summaryTrust: fields.summary?.trust ?? 0,
    summaryOwnVersion: BigInt(fields.summary?.version ?? 0),
    memoryPolicyJson: memoryPolicyText(fields.memoryPolicy),
    forkedFromOwners: (fields.forkedFrom?.owners ?? []).map((owner) => ({ ...owner })),
  };
  return seal(key, SessionRecord.encode(record).finish());
}

function decodeSession(payload: Uint8Array): SessionRow {
  const record = SessionRecord.decode(payload);
  // Most sessions have neither labels nor metadata, and share what is empty: a map and a buffer of
  // its own would be a third of a session in memory.
  const { labels, metadata } = DEFAULT_SETTINGS;
  return {
    sessionNo: Number(record.sessionNo),
    namespace: record.namespace,
    sessionId: record.sessionId,
    fields: {
      userId: record.userId,
      agentId: record.agentId,
      labels:
        record.labels.length === 0
          ? labels
          : new Map(record.labels.map(({ key, value }) => [key, value])),
      metadata: record.metadata.length === 0 ? metadata : record.metadata,
      policy: parsePolicy(record.policyJson),
      ttlMs: Number(record.ttlMs),
      summary: fromSummary(record),
      summaryVersion: Number(record.summaryVersion),
      inserts: record.inserts.length === 0 ? NO_INSERTS : record.inserts.map(fromInsertRecord),
      memoryPolicy: parseMemoryPolicy(record.memoryPolicyJson),
      forkedFrom: forkOriginOf(record),
      createMs: Number(record.createMs),
      etagRevision: Number(record.etagRevision),
    },
  };
}

function forkOriginOf(record: SessionRecord): ForkOrigin | undefined {
  const { forkedFromOwners: owners, forkedFromSessionId: sessionId } = record;
  if (sessionId === "") return undefined;
  const seq = Number(record.forkedFromSeq);
  return { sessionId, seq, ...(owners.length === 0 ? {} : { owners }) };
}

// Before there were hooks a summary had the newest version, and nothing said how far to trust it.
function fromSummary(record: SessionRecord): Summary | undefined {
  if (record.summaryText === "") return undefined;
  return {
    text: record.summaryText,
    tokenCount: Number(record.summaryTokenCount),
    version: Number(record.summaryOwnVersion || record.summaryVersion),
    createMs: Number(record.summaryUpdateMs),
    ranges: unflatten(record.summaryRanges.map(Number)),
    hook: record.summaryHook,
    stage: record.summaryStage,
    level: Math.max(1, record.summaryLevel),
    trust: fromTrust(record.summaryTrust),
  };
}

function fromTrust(trust: number): Trust {
  return trust === 0 ? TRUST.medium : (trust as Trust);
}

function toInsertRecord(insert: WindowInsert): InsertRecord {
  return {
    position: insert.position,
    kind: INSERT_KINDS.indexOf(insert.kind),
    messageId: insert.messageId,
    tokenCount: BigInt(Math.floor(insert.tokenCount)),
    tokenQuarters: quartersOf(insert.tokenCount),
    message: Buffer.from(insert.bytes),
    ranges: flatten(insert.ranges).map(BigInt),
    firstMs: BigInt(insert.firstMs),
    createMs: BigInt(insert.createMs),
    version: BigInt(insert.version),
    hook: insert.hook,
    stage: insert.stage,
    level: insert.level,
    trust: insert.trust,
  };
}

function fromInsertRecord(record: InsertRecord): WindowInsert {
  const kind = INSERT_KINDS[record.kind];
  if (kind === undefined) throw new Error(`An insert is of the unknown kind ${record.kind}.`);
  const ranges: readonly SeqRange[] = unflatten(record.ranges.map(Number));
  return {
    position: record.position,
    kind,
    messageId: record.messageId,
    tokenCount: Number(record.tokenCount) + record.tokenQuarters / QUARTERS,
    bytes: record.message,
    ranges,
    firstMs: Number(record.firstMs),
    createMs: Number(record.createMs),
    version: Number(record.version),
    hook: record.hook,
    stage: record.stage,
    // An insert from before there were levels stands on messages.
    level: kind === "summary" ? Math.max(1, record.level) : record.level,
    trust: fromTrust(record.trust),
  };
}

/** By session number. */
export const SESSION = defineTable(0x02, "session", [aNumber], {
  erasedWith: "session",
  record: {
    encode: encodeSession,
    decode: decodeSession,
  },
});
