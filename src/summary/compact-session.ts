// CompactSession: summarizes messages of the window now. Makes a task as a stage does, then waits
// for its end if asked to. A waiting call holds only a callback and reads progress from the store.

import { type Changing, changeSession, replyPart, saved } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { changeWindow, planOf, windowBase } from "../core/window-change.ts";
import { mergeInserts } from "../core/window-view.ts";
import type { EventDetail } from "../events/rules/event.ts";
import { canSummarize } from "../hooks/port.ts";
import type { Call } from "../kit/call.ts";
import { AppError, hookNotConfigured, requestInvalid, sessionNotFound } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Session, WindowInsert } from "../session/rules/session.ts";
import type {
  SessionDecision,
  SessionPlan,
  SessionView,
  StoredEntry,
  TaskPlan,
} from "../store/store.ts";
import type { CompactSessionInput } from "../tasks/api.ts";
import { type TaskWaiting, waitForTask } from "../tasks/await-task.ts";
import { taskInfo } from "../tasks/list-tasks.ts";
import { isLive, REVISION_TASKS_MAX, type Task, taskNoAt } from "../tasks/rules/task.ts";
import type { PolicyStage } from "../window/policy/policy.ts";
import {
  DEFAULT_SUMMARY_SPEC,
  MANUAL_HOOK,
  type SummaryKeep,
  type SummarySpec,
} from "../window/policy/summary-spec.ts";
import { trimOf, withoutEntries } from "./apply-summary.ts";
import { CROWD } from "./hand-over.ts";
import {
  contentOf,
  deadOf,
  enoughFor,
  groupsOf,
  hasSummary,
  hookOf,
  inputLimits,
  insertsByPosition,
  NOT_CALLED,
  newTask,
  requestedEvent,
  takenBy,
} from "./making.ts";
import { partsOf, takeParts } from "./rules/inputs.ts";
import { beforeRecent, byStage, stageOf } from "./summary-inputs.ts";

/** Delay before a retry while a session has as many tasks as it may have. */
const FULL_RETRY_MS = 30_000;

/** Outcome of a call: the task that it found or made. */
interface Started {
  readonly revision: number;
  /** Undefined when there is nothing to summarize. */
  readonly task: Task | undefined;
}

/** Asks for a summary of messages of the window, and waits for it if asked to. */
export async function compactSession(
  waiting: TaskWaiting,
  call: Call,
  input: CompactSessionInput,
): Promise<Uint8Array> {
  const { context } = waiting;
  const { namespace, sessionId, waitMs } = input;
  const nowMs = context.world.nowMs();
  const target = { namespace, sessionId };
  const started = await changeSession<Started>(context, call, target, (view) =>
    decideCompact({ context, call, input, nowMs }, view),
  );
  // A repeat does not wait.
  if (started instanceof Uint8Array) return started;
  const { revision, task } = started;
  if (task === undefined) return input.encode(resultOf(context, started));
  const untilMs = nowMs + waitMs;
  const end = await waitForTask(waiting, task, { untilMs, signal: call.signal });
  const info = taskInfo(context, end.task);
  return input.encode({ revision, task: info, outcome: end.outcome, summary: end.summary });
}

/** The answer as it is before any waiting. */
function resultOf(
  context: ServiceContext,
  { revision, task }: Started,
): Parameters<CompactSessionInput["encode"]>[0] {
  return {
    revision,
    task: task === undefined ? undefined : taskInfo(context, task),
    outcome: task === undefined ? "nothing" : "pending",
    summary: undefined,
  };
}

interface Compacting extends Changing {
  readonly input: CompactSessionInput;
}

function decideCompact(
  compacting: Compacting,
  view: SessionView,
): SessionDecision<Started | Uint8Array> {
  const { context, input, nowMs } = compacting;
  const { session, revision } = view;
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const { choice } = input;
  const name = choice.kind === "stage" ? choice.stage : "";
  const stage = name === "" ? undefined : stageOf(session.fields.policy, name);
  const asked = askedOf(context, input, stage);
  const tasks = view.tasks();
  const [live] = tasks.filter((task) => task.stage === name && isLive(task));
  if (live !== undefined && stage !== undefined) {
    return answer(compacting, { revision: revisionOf(live), task: live });
  }
  const entries = mergeInserts(view.window(), session.fields.inserts, context.codec);
  const chosen = choose(compacting, session, entries, { ...asked, stage, tasks });
  if (chosen !== undefined) checkRoom(tasks, name);
  if (chosen === undefined) {
    return answer(compacting, { revision: session.head.revision, task: undefined });
  }
  const { namespace, sessionId } = session;
  const { spec, hook } = asked;
  const content = contentOf(chosen, insertsByPosition(session.fields.inserts));
  const task = newTask(
    { taskNo: taskNoAt(revision, 0), namespace, sessionId, hook, stage: name },
    { isBehind: live !== undefined, nowMs },
    { spec, triggers: [], ...content, ...NOT_CALLED },
  );
  const started: Started = { revision, task };
  // As when a stage makes a new task: it replaces the tasks that were given up.
  const given = stage === undefined ? [] : deadOf(tasks, name);
  const taskPlan = { put: [task], remove: given.map(({ taskNo }) => taskNo) };
  const change = planFor(compacting, session, view, { task, taskPlan, entries, chosen });
  const bytes = input.encode(resultOf(context, started));
  const { plan, events: details } = change;
  return saved(compacting, view, { result: started, session, plan, details, bytes });
}

/** Throws OVERLOADED when the stage has as many pending tasks as it may have. */
function checkRoom(tasks: readonly Task[], stage: string): void {
  const limit = LIMITS.stageTasks;
  if (tasks.filter((task) => task.stage === stage && isLive(task)).length < limit) return;
  throw new AppError(
    "OVERLOADED",
    `The session has ${limit} unfinished tasks, which is the limit.`,
    {
      metadata: { limit },
      retryDelayMs: FULL_RETRY_MS,
    },
  );
}

/** Changes nothing, and remembers the answer. */
function answer(
  { context, call, input, nowMs }: Compacting,
  started: Started,
): SessionDecision<Started | Uint8Array> {
  const reply = replyPart(call, nowMs, input.encode(resultOf(context, started)));
  return { kind: "answer", result: started, ...reply };
}

/** Options for making the summary, with its hook. */
function askedOf(
  { hooks }: ServiceContext,
  input: CompactSessionInput,
  stage: PolicyStage | undefined,
): { readonly spec: SummarySpec; readonly hook: string } {
  const spec = input.spec ?? stage?.summarize ?? DEFAULT_SUMMARY_SPEC;
  const hook = hookOf(hooks, spec);
  if (hook === MANUAL_HOOK) {
    const description = `must name a hook: ${MANUAL_HOOK} makes no summary`;
    throw requestInvalid([{ field: "summarize.hook", description }]);
  }
  if (!canSummarize(hooks, hook)) throw hookNotConfigured(hook);
  return { spec, hook };
}

/** The messages of one task, by rising position; undefined when there is nothing to summarize. */
function choose(
  { context, input }: Compacting,
  session: Session,
  entries: readonly StoredEntry[],
  asked: {
    readonly spec: SummarySpec;
    readonly hook: string;
    readonly stage: PolicyStage | undefined;
    readonly tasks: readonly Task[];
  },
): readonly StoredEntry[] | undefined {
  const { policy, inserts } = session.fields;
  const { choice } = input;
  const { stage, spec } = asked;
  let meant: ReadonlySet<StoredEntry>;
  if (choice.kind === "keep-recent") {
    const chosen = beforeRecent(entries, policy, choice.keepRecent);
    meant = withPlaced(entries, chosen, inserts, spec.keep);
  } else {
    // The stage runs alone, whether or not its triggers hold.
    const stages = stage === undefined ? [] : [{ ...stage, anyOf: [] }];
    meant = byStage(context, session, entries, {
      policy: { ...policy, stages },
      name: choice.stage,
    });
  }
  const groupOf = groupsOf(entries, policy, inserts);
  const isTaken = takenBy(asked.tasks, entries, groupOf);
  const free = entries.filter((entry) => meant.has(entry) && !isTaken(entry));
  const byPosition = insertsByPosition(inserts);
  const parts = partsOf(free, groupOf).filter((part) => hasSummary(part, byPosition, inserts));
  const limits = inputLimits(context.hooks, asked.hook);
  return takeParts(parts, limits, enoughFor(spec, byPosition));
}

/**
 * The chosen entries, with the placed summaries before the last of them. An in-place summary always
 * absorbs the earlier ones; a hierarchical one does so only when the window is crowded with them,
 * which keeps a place free.
 */
function withPlaced(
  entries: readonly StoredEntry[],
  chosen: ReadonlySet<StoredEntry>,
  inserts: readonly WindowInsert[],
  keep: SummaryKeep,
): ReadonlySet<StoredEntry> {
  const placed = inserts.filter(({ kind }) => kind === "summary");
  const isTakenUp = keep === "in-place" || (keep === "hierarchical" && placed.length >= CROWD);
  if (!isTakenUp) return chosen;
  const last = entries.findLast((entry) => chosen.has(entry))?.seq ?? 0;
  const own = new Set(inserts.flatMap(({ kind, position }) => (kind === "result" ? [] : position)));
  return new Set(entries.filter((one) => chosen.has(one) || (one.seq < last && own.has(one.seq))));
}

/** Plan for the window: unchanged, unless the messages leave it at once. */
function planFor(
  { context, nowMs }: Compacting,
  session: Session,
  view: SessionView,
  what: {
    readonly task: Task;
    readonly taskPlan: TaskPlan;
    readonly entries: readonly StoredEntry[];
    readonly chosen: readonly StoredEntry[];
  },
): { readonly plan: Omit<SessionPlan, "events">; readonly events: readonly EventDetail[] } {
  const { task, taskPlan, entries, chosen } = what;
  const requested = requestedEvent(task);
  if (task.summarize.spec.leave !== "at-once") {
    // The session was not used: its time to live goes on.
    const head = { ...session.head, revision: view.revision };
    return { plan: { head, tasks: taskPlan }, events: [requested] };
  }
  const left = { ...session, fields: withoutEntries(session.fields, chosen) };
  const trims = [trimOf(task.stage, "summarized", entries, chosen)];
  const base = { ...windowBase(view, left, nowMs, chosen), trims, taskPlan };
  const change = changeWindow(context, base, []);
  return { plan: planOf(session, change), events: [...change.events, requested] };
}

/** The revision that made a task. */
function revisionOf({ taskNo }: Task): number {
  return Math.floor(taskNo / REVISION_TASKS_MAX);
}
