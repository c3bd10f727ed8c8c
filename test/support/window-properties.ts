// What must be true of every trim, as properties of any function of its shape. The same properties
// judge the real one and, to show that they can fail, broken ones.

import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Policy } from "../../src/domain/policy.ts";
import type { KnownWindow } from "../../src/domain/window/trim.ts";
import { ROLE, type TrimOutcome, type WindowEntry } from "../../src/domain/window/types.ts";
import { conversation, dropPolicy, oneStagePolicy, policy } from "./window-arbitraries.ts";
import {
  type ModelOutcome,
  modelCallOf,
  modelGroupOf,
  modelOpenCallIds,
  modelOverLimit,
  modelProtected,
  modelTrim,
} from "./window-model.ts";
import type { StageSet } from "./window-text.ts";

type Entries = readonly WindowEntry[];

/** A function of the shape of trimWindow. */
export type TrimFunction = (
  entries: Entries,
  policy: Policy,
  stages: StageSet,
  known?: KnownWindow,
) => TrimOutcome;

/** A property with its name. */
export interface NamedProperty {
  readonly name: string;
  readonly property: fc.IRawProperty<unknown>;
}

const stageSet = fc.constantFrom<StageSet>("append", "read", "all");
const seqsOf = (entries: Entries): number[] => entries.map((entry) => entry.seq);
const paired = (entries: Entries): Entries =>
  entries.filter((e) => e.role !== ROLE.tool || modelCallOf(entries, e) !== undefined);

function sizeOf(entries: Entries) {
  const tokenCount = entries.reduce((sum, entry) => sum + entry.tokenCount, 0);
  return { messageCount: entries.length, tokenCount };
}

/** Every result has its call, and every group of `whole` is in the window entirely or not. */
function assertGroupsWhole(window: Entries, whole: Entries): void {
  const inside = new Set(seqsOf(window));
  for (const entry of window) {
    if (entry.role === ROLE.tool) ok(modelCallOf(window, entry), `result ${entry.seq} has no call`);
    for (const { seq } of modelGroupOf(whole, entry)) ok(inside.has(seq), `lost ${seq} of a group`);
  }
}

function modelled({ kept, trims, overLimit, ceilingPassed }: TrimOutcome): ModelOutcome {
  return { kept, trims, overLimit, ...(ceilingPassed === undefined ? {} : { ceilingPassed }) };
}

function equalsModel(trim: TrimFunction): NamedProperty {
  const check = (entries: Entries, rules: Policy, stages: StageSet): void =>
    deepStrictEqual(modelled(trim(entries, rules, stages)), modelTrim(entries, rules, stages));
  const property = fc.property(conversation, policy, stageSet, check);
  return { name: "gives what the reference model gives", property };
}

function keepsLimits(trim: TrimFunction): NamedProperty {
  const property = fc.property(conversation, policy, stageSet, (entries, rules, stages) => {
    const { kept, overLimit } = trim(entries, rules, stages);
    if (overLimit) return;
    const always = rules.stages.filter((s) => s.anyOf.length === 0);
    for (const stage of always.filter((s) => stages === "all" || s.on === stages)) {
      ok(!modelOverLimit(stage, kept), `the limit of ${stage.name} does not hold`);
    }
  });
  return { name: "keeps the limits, or says that it does not", property };
}

function overLimitMeansProtected(trim: TrimFunction): NamedProperty {
  const property = fc.property(conversation, oneStagePolicy, (entries, rules) => {
    const { kept, overLimit } = trim(entries, rules, "all");
    const [stage] = rules.stages;
    if (!overLimit || stage === undefined) return;
    const stays = modelProtected(paired(entries), stage.unit, rules.protections);
    deepStrictEqual(seqsOf(kept), seqsOf(stays));
  });
  return { name: "is over a limit only with everything removable removed", property };
}

function keepsProtected(trim: TrimFunction): NamedProperty {
  const property = fc.property(conversation, policy, stageSet, (entries, rules, stages) => {
    const inside = new Set(seqsOf(trim(entries, rules, stages).kept));
    const stays = modelProtected(paired(entries), "message", rules.protections);
    for (const { seq } of stays) ok(inside.has(seq), `protected message ${seq} is gone`);
  });
  return { name: "keeps what is protected", property };
}

function keepsGroupsWhole(trim: TrimFunction): NamedProperty {
  const property = fc.property(conversation, policy, stageSet, (entries, rules, stages) => {
    assertGroupsWhole(trim(entries, rules, stages).kept, entries);
  });
  return { name: "never splits a call from its results", property };
}

function isPure(trim: TrimFunction): NamedProperty {
  const property = fc.property(conversation, policy, stageSet, (entries, rules, stages) => {
    const copy = structuredClone(entries);
    const first = trim(entries, rules, stages);
    deepStrictEqual(trim(structuredClone(entries), structuredClone(rules), stages), first);
    deepStrictEqual(trim(entries, rules, stages), first);
    deepStrictEqual(entries, copy);
    for (const entry of first.kept) ok(entries.includes(entry), "an entry is not the one given");
  });
  return { name: "gives the same for the same and writes to nothing", property };
}

function isIdempotent(trim: TrimFunction): NamedProperty {
  const twice = (entries: Entries, rules: Policy, stages: StageSet): void => {
    const once = trim(entries, rules, stages);
    // A later stage, or the ceiling, may take apart a unit that an earlier stage kept as a whole,
    // and that stage may then find more to remove. Not so when it only drops and its limits hold.
    const drops = rules.stages.every((stage) => stage.select.kind === "drop-oldest");
    const ceiling = once.trims.some((trimmed) => trimmed.reason === "ceiling");
    const alone = rules.stages.length === 1 && !ceiling;
    if (!alone && !(drops && !once.overLimit)) return;
    const again = trim(once.kept, rules, stages);
    deepStrictEqual(seqsOf(again.kept), seqsOf(once.kept));
    deepStrictEqual(again.trims, []);
  };
  const rules = fc.oneof(dropPolicy, oneStagePolicy);
  return {
    name: "removes nothing more from what it made",
    property: fc.property(conversation, rules, stageSet, twice),
  };
}

function viewChangesNothing(trim: TrimFunction): NamedProperty {
  const property = fc.property(conversation, policy, (entries, rules) => {
    const only = (on: "append" | "read"): Policy => ({
      ...rules,
      stages: rules.stages.filter((stage) => stage.on === on),
    });
    deepStrictEqual(trim(entries, rules, "append"), trim(entries, only("append"), "append"));
    const stored = trim(entries, only("read"), "append");
    deepStrictEqual(stored.trims.map((trimmed) => trimmed.stage).join(""), "");
    const view = trim(stored.kept, rules, "read");
    const same = trim(stored.kept, only("read"), "all");
    deepStrictEqual([view.kept, view.trims], [same.kept, same.trims]);
    deepStrictEqual(trim(stored.kept, only("read"), "append").kept, stored.kept);
  });
  return { name: "takes nothing out of the stored window by a stage on read", property };
}

function totalsAddUp(trim: TrimFunction): NamedProperty {
  const property = fc.property(conversation, policy, stageSet, (entries, rules, stages) => {
    const { kept, trims } = trim(entries, rules, stages);
    let size = sizeOf(entries);
    for (const { removed, before, after } of trims) {
      const gone = sizeOf(removed);
      ok(removed.length > 0, "a trim removed nothing");
      deepStrictEqual(before, size);
      deepStrictEqual(after.messageCount, before.messageCount - gone.messageCount);
      deepStrictEqual(after.tokenCount, before.tokenCount - gone.tokenCount);
      deepStrictEqual(
        seqsOf(removed),
        seqsOf(removed).sort((a, b) => a - b),
      );
      size = after;
    }
    deepStrictEqual(size, sizeOf(kept));
    const all = [...kept, ...trims.flatMap((trimmed) => trimmed.removed)];
    deepStrictEqual(
      seqsOf(all).sort((a, b) => a - b),
      seqsOf(entries),
    );
    deepStrictEqual(
      seqsOf(kept),
      seqsOf(kept).sort((a, b) => a - b),
    );
  });
  return { name: "accounts for every message and token", property };
}

function keepsInvariantsAsItGrows(trim: TrimFunction): NamedProperty {
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 40 });
  const property = fc.property(conversation, policy, sizes, (entries, rules, chunks) => {
    let window: Entries = [];
    let log: Entries = [];
    for (let at = 0, turn = 0; at < entries.length; turn++) {
      const chunk = entries.slice(at, at + (chunks[turn % chunks.length] ?? 1));
      at += chunk.length;
      const grown = [...window, ...chunk];
      const byteCount = grown.reduce((sum, entry) => sum + entry.byteCount, 0);
      const known = { totals: { ...sizeOf(grown), byteCount }, pairedTo: window.length };
      const outcome = trim(grown, rules, "append", known);
      deepStrictEqual(outcome, trim(grown, rules, "append"));
      // An append that would pass the ceiling is refused and leaves nothing behind.
      if (outcome.ceilingPassed !== undefined) continue;
      window = outcome.kept;
      const stays = modelProtected(paired(grown), "message", rules.protections);
      for (const entry of stays) ok(window.includes(entry), `${entry.seq} should have stayed`);
      log = [...log, ...chunk];
      assertGrownWindow(window, log, rules);
    }
  });
  return { name: "keeps its promises over a conversation appended bit by bit", property };
}

function assertGrownWindow(window: Entries, log: Entries, rules: Policy): void {
  const inside = new Set(seqsOf(window));
  for (const entry of window) {
    if (entry.role === ROLE.tool) ok(modelCallOf(window, entry), "a result has no call");
    // With repeated ids a late result may join an older call, so calls are asked, not results.
    if (entry.role !== ROLE.assistant) continue;
    for (const { seq } of modelGroupOf(log, entry)) ok(inside.has(seq), "a call lost a result");
  }
  const { system, lastUser } = rules.protections;
  const mustStay = [
    ...(system === "all" ? log.filter((entry) => entry.role === ROLE.system) : []),
    ...(lastUser ? log.filter((entry) => entry.role === ROLE.user).slice(-1) : []),
  ];
  for (const { seq } of mustStay) ok(inside.has(seq), `protected message ${seq} is gone`);
  for (const id of modelOpenCallIds(window)) {
    ok(
      log.some((entry) => entry.callIds.includes(id)),
      "an open call was never made",
    );
  }
}

/** Makes every property of a trim function. */
export function windowProperties(trim: TrimFunction): readonly NamedProperty[] {
  return [
    equalsModel(trim),
    keepsLimits(trim),
    overLimitMeansProtected(trim),
    keepsProtected(trim),
    keepsGroupsWhole(trim),
    isPure(trim),
    isIdempotent(trim),
    viewChangesNothing(trim),
    totalsAddUp(trim),
    keepsInvariantsAsItGrows(trim),
  ];
}
