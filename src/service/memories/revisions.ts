// ListMemoryVersions: the states that a memory has had, the newest first.

import { LIMITS } from "../../domain/limits.ts";
import type { Memory, MemoryRef } from "../../domain/memories/memory.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { MemoryParts } from "./parts.ts";
import { liveMemory } from "./read-memories.ts";
import { memoryBytes } from "./size.ts";

/** States read at one time: of the largest there are several MiB. */
const READ = 16;

/** Lists the states of a memory. */
export async function listMemoryVersions(
  { context, pace }: MemoryParts,
  call: Call,
  input: MemoryRef & { readonly before: number; readonly limit: number },
): Promise<{ revisions: readonly Memory[]; next: number | undefined }> {
  checkLive(call.signal);
  const { namespace, memoryId, limit } = input;
  const { store, world } = context;
  liveMemory(await store.readMemory(namespace, memoryId), memoryId, world.nowMs());
  const revisions: Memory[] = [];
  let bytes = 0;
  let { before } = input;
  for (;;) {
    checkLive(call.signal);
    const page = { ...(before === 0 ? {} : { before }), limit: READ };
    const states = await store.listMemoryVersions(namespace, memoryId, page);
    for (const state of states) {
      const size = memoryBytes(state);
      const isFull = revisions.length > 0 && bytes + size > LIMITS.pageBytes;
      if (revisions.length >= limit || isFull) return { revisions, next: before };
      bytes += size;
      revisions.push(state);
      before = state.version;
    }
    // The first state has the number 1: nothing comes after it.
    if (states.length === 0 || before <= 1) return { revisions, next: undefined };
    await pace.turn(true);
  }
}
