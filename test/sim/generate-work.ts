// Draws operations of tasks and summaries at random.

import type { SessionRef } from "../../src/session/rules/session.ts";
import type { DueQuery, TaskQuery } from "../../src/store/store.ts";
import type { TaskState } from "../../src/tasks/rules/task.ts";
import type { Random } from "../support/kit/random.ts";
import type { TaskAction, TaskDraft, WorkAction } from "../support/store/work.ts";
import type { Draw } from "./draw.ts";

/** The hooks of the simulation; one is the start of another. */
export const HOOKS: readonly string[] = ["h", "hook", "hook-2"];
/** The hours in which they take something. */
export const HOURS: readonly number[] = [1, 2, 3, 4, 5, 6];
const STATES: readonly TaskState[] = ["ready", "leased", "waiting", "dead"];

function several<T>(random: Random, max: number, draw: () => T): readonly T[] {
  return Array.from({ length: random.int(0, max) }, draw);
}

function drawDraft({ random, nowMs }: Draw): TaskDraft {
  return {
    hook: random.pick(HOOKS),
    state: random.pick(STATES),
    dueMs: nowMs + random.int(-500, 500),
  };
}

/** A change of the tasks and summaries of a session. */
export function drawWork(draw: Draw): Omit<WorkAction, "namespace" | "sessionId" | "nowMs"> {
  const { random } = draw;
  const take = { hook: random.pick(HOOKS), hour: random.pick(HOURS), tokens: random.int(0, 90) };
  return {
    kind: "work",
    make: several(random, 3, () => drawDraft(draw)),
    change: several(random, 2, () => ({ ...drawDraft(draw), at: random.int(0, 9) })),
    remove: several(random, 2, () => random.int(0, 9)),
    ...(random.chance(0.4) ? { take } : {}),
    summaries: random.chance(0.5)
      ? []
      : several(random, 3, () => "summary ".repeat(random.int(0, 40))),
    forget: random.chance(0.3) ? several(random, 3, () => random.int(0, 12)) : [],
  };
}

/** A change of one task: mostly of one that exists. */
export async function drawTask(
  draw: Draw,
  namespace: string,
): Promise<Omit<TaskAction, "namespace" | "sessionId" | "nowMs">> {
  const { random, store } = draw;
  const { tasks } = await store.listTasks({ namespace, limit: 50 });
  const known = tasks.length === 0 ? undefined : random.pick(tasks);
  const taskNo = random.chance(0.1) ? random.int(1, 300_000) : (known?.taskNo ?? 1);
  const what = random.weighted({ change: 6, remove: 2, look: 1 });
  return {
    kind: "task",
    taskNo,
    hour: random.pick(HOURS),
    ...(what === "look" ? {} : { draft: what === "remove" ? null : drawDraft(draw) }),
    tokens: random.int(0, 90),
  };
}

/** A list of tasks. */
export function drawTaskQuery({ random }: Draw, ref: SessionRef): Omit<TaskQuery, "after"> {
  return {
    namespace: ref.namespace,
    limit: random.pick([1, 2, 100]),
    ...(random.chance(0.4) ? { sessionId: ref.sessionId } : {}),
    ...(random.chance(0.3) ? { hook: random.pick(HOOKS) } : {}),
    ...(random.chance(0.3) ? { state: random.pick(STATES) } : {}),
  };
}

/** A query for the due tasks of a hook. */
export function drawDueQuery({ random, nowMs }: Draw): DueQuery {
  const names = ["a", "aa", "ab", "default", "z"];
  return {
    hook: random.pick(HOOKS),
    nowMs: nowMs + random.int(-600, 600),
    limit: random.pick([1, 3, 50]),
    perNamespace: random.pick([1, 2, 50]),
    ...(random.chance(0.3) ? { namespace: random.pick(names) } : {}),
    ...(random.chance(0.6) ? { afterNamespace: random.pick(names) } : {}),
  };
}
