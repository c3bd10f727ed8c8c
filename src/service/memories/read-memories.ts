// GetMemory, and what reads of memories have in common.

import { requestInvalid } from "../../domain/errors.ts";
import { memoryNotFound } from "../../domain/memories/errors.ts";
import { isMemoryExpired, type Memory, type MemoryRef } from "../../domain/memories/memory.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { MemoryParts } from "./parts.ts";

/** A memory that exists for the caller: neither missing nor past its time. */
export function liveMemory(memory: Memory | undefined, memoryId: string, nowMs: number): Memory {
  if (memory === undefined || isMemoryExpired(memory, nowMs)) throw memoryNotFound(memoryId);
  return memory;
}

/** Refuses to tell what will be known. */
export function checkAsOf(asOfMs: number | undefined, nowMs: number): void {
  if (asOfMs === undefined || asOfMs <= nowMs) return;
  throw requestInvalid([{ field: "as_of_time", description: "must not be in the future" }]);
}

/** Gives a memory as it is, or as it was known at a past time. */
export async function getMemory(
  { context }: MemoryParts,
  call: Call,
  input: MemoryRef & { readonly asOfMs: number | undefined },
): Promise<Memory> {
  checkLive(call.signal);
  const { namespace, memoryId, asOfMs } = input;
  const { store, world } = context;
  const nowMs = world.nowMs();
  checkAsOf(asOfMs, nowMs);
  const memory = liveMemory(await store.readMemory(namespace, memoryId), memoryId, nowMs);
  if (asOfMs === undefined || memory.updateMs <= asOfMs) return memory;
  const { scope, memoryNo } = memory;
  const page = await store.listMemories({
    ...{ namespace, order: "asc", after: memoryNo - 1, limit: 1, asOfMs },
    within: { kind: "scope", scope },
  });
  const state = page.memories.find((one) => one.memoryNo === memoryNo);
  if (state === undefined) throw memoryNotFound(memoryId);
  return state;
}
