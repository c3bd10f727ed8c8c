// Records of memories and of jobs on them, to bytes and back. Bodies have no envelope here: they
// stand among the messages, which put them into one.

import type { MemoryJob } from "../../domain/memories/job.ts";
import {
  MEMORY_KINDS,
  type Memory,
  type MemoryKind,
  type MemoryOrigin,
  type MemoryScope,
  type MemoryStructure,
} from "../../domain/memories/memory.ts";
import type { Trust } from "../../domain/summaries/summary.ts";
import { MemoryBodyRecord } from "../../gen/memorysidecar/storage/v1/memory_records.ts";
import { ENVELOPE_BYTES, writeEnvelope } from "./envelope.ts";
import { completeMemoryPolicy, type StoredMemoryPolicy } from "./memory-policy-json.ts";
import { indexSlab } from "./slab.ts";
import { WireReader, WireWriter } from "./wire.ts";

const writer = new WireWriter();

function finish(key: string): Buffer {
  writeEnvelope(key, writer.buffer, writer.position);
  const record = indexSlab.take(writer.position);
  writer.buffer.copy(record, 0, 0, writer.position);
  return record;
}

// The fields of a record: whole numbers, doubles, and views of bytes.
function fieldsOf(payload: Uint8Array, fields: number) {
  const reader = new WireReader(payload);
  const numbers = new Array<number>(fields + 1).fill(0);
  const parts = new Map<number, Uint8Array>();
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    const field = tag >>> 3;
    const type = tag & 7;
    if (field > fields || type > 2) {
      reader.unknown(tag);
    } else if (type === 2) {
      parts.set(field, reader.bytes());
    } else {
      numbers[field] = type === 0 ? reader.varint() : reader.double();
    }
  }
  const part = (field: number, encoding: "utf8" | "latin1"): string => {
    const bytes = parts.get(field);
    return bytes === undefined
      ? ""
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding);
  };
  return {
    number: (field: number): number => numbers[field] ?? 0,
    text: (field: number): string => part(field, "utf8"),
    bytes: (field: number): string => part(field, "latin1"),
  };
}

function kindAt(no: number): MemoryKind {
  const kind = MEMORY_KINDS[no - 1];
  if (kind === undefined) {
    throw new Error("A memory has no known kind.");
  }
  return kind;
}

/** The memories of a namespace. */
export interface MemoriesRow {
  /** The number under which they stand. */
  readonly logNo: number;
  readonly nextMemoryNo: number;
  readonly memoryCount: number;
}

export function encodeMemories(key: string, row: MemoriesRow): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, row.logNo);
  writer.number(2, row.nextMemoryNo);
  writer.number(3, row.memoryCount);
  return finish(key);
}

export function decodeMemories(payload: Uint8Array): MemoriesRow {
  const { number } = fieldsOf(payload, 3);
  return { logNo: number(1), nextMemoryNo: number(2), memoryCount: number(3) };
}

/** A state of a memory: where its body is, what finds it, and what is not in its body. */
export interface MemoryRow {
  readonly bodyNo: number;
  readonly byteCount: number;
  /** The first body with its text. */
  readonly textNo: number;
  readonly memoryId: string;
  /** The scope as part of a key. */
  readonly scope: string;
  readonly kindNo: number;
  /** 1 when it is superseded. */
  readonly past: number;
  /** 1 when it is. */
  readonly persistent: number;
  /** 1 when its trust is low. 0 in rows of before that was kept: it is found among the others. */
  readonly low: number;
  readonly tierNo: number;
  /** 0 means never. */
  readonly expireMs: number;
  /** One after the other. */
  readonly terms: string;
  readonly createMs: number;
  readonly updateMs: number;
  readonly version: number;
  readonly etagRevision: number;
  readonly mentionCount: number;
  readonly rank: number;
  readonly confidence: number;
  readonly lastSeenMs: number;
  readonly decayMs: number;
}

export function encodeMemory(key: string, row: MemoryRow): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, row.bodyNo);
  writer.number(2, row.byteCount);
  writer.number(3, row.textNo);
  writer.string(4, row.memoryId);
  writer.binary(5, row.scope);
  writer.number(6, row.kindNo);
  writer.number(7, row.past);
  writer.number(8, row.persistent);
  writer.number(9, row.tierNo);
  writer.number(10, row.expireMs);
  writer.binary(11, row.terms);
  writer.number(12, row.createMs);
  writer.number(13, row.updateMs);
  writer.number(14, row.version);
  writer.number(15, row.etagRevision);
  writer.number(16, row.mentionCount);
  writer.double(17, row.rank);
  writer.double(18, row.confidence);
  writer.double(19, row.lastSeenMs);
  writer.double(20, row.decayMs);
  writer.number(21, row.low);
  return finish(key);
}

export function decodeMemory(payload: Uint8Array): MemoryRow {
  const { bytes, number, text } = fieldsOf(payload, 21);
  return {
    bodyNo: number(1),
    byteCount: number(2),
    textNo: number(3),
    memoryId: text(4),
    scope: bytes(5),
    kindNo: number(6),
    past: number(7),
    persistent: number(8),
    tierNo: number(9),
    expireMs: number(10),
    terms: bytes(11),
    createMs: number(12),
    updateMs: number(13),
    version: number(14),
    etagRevision: number(15),
    mentionCount: number(16),
    rank: number(17),
    confidence: number(18),
    lastSeenMs: number(19),
    decayMs: number(20),
    low: number(21),
  };
}

/** The body of a state of a memory. By hand, as every Remember writes one. */
export function encodeMemoryBody(memory: Memory): Uint8Array {
  const { content, scope, source } = memory;
  const { aliases, attributes, parts } = structureParts(content.structure);
  writer.reset(0);
  writer.string(1, memory.memoryId);
  writer.string(2, scope.userId);
  writer.string(3, scope.agentId);
  writer.string(4, scope.sessionId);
  writer.string(5, content.text);
  writer.strings(6, parts);
  writer.strings(7, aliases);
  writer.strings(8, attributes);
  writer.string(9, content.key);
  writer.string(10, content.category);
  writer.strings(11, content.topics);
  writer.double(12, content.importance);
  writer.strings(13, pairsOf(content.labels));
  writer.bytes(14, content.metadata);
  writer.optionalDouble(15, content.validFromMs);
  writer.optionalDouble(16, content.validToMs);
  writer.number(17, memory.trust);
  writer.double(18, memory.ttlMs);
  writer.string(19, source.origin);
  writer.string(20, source.sessionId);
  writer.strings(21, source.messageIds);
  writer.string(22, source.hook);
  writer.string(23, source.model);
  writer.string(24, memory.supersededBy);
  writer.string(25, memory.writer);
  writer.string(26, memory.reason);
  writer.strings(27, memory.contradictsIds);
  return new Uint8Array(writer.buffer.subarray(0, writer.position));
}

type Parts = Pick<MemoryBodyRecord, "parts" | "aliases" | "attributes">;

function structureParts(structure: MemoryStructure | undefined): Parts {
  if (structure?.kind === "entity") {
    const { aliases, attributes, name, type } = structure.entity;
    return { parts: [name, type], aliases: [...aliases], attributes: pairsOf(attributes) };
  }
  const none = { aliases: [], attributes: [] };
  if (structure?.kind === "relation") {
    const { object, predicate, subject } = structure.relation;
    return { parts: [subject, predicate, object], ...none };
  }
  const episode = structure?.episode;
  return { parts: episode ? [episode.userText, episode.assistantText] : [], ...none };
}

function structureOf(kind: MemoryKind, record: Parts): MemoryStructure | undefined {
  const [first = "", second = "", third = ""] = record.parts;
  if (kind === "entity") {
    const attributes = mapOf(record.attributes);
    const { aliases } = record;
    return { kind, entity: { name: first, type: second, aliases, attributes } };
  }
  if (kind === "relation") {
    return { kind, relation: { subject: first, predicate: second, object: third } };
  }
  return kind === "episode"
    ? { kind, episode: { userText: first, assistantText: second } }
    : undefined;
}

function pairsOf(map: ReadonlyMap<string, string>): string[] {
  return [...map].flat();
}

function mapOf(pairs: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    map.set(pairs[at] ?? "", pairs[at + 1] ?? "");
  }
  return map;
}

/** The text of a state by its body. */
export function decodeMemoryText(payload: Uint8Array): string {
  return MemoryBodyRecord.decode(payload).text;
}

/** A memory of its number, row and body. Throws an Error when the body is another one's. */
export function memoryOf(memoryNo: number, row: MemoryRow, payload: Uint8Array): Memory {
  const body = MemoryBodyRecord.decode(payload);
  if (body.memoryId !== row.memoryId) {
    throw new Error("A body belongs to another memory.");
  }
  const { agentId, sessionId, userId } = body;
  const kind = kindAt(row.kindNo);
  return {
    memoryId: row.memoryId,
    memoryNo,
    kind,
    scope: { userId, agentId, sessionId },
    content: contentOf(kind, body),
    strength: {
      confidence: row.confidence,
      mentionCount: row.mentionCount,
      lastSeenMs: row.lastSeenMs,
      decayMs: row.decayMs,
    },
    trust: body.trust as Trust,
    persistent: row.persistent === 1,
    ttlMs: body.ttlMs,
    source: {
      origin: body.origin as MemoryOrigin,
      sessionId: body.sourceSessionId,
      messageIds: body.sourceMessageIds,
      hook: body.hook,
      model: body.model,
    },
    state: row.past === 1 ? "superseded" : "active",
    supersededBy: body.supersededBy,
    contradictsIds: body.contradictsIds,
    version: row.version,
    writer: body.writer,
    reason: body.reason,
    createMs: row.createMs,
    updateMs: row.updateMs,
    etagRevision: row.etagRevision,
  };
}

function contentOf(kind: MemoryKind, body: MemoryBodyRecord): Memory["content"] {
  return {
    text: body.text,
    structure: structureOf(kind, body),
    key: body.key,
    category: body.category,
    topics: body.topics,
    importance: body.importance,
    labels: mapOf(body.labels),
    metadata: new Uint8Array(body.metadata),
    validFromMs: body.validFromMs,
    validToMs: body.validToMs,
  };
}

/** A scope that holds memories, or once promoted a text. */
export interface ScopeRow {
  readonly scope: MemoryScope;
  /** How many memories of each tier it holds. */
  readonly counts: readonly number[];
  readonly updateMs: number;
  /** How many texts were ever promoted to it, and how many of them are remembered. */
  readonly promotedNo: number;
  readonly promotedCount: number;
}

export function encodeScope(key: string, { scope, ...row }: ScopeRow): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.string(1, scope.userId);
  writer.string(2, scope.agentId);
  writer.string(3, scope.sessionId);
  writer.packed(4, row.counts);
  writer.number(5, row.updateMs);
  writer.number(6, row.promotedNo);
  writer.number(7, row.promotedCount);
  return finish(key);
}

export function decodeScope(payload: Uint8Array): ScopeRow {
  const reader = new WireReader(payload);
  const scope = { userId: "", agentId: "", sessionId: "" };
  const numbers = new Array<number>(8).fill(0);
  let counts: readonly number[] = [];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) {
      scope.userId = reader.string();
    } else if (tag === 18) {
      scope.agentId = reader.string();
    } else if (tag === 26) {
      scope.sessionId = reader.string();
    } else if (tag === 34) {
      counts = reader.packed();
    } else if ((tag & 7) === 0 && tag >>> 3 < 8) {
      numbers[tag >>> 3] = reader.varint();
    } else {
      reader.unknown(tag);
    }
  }
  const [updateMs = 0, promotedNo = 0, promotedCount = 0] = numbers.slice(5);
  return { scope, counts, updateMs, promotedNo, promotedCount };
}

/** The jobs that a session waits for. */
export interface JobsRow {
  readonly sessionNo: number;
  /** By type. */
  readonly jobs: readonly MemoryJob[];
  /** Written before jobs had numbers: no list names them. Unset for others. */
  readonly isUnnumbered?: true;
}

/** A job as records hold it: older ones have no numbers. */
type StoredJob = Omit<MemoryJob, "policy" | "createRevision" | "callCount"> &
  Partial<MemoryJob> & { readonly policy: StoredMemoryPolicy };

export function encodeJobs(key: string, { jobs, sessionNo }: JobsRow): Buffer {
  writer.reset(ENVELOPE_BYTES);
  writer.number(1, sessionNo);
  writer.string(2, JSON.stringify(jobs));
  return finish(key);
}

export function decodeJobs(payload: Uint8Array): JobsRow {
  const { number, text } = fieldsOf(payload, 2);
  const jobs = JSON.parse(text(2)) as StoredJob[];
  const isUnnumbered = jobs.some(({ createRevision }) => createRevision === undefined);
  return {
    sessionNo: number(1),
    jobs: jobs.map((job) => ({
      ...job,
      // JSON leaves out what is undefined.
      policy: completeMemoryPolicy(job.policy),
      lastFailure: job.lastFailure,
      callCount: job.callCount ?? job.failedAttempts,
      createRevision: job.createRevision ?? job.generation,
    })),
    ...(isUnnumbered ? { isUnnumbered } : {}),
  };
}
