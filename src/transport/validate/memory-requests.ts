// The rules of the requests that remember, read and change memories, one function each.

import type {
  DecayMemoriesRequest,
  ForgetMemoriesRequest,
  ListMemoriesRequest,
  MergeEntitiesRequest,
  PurgeMemoriesRequest,
  ReinforceMemoriesRequest,
  RememberRequest,
  UpdateMemoryRequest,
} from "../../gen/memorysidecar/v1/memory_service.ts";
import { memoryPaths } from "../convert/memory-paths.ts";
import { checkMask, MEMORY_MASK } from "./mask.ts";
import { checkChangedMemory, checkNewMemory, checkOrder } from "./memory.ts";
import { checkMemoryFilter, checkRequiredFilter } from "./memory-filter.ts";
import type { Violations } from "./violations.ts";

export function checkRemember(request: RememberRequest, v: Violations): void {
  const { memories } = request;
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

/** Checks that ids of memories differ. */
function checkDistinct(v: Violations, field: string, ids: readonly string[]): void {
  const seen = new Set<string>();
  for (let index = 0; index < ids.length && !v.full; index++) {
    const id = ids[index] ?? "";
    if (seen.has(id)) v.add(`${field}[${index}]`, "is used twice in this request");
    seen.add(id);
  }
}

export function checkListMemories(request: ListMemoriesRequest, v: Violations): void {
  checkMemoryFilter(v, request.filter);
}

export function checkUpdateMemory(request: UpdateMemoryRequest, v: Violations): void {
  const { memory, updateMask } = request;
  if (memory !== undefined) {
    v.enter("memory");
    if (memory.memoryId === "") v.add("memory_id", "is required");
    checkChangedMemory(v, memory);
    checkMasked(v, memory, updateMask);
    v.leave();
  }
  checkMask(v, updateMask, MEMORY_MASK);
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
  checkDistinct(v, "memory_ids", request.memoryIds);
}

export function checkDecayMemories(request: DecayMemoriesRequest, v: Violations): void {
  checkRequiredFilter(v, request.filter);
}

export function checkForgetMemories(request: ForgetMemoriesRequest, v: Violations): void {
  checkDistinct(v, "memory_ids", request.memoryIds);
  if (request.etag !== "" && request.memoryIds.length > 1) {
    v.add("etag", "must be empty unless the request names one memory");
  }
}

export function checkPurgeMemories(request: PurgeMemoriesRequest, v: Violations): void {
  checkRequiredFilter(v, request.filter);
}

export function checkMergeEntities(request: MergeEntitiesRequest, v: Violations): void {
  const { targetMemoryId, sourceMemoryIds } = request;
  checkDistinct(v, "source_memory_ids", sourceMemoryIds);
  const own = sourceMemoryIds.indexOf(targetMemoryId);
  if (own >= 0) v.add(`source_memory_ids[${own}]`, "is the target itself");
}

/** Gives the memory of a checked update. */
export function requiredMemory(
  request: UpdateMemoryRequest,
): NonNullable<UpdateMemoryRequest["memory"]> {
  if (request.memory === undefined) throw new Error("the request was not checked");
  return request.memory;
}
