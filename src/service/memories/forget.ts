// ForgetMemories: all states of the memories are gone, in one transaction.

import { etagMismatch } from "../../domain/errors.ts";
import { memoryNotFound } from "../../domain/memories/errors.ts";
import { isMemoryExpired } from "../../domain/memories/memory.ts";
import type { MemoryDecision, MemoryView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import type { ForgetInput } from "../memory-api.ts";
import {
  changeMemories,
  deletedDetails,
  type MemoryWork,
  nothingChanged,
  savedMemories,
} from "./change-memories.ts";
import type { MemoryParts } from "./parts.ts";
import { unpromotedMemories } from "./unpromote.ts";

/** Forgets memories by their ids. */
export async function forgetMemories(
  parts: MemoryParts,
  call: Call,
  input: ForgetInput,
): Promise<Uint8Array> {
  const nowMs = parts.context.world.nowMs();
  const work: MemoryWork = { parts, call, namespace: input.namespace, nowMs };
  return await changeMemories(work, { allowWhenFull: true }, (view) =>
    decideForget(work, input, view),
  );
}

function decideForget(
  work: MemoryWork,
  { memoryIds, etag, allowMissing, encode }: ForgetInput,
  { memories, revision }: MemoryView,
): MemoryDecision<Uint8Array> {
  const found = memoryIds.flatMap((memoryId) => {
    const memory = memories.byId(memoryId);
    if (memory !== undefined && !isMemoryExpired(memory, work.nowMs)) return [memory];
    if (!allowMissing) throw memoryNotFound(memoryId);
    return [];
  });
  const [first] = found;
  if (first !== undefined && !work.parts.context.etags.allows(etag, first.etagRevision)) {
    throw etagMismatch();
  }
  if (found.length === 0) return nothingChanged(work, encode({ forgottenCount: 0, revision: 0 }));
  return savedMemories(work, revision, {
    plan: { remove: found.map(({ memoryId }) => memoryId), ...unpromotedMemories(found) },
    details: deletedDetails(found, "forgotten"),
    bytes: encode({ forgottenCount: found.length, revision }),
  });
}
