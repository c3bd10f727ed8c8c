// Puts together what sessions give to long-term memory: promotion, and the jobs that follow.

import type { MemoryServiceApi } from "../memory-api.ts";
import { consolidateSession } from "./consolidate.ts";
import { JobHooks } from "./job-hooks.ts";
import { MemoryJobs } from "./jobs.ts";
import type { MemoryParts } from "./parts.ts";
import { Scorers } from "./scorers.ts";

/** The use cases of turns, and how to stop what they have done. */
export interface RunningTurns {
  readonly api: Pick<MemoryServiceApi, "consolidateSession">;
  readonly jobs: MemoryJobs;
  /** Ends the calls of hooks; the jobs stay due. */
  stop(): Promise<void>;
}

/** Makes the use cases of turns and begins to do jobs. */
export function createTurns(
  { context, states }: Pick<MemoryParts, "context" | "states">,
  onError: (error: unknown) => void,
): RunningTurns {
  const scorers = new Scorers(context, states);
  const hooks = new JobHooks(context, scorers, states);
  const jobs = new MemoryJobs({ context, hooks }, onError);
  if (context.news !== undefined) context.news.memoryJobsChanged = () => jobs.wake();
  return {
    api: {
      consolidateSession: (call, input) => consolidateSession({ context, scorers }, call, input),
    },
    jobs,
    stop: () => jobs.stop(),
  };
}
