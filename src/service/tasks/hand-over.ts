// Makes tasks for what stages want summarized, in the very change that makes the stages act: so a
// task is there exactly when its messages wait or have left.

import { hookNotConfigured } from "../../domain/errors.ts";
import type { EventDetail } from "../../domain/event.ts";
import type { Policy } from "../../domain/policy.ts";
import { MANUAL_HOOK } from "../../domain/summaries/spec.ts";
import { taskNoAt } from "../../domain/tasks/task.ts";
import type { TaskPlan } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";
import { canSummarize, type Hooks } from "../hook-port.ts";
import {
  type Asking,
  groupsOf,
  type HandOver,
  hookOf,
  inputLimits,
  type Making,
} from "./making.ts";
import { insertsByPosition } from "./new-task.ts";
import { sendRemoved, spreadOver } from "./removed-tasks.ts";
import { sendWaiting } from "./waiting-tasks.ts";

export type { HandOver } from "./making.ts";

/** What becomes of tasks, and who is told. */
export interface HandedOver {
  /** Undefined for nothing. */
  readonly plan: TaskPlan | undefined;
  readonly events: readonly EventDetail[];
  /** By stage: the id of the task that summarizes for it. */
  readonly taskIds: ReadonlyMap<string, string>;
}

/** Throws HOOK_NOT_CONFIGURED when a policy needs a hook that the server does not have. */
export function checkHooks(
  { hooks }: Pick<ServiceContext, "hooks">,
  policy: Policy | undefined,
): void {
  for (const { summarize } of policy?.stages ?? []) {
    if (summarize === undefined) continue;
    const name = hookOf(hooks, summarize);
    if (name !== MANUAL_HOOK && !canSummarize(hooks, name)) throw hookNotConfigured(name);
  }
}

/**
 * Makes the tasks that the stages of a policy ask for, in the order of the stages. Pure: decides
 * from what it is given and may be called again for the same change.
 */
export function handOver(context: Pick<ServiceContext, "hooks">, input: HandOver): HandedOver {
  const asking = askingStages(context.hooks, input);
  if (asking.length === 0) return { plan: undefined, events: [], taskIds: new Map() };
  const making = beginMaking(input);
  const spread = spreadOver(input.trims);
  for (const stage of asking) {
    if (stage.spec.leave === "at-once") sendRemoved(making, stage, spread);
    else sendWaiting(making, stage);
  }
  const { put, removed, events, taskIds } = making;
  const plan = { put: [...put.values()], remove: [...removed] };
  const isEmpty = plan.put.length === 0 && plan.remove.length === 0;
  return { plan: isEmpty ? undefined : plan, events, taskIds };
}

function askingStages(hooks: Hooks, { session, runs }: HandOver): readonly Asking[] {
  const asking: Asking[] = [];
  for (const stage of session.fields.policy.stages) {
    const { summarize: spec, removedTo, effect, name } = stage;
    if (spec === undefined || removedTo !== "summarize" || effect !== "store") continue;
    const hook = hookOf(hooks, spec);
    if (hook === MANUAL_HOOK) continue;
    const run = runs.find((one) => one.stage === name);
    asking.push({ stage, spec, hook, run, limits: inputLimits(hooks, hook) });
  }
  return asking;
}

function beginMaking(input: HandOver): Making {
  const { session, tasks, revision, firstTask } = input;
  const inserts = input.inserts ?? session.fields.inserts;
  const first = taskNoAt(revision, 0);
  const made = tasks.filter(({ taskNo }) => taskNo >= first).length;
  return {
    input,
    inserts: insertsByPosition(inserts),
    groupOf: groupsOf(input.before, session.fields.policy, inserts),
    tasks: new Map(tasks.map((task) => [task.taskNo, task])),
    put: new Map(),
    removed: new Set(),
    events: [],
    taskIds: new Map(),
    next: Math.max(firstTask, made),
  };
}
