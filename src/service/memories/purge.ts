// PurgeMemories: counts what a filter means, or forgets it, so much of it in one transaction.

import { LIMITS } from "../../domain/limits.ts";
import type { MemoryDecision, MemoryView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import type { PurgeInput, PurgeResult } from "../memory-api.ts";
import {
  changeMemories,
  deletedDetails,
  type MemoryWork,
  nothingChanged,
  savedMemories,
} from "./change-memories.ts";
import type { MemoryParts } from "./parts.ts";
import { isMeant, type Scan, scanMeant } from "./scan.ts";
import { unpromotedMemories } from "./unpromote.ts";

/** Counts or forgets all memories of a filter. */
export async function purgeMemories(
  parts: MemoryParts,
  call: Call,
  input: PurgeInput,
): Promise<Uint8Array> {
  const { namespace, filter } = input;
  const nowMs = parts.context.world.nowMs();
  const scan: Scan = { namespace, filter, order: "asc", nowMs, signal: call.signal };
  if (!input.force) return input.encode(await counted(parts, scan));
  const { memoryIds, more } = await firstMeant(parts, scan);
  const work: MemoryWork = { parts, call, namespace, nowMs };
  return await changeMemories(work, { allowWhenFull: true }, (view) =>
    decidePurge(work, { input, memoryIds, more }, view),
  );
}

/** A dry run. */
async function counted(parts: MemoryParts, scan: Scan): Promise<PurgeResult> {
  const sampleIds: string[] = [];
  let memoryCount = 0;
  for await (const memories of scanMeant(parts, scan)) {
    for (const { memoryId } of memories) {
      if (memoryCount === LIMITS.purgeCount) {
        return { memoryCount, sampleIds, more: true, revision: 0 };
      }
      memoryCount += 1;
      if (sampleIds.length < LIMITS.purgeSample) sampleIds.push(memoryId);
    }
  }
  return { memoryCount, sampleIds, more: false, revision: 0 };
}

/** The ids of the oldest ones: as many as one call forgets. */
async function firstMeant(
  parts: MemoryParts,
  scan: Scan,
): Promise<{ memoryIds: readonly string[]; more: boolean }> {
  const memoryIds: string[] = [];
  for await (const memories of scanMeant(parts, scan)) {
    for (const { memoryId } of memories) {
      if (memoryIds.length === LIMITS.changeMemories) return { memoryIds, more: true };
      memoryIds.push(memoryId);
    }
  }
  return { memoryIds, more: false };
}

function decidePurge(
  work: MemoryWork,
  purge: {
    readonly input: PurgeInput;
    readonly memoryIds: readonly string[];
    readonly more: boolean;
  },
  { memories, revision }: MemoryView,
): MemoryDecision<Uint8Array> {
  const { input, memoryIds, more } = purge;
  const found = memoryIds.flatMap((memoryId) => {
    // What was changed meanwhile may not be meant any more.
    const memory = memories.byId(memoryId);
    if (memory === undefined || !isMeant(work.parts, memory, input.filter, work.nowMs)) return [];
    return [memory];
  });
  const answer = { memoryCount: found.length, sampleIds: [], more };
  if (found.length === 0) return nothingChanged(work, input.encode({ ...answer, revision: 0 }));
  return savedMemories(work, revision, {
    plan: { remove: found.map(({ memoryId }) => memoryId), ...unpromotedMemories(found) },
    details: deletedDetails(found, "forgotten"),
    bytes: input.encode({ ...answer, revision }),
  });
}
