// Composes long-term memory.

import { assembleContext } from "./context/assemble-context.ts";
import type { ContextParts } from "./context/parts.ts";
import type { ServiceContext } from "./core/context.ts";
import { bind, inTurn, MEMORY, type Services } from "./edge/services-api.ts";
import type { HookStates } from "./hooks/hook-state.ts";
import { searchSemaphore } from "./kit/semaphore.ts";
import { MemoryJobs } from "./memory/learn/jobs.ts";
import { listMemories } from "./memory/list-memories.ts";
import type { MemoryParts } from "./memory/parts.ts";
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
  readonly search: ContextParts["recall"];
  /** Gets the faults of the background work, without content. */
  readonly onError: (error: unknown) => void;
}

/** Long-term memory while it runs. */
export interface RunningMemories {
  readonly api: Services["memories"];
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
  const turns = searchSemaphore(SCANS_MAX, WAITING_MAX);
  const jobs = new MemoryJobs(parts, settings.onError);
  const contexts: ContextParts = {
    context,
    codec: recall.codec,
    recall: settings.search,
    withSummary,
  };
  const scans = inTurn(turns, parts, { ...MEMORY.inTurn, listMemories });
  const api: Services["memories"] = {
    ...bind(parts, MEMORY.atOnce),
    ...scans,
    listMemories: (call, input) => {
      const isByTime = input.order === "oldest" || input.order === "newest";
      return isByTime ? listMemories(parts, call, input) : scans.listMemories(call, input);
    },
    assembleContext: (call, input) => assembleContext(contexts, call, input),
  };
  return { api, parts, jobs, stop: () => jobs.stop() };
}
