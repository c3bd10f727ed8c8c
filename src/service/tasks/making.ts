// The tasks of a change while they are made, and what both ways of making them need.

import type { EventDetail } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { Policy, PolicyStage } from "../../domain/policy.ts";
import type { Session, WindowInsert } from "../../domain/session.ts";
import {
  type GroupOf,
  type InputLimits,
  type Part,
  savesMessages,
} from "../../domain/summaries/inputs.ts";
import type { SummarySpec } from "../../domain/summaries/spec.ts";
import { isLive, type Task, taskIdOf, taskNoAt } from "../../domain/tasks/task.ts";
import { groupEntriesAs } from "../../domain/window/pairing.ts";
import type { StageRun, Trim, WindowEntry } from "../../domain/window/types.ts";
import type { StoredEntry } from "../../storage/store.ts";
import type { Hooks } from "../hook-port.ts";
import { newTask, requestedEvent, workOf } from "./new-task.ts";

/** What one task gives to a hook that is not in the configuration any more. */
const GONE_HOOK_TOKENS = 8_000;

/** What a change does to a window, for the tasks that follow. */
export interface HandOver {
  /** As the change leaves it. */
  readonly session: Session;
  readonly revision: number;
  readonly nowMs: number;
  /** The window before the passes, inserts included. */
  readonly before: readonly StoredEntry[];
  /** The inserts among them. Default: those of the session, when none of them left. */
  readonly inserts?: readonly WindowInsert[];
  readonly trims: readonly Trim[];
  readonly runs: readonly StageRun[];
  /** The tasks of the session, with what the change did to them already. */
  readonly tasks: readonly Task[];
  /** The index of the first new task of this revision. */
  readonly firstTask: number;
}

/** The name of the hook that a stage means. */
export function hookOf(hooks: Hooks, spec: Pick<SummarySpec, "hook">): string {
  return spec.hook === "" ? hooks.defaultSummarizer : spec.hook;
}

/** How much one task of a hook holds. */
export function inputLimits(hooks: Hooks, hook: string): InputLimits {
  const tokens = hooks.byName.get(hook)?.settings.inputTokensMax ?? GONE_HOOK_TOKENS;
  return { tokens, messages: LIMITS.taskInputMessages, bytes: LIMITS.taskInputBytes };
}

/** A stage that has its messages summarized by a hook. */
export interface Asking {
  readonly stage: PolicyStage;
  readonly spec: SummarySpec;
  readonly hook: string;
  readonly limits: InputLimits;
  readonly run: StageRun | undefined;
}

/** The change while tasks are made of it. */
export interface Making {
  readonly input: HandOver;
  readonly inserts: ReadonlyMap<number, WindowInsert>;
  readonly groupOf: GroupOf;
  readonly tasks: Map<number, Task>;
  readonly put: Map<number, Task>;
  readonly removed: Set<number>;
  readonly events: EventDetail[];
  readonly taskIds: Map<string, string>;
  next: number;
}

/**
 * What entries of a window belong to: a tool call with its results, as the policy pairs them, or a
 * placed summary with the request that is shown before it.
 */
export function groupsOf(
  entries: readonly WindowEntry[],
  { toolPairing }: Policy,
  inserts: readonly WindowInsert[],
): GroupOf {
  let groups: Map<number, number | string> | undefined;
  const find = (): Map<number, number | string> => {
    const found = new Map<number, number | string>();
    const { callOf } = groupEntriesAs(entries, toolPairing);
    for (const [index, { seq }] of entries.entries()) {
      const group = callOf[index] ?? -1;
      if (group >= 0) found.set(seq, group);
    }
    for (const { kind, position, version } of inserts) {
      if (kind !== "result" && version > 0) found.set(position, `summary ${version}`);
    }
    return found;
  };
  return ({ seq }) => {
    groups ??= find();
    return groups.get(seq);
  };
}

/**
 * Whether a part may go by itself. A request is nothing without the summary behind it: it goes when
 * that does. `inserts` are those of the window by position, `standing` those that stay in it.
 */
export function hasSummary(
  part: Part,
  inserts: ReadonlyMap<number, WindowInsert>,
  standing: readonly WindowInsert[],
): boolean {
  const own = part.map(({ seq }) => inserts.get(seq));
  const request = own.find((insert) => insert?.kind === "request");
  if (request === undefined || own.some((insert) => insert?.kind === "summary")) return true;
  const { version } = request;
  return !standing.some((insert) => insert.kind === "summary" && insert.version === version);
}

/** The tasks of a stage that are still to be done, by rising number. */
export function liveOf({ tasks }: Making, stage: string): readonly Task[] {
  return [...tasks.values()]
    .filter((task) => task.stage === stage && isLive(task))
    .sort((a, b) => a.taskNo - b.taskNo);
}

/**
 * The tasks of a stage that were given up, and that a new one takes the place of: not those of
 * messages that left at once, which no other task will ever have.
 */
export function deadOf(tasks: Iterable<Task>, stage: string): readonly Task[] {
  return [...tasks].filter(
    (task) => task.stage === stage && !isLive(task) && task.summarize.spec.leave === "with-summary",
  );
}

/** Changes a task. */
export function save(making: Making, task: Task): void {
  making.tasks.set(task.taskNo, task);
  making.put.set(task.taskNo, task);
}

/** Makes a task of some entries; it stands behind those of its stage that are under way. */
export function make(making: Making, asking: Asking, entries: readonly WindowEntry[]): Task {
  const { input, inserts } = making;
  const { spec, hook, stage, run } = asking;
  const { namespace, sessionId } = input.session;
  const task = newTask(
    {
      namespace,
      sessionId,
      taskNo: taskNoAt(input.revision, making.next),
      hook,
      stage: stage.name,
      isBehind: liveOf(making, stage.name).length > 0,
      nowMs: input.nowMs,
    },
    workOf({ spec, entries, inserts, triggers: run?.triggers ?? [] }),
  );
  making.next += 1;
  save(making, task);
  making.events.push(requestedEvent(task));
  return task;
}

/** Tells which task summarizes for a stage that acted. */
export function tell({ taskIds }: Making, { stage, run }: Asking, task: Task | undefined): void {
  if (run !== undefined && task !== undefined) taskIds.set(stage.name, taskIdOf(task.taskNo));
}

/** Whether a task over some entries can do any good. */
export function enoughFor(
  { keep, maxTokens }: Pick<SummarySpec, "keep" | "maxTokens">,
  inserts: ReadonlyMap<number, WindowInsert>,
): (entries: readonly WindowEntry[]) => boolean {
  if (keep === "append" || keep === "replace") return (entries) => entries.length > 0;
  const all = [...inserts.values()];
  const positions = (kind: WindowInsert["kind"]): ReadonlySet<number> =>
    new Set(all.filter((insert) => insert.kind === kind).map(({ position }) => position));
  const made = { summaries: positions("summary"), requests: positions("request") };
  return (entries) => savesMessages(entries, maxTokens, made);
}
