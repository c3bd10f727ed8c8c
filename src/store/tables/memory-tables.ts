// The tables of long-term memories and of the jobs on them. A namespace has a log number for its
// memories. A scope stands in a key as the 16 bytes of its id, a text as 16 bytes of its SHA-256,
// so that no key is too long. Bodies stand among the messages, which put them into an envelope.

import { hash } from "node:crypto";
import {
  MemoryBodyRecord,
  MemorySourceRecord,
} from "../../gen/memorysidecar/storage/v1/memory_records.ts";
import type { MemoryJob } from "../../memory/rules/job.ts";
import {
  MEMORY_KINDS,
  type Memory,
  type MemoryKind,
  type MemoryOrigin,
  type MemoryScope,
  type MemorySource,
  type MemoryStructure,
  type SourceSession,
} from "../../memory/rules/memory.ts";
import { keyOfPromotion } from "../../memory/rules/text-key.ts";
import type { Trust } from "../../summary/rules/summary.ts";
import { sized, textPart } from "../engine/keys.ts";
import {
  aByte,
  aNumber,
  aText,
  bucket,
  defineTable,
  field,
  lastText,
  mapped,
  NOTHING,
  ONE_NUMBER,
  ONE_TEXT,
  record,
  someBytes,
  startRecord,
} from "../engine/table.ts";
import { completeMemoryPolicy, type StoredMemoryPolicy } from "./policy-json.ts";

/** The bytes of a scope in a key. */
export const SCOPE_BYTES = 16;

/** Kinds of terms: their first byte. */
export const TERM = {
  name: 1,
  subject: 2,
  pastSubject: 3,
  object: 4,
  key: 5,
  pastKey: 6,
  /** Texts: plus the number of their kind. */
  text: 16,
} as const;

/** Lies above the classes of tiers. */
const LOW = 16;

/** The bytes of a term: what it stands for, and 16 of a digest. */
export const TERM_BYTES = 17;

/** The bytes of a message of a session in a key. */
const SOURCE_BYTES = 16;

/** The place of a memory. */
export interface MemoryPlace {
  readonly logNo: number;
  readonly memoryNo: number;
}

/** The id of a scope as the bytes of a key, which are those of a text. */
export function scopePart(scopeId: string): string {
  return Buffer.from(scopeId, "hex").toString("latin1");
}

/** The scope id in bytes of a key. */
export function readScopePart(part: string): string {
  return Buffer.from(part, "latin1").toString("hex");
}

/** The term of a text of any length. */
export function termOf(what: number, text: string): string {
  return String.fromCharCode(what) + hash("sha256", text, "binary").slice(0, TERM_BYTES - 1);
}

/** The term of a text of a kind by its key, which is a digest already. */
export function textTerm(kindNo: number, textKey: string): string {
  return String.fromCharCode(TERM.text + kindNo) + scopePart(textKey);
}

const number = Buffer.alloc(8);

/** A number that is not negative as 8 bytes that compare like it. */
export function rankPart(rank: number): string {
  // Zero is added because the negative one would be the highest.
  number.writeDoubleBE(rank + 0);
  return number.toString("latin1");
}

/** A class of memories that are ranked together. */
export interface RankClass {
  readonly tierNo: number;
  readonly persistent: number;
  readonly low: number;
}

/** A class as a byte of a key. */
export function rankClass({ tierNo, persistent, low }: RankClass): number {
  return LOW * low + tierNo * 2 + persistent;
}

/** A message of a session as the bytes of a key. */
export function sourcePart(sessionId: string, messageId: string): string {
  const text = sized(sessionId) + textPart(messageId);
  return hash("sha256", text, "binary").slice(0, SOURCE_BYTES);
}

const aScope = someBytes(SCOPE_BYTES);

/** The memories of a namespace. */
export interface MemoriesRow {
  /** The number under which they stand. */
  readonly logNo: number;
  readonly nextMemoryNo: number;
  readonly memoryCount: number;
  /** 1 when all are listed under the messages that they name. */
  readonly sourcesListed: number;
}

/** By namespace. */
export const MEMORIES = defineTable(0x1f, "memories", [lastText], {
  erasedWith: "nothing",
  record: record<MemoriesRow>({
    logNo: field.number(1),
    nextMemoryNo: field.number(2),
    memoryCount: field.number(3),
    sourcesListed: field.number(4),
  }),
  bucket: bucket.table,
});

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

const state = record<MemoryRow>({
  bodyNo: field.number(1),
  byteCount: field.number(2),
  textNo: field.number(3),
  memoryId: field.text(4),
  scope: field.binary(5),
  kindNo: field.number(6),
  past: field.number(7),
  persistent: field.number(8),
  tierNo: field.number(9),
  expireMs: field.number(10),
  terms: field.binary(11),
  createMs: field.number(12),
  updateMs: field.number(13),
  version: field.number(14),
  etagRevision: field.number(15),
  mentionCount: field.number(16),
  rank: field.double(17),
  confidence: field.double(18),
  lastSeenMs: field.double(19),
  decayMs: field.double(20),
  low: field.number(21),
});

/** The current state: log number, memory number. */
export const MEMORY = defineTable(0x20, "memory", [aNumber, aNumber], {
  record: state,
  bucket: bucket.allButLast,
  under: "memories",
});

export const MEMORY_ID = defineTable(0x21, "memory id", [aNumber, lastText], {
  record: ONE_NUMBER,
  under: "memories",
});

/** A former state: log number, memory number, revision number. */
export const MEMORY_PAST = defineTable(0x22, "memory", [aNumber, aNumber, aNumber], {
  record: state,
  bucket: bucket.allButLast,
  under: "memories",
});

/** A scope that holds memories, or once promoted a text. */
export interface ScopeRow {
  readonly scope: MemoryScope;
  /** Number of memories of each tier. */
  readonly counts: readonly number[];
  readonly updateMs: number;
  /** Number of texts ever promoted to it, and number of those still remembered. */
  readonly promotedNo: number;
  readonly promotedCount: number;
}

export const MEMORY_SCOPE = defineTable(0x23, "scope", [aNumber, aScope], {
  record: mapped(
    record({
      userId: field.text(1),
      agentId: field.text(2),
      sessionId: field.text(3),
      counts: field.numbers(4),
      updateMs: field.number(5),
      promotedNo: field.number(6),
      promotedCount: field.number(7),
    }),
    ({ scope, ...row }: ScopeRow) => ({ ...scope, ...row }),
    ({ userId, agentId, sessionId, ...row }) => ({
      scope: { userId, agentId, sessionId },
      ...row,
    }),
  ),
  bucket: bucket.firstNumber,
  under: "memories",
});

const LIST = { bucket: bucket.allButLast, under: "memories" } as const;

/** Log number, scope, kind and whether it is past, memory number. */
export const MEMORY_IN = defineTable(0x24, "memory of a scope", [aNumber, aScope, aByte, aNumber], {
  record: NOTHING,
  ...LIST,
});

/** Log number, user, memory number. */
export const MEMORY_OF = defineTable(0x25, "memory of a user", [aNumber, aText, aNumber], {
  record: NOTHING,
  ...LIST,
});

/** Log number, scope, term, memory number. */
export const MEMORY_TERM = defineTable(
  0x26,
  "term of a memory",
  [aNumber, aScope, someBytes(TERM_BYTES), aNumber],
  { record: NOTHING, ...LIST },
);

/** Log number, scope, class, rank, memory number. */
export const MEMORY_RANK = defineTable(
  0x27,
  "rank of a memory",
  [aNumber, aScope, aByte, someBytes(8), aNumber],
  { record: NOTHING, ...LIST, bucket: bucket.allButTwo },
);

/** Of those that do not live for ever, the namespace: ms, log number, memory number. */
export const MEMORY_END = defineTable(0x28, "end of a memory", [aNumber, aNumber, aNumber], {
  erasedWith: "memory",
  record: ONE_TEXT,
  bucket: bucket.table,
});

/** The number of the promotion of a text: log number, scope, key of the text. */
export const PROMOTED = defineTable(0x29, "promoted text", [aNumber, aScope, lastText], {
  record: ONE_NUMBER,
  under: "memories",
});

/** The mark of a promotion, which begins with the key of its text: log number, scope, number. */
export const PROMOTED_AT = defineTable(0x2a, "promotion", [aNumber, aScope, aNumber], {
  record: ONE_TEXT,
  bucket: bucket.allButLast,
  under: "memories",
});

/** The key of a promotion by its mark. */
export function promotedKey(logNo: number, scope: string, mark: string): string {
  return PROMOTED.key(logNo, scope, keyOfPromotion(mark));
}

/** Namespaces that hold memories. */
export const MEMORY_HELD = defineTable(0x2d, "namespace with memories", [lastText], {
  erasedWith: "nothing",
  record: NOTHING,
  bucket: bucket.table,
});

/** Scopes that hold memories. */
export const MEMORY_HELD_IN = defineTable(0x2e, "scope with memories", [aNumber, aScope], {
  record: NOTHING,
  bucket: bucket.firstNumber,
  under: "memories",
});

/** Number of former states of a memory that wait to be erased. */
export const MEMORY_GONE = defineTable(0x2f, "erased memory", [aNumber, aNumber], {
  record: ONE_NUMBER,
  bucket: bucket.table,
  under: "memories",
});

/** The messages that a memory names now: log number, message of a session, memory number. */
export const MEMORY_SOURCE = defineTable(
  0x34,
  "source of a memory",
  [aNumber, someBytes(SOURCE_BYTES), aNumber],
  { record: NOTHING, ...LIST },
);

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

/** The jobs of a session, by namespace and session id. */
export const MEMORY_JOBS = defineTable(0x2b, "jobs", [aText, lastText], {
  erasedWith: "session",
  record: mapped(
    record({ sessionNo: field.number(1), text: field.text(2) }),
    ({ jobs, sessionNo }: JobsRow) => ({ sessionNo, text: JSON.stringify(jobs) }),
    jobsOf,
  ),
  bucket: bucket.firstText,
});

function jobsOf({ sessionNo, text }: { sessionNo: number; text: string }): JobsRow {
  const jobs = JSON.parse(text) as StoredJob[];
  const isUnnumbered = jobs.some(({ createRevision }) => createRevision === undefined);
  return {
    sessionNo,
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

/** The key of the jobs, of ready ones: ms, session number, job type. */
export const MEMORY_DUE = defineTable(0x2c, "due jobs", [aNumber, aNumber, aByte], {
  erasedWith: "session",
  record: ONE_TEXT,
  bucket: bucket.table,
});

/** The key of the jobs: namespace, task number. */
export const MEMORY_TASK = defineTable(0x33, "numbered job", [aText, aNumber], {
  erasedWith: "session",
  record: ONE_TEXT,
  bucket: bucket.allButLast,
});

function kindAt(no: number): MemoryKind {
  const kind = MEMORY_KINDS[no - 1];
  if (kind === undefined) throw new Error("A memory has no known kind.");
  return kind;
}

/** The body of a state of a memory. By hand, as every Remember writes one. */
export function encodeMemoryBody(memory: Memory): Uint8Array {
  const { content, scope, source } = memory;
  const { aliases, attributes, parts } = structureParts(content.structure);
  const writer = startRecord(0);
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
  writer.optionalDouble(28, source.erasedMs);
  writer.number(29, source.isVouched === true ? 1 : 0);
  writer.strings(30, ownerStrings(source));
  for (const one of source.further ?? []) {
    writer.bytes(31, MemorySourceRecord.encode(furtherRecord(one)).finish());
  }
  return new Uint8Array(writer.buffer.subarray(0, writer.position));
}

function ownerStrings({ owner }: SourceSession): string[] {
  return owner === undefined ? [] : [owner.userId, owner.agentId];
}

function furtherRecord(one: SourceSession): MemorySourceRecord {
  const { sessionId, messageIds, isCut } = one;
  return {
    ...{ sessionId, messageIds: [...messageIds], owner: ownerStrings(one) },
    cut: isCut === true ? 1n : 0n,
  };
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
  if (body.memoryId !== row.memoryId) throw new Error("A body belongs to another memory.");
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
      ...(body.erasedMs === undefined ? {} : { erasedMs: body.erasedMs }),
      ...(body.vouched === 0n ? {} : { isVouched: true }),
      ...ownerPart(body.sourceOwner),
      ...furtherPart(body.furtherSources),
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

// Both are empty for the session of nobody; there are none where the owner is not known.
function ownerPart([userId, agentId = ""]: readonly string[]): Pick<Memory["source"], "owner"> {
  return userId === undefined ? {} : { owner: { userId, agentId } };
}

function furtherPart(records: readonly MemorySourceRecord[]): Pick<MemorySource, "further"> {
  if (records.length === 0) return {};
  const further = records.map(({ sessionId, messageIds, owner, cut }) => ({
    ...{ sessionId, messageIds, ...ownerPart(owner) },
    ...(cut === 0n ? {} : { isCut: true }),
  }));
  return { further };
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
