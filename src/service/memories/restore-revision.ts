// RestoreMemoryVersion: a former state comes back as a new one.

import { etagMismatch } from "../../domain/errors.ts";
import { EVENT_TYPE } from "../../domain/event.ts";
import { restoreRevision } from "../../domain/memories/change.ts";
import { memoryVersionNotFound } from "../../domain/memories/errors.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { MemoryDecision, MemoryView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import type { RestoreVersionInput } from "../memory-api.ts";
import { changeMemories, type MemoryWork, savedMemories, stampOf } from "./change-memories.ts";
import { checkOnlyName } from "./entity-names.ts";
import type { MemoryParts } from "./parts.ts";
import { liveMemory } from "./read-memories.ts";

/** Brings a former state of a memory back. */
export async function restoreMemoryVersion(
  parts: MemoryParts,
  call: Call,
  input: RestoreVersionInput,
): Promise<Uint8Array> {
  const { namespace, memoryId, version } = input;
  const { store, world } = parts.context;
  const work: MemoryWork = { parts, call, namespace, nowMs: world.nowMs() };
  // What a state says never changes, so it may be read ahead.
  const page = { before: version + 1, limit: 1 };
  const [former] = await store.listMemoryVersions(namespace, memoryId, page);
  return await changeMemories(work, {}, (view) => decideRestore(work, { input, former }, view));
}

function decideRestore(
  work: MemoryWork,
  { input, former }: { readonly input: RestoreVersionInput; readonly former: Memory | undefined },
  { memories, revision }: MemoryView,
): MemoryDecision<Uint8Array> {
  const { memoryId, version, etag, reason } = input;
  const current = liveMemory(memories.byId(memoryId), memoryId, work.nowMs);
  if (!work.parts.context.etags.allows(etag, current.etagRevision)) throw etagMismatch();
  // One of the same id that was forgotten in between is another memory.
  const isState = former?.version === version;
  if (!isState || former.memoryNo !== current.memoryNo) {
    throw memoryVersionNotFound(memoryId, version);
  }
  const memory = restoreRevision(current, former, stampOf(work, revision, reason));
  checkOnlyName(memories, memory, "version");
  const detail = {
    type: EVENT_TYPE.memoryUpdated,
    ...{ memoryId, paths: [], version: memory.version },
  };
  return savedMemories(work, revision, {
    plan: { put: [memory] },
    details: [{ scope: memory.scope, detail }],
    bytes: input.encode({ memory, revision }),
  });
}
