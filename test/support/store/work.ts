// Changes to tasks, hook usage and summaries in tests of the storage: plain data, decided by pure
// functions, like the actions of actions.ts.

import { EVENT_TYPE } from "../../../src/events/rules/event.ts";
import { sessionNotFound } from "../../../src/kit/errors.ts";
import type {
  SessionPlan,
  SessionView,
  Store,
  SummaryPlan,
  TaskPlan,
  TaskView,
} from "../../../src/store/store.ts";
import { type Task, type TaskState, taskNoAt } from "../../../src/tasks/rules/task.ts";
import { type ActionBase, eventsOf, isYoung } from "./action-types.ts";
import { newLease, newReply, newSummary, newTask } from "./plans.ts";

/** Change to a task. */
export interface TaskDraft {
  readonly hook: string;
  readonly state: TaskState;
  readonly dueMs: number;
}

/** Does something to the tasks and summaries of a session. */
export interface WorkAction extends ActionBase {
  readonly kind: "work";
  readonly make: readonly TaskDraft[];
  /** Changes tasks of the session, by their place among them; places beyond the end start over. */
  readonly change: readonly (TaskDraft & { readonly at: number })[];
  /** Removes tasks, by their place likewise. */
  readonly remove: readonly number[];
  /** Adds to what a hook took. */
  readonly take?: { readonly hook: string; readonly hour: number; readonly tokens: number };
  /** The texts of new summaries. */
  readonly summaries: readonly string[];
  /** Number of versions below the newest at which a summary is forgotten. */
  readonly forget: readonly number[];
}

/** Observations of a change to tasks. */
export interface WorkResult {
  readonly revision: number;
  readonly tasks: readonly number[];
  readonly taken: unknown;
  readonly forgotten: readonly (string | undefined)[];
}

/** A task in another state, as a draft says. */
export function withDraft(task: Task, { hook, state, dueMs }: TaskDraft): Task {
  const isDue = state === "ready" || state === "leased";
  return {
    ...task,
    hook,
    state,
    dueMs: isDue ? dueMs : 0,
    deadMs: state === "dead" ? task.createMs + 1 : 0,
    lease: state === "leased" ? newLease({ startMs: task.createMs }) : undefined,
    callCount: task.callCount + 1,
  };
}

/** Does an action of tasks and summaries. */
export function work(store: Store, action: WorkAction): Promise<WorkResult> {
  const { namespace, sessionId, requestId } = action;
  const change = { namespace, sessionId, ...(requestId === undefined ? {} : { requestId }) };
  return store.changeSession<WorkResult>(change, (view) => {
    if (isYoung(view.reply, action.nowMs)) {
      const result = JSON.parse(Buffer.from(view.reply.bytes).toString()) as WorkResult;
      return { kind: "answer", result };
    }
    const { session } = view;
    if (session === undefined) throw sessionNotFound(sessionId);
    const { tasks, taken } = tasksOf(action, view);
    const { fields, summaries, forgotten } = summariesOf(action, view);
    const head = { ...session.head, updateMs: action.nowMs, revision: view.revision };
    const numbers = view.tasks().map(({ taskNo }) => taskNo);
    const result = { revision: view.revision, tasks: numbers, taken, forgotten };
    const plan: SessionPlan = {
      head,
      tasks,
      ...(action.summaries.length === 0 ? {} : { fields }),
      ...(summaries === undefined ? {} : { summaries }),
      events: eventsOf(action, view, { ...session, head }, [EVENT_TYPE.sessionUpdated]),
      ...(requestId === undefined ? {} : { reply: newReply(JSON.stringify(result), action.nowMs) }),
    };
    return { kind: "save", result, plan };
  });
}

function tasksOf(
  { namespace, sessionId, nowMs, make, change, remove, take }: WorkAction,
  view: SessionView,
): { readonly tasks: TaskPlan; readonly taken: unknown } {
  const old = view.tasks();
  const put = new Map<number, Task>();
  make.forEach((draft, index) => {
    const taskNo = taskNoAt(view.revision, index);
    const made = newTask({ taskNo, namespace, sessionId, createMs: nowMs });
    put.set(taskNo, withDraft(made, draft));
  });
  for (const draft of change) {
    const task = old[draft.at % Math.max(1, old.length)];
    if (task !== undefined) put.set(task.taskNo, withDraft(task, draft));
  }
  const gone = new Set(remove.map((at) => old[at % Math.max(1, old.length)]?.taskNo ?? 0));
  const usage = take === undefined ? undefined : view.usage(take.hook, take.hour);
  return {
    tasks: {
      put: [...put.values()].filter(({ taskNo }) => !gone.has(taskNo)),
      remove: [...gone].filter((taskNo) => taskNo !== 0),
      ...(take === undefined || usage === undefined
        ? {}
        : {
            usage: {
              hook: take.hook,
              hour: take.hour,
              usage: { calls: usage.calls + 1, tokens: usage.tokens + take.tokens },
            },
          }),
    },
    taken: usage,
  };
}

function summariesOf({ summaries, forget }: WorkAction, view: SessionView) {
  const old = view.session?.fields;
  if (old === undefined) throw new Error("There is no session.");
  const put = summaries.map((text, index) =>
    newSummary({ version: old.summaryVersion + 1 + index, text }),
  );
  const versions = [...new Set(forget.map((back) => old.summaryVersion - back))];
  const remove = versions.filter((version) => version > 0);
  const forgotten = remove.map((version) => view.summary(version)?.text);
  const summaryVersion = old.summaryVersion + put.length;
  const plan: SummaryPlan | undefined =
    put.length + remove.length === 0 ? undefined : { put, remove };
  const fields = { ...old, summaryVersion, etagRevision: view.revision };
  return { fields, summaries: plan, forgotten };
}

/** A change of one task. `sessionId` is not looked at. */
export interface TaskAction extends ActionBase {
  readonly kind: "task";
  readonly taskNo: number;
  readonly hour: number;
  /** Unset only looks, null deletes the task. */
  readonly draft?: TaskDraft | null;
  readonly tokens: number;
}

/** Changes one task. */
export function changeTask(store: Store, action: TaskAction): Promise<unknown> {
  const { namespace, taskNo, hour, requestId, nowMs, draft, tokens } = action;
  const change = { namespace, taskNo, hour, ...(requestId === undefined ? {} : { requestId }) };
  return store.changeTask<unknown>(change, (view: TaskView) => {
    if (isYoung(view.reply, nowMs)) return { kind: "answer", result: view.reply };
    const { task, usage } = view;
    // An answer that no longer counts may be there still: so it is no part of what was seen.
    const seen = { task, usage };
    if (task === undefined || draft === undefined) return { kind: "answer", result: seen };
    return {
      kind: "save",
      result: seen,
      task: draft === null ? undefined : withDraft(task, draft),
      usage: { calls: usage.calls + 1, tokens: usage.tokens + tokens },
      reply: newReply(JSON.stringify({ taskNo, usage }), nowMs),
    };
  });
}
