// Composes long-term memory.

import { assembleContext } from "./context/assemble-context.ts";
import type { ContextParts } from "./context/parts.ts";
import type { ServiceContext } from "./core/context.ts";
import type { HookStates } from "./hooks/hook-state.ts";
import { searchSemaphore } from "./kit/semaphore.ts";
import type { MemoryServiceApi } from "./memory/api.ts";
import {
  mergeEntities,
  reinforceMemories,
  restoreMemoryVersion,
  updateMemory,
} from "./memory/edit-memories.ts";
import { forgetMemories, purgeMemories } from "./memory/forget.ts";
import { consolidateSession } from "./memory/learn/consolidate.ts";
import { extractMemories } from "./memory/learn/extract-memories.ts";
import { MemoryJobs } from "./memory/learn/jobs.ts";
import { getMemory, listMemories, listMemoryVersions } from "./memory/list-memories.ts";
import type { MemoryParts } from "./memory/parts.ts";
import { queryRelations } from "./memory/relations.ts";
import { remember } from "./memory/remember.ts";
import { searchMemories } from "./memory/search.ts";
import { decayMemories } from "./memory/upkeep.ts";
import type { RecallServiceApi } from "./recall/api.ts";
import type { RecallParts } from "./recall/parts.ts";
import { withSummary } from "./summary/summary-view.ts";

/** Concurrent calls that go over many memories: each may hold 100,000 numbers. */
const SCANS_MAX = 16;
/** Such calls that may wait for their turn. */
const WAITING_MAX = 256;

/** The services that long-term memory uses. */
export interface MemorySettings {
  readonly states: HookStates;
  readonly recall: RecallParts;
  readonly search: RecallServiceApi["recall"];
  /** Gets the faults of the background work, without content. */
  readonly onError: (error: unknown) => void;
}

/** Long-term memory while it runs. */
export interface RunningMemories {
  readonly api: MemoryServiceApi;
  readonly parts: MemoryParts;
  readonly jobs: MemoryJobs;
  /** Ends the background work. */
  stop(): Promise<void>;
}

/** Makes the use cases of long-term memory, and begins to do jobs. */
export function createMemories(context: ServiceContext, settings: MemorySettings): RunningMemories {
  const { states, recall } = settings;
  const parts: MemoryParts = {
    context,
    codec: recall.codec,
    states,
    pace: recall.keeper.pace,
  };
  const scans = searchSemaphore(SCANS_MAX, WAITING_MAX);
  const jobs = new MemoryJobs(parts, settings.onError);
  const contexts: ContextParts = {
    context,
    codec: recall.codec,
    recall: settings.search,
    withSummary,
  };
  const api: MemoryServiceApi = {
    remember: (call, input) => remember(parts, call, input),
    getMemory: (call, input) => getMemory(parts, call, input),
    listMemories: (call, input) => {
      const list = () => listMemories(parts, call, input);
      const isByTime = input.order === "oldest" || input.order === "newest";
      return isByTime ? list() : scans.run(call.signal, list, input.namespace);
    },
    searchMemories: (call, input) =>
      scans.run(call.signal, () => searchMemories(parts, call, input), input.namespace),
    updateMemory: (call, input) => updateMemory(parts, call, input),
    reinforceMemories: (call, input) => reinforceMemories(parts, call, input),
    decayMemories: (call, input) =>
      scans.run(call.signal, () => decayMemories(parts, call, input), input.namespace),
    forgetMemories: (call, input) => forgetMemories(parts, call, input),
    purgeMemories: (call, input) =>
      scans.run(call.signal, () => purgeMemories(parts, call, input), input.namespace),
    listMemoryVersions: (call, input) => listMemoryVersions(parts, call, input),
    restoreMemoryVersion: (call, input) => restoreMemoryVersion(parts, call, input),
    queryRelations: (call, input) =>
      scans.run(call.signal, () => queryRelations(parts, call, input), input.namespace),
    mergeEntities: (call, input) => mergeEntities(parts, call, input),
    extractMemories: (call, input) => extractMemories(parts, call, input),
    consolidateSession: (call, input) => consolidateSession(parts, call, input),
    assembleContext: (call, input) => assembleContext(contexts, call, input),
  };
  return { api, parts, jobs, stop: () => jobs.stop() };
}
