// Makes tasks for entries that wait in the window, one at a time for each stage.

import type { ServiceContext } from "../core/context.ts";
import type { ChangedWindow, SummaryParticipant } from "../core/participants.ts";
import { isInLog } from "../core/window-view.ts";
import type { EventDetail } from "../events/rules/event.ts";
import { canSummarize, type Hooks } from "../hooks/port.ts";
import { hookNotConfigured } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import { crowdMerge, levelMerge } from "../session/rules/hierarchy.ts";
import type { Session } from "../session/rules/session.ts";
import type { TaskPlan } from "../store/store.ts";
import { type Task, taskNoAt } from "../tasks/rules/task.ts";
import { madeTasks, mergeTaskPlans, tasksAfter } from "../tasks/task-edits.ts";
import type { Policy, PolicyStage } from "../window/policy/policy.ts";
import { isPlaced, MANUAL_HOOK } from "../window/policy/summary-spec.ts";
import { containsSeq, mergeRanges } from "../window/rules/ranges.ts";
import type { SeqRange, Trim, WindowEntry } from "../window/rules/types.ts";
import { plus, standingRanges } from "./apply-summary.ts";
import {
  type Asking,
  contentOf,
  deadOf,
  enoughFor,
  groupsOf,
  type HandOver,
  hasSummary,
  hookOf,
  inputLimits,
  insertsByPosition,
  liveOf,
  type Making,
  make,
  requestedEvent,
  save,
  takenBy,
  tell,
} from "./making.ts";
import { countFitting, type Part, partsOf, splitParts, takeParts } from "./rules/inputs.ts";

/** Delay after a task is given up before its stage retries the messages that it kept. */
const RETRY_DEAD_MS = 600_000;

/** Placed summaries of one stage at which the oldest are merged. */
export const CROWD = LIMITS.placedSummaries / 2;
/** Placed summaries of all stages at which each stage starts to merge its own. */
const CROWD_OF_ALL = (LIMITS.placedSummaries * 3) / 4;

/** Makes a task for entries that wait in the window. */
export function sendWaiting(making: Making, asking: Asking): void {
  const { stage } = asking;
  const [live] = liveOf(making, stage.name);
  if (live !== undefined) {
    tell(making, asking, live);
    return;
  }
  const entries = mergeEntries(making, asking) ?? waitingEntries(making, asking);
  if (entries === undefined) return;
  for (const task of deadOf(making.tasks.values(), stage.name)) {
    making.tasks.delete(task.taskNo);
    making.put.delete(task.taskNo);
    making.removed.add(task.taskNo);
  }
  tell(making, asking, make(making, asking, entries));
}

/** Whether a task of the stage was given up recently and left its messages in the window. */
function restsAfterDead(making: Making, stage: string): boolean {
  const { nowMs } = making.input;
  return deadOf(making.tasks.values(), stage).some(
    ({ deadMs, summarize }) =>
      summarize.spec.onFailure === "keep" && nowMs - deadMs < RETRY_DEAD_MS,
  );
}

/** Number of placed summaries in the window, of all stages. */
function placedCount({ input }: Making): number {
  return input.session.fields.inserts.filter(({ kind }) => kind === "summary").length;
}

/** Summaries of the stage to merge. */
function mergeEntries(making: Making, { stage, spec }: Asking): readonly WindowEntry[] | undefined {
  const { inserts } = making.input.session.fields;
  const { fanIn, keep } = spec;
  const level = keep === "hierarchical" ? levelMerge(inserts, stage.name, fanIn) : undefined;
  const crowd = placedCount(making) < CROWD_OF_ALL ? CROWD : fanIn;
  const merge =
    level ?? (isPlaced(spec) ? crowdMerge(inserts, stage.name, { fanIn, crowd }) : undefined);
  // Any change may start a merge, hence a failed one rests whatever the occasion of the stage.
  if (merge === undefined || restsAfterDead(making, stage.name)) return undefined;
  const chosen = new Set(merge.map(({ position }) => position));
  const entries = making.input.before.filter(({ seq }) => chosen.has(seq));
  const isTaken = takenIn(making);
  return entries.length === chosen.size && !entries.some(isTaken) ? entries : undefined;
}

/** The oldest entries that wait for the stage, as many as one task holds. */
function waitingEntries(
  making: Making,
  { stage, spec, limits, run }: Asking,
): readonly WindowEntry[] | undefined {
  if (run === undefined || run.awaitsSummary.length === 0) return undefined;
  // Appends and reads are frequent: each would call a failing hook again.
  const isOften = stage.on === "append" || stage.on === "read";
  if (isOften && restsAfterDead(making, stage.name)) return undefined;
  const isOwn = (entry: WindowEntry): boolean => {
    const insert = making.inserts.get(entry.seq);
    return insert !== undefined && insert.kind !== "result" && insert.stage === stage.name;
  };
  const stays = staysIn(making);
  const isTaken = takenIn(making);
  const free = run.awaitsSummary.filter(
    (entry) => stays(entry) && !isTaken(entry) && !(spec.keep === "hierarchical" && isOwn(entry)),
  );
  const standing = making.input.session.fields.inserts;
  const isWhole = (part: Part): boolean => hasSummary(part, making.inserts, standing);
  const parts = partsOf(free, making.groupOf).filter(isWhole);
  const taken = takeParts(parts, limits, enoughFor(spec, making.inserts));
  const isFull = isPlaced(spec) && placedCount(making) >= LIMITS.placedSummaries;
  // A summary without a place is not worth a hook call: the messages wait until there is one.
  if (isFull && !taken?.some(({ seq }) => making.inserts.get(seq)?.kind === "summary")) return;
  return taken;
}

/** Whether an entry is still in the window after the later stages of the same change. */
function staysIn({ input }: Making): (entry: WindowEntry) => boolean {
  const { head, fields } = input.session;
  const made = new Set(fields.inserts.map(({ position }) => position));
  return ({ seq }) => made.has(seq) || containsSeq(head.windowRanges, seq);
}

function takenIn({ tasks, input, groupOf }: Making): (entry: WindowEntry) => boolean {
  return takenBy(tasks.values(), input.before, groupOf);
}

// Makes tasks for entries that stages removed from the window at once: each of them gets a task.

/**
 * Approximate limit on the tasks for the messages that one change removes. Beyond it tasks grow
 * larger than their hook accepts, and the messages in its input are cut.
 */
const TASKS_OF_CHANGE = 100;

const BYTES_PER_TOKEN = 4;

/** Fewest tokens of a task that keep the number of tasks of a change within its limit. */
export function spreadOver(trims: readonly Trim[]): number {
  let tokens = 0;
  for (const { removed } of trims) for (const entry of removed) tokens += entry.tokenCount;
  return Math.ceil(tokens / TASKS_OF_CHANGE);
}

/** Makes tasks for the entries that a stage removed from the window. */
export function sendRemoved(making: Making, asked: Asking, spread: number): void {
  const { stage } = asked;
  const isCrowded = liveOf(making, stage.name).length >= LIMITS.stageTasks;
  // Without a worker the number of tasks must not keep growing: every change reads them all.
  const tokens = isCrowded ? Number.POSITIVE_INFINITY : asked.limits.tokens;
  const asking = { ...asked, limits: { ...asked.limits, tokens } };
  const removed = making.input.trims
    .flatMap((trim) => (isOf(trim, stage) ? trim.removed : []))
    .filter(isNew(making, stage));
  if (removed.length > 0) {
    const entries = [...removed].sort((a, b) => a.seq - b.seq);
    const parts = partsOf(entries, making.groupOf);
    const left = parts.slice(join(making, asking, parts));
    const limits = { ...asking.limits, tokens: Math.max(asking.limits.tokens, spread) };
    for (const list of splitParts(left, limits)) make(making, asking, list);
  }
  tell(making, asking, liveOf(making, stage.name)[0]);
}

/**
 * Whether an entry still needs a summary. A restored message that leaves again has one already, or
 * has a task that is still to be done.
 */
function isNew(making: Making, { name }: PolicyStage): (entry: WindowEntry) => boolean {
  let asked: readonly SeqRange[] = standingRanges(making.input.session.fields, { own: true });
  for (const { summarize } of liveOf(making, name)) asked = mergeRanges(asked, summarize.ranges);
  return (entry) => !isInLog(entry) || !containsSeq(asked, entry.seq);
}

function isOf(trim: Trim, stage: PolicyStage): boolean {
  return (
    trim.stage === stage.name && trim.reason !== "summarized" && trim.reason !== "summary-failed"
  );
}

/** Adds the first parts to a task that is not started yet; gives how many it took. */
function join(making: Making, asking: Asking, parts: readonly (readonly WindowEntry[])[]): number {
  // The last task in line: a remade one has a higher number than those that wait behind it.
  const live = liveOf(making, asking.stage.name);
  const task = live.findLast(({ state }) => state === "waiting") ?? live.at(-1);
  if (task === undefined || !isOpen(task, asking)) return 0;
  const { limits, run } = asking;
  const { sources, made } = task.summarize;
  const left = {
    tokens: limits.tokens - sources.tokenCount,
    messages: limits.messages - sources.messageCount - made.length,
    // The bytes of its messages are no longer known; messages above the estimate are cut later.
    bytes: limits.bytes - sources.tokenCount * BYTES_PER_TOKEN,
  };
  const count = countFitting(parts, left);
  if (count === 0) return 0;
  const added = contentOf(parts.slice(0, count).flat(), making.inserts);
  const joined = {
    ...task,
    generation: task.generation + 1,
    summarize: {
      ...task.summarize,
      ranges: mergeRanges(task.summarize.ranges, added.ranges),
      made: [...made, ...added.made],
      sources: plus(sources, added.sources),
      level: Math.max(task.summarize.level, added.level),
    },
  };
  save(making, joined);
  making.events.push(requestedEvent(joined, { ...added, triggers: run?.triggers ?? [] }));
  return count;
}

/** Whether more messages may be added to a task. */
function isOpen(task: Task, { hook }: Asking): boolean {
  const { state, failedAttempts, summarize } = task;
  if (task.hook !== hook || (state !== "ready" && state !== "waiting")) return false;
  // A task may fail because of its messages: later ones must not fail with them.
  return failedAttempts === 0 && summarize.draft === undefined;
}

// Makes tasks for the entries that stages want summarized, in the same change in which the stages
// act: a task exists exactly when its messages wait or have left.

const NO_TASKS: ReadonlyMap<string, string> = new Map();

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

/** Requests the summaries that stages want. */
export const summaryParticipant: SummaryParticipant = {
  windowChanged: (tools, change) => {
    const { base, after, own, before } = change;
    const { session, stamp, taskPlan } = base;
    if (own === undefined || !mayAsk(session, own)) {
      return { tasks: taskPlan, events: [], taskIds: NO_TASKS };
    }
    const { plan, events, taskIds } = handOver(tools.hooks, {
      session: { ...session, ...after },
      ...stamp,
      before,
      inserts: session.fields.inserts,
      trims: own.trims,
      runs: own.runs,
      tasks: tasksAfter(base.tasks(), taskPlan),
      firstTask: madeTasks(taskPlan, stamp.revision),
    });
    return { tasks: mergeTaskPlans(taskPlan, plan, stamp.revision), events, taskIds };
  },
};

/** Whether stages may request a summary; otherwise the tasks need not be read. */
function mayAsk({ fields }: Session, { trims, runs }: NonNullable<ChangedWindow["own"]>): boolean {
  return fields.policy.stages.some(({ name, removedTo, effect, summarize }) => {
    if (removedTo !== "summarize" || effect !== "store") return false;
    // There may now be enough summaries for one of the next level.
    if (summarize?.keep === "hierarchical") return true;
    const awaits = runs.some((run) => run.stage === name && run.awaitsSummary.length > 0);
    return awaits || trims.some((trim) => trim.stage === name);
  });
}

/** Makes the tasks that the stages of a policy ask for, in the order of the stages. */
function handOver(
  hooks: Hooks,
  input: HandOver,
): {
  readonly plan: TaskPlan | undefined;
  readonly events: readonly EventDetail[];
  readonly taskIds: ReadonlyMap<string, string>;
} {
  const asking = askingStages(hooks, input);
  if (asking.length === 0) return { plan: undefined, events: [], taskIds: NO_TASKS };
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
  const { session, tasks, revision, firstTask, inserts } = input;
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
