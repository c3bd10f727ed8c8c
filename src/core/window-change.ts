// Changes of the stored window: runs stages over it and gives the parts of the plan that
// follow. Every use case that touches a window goes through changeWindow.

import { EVENT_TYPE, type EventDetail, type PolicyWarning } from "../events/rules/event.ts";
import { windowFull } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { PolicyState, Session, SessionFields, SessionHead } from "../session/rules/session.ts";
import type { SessionPlan, SessionView, StoredEntry, TaskPlan } from "../store/store.ts";
import { CEILING, type Policy, type StageOn } from "../window/policy/policy.ts";
import { removeSeqs } from "../window/rules/ranges.ts";
import { type TrimRequest, totalsOf, trimWindow } from "../window/rules/trim.ts";
import type {
  ConditionWarning,
  DetailOf,
  StageRun,
  ToolOutcome,
  Trim,
  TrimOutcome,
  WindowTotals,
} from "../window/rules/types.ts";
import type { ServiceContext } from "./context.ts";
import type { MemoryPart, WindowBase } from "./participants.ts";
import { withRuns } from "./policy-state.ts";
import {
  detailReader,
  isInLog,
  mergeInserts,
  signalsOf,
  splitInserts,
  withInserts,
} from "./window-view.ts";

/** One run of the stages of some occasions. */
export interface Pass {
  readonly occasions: readonly StageOn[];
  /** The outcomes that tool triggers consider. Default: those kept since the last turn end. */
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
  /** The size of `entries`: the window as callers see it. */
  readonly totals: WindowTotals;
  /** Messages to erase; some may be of this very change. */
  readonly erase: readonly { readonly seq: number; readonly messageId: string }[];
  readonly windowTrimmed: boolean;
  readonly trims: readonly Trim<StoredEntry>[];
  readonly runs: readonly StageRun[];
  readonly warnings: readonly ConditionWarning[];
  readonly overLimit: boolean;
  /** Changes of the session's tasks; undefined for none. */
  readonly tasks: TaskPlan | undefined;
  /** Input of long-term memory; undefined for none. */
  readonly given: MemoryPart | undefined;
  /** Follow the event of the change itself: trims, warnings, what is asked of hooks, memories. */
  readonly events: readonly EventDetail[];
  /** Outcome of the last pass; undefined without a pass. For a read: `kept` is what it shows. */
  readonly outcome: TrimOutcome<StoredEntry> | undefined;
}

/** The change while its passes run. */
interface Progress {
  readonly entries: readonly StoredEntry[];
  readonly trims: readonly Trim<StoredEntry>[];
  readonly runs: readonly StageRun[];
  /** Effect of the session's own policy, without trims of the change itself. */
  readonly own:
    | { readonly trims: readonly Trim<StoredEntry>[]; readonly runs: readonly StageRun[] }
    | undefined;
  readonly warnings: readonly ConditionWarning[];
  readonly state: PolicyState;
  /** The occasions so far, of the session's own policy. */
  readonly occasions: readonly StageOn[];
  readonly outcome: TrimOutcome<StoredEntry> | undefined;
  /** Request of the last pass. */
  readonly request: TrimRequest<StoredEntry> | undefined;
}

/** The base of a change of a session whose window the view has, without entries that leave it. */
export function windowBase(
  view: SessionView,
  session: Session,
  nowMs: number,
  left: readonly Pick<StoredEntry, "messageId">[] = [],
): WindowBase {
  const gone = new Set(left.map(({ messageId }) => messageId));
  return {
    session,
    window: view.window().filter(({ messageId }) => !gone.has(messageId)),
    stamp: { revision: view.revision, nowMs },
    tasks: view.tasks,
    memory: { side: view },
  };
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
  const after = { fields: nextFields, head: nextHead };
  const changed = { base, after, before: all, trims, own: progress.own };
  const asked = context.participants.summary.windowChanged(context, changed);
  const given = context.participants.memory.windowChanged(context, changed);
  return {
    fields: nextFields,
    head: nextHead,
    window,
    entries,
    totals,
    erase: discarded.map(({ seq, messageId }) => ({ seq, messageId })),
    windowTrimmed: left.length > 0,
    trims,
    runs: withTasks(progress.runs, asked.taskIds),
    warnings: progress.warnings,
    overLimit: progress.runs.some((stage) => stage.overLimit),
    tasks: asked.tasks,
    given,
    events: append(append(eventsOf(base, progress), asked.events), given?.events ?? []),
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

/** Newly exceeded limits come first: each is reported once. */
function warningsOf(before: PolicyState, progress: Progress): readonly PolicyWarning[] {
  const begun = progress.state.overLimit.filter((stage) => !before.overLimit.includes(stage));
  return [
    ...begun.map((stage): PolicyWarning => ({ kind: "over-limit", stage })),
    ...progress.warnings.map(
      (warning): PolicyWarning => ({ kind: "condition-failed", ...warning }),
    ),
  ].slice(0, LIMITS.policyWarnings);
}

/** The runs, with the tasks that summarize for their stages. */
function withTasks(
  runs: readonly StageRun[],
  taskIds: ReadonlyMap<string, string>,
): readonly StageRun[] {
  if (taskIds.size === 0) return runs;
  return runs.map((run) => {
    const taskId = taskIds.get(run.stage);
    return taskId === undefined ? run : { ...run, taskId };
  });
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
