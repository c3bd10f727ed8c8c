// MergeEntities: one entity takes in others, which are gone then, in one transaction.

import { requestInvalid } from "../../domain/errors.ts";
import { EVENT_TYPE } from "../../domain/event.ts";
import { mergeEntities as merged } from "../../domain/memories/change.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { MemoryDecision, MemoryView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import type { MergeEntitiesInput } from "../memory-api.ts";
import {
  byScope,
  changeMemories,
  deletedDetails,
  type MemoryWork,
  savedMemories,
  stampOf,
} from "./change-memories.ts";
import type { MemoryParts } from "./parts.ts";
import { liveMemory } from "./read-memories.ts";

/** Makes one entity of several. */
export async function mergeEntities(
  parts: MemoryParts,
  call: Call,
  input: MergeEntitiesInput,
): Promise<Uint8Array> {
  const nowMs = parts.context.world.nowMs();
  const work: MemoryWork = { parts, call, namespace: input.namespace, nowMs };
  return await changeMemories(work, {}, (view) => decideMerge(work, input, view));
}

function decideMerge(
  work: MemoryWork,
  input: MergeEntitiesInput,
  { memories, revision }: MemoryView,
): MemoryDecision<Uint8Array> {
  const { targetMemoryId, sourceMemoryIds, reason } = input;
  const live = (memoryId: string): Memory =>
    liveMemory(memories.byId(memoryId), memoryId, work.nowMs);
  const target = live(targetMemoryId);
  checkEntity(target, "target_memory_id");
  const sources = sourceMemoryIds.map((memoryId, index) => {
    const field = `source_memory_ids[${index}]`;
    const source = live(memoryId);
    if (memoryId === targetMemoryId) throw invalid(field, "must not be the target");
    checkEntity(source, field);
    if (byScope([target, source]).size > 1) throw invalid(field, "is of another scope");
    return source;
  });
  const memory = merged(target, sources, stampOf(work, revision, reason));
  const detail = {
    type: EVENT_TYPE.memoryUpdated,
    ...{ memoryId: targetMemoryId, paths: [], version: memory.version },
  };
  return savedMemories(work, revision, {
    plan: { put: [memory], remove: sourceMemoryIds },
    details: [{ scope: memory.scope, detail }, ...deletedDetails(sources, "merged")],
    bytes: input.encode({ memory, revision }),
  });
}

function checkEntity({ kind, state }: Memory, field: string): void {
  if (kind !== "entity") throw invalid(field, `must be an entity, and is of the kind ${kind}`);
  if (state !== "active") throw invalid(field, "must be active, and is superseded");
}

function invalid(field: string, description: string): Error {
  return requestInvalid([{ field, description }]);
}
