// The window rules: what a policy makes of a window. A pure function of its arguments; the comments
// of the public Policy message are its specification.

import { CEILING, type Policy, type PolicyStage, type StageOn } from "../policy/policy.ts";
import { CHOSEN } from "./boundary.ts";
import {
  beginEvaluation,
  conditionWarnings,
  type Evaluation,
  type PendingRun,
  removeEntries,
} from "./evaluation.ts";
import { groupEntries, hasOrphan, ORPHAN } from "./groups.ts";
import { passesLimit } from "./limit.ts";
import { lookAt, lookBare } from "./look.ts";
import { oldestUnits } from "./select.ts";
import { hitsOf, runStage } from "./stage.ts";
import type {
  DetailOf,
  Shortened,
  Signals,
  StageRun,
  TrimOutcome,
  WindowEntry,
  WindowTotals,
} from "./types.ts";

/** Facts about the entries that the caller has; they save a pass and change no result. */
export interface KnownWindow {
  /** The totals of all entries. Default: added up. */
  readonly totals?: WindowTotals;
  /**
   * The entries before this index came out of an earlier trim and none of them was erased or
   * changed since, so every tool result among them has its call. Default 0.
   */
  readonly pairedTo?: number;
}

/** A window, a policy, and when it is applied. */
export interface TrimRequest<E extends WindowEntry = WindowEntry> {
  /** By rising position, what stands in the window only among them. */
  readonly entries: readonly E[];
  readonly policy: Policy;
  /** The stages that run. Stages that shorten for a view run on every occasion. */
  readonly occasions: ReadonlySet<StageOn> | "all";
  /** The stored window is changed: it is held under the server's ceiling, and nothing is viewed. */
  readonly ceiling: boolean;
  readonly signals: Signals;
  readonly detailOf: DetailOf<E>;
  readonly known?: KnownWindow;
}

/**
 * Applies a policy to a window: removes orphan tool results, runs the stages in order, then applies
 * the ceiling. Gives back the very array it got when nothing is removed.
 */
export function trimWindow<E extends WindowEntry>(request: TrimRequest<E>): TrimOutcome<E> {
  const { entries, policy, occasions, ceiling, known } = request;
  const evaluation = beginEvaluation(request, entries, known?.totals ?? totalsOf(entries));
  removeOrphans(evaluation, ceiling, known?.pairedTo ?? 0);
  const pending: PendingRun[] = [];
  for (const stage of policy.stages) {
    if (!isOn(stage, occasions) || (ceiling && isViewOnly(stage))) continue;
    const run = runStage(evaluation, stage);
    // Shortening on a change shows only to later stages and is not reported.
    if (run !== undefined && !(ceiling && stage.select.kind === "shorten")) pending.push(run);
  }
  if (ceiling) applyCeiling(evaluation);
  const runs = finishRuns(pending);
  const overLimit =
    runs.some((run) => run.overLimit) || (isRead(occasions) && storedOverLimit(evaluation));
  const outcome = {
    kept: evaluation.look.entries,
    stored: evaluation.stored,
    trims: evaluation.trims,
    storedTrims: evaluation.storedTrims,
    runs,
    warnings: conditionWarnings(evaluation.failures),
    shortened: shortenedKept(evaluation),
    totals: evaluation.look.totals,
    overLimit,
  };
  const passed = ceiling ? passedCeiling(evaluation.storedTotals) : undefined;
  return passed === undefined ? outcome : { ...outcome, ceilingPassed: passed };
}

/** Whether a stage runs on the occasions. */
function isOn(stage: PolicyStage, occasions: ReadonlySet<StageOn> | "all"): boolean {
  if (occasions === "all" || occasions.has(stage.on)) return true;
  return stage.select.kind === "shorten" && stage.effect === "view" && stage.on === "append";
}

function isViewOnly(stage: PolicyStage): boolean {
  return stage.effect === "view" && stage.select.kind !== "shorten";
}

function isRead(occasions: ReadonlySet<StageOn> | "all"): boolean {
  return occasions !== "all" && occasions.has("read") && !occasions.has("append");
}

function removeOrphans<E extends WindowEntry>(
  evaluation: Evaluation<E>,
  fromStored: boolean,
  pairedTo: number,
): void {
  const { entries, policy } = evaluation.look;
  if (policy.toolPairing !== "whole" || !hasOrphan(entries, pairedTo)) return;
  const { callOf } = groupEntries(entries);
  const drop = Uint8Array.from(callOf, (call) => (call === ORPHAN ? CHOSEN : 0));
  const cause = { stage: "", reason: "orphan-tool-result", discarded: false } as const;
  removeEntries(evaluation, drop, { ...cause, fromStored });
}

/** Tells the runs that are worth it: every one with triggers, others that did something. */
function finishRuns(pending: readonly PendingRun[]): StageRun[] {
  const runs: StageRun[] = [];
  for (const { isTold, isOver, ...run } of pending) {
    // A limit that one stage misses, a later one with smaller units often reaches.
    const overLimit = isOver();
    if (isTold || overLimit) runs.push({ ...run, overLimit });
  }
  return runs;
}

/** Reading runs no stage on append, but says when the stored window is over the limit of one. */
function storedOverLimit<E extends WindowEntry>(evaluation: Evaluation<E>): boolean {
  const { newestMs, policy } = evaluation;
  const look = lookBare(evaluation.look);
  const silent = { ...evaluation, failures: new Map() };
  return policy.stages.some(
    (stage) =>
      stage.on === "append" &&
      passesLimit(look, stage, newestMs) &&
      hitsOf(silent, stage) !== undefined,
  );
}

function passedCeiling(totals: WindowTotals): "messages" | "bytes" | undefined {
  if (totals.messageCount > CEILING.messages) return "messages";
  return totals.byteCount > CEILING.bytes ? "bytes" : undefined;
}

function applyCeiling<E extends WindowEntry>(evaluation: Evaluation<E>): void {
  const { stored, storedTotals, policy, look } = evaluation;
  const holds = (totals: WindowTotals): boolean => passedCeiling(totals) === undefined;
  if (holds(storedTotals)) return;
  // A change views nothing, so the stored window is what the stages left.
  const whole = look.costs === undefined ? look : lookAt(stored, policy, storedTotals);
  const layout = whole.layout("message");
  const gone = oldestUnits(layout, storedTotals, holds);
  const drop = Uint8Array.from(layout.unitOf, (unit) => (gone[unit] === 1 ? CHOSEN : 0));
  const cause = { stage: "", reason: "ceiling", discarded: false } as const;
  removeEntries(evaluation, drop, { ...cause, fromStored: true });
}

function shortenedKept<E extends WindowEntry>(evaluation: Evaluation<E>): Shortened[] {
  const { shortened, look } = evaluation;
  if (shortened.size === 0) return [];
  return look.entries.flatMap((entry) => shortened.get(entry) ?? []);
}

// Sums over windows.

/** Totals of a list of entries. */
export function totalsOf(entries: readonly WindowEntry[]): WindowTotals {
  let tokenCount = 0;
  let byteCount = 0;
  for (const entry of entries) {
    tokenCount += entry.tokenCount;
    byteCount += entry.byteCount;
  }
  return { messageCount: entries.length, tokenCount, byteCount };
}

/** The sum of two totals. */
export function addTotals(a: WindowTotals, b: WindowTotals): WindowTotals {
  return {
    messageCount: a.messageCount + b.messageCount,
    tokenCount: a.tokenCount + b.tokenCount,
    byteCount: a.byteCount + b.byteCount,
  };
}
