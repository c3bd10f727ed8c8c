// The rules of memories that come in.

import { LIMITS } from "../../domain/limits.ts";
import {
  type Entity,
  type Episode,
  type Memory,
  MemoryKind,
  type MemorySource,
  type Relation,
} from "../../gen/memorysidecar/v1/memory.ts";
import { Trust } from "../../gen/memorysidecar/v1/message.ts";
import { fromTimestamp } from "../convert/time.ts";
import {
  checkCount,
  checkEnum,
  checkId,
  checkLabels,
  checkRange,
  checkRequiredId,
  checkRequiredText,
  checkStruct,
  checkText,
  checkTimestamp,
  checkTtl,
} from "./fields.ts";
import { checkScope } from "./scope.ts";
import type { Violations } from "./violations.ts";

const SHARE = { min: 0, max: 1 };

const STRUCTURES = {
  entity: { kind: MemoryKind.ENTITY, name: "MEMORY_KIND_ENTITY" },
  relation: { kind: MemoryKind.RELATION, name: "MEMORY_KIND_RELATION" },
  episode: { kind: MemoryKind.EPISODE, name: "MEMORY_KIND_EPISODE" },
} as const;

/** Checks an optional number from 0 to 1. */
export function checkShare(v: Violations, field: string, share: number | undefined): void {
  if (share !== undefined) checkRange(v, field, share, SHARE);
}

/** Checks a list of texts none of which may be empty. */
export function checkTexts(
  v: Violations,
  field: string,
  texts: readonly string[],
  { count, bytes }: { readonly count: number; readonly bytes: number },
): void {
  checkCount(v, field, texts.length, count);
  for (let index = 0; index < texts.length && index < count && !v.full; index++) {
    checkRequiredText(v, `${field}[${index}]`, texts[index] ?? "", bytes);
  }
}

const TOPICS = { count: LIMITS.memoryTopics, bytes: LIMITS.memoryTopicBytes };

/** Checks a memory that is to be remembered. */
export function checkNewMemory(v: Violations, memory: Memory): void {
  checkId(v, "memory_id", memory.memoryId, LIMITS.memoryIdBytes);
  checkEnum(v, "kind", memory.kind, MemoryKind);
  checkKind(v, memory);
  checkScope(v, memory);
  checkContent(v, memory);
  checkTrust(v, memory.trust);
  checkSource(v, memory.source);
  checkValidity(v, memory);
  checkTimestamp(v, "last_seen_time", memory.lastSeenTime);
}

/** Checks the content of a memory that is to be changed: what is fixed is not looked at. */
export function checkChangedMemory(v: Violations, memory: Memory): void {
  checkContent(v, memory);
  checkTrust(v, memory.trust);
  checkTimestamp(v, "valid_from_time", memory.validFromTime);
  checkTimestamp(v, "valid_until_time", memory.validUntilTime);
  checkTimestamp(v, "last_seen_time", memory.lastSeenTime);
}

function checkKind(v: Violations, { kind, structure, text }: Memory): void {
  const given = structure?.$case;
  for (const [name, of] of Object.entries(STRUCTURES)) {
    if (given === name && kind !== of.kind) v.add(name, `must be unset unless kind is ${of.name}`);
  }
  if (kind === MemoryKind.RELATION || kind === MemoryKind.EPISODE) {
    const name = kind === MemoryKind.RELATION ? "relation" : "episode";
    if (given !== name) v.add(name, `is required for ${STRUCTURES[name].name}`);
  } else if (given !== "entity" || kind !== MemoryKind.ENTITY) {
    checkWords(v, "text", text);
    if (kind === MemoryKind.ENTITY) checkText(v, "text", text, LIMITS.entityNameBytes);
  }
}

function checkContent(v: Violations, memory: Memory): void {
  checkText(v, "text", memory.text, LIMITS.memoryTextBytes);
  checkStructure(v, memory.structure);
  checkText(v, "key", memory.key, LIMITS.memoryKeyBytes);
  checkText(v, "category", memory.category, LIMITS.memoryCategoryBytes);
  checkTexts(v, "topics", memory.topics, TOPICS);
  checkShare(v, "importance", memory.importance);
  checkShare(v, "confidence", memory.confidence);
  checkLabels(v, memory.labels);
  checkStruct(v, "metadata", memory.metadata, LIMITS.metadataBytes);
  checkTtl(v, "ttl", memory.ttl);
}

function checkTrust(v: Violations, trust: Trust): void {
  if (trust === Trust.HIGH) {
    v.add("trust", "must be TRUST_MEDIUM or TRUST_LOW: TRUST_HIGH is for the operator");
  } else checkEnum(v, "trust", trust, Trust);
}

function checkSource(v: Violations, source: MemorySource | undefined): void {
  if (source === undefined) return;
  const { sessionId, messageIds } = source;
  v.enter("source");
  checkId(v, "session_id", sessionId, LIMITS.sessionIdBytes);
  const count = LIMITS.memorySourceMessages;
  checkCount(v, "message_ids", messageIds.length, count);
  for (let index = 0; index < messageIds.length && index < count && !v.full; index++) {
    checkRequiredId(v, `message_ids[${index}]`, messageIds[index] ?? "", LIMITS.messageIdBytes);
  }
  v.leave();
}

/** Checks since when and until when a memory is true. Times are kept in whole milliseconds. */
function checkValidity(
  v: Violations,
  { validFromTime, validUntilTime }: Pick<Memory, "validFromTime" | "validUntilTime">,
): void {
  checkTimestamp(v, "valid_from_time", validFromTime);
  checkTimestamp(v, "valid_until_time", validUntilTime);
  checkOrder(v, validFromTime, validUntilTime);
}

/** Checks that a memory is true for a millisecond at least. */
export function checkOrder(
  v: Violations,
  from: Memory["validFromTime"],
  to: Memory["validUntilTime"],
): void {
  if (from === undefined || to === undefined) return;
  if (fromTimestamp(to) <= fromTimestamp(from)) {
    v.add("valid_until_time", "must be after valid_from_time, by a millisecond at least");
  }
}

function checkStructure(v: Violations, structure: Memory["structure"]): void {
  if (structure === undefined) return;
  v.enter(structure.$case);
  if (structure.$case === "entity") checkEntity(v, structure.value);
  else if (structure.$case === "relation") checkRelation(v, structure.value);
  else checkEpisode(v, structure.value);
  v.leave();
}

/** Checks that a text has more than white space. */
function checkWords(v: Violations, field: string, text: string): void {
  if (text === "") v.add(field, "is required");
  else if (text.trim() === "") v.add(field, "must not be blank");
}

function checkName(v: Violations, field: string, name: string, bytesMax: number): void {
  checkWords(v, field, name);
  checkText(v, field, name, bytesMax);
}

function checkEntity(v: Violations, { name, type, aliases, attributes }: Entity): void {
  checkName(v, "name", name, LIMITS.entityNameBytes);
  checkText(v, "type", type, LIMITS.entityTypeBytes);
  checkCount(v, "aliases", aliases.length, LIMITS.entityAliases);
  for (const [index, alias] of aliases.entries()) {
    if (v.full || index >= LIMITS.entityAliases) break;
    checkName(v, `aliases[${index}]`, alias, LIMITS.entityNameBytes);
  }
  checkCount(v, "attributes", attributes.size, LIMITS.entityAttributes);
  for (const [key, value] of attributes) {
    if (v.full) return;
    checkAttribute(v, key, value);
  }
}

function checkAttribute(v: Violations, key: string, value: string): void {
  const keyMax = LIMITS.entityAttributeKeyBytes;
  const valueMax = LIMITS.entityAttributeValueBytes;
  if (key === "") v.addKey("attributes", key, { description: "has an empty key" });
  else if (Buffer.byteLength(key) > keyMax) {
    const description = `has a key that is longer than ${keyMax} bytes`;
    v.addKey("attributes", key, { description, limit: keyMax });
  } else if (Buffer.byteLength(value) > valueMax) {
    const description = `is longer than ${valueMax} bytes`;
    v.addKey("attributes", key, { description, limit: valueMax });
  }
}

function checkRelation(v: Violations, { subject, predicate, objectValue }: Relation): void {
  checkName(v, "subject", subject, LIMITS.relationSubjectBytes);
  checkName(v, "predicate", predicate, LIMITS.relationPredicateBytes);
  checkName(v, "object_value", objectValue, LIMITS.relationObjectBytes);
}

function checkEpisode(v: Violations, { userText, assistantText }: Episode): void {
  if (userText === "" && assistantText === "") {
    v.add("user_text", "is required, or assistant_text");
  }
  checkText(v, "user_text", userText, LIMITS.episodeTextBytes);
  checkText(v, "assistant_text", assistantText, LIMITS.episodeTextBytes);
}
