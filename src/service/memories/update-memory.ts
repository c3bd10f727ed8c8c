// UpdateMemory: a new state of a memory with the fields that a mask names.

import { etagMismatch, requestInvalid } from "../../domain/errors.ts";
import { EVENT_TYPE } from "../../domain/event.ts";
import { type MemoryPatch, updateMemory as updated } from "../../domain/memories/change.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { MemoryDecision, MemoryReads, MemoryView } from "../../storage/store.ts";
import type { Call } from "../call.ts";
import type { MemoryDraft, MemoryPath, UpdateMemoryInput } from "../memory-api.ts";
import {
  changeMemories,
  type MemoryWork,
  nothingChanged,
  savedMemories,
  stampOf,
} from "./change-memories.ts";
import { MEMORY_DEFAULTS, timeFaults } from "./drafts.ts";
import { checkOnlyName } from "./entity-names.ts";
import type { MemoryParts } from "./parts.ts";
import { liveMemory } from "./read-memories.ts";

/** Changes a memory. */
export async function updateMemory(
  parts: MemoryParts,
  call: Call,
  input: UpdateMemoryInput,
): Promise<Uint8Array> {
  const nowMs = parts.context.world.nowMs();
  const work: MemoryWork = { parts, call, namespace: input.namespace, nowMs };
  if (input.paths.includes("last_seen_time")) {
    const faults = timeFaults(input.draft, nowMs, "memory");
    if (faults.length > 0) throw requestInvalid(faults);
  }
  return await changeMemories(work, {}, (view) => decideUpdate(work, input, view));
}

function decideUpdate(
  work: MemoryWork,
  input: UpdateMemoryInput,
  { memories, revision }: MemoryView,
): MemoryDecision<Uint8Array> {
  const { memoryId, draft, paths, reason } = input;
  const { nowMs } = work;
  const old = liveMemory(memories.byId(memoryId), memoryId, nowMs);
  if (!work.parts.context.etags.allows(draft.etag, old.etagRevision)) throw etagMismatch();
  if (paths.length === 0) return nothingChanged(work, input.encode({ memory: old, revision: 0 }));
  const patch = patchOf(old, input, nowMs);
  const memory = updated(old, patch, stampOf(work, revision, reason));
  checkNames(memories, old, memory);
  const detail = {
    type: EVENT_TYPE.memoryUpdated,
    ...{ memoryId, paths, version: memory.version },
  };
  return savedMemories(work, revision, {
    plan: { put: [memory] },
    details: [{ scope: memory.scope, detail }],
    bytes: input.encode({ memory, revision }),
  });
}

function checkNames(lookup: MemoryReads, old: Memory, memory: Memory): void {
  const isRenamed = old.content.structure !== memory.content.structure;
  if (!isRenamed && old.trust === memory.trust) return;
  checkOnlyName(lookup, memory, isRenamed ? "memory.entity.name" : "memory.trust");
}

/** What the paths change; a path that is not set in the draft goes back to its default. */
function patchOf(
  old: Memory,
  { draft, paths }: Pick<UpdateMemoryInput, "draft" | "paths">,
  nowMs: number,
): MemoryPatch {
  let patch: MemoryPatch = {};
  for (const path of paths) patch = { ...patch, ...fieldOf(path, { old, draft, nowMs }) };
  return patch;
}

interface Update {
  readonly old: Memory;
  readonly draft: MemoryDraft;
  readonly nowMs: number;
}

function fieldOf(path: MemoryPath, update: Update): MemoryPatch {
  const { draft, nowMs } = update;
  switch (path) {
    case "text":
      return textOf(update);
    case "entity":
    case "relation":
    case "episode":
      return structureOf(path, update);
    case "key":
      return { key: draft.key };
    case "category":
      return { category: draft.category === "" ? MEMORY_DEFAULTS.category : draft.category };
    case "topics":
      return { topics: draft.topics };
    case "importance":
      return { importance: draft.importance ?? MEMORY_DEFAULTS.importance };
    case "confidence":
      return { confidence: draft.confidence ?? MEMORY_DEFAULTS.confidence };
    case "trust":
      return { trust: draft.trust };
    case "persistent":
      return { persistent: draft.persistent };
    case "labels":
      return { labels: draft.labels };
    case "metadata":
      return { metadata: draft.metadata };
    case "valid_from_time":
      return { validFromMs: validFromOf(update) };
    case "valid_until_time":
      return { validToMs: draft.validToMs };
    case "ttl":
      return { ttlMs: draft.ttlMs };
    case "last_seen_time":
      return { lastSeenMs: draft.lastSeenMs ?? nowMs };
  }
}

/** An empty text is made of the structure, as when remembering. */
function textOf({ old, draft }: Update): MemoryPatch {
  if (draft.text === "" && old.content.structure === undefined) {
    const description = `must not be empty: a ${old.kind} has no structure to make it of`;
    throw requestInvalid([{ field: "memory.text", description }]);
  }
  return { text: draft.text };
}

function structureOf(path: "entity" | "relation" | "episode", { old, draft }: Update): MemoryPatch {
  const field = `memory.${path}`;
  if (old.kind !== path) {
    const description = `cannot be changed: the memory is of the kind ${old.kind}`;
    throw requestInvalid([{ field, description }]);
  }
  const { structure } = draft;
  if (structure?.kind === path) return { structure };
  throw requestInvalid([{ field, description: "must be set, because update_mask names it" }]);
}

/** An episode always has a time. */
function validFromOf({ old, draft, nowMs }: Update): number | undefined {
  return draft.validFromMs ?? (old.kind === "episode" ? nowMs : undefined);
}
