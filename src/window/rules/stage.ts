// Runs one stage of a policy over what the stages before it left.

import type { PolicyStage } from "../policy/policy.ts";
import { type Evaluation, lookOn, meetsAll, type PendingRun, removeEntries } from "./evaluation.ts";
import { oldestMs, passedLimit, passesLimit } from "./limit.ts";
import {
  assistantTurnsStart,
  costAt,
  costsOf,
  isSeen,
  type Look,
  lookAtCosts,
  lookAtWhole,
  lookBare,
  lookFolded,
  lookOfStage,
  lookWithout,
} from "./look.ts";
import { holdReasons, UNSEEN } from "./protect.ts";
import { chooseEntries } from "./select.ts";
import { headPlan, type ShortenPlan, shortenPlan } from "./shorten.ts";
import { triggerHits } from "./triggers.ts";
import type { HoldReason, TriggerHit, WindowEntry } from "./types.ts";

/** The triggers of a stage that hold now; undefined when it has triggers and none holds. */
export function hitsOf<E extends WindowEntry>(
  evaluation: Evaluation<E>,
  stage: PolicyStage,
): readonly TriggerHit[] | undefined {
  if (stage.anyOf.length === 0) return [];
  const counted = stage.countWhole === true ? wholeOf(evaluation) : evaluation;
  const { look, signals, newestMs } = counted;
  let meets: ((index: number) => boolean) | undefined;
  const counts = (index: number): boolean => {
    meets ??= meetsAll(counted, stage.countIf, { stage: stage.name, field: "count_if" });
    return meets(index);
  };
  const hits = triggerHits({ look, stage, signals, newestMs, counts });
  return hits.length === 0 ? undefined : hits;
}

/** The evaluation as if nothing had been shortened; failures of conditions go to the same place. */
function wholeOf<E extends WindowEntry>(evaluation: Evaluation<E>): Evaluation<E> {
  if (evaluation.look.costs === undefined) return evaluation;
  const whole = { ...evaluation };
  lookOn(whole, lookAtWhole(evaluation.look));
  return whole;
}

/** Runs a stage; undefined when its triggers do not hold. */
export function runStage<E extends WindowEntry>(
  evaluation: Evaluation<E>,
  stage: PolicyStage,
): PendingRun | undefined {
  const triggers = hitsOf(evaluation, stage);
  if (triggers === undefined) return undefined;
  if (stage.select.kind === "shorten") {
    const isTold = shortenEntries(evaluation, stage) || triggers.length > 0;
    return plainRun(stage, triggers, isTold);
  }
  if (isIdle(evaluation, stage)) return plainRun(stage, triggers, triggers.length > 0);
  return runSelect(evaluation, stage, triggers);
}

function plainRun(
  stage: PolicyStage,
  triggers: readonly TriggerHit[],
  isTold: boolean,
): PendingRun {
  const isOver = (): boolean => false;
  const nothing = { heldBy: [], awaitsSummary: [], taskId: "" } as const;
  return { stage: stage.name, triggers, ...nothing, isTold, isOver };
}

/** Whether a look at the totals shows that a stage has nothing to do. */
function isIdle<E extends WindowEntry>(evaluation: Evaluation<E>, stage: PolicyStage): boolean {
  if (stage.boundary?.always) return false;
  const { select } = stage;
  if (select.kind !== "drop-oldest" && select.kind !== "pack-newest") return false;
  return !passesLimit(lookFolded(evaluation.look, stage), stage, evaluation.newestMs);
}

function runSelect<E extends WindowEntry>(
  evaluation: Evaluation<E>,
  stage: PolicyStage,
  triggers: readonly TriggerHit[],
): PendingRun {
  const { detailOf, newestMs } = evaluation;
  const look = lookOfStage(evaluation.look, stage);
  const conditions = stage.select.kind === "filter" ? stage.select.conditions : [];
  const where = { stage: stage.name, field: "filter.conditions" };
  const passes = conditions.length === 0 ? isTrue : meetsAll(evaluation, conditions, where);
  const { drop, reason, stoppedBy } = chooseEntries(look, stage, { detailOf, newestMs, passes });
  const waits = waitsForSummary(stage);
  const awaitsSummary = waits ? look.entries.filter((_, index) => drop[index] !== 0) : [];
  const after = waits ? lookWithout(look, drop) : undefined;
  const removed =
    !waits &&
    removeEntries(evaluation, drop, {
      stage: stage.name,
      reason,
      fromStored: stage.effect === "store",
      discarded: stage.removedTo === "discard" && stage.effect === "store",
    });
  const left = lookBare(after ?? evaluation.look);
  const isOver = passesLimit(left, stage, newestMs);
  const held: readonly HoldReason[] = isOver
    ? heldBy({ look, after: left, stage, drop, stoppedBy, newestMs })
    : [];
  return {
    stage: stage.name,
    triggers,
    heldBy: held,
    awaitsSummary,
    taskId: "",
    isTold: triggers.length > 0 || removed || awaitsSummary.length > 0,
    isOver: () => isOver && passesLimit(withoutThese(evaluation, awaitsSummary), stage, newestMs),
  };
}

/** Whether what a stage chooses stays in the window until its summary is there. */
function waitsForSummary({ removedTo, effect, summarize }: PolicyStage): boolean {
  return removedTo === "summarize" && effect === "store" && summarize?.leave !== "at-once";
}

function isTrue(): boolean {
  return true;
}

/** Remaining entries in the end, without those that wait for a summary. */
function withoutThese<E extends WindowEntry>(
  { look }: Evaluation<E>,
  waiting: readonly WindowEntry[],
) {
  if (waiting.length === 0) return lookBare(look);
  const gone = new Set(waiting);
  const drop = Uint8Array.from(look.entries, (entry) => (gone.has(entry) ? 1 : 0));
  return lookBare(lookWithout(look, drop));
}

/** Lowers what long messages cost; tells whether there were any. */
function shortenEntries<E extends WindowEntry>(
  evaluation: Evaluation<E>,
  stage: PolicyStage,
): boolean {
  const { select } = stage;
  if (select.kind !== "shorten") return false;
  const { look, shortened } = evaluation;
  const cuts: { readonly index: number; readonly plan: ShortenPlan }[] = [];
  const end = assistantTurnsStart(look, stage.keepAssistantTurns ?? 0);
  let saved = 0;
  let newest = select.keepNewest;
  for (let i = look.entries.length - 1; i >= 0; i--) {
    const entry = look.entries[i];
    const cost = costAt(look, i);
    if (entry === undefined || !isSeen(look, i)) continue;
    if (newest-- > 0 || i >= end || cost <= select.maxTokens) continue;
    if (!select.allRoles && !entry.isResult) continue;
    const plan = planOf(evaluation, select, entry);
    if (plan === undefined || plan.tokenCount >= cost) continue;
    cuts.push({ index: i, plan });
    saved += cost - plan.tokenCount;
  }
  if (cuts.length === 0 || saved < (select.minSavedTokens ?? 0)) return false;
  const costs = costsOf(look);
  for (const { index, plan } of cuts) {
    costs[index] = plan.tokenCount;
    const entry = look.entries[index];
    if (entry !== undefined) shortened.set(entry, { entry, stage: stage.name, ...plan });
  }
  lookOn(evaluation, lookAtCosts(look, costs, look.totals.tokenCount - saved));
  return true;
}

function planOf<E extends WindowEntry>(
  { detailOf, policy }: Evaluation<E>,
  select: Extract<PolicyStage["select"], { kind: "shorten" }>,
  entry: E,
): ShortenPlan | undefined {
  const { maxTokens, head } = select;
  const detail = detailOf(entry);
  return head === undefined
    ? shortenPlan(detail, entry.tokenCount, maxTokens, policy.imageTokenCount)
    : headPlan(detail, entry.tokenCount, { maxTokens, head }, policy);
}

// Says what kept a stage from removing more, when a limit of it does not hold.

/** State after a stage that is over a limit. */
export interface HeldQuestion {
  /** The window as the stage got it. */
  readonly look: Look;
  /** The window as the stage left it, or would leave it. */
  readonly after: Look;
  readonly stage: PolicyStage;
  /** By entry of `look`: not 0 when it goes. */
  readonly drop: Uint8Array;
  /** Reasons why the stage stopped, as bits of HOLD. */
  readonly stoppedBy: number;
  readonly newestMs: () => number;
}

/** Lists what kept a stage that is over a limit from removing more. */
export function heldBy(question: HeldQuestion): HoldReason[] {
  const { look, stage, drop, stoppedBy } = question;
  if (stoppedBy !== 0 && leavesFreeUnit(look, stage, drop)) return holdReasons(stoppedBy);
  return holdReasons(stoppedBy | blockingBits(question));
}

/** Whether a unit that nothing protects is still there. */
function leavesFreeUnit(look: Look, stage: PolicyStage, drop: Uint8Array): boolean {
  const { unitOf, holds } = look.layout(stage.unit);
  return unitOf.some((unit, index) => unit >= 0 && drop[index] === 0 && holds[unit] === 0);
}

/** The reasons of everything that is left and counts toward the limit that is passed. */
function blockingBits({ look, after, stage, drop, newestMs }: HeldQuestion): number {
  const passed = passedLimit(stage.select, after.counted());
  const { unitOf, holds, sizes } = look.layout(stage.unit);
  const aside = look.aside();
  const since = oldestMs(stage.select, newestMs) ?? Number.NEGATIVE_INFINITY;
  let bits = 0;
  for (let i = 0; i < drop.length; i++) {
    if (drop[i] !== 0 || aside[i] === UNSEEN) continue;
    const unit = unitOf[i] ?? -1;
    const isAged = unit >= 0 && (sizes().newestMs[unit] ?? 0) < since;
    // A free message does not matter when only tokens are too many.
    const blocks = passed === "message-limit" || (passed !== undefined && costAt(look, i) > 0);
    if (blocks || isAged) bits |= unit >= 0 ? (holds[unit] ?? 0) : (aside[i] ?? 0);
  }
  return bits;
}
