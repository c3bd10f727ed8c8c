// Runs one stage of a policy over what the stages before it left.

import type { PolicyStage } from "../policy.ts";
import { type Evaluation, lookOn, meetsAll, type PendingRun, removeEntries } from "./evaluation.ts";
import { heldBy } from "./held.ts";
import { passesLimit } from "./limit.ts";
import {
  assistantTurnsStart,
  costAt,
  costsOf,
  isSeen,
  lookAtCosts,
  lookAtWhole,
  lookBare,
  lookFolded,
  lookOfStage,
  lookWithout,
} from "./look.ts";
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

/** What is left in the end, without what waits for a summary. */
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
