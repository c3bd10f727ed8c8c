// Session records to bytes and back. They change seldom, so that the generated code does it.

import type { SessionFields, WindowInsert } from "../../domain/session.ts";
import { type Summary, TRUST, type Trust } from "../../domain/summaries/summary.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import { type InsertRecord, SessionRecord } from "../../gen/memorysidecar/storage/v1/records.ts";
import { seal } from "./envelope.ts";
import { memoryPolicyText, parseMemoryPolicy } from "./memory-policy-json.ts";
import { parsePolicy, policyText } from "./policy-json.ts";
import { flatten, QUARTERS, quartersOf, unflatten } from "./wire.ts";

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
  };
  return seal(key, SessionRecord.encode(record).finish());
}

export function decodeSession(payload: Uint8Array): SessionRow {
  const record = SessionRecord.decode(payload);
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
      summary: fromSummary(record),
      summaryVersion: Number(record.summaryVersion),
      inserts: record.inserts.length === 0 ? NO_INSERTS : record.inserts.map(fromInsertRecord),
      memoryPolicy: parseMemoryPolicy(record.memoryPolicyJson),
      forkedFrom:
        record.forkedFromSessionId === ""
          ? undefined
          : { sessionId: record.forkedFromSessionId, seq: Number(record.forkedFromSeq) },
      createMs: Number(record.createMs),
      etagRevision: Number(record.etagRevision),
    },
  };
}

// Before there were hooks a summary had the newest version, and nothing said how far to trust it.
function fromSummary(record: SessionRecord): Summary | undefined {
  if (record.summaryText === "") {
    return undefined;
  }
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
  if (kind === undefined) {
    throw new Error(`An insert is of the unknown kind ${record.kind}.`);
  }
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
    // What was placed before there were levels stands on messages.
    level: kind === "summary" ? Math.max(1, record.level) : record.level,
    trust: fromTrust(record.trust),
  };
}
