// GetWindow: the messages that go to the model, and what is left out. The stored window is looked
// at through the policy of the session or of the request, now or as of a past seq. Only a stage on
// read of the session's own policy that has the effect store, and acts, makes a read a change.

import { changeSession, existingWindow, liveSession, saved } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { withRuns } from "../core/policy-state.ts";
import { summaryAt } from "../core/summary-records.ts";
import type { WindowInput, WindowResult } from "../core/window-api.ts";
import { changeWindow, planOf, type WindowChange, windowBase } from "../core/window-change.ts";
import { type Shown, showWindow, type Viewed } from "../core/window-shown.ts";
import { detailReader, mergeInserts, sessionTotals, signalsOf } from "../core/window-view.ts";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { seqOutOfRange, sessionNotFound, undefinedFor } from "../kit/errors.ts";
import { idRoom, takeNewestIds } from "../kit/id-list.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Session } from "../session/rules/session.ts";
import type { SessionView, StoredEntry } from "../store/store.ts";
import { checkHooks } from "../summary/hand-over.ts";
import { hookOf } from "../summary/making.ts";
import { withSummary } from "../summary/summary-view.ts";
import { isLive, taskIdOf } from "../tasks/rules/task.ts";
import type { StageOn } from "./policy/policy.ts";
import { MANUAL_HOOK } from "./policy/summary-spec.ts";
import { openCallIds } from "./rules/groups.ts";
import { removeSeqs, withoutRanges } from "./rules/ranges.ts";
import { totalsOf, trimWindow } from "./rules/trim.ts";
import type { SeqRange, Totals, TrimOutcome } from "./rules/types.ts";

const ON_READ: readonly StageOn[] = ["read"];
const READ: ReadonlySet<StageOn> = new Set(ON_READ);

/** A stored window at some moment. */
interface Stored {
  readonly session: Session;
  readonly window: readonly StoredEntry[];
  readonly ranges: readonly SeqRange[];
  readonly lastSeq: number;
  readonly isPast: boolean;
}

/** Gets the window of a session. */
export async function getWindow(
  context: ServiceContext,
  call: Call,
  input: WindowInput,
): Promise<WindowResult> {
  checkLive(call.signal);
  checkHooks(context, input.policy);
  let stored = await readStored(context, input);
  let viewed = look(context, stored, input);
  if (input.policy === undefined && !stored.isPast) {
    const acts = viewed.outcome.runs.length > 0;
    const asking = acts ? await askingRuns(context, stored, viewed.outcome) : undefined;
    if (asking !== undefined) viewed = { ...viewed, outcome: asking.outcome };
    const stores = asking?.asks || changesStored(stored, viewed.outcome);
    if (stores && !input.readOnly) {
      // The view is the same while the disk is full, and a later read stores it.
      const read = await storeRead(context, call, input).catch(undefinedFor("STORE_FULL"));
      if (read !== undefined) {
        stored = read.stored;
        viewed = { ...viewed, ...read.viewed };
      }
    }
  }
  const { summary } = stored.session.fields;
  const window = await showWindow(context, viewed, input.newest);
  const shown = await withSummary(context, viewed, window, summary);
  return resultOf(input, stored, viewed.outcome, shown);
}

async function readStored(context: ServiceContext, input: WindowInput): Promise<Stored> {
  const { asOfSeq } = input;
  if (asOfSeq === undefined) {
    const { session, window } = await existingWindow(context, input);
    return storedNow(session, window);
  }
  const then = await context.store.readWindowAt(input, asOfSeq);
  const session = liveSession(context, then?.session);
  if (then === undefined || session === undefined) throw sessionNotFound(input.sessionId);
  if (then.window === undefined) throw seqOutOfRange(asOfSeq, session.head.lastSeq);
  const summary = await summaryAt(context, input, session, asOfSeq);
  const past = { ...session, fields: { ...session.fields, summary } };
  const { window, ranges } = then;
  return { session: past, window, ranges, lastSeq: asOfSeq, isPast: true };
}

function storedNow(session: Session, window: readonly StoredEntry[]): Stored {
  const { windowRanges, lastSeq } = session.head;
  return { session, window, ranges: windowRanges, lastSeq, isPast: false };
}

/** Looks at a window through the request's policy, or else through the session's. */
function look(context: ServiceContext, stored: Stored, input: WindowInput): Viewed {
  const { session, isPast } = stored;
  const own = session.fields.policy;
  const policy = input.policy ?? own;
  // No history is kept of what stands in the window only.
  const inserts = isPast ? [] : session.fields.inserts;
  const entries = mergeInserts(stored.window, inserts, context.codec);
  const detailOf = detailReader(context.codec);
  const signals = signalsOf(session, session.head.policyState.outcomes, policy);
  const outcome = trimWindow<StoredEntry>({
    entries,
    policy,
    occasions: input.policy === undefined ? READ : "all",
    ceiling: false,
    signals: isPast ? { ...signals, lastSeq: stored.lastSeq } : signals,
    detailOf,
    ...(isPast ? {} : { known: { totals: sessionTotals(session), pairedTo: entries.length } }),
  });
  return { outcome, policy, own, detailOf, hasInserts: inserts.length > 0 };
}

/** Whether stages on read take messages out of the stored window, or have something to remember. */
function changesStored({ session }: Stored, outcome: TrimOutcome<StoredEntry>): boolean {
  if (outcome.storedTrims.length > 0) return true;
  const { policyState, lastSeq } = session.head;
  const { policy } = session.fields;
  const { runs } = outcome;
  if (runs.length === 0 && policyState.overLimit.length === 0) return false;
  const window = totalsOf(outcome.stored);
  return (
    withRuns(policyState, { policy, occasions: ON_READ, runs, lastSeq, window }) !== policyState
  );
}

/**
 * Whether stages on read want something summarized that no task is there for, and the outcome with
 * the tasks that are. Undefined when nothing waits for a summary.
 */
async function askingRuns(
  context: ServiceContext,
  { session }: Stored,
  outcome: TrimOutcome<StoredEntry>,
): Promise<{ readonly outcome: TrimOutcome<StoredEntry>; readonly asks: boolean } | undefined> {
  const waiting = outcome.runs.filter(({ awaitsSummary }) => awaitsSummary.length > 0);
  if (waiting.length === 0) return undefined;
  const { namespace, sessionId, fields } = session;
  const hooked = new Set(
    fields.policy.stages.flatMap(({ name, summarize }) => {
      if (summarize === undefined) return [];
      return hookOf(context.hooks, summarize) === MANUAL_HOOK ? [] : [name];
    }),
  );
  if (!waiting.some(({ stage }) => hooked.has(stage))) return undefined;
  const query = { namespace, sessionId, limit: LIMITS.pageSizeMax };
  const { tasks } = await context.store.listTasks(query);
  const live = new Map(
    tasks.filter(isLive).map(({ stage, taskNo }) => [stage, taskIdOf(taskNo)] as const),
  );
  const runs = outcome.runs.map((run) => {
    const taskId = live.get(run.stage);
    return taskId === undefined || run.awaitsSummary.length === 0 ? run : { ...run, taskId };
  });
  const asks = waiting.some(({ stage }) => hooked.has(stage) && !live.has(stage));
  return { outcome: { ...outcome, runs }, asks };
}

/** The removals of a read that were changes. */
interface StoredRead {
  readonly stored: Stored;
  readonly viewed: Pick<Viewed, "outcome" | "own" | "policy" | "hasInserts">;
}

/** Runs the stages on read in a transaction of their own. */
async function storeRead(
  context: ServiceContext,
  call: Call,
  input: WindowInput,
): Promise<StoredRead> {
  const { namespace, sessionId } = input;
  // The call may carry no request id: a read is repeated as often as anybody likes.
  const reading = { ...call, requestId: "" };
  const target = { namespace, sessionId };
  const nowMs = context.world.nowMs();
  const result = await changeSession<StoredRead>(context, reading, target, (view) => {
    const { session } = view;
    if (session === undefined) throw sessionNotFound(sessionId);
    const change = readStages(context, session, view, nowMs);
    const { outcome } = change;
    if (outcome === undefined) throw new Error("no stage ran");
    const { policy } = session.fields;
    const hasInserts = session.fields.inserts.length > 0;
    const told = { ...outcome, runs: change.runs };
    const viewed = { outcome: told, policy, own: policy, hasInserts };
    // Another read may have done it in between.
    const isSame = !changesStored(storedNow(session, view.window()), outcome);
    if (isSame && change.tasks === undefined) {
      return {
        kind: "answer",
        result: { stored: storedNow(session, view.window()), viewed },
      };
    }
    // Asking for a summary is no use of the session: its time to live goes on.
    const { updateMs } = isSame ? session.head : change.head;
    const head = { ...change.head, updateMs };
    const after: Session = { ...session, fields: change.fields, head };
    const stored = storedNow(after, change.window);
    return saved({ context, call: reading, nowMs }, view, {
      ...{ result: { stored, viewed }, bytes: undefined, session: after },
      plan: { ...planOf(session, change), head },
      details: toldOf(change),
    });
  });
  if (result instanceof Uint8Array) throw new Error("a read without a request id was replayed");
  return result;
}

/** The events of a change by stages: one that acted and removed nothing still moves its mark. */
export function toldOf({ events }: WindowChange): readonly EventDetail[] {
  if (events.length > 0) return events;
  return [{ type: EVENT_TYPE.sessionUpdated, paths: ["stage_states"] }];
}

function readStages(
  context: ServiceContext,
  session: Session,
  view: SessionView,
  nowMs: number,
): WindowChange {
  const pairedTo = view.window().length + session.fields.inserts.length;
  return changeWindow(
    context,
    { ...windowBase(view, session, nowMs), known: { totals: sessionTotals(session), pairedTo } },
    [{ occasions: ON_READ, isRead: true }],
  );
}

function resultOf(
  input: WindowInput,
  stored: Stored,
  outcome: TrimOutcome<StoredEntry>,
  shown: Shown,
): WindowResult {
  const { session, isPast } = stored;
  const ranges = shownRanges(stored, outcome, shown);
  const outside = withoutRanges([{ first: 1, last: stored.lastSeq }], ranges);
  return {
    messages: shown.entries.map((entry) => entry.bytes),
    summary: session.fields.summary,
    window: shown.totals,
    outside: isPast ? undefined : without(session.head.log, shown.inLog),
    outsideRanges: outside.slice(-LIMITS.outsideRanges),
    outsideTruncated: outside.length > LIMITS.outsideRanges,
    trims: outcome.trims,
    openToolCallIds: takeNewestIds(openCallIds(shown.entries), idRoom(LIMITS.openToolCallIds)),
    // The policy of a past seq is unknown: today's would judge another window.
    overLimit: (!isPast || input.policy !== undefined) && outcome.overLimit,
    lastSeq: stored.lastSeq,
    revision: session.head.revision,
    runs: outcome.runs,
    warnings: outcome.warnings,
    shortenedIds: shown.shortenedIds,
  };
}

/** The runs of what is given. */
function shownRanges(
  { ranges }: Stored,
  outcome: TrimOutcome<StoredEntry>,
  { leftOut }: Shown,
): readonly SeqRange[] {
  const removed = outcome.trims.flatMap((trim) => trim.removed.map((entry) => entry.seq));
  for (const { seq } of leftOut) removed.push(seq);
  return removed.length === 0 ? ranges : removeSeqs(ranges, removed.filter(Number.isInteger));
}

function without(all: Totals, part: Totals): Totals {
  return {
    messageCount: all.messageCount - part.messageCount,
    tokenCount: all.tokenCount - part.tokenCount,
  };
}
