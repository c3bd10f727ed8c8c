// Compares a session's log, window, summaries, tasks and events with each other: every message that
// left the window is in exactly one summary, or waits for one. It is pure, so accounts broken on
// purpose can test it; `summary-reader.ts` reads an account.

import { numbersIn, runsOf } from "./cover.ts";

/** A range of seqs, both ends included. */
export type Run = readonly [first: number, last: number];

/** A summary in an account. */
export interface SeenSummary {
  readonly version: number;
  readonly current: boolean;
  readonly placedMessageId: string;
  readonly text: string;
  readonly taskId: string;
  readonly placeholder: boolean;
  readonly runs: readonly Run[];
  readonly added: readonly Run[];
  readonly sourceCount: number;
  /** The seqs from ListSummarySources; only for current summaries. */
  readonly listed: readonly number[] | undefined;
}

/** A task in an account. */
export interface SeenTask {
  readonly taskId: string;
  readonly isDead: boolean;
  readonly leavesAtOnce: boolean;
  readonly runs: readonly Run[];
}

/** Outcome of a task, as an event reports it. */
export interface SeenFate {
  readonly taskId: string;
  readonly kind: "requested" | "set" | "superseded" | "dead";
  /** Version of the summary that was set. */
  readonly version: number;
}

/** The state of a session. */
export interface SummaryAccount {
  readonly sessionId: string;
  readonly lastSeq: number;
  /** The seqs of the log. */
  readonly log: readonly number[];
  /** The seqs of the messages of the log in the window. */
  readonly window: readonly number[];
  /** The ids of placed summaries in the window. */
  readonly placed: readonly string[];
  /** All summaries ever, oldest first. */
  readonly summaries: readonly SeenSummary[];
  readonly tasks: readonly SeenTask[];
  readonly fates: readonly SeenFate[];
}

/** Conditions that a check may rely on. */
export interface Expected {
  /** Texts name the messages that they cover, and every message contains its seq. */
  readonly textsCover?: boolean;
  /** No task is pending. */
  readonly settled?: boolean;
  /** Messages may leave without a summary: dead tasks of a stage that drops. */
  readonly mayDrop?: boolean;
}

/** The seqs of ranges. */
export function seqsOf(runs: readonly Run[]): number[] {
  return runs.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
}

/** Numbers that occur more than once. */
function doubled(numbers: readonly number[]): number[] {
  const seen = new Set<number>();
  return numbers.filter((number) => seen.size === seen.add(number).size);
}

/** Numbers of the first that the second lacks. */
function without(numbers: Iterable<number>, others: Iterable<number>): number[] {
  const known = new Set(others);
  return [...numbers].filter((number) => !known.has(number));
}

/** Checks an account; returns its faults as text. Empty when nothing was lost or duplicated. */
export function checkAccount(account: SummaryAccount, expected: Expected = {}): string[] {
  const wrong: string[] = [];
  const say = (what: string, numbers: readonly number[]): void => {
    if (numbers.length > 0) wrong.push(`${account.sessionId}: ${what} ${runsOf(numbers)}`);
  };
  const { log, lastSeq, window, summaries, tasks } = account;
  const all = Array.from({ length: lastSeq }, (_, index) => index + 1);
  say("LOST from the log", without(all, log));
  say("in the log twice", doubled(log));
  const versions = summaries.map(({ version }) => version);
  const expectedVersions = versions.map((_, index) => index + 1);
  if (versions.join() !== expectedVersions.join()) {
    wrong.push(`${account.sessionId}: the versions are ${versions.join()}`);
  }
  const added = summaries.flatMap((summary) => seqsOf(summary.added));
  say("became part of two summaries:", doubled(added));
  say("in the window twice", doubled(window));
  say("in the window and in a summary:", without(added, without(added, window)));
  const current = summaries.filter((summary) => summary.current);
  const covered = current.flatMap((summary) => seqsOf(summary.runs));
  say("in two current summaries:", doubled(covered));
  say("summarized, and in no current summary:", without(added, covered));
  say("in a current summary, and never summarized:", without(covered, added));
  const waiting = tasks.filter((task) => task.leavesAtOnce).flatMap((task) => seqsOf(task.runs));
  say("summarized, and waiting for it:", without(added, without(added, waiting)));
  const left = without(all, window);
  if (expected.mayDrop !== true) say("LOST between:", without(left, [...added, ...waiting]));
  if (expected.settled === true) {
    say("left, and in no current summary:", without(left, covered));
    if (tasks.length > 0) wrong.push(`${account.sessionId}: ${tasks.length} tasks are left`);
  }
  for (const summary of summaries) checkSummary(account, summary, expected, wrong);
  checkPlaced(account, wrong);
  checkFates(account, wrong);
  return wrong;
}

function checkSummary(
  { sessionId }: SummaryAccount,
  summary: SeenSummary,
  expected: Expected,
  wrong: string[],
): void {
  const { version, runs, added, listed, sourceCount, text, placeholder } = summary;
  const name = `${sessionId}: summary ${version}`;
  const seqs = seqsOf(runs);
  const foreign = without(seqsOf(added), seqs);
  if (foreign.length > 0) wrong.push(`${name} added ${runsOf(foreign)}, which it does not cover`);
  if (seqs.length !== sourceCount) wrong.push(`${name} counts ${sourceCount} of ${seqs.length}`);
  if (listed !== undefined && listed.join() !== seqs.join()) {
    wrong.push(`${name} lists ${runsOf(listed)} and covers ${runsOf(seqs)}`);
  }
  if (expected.textsCover !== true || placeholder) return;
  const said = numbersIn(text);
  if (said.join() !== seqs.join()) {
    wrong.push(`${name} was made from ${runsOf(said)} and covers ${runsOf(seqs)}`);
  }
}

/** The summaries in the window are those marked as placed. */
function checkPlaced({ sessionId, placed, summaries }: SummaryAccount, wrong: string[]): void {
  const said = summaries
    .filter((summary) => summary.current && summary.placedMessageId !== "")
    .map((summary) => summary.placedMessageId);
  if (said.sort().join() !== [...placed].sort().join()) {
    wrong.push(`${sessionId}: ${placed.length} summaries are in the window, ${said.length} say so`);
  }
}

/** A requested task has one fate: it took effect, is no longer needed, or still exists. */
function checkFates(account: SummaryAccount, wrong: string[]): void {
  const { sessionId, fates, tasks, summaries } = account;
  const requested = new Set(
    fates.filter(({ kind }) => kind === "requested").map(({ taskId }) => taskId),
  );
  const ends = new Map<string, string[]>();
  for (const { taskId, kind } of fates) {
    if (kind === "requested") continue;
    if (!requested.has(taskId)) wrong.push(`${sessionId}: ${taskId} was ${kind}, never asked for`);
    ends.set(taskId, [...(ends.get(taskId) ?? []), kind]);
  }
  const present = new Map(tasks.map((task) => [task.taskId, task]));
  for (const taskId of requested) {
    const kinds = ends.get(taskId) ?? [];
    // A dead task may be retried, and a placeholder is set when its task dies.
    const final = kinds.filter((kind) => kind !== "dead");
    if (final.length > 1) wrong.push(`${sessionId}: TWICE ${taskId}: ${final.join(", ")}`);
    const isLive = present.get(taskId)?.isDead === false;
    if (isLive && final.length > 0) wrong.push(`${sessionId}: TWICE ${taskId}: done and there`);
    if (!isLive && kinds.length === 0) wrong.push(`${sessionId}: LOST task ${taskId}`);
  }
  const set = fates.flatMap(({ kind, version }) => (kind === "set" ? [version] : []));
  const made = summaries.flatMap(({ taskId, version }) => (taskId === "" ? [] : [version]));
  if (set.join() !== made.join()) {
    wrong.push(`${sessionId}: events tell of versions ${set.join()}, there are ${made.join()}`);
  }
}
