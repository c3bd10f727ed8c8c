// Memories between the wire and the domain. Metadata stays the bytes that came in.

import type { Etags } from "../../domain/etag.ts";
import {
  type Entity,
  type Memory,
  type MemoryScope,
  type MemorySource,
  type MemoryStructure,
  memoryExpireMs,
} from "../../domain/memories/memory.ts";
import { TRUST } from "../../domain/summaries/summary.ts";
import * as wire from "../../gen/memorysidecar/v1/memory.ts";
import { Trust } from "../../gen/memorysidecar/v1/message.ts";
import type { MemoryDraft } from "../../service/memory-api.ts";
import { encodeWire } from "../fast-writer.ts";
import { flattenMetadata } from "./flat-metadata.ts";
import { fromMemoryKind, toMemoryKind, toMemoryOrigin } from "./memory-enums.ts";
import { sortedLabels } from "./session.ts";
import {
  floorTimestamp,
  fromOptionalSpan,
  fromTimestamp,
  toDuration,
  toTimestamp,
} from "./time.ts";

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

function optionalMs(time: wire.Memory["validFromTime"]): number | undefined {
  return time === undefined ? undefined : fromTimestamp(time);
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
    // A copy of its own: what was decoded is a slice of a shared pool, which it would keep alive.
    metadata: new Uint8Array(memory.metadata),
    validFromMs: optionalMs(memory.validFromTime),
    validToMs: optionalMs(memory.validUntilTime),
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

function toSource({ origin, sessionId, messageIds, hook, model }: MemorySource): wire.MemorySource {
  return { origin: toMemoryOrigin(origin), sessionId, messageIds: [...messageIds], hook, model };
}

function optionalTime(ms: number | undefined): wire.Memory["validFromTime"] {
  return ms === undefined ? undefined : toTimestamp(ms);
}

/** Turns a memory into its public form. One that is not stored has no id and no etag. */
export function toMemory(memory: Memory, etags?: Etags): wire.Memory {
  const { content, strength, state } = memory;
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
    state: state === "active" ? wire.MemoryState.ACTIVE : wire.MemoryState.SUPERSEDED,
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

/** Gives the public wire form of a memory. */
export function encodeMemory(memory: Memory, etags: Etags): Uint8Array {
  return encodeWire(wire.Memory, toMemory(memory, etags));
}

/** What the layers below need of the wire forms of memories. */
export const MEMORY_CODEC = {
  /** Searches look at no etag. */
  encodeMemory: (memory: Memory) => encodeWire(wire.Memory, toMemory(memory)),
  /** The metadata of a memory as filters look at it. */
  flatMetadata: flattenMetadata,
};
