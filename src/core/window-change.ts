// What a change does to the stored window: runs stages over it and gives the parts of the plan that
// follow. Every use case that touches a window goes through changeWindow.

import { windowFull } from "../domain/errors.ts";
import { EVENT_TYPE, type EventDetail, type PolicyWarning } from "../domain/event.ts";
import { LIMITS } from "../domain/limits.ts";
import { CEILING, type Policy, type StageOn } from "../domain/policy.ts";
import type { PolicyState, Session, SessionFields, SessionHead } from "../domain/session.ts";
import type { Task } from "../domain/tasks/task.ts";
import { removeSeqs } from "../domain/window/remove-seqs.ts";
import { totalsOf } from "../domain/window/totals.ts";
import { type KnownWindow, type TrimRequest, trimWindow } from "../domain/window/trim.ts";
import type {
  ConditionWarning,
  DetailOf,
  StageRun,
  ToolOutcome,
  Trim,
  TrimOutcome,
  WindowTotals,
} from "../domain/window/types.ts";
import type { SessionPlan, StoredEntry, TaskPlan } from "../storage/store.ts";
import type { ServiceContext } from "./context.ts";
import type { Given } from "./memories/give.ts";
import { givenByChange, type MemoryBase } from "./memories/given-by-change.ts";
import { withRuns } from "./policy-state.ts";
import { madeTasks, mergeTaskPlans, tasksAfter } from "./task-plan.ts";
import { handOver } from "./tasks/hand-over.ts";
import {
  detailReader,
  isInLog,
  mergeInserts,
  signalsOf,
  splitInserts,
  withInserts,
} from "./window-view.ts";

/** A session after a change, before any stage runs. */
export interface WindowBase {
  /**
   * The session as the change leaves it: the fields with their inserts, and a head whose
   * `lastSeq`, `log`, `windowRanges` and `policyState` are those after the change. Its `window`,
   * `updateMs` and `revision` are not looked at.
   */
  readonly session: Session;
  /** The messages of the log that are in the window, by rising seq; must agree with the ranges. */
  readonly window: readonly StoredEntry[];
  readonly stamp: { readonly revision: number; readonly nowMs: number };
  /** The tasks of the session as stored; asked for only when stages have messages summarized. */
  readonly tasks: () => readonly Task[];
  /** What the change itself does to the tasks already. */
  readonly taskPlan?: TaskPlan;
  /** What is known of window and inserts together. */
  readonly known?: KnownWindow;
  /** What the change itself took out of the window already; comes first in answer and events. */
  readonly trims?: readonly Trim<StoredEntry>[];
  /** Gives what leaves the window to long-term memory, as the session says. Default: nothing. */
  readonly memory?: MemoryBase;
  /** The session's details, read once for the whole change. Default: a reader of its own. */
  readonly detailOf?: DetailOf<StoredEntry>;
}

/** One run of the stages of some occasions. */
export interface Pass {
  readonly occasions: readonly StageOn[];
  /** The outcomes that tool triggers look at. Default: those kept since the last turn end. */
  readonly outcomes?: readonly ToolOutcome[];
  /**
   * Runs this policy in place of the session's, for example one that was made for a single trim.
   * Marks and warnings about limits are then left as they are. Default: the session's.
   */
  readonly policy?: Policy;
  /**
   * The pass is a read that stores: stages with the effect view run too, for `outcome` alone, and
   * the ceiling, which a read cannot pass, is not looked at. Default false.
   */
  readonly isRead?: boolean;
}

/** The window after a change, and what the plan needs of it. */
export interface WindowChange {
  /** The very fields of the base unless inserts left the window. */
  readonly fields: SessionFields;
  readonly head: SessionHead;
  /** The messages of the log that are in the window. */
  readonly window: readonly StoredEntry[];
  /** The window with its inserts. */
  readonly entries: readonly StoredEntry[];
  /** The size of `entries`: what callers are told of the window. */
  readonly totals: WindowTotals;
  /** Messages to erase; some may be of this very change. */
  readonly erase: readonly { readonly seq: number; readonly messageId: string }[];
  readonly windowTrimmed: boolean;
  readonly trims: readonly Trim<StoredEntry>[];
  readonly runs: readonly StageRun[];
  readonly warnings: readonly ConditionWarning[];
  readonly overLimit: boolean;
  /** What becomes of the tasks of the session; undefined for nothing. */
  readonly tasks: TaskPlan | undefined;
  /** What long-term memory gets; undefined for nothing. */
  readonly given: Given | undefined;
  /** Follow the event of the change itself: trims, warnings, what is asked of hooks, memories. */
  readonly events: readonly EventDetail[];
  /** What the last pass gave; undefined without a pass. For a read: `kept` is what it shows. */
  readonly outcome: TrimOutcome<StoredEntry> | undefined;
}

/** The change while its passes run. */
interface Progress {
  /** Before the first pass. */
  readonly all: readonly StoredEntry[];
  readonly entries: readonly StoredEntry[];
  readonly trims: readonly Trim<StoredEntry>[];
  readonly runs: readonly StageRun[];
  /** What the session's own policy did, without trims of the change itself. */
  readonly own:
    | { readonly trims: readonly Trim<StoredEntry>[]; readonly runs: readonly StageRun[] }
    | undefined;
  readonly warnings: readonly ConditionWarning[];
  readonly state: PolicyState;
  /** The occasions so far, of the session's own policy. */
  readonly occasions: readonly StageOn[];
  readonly outcome: TrimOutcome<StoredEntry> | undefined;
  /** What the last pass was asked. */
  readonly request: TrimRequest<StoredEntry> | undefined;
}

/**
 * Runs passes, one after the other, over the window of a changed session and gives the parts of
 * the plan. A change that only moves messages in or out, such as a restore, gives no pass: then
 * just the totals are made and the ceiling is checked.
 *
 * The usual change of a log runs `[{ occasions: ["append"], outcomes: [] }]`. Put the parts into a
 * plan with `planOf`, and `events` behind the event of the change.
 *
 * Throws WINDOW_FULL when what is protected passes the ceiling.
 */
export function changeWindow(
  context: ServiceContext,
  base: WindowBase,
  passes: readonly Pass[],
): WindowChange {
  const { fields, head } = base.session;
  const run = { base, detailOf: base.detailOf ?? detailReader(context.codec) };
  const all = mergeInserts(base.window, fields.inserts, context.codec);
  let progress: Progress = {
    all,
    entries: all,
    trims: base.trims ?? [],
    runs: [],
    own: undefined,
    warnings: [],
    state: head.policyState,
    occasions: [],
    outcome: undefined,
    request: undefined,
  };
  for (const pass of passes) progress = runPass(run, progress, pass);
  const { entries, trims } = progress;
  const { window, inserts } = splitInserts(entries, fields.inserts);
  const discarded = trims.flatMap((trim) => (trim.discarded ? trim.removed : [])).filter(isInLog);
  const left = trims.flatMap((trim) => trim.removed.map(({ seq }) => seq)).filter(Number.isInteger);
  const inLog = totalsOf(window);
  const totals = withInserts(inLog, inserts);
  if (passes.length === 0) checkCeiling(totals);
  const nextHead: SessionHead = {
    ...head,
    log: discarded.length === 0 ? head.log : lessTotals(head.log, discarded),
    window: inLog,
    windowRanges: left.length === 0 ? head.windowRanges : removeSeqs(head.windowRanges, left),
    policyState: progress.state,
    updateMs: base.stamp.nowMs,
    revision: base.stamp.revision,
  };
  const nextFields = inserts === fields.inserts ? fields : { ...fields, inserts };
  const handed = handedOver(context, base, progress, { fields: nextFields, head: nextHead });
  const given = givenByChange(context, base, trims);
  return {
    fields: nextFields,
    head: nextHead,
    window,
    entries,
    totals,
    erase: discarded.map(({ seq, messageId }) => ({ seq, messageId })),
    windowTrimmed: left.length > 0,
    trims,
    runs: handed.runs,
    warnings: progress.warnings,
    overLimit: progress.runs.some((stage) => stage.overLimit),
    tasks: handed.tasks,
    given,
    events: append(append(eventsOf(base, progress), handed.events), given?.events ?? []),
    outcome: progress.outcome,
  };
}

function runPass(
  run: { readonly base: WindowBase; readonly detailOf: DetailOf<StoredEntry> },
  before: Progress,
  pass: Pass,
): Progress {
  const { session } = run.base;
  const policy = pass.policy ?? session.fields.policy;
  const head = { ...session.head, policyState: before.state };
  const request = {
    entries: before.entries,
    policy,
    occasions: new Set(pass.occasions),
    ceiling: pass.isRead !== true,
    signals: signalsOf({ ...session, head }, pass.outcomes ?? before.state.outcomes, policy),
    detailOf: run.detailOf,
  };
  const outcome = trimWindow<StoredEntry>({
    ...request,
    ...(before.outcome === undefined && run.base.known !== undefined
      ? { known: run.base.known }
      : {}),
  });
  if (outcome.ceilingPassed === "messages") throw windowFull(`${CEILING.messages} messages`);
  if (outcome.ceilingPassed === "bytes") throw windowFull(`${CEILING.bytes} bytes`);
  const runs = mergeRuns(before, outcome);
  const isOwn = pass.policy === undefined;
  const occasions = isOwn ? append(before.occasions, pass.occasions) : before.occasions;
  const ran = {
    policy,
    occasions,
    runs,
    lastSeq: head.lastSeq,
    window: totalsOf(outcome.stored),
  };
  return {
    all: before.all,
    entries: outcome.stored,
    trims: append(before.trims, outcome.storedTrims),
    runs,
    own: isOwn ? { trims: append(before.own?.trims ?? [], outcome.storedTrims), runs } : before.own,
    warnings: append(before.warnings, outcome.warnings),
    // From the start: a limit that one pass could not reach may hold after the next.
    state: isOwn ? withRuns(session.head.policyState, ran) : before.state,
    occasions,
    outcome,
    request,
  };
}

function append<T>(list: readonly T[], more: readonly T[]): readonly T[] {
  if (more.length === 0) return list;
  return list.length === 0 ? more : [...list, ...more];
}

/**
 * The runs of two passes: a stage that ran in both counts once, as in the later one. A limit that
 * the earlier pass could not reach may hold after the later one.
 */
function mergeRuns(before: Progress, outcome: TrimOutcome<StoredEntry>): readonly StageRun[] {
  if (before.runs.length === 0) return outcome.runs;
  const again = new Set(outcome.runs.map(({ stage }) => stage));
  const earlier = before.runs.filter(({ stage }) => !again.has(stage));
  return [...settled(before, outcome, earlier), ...outcome.runs];
}

function settled(
  { request }: Progress,
  outcome: TrimOutcome<StoredEntry>,
  earlier: readonly StageRun[],
): readonly StageRun[] {
  const isMoot = outcome.storedTrims.length === 0 || !earlier.some((run) => run.overLimit);
  if (isMoot || request === undefined) return earlier;
  const { runs } = trimWindow<StoredEntry>({ ...request, entries: outcome.stored });
  const over = new Set(runs.filter((run) => run.overLimit).map(({ stage }) => stage));
  return earlier.map((run) =>
    run.overLimit && !over.has(run.stage) ? { ...run, overLimit: false, heldBy: [] } : run,
  );
}

/** Throws WINDOW_FULL when a window is larger than any may be. */
export function checkCeiling(totals: WindowTotals): void {
  if (totals.messageCount > CEILING.messages) throw windowFull(`${CEILING.messages} messages`);
  if (totals.byteCount > CEILING.bytes) throw windowFull(`${CEILING.bytes} bytes`);
}

function lessTotals(
  log: SessionHead["log"],
  gone: readonly { readonly tokenCount: number }[],
): SessionHead["log"] {
  let { tokenCount } = log;
  for (const entry of gone) tokenCount -= entry.tokenCount;
  return { messageCount: log.messageCount - gone.length, tokenCount };
}

function eventsOf(base: WindowBase, progress: Progress): readonly EventDetail[] {
  const { trims } = progress;
  const events: EventDetail[] = trims.map((trim) => ({ type: EVENT_TYPE.messagesTrimmed, trim }));
  const { policyState } = base.session.head;
  if (progress.warnings.length > 0 || progress.state !== policyState) {
    for (const warning of warningsOf(policyState, progress)) {
      events.push({ type: EVENT_TYPE.policyWarned, warning });
    }
  }
  return events;
}

/** The limits that began to be passed come first: they are told once. */
function warningsOf(before: PolicyState, progress: Progress): readonly PolicyWarning[] {
  const begun = progress.state.overLimit.filter((stage) => !before.overLimit.includes(stage));
  return [
    ...begun.map((stage): PolicyWarning => ({ kind: "over-limit", stage })),
    ...progress.warnings.map(
      (warning): PolicyWarning => ({ kind: "condition-failed", ...warning }),
    ),
  ].slice(0, LIMITS.policyWarnings);
}

/** Whether hooks may have work after these passes. */
function mayHandOver({ session }: WindowBase, { own }: Progress): boolean {
  if (own === undefined) return false;
  return session.fields.policy.stages.some(({ name, removedTo, effect, summarize }) => {
    if (removedTo !== "summarize" || effect !== "store") return false;
    // Its summaries may have become enough for one of the next level.
    if (summarize?.keep === "hierarchical") return true;
    const awaits = own.runs.some((run) => run.stage === name && run.awaitsSummary.length > 0);
    return awaits || own.trims.some((trim) => trim.stage === name);
  });
}

/** Makes the tasks for what stages want summarized. */
function handedOver(
  context: ServiceContext,
  base: WindowBase,
  progress: Progress,
  after: Pick<Session, "fields" | "head">,
): Pick<WindowChange, "tasks" | "runs" | "events"> {
  const { session, stamp, taskPlan } = base;
  const { runs, own } = progress;
  if (own === undefined || !mayHandOver(base, progress)) {
    return { tasks: taskPlan, runs, events: [] };
  }
  const { revision, nowMs } = stamp;
  const { plan, events, taskIds } = handOver(context, {
    session: { ...session, ...after },
    revision,
    nowMs,
    before: progress.all,
    inserts: session.fields.inserts,
    trims: own.trims,
    runs: own.runs,
    tasks: tasksAfter(base.tasks(), taskPlan),
    firstTask: madeTasks(taskPlan, revision),
  });
  return {
    tasks: mergeTaskPlans(taskPlan, plan, revision),
    runs: taskIds.size === 0 ? runs : runs.map((run) => withTask(run, taskIds)),
    events,
  };
}

function withTask(run: StageRun, taskIds: ReadonlyMap<string, string>): StageRun {
  const taskId = taskIds.get(run.stage);
  return taskId === undefined ? run : { ...run, taskId };
}

/**
 * The parts of a plan that a change of the window gives; the plan also needs `events`. `before` is
 * the session as stored: fields that are still its own are not written again.
 */
export function planOf(
  before: Session | undefined,
  change: WindowChange,
): Omit<SessionPlan, "events"> {
  return {
    ...change.given?.plan,
    ...(change.fields === before?.fields ? {} : { fields: change.fields }),
    head: change.head,
    window: change.window,
    windowTrimmed: change.windowTrimmed,
    ...(change.erase.length === 0 ? {} : { erase: change.erase }),
    ...(change.tasks === undefined ? {} : { tasks: change.tasks }),
  };
}
