// Tasks: reading them, and what changes of sessions and of single tasks do to them. A task stands
// in its own table, in the lists of its namespace and of its session, and, while it may be taken,
// in the two orders of tasks that are due.

import { mark } from "../../erase/rules/erasure.ts";
import { recordCorrupt } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { SessionRef } from "../../session/rules/session.ts";
import { NO_USAGE, type Task, type TaskUsage } from "../../tasks/rules/task.ts";
import {
  afterPrefix,
  lastNumber,
  numbersUnder,
  readSized,
  readU64,
  textPart,
  timesUnder,
  u64,
} from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { breathe, firstOf, rangeIndex, takeRows } from "../engine/reads.ts";
import { NOTHING, ONE_TEXT } from "../engine/table.ts";
import type {
  DueQuery,
  DueTask,
  TaskChange,
  TaskDecision,
  TaskPage,
  TaskPlan,
  TaskQuery,
  TaskView,
} from "../store.ts";
import { taskFault, taskPlanFault, usageFault } from "../task-faults.ts";
import { type Core, updateOldRows } from "./core.ts";
import { unsound } from "./plan-check.ts";
import { nextRevision, pendingReply, saveReply } from "./replies.ts";
import { committedState } from "./sessions.ts";
import {
  DUE,
  DUE_AT,
  dueTaskOf,
  OLD_TASK,
  TASK,
  TASK_IN,
  TASK_OF,
  type TaskRow,
  USAGE,
} from "./task-tables.ts";

/** Reads a task with the number of its session; undefined when there is none. */
export function readTaskRow(
  core: Core,
  namespace: string,
  taskNo: number,
  visibility: Visibility,
): TaskRow | undefined {
  return Number.isSafeInteger(taskNo) && taskNo > 0
    ? TASK.get(core, TASK.key(namespace, taskNo), visibility)
    : undefined;
}

/**
 * Finds a task in a namespace; undefined when there is none. Throws RECORD_CORRUPT when it is lost.
 */
export function findTaskRow(
  core: Core,
  namespace: string,
  taskNo: number,
  visibility: Visibility,
): TaskRow | undefined {
  const row = readTaskRow(core, namespace, taskNo, visibility);
  if (row !== undefined) return row;
  const isListed =
    Number.isSafeInteger(taskNo) &&
    taskNo > 0 &&
    TASK_IN.has(core, TASK_IN.key(namespace, taskNo), visibility);
  if (isListed) throw recordCorrupt(`task ${taskNo} is listed but missing`);
  return undefined;
}

/** Reads a task that a list names. Throws RECORD_CORRUPT when it is missing. */
export function needTaskRow(
  core: Core,
  namespace: string,
  taskNo: number,
  visibility: Visibility,
): TaskRow {
  const row = readTaskRow(core, namespace, taskNo, visibility);
  if (row === undefined || row.task.taskNo !== taskNo) {
    throw recordCorrupt(`task ${taskNo} is listed but missing`);
  }
  return row;
}

/** The tasks of a session by rising number. */
export function tasksOf(
  core: Core,
  namespace: string,
  sessionNo: number,
  visibility: Visibility,
): Task[] {
  const rows = rangeIndex(core, visibility, numbersUnder(TASK_OF.prefix(sessionNo)));
  return Array.from(
    rows,
    ({ key }) => needTaskRow(core, namespace, lastNumber(key), visibility).task,
  );
}

/** The usage of a hook in an hour for a namespace. */
export function readUsage(
  core: Core,
  of: { readonly namespace: string; readonly hook: string; readonly hour: number },
  visibility: Visibility,
): TaskUsage {
  const key = USAGE.key(of.hour, of.namespace, of.hook);
  return USAGE.get(core, key, visibility) ?? NO_USAGE;
}

/** A task before and after a change. */
interface TaskStep {
  readonly before: Task | undefined;
  readonly after: Task | undefined;
}

/** The steps of a plan for tasks, read and checked, so that none of them can fail. */
export interface TaskSteps {
  readonly steps: readonly TaskStep[];
  readonly usage: TaskPlan["usage"];
}

const NO_STEPS: TaskSteps = { steps: [], usage: undefined };

/** Reads what a plan for tasks needs, and checks it. Throws an Error that names the fault. */
export function taskSteps(core: Core, ref: SessionRef, plan: TaskPlan | undefined): TaskSteps {
  if (plan === undefined) return NO_STEPS;
  const read = new Map<number, Task | undefined>();
  const known = (taskNo: number): Task | undefined => {
    if (!read.has(taskNo)) {
      read.set(taskNo, readTaskRow(core, ref.namespace, taskNo, "pending")?.task);
    }
    return read.get(taskNo);
  };
  const revision = nextRevision(core, ref.namespace);
  const fault = taskPlanFault(plan, { ref, revision, known });
  if (fault !== undefined) throw unsound(fault);
  const put = (plan.put ?? []).map((task) => ({ before: known(task.taskNo), after: task }));
  const removed = (plan.remove ?? []).map((no) => ({ before: known(no), after: undefined }));
  return { steps: [...put, ...removed], usage: plan.usage };
}

/** The end of all tasks of a session that goes. Throws when one of them is damaged. */
export function removalSteps(core: Core, namespace: string, sessionNo: number): TaskSteps {
  const tasks = tasksOf(core, namespace, sessionNo, "pending");
  const steps = tasks.map((before) => ({ before, after: undefined }));
  return { steps, usage: undefined };
}

/** Applies what becomes of tasks. */
export function saveTasks(core: Core, of: SessionAt, { steps, usage }: TaskSteps): void {
  for (const step of steps) {
    saveTask(core, of.sessionNo, step);
  }
  if (usage !== undefined) {
    USAGE.put(core, USAGE.key(usage.hour, of.namespace, usage.hook), usage.usage);
  }
}

/** A session by its number. */
interface SessionAt {
  readonly sessionNo: number;
  readonly namespace: string;
}

/** The keys of a task in the lists of its namespace and of its session. */
export function listKeys(sessionNo: number, { namespace, taskNo }: Task): readonly string[] {
  return [TASK_IN.prefix(namespace) + u64(taskNo), TASK_OF.prefix(sessionNo) + u64(taskNo)];
}

/** The keys of a task in the orders of tasks that are due; none for others. */
export function dueKeys({ hook, namespace, state, dueMs, taskNo }: Task): readonly string[] {
  const inNamespace = DUE.prefix(hook, namespace) + u64(dueMs) + u64(taskNo);
  return state === "ready" || state === "leased"
    ? [inNamespace, DUE_AT.key(hook, dueMs, taskNo, namespace)]
    : [];
}

function saveTask(core: Core, sessionNo: number, { before, after }: TaskStep): void {
  const { memtable, writer } = core;
  const task = after ?? before;
  if (task === undefined) return;
  const key = TASK.key(task.namespace, task.taskNo);
  memtable.set(key, after === undefined ? null : TASK.encode(key, { sessionNo, task: after }));
  if (before === undefined || after === undefined) {
    for (const listKey of listKeys(sessionNo, task)) {
      memtable.set(listKey, after === undefined ? null : NOTHING.encode(listKey, true));
    }
  }
  const old = new Set(before === undefined ? [] : dueKeys(before));
  const [inNamespace, inAll] = after === undefined ? [] : dueKeys(after);
  if (after !== undefined && inNamespace !== undefined && inAll !== undefined) {
    writer.report.taskHooks.add(after.hook);
    if (!old.delete(inNamespace)) memtable.set(inNamespace, NOTHING.encode(inNamespace, true));
    if (!old.delete(inAll)) memtable.set(inAll, ONE_TEXT.encode(inAll, after.namespace));
  }
  for (const oldKey of old) {
    memtable.set(oldKey, null);
  }
}

/** The view of a task for decide, and its row. */
export function taskView(
  core: Core,
  change: TaskChange,
): { readonly view: TaskView; readonly row: TaskRow | undefined } {
  const { namespace, hour } = change;
  const row = findTaskRow(core, namespace, change.taskNo, "pending");
  const usage =
    row === undefined
      ? NO_USAGE
      : readUsage(core, { namespace, hook: row.task.hook, hour }, "pending");
  const reply = pendingReply(core, namespace, change.requestId);
  return { view: { task: row?.task, usage, reply }, row };
}

/** Applies a decision to save. Throws an Error that names a fault of it. */
export function applyTask(
  core: Core,
  change: TaskChange,
  row: TaskRow | undefined,
  decision: TaskDecision<unknown> & { readonly kind: "save" },
): void {
  const { task, usage } = decision;
  const fault =
    (task === undefined ? undefined : (taskFault(task) ?? otherFault(task, row))) ??
    (usage === undefined ? undefined : usageFault(change.hour, usage));
  if (fault !== undefined || (row === undefined && usage !== undefined)) {
    throw unsound(fault ?? "it counts what a task took that is not there");
  }
  core.writer.whole(() => {
    if (row !== undefined) {
      const { hook, namespace } = row.task;
      const taken = usage === undefined ? undefined : { hook, hour: change.hour, usage };
      saveTasks(
        core,
        { sessionNo: row.sessionNo, namespace },
        {
          steps: [{ before: row.task, after: task }],
          usage: taken,
        },
      );
    }
    saveReply(
      core,
      change,
      decision.reply,
      row === undefined ? [] : [mark.session(row.task.sessionId)],
    );
  });
}

function otherFault(task: Task, row: TaskRow | undefined): string | undefined {
  const before = row?.task;
  const isSame =
    before?.taskNo === task.taskNo &&
    before.namespace === task.namespace &&
    before.sessionId === task.sessionId;
  return isSame ? undefined : `task ${task.taskNo} is not the one that was to be changed`;
}

// Tasks of formats 1 and 2 move to the keys of this format when a store is opened.
//
// Up to format 2 a task stood under its number alone, which was unique in the store. The move is
// made of ordinary changes, and the task tables show nothing between.

/** Moves all tasks that stand under the keys of older formats. */
export function moveOldTasks(core: Core): Promise<void> {
  return updateOldRows(core, OLD_TASK, (key, row) => moveTask(core, key, row));
}

function moveTask({ memtable }: Core, oldKey: string, row: TaskRow): void {
  const { hook, dueMs, namespace, taskNo } = row.task;
  TASK.put({ memtable }, TASK.key(namespace, taskNo), row);
  memtable.set(oldKey, null);
  const [, dueAt] = dueKeys(row.task);
  if (dueAt !== undefined) {
    memtable.set(dueAt, ONE_TEXT.encode(dueAt, namespace));
    memtable.set(DUE_AT.prefix(hook, dueMs, taskNo), null);
  }
}

// Lists of tasks: pages of a namespace or a session, and what is due of a hook.

// Records looked at before other work gets its turn.
const PIECE = 64;
// Due tasks of a hook are taken in the order of their times when they are fewer than this; else the
// namespaces are gone through, at most so many.
const DUE_FEW = 256;
const NAMESPACES_MAX = 1_024;
// Few tasks of a namespace are wanted.
const DUE_PAGE = 8;

function matches(task: Task, query: TaskQuery): boolean {
  return (
    task.namespace === query.namespace &&
    (query.sessionId === undefined || task.sessionId === query.sessionId) &&
    (query.hook === undefined || task.hook === query.hook) &&
    (query.state === undefined || task.state === query.state)
  );
}

/** A page of tasks by rising number. Looks at a bounded number of them, piece by piece. */
export async function listTasks(core: Core, query: TaskQuery): Promise<TaskPage> {
  const tasks: Task[] = [];
  let last = query.after;
  for (let looks = 0; looks < LIMITS.pageScan; looks += PIECE) {
    if (looks > 0) await breathe(core);
    const prefix = listPrefix(core, query);
    if (prefix === undefined) return { tasks, next: undefined };
    const range = { ...numbersUnder(prefix, { after: last }), page: PIECE };
    let looked = 0;
    for (const { key } of rangeIndex(core, "committed", range)) {
      if (tasks.length >= query.limit) return { tasks, next: last };
      if (looked >= PIECE) break;
      looked++;
      last = lastNumber(key);
      const { task } = needTaskRow(core, query.namespace, last, "committed");
      if (matches(task, query)) tasks.push(task);
    }
    if (looked < PIECE) return { tasks, next: undefined };
  }
  return { tasks, next: last };
}

// The session may be gone when the next piece is read: then its tasks are, too.
function listPrefix(core: Core, { namespace, sessionId }: TaskQuery): string | undefined {
  if (sessionId === undefined) return TASK_IN.prefix(namespace);
  const state = committedState(core, { namespace, sessionId });
  return state === undefined ? undefined : TASK_OF.prefix(state.sessionNo);
}

/** The tasks of a hook that are due. */
export async function dueTasks(core: Core, query: DueQuery): Promise<readonly DueTask[]> {
  const { namespace, limit, perNamespace } = query;
  if (namespace !== undefined) return dueIn(core, query, namespace, Math.min(limit, perNamespace));
  const longest = longestDue(core, query);
  return longest.length < DUE_FEW
    ? taken(sharedOut(longest, query), query)
    : await dueByTurn(core, query, longest);
}

/** The longest due tasks of one namespace. */
function dueIn(core: Core, query: DueQuery, namespace: string, limit: number): DueTask[] {
  const range = timesUnder(DUE.prefix(query.hook, namespace), query.nowMs);
  const rows = takeRows(core, "committed", { ...range, page: DUE_PAGE }, limit);
  return rows.map(({ key }) => dueTaskOf(key));
}

/** The longest due tasks of all namespaces. */
function longestDue(core: Core, { hook, nowMs }: DueQuery): DueTask[] {
  const range = timesUnder(DUE_AT.prefix(hook), nowMs);
  return takeRows(core, "committed", range, DUE_FEW).map(({ key, payload }) => {
    const [, dueMs, taskNo] = DUE_AT.parts(key);
    return { taskNo, namespace: DUE_AT.of(payload), dueMs };
  });
}

/** Tasks by namespace, those first whose turn it is. */
function sharedOut(tasks: readonly DueTask[], { afterNamespace = "" }: DueQuery): DueTask[][] {
  const after = textPart(afterNamespace);
  const byPart = new Map<string, DueTask[]>();
  for (const task of tasks) {
    const part = textPart(task.namespace);
    const own = byPart.get(part);
    if (own === undefined) {
      byPart.set(part, [task]);
    } else {
      own.push(task);
    }
  }
  const parts = [...byPart].sort(([a], [b]) => (a < b ? -1 : 1));
  const turn = [
    ...parts.filter(([part]) => part > after),
    ...parts.filter(([part]) => part <= after),
  ];
  return turn.map(([, own]) => own);
}

function taken(shares: readonly DueTask[][], { limit, perNamespace }: DueQuery): DueTask[] {
  return shares.flatMap((own) => own.slice(0, perNamespace)).slice(0, limit);
}

// There is much to do: goes from namespace to namespace. When there are too many namespaces with
// nothing due to go through, what is due the longest makes up for it, so that something is given.
async function dueByTurn(
  core: Core,
  query: DueQuery,
  longest: readonly DueTask[],
): Promise<DueTask[]> {
  const { afterNamespace = "", limit, perNamespace } = query;
  const found: DueTask[] = [];
  let at: string | undefined = afterNamespace;
  let isRound = false;
  for (let looks = 1; found.length < limit; looks++) {
    const next: string | undefined = nextNamespace(core, query.hook, at);
    const isBehind = next === undefined || (isRound && textPart(next) > textPart(afterNamespace));
    if (isBehind && (isRound || afterNamespace === "")) return found;
    if (next === undefined) {
      isRound = true;
      at = undefined;
      continue;
    }
    at = next;
    found.push(...dueIn(core, query, next, Math.min(perNamespace, limit - found.length)));
    if (looks >= NAMESPACES_MAX) break;
    if (looks % PIECE === 0) await breathe(core);
  }
  return found.length >= limit ? found : filledUp(found, longest, query);
}

function filledUp(
  found: readonly DueTask[],
  longest: readonly DueTask[],
  query: DueQuery,
): DueTask[] {
  const looked = new Set(found.map(({ namespace }) => namespace));
  const others = longest.filter(({ namespace }) => !looked.has(namespace));
  const rest = { ...query, limit: query.limit - found.length };
  return [...found, ...taken(sharedOut(others, query), rest)];
}

/** The next namespace that has tasks of a hook to be done, at any time; from the first on. */
function nextNamespace(core: Core, hook: string, after: string | undefined): string | undefined {
  const prefix = DUE.prefix(hook);
  const start =
    after === undefined || after === "" ? prefix + u64(0) : afterPrefix(DUE.prefix(hook, after));
  const row = firstOf(core, "committed", { start, end: afterPrefix(prefix) });
  return row === undefined ? undefined : dueTaskOf(row.key).namespace;
}

/** When the next task of a hook is due that is not due now; undefined when there is none. */
export function nextDueMs(core: Core, hook: string, nowMs: number): number | undefined {
  const prefix = DUE_AT.prefix(hook);
  const row = firstOf(core, "committed", numbersUnder(prefix, { after: nowMs }));
  return row === undefined ? undefined : readU64(row.key, prefix.length);
}

/** The hooks that have tasks to be done, at any time. Reads one key for each. */
export function taskHooks(core: Core): string[] {
  const hooks: string[] = [];
  const end = afterPrefix(DUE_AT.id);
  for (let start = DUE_AT.id; ; ) {
    const row = firstOf(core, "committed", { start, end });
    if (row === undefined) return hooks;
    const { text: hook } = readSized(row.key, DUE_AT.id.length);
    hooks.push(hook);
    start = afterPrefix(DUE_AT.prefix(hook));
  }
}
