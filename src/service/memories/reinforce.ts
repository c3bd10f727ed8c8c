// ReinforceMemories: all of them or none, in one transaction.

import { EVENT_TYPE } from "../../domain/event.ts";
import { reinforce } from "../../domain/memories/change.ts";
import { isMemoryExpired } from "../../domain/memories/memory.ts";
import type { MemoryDecision, MemoryView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import type { ReinforceInput } from "../memory-api.ts";
import {
  changeMemories,
  detailsOf,
  type MemoryWork,
  nothingChanged,
  savedMemories,
  stampOf,
} from "./change-memories.ts";
import type { MemoryParts } from "./parts.ts";
import { liveMemory } from "./read-memories.ts";

/** Raises the confidence of memories that were heard of again. */
export async function reinforceMemories(
  parts: MemoryParts,
  call: Call,
  input: ReinforceInput,
): Promise<Uint8Array> {
  const nowMs = parts.context.world.nowMs();
  const work: MemoryWork = { parts, call, namespace: input.namespace, nowMs };
  return await changeMemories(work, {}, (view) => decideReinforce(work, input, view));
}

function decideReinforce(
  work: MemoryWork,
  { memoryIds, amount, allowMissing, encode }: ReinforceInput,
  view: MemoryView,
): MemoryDecision<Uint8Array> {
  const { revision } = view;
  const stamp = stampOf(work, revision, "");
  const memories = memoryIds.flatMap((memoryId) => {
    const stored = view.memories.byId(memoryId);
    const isGone = stored === undefined || isMemoryExpired(stored, work.nowMs);
    if (isGone && allowMissing) return [];
    return [reinforce(liveMemory(stored, memoryId, work.nowMs), amount, stamp)];
  });
  if (memories.length === 0) return nothingChanged(work, encode({ memories, revision: 0 }));
  const details = detailsOf(memories, (ids) => ({
    type: EVENT_TYPE.memoriesReinforced,
    memoryIds: ids,
  }));
  const bytes = encode({ memories, revision });
  return savedMemories(work, revision, { plan: { put: memories }, details, bytes });
}
