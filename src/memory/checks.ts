// Checks of requests about memories that join fields; those of single fields are generated.

import { ExtractionTime, type Memory, MemoryKind } from "../gen/memorysidecar/v1/memory.ts";
import type {
  ExtractMemoriesRequest,
  ForgetMemoriesRequest,
  MergeEntitiesRequest,
  QueryRelationsRequest,
  RememberRequest,
  UpdateMemoryRequest,
} from "../gen/memorysidecar/v1/memory_service.ts";
import { Trust } from "../gen/memorysidecar/v1/message.ts";
import { checkDistinct, checkText } from "../grpc/fields.ts";
import { checkMask, MEMORY_MASK } from "../grpc/mask.ts";
import { fromTimestamp } from "../grpc/time.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { checkMemoryFilter } from "../recall/filter-wire.ts";
import { checkExtraction, checkScoringRules } from "./policy-wire.ts";
import { memoryPaths } from "./wire.ts";

const STRUCTURE_KINDS = {
  entity: MemoryKind.ENTITY,
  relation: MemoryKind.RELATION,
  episode: MemoryKind.EPISODE,
} as const;

/** Checks a memory that is to be remembered. */
export function checkNewMemory(v: Violations, memory: Memory): void {
  const { kind, structure, text } = memory;
  const given = structure?.$case;
  if (given !== undefined && kind !== STRUCTURE_KINDS[given]) {
    v.add(given, `must be unset unless kind is MEMORY_KIND_${given.toUpperCase()}`);
  }
  if (kind === MemoryKind.RELATION || kind === MemoryKind.EPISODE) {
    const name = kind === MemoryKind.RELATION ? "relation" : "episode";
    if (given !== name) v.add(name, `is required for MEMORY_KIND_${name.toUpperCase()}`);
  } else if (given !== "entity" || kind !== MemoryKind.ENTITY) {
    if (text === "") v.add("text", "is required");
    else if (text.trim() === "") v.add("text", "must not be blank");
    if (kind === MemoryKind.ENTITY) checkText(v, "text", text, LIMITS.entityNameBytes);
  }
  checkGiven(v, memory);
  checkOrder(v, memory);
}

/** Checks that a memory is valid for a millisecond at least: times are kept in whole ones. */
function checkOrder(v: Violations, { validFromTime: from, validUntilTime: to }: Memory): void {
  if (from === undefined || to === undefined) return;
  if (fromTimestamp(to) <= fromTimestamp(from)) {
    v.add("valid_until_time", "must be after valid_from_time, by a millisecond at least");
  }
}

/** Checks the fields that callers may set and change. */
function checkGiven(v: Violations, { trust, structure }: Memory): void {
  if (trust === Trust.HIGH) {
    v.add("trust", "must be TRUST_MEDIUM or TRUST_LOW: TRUST_HIGH is for the operator");
  }
  if (structure?.$case !== "episode") return;
  const { userText, assistantText } = structure.value;
  if (userText === "" && assistantText === "") {
    v.add("episode.user_text", "is required, or assistant_text");
  }
}

export function checkRemember({ memories }: RememberRequest, v: Violations): void {
  const seen = new Set<string>();
  for (const [index, memory] of memories.entries()) {
    if (v.full) return;
    v.enterItem("memories", index);
    checkNewMemory(v, memory);
    const { memoryId } = memory;
    if (seen.has(memoryId)) v.add("memory_id", "is used twice in this request");
    if (memoryId !== "") seen.add(memoryId);
    v.leaveItem();
  }
}

export function checkUpdateMemory(request: UpdateMemoryRequest, v: Violations): void {
  const { memory, updateMask } = request;
  if (memory !== undefined) {
    v.enter("memory");
    if (memory.memoryId === "") v.add("memory_id", "is required");
    checkGiven(v, memory);
    const paths: readonly string[] = memoryPaths(memory, updateMask);
    for (const name of Object.keys(STRUCTURE_KINDS)) {
      if (paths.includes(name) && memory.structure?.$case !== name) {
        v.add(name, "is required when update_mask names it");
      }
    }
    if (paths.includes("valid_from_time") && paths.includes("valid_until_time")) {
      checkOrder(v, memory);
    }
    v.leave();
  }
  checkMask(v, updateMask, MEMORY_MASK);
}

export function checkForgetMemories(request: ForgetMemoriesRequest, v: Violations): void {
  checkDistinct(v, "memory_ids", request.memoryIds);
  if (request.etag !== "" && request.memoryIds.length > 1) {
    v.add("etag", "must be empty unless the request names one memory");
  }
}

export function checkMergeEntities(request: MergeEntitiesRequest, v: Violations): void {
  const { targetMemoryId, sourceMemoryIds } = request;
  checkDistinct(v, "source_memory_ids", sourceMemoryIds);
  const own = sourceMemoryIds.indexOf(targetMemoryId);
  if (own >= 0) v.add(`source_memory_ids[${own}]`, "is the target itself");
}

export function checkQueryRelations(request: QueryRelationsRequest, v: Violations): void {
  checkMemoryFilter(v, request.filter);
  if (request.filter !== undefined && request.filter.kinds.length > 0) {
    v.add("filter.kinds", "must be empty: only relations are looked at");
  }
  const { subject, objectValue, entity } = request;
  if (entity !== undefined && (subject !== undefined || objectValue !== undefined)) {
    v.add("entity", "must be unset together with subject or object_value");
  }
}

export function checkExtractMemories(request: ExtractMemoriesRequest, v: Violations): void {
  const { sessionId, text } = request;
  if (sessionId === "" && text === "") v.add("session_id", "is required unless text is given");
  else if (sessionId !== "" && text !== "") v.add("text", "must be empty with session_id");
  checkSeqs(v, request);
  // Memories of a session belong to its user and agent.
  if (sessionId !== "" && request.scope !== undefined) {
    v.add("scope", "must be unset with session_id");
  }
  checkExtraction(v, request.extraction);
  if (request.extraction?.on === ExtractionTime.TRIM) {
    v.add("extraction.on", "has no effect here, where messages are looked at now: leave it out");
  }
  checkScoringRules(v, request.importanceRules);
  if (!request.preview && request.importanceRules.length > 0) {
    v.add("importance_rules", "must be empty without preview");
  }
}

function checkSeqs(v: Violations, { sessionId, firstSeq, lastSeq }: ExtractMemoriesRequest): void {
  if (sessionId === "") {
    if (firstSeq !== 0n) v.add("first_seq", "must be 0 without session_id");
    if (lastSeq !== 0n) v.add("last_seq", "must be 0 without session_id");
  } else if (lastSeq !== 0n && lastSeq < firstSeq) {
    v.add("last_seq", "must not be below first_seq");
  }
}
