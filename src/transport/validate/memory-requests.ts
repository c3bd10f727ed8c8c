// The rules of the requests that remember, read and change memories, one function each.

import { LIMITS } from "../../domain/limits.ts";
import {
  ConflictMode,
  type ConflictRule,
  DedupeMode,
  type DedupeRule,
  MemoryOrder,
} from "../../gen/memorysidecar/v1/memory.ts";
import type {
  DecayMemoriesRequest,
  ForgetMemoriesRequest,
  GetMemoryRequest,
  ListMemoriesRequest,
  ListMemoryVersionsRequest,
  MergeEntitiesRequest,
  PurgeMemoriesRequest,
  ReinforceMemoriesRequest,
  RememberRequest,
  RestoreMemoryVersionRequest,
  UpdateMemoryRequest,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { memoryPaths } from "../convert/memory-paths.ts";
import {
  checkAge,
  checkCount,
  checkEnum,
  checkNamespace,
  checkPage,
  checkRange,
  checkRequestId,
  checkRequiredId,
  checkText,
  checkTimestamp,
} from "./fields.ts";
import { checkMask, MEMORY_MASK } from "./mask.ts";
import { checkChangedMemory, checkNewMemory, checkOrder, checkShare } from "./memory.ts";
import { checkMemoryFilter, checkRequiredFilter } from "./memory-filter.ts";
import { checkHookName } from "./policy-summary.ts";
import type { Violations } from "./violations.ts";

const MAX_MEMORIES = { min: 0, max: LIMITS.scopeMemories };
const DEDUPE_WINDOW = { min: 0, max: LIMITS.dedupeWindow };
const INT32_MAX = 2_147_483_647;
const REVISIONS = { min: 1, max: INT32_MAX };

export function checkRemember(request: RememberRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  const { memories } = request;
  if (memories.length === 0) v.add("memories", "must have 1 entry at least", 1);
  checkCount(v, "memories", memories.length, LIMITS.writeMemories);
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
  checkDedupe(v, request.dedupe);
  checkConflict(v, request.conflict);
  checkRange(v, "max_memories", request.maxMemories, MAX_MEMORIES);
  checkText(v, "reason", request.reason, LIMITS.memoryReasonBytes);
  checkRequestId(v, request.requestId);
}

function checkDedupe(v: Violations, rule: DedupeRule | undefined): void {
  if (rule === undefined) return;
  const { mode, threshold, window } = rule;
  v.enter("dedupe");
  checkEnum(v, "mode", mode, DedupeMode);
  if (threshold !== undefined && !(threshold > 0 && threshold <= 1)) {
    v.add("threshold", "must be above 0 and at most 1", threshold > 0 ? 1 : 0);
  }
  checkRange(v, "window", window, DEDUPE_WINDOW);
  v.leave();
}

function checkConflict(v: Violations, rule: ConflictRule | undefined): void {
  if (rule === undefined) return;
  v.enter("conflict");
  checkEnum(v, "mode", rule.mode, ConflictMode);
  checkHookName(v, "hook", rule.hook);
  v.leave();
}

function checkMemoryId(v: Violations, memoryId: string): void {
  checkRequiredId(v, "memory_id", memoryId, LIMITS.memoryIdBytes);
}

/** Checks a list of different ids of memories. */
function checkMemoryIds(v: Violations, field: string, ids: readonly string[], max: number): void {
  if (ids.length === 0) v.add(field, "must have 1 entry at least", 1);
  checkCount(v, field, ids.length, max);
  const seen = new Set<string>();
  for (let index = 0; index < ids.length && index < max && !v.full; index++) {
    const id = ids[index] ?? "";
    checkRequiredId(v, `${field}[${index}]`, id, LIMITS.memoryIdBytes);
    if (seen.has(id)) v.add(`${field}[${index}]`, "is used twice in this request");
    seen.add(id);
  }
}

export function checkGetMemory(request: GetMemoryRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkMemoryId(v, request.memoryId);
  checkTimestamp(v, "as_of_time", request.asOfTime);
}

export function checkListMemories(request: ListMemoriesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkMemoryFilter(v, request.filter);
  checkTimestamp(v, "as_of_time", request.asOfTime);
  checkEnum(v, "order", request.order, MemoryOrder);
  checkPage(v, request);
}

export function checkUpdateMemory(request: UpdateMemoryRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  const { memory, updateMask } = request;
  if (memory === undefined) v.add("memory", "is required");
  else {
    v.enter("memory");
    checkMemoryId(v, memory.memoryId);
    checkChangedMemory(v, memory);
    checkMasked(v, memory, updateMask);
    v.leave();
  }
  checkMask(v, updateMask, MEMORY_MASK);
  checkText(v, "reason", request.reason, LIMITS.memoryReasonBytes);
  checkRequestId(v, request.requestId);
}

/** Checks what hangs on the fields that are changed. */
function checkMasked(
  v: Violations,
  memory: NonNullable<UpdateMemoryRequest["memory"]>,
  mask: readonly string[] | undefined,
): void {
  const paths: readonly string[] = memoryPaths(memory, mask);
  for (const name of ["entity", "relation", "episode"]) {
    if (paths.includes(name) && memory.structure?.$case !== name) {
      v.add(name, "is required when update_mask names it");
    }
  }
  if (paths.includes("valid_from_time") && paths.includes("valid_until_time")) {
    checkOrder(v, memory.validFromTime, memory.validUntilTime);
  }
}

export function checkReinforceMemories(request: ReinforceMemoriesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkMemoryIds(v, "memory_ids", request.memoryIds, LIMITS.writeMemories);
  checkShare(v, "amount", request.amount);
  checkRequestId(v, request.requestId);
}

export function checkDecayMemories(request: DecayMemoriesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkRequiredFilter(v, request.filter);
  checkShare(v, "factor", request.factor);
  checkShare(v, "delete_below", request.deleteBelow);
  if (request.unseenFor !== undefined) checkAge(v, "unseen_for", request.unseenFor);
  checkRequestId(v, request.requestId);
  checkText(v, "page_token", request.pageToken, LIMITS.pageTokenBytes);
}

export function checkForgetMemories(request: ForgetMemoriesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkMemoryIds(v, "memory_ids", request.memoryIds, LIMITS.changeMemories);
  if (request.etag !== "" && request.memoryIds.length > 1) {
    v.add("etag", "must be empty unless the request names one memory");
  }
  checkRequestId(v, request.requestId);
}

export function checkPurgeMemories(request: PurgeMemoriesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkRequiredFilter(v, request.filter);
  checkRequestId(v, request.requestId);
}

export function checkListMemoryVersions(request: ListMemoryVersionsRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkMemoryId(v, request.memoryId);
  checkPage(v, request);
}

export function checkRestoreMemoryVersion(
  request: RestoreMemoryVersionRequest,
  v: Violations,
): void {
  checkNamespace(v, request.namespace);
  checkMemoryId(v, request.memoryId);
  if (request.version === 0) v.add("version", "is required");
  else checkRange(v, "version", request.version, REVISIONS);
  checkText(v, "reason", request.reason, LIMITS.memoryReasonBytes);
  checkRequestId(v, request.requestId);
}

export function checkMergeEntities(request: MergeEntitiesRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  const { targetId, sourceIds } = request;
  checkRequiredId(v, "target_id", targetId, LIMITS.memoryIdBytes);
  checkMemoryIds(v, "source_ids", sourceIds, LIMITS.mergeEntities);
  const own = sourceIds.indexOf(targetId);
  if (own >= 0) v.add(`source_ids[${own}]`, "is the target itself");
  checkText(v, "reason", request.reason, LIMITS.memoryReasonBytes);
  checkRequestId(v, request.requestId);
}

/** Gives the memory of a checked update. */
export function requiredMemory(
  request: UpdateMemoryRequest,
): NonNullable<UpdateMemoryRequest["memory"]> {
  if (request.memory === undefined) throw new Error("the request was not checked");
  return request.memory;
}
