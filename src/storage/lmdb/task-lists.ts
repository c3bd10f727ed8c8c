// Lists of tasks: pages of a namespace or a session, and what is due of a hook.

import { LIMITS } from "../../domain/limits.ts";
import type { Task } from "../../domain/tasks/task.ts";
import type { DueQuery, DueTask, TaskPage, TaskQuery } from "../store.ts";
import { decodeText } from "./codec.ts";
import { type Core, decodeRecord, firstOf, rangeIndex } from "./core.ts";
import {
  afterPrefix,
  DUE_AT_TABLE,
  dueAtPrefix,
  dueInPrefix,
  duePrefix,
  readDueKey,
  readSized,
  readU64,
  taskInPrefix,
  taskOfPrefix,
  textPart,
  u64,
} from "./keys.ts";
import { committedState } from "./sessions.ts";
import { needTaskRow } from "./tasks.ts";

// Records looked at before other work gets its turn.
const PIECE = 64;
// What is due of a hook is taken from the order of its times when it is less than this; else the
// namespaces are gone through, at most so many.
const DUE_FEW = 256;
const NAMESPACES_MAX = 1_024;
// Few tasks of a namespace are wanted.
const DUE_PAGE = 8;

async function otherWork(core: Core): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  core.writer.assertReadable();
}

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
    if (looks > 0) {
      await otherWork(core);
    }
    const prefix = listPrefix(core, query);
    if (prefix === undefined) {
      return { tasks, next: undefined };
    }
    const start = prefix + u64(last === undefined ? 0 : last + 1);
    let looked = 0;
    for (const { key } of rangeIndex(core, "committed", {
      start,
      end: afterPrefix(prefix),
      page: PIECE,
    })) {
      if (tasks.length >= query.limit) {
        return { tasks, next: last };
      }
      if (looked >= PIECE) {
        break;
      }
      looked++;
      last = readU64(key, prefix.length);
      const { task } = needTaskRow(core, query.namespace, last, "committed");
      if (matches(task, query)) {
        tasks.push(task);
      }
    }
    if (looked < PIECE) {
      return { tasks, next: undefined };
    }
  }
  return { tasks, next: last };
}

// The session may be gone when the next piece is read: then its tasks are, too.
function listPrefix(core: Core, { namespace, sessionId }: TaskQuery): string | undefined {
  if (sessionId === undefined) {
    return taskInPrefix(namespace);
  }
  const state = committedState(core, { namespace, sessionId });
  return state === undefined ? undefined : taskOfPrefix(state.sessionNo);
}

/** The tasks of a hook that are due. */
export async function dueTasks(core: Core, query: DueQuery): Promise<readonly DueTask[]> {
  const { namespace, limit, perNamespace } = query;
  if (namespace !== undefined) {
    return dueIn(core, query, namespace, Math.min(limit, perNamespace));
  }
  const longest = longestDue(core, query);
  return longest.length < DUE_FEW
    ? taken(sharedOut(longest, query), query)
    : await dueByTurn(core, query, longest);
}

/** The longest due tasks of one namespace. */
function dueIn(core: Core, query: DueQuery, namespace: string, limit: number): DueTask[] {
  const prefix = duePrefix(query.hook);
  const own = dueInPrefix(query.hook, namespace);
  const range = { start: own + u64(0), end: own + u64(query.nowMs + 1), page: DUE_PAGE };
  const found: DueTask[] = [];
  for (const { key } of limit <= 0 ? [] : rangeIndex(core, "committed", range)) {
    found.push(readDueKey(key, prefix));
    if (found.length >= limit) {
      break;
    }
  }
  return found;
}

/** The longest due tasks of all namespaces. */
function longestDue(core: Core, { hook, nowMs }: DueQuery): DueTask[] {
  const prefix = dueAtPrefix(hook);
  const range = { start: prefix + u64(0), end: prefix + u64(nowMs + 1), page: DUE_FEW };
  const found: DueTask[] = [];
  for (const { key, payload } of rangeIndex(core, "committed", range)) {
    found.push({
      taskNo: readU64(key, prefix.length + 8),
      namespace: decodeRecord("due task", payload, decodeText),
      dueMs: readU64(key, prefix.length),
    });
    if (found.length >= DUE_FEW) {
      break;
    }
  }
  return found;
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
    if (isBehind && (isRound || afterNamespace === "")) {
      return found;
    }
    if (next === undefined) {
      isRound = true;
      at = undefined;
      continue;
    }
    at = next;
    found.push(...dueIn(core, query, next, Math.min(perNamespace, limit - found.length)));
    if (looks >= NAMESPACES_MAX) {
      break;
    }
    if (looks % PIECE === 0) {
      await otherWork(core);
    }
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
  const prefix = duePrefix(hook);
  const start =
    after === undefined || after === "" ? prefix + u64(0) : afterPrefix(dueInPrefix(hook, after));
  const row = firstOf(core, "committed", { start, end: afterPrefix(prefix) });
  return row === undefined ? undefined : readDueKey(row.key, prefix).namespace;
}

/** When the next task of a hook is due that is not due now; undefined when there is none. */
export function nextDueMs(core: Core, hook: string, nowMs: number): number | undefined {
  const prefix = dueAtPrefix(hook);
  const range = { start: prefix + u64(nowMs + 1), end: afterPrefix(prefix) };
  const row = firstOf(core, "committed", range);
  return row === undefined ? undefined : readU64(row.key, prefix.length);
}

/** The hooks that have tasks to be done, at any time. Reads one key for each. */
export function taskHooks(core: Core): string[] {
  const hooks: string[] = [];
  const end = afterPrefix(DUE_AT_TABLE);
  for (let start = DUE_AT_TABLE; ; ) {
    const row = firstOf(core, "committed", { start, end });
    if (row === undefined) {
      return hooks;
    }
    const { text: hook } = readSized(row.key, DUE_AT_TABLE.length);
    hooks.push(hook);
    start = afterPrefix(dueAtPrefix(hook));
  }
}
