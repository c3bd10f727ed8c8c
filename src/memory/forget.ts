// ForgetMemories and PurgeMemories: all states of the memories are gone, in one transaction.

import type { Call } from "../kit/call.ts";
import { etagMismatch } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { MemoryPlan } from "../store/store.ts";
import type { ForgetInput, PurgeInput, PurgeResult } from "./api.ts";
import {
  changeMemories,
  deletedDetails,
  idOf,
  memoryWork,
  type ScopedDetail,
} from "./change-memories.ts";
import type { MemoryParts } from "./parts.ts";
import { isMemoryExpired, type Memory, memoryNotFound } from "./rules/memory.ts";
import { promotionPart } from "./rules/text-key.ts";
import { isMeant, type Scan, scanMeant } from "./scan.ts";

/** Removes memories and the marks of their promotions: the texts can be learnt again. */
export function removal(
  found: readonly Memory[],
  reason: "forgotten" | "erased" = "forgotten",
): { plan?: MemoryPlan; details?: ScopedDetail[] } {
  if (found.length === 0) return {};
  const unpromoted = found.map(({ memoryId, scope }) => ({
    scope,
    parts: [promotionPart("memory", memoryId)],
  }));
  const plan = { remove: found.map(idOf), unpromoted };
  return { plan, details: deletedDetails(found, reason) };
}

/** Forgets memories by their ids. */
export async function forgetMemories(
  parts: MemoryParts,
  call: Call,
  input: ForgetInput,
): Promise<Uint8Array> {
  const { memoryIds, etag, allowMissing, encode } = input;
  const work = memoryWork(parts, call, input);
  return await changeMemories(
    work,
    ({ memories }) => {
      const found = memoryIds.flatMap((memoryId) => {
        const memory = memories.byId(memoryId);
        if (memory !== undefined && !isMemoryExpired(memory, work.nowMs)) return [memory];
        if (!allowMissing) throw memoryNotFound(memoryId);
        return [];
      });
      const [first] = found;
      if (first !== undefined && !parts.context.etags.allows(etag, first.etagRevision)) {
        throw etagMismatch();
      }
      const answer = (revision: number) => encode({ forgottenCount: found.length, revision });
      return { ...removal(found), answer };
    },
    { allowWhenFull: true },
  );
}

/** Counts all memories of a filter, or forgets as many of them as fit in one transaction. */
export async function purgeMemories(
  parts: MemoryParts,
  call: Call,
  input: PurgeInput,
): Promise<Uint8Array> {
  const { namespace, filter, force, encode } = input;
  const work = memoryWork(parts, call, input);
  const { nowMs } = work;
  const scan: Scan = { namespace, filter, order: "asc", nowMs, signal: call.signal };
  if (!force) {
    const most = { limit: LIMITS.purgeCount, idsMax: LIMITS.purgeSample };
    return encode({ ...(await counted(parts, scan, most)), revision: 0 });
  }
  const most = { limit: LIMITS.changeMemories, idsMax: LIMITS.changeMemories };
  const { sampleIds: memoryIds, more } = await counted(parts, scan, most);
  return await changeMemories(
    work,
    ({ memories }) => {
      const found = memoryIds.flatMap((memoryId) => {
        // A memory that was changed meanwhile may no longer match the filter.
        const memory = memories.byId(memoryId);
        return memory !== undefined && isMeant(parts, memory, filter, nowMs) ? [memory] : [];
      });
      const answer = (revision: number) =>
        encode({ memoryCount: found.length, sampleIds: [], more, revision });
      return { ...removal(found), answer };
    },
    { allowWhenFull: true },
  );
}

/** Counts the matches of a scan up to a limit, with the ids of the first ones. */
async function counted(
  parts: MemoryParts,
  scan: Scan,
  { limit, idsMax }: { readonly limit: number; readonly idsMax: number },
): Promise<Omit<PurgeResult, "revision">> {
  const sampleIds: string[] = [];
  let memoryCount = 0;
  for await (const memories of scanMeant(parts, scan)) {
    for (const { memoryId } of memories) {
      if (memoryCount === limit) return { memoryCount, sampleIds, more: true };
      memoryCount += 1;
      if (sampleIds.length < idsMax) sampleIds.push(memoryId);
    }
  }
  return { memoryCount, sampleIds, more: false };
}
