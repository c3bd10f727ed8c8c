// Checks tasks against the lists and orders that name them, both ways, what hooks took, and the
// history of summaries against its log.

import { REVISION_TASKS_MAX, type Task } from "../../domain/tasks/task.ts";
import { taskFault } from "../task-faults.ts";
import { decodeHead, decodeText } from "./codec.ts";
import {
  duePrefix,
  headKey,
  oldDueAtKey,
  oldTaskKey,
  readDueKey,
  readSized,
  readU64,
  sessionKey,
  summaryPrefix,
  TABLE,
  taskKey,
} from "./keys.ts";
import { decodeSession } from "./session-codec.ts";
import { decodeSummary, decodeTask, decodeUsage, type TaskRow } from "./task-codec.ts";
import { dueKeys, listKeys } from "./tasks.ts";
import { describeKey, type IndexView, type Problems, type RawRow } from "./verify-view.ts";

/** What the check works with. */
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
  for (const table of [TABLE.task, TABLE.oldTask]) {
    for (const row of view.under(table)) {
      count++;
      const found = view.decode(row, decodeTask);
      if (found !== undefined) {
        checkTask(check, row.key, found);
      }
    }
  }
  for (const table of [TABLE.taskIn, TABLE.taskOf, TABLE.due, TABLE.dueAt]) {
    for (const row of view.under(table)) {
      checkListed(check, row);
    }
  }
  for (const row of view.under(TABLE.usage)) {
    view.decode(row, decodeUsage);
  }
  return count;
}

function checkTask(check: TaskCheck, key: string, { sessionNo, task }: TaskRow): void {
  const { view, problems, newestRevision } = check;
  const { namespace, taskNo } = task;
  const isKey = key === taskKey(namespace, taskNo) || key === oldTaskKey(taskNo);
  const isOwn = isKey && taskNo < (newestRevision(namespace) + 1) * REVISION_TASKS_MAX;
  problems.check(isOwn, "a task has another number", taskNo);
  problems.check(taskFault(task) === undefined, "a task is not sound", taskNo);
  const session = view.find(sessionKey(sessionNo), decodeSession);
  const isOf = session?.namespace === task.namespace && session.sessionId === task.sessionId;
  problems.check(isOf, "a task has no session", taskNo);
  for (const key of listKeys(sessionNo, task)) {
    problems.check(view.find(key, () => true) === true, "a task is not listed", taskNo);
  }
  problems.check(isDueListed(view, task), "a task would not be found when it is due", taskNo);
}

function isDueListed(view: IndexView, task: Task): boolean {
  const [inNamespace, inAll] = dueKeys(task);
  if (inNamespace === undefined || inAll === undefined) {
    return true;
  }
  const isIn = view.find(inNamespace, () => true) === true;
  const old = oldDueAtKey(task.hook, task.dueMs, task.taskNo);
  const found = view.find(inAll, decodeText) ?? view.find(old, decodeText);
  return isIn && found === task.namespace;
}

function checkListed({ view, problems }: TaskCheck, row: RawRow): void {
  const { namespace, taskNo } = listedTask(view, row);
  const old = view.find(oldTaskKey(taskNo), decodeTask);
  const found = view.find(taskKey(namespace, taskNo), decodeTask) ?? old;
  const keys =
    found === undefined ? [] : [...listKeys(found.sessionNo, found.task), ...dueKeys(found.task)];
  if (old !== undefined && dueKeys(old.task).length > 0) {
    keys.push(oldDueAtKey(old.task.hook, old.task.dueMs, taskNo));
  }
  problems.check(keys.includes(row.key), "a list names a wrong task", taskNo);
}

/** The task that a row of a list names. */
function listedTask(
  view: IndexView,
  row: RawRow,
): { readonly namespace: string; readonly taskNo: number } {
  const { key } = row;
  const isDueAt = key[0] === TABLE.dueAt;
  const text = view.decode(row, isDueAt ? decodeText : () => "");
  const start = readSized(key, 1);
  switch (key[0]) {
    case TABLE.dueAt:
      return { namespace: text ?? "", taskNo: readU64(key, start.end + 8) };
    case TABLE.due:
      return readDueKey(key, duePrefix(start.text));
    case TABLE.taskIn:
      return { namespace: start.text, taskNo: readU64(key, start.end) };
    default: {
      const session = view.find(sessionKey(readU64(key, 1)), decodeSession);
      return { namespace: session?.namespace ?? "", taskNo: readU64(key, 9) };
    }
  }
}

/** Checks the summaries of a session; gives their number. */
export function checkSummaries({ view, problems }: TaskCheck, sessionNo: number): number {
  const session = view.find(sessionKey(sessionNo), decodeSession);
  const head = view.find(headKey(sessionNo), decodeHead);
  if (session === undefined || head === undefined) {
    return 0;
  }
  let count = 0;
  for (const row of view.under(summaryPrefix(head.logNo))) {
    count++;
    const version = readU64(row.key, 9);
    const summary = view.decode(row, decodeSummary);
    const isOwn = summary === undefined || summary.version === version;
    const isPast = version <= session.fields.summaryVersion;
    problems.check(isOwn && isPast, "a summary has another version", describeKey(row.key));
  }
  return count;
}
