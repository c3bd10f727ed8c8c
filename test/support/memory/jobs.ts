// Jobs of a session's memory: the state of the queue, attempts that ended, and retries.

import { EVENT_TYPE } from "../../../src/events/rules/event.ts";
import { HookFailure } from "../../../src/hooks/port.ts";
import { type MemoryJobType, taskNoOfJob } from "../../../src/memory/rules/job.ts";
import { taskIdOf } from "../../../src/tasks/rules/task.ts";
import { fromBytes, toBytes } from "../services/json-codec.ts";
import type { TestServices } from "../services/services.ts";
import { jobsOf } from "./turns.ts";

export const JOB_SESSION = { namespace: "default", sessionId: "s" };

export const unreachable = () => new HookFailure("unreachable", "The hook cannot be reached.");

/** The events of attempts, oldest first. */
export async function attemptsOf(services: TestServices) {
  return (await services.allEvents()).flatMap(({ detail }) =>
    detail.type === EVENT_TYPE.taskAttempted ? [detail] : [],
  );
}

export async function hasNoJobs(services: TestServices): Promise<boolean> {
  return (await services.store.readMemoryJobs(JOB_SESSION)).length === 0;
}

export async function taskIdOfJob(services: TestServices, type: MemoryJobType): Promise<string> {
  const [info] = await jobsOf(services, { sessionId: JOB_SESSION.sessionId, type });
  return info === undefined ? "none" : taskIdOf(taskNoOfJob(info.job));
}

export async function retryTask(services: TestServices, taskId: string): Promise<unknown> {
  const bytes = await services.hooks.retryTask(services.call("RetryTask"), {
    ...{ namespace: "default", taskId },
    encode: (job) => toBytes({ job }),
  });
  return fromBytes<{ job?: unknown }>(bytes).job;
}
