// Checks tasks against the lists and orders that name them, both ways, what hooks took, and the
// history of summaries against its log.

import { REVISION_TASKS_MAX, type Task } from "../../domain/tasks/task.ts";
import { taskFault } from "../task-faults.ts";
import { decodeHead, decodeText } from "./codec.ts";
import { headKey, readU64, sessionKey, summaryPrefix, TABLE, taskKey } from "./keys.ts";
import { decodeSession } from "./session-codec.ts";
import { decodeSummary, decodeTask, decodeUsage, type TaskRow } from "./task-codec.ts";
import { dueKeys, listKeys } from "./tasks.ts";
import { describeKey, type IndexView, type Problems, type RawRow } from "./verify-view.ts";

/** What the check works with. */
export interface TaskCheck {
  readonly view: IndexView;
  readonly problems: Problems;
  /** The newest revision. */
  readonly revision: number;
}

/** Checks everything about tasks; gives the number of tasks. */
export function checkTasks(check: TaskCheck): number {
  const { view } = check;
  let count = 0;
  for (const row of view.under(TABLE.task)) {
    count++;
    const found = view.decode(row, decodeTask);
    if (found !== undefined) {
      checkTask(check, readU64(row.key, 1), found);
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

function checkTask(check: TaskCheck, taskNo: number, { sessionNo, task }: TaskRow): void {
  const { view, problems, revision } = check;
  const isOwn = task.taskNo === taskNo && taskNo < (revision + 1) * REVISION_TASKS_MAX;
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
  return isIn && view.find(inAll, decodeText) === task.namespace;
}

// The number of a task is the end of every key that lists it.
function checkListed({ view, problems }: TaskCheck, row: RawRow): void {
  view.decode(row, () => true);
  const taskNo = readU64(row.key, row.key.length - 8);
  const found = view.find(taskKey(taskNo), decodeTask);
  const keys =
    found === undefined ? [] : [...listKeys(found.sessionNo, found.task), ...dueKeys(found.task)];
  problems.check(keys.includes(row.key), "a list names a wrong task", taskNo);
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
