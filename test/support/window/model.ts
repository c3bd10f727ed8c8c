// The window rules once more, as slow and plain as they can be said: the reference that property
// tests compare with. Written from the comments of the public contract; shares no code with
// src/window/rules but the similarity of texts and the plan of a cut, which have tests of their
// own.

import type { PolicyStage } from "../../../src/window/policy/policy.ts";
import { headPlan, shortenPlan } from "../../../src/window/rules/shorten.ts";
import type { TrimRequest } from "../../../src/window/rules/trim.ts";
import type {
  ConditionWarning,
  Shortened,
  StageRun,
  Totals,
  Trim,
  TrimOutcome,
  TrimReason,
} from "../../../src/window/rules/types.ts";
import type { TestEntry } from "./arbitraries.ts";
import {
  type ModelWindow,
  modelChoice,
  modelCut,
  modelHits,
  modelIsOver,
  modelPassed,
  modelTokens,
} from "./model-select.ts";
import { modelIsOrphan, modelLeftAlone, modelSeen, modelUnits } from "./model-units.ts";

const CEILING_MESSAGES = 10_000;
const CEILING_BYTES = 3 * 1024 * 1024;

type Entries = readonly TestEntry[];
type Request = Omit<TrimRequest<TestEntry>, "known">;

/** A run without what held it, which properties look at. */
type ModelRun = Omit<StageRun, "heldBy">;

/** The part of an outcome that the model foretells. */
export interface ModelOutcome
  extends Omit<TrimOutcome<TestEntry>, "runs" | "warnings" | "ceilingPassed"> {
  readonly runs: readonly ModelRun[];
  /** Those of filters are exact; those of `count_if` are all that could be. */
  readonly warnings: readonly ConditionWarning[];
  readonly ceilingPassed: "messages" | "bytes" | undefined;
}

/** Everything that changes from stage to stage. */
interface Course {
  readonly request: Request;
  kept: Entries;
  stored: Entries;
  readonly costs: Map<TestEntry, number>;
  readonly trims: Trim<TestEntry>[];
  readonly storedTrims: Trim<TestEntry>[];
  readonly shortened: Map<TestEntry, Shortened>;
  /** By stage and field: the messages a condition failed on. */
  readonly failed: Map<string, Set<TestEntry>>;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const bytesOf = (entries: Entries): number => sum(entries.map((e) => e.byteCount));

function windowOf(course: Course, entries: Entries, of?: PolicyStage): ModelWindow {
  const stage = of?.name ?? "";
  const { policy, signals, entries: all } = course.request;
  const fail = (field: string, entry: TestEntry): void => {
    const key = `${stage} ${field}`;
    course.failed.set(key, (course.failed.get(key) ?? new Set()).add(entry));
  };
  const newestMs = Math.max(0, ...all.map((e) => e.createMs));
  const keepAssistantTurns = of?.keepAssistantTurns ?? 0;
  return { entries, policy, signals, costs: course.costs, newestMs, keepAssistantTurns, fail };
}

interface Cause {
  readonly stage: string;
  readonly reason: TrimReason;
  readonly discarded?: boolean;
  readonly fromStored: boolean;
}

function trimOf(
  cause: Cause,
  before: Entries,
  gone: Entries,
  costs: ModelWindow["costs"],
): Trim<TestEntry> {
  const sizeOf = (entries: Entries): Totals => ({
    messageCount: entries.length,
    tokenCount: sum(entries.map((e) => costs.get(e) ?? e.tokenCount)),
  });
  return {
    stage: cause.stage,
    reason: cause.reason,
    removed: before.filter((e) => gone.includes(e)),
    before: sizeOf(before),
    after: sizeOf(before.filter((e) => !gone.includes(e))),
    discarded: cause.discarded ?? false,
  };
}

function remove(course: Course, gone: Entries, cause: Cause): void {
  if (gone.length === 0) return;
  course.trims.push(trimOf(cause, course.kept, gone, course.costs));
  course.kept = course.kept.filter((e) => !gone.includes(e));
  if (!cause.fromStored) return;
  course.storedTrims.push(trimOf(cause, course.stored, gone, new Map()));
  course.stored = course.stored.filter((e) => !gone.includes(e));
}

function shorten(course: Course, stage: PolicyStage): boolean {
  const { select } = stage;
  if (select.kind !== "shorten") return false;
  const seen = modelSeen(course.kept, course.request.policy);
  const older = seen.slice(0, Math.max(0, seen.length - select.keepNewest));
  const alone = modelLeftAlone(course.kept, stage);
  const cuts: Shortened[] = [];
  for (const entry of older.filter((e) => select.allRoles || e.isResult)) {
    if (alone.includes(entry)) continue;
    const cost = course.costs.get(entry) ?? entry.tokenCount;
    if (cost <= select.maxTokens) continue;
    const { maxTokens, head } = select;
    const plan =
      head === undefined
        ? shortenPlan(entry.detail, entry.tokenCount, maxTokens)
        : headPlan(entry.detail, entry.tokenCount, { maxTokens, head }, course.request.policy);
    if (plan === undefined || plan.tokenCount >= cost) continue;
    cuts.push({ entry, stage: stage.name, ...plan });
  }
  const costOf = (e: TestEntry): number => course.costs.get(e) ?? e.tokenCount;
  const savedBy = (cut: Shortened): number => costOf(cut.entry as TestEntry) - cut.tokenCount;
  if (sum(cuts.map(savedBy)) < (select.minSavedTokens ?? 0)) return false;
  for (const cut of cuts) {
    course.costs.set(cut.entry as TestEntry, cut.tokenCount);
    course.shortened.set(cut.entry as TestEntry, cut);
  }
  return cuts.length > 0;
}

interface Acted {
  readonly stage: PolicyStage;
  readonly run: ModelRun;
  readonly isTold: boolean;
  /** It was over a limit right after it acted. */
  readonly wasOver: boolean;
}

/** The window as the triggers of a stage count it. */
function countedBy(window: ModelWindow, { countWhole = false }: PolicyStage): ModelWindow {
  return countWhole ? { ...window, costs: new Map() } : window;
}

function act(course: Course, stage: PolicyStage): Acted | undefined {
  const window = windowOf(course, course.kept, stage);
  const triggers = modelHits(countedBy(window, stage), stage);
  if (stage.anyOf.length > 0 && triggers.length === 0) return undefined;
  const run = { stage: stage.name, triggers, overLimit: false, awaitsSummary: [], taskId: "" };
  if (stage.select.kind === "shorten") {
    const isTold = shorten(course, stage) || triggers.length > 0;
    return { stage, run, isTold, wasOver: false };
  }
  const choosing = { ...window, chooser: stage };
  const { reason, chosen: first } = modelChoice(choosing, stage);
  const { chosen, popped } = modelCut(choosing, stage, first);
  const gone = [...chosen, ...popped];
  const leaves = stage.summarize?.leave === "at-once";
  const waits = stage.removedTo === "summarize" && stage.effect === "store" && !leaves;
  const awaitsSummary = waits ? course.kept.filter((e) => gone.includes(e)) : [];
  const wasOver = modelIsOver(
    windowOf(
      course,
      course.kept.filter((e) => !gone.includes(e)),
    ),
    stage,
  );
  if (!waits) {
    const fromStored = stage.effect === "store";
    const cause = { stage: stage.name, fromStored, discarded: stage.removedTo === "discard" };
    remove(course, chosen, { ...cause, reason });
    remove(course, popped, { ...cause, reason: "boundary" });
  }
  const isTold = triggers.length > 0 || gone.length > 0;
  return { stage, run: { ...run, awaitsSummary }, isTold, wasOver };
}

function passedCeiling(entries: Entries): "messages" | "bytes" | undefined {
  if (entries.length > CEILING_MESSAGES) return "messages";
  return bytesOf(entries) > CEILING_BYTES ? "bytes" : undefined;
}

function ceiling(course: Course): void {
  let gone: Entries = [];
  for (const unit of modelUnits(course.stored, { unit: "message" }, course.request.policy)) {
    if (passedCeiling(course.stored.filter((e) => !gone.includes(e))) === undefined) break;
    if (unit.holds.length === 0) gone = [...gone, ...unit.members];
  }
  remove(course, gone, { stage: "", reason: "ceiling", fromStored: true });
}

function warningsOf({ failed }: Course): ConditionWarning[] {
  return [...failed].map(([key, entries]) => {
    const [stage = "", field = ""] = key.split(" ");
    const first = [...entries].sort((a, b) => a.seq - b.seq)[0];
    return { stage, field, messageId: first?.messageId ?? "", messageCount: entries.size };
  });
}

/** Whether entries that are left are over a limit of messages or tokens of a stage. */
export function modelIsOverSize(
  request: Request,
  { shortened }: Pick<TrimOutcome<TestEntry>, "shortened">,
  left: Entries,
  stage: PolicyStage,
): boolean {
  const bySeq = new Map(shortened.map(({ entry, tokenCount }) => [entry.seq, tokenCount]));
  const costs = new Map(left.map((e) => [e, bySeq.get(e.seq) ?? e.tokenCount]));
  const { policy, signals } = request;
  return (
    modelPassed(
      { ...{ entries: left, policy, signals, costs }, newestMs: 0, fail: () => undefined },
      stage.select,
    ) !== undefined
  );
}

/** Outcome of the rules for a window. */
export function modelTrim(request: Request): ModelOutcome {
  const { entries, policy, occasions } = request;
  const course: Course = {
    ...{ request, kept: entries, stored: entries, trims: [], storedTrims: [] },
    ...{ costs: new Map(), shortened: new Map(), failed: new Map() },
  };
  if (policy.toolPairing === "whole") {
    const orphans = entries.filter((e) => modelIsOrphan(entries, e));
    const cause = { stage: "", reason: "orphan-tool-result" } as const;
    remove(course, orphans, { ...cause, fromStored: request.ceiling });
  }
  const acted: Acted[] = [];
  for (const stage of policy.stages) {
    const shortens = stage.select.kind === "shorten";
    const always = shortens && stage.on === "append";
    if (occasions !== "all" && !occasions.has(stage.on) && !always) continue;
    if (request.ceiling && stage.effect === "view" && !shortens) continue;
    const did = act(course, stage);
    if (did !== undefined && !(request.ceiling && shortens)) acted.push(did);
  }
  if (request.ceiling) ceiling(course);
  const { kept, stored, trims, storedTrims, costs } = course;
  const isOver = ({ stage, run, wasOver }: Acted): boolean =>
    wasOver &&
    modelIsOver(
      windowOf(
        course,
        kept.filter((e) => !run.awaitsSummary.includes(e)),
      ),
      stage,
    );
  const runs = acted
    .map((one) => ({ ...one, run: { ...one.run, overLimit: isOver(one) } }))
    .filter(({ isTold, run }) => isTold || run.overLimit)
    .map(({ run }) => run);
  const end = windowOf({ ...course, failed: new Map() }, kept);
  const reads = occasions !== "all" && occasions.has("read") && !occasions.has("append");
  const storedIsOver = policy.stages.some((stage) => {
    const hits = stage.anyOf.length === 0 || modelHits(countedBy(end, stage), stage).length > 0;
    return stage.on === "append" && hits && modelIsOver(end, stage);
  });
  return {
    ...{ kept, stored, trims, storedTrims, runs },
    warnings: warningsOf(course),
    shortened: kept.flatMap((e) => course.shortened.get(e) ?? []),
    totals: {
      messageCount: kept.length,
      tokenCount: modelTokens({ ...end, costs }, kept),
      byteCount: bytesOf(kept),
    },
    overLimit: runs.some((run) => run.overLimit) || (reads && storedIsOver),
    ceilingPassed: request.ceiling ? passedCeiling(stored) : undefined,
  };
}
