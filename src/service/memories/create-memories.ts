// Puts the use cases of long-term memory together.

import type { ServiceContext } from "../context.ts";
import { assembleContext } from "../contexts/assemble-context.ts";
import type { ContextParts } from "../contexts/parts.ts";
import type { MemoryServiceApi } from "../memory-api.ts";
import type { RecallParts } from "../recall/parts.ts";
import type { RecallServiceApi } from "../recall-api.ts";
import type { HookStates } from "../tasks/hook-state.ts";
import { Turns } from "../turns.ts";
import { createTurns } from "./create-turns.ts";
import { decayMemories } from "./decay.ts";
import { extractMemories } from "./extract-memories.ts";
import { forgetMemories } from "./forget.ts";
import type { MemoryJobs } from "./jobs.ts";
import { listMemories } from "./list-memories.ts";
import { mergeEntities } from "./merge-entities.ts";
import type { MemoryParts } from "./parts.ts";
import { purgeMemories } from "./purge.ts";
import { getMemory } from "./read-memories.ts";
import { reinforceMemories } from "./reinforce.ts";
import { queryRelations } from "./relations.ts";
import { remember } from "./remember.ts";
import { Resolvers } from "./resolvers.ts";
import { restoreMemoryVersion } from "./restore-revision.ts";
import { listMemoryVersions } from "./revisions.ts";
import { searchMemories } from "./search.ts";
import { updateMemory } from "./update-memory.ts";

/** Calls that go over many memories, at one time: each may hold 100,000 numbers. */
const SCANS_MAX = 16;
/** Such calls that wait for their turn. */
const WAITING_MAX = 256;

/** What long-term memory stands on. */
export interface MemorySettings {
  readonly states: HookStates;
  readonly recall: RecallParts;
  /** Finds what fits, in its turn. */
  readonly search: RecallServiceApi["recall"];
  /** Hears of faults of the background work, without content. */
  readonly onError: (error: unknown) => void;
}

/** The use cases of long-term memory, and their parts for what works behind them. */
export interface RunningMemories {
  readonly api: MemoryServiceApi;
  readonly parts: MemoryParts;
  readonly jobs: MemoryJobs;
  /** Ends the background work. */
  stop(): Promise<void>;
}

/** Makes the use cases of long-term memory. */
export function createMemories(context: ServiceContext, settings: MemorySettings): RunningMemories {
  const { states, recall } = settings;
  const parts: MemoryParts = {
    context,
    codec: recall.codec,
    states,
    pace: recall.keeper.pace,
    resolvers: new Resolvers(context, states),
  };
  const scans = new Turns({ running: SCANS_MAX, waiting: WAITING_MAX });
  const turns = createTurns(parts, settings.onError);
  const contexts: ContextParts = { context, codec: recall.codec, recall: settings.search };
  const api: MemoryServiceApi = {
    remember: (call, input) => remember(parts, call, input),
    getMemory: (call, input) => getMemory(parts, call, input),
    listMemories: (call, input) => {
      const list = () => listMemories(parts, call, input);
      const isByTime = input.order === "oldest" || input.order === "newest";
      return isByTime ? list() : scans.run(call.signal, list);
    },
    searchMemories: (call, input) =>
      scans.run(call.signal, () => searchMemories(parts, call, input)),
    updateMemory: (call, input) => updateMemory(parts, call, input),
    reinforceMemories: (call, input) => reinforceMemories(parts, call, input),
    decayMemories: (call, input) => scans.run(call.signal, () => decayMemories(parts, call, input)),
    forgetMemories: (call, input) => forgetMemories(parts, call, input),
    purgeMemories: (call, input) => scans.run(call.signal, () => purgeMemories(parts, call, input)),
    listMemoryVersions: (call, input) => listMemoryVersions(parts, call, input),
    restoreMemoryVersion: (call, input) => restoreMemoryVersion(parts, call, input),
    queryRelations: (call, input) =>
      scans.run(call.signal, () => queryRelations(parts, call, input)),
    mergeEntities: (call, input) => mergeEntities(parts, call, input),
    extractMemories: (call, input) => extractMemories(parts, call, input),
    ...turns.api,
    assembleContext: (call, input) => assembleContext(contexts, call, input),
  };
  return { api, parts, jobs: turns.jobs, stop: () => turns.stop() };
}
