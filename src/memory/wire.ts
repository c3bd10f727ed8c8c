// Memories between the wire and the domain. Metadata stays the bytes that came in.

import { fromMemoryKind, toMemoryKind, toMemoryOrigin } from "../core/wire.ts";
import * as wire from "../gen/memorysidecar/v1/memory.ts";
import type * as memoryServiceWire from "../gen/memorysidecar/v1/memory_service.ts";
import { Trust } from "../gen/memorysidecar/v1/message.ts";
import { numbersByWord, wordsByNumber } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { changedPaths, MEMORY_MASK } from "../grpc/mask.ts";
import {
  floorTimestamp,
  fromOptionalSpan,
  fromOptionalTimestamp,
  toDuration,
  toTimestamp,
} from "../grpc/time.ts";
import type { Etags } from "../kit/etag.ts";
import { type IdRoom, takeIds } from "../kit/id-list.ts";
import { LIMITS } from "../kit/limits.ts";
import { flattenMetadata } from "../recall/indexed-wire.ts";
import { sortedLabels } from "../session/wire.ts";
import { TRUST } from "../summary/rules/summary.ts";
import type {
  ChangedMemory,
  ConflictInput,
  MemoryDraft,
  MemoryPath,
  RememberResult,
} from "./api.ts";
import {
  type Entity,
  type Memory,
  type MemoryScope,
  type MemorySource,
  type MemoryStructure,
  memoryExpireMs,
} from "./rules/memory.ts";
import type { DedupeRule } from "./rules/rules.ts";

const DEFAULT_ENTITY_TYPE = "other";

function fromEntity({ name, type, aliases, attributes }: wire.Entity): Entity {
  return { name, type: type === "" ? DEFAULT_ENTITY_TYPE : type, aliases, attributes };
}

/** Gives the structure that a memory came with; undefined for none. */
function fromStructure(structure: wire.Memory["structure"]): MemoryStructure | undefined {
  switch (structure?.$case) {
    case "entity":
      return { kind: "entity", entity: fromEntity(structure.value) };
    case "relation": {
      const { subject, predicate, objectValue: object } = structure.value;
      return { kind: "relation", relation: { subject, predicate, object } };
    }
    case "episode": {
      const { userText, assistantText } = structure.value;
      return { kind: "episode", episode: { userText, assistantText } };
    }
    case undefined:
      return undefined;
  }
}

function fromScope({ userId, agentId, sessionId }: wire.Memory): MemoryScope {
  return { userId, agentId, sessionId };
}

/** Gives a checked memory of a request to the service. */
export function toMemoryDraft(memory: wire.Memory): MemoryDraft {
  const { lastSeenTime, source } = memory;
  return {
    memoryId: memory.memoryId,
    kind: fromMemoryKind(memory.kind),
    scope: fromScope(memory),
    text: memory.text,
    structure: fromStructure(memory.structure),
    key: memory.key,
    category: memory.category,
    topics: memory.topics,
    importance: memory.importance,
    confidence: memory.confidence,
    trust: memory.trust === Trust.LOW ? TRUST.low : TRUST.medium,
    persistent: memory.persistent,
    labels: sortedLabels(memory.labels),
    // A copy: the decoded bytes are a slice of a shared pool, which they would keep alive.
    metadata: new Uint8Array(memory.metadata),
    validFromMs: fromOptionalTimestamp(memory.validFromTime),
    validToMs: fromOptionalTimestamp(memory.validUntilTime),
    ttlMs: fromOptionalSpan(memory.ttl, 0),
    source: { sessionId: source?.sessionId ?? "", messageIds: source?.messageIds ?? [] },
    lastSeenMs: lastSeenTime === undefined ? undefined : floorTimestamp(lastSeenTime),
    etag: memory.etag,
  };
}

function toStructure(structure: MemoryStructure | undefined): wire.Memory["structure"] {
  switch (structure?.kind) {
    case "entity": {
      const { name, type, aliases, attributes } = structure.entity;
      const value = { name, type, aliases: [...aliases], attributes: new Map(attributes) };
      return { $case: "entity", value };
    }
    case "relation": {
      const { subject, predicate, object: objectValue } = structure.relation;
      return { $case: "relation", value: { subject, predicate, objectValue } };
    }
    case "episode":
      return { $case: "episode", value: structure.episode };
    case undefined:
      return undefined;
  }
}

function toSource(source: MemorySource): wire.MemorySource {
  const { origin, sessionId, messageIds, hook, model, erasedMs } = source;
  return {
    ...{ origin: toMemoryOrigin(origin), sessionId, messageIds: [...messageIds], hook, model },
    eraseTime: optionalTime(erasedMs),
  };
}

function optionalTime(ms: number | undefined): wire.Memory["validFromTime"] {
  return ms === undefined ? undefined : toTimestamp(ms);
}

const STATES = numbersByWord(wire.MemoryState);

/** Turns a memory into its public form. One that is not stored has no id and no etag. */
export function toMemory(memory: Memory, etags?: Etags): wire.Memory {
  const { content, strength } = memory;
  return {
    memoryId: memory.memoryId,
    kind: toMemoryKind(memory.kind),
    ...memory.scope,
    text: content.text,
    structure: toStructure(content.structure),
    key: content.key,
    category: content.category,
    topics: [...content.topics],
    importance: content.importance,
    confidence: strength.confidence,
    trust: memory.trust,
    persistent: memory.persistent,
    labels: new Map(content.labels),
    metadata: Buffer.from(content.metadata),
    validFromTime: optionalTime(content.validFromMs),
    validUntilTime: optionalTime(content.validToMs),
    ttl: memory.ttlMs === 0 ? undefined : toDuration(memory.ttlMs),
    source: toSource(memory.source),
    state: STATES[memory.state],
    supersededByMemoryId: memory.supersededBy,
    contradictsMemoryIds: [...memory.contradictsIds],
    mentionCount: strength.mentionCount,
    lastSeenTime: toTimestamp(strength.lastSeenMs),
    version: BigInt(memory.version),
    writer: memory.writer,
    reason: memory.reason,
    createTime: toTimestamp(memory.createMs),
    updateTime: toTimestamp(memory.updateMs),
    expireTime: optionalTime(memoryExpireMs(memory)),
    etag: memory.memoryId === "" ? "" : (etags?.of(memory.etagRevision) ?? ""),
  };
}

/** Turns a changed memory into the public form of an answer. */
export function toChanged({ memory, revision }: ChangedMemory, etags: Etags) {
  return { memory: toMemory(memory, etags), revision: BigInt(revision) };
}

/** Gives the public wire form of a memory. */
export function encodeMemory(memory: Memory, etags: Etags): Uint8Array {
  return encodeWire(wire.Memory, toMemory(memory, etags));
}

/** The wire forms of memories, for the layers below. */
export const MEMORY_CODEC = {
  /** Searches ignore etags. */
  encodeMemory: (memory: Memory) => encodeWire(wire.Memory, toMemory(memory)),
  /** The metadata of a memory as filters see it. */
  flatMetadata: flattenMetadata,
};

// Paths of a memory that an update changes.

const STRUCTURES: ReadonlySet<string> = new Set(["entity", "relation", "episode"]);

/**
 * Gives the paths that an update changes: those of the mask, or all that are set; `*` names of the
 * structures only the one that is set.
 */
export function memoryPaths(
  memory: wire.Memory,
  mask: readonly string[] | undefined,
): readonly MemoryPath[] {
  const { structure } = memory;
  const isSet = {
    text: memory.text !== "",
    entity: structure?.$case === "entity",
    relation: structure?.$case === "relation",
    episode: structure?.$case === "episode",
    key: memory.key !== "",
    category: memory.category !== "",
    topics: memory.topics.length > 0,
    importance: memory.importance !== undefined,
    confidence: memory.confidence !== undefined,
    trust: memory.trust !== Trust.UNSPECIFIED,
    persistent: memory.persistent,
    labels: memory.labels.size > 0,
    metadata: memory.metadata.length > 0,
    valid_from_time: memory.validFromTime !== undefined,
    valid_until_time: memory.validUntilTime !== undefined,
    ttl: memory.ttl !== undefined,
    last_seen_time: memory.lastSeenTime !== undefined,
  };
  const paths = changedPaths(mask, MEMORY_MASK.changeable, (path) => isSet[path]);
  if (mask?.includes("*") !== true) return paths;
  return paths.filter((path) => !STRUCTURES.has(path) || path === structure?.$case);
}

// Rules and results of remembering, between the wire and the domain.

const THRESHOLD_DEFAULT = 0.9;

const DEDUPES = wordsByNumber(wire.DedupeMode, "same-text");
const CONFLICTS = wordsByNumber(wire.ConflictMode, "keep-both");
const OUTCOMES = numbersByWord(wire.RememberOutcome);

/** Fills in the defaults of a dedupe rule. */
export function fromDedupe(rule: wire.DedupeRule | undefined): DedupeRule {
  const window = rule?.window ?? 0;
  return {
    mode: DEDUPES[rule?.mode ?? 0] ?? "same-text",
    threshold: rule?.threshold ?? THRESHOLD_DEFAULT,
    window: window === 0 ? LIMITS.dedupeWindowDefault : window,
    keepUnchanged: rule?.keepUnchanged ?? false,
  };
}

/** Fills in the defaults of a conflict rule. */
export function fromConflict(rule: wire.ConflictRule | undefined): ConflictInput {
  return {
    mode: CONFLICTS[rule?.mode ?? 0] ?? "keep-both",
    hook: rule?.hook ?? "",
    singleObject: rule?.singleObject ?? false,
  };
}

/**
 * The room that an answer has for ids of memories: one change can name more of them than an answer
 * may hold.
 */
export function memoryIdRoom(): IdRoom {
  return { count: LIMITS.scopeMemories, bytes: LIMITS.pageBytes };
}

/** Turns the results for memories into their public form. */
export function toRememberResponse(result: RememberResult): memoryServiceWire.RememberResponse {
  const room = memoryIdRoom();
  const results = result.results.map(({ memoryId, outcome, etag, supersededIds }) => ({
    memoryId,
    outcome: OUTCOMES[outcome],
    etag,
    supersededMemoryIds: takeIds(supersededIds, room),
  }));
  const evictedMemoryIds = takeIds(result.evictedIds, room);
  return { results, evictedMemoryIds, revision: BigInt(result.revision) };
}
