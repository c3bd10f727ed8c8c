// Checks tasks against the lists and orders that name them, both ways, what hooks took, and the
// history of summaries against its log.

import { REVISION_TASKS_MAX, type Task } from "../../tasks/rules/task.ts";
import type { Problems } from "../engine/problems.ts";
import { ONE_TEXT } from "../engine/table.ts";
import { HEAD, SESSION } from "../tables/session-tables.ts";
import {
  DUE,
  DUE_AT,
  dueTaskOf,
  OLD_TASK,
  SUMMARY,
  TASK,
  TASK_IN,
  TASK_OF,
  type TaskRow,
  USAGE,
} from "../tables/task-tables.ts";
import { dueKeys, listKeys } from "../tables/tasks.ts";
import { taskFault } from "../task-faults.ts";
import { describeKey, type IndexView, type RawRow } from "./view.ts";

/** The parts that the check shares. */
export interface TaskCheck {
  readonly view: IndexView;
  readonly problems: Problems;
  /** Gives the newest revision of a namespace. */
  readonly newestRevision: (namespace: string) => number;
}

/** Checks everything about tasks; gives the number of tasks. */
export function checkTasks(check: TaskCheck): number {
  const { view } = check;
  let count = 0;
  for (const rows of [view.rows(TASK), view.rows(OLD_TASK)]) {
    for (const { key, record } of rows) {
      count++;
      if (record !== undefined) checkTask(check, key, record);
    }
  }
  for (const table of [TASK_IN.id, TASK_OF.id, DUE.id, DUE_AT.id]) {
    for (const row of view.under(table)) {
      checkListed(check, row);
    }
  }
  view.count(USAGE.id);
  return count;
}

function checkTask(check: TaskCheck, key: string, { sessionNo, task }: TaskRow): void {
  const { view, problems, newestRevision } = check;
  const { namespace, taskNo } = task;
  const isKey = key === TASK.key(namespace, taskNo) || key === OLD_TASK.key(taskNo);
  const isOwn = isKey && taskNo < (newestRevision(namespace) + 1) * REVISION_TASKS_MAX;
  problems.check(isOwn, "a task has another number", taskNo);
  problems.check(taskFault(task) === undefined, "a task is not sound", taskNo);
  const session = view.read(SESSION, sessionNo);
  const isOf = session?.namespace === task.namespace && session.sessionId === task.sessionId;
  problems.check(isOf, "a task has no session", taskNo);
  for (const key of listKeys(sessionNo, task)) {
    problems.check(view.has(key), "a task is not listed", taskNo);
  }
  problems.check(isDueListed(view, task), "a task would not be found when it is due", taskNo);
}

function isDueListed(view: IndexView, task: Task): boolean {
  const [inNamespace, inAll] = dueKeys(task);
  if (inNamespace === undefined || inAll === undefined) return true;
  const isIn = view.has(inNamespace);
  const old = DUE_AT.prefix(task.hook, task.dueMs, task.taskNo);
  const found = view.find(inAll, ONE_TEXT.decode) ?? view.find(old, ONE_TEXT.decode);
  return isIn && found === task.namespace;
}

function checkListed({ view, problems }: TaskCheck, row: RawRow): void {
  const { namespace, taskNo } = listedTask(view, row);
  const old = view.read(OLD_TASK, taskNo);
  const found = view.read(TASK, namespace, taskNo) ?? old;
  const keys =
    found === undefined ? [] : [...listKeys(found.sessionNo, found.task), ...dueKeys(found.task)];
  if (old !== undefined && dueKeys(old.task).length > 0) {
    keys.push(DUE_AT.prefix(old.task.hook, old.task.dueMs, taskNo));
  }
  problems.check(keys.includes(row.key), "a list names a wrong task", taskNo);
}

/** The task that a row of a list names. */
function listedTask(
  view: IndexView,
  row: RawRow,
): { readonly namespace: string; readonly taskNo: number } {
  const { key } = row;
  switch (key[0]) {
    case DUE_AT.id: {
      // Up to format 2 the key lacks the namespace.
      const [, , taskNo] = DUE_AT.parts(key);
      return { namespace: view.decode(row, DUE_AT.decode) ?? "", taskNo };
    }
    case DUE.id:
      view.decode(row, DUE.decode);
      return dueTaskOf(key);
    case TASK_IN.id: {
      view.decode(row, TASK_IN.decode);
      const [namespace, taskNo] = TASK_IN.parts(key);
      return { namespace, taskNo };
    }
    default: {
      view.decode(row, TASK_OF.decode);
      const [sessionNo, taskNo] = TASK_OF.parts(key);
      const session = view.read(SESSION, sessionNo);
      return { namespace: session?.namespace ?? "", taskNo };
    }
  }
}

/** Checks the summaries of a session; gives their number. */
export function checkSummaries({ view, problems }: TaskCheck, sessionNo: number): number {
  const session = view.read(SESSION, sessionNo);
  const head = view.read(HEAD, sessionNo);
  if (session === undefined || head === undefined) return 0;
  let count = 0;
  for (const { key, parts, record: summary } of view.rows(SUMMARY, head.logNo)) {
    count++;
    const [, version] = parts;
    const isOwn = summary === undefined || summary.version === version;
    const isPast = version <= session.fields.summaryVersion;
    problems.check(isOwn && isPast, "a summary has another version", describeKey(key));
  }
  return count;
}
