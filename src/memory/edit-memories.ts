// Changes of memories by their ids: update, restore, reinforce, merge.

import { EVENT_TYPE } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import { etagMismatch, requestInvalid } from "../kit/errors.ts";
import type {
  MemoryDraft,
  MemoryPath,
  MergeEntitiesInput,
  ReinforceInput,
  RestoreVersionInput,
  UpdateMemoryInput,
} from "./api.ts";
import {
  changeMemories,
  deletedDetails,
  detailsOf,
  memoryWork,
  type ScopedDetail,
  stampOf,
} from "./change-memories.ts";
import { liveMemory } from "./list-memories.ts";
import type { MemoryParts } from "./parts.ts";
import { timeFaults } from "./remember.ts";
import {
  type MemoryPatch,
  mergeEntities as merged,
  reinforce,
  restoreRevision,
  updateMemory as updated,
} from "./rules/change.ts";
import type { MemoryLookup } from "./rules/lookup.ts";
import {
  isMemoryExpired,
  MEMORY_DEFAULTS,
  type Memory,
  memoryVersionNotFound,
} from "./rules/memory.ts";
import { isSameScope } from "./rules/overlay.ts";
import { textKeyOf } from "./rules/text-key.ts";

/** Refuses a change after which two entities of the scope would have one name and trust. */
function checkOnlyName(lookup: Pick<MemoryLookup, "byText">, memory: Memory, field: string): void {
  const { memoryId, kind, scope, state, trust } = memory;
  if (kind !== "entity" || state !== "active") return;
  const named = lookup.byText(scope, kind, textKeyOf(memory));
  if (named.every((one) => one.memoryId === memoryId || one.trust !== trust)) return;
  throw invalid(field, "is the name of another entity of the scope: merge the two");
}

/** The event of a new state of a memory. */
function updatedDetail(
  { scope, memoryId, version }: Memory,
  paths: readonly MemoryPath[] = [],
): ScopedDetail {
  return { scope, detail: { type: EVENT_TYPE.memoryUpdated, memoryId, paths, version } };
}

/** UpdateMemory: makes a new state of a memory with the fields that a mask names. */
export async function updateMemory(
  parts: MemoryParts,
  call: Call,
  input: UpdateMemoryInput,
): Promise<Uint8Array> {
  const { memoryId, draft, paths, reason, encode } = input;
  const work = memoryWork(parts, call, input);
  const { nowMs } = work;
  if (paths.includes("last_seen_time")) {
    const faults = timeFaults(draft, nowMs, "memory");
    if (faults.length > 0) throw requestInvalid(faults);
  }
  return await changeMemories(work, ({ memories, revision }) => {
    const old = liveMemory(memories.byId(memoryId), memoryId, nowMs);
    if (!parts.context.etags.allows(draft.etag, old.etagRevision)) throw etagMismatch();
    if (paths.length === 0) return { answer: () => encode({ memory: old, revision: 0 }) };
    const patches = paths.map((path) => PATCHES[path]({ old, draft, nowMs }));
    const patch: MemoryPatch = Object.assign({}, ...patches);
    const memory = updated(old, patch, stampOf(work, revision, reason));
    const isRenamed = old.content.structure !== memory.content.structure;
    if (isRenamed) checkOnlyName(memories, memory, "memory.entity.name");
    else if (old.trust !== memory.trust) checkOnlyName(memories, memory, "memory.trust");
    return {
      plan: { put: [memory] },
      details: [updatedDetail(memory, paths)],
      answer: () => encode({ memory, revision }),
    };
  });
}

interface Update {
  readonly old: Memory;
  readonly draft: MemoryDraft;
  readonly nowMs: number;
}

/** The change of each path; a path that is not set in the draft goes back to its default. */
const PATCHES: { readonly [path in MemoryPath]: (update: Update) => MemoryPatch } = {
  text: textPatch,
  entity: (update) => structurePatch("entity", update),
  relation: (update) => structurePatch("relation", update),
  episode: (update) => structurePatch("episode", update),
  key: ({ draft: { key } }) => ({ key }),
  category: ({ draft }) => ({ category: draft.category || MEMORY_DEFAULTS.category }),
  topics: ({ draft: { topics } }) => ({ topics }),
  importance: ({ draft }) => ({ importance: draft.importance ?? MEMORY_DEFAULTS.importance }),
  confidence: ({ draft }) => ({ confidence: draft.confidence ?? MEMORY_DEFAULTS.confidence }),
  trust: ({ draft: { trust } }) => ({ trust }),
  persistent: ({ draft: { persistent } }) => ({ persistent }),
  labels: ({ draft: { labels } }) => ({ labels }),
  metadata: ({ draft: { metadata } }) => ({ metadata }),
  // An episode always has a time.
  valid_from_time: ({ old, draft, nowMs }) => ({
    validFromMs: draft.validFromMs ?? (old.kind === "episode" ? nowMs : undefined),
  }),
  valid_until_time: ({ draft: { validToMs } }) => ({ validToMs }),
  ttl: ({ draft: { ttlMs } }) => ({ ttlMs }),
  last_seen_time: ({ draft, nowMs }) => ({ lastSeenMs: draft.lastSeenMs ?? nowMs }),
};

/** An empty text is made of the structure, as when remembering. */
function textPatch({ old, draft }: Update): MemoryPatch {
  if (draft.text === "" && old.content.structure === undefined) {
    throw invalid("memory.text", `must not be empty: a ${old.kind} has no structure to make it of`);
  }
  return { text: draft.text };
}

function structurePatch(
  path: "entity" | "relation" | "episode",
  { old, draft: { structure } }: Update,
): MemoryPatch {
  const field = `memory.${path}`;
  if (old.kind !== path) {
    throw invalid(field, `cannot be changed: the memory is of the kind ${old.kind}`);
  }
  if (structure?.kind === path) return { structure };
  throw invalid(field, "must be set, because update_mask names it");
}

/** RestoreMemoryVersion: brings a former state of a memory back as a new one. */
export async function restoreMemoryVersion(
  parts: MemoryParts,
  call: Call,
  input: RestoreVersionInput,
): Promise<Uint8Array> {
  const { namespace, memoryId, version, etag, reason, encode } = input;
  const { store, etags } = parts.context;
  const work = memoryWork(parts, call, input);
  // The content of a state never changes, so it may be read ahead.
  const page = { before: version + 1, limit: 1 };
  const [former] = await store.listMemoryVersions(namespace, memoryId, page);
  return await changeMemories(work, ({ memories, revision }) => {
    const current = liveMemory(memories.byId(memoryId), memoryId, work.nowMs);
    if (!etags.allows(etag, current.etagRevision)) throw etagMismatch();
    // A memory of the same id that was forgotten in between is another one.
    if (former?.version !== version || former.memoryNo !== current.memoryNo) {
      throw memoryVersionNotFound(memoryId, version);
    }
    const memory = restoreRevision(current, former, stampOf(work, revision, reason));
    checkOnlyName(memories, memory, "version");
    return {
      plan: { put: [memory] },
      details: [updatedDetail(memory)],
      answer: () => encode({ memory, revision }),
    };
  });
}

/** ReinforceMemories: raises the confidence of all memories or of none. */
export async function reinforceMemories(
  parts: MemoryParts,
  call: Call,
  input: ReinforceInput,
): Promise<Uint8Array> {
  const { memoryIds, amount, allowMissing, encode } = input;
  const work = memoryWork(parts, call, input);
  return await changeMemories(work, (view) => {
    const stamp = stampOf(work, view.revision);
    const memories = memoryIds.flatMap((memoryId) => {
      const stored = view.memories.byId(memoryId);
      const isGone = stored === undefined || isMemoryExpired(stored, work.nowMs);
      if (isGone && allowMissing) return [];
      return [reinforce(liveMemory(stored, memoryId, work.nowMs), amount, stamp)];
    });
    const answer = (revision: number) => encode({ memories, revision });
    if (memories.length === 0) return { answer };
    const details = detailsOf(memories, EVENT_TYPE.memoriesReinforced);
    return { plan: { put: memories }, details, answer };
  });
}

/** MergeEntities: one entity takes in others, which are gone then. */
export async function mergeEntities(
  parts: MemoryParts,
  call: Call,
  input: MergeEntitiesInput,
): Promise<Uint8Array> {
  const { targetMemoryId, sourceMemoryIds, reason, encode } = input;
  const work = memoryWork(parts, call, input);
  return await changeMemories(work, ({ memories, revision }) => {
    const live = (memoryId: string): Memory =>
      liveMemory(memories.byId(memoryId), memoryId, work.nowMs);
    const target = live(targetMemoryId);
    checkEntity(target, "target_memory_id");
    const sources = sourceMemoryIds.map((memoryId, index) => {
      const field = `source_memory_ids[${index}]`;
      const source = live(memoryId);
      if (memoryId === targetMemoryId) throw invalid(field, "must not be the target");
      checkEntity(source, field);
      if (!isSameScope(target.scope, source.scope)) throw invalid(field, "is of another scope");
      return source;
    });
    const memory = merged(target, sources, stampOf(work, revision, reason));
    return {
      plan: { put: [memory], remove: sourceMemoryIds },
      details: [updatedDetail(memory), ...deletedDetails(sources, "merged")],
      answer: () => encode({ memory, revision }),
    };
  });
}

function checkEntity({ kind, state }: Memory, field: string): void {
  if (kind !== "entity") throw invalid(field, `must be an entity, and is of the kind ${kind}`);
  if (state !== "active") throw invalid(field, "must be active, and is superseded");
}

function invalid(field: string, description: string): Error {
  return requestInvalid([{ field, description }]);
}
