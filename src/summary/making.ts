// Makes the records of tasks.

import { isInLog } from "../core/window-view.ts";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import type { Hooks } from "../hooks/port.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Session, WindowInsert } from "../session/rules/session.ts";
import type { StoredEntry } from "../store/store.ts";
import { isLive, type SummarizeWork, type Task, taskIdOf, taskNoAt } from "../tasks/rules/task.ts";
import type { Policy, PolicyStage } from "../window/policy/policy.ts";
import type { SummarySpec } from "../window/policy/summary-spec.ts";
import { groupEntriesAs } from "../window/rules/groups.ts";
import { containsSeq, rangesOf } from "../window/rules/ranges.ts";
import type { StageRun, Trim, WindowEntry } from "../window/rules/types.ts";
import { type GroupOf, type InputLimits, type Part, savesMessages } from "./rules/inputs.ts";

/** The progress of work whose hook was not called yet. */
export const NOT_CALLED = { loop: 1, draft: undefined, inputTokens: 0, outputTokens: 0 } as const;

/** Inserts by their positions. */
export function insertsByPosition(
  inserts: readonly WindowInsert[],
): ReadonlyMap<number, WindowInsert> {
  return new Map(inserts.map((insert) => [insert.position, insert]));
}

/** Content of entries: their ranges, the inserts among them, their totals and the level. */
export function contentOf(
  entries: readonly WindowEntry[],
  inserts: ReadonlyMap<number, WindowInsert>,
): Pick<SummarizeWork, "ranges" | "made" | "sources" | "level"> {
  const made: { messageId: string; version: number }[] = [];
  let level = 0;
  let messageCount = 0;
  let tokenCount = 0;
  for (const entry of entries) {
    const insert = isInLog(entry) ? undefined : inserts.get(entry.seq);
    const isSummary = insert?.kind === "summary";
    if (!isInLog(entry)) {
      made.push({ messageId: entry.messageId, version: isSummary ? insert.version : 0 });
    }
    if (isSummary) level = Math.max(level, insert.level);
    // Other messages that the server made have no content to summarize.
    if (!isInLog(entry) && !isSummary) continue;
    messageCount++;
    tokenCount += entry.tokenCount;
  }
  return {
    ranges: rangesOf(entries.filter(isInLog)),
    made,
    sources: { messageCount, tokenCount },
    level: level + 1,
  };
}

/** A task that is not started yet; `isBehind` when another task of its stage comes first. */
export function newTask(
  { hook, stage, ...ref }: Pick<Task, "taskNo" | "namespace" | "sessionId" | "hook" | "stage">,
  { isBehind, nowMs }: { readonly isBehind: boolean; readonly nowMs: number },
  work: SummarizeWork,
): Task {
  // Stored as JSON, in this order of the fields.
  return {
    ...ref,
    type: "summarize",
    hook,
    stage,
    state: isBehind ? "waiting" : "ready",
    dueMs: isBehind ? 0 : nowMs,
    generation: 1,
    failedAttempts: 0,
    callCount: 0,
    lease: undefined,
    lastFailure: undefined,
    createMs: nowMs,
    deadMs: 0,
    summarize: work,
  };
}

/** The event of a task that was made, or of messages that joined it. */
export function requestedEvent(
  { taskNo, stage, hook, summarize }: Task,
  joined?: Pick<SummarizeWork, "ranges" | "sources" | "triggers">,
): EventDetail {
  const { ranges, sources, triggers } = joined ?? summarize;
  const about = { taskId: taskIdOf(taskNo), stage, hook, ranges, sources, triggers };
  return { type: EVENT_TYPE.summaryRequested, ...about, joined: joined !== undefined };
}

// The tasks of a change while they are made, and helpers for both ways of making them.

/** Input limit of a task whose hook is no longer in the configuration. */
const GONE_HOOK_TOKENS = 8_000;

/** Changes to a window, for the tasks that follow from them. */
export interface HandOver {
  /** As the change leaves it. */
  readonly session: Session;
  readonly revision: number;
  readonly nowMs: number;
  /** The window before the passes, inserts included. */
  readonly before: readonly StoredEntry[];
  /** The inserts among them. */
  readonly inserts: readonly WindowInsert[];
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

/** Size limits of one task of a hook. */
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
 * Groups of window entries: a tool call with its results, as the policy pairs them, or a placed
 * summary with the request that is shown before it.
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
 * Whether a part may be summarized alone. A request belongs to the summary behind it and leaves
 * together with it. `inserts` are those of the window by position, `standing` those that stay in
 * it.
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

/** Whether an entry is among those of a task. */
export function ofTasks(
  tasks: readonly Pick<Task, "summarize">[],
): (entry: WindowEntry) => boolean {
  const made = new Set(tasks.flatMap((task) => task.summarize.made.map((one) => one.messageId)));
  return (entry) =>
    isInLog(entry)
      ? tasks.some((task) => containsSeq(task.summarize.ranges, entry.seq))
      : made.has(entry.messageId);
}

/** Whether an entry, or its group, belongs to a live task and leaves when that task is done. */
export function takenBy(
  tasks: Iterable<Task>,
  entries: readonly WindowEntry[],
  groupOf: GroupOf,
): (entry: WindowEntry) => boolean {
  const live = [...tasks].filter(isLive);
  if (live.length === 0) return () => false;
  const isOwn = ofTasks(live);
  const groups = new Set(entries.filter(isOwn).map(groupOf));
  groups.delete(undefined);
  return (entry) => isOwn(entry) || groups.has(groupOf(entry));
}

/** The tasks of a stage that are still to be done, by rising number. */
export function liveOf({ tasks }: Making, stage: string): readonly Task[] {
  return [...tasks.values()]
    .filter((task) => task.stage === stage && isLive(task))
    .sort((a, b) => a.taskNo - b.taskNo);
}

/**
 * The tasks of a stage that were given up and that a new one replaces. Tasks of messages that left
 * at once stay: no other task will ever have these messages.
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

/** Makes a task of some entries; it queues behind the live tasks of its stage. */
export function make(making: Making, asking: Asking, entries: readonly WindowEntry[]): Task {
  const { input, inserts } = making;
  const { spec, hook, stage, run } = asking;
  const { namespace, sessionId } = input.session;
  const taskNo = taskNoAt(input.revision, making.next);
  const isBehind = liveOf(making, stage.name).length > 0;
  const content = contentOf(entries, inserts);
  const task = newTask(
    { taskNo, namespace, sessionId, hook, stage: stage.name },
    { isBehind, nowMs: input.nowMs },
    { spec, triggers: run?.triggers ?? [], ...content, ...NOT_CALLED },
  );
  making.next += 1;
  save(making, task);
  making.events.push(requestedEvent(task));
  return task;
}

/** Records which task summarizes for a stage that acted. */
export function tell({ taskIds }: Making, { stage, run }: Asking, task: Task | undefined): void {
  if (run !== undefined && task !== undefined) taskIds.set(stage.name, taskIdOf(task.taskNo));
}

/** Whether a task over some entries can save anything. */
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
