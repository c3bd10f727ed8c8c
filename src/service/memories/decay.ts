// DecayMemories: goes over memories by their numbers, which never change, so that each is decayed
// once however many calls it takes.

import { EVENT_TYPE } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import { decay } from "../../domain/memories/change.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { MemoryDecision, MemoryView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import type { DecayInput } from "../memory-api.ts";
import {
  changeMemories,
  deletedDetails,
  detailsOf,
  type MemoryWork,
  nothingChanged,
  savedMemories,
  stampOf,
} from "./change-memories.ts";
import type { MemoryParts } from "./parts.ts";
import { isMeant, scanPieces } from "./scan.ts";

/** What one call decays, and where the next goes on. */
interface Chosen {
  readonly memoryIds: readonly string[];
  readonly next: number | undefined;
}

/** Lowers the confidence of memories. */
export async function decayMemories(
  parts: MemoryParts,
  call: Call,
  input: DecayInput,
): Promise<Uint8Array> {
  const nowMs = parts.context.world.nowMs();
  const work: MemoryWork = { parts, call, namespace: input.namespace, nowMs };
  const chosen = await choose(work, input);
  return await changeMemories(work, {}, (view) => decideDecay(work, { input, chosen }, view));
}

/** Whether a memory is to decay now. */
function isDue({ parts, nowMs }: MemoryWork, input: DecayInput, memory: Memory): boolean {
  const unseenMs = nowMs - memory.strength.lastSeenMs;
  return unseenMs >= input.unseenForMs && isMeant(parts, memory, input.filter, nowMs);
}

/** The next memories that are due: as many as one call takes, or those among so many looked at. */
async function choose(work: MemoryWork, input: DecayInput): Promise<Chosen> {
  const { parts, call, namespace, nowMs } = work;
  const { filter, after } = input;
  const memoryIds: string[] = [];
  let looked = 0;
  let last = after;
  const scan = { namespace, filter, order: "asc", after, nowMs, signal: call.signal } as const;
  for await (const piece of scanPieces(parts, scan)) {
    for (const memory of piece.memories) {
      if (looked >= LIMITS.pageScan) return { memoryIds, next: last };
      looked += 1;
      if (isDue(work, input, memory)) {
        if (memoryIds.length >= LIMITS.changeMemories) return { memoryIds, next: last };
        memoryIds.push(memory.memoryId);
      }
      last = memory.memoryNo;
    }
    if (piece.next === undefined) break;
    last = piece.next;
  }
  return { memoryIds, next: undefined };
}

function decideDecay(
  work: MemoryWork,
  { input, chosen }: { readonly input: DecayInput; readonly chosen: Chosen },
  { memories, revision }: MemoryView,
): MemoryDecision<Uint8Array> {
  const stamp = stampOf(work, revision, "");
  const weaker: Memory[] = [];
  const gone: Memory[] = [];
  for (const memoryId of chosen.memoryIds) {
    // What has changed since it was chosen is looked at anew.
    const stored = memories.byId(memoryId);
    if (stored === undefined || !isDue(work, input, stored)) continue;
    const decayed = decay(stored, input.factor, stamp);
    const { confidence } = decayed.strength;
    if (confidence < input.deleteBelow && !stored.persistent) gone.push(stored);
    else if (confidence < stored.strength.confidence) weaker.push(decayed);
  }
  const deletedIds = gone.map(({ memoryId }) => memoryId);
  const answer = { decayedCount: weaker.length, deletedIds, next: chosen.next };
  if (weaker.length + gone.length === 0) {
    return nothingChanged(work, input.encode({ ...answer, revision: 0 }));
  }
  const decayedDetails = detailsOf(weaker, (memoryIds) => ({
    type: EVENT_TYPE.memoriesDecayed,
    memoryIds,
  }));
  return savedMemories(work, revision, {
    plan: { put: weaker, remove: deletedIds },
    details: [...decayedDetails, ...deletedDetails(gone, "decayed")],
    bytes: input.encode({ ...answer, revision }),
  });
}
