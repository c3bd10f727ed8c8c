// Invariants of every trim, as properties of any function of its shape. The same properties judge
// the real one and, to show that they can fail, broken ones. window-promises.ts holds more of them.

import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Policy, PolicyStage } from "../../../src/window/policy/policy.ts";
import type { TrimRequest } from "../../../src/window/rules/trim.ts";
import type { ConditionWarning, TrimOutcome } from "../../../src/window/rules/types.ts";
import { conversation, detailOfEntry, type TestEntry } from "./arbitraries.ts";
import { modelIsOverSize, modelTrim } from "./model.ts";
import { modelHoldReasons, modelIsOrphan, modelProtected, modelTiedTo } from "./model-units.ts";
import { occasion, oneStagePolicy, policy, policyOfKinds, signals } from "./random-policies.ts";

type Entries = readonly TestEntry[];
type Request = TrimRequest<TestEntry>;
type Outcome = TrimOutcome<TestEntry>;

/** A function of the shape of trimWindow. */
export type TrimFunction = (request: Request) => Outcome;

/** A property with its name. */
export interface NamedProperty {
  readonly name: string;
  readonly property: fc.IRawProperty<unknown>;
}

/** A request for any policy of these, on any occasion. */
export function requestFor(rules: fc.Arbitrary<Policy>): fc.Arbitrary<Request> {
  return fc.tuple(conversation, rules, occasion, signals).map(([entries, chosen, when, told]) => ({
    ...{ entries, policy: chosen, ...when },
    ...{ signals: told, detailOf: detailOfEntry },
  }));
}

/** Any request. */
export const request: fc.Arbitrary<Request> = requestFor(policy);

/** The positions of entries. */
export const seqsOf = (entries: readonly { readonly seq: number }[]): number[] =>
  entries.map((entry) => entry.seq);

/** The window without the tool results that never enter it. */
export function entered({ entries, policy: rules }: Request): Entries {
  if (rules.toolPairing !== "whole") return entries;
  return entries.filter((e) => !modelIsOrphan(entries, e));
}

/** The stages that run on the occasions of a request. */
export function running({ policy: rules, occasions, ceiling }: Request): readonly PolicyStage[] {
  return rules.stages.filter((stage) => {
    const shortens = stage.select.kind === "shorten";
    const isOn = occasions === "all" || occasions.has(stage.on);
    const isViewed = stage.effect === "view" && !shortens;
    return (isOn || (shortens && stage.on === "append")) && !(ceiling && isViewed);
  });
}

const isOfFilter = ({ field }: ConditionWarning): boolean => field.startsWith("filter.");
const byName = (a: ConditionWarning, b: ConditionWarning): number =>
  `${a.stage} ${a.field}` < `${b.stage} ${b.field}` ? -1 : 1;

function equalsModel(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const outcome = trim(asked);
    const { warnings: foretold, ...model } = modelTrim(asked);
    // A separate property checks what held a stage.
    const runs = outcome.runs.map(({ heldBy: _, ...run }) => run);
    const { ceilingPassed, warnings, ...rest } = outcome;
    deepStrictEqual({ ...rest, runs, ceilingPassed }, model);
    deepStrictEqual(
      warnings.filter(isOfFilter).sort(byName),
      foretold.filter(isOfFilter).sort(byName),
    );
    // Conditions are asked only where the answer matters.
    for (const warning of warnings) ok(foretold.some((one) => sameWarning(one, warning)));
  });
  return { name: "gives what the reference model gives", property };
}

function sameWarning(a: ConditionWarning, b: ConditionWarning): boolean {
  return JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
}

const CEILING_BYTES = 3 * 1024 * 1024;

function keepsLimits(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const outcome = trim(asked);
    if (asked.ceiling && outcome.ceilingPassed === undefined) {
      ok(outcome.totals.byteCount <= CEILING_BYTES, "the ceiling does not hold");
    }
    for (const stage of running(asked)) {
      const run = outcome.runs.find((one) => one.stage === stage.name);
      if (run?.overLimit) ok(outcome.overLimit, "the outcome does not say that a stage is over");
      if (run?.overLimit || (run === undefined && stage.anyOf.length > 0)) continue;
      const waiting = new Set(run === undefined ? [] : seqsOf(run.awaitsSummary));
      const left = outcome.kept.filter((entry) => !waiting.has(entry.seq));
      ok(!modelIsOverSize(asked, outcome, left, stage), `the limit of ${stage.name} does not hold`);
    }
  });
  return { name: "keeps the limits, or says that it does not", property };
}

function saysWhatHeldIt(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    for (const run of trim(asked).runs) {
      const stage = asked.policy.stages.find(({ name }) => name === run.stage);
      if (stage === undefined) throw new Error("There is no such stage.");
      const reasons = modelHoldReasons(entered(asked), stage, asked.policy);
      const { select } = stage;
      // Such a stage also stops for the user message that is not there.
      if (select.kind === "drop-oldest" && select.stopAtProtected) reasons.add("last-user");
      // Later stages may leave more in the hands of protections than there was at first.
      const isFirst = asked.policy.stages.indexOf(stage) === 0;
      for (const reason of run.heldBy) {
        ok(reason === "free" || !isFirst || reasons.has(reason), `${reason} held nothing`);
      }
      const grows = stage.boundary?.rule === "grow-recent";
      // A boundary may take the newest message of a unit: the rest is too old from then on.
      const ages = select.kind === "drop-oldest" && select.maxAgeMs !== undefined;
      const isLeft = grows || (ages && stage.boundary !== undefined);
      if (run.overLimit && !isLeft) ok(run.heldBy.length > 0, "nothing is said to hold the stage");
      deepStrictEqual(run.heldBy, [...new Set(run.heldBy)]);
    }
  });
  return { name: "says what held a stage that is over a limit", property };
}

function overLimitMeansProtected(trim: TrimFunction): NamedProperty {
  const rules = policyOfKinds(["drop-oldest", "pack-newest"], 1);
  const property = fc.property(requestFor(rules), (asked) => {
    const outcome = trim(asked);
    const [stage] = asked.policy.stages;
    const run = outcome.runs[0];
    if (stage === undefined || run === undefined || !run.overLimit) return;
    const { select } = stage;
    const stops = select.kind === "drop-oldest" && (select.stopAtProtected || select.stopAtFree);
    const ages = select.kind === "drop-oldest" && select.maxAgeMs !== undefined;
    if (stops || ages || stage.boundary !== undefined) return;
    const waiting = seqsOf(run.awaitsSummary);
    const left = seqsOf(outcome.kept).filter((seq) => !waiting.includes(seq));
    const stays = modelProtected(entered(asked), stage, asked.policy);
    const ceiling = outcome.trims.some(({ reason }) => reason === "ceiling");
    if (!ceiling) deepStrictEqual(left, seqsOf(stays));
  });
  return { name: "is over a limit only with everything removable removed", property };
}

function keepsProtected(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const inside = new Set(seqsOf(trim(asked).kept));
    const stays = modelProtected(entered(asked), { unit: "message" }, asked.policy);
    for (const { seq } of stays) ok(inside.has(seq), `protected message ${seq} is gone`);
  });
  return { name: "keeps what is protected", property };
}

function keepsGroupsWhole(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    if (asked.policy.toolPairing === "loose") return;
    const whole = entered(asked);
    for (const window of [trim(asked).kept, trim(asked).stored]) {
      const inside = new Set(seqsOf(window));
      for (const entry of window.filter((e) => whole.includes(e))) {
        const tied = modelTiedTo(whole, entry, asked.policy);
        for (const { seq } of tied) ok(inside.has(seq), `lost ${seq}`);
      }
    }
    if (asked.policy.toolPairing !== "whole") return;
    const { kept } = trim(asked);
    for (const entry of kept) ok(!modelIsOrphan(kept, entry), `result ${entry.seq} has no call`);
  });
  return { name: "never splits a call from its results", property };
}

function isPure(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const copy = structuredClone(asked.entries);
    const first = trim(asked);
    deepStrictEqual(trim(asked), first);
    const { detailOf, ...data } = asked;
    deepStrictEqual(trim({ ...structuredClone(data), detailOf }), first);
    deepStrictEqual(asked.entries, copy);
  });
  return { name: "gives the same for the same and writes to nothing", property };
}

/** Conditions of an append, which stores its result. */
const storing = { occasions: new Set(["append"] as const), ceiling: true };

/**
 * A stage that may find more when it runs again, because its choice depends on what stands around a
 * message: conditions on the turn or the age, a look at only the next few messages, a unit
 * of which the boundary took or left a part, or a stop at a unit that is gone afterwards (the
 * boundary took it, or the cut made it a leading system message, which is in no unit).
 */
function mayGoOn(stage: PolicyStage, { protections }: Policy): boolean {
  const { select, boundary, unit } = stage;
  if (select.kind === "drop-duplicates") return select.lookahead < 50;
  if (boundary !== undefined && unit !== "message") return true;
  const stops = select.kind === "drop-oldest" && (select.stopAtFree || select.stopAtProtected);
  if (stops && (boundary !== undefined || protections.system === "leading")) return true;
  return /turn\.|age_seconds/.test(JSON.stringify([select, stage.countIf]));
}

function isIdempotent(trim: TrimFunction): NamedProperty {
  const drops = policyOfKinds(["drop-oldest"], 3).map((rules) => ({
    ...rules,
    stages: rules.stages.map((stage) => ({ ...stage, boundary: undefined })),
  }));
  const property = fc.property(requestFor(fc.oneof(drops, oneStagePolicy)), (asked) => {
    const once = trim({ ...asked, ...storing });
    // A later stage, or the ceiling, may take apart a unit that an earlier stage kept as a whole,
    // and that stage may then find more to remove. Not so when it only drops by size, which never
    // grows, and its limits hold.
    const { stages, toolPairing } = asked.policy;
    // A result without a call is found another one when what stood between them is gone.
    const bare = asked.entries.some((e) => e.isResult && e.answers.length === 0);
    const holdsAny = asked.entries.some((e) => e.isResult || e.answers.length > 0);
    if (toolPairing === "grouped" ? bare : toolPairing === "adjacent" && holdsAny) return;
    if (once.trims.some(({ reason }) => reason === "ceiling")) return;
    const dropsOnly = stages.every(({ select, boundary }) => {
      const bySize = select.kind === "drop-oldest" && select.maxAgeMs === undefined;
      return bySize && boundary === undefined;
    });
    const holds = dropsOnly && !once.overLimit && !once.runs.some((run) => run.heldBy.length > 0);
    const alone = stages.length === 1 && !stages.some((s) => mayGoOn(s, asked.policy));
    if (!alone && !holds) return;
    const again = trim({ ...asked, ...storing, entries: once.kept });
    deepStrictEqual(seqsOf(again.kept), seqsOf(once.kept));
    deepStrictEqual(again.trims, []);
  });
  return { name: "removes nothing more from what it made", property };
}

function accounts(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const { kept, stored, trims, storedTrims, shortened, runs } = trim(asked);
    const viewed = trims.filter((one) => !storedTrims.some((other) => sameRemoved(one, other)));
    for (const [left, removals] of [
      [kept, trims],
      [stored, storedTrims],
    ] as const) {
      const all = [...left, ...removals.flatMap(({ removed }) => removed)];
      // Put back by position, what was removed and what is left are the window again.
      deepStrictEqual(
        all.toSorted((a, b) => a.seq - b.seq),
        asked.entries,
      );
      for (const list of [left, ...removals.map(({ removed }) => removed)]) {
        deepStrictEqual(
          seqsOf(list),
          seqsOf(list).sort((a, b) => a - b),
        );
      }
    }
    for (const { removed } of viewed) {
      for (const entry of removed)
        ok(
          stored.some(({ seq }) => seq === entry.seq),
          "lost a message",
        );
    }
    for (const { stage, discarded, removed } of trims) {
      ok(removed.length > 0, "a trim removed nothing");
      const rule = asked.policy.stages.find(({ name }) => name === stage);
      deepStrictEqual(discarded, rule?.removedTo === "discard");
      const waits = rule?.removedTo === "summarize" && rule.summarize?.leave !== "at-once";
      ok(!waits, "removed what waits for a summary");
    }
    for (const run of runs) {
      if (run.awaitsSummary.length === 0) continue;
      const rule = asked.policy.stages.find(({ name }) => name === run.stage);
      ok(rule?.summarize?.leave === "with-summary", "keeps what need not wait");
    }
    ok(shortened.every(({ entry }) => kept.some(({ seq }) => seq === entry.seq)));
  });
  return { name: "accounts for every message", property };
}

function sameRemoved(
  a: { readonly removed: readonly { readonly seq: number }[] },
  b: { readonly removed: readonly { readonly seq: number }[] },
): boolean {
  return JSON.stringify(seqsOf(a.removed)) === JSON.stringify(seqsOf(b.removed));
}

/** Makes the first half of the properties of a trim function. */
export function ruleProperties(trim: TrimFunction): readonly NamedProperty[] {
  return [
    equalsModel(trim),
    keepsLimits(trim),
    saysWhatHeldIt(trim),
    overLimitMeansProtected(trim),
    keepsProtected(trim),
    keepsGroupsWhole(trim),
    isPure(trim),
    isIdempotent(trim),
    accounts(trim),
  ];
}
