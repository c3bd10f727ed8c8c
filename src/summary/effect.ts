// Effect of a task's result on its session: its messages leave the window, and the text takes
// their place, in the window or beside it.

import type { WindowBase } from "../core/participants.ts";
import { changeWindow, type Pass, planOf, windowBase } from "../core/window-change.ts";
import { insertEntry, mergeInserts, sessionTotals, signalsOf } from "../core/window-view.ts";
import type { EventDetail } from "../events/rules/event.ts";
import { AppError } from "../kit/errors.ts";
import type { Session, SessionFields, WindowInsert } from "../session/rules/session.ts";
import type { SessionPlan, StoredEntry, SummaryPlan, TaskPlan } from "../store/store.ts";
import { taskIdOf } from "../tasks/rules/task.ts";
import type { HeldView, Settling } from "../tasks/settle.ts";
import { CEILING } from "../window/policy/policy.ts";
import { isPlaced } from "../window/policy/summary-spec.ts";
import { needsTrim } from "../window/rules/needs-trim.ts";
import { countSeqs, withoutRanges } from "../window/rules/ranges.ts";
import { totalsOf } from "../window/rules/trim.ts";
import type { SeqRange, TrimReason } from "../window/rules/types.ts";
import {
  ancestorOfSession,
  hasPlace,
  type NewSummary,
  type Origins,
  originsOf,
  originsOfEntries,
  setEvent,
  standingRanges,
  summaryPlan,
  trimOf,
  withOwnSummary,
  withoutEntries,
  withPlacedSummary,
} from "./apply-summary.ts";
import { ofTasks } from "./making.ts";
import { joinTexts, placedText, shownName, shownTexts } from "./rules/compose.ts";
import {
  lowestTrust,
  type SummaryOutput,
  type SummaryRecord,
  type Trust,
} from "./rules/summary.ts";
import { type DocumentPart, NO_DOCUMENT, summaryDocument } from "./summary-document.ts";

/** Contribution of a task's result to the plan of a session. */
export interface Effect {
  readonly session: Session;
  readonly plan: Omit<SessionPlan, "events" | "reply">;
  /** The trim of the task's own messages and the new summary; may be empty. */
  readonly own: readonly EventDetail[];
  /** Events of the policy run that follows. */
  readonly next: readonly EventDetail[];
  /** The version of the new summary; 0 for none. */
  readonly version: number;
}

/** Reasons why a text cannot take its place. */
export type NoEffect = "no-place" | "too-long";

/** Whether a task's messages stay in the window until the summary is made. */
export function keepsInputs({ task }: Pick<HeldView, "task">): boolean {
  return task.summarize.spec.leave === "with-summary";
}

/** The window with its inserts. */
export function entriesOf({ context }: Settling, { view, session }: HeldView) {
  return mergeInserts(view.window(), session.fields.inserts, context.codec);
}

/** Those of the messages of a task that are in the window. */
export function inputsIn(
  entries: readonly StoredEntry[],
  { task }: Pick<HeldView, "task">,
): readonly StoredEntry[] {
  return entries.filter(ofTasks([task]));
}

/** Number of entries that a task was made from. */
export function inputCount({ task }: Pick<HeldView, "task">): number {
  return task.summarize.made.length + countSeqs(task.summarize.ranges);
}

const ON_APPEND: readonly Pass[] = [{ occasions: ["append"], outcomes: [] }];
/** Leaves the window unchanged, whatever its size. */
const NO_STAGES: readonly Pass[] = [{ occasions: [], outcomes: [], isRead: true }];

/**
 * Changes the window and runs the policy on it. Protected entries may not fit under the ceiling:
 * this change is then made without the policy, which runs with the next one.
 */
export function changeAndTrim({ context }: Settling, base: WindowBase) {
  try {
    return changeWindow(context, base, ON_APPEND);
  } catch (error) {
    if (!(error instanceof AppError) || error.reason !== "WINDOW_FULL") throw error;
    return changeWindow(context, base, NO_STAGES);
  }
}

/** Takes the inputs of a task out of the window without a replacement. */
export function dropInputs(settling: Settling, held: HeldView, taskPlan: TaskPlan): Effect {
  const entries = entriesOf(settling, held);
  const removed = inputsIn(entries, held);
  return exchange(settling, held, {
    ...{ taskPlan, removed, entries, reason: "summary-failed" },
    fields: withoutEntries(held.session.fields, removed),
    placed: [],
    told: [],
    record: undefined,
  });
}

/** Makes a text the summary that a task was made for. */
export function applyOutput(
  settling: Settling,
  held: HeldView,
  made: { readonly output: SummaryOutput; readonly isPlaceholder: boolean },
  taskPlan: TaskPlan,
): Effect | NoEffect {
  const { session, task } = held;
  const { spec } = task.summarize;
  const placed = isPlaced(spec);
  const entries = keepsInputs(held) ? entriesOf(settling, held) : [];
  const removed = keepsInputs(held) ? inputsIn(entries, held) : [];
  const left = withoutEntries(session.fields, removed);
  const standing = standingRanges(left, { own: placed });
  const origins = originsOfTask(settling, held, { removed, standing });
  const facts = factsOf(settling, held, made);
  const text = { left, removed, origins, facts, output: made.output };
  const set = placed ? place(settling, held, text) : own(settling, held, text);
  if (set === undefined) return "no-place";
  const document = made.isPlaceholder
    ? NO_DOCUMENT
    : summaryDocument(settling, held, spec.collectionId, set.record);
  const { plan: part } = document;
  const told = [setEvent(set.record, origins.addedTotals), ...document.events];
  if (!keepsInputs(held)) return beside(settling, held, { ...set, told, taskPlan, part });
  const change = { taskPlan, removed, entries, reason: "summarized" as const, told, ...set, part };
  if (passesCeiling(settling, change)) return "too-long";
  return exchange(settling, held, change);
}

/** Tokens that a placed summary adds to the window, and tokens that it takes out. */
export function placedCost(
  settling: Settling,
  held: HeldView,
  output: SummaryOutput,
): { readonly placed: number; readonly replaced: number } | undefined {
  const { session, task } = held;
  const { spec } = task.summarize;
  if (!isPlaced(spec)) return undefined;
  const shown = shownTexts(spec, output);
  const requestTokens =
    shown.request === undefined ? 0 : settling.countText(shown.request, session);
  const inputs = inputsIn(entriesOf(settling, held), held);
  return {
    placed: settling.countText(shown.text, session, shownName(spec, output)) + requestTokens,
    replaced: totalsOf(inputs).tokenCount,
  };
}

type Facts = NonNullable<NewSummary["made"]>;

function factsOf(
  { nowMs }: Settling,
  { task }: HeldView,
  { output, isPlaceholder }: { readonly output: SummaryOutput; readonly isPlaceholder: boolean },
): Facts {
  const { taskNo, stage, hook, callCount, createMs, summarize } = task;
  return {
    ...{ taskId: taskIdOf(taskNo), stage, hook, callCount },
    model: output.model,
    inputTokens: summarize.inputTokens + output.inputTokens,
    outputTokens: summarize.outputTokens + output.outputTokens,
    durationMs: Math.max(0, nowMs - createMs),
    placeholder: isPlaceholder,
  };
}

function originsOfTask(
  { context, goneTrust }: Settling,
  held: HeldView,
  as: { readonly removed: readonly StoredEntry[]; readonly standing: readonly SeqRange[] },
): Origins {
  const { removed, standing } = as;
  const { session, task, view } = held;
  const { fields } = session;
  const record = fields.summary === undefined ? undefined : view.summary(fields.summary.version);
  const prior = isPlaced(task.summarize.spec) ? undefined : ancestorOfSession(fields, record);
  if (keepsInputs(held)) {
    const from = { entries: removed, inserts: fields.inserts, prior, standing };
    const origins = originsOfEntries(context, view, from);
    return { ...origins, trust: lowestTrust([origins.trust, ...priorTrusts(held, removed)]) };
  }
  const { made, sources } = task.summarize;
  const ranges = withoutRanges(task.summarize.ranges, standing);
  const placed = made.flatMap(({ version }) => {
    const known = version === 0 ? undefined : view.summary(version);
    return known === undefined ? [] : [known];
  });
  let { tokenCount } = sources;
  for (const known of placed) tokenCount -= known.tokenCount;
  const totals = { messageCount: countSeqs(ranges), tokenCount: Math.max(0, tokenCount) };
  return originsOf({ ranges, totals, trusts: [goneTrust] }, placed, prior);
}

/** Trust of the earlier summaries in a hook's input: its output may repeat their words. */
function priorTrusts(
  { session, task }: HeldView,
  removed: readonly StoredEntry[],
): readonly Trust[] {
  if (task.summarize.spec.keep !== "in-place") return [];
  const first = removed[0]?.seq ?? 0;
  const { summary, inserts } = session.fields;
  const before = inserts.filter(({ kind, position }) => kind === "summary" && position < first);
  return [...before, ...(summary === undefined ? [] : [summary])].map(({ trust }) => trust);
}

interface NewFields {
  readonly fields: SessionFields;
  readonly record: SummaryRecord;
  readonly placed: readonly WindowInsert[];
}

/** A text that takes the place of messages. */
interface NewText {
  /** The fields of the session without the messages. */
  readonly left: SessionFields;
  readonly removed: readonly StoredEntry[];
  readonly origins: Origins;
  readonly facts: Facts;
  readonly output: SummaryOutput;
}

/** The text as the summary of the session. */
function own(
  { nowMs, countText }: Settling,
  { session, task, view }: HeldView,
  { left, origins, facts, output }: NewText,
): NewFields {
  const { spec } = task.summarize;
  const isJoined = spec.keep === "append";
  const text = isJoined ? joinTexts(left.summary?.text ?? "", output.text, spec) : output.text;
  const summary = { text, tokenCount: countText(text, session), made: facts };
  const at = { nowMs, revision: view.revision, lastSeq: session.head.lastSeq };
  return { ...withOwnSummary(left, summary, origins, at), placed: [] };
}

/** The text placed instead of the messages; undefined when no more summaries may be placed. */
function place(
  { context, nowMs, messageId, countText }: Settling,
  { session, task }: HeldView,
  { left, removed, origins, facts, output }: NewText,
): NewFields | undefined {
  const { spec } = task.summarize;
  const [first] = removed;
  if (first === undefined || !hasPlace(left.inserts)) return undefined;
  const shown = shownTexts(spec, output);
  const request =
    shown.request === undefined
      ? undefined
      : { text: shown.request, tokenCount: countText(shown.request, session) };
  const text = placedText(spec, output);
  const name = shownName(spec, output);
  const summary = { text, tokenCount: countText(shown.text, session, name), made: facts };
  const firstInsert = session.fields.inserts.find((one) => one.messageId === first.messageId);
  return withPlacedSummary(context, left, {
    ...{ messageId, summary, origins, shownText: shown.text, name, request },
    ...{ shape: spec.shape, first, firstInsert, nowMs },
  });
}

/** Entries that leave the window, and inserts that replace them. */
interface Exchange {
  readonly fields: SessionFields;
  readonly placed: readonly WindowInsert[];
  readonly removed: readonly StoredEntry[];
  /** The window before. */
  readonly entries: readonly StoredEntry[];
  readonly reason: TrimReason;
  readonly told: readonly EventDetail[];
  readonly record: SummaryRecord | undefined;
  readonly taskPlan: TaskPlan;
  /** The document that also gets the text. Default: none. */
  readonly part?: DocumentPart["plan"];
}

function passesCeiling({ context }: Settling, { entries, placed, removed }: Exchange): boolean {
  const before = totalsOf(entries);
  const less = totalsOf(removed);
  const more = totalsOf(placed.map((insert) => insertEntry(insert, context.codec)));
  const bytes = before.byteCount - less.byteCount + more.byteCount;
  // A window that is too large already may still shrink.
  return bytes > CEILING.bytes && more.byteCount >= less.byteCount;
}

/** The change of the window, with the policy run on the remaining entries. */
function exchange(settling: Settling, held: HeldView, change: Exchange): Effect {
  const { context, nowMs } = settling;
  const { view, session, task } = held;
  const { fields, placed, removed, entries, reason, told, record, taskPlan, part } = change;
  const shown = placed.map((insert) => insertEntry(insert, context.codec));
  const trims =
    removed.length === 0 ? [] : [trimOf(task.stage, reason, [...entries, ...shown], removed)];
  const changed = changeAndTrim(settling, {
    ...windowBase(view, { ...session, fields }, nowMs, removed),
    taskPlan,
    trims,
  });
  const after: Session = { ...session, fields: changed.fields, head: changed.head };
  return {
    session: after,
    plan: {
      ...planOf(session, changed),
      ...part,
      ...historyPart(held, changed.fields, record),
    },
    own: [...changed.events.slice(0, trims.length), ...told],
    next: changed.events.slice(trims.length),
    version: record?.version ?? 0,
  };
}

function historyPart(
  { view, session }: HeldView,
  fields: SessionFields,
  record: SummaryRecord | undefined,
): { readonly summaries?: SummaryPlan } {
  if (record === undefined) return {};
  return { summaries: summaryPlan(view, session, fields, record) };
}

/**
 * A summary beside the window, of messages that left it before: the window stays as it is unless
 * the summary leaves too little room for it.
 */
function beside(
  settling: Settling,
  held: HeldView,
  set: NewFields & Pick<Exchange, "told" | "taskPlan" | "part">,
): Effect {
  const { view, session } = held;
  const { fields, record, told, taskPlan, part } = set;
  const grown = { ...session, fields };
  if (needsTrim(fields.policy, sessionTotals(grown), signalsOf(grown, []))) {
    return exchange(settling, held, { ...set, removed: [], entries: [], reason: "summarized" });
  }
  const head = { ...session.head, updateMs: settling.nowMs, revision: view.revision };
  return {
    session: { ...session, fields, head },
    plan: { fields, head, tasks: taskPlan, ...part, ...historyPart(held, fields, record) },
    own: told,
    next: [],
    version: record.version,
  };
}
