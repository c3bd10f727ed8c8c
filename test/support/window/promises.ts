// More properties of windows: what changes, reads and previews promise each other, and what holds
// over a conversation that grows. See window-properties.ts.

import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Policy, StageOn } from "../../../src/window/policy/policy.ts";
import type { TrimRequest } from "../../../src/window/rules/trim.ts";
import { ROLE, type Totals, type TrimOutcome } from "../../../src/window/rules/types.ts";
import { conversation, detailOfEntry, type TestEntry } from "./arbitraries.ts";
import { modelCallBefore, modelCallsOf, modelProtected } from "./model-units.ts";
import {
  entered,
  type NamedProperty,
  request,
  requestFor,
  ruleProperties,
  seqsOf,
  type TrimFunction,
} from "./properties.ts";
import { policy, policyOfKinds, signals } from "./random-policies.ts";

type Entries = readonly TestEntry[];
type Request = TrimRequest<TestEntry>;
type Outcome = TrimOutcome<TestEntry>;

const isViewOnly = ({ effect, select }: Policy["stages"][number]): boolean =>
  effect === "view" && select.kind !== "shorten";

const withStages = (asked: Request, stages: Policy["stages"]): Request => ({
  ...asked,
  policy: { ...asked.policy, stages },
});

/** The trims of stages, without the ceiling. */
const trimsOfStages = (trims: Outcome["trims"]) =>
  trims
    .filter(({ reason }) => reason !== "ceiling")
    .map(({ stage, reason, removed, discarded }) => [stage, reason, seqsOf(removed), discarded]);

function previewTellsChange(trim: TrimFunction): NamedProperty {
  const occasions = fc.constantFrom(
    new Set<StageOn>(["append"]),
    new Set<StageOn>(["append", "turn-end"]),
    new Set<StageOn>(["request"]),
  );
  const property = fc.property(request, occasions, (asked, on) => {
    const change = trim({ ...asked, occasions: on, ceiling: true });
    if (change.trims.some(({ reason }) => reason === "ceiling")) return;
    const preview = trim({ ...asked, occasions: on, ceiling: false });
    deepStrictEqual(seqsOf(preview.kept), seqsOf(change.stored));
    deepStrictEqual(trimsOfStages(preview.trims), trimsOfStages(change.storedTrims));
    const shortening = asked.policy.stages.filter(({ select }) => select.kind === "shorten");
    const told = preview.runs.filter(({ stage }) => !shortening.some(({ name }) => name === stage));
    deepStrictEqual(told, change.runs);
    deepStrictEqual([preview.warnings, preview.overLimit], [change.warnings, change.overLimit]);
    deepStrictEqual(preview.shortened, change.shortened);
  });
  return { name: "previews what a change then stores", property };
}

function viewChangesNothing(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const storing = withStages(
      asked,
      asked.policy.stages.filter((stage) => !isViewOnly(stage)),
    );
    const change = { occasions: new Set(["append", "read"] as const), ceiling: true };
    deepStrictEqual(trim({ ...asked, ...change }), trim({ ...storing, ...change }));
    const viewing = withStages(
      asked,
      asked.policy.stages.filter((stage) => stage.effect === "view"),
    );
    const view = trim({ ...viewing, occasions: "all", ceiling: false });
    deepStrictEqual(view.storedTrims, []);
    deepStrictEqual(view.stored, asked.entries);
    const stores = new Set(
      asked.policy.stages.filter((s) => s.effect === "store").map((s) => s.name),
    );
    for (const { stage } of trim({ ...asked, ceiling: false }).storedTrims) {
      ok(stores.has(stage), `${stage} took something out of the stored window`);
    }
  });
  return { name: "takes nothing out of the stored window for a view", property };
}

function sizeOf(entries: Entries, costs: ReadonlyMap<number, number>): Totals {
  const cost = (entry: TestEntry): number => costs.get(entry.seq) ?? entry.tokenCount;
  const tokenCount = entries.reduce((sum, entry) => sum + cost(entry), 0);
  return { messageCount: entries.length, tokenCount };
}

function changesOnlyWhatItSays(trim: TrimFunction): NamedProperty {
  const rules = fc.oneof(policy, policyOfKinds(["shorten", "drop-oldest"], 3));
  const property = fc.property(requestFor(rules), (asked) => {
    const { kept, shortened, totals, stored } = trim(asked);
    for (const entry of [...kept, ...stored]) {
      ok(asked.entries.includes(entry), "an entry is not the one that was given");
    }
    for (const { entry, tokenCount, stage, marker } of shortened) {
      ok(tokenCount < entry.tokenCount, "a shortened message does not cost less");
      ok(tokenCount >= 0, "a shortened message costs less than nothing");
      const select = asked.policy.stages.find(({ name }) => name === stage)?.select;
      deepStrictEqual(select?.kind === "shorten" && select.head?.marker, marker);
    }
    deepStrictEqual(
      seqsOf(shortened.map(({ entry }) => entry)),
      seqsOf(kept).filter((seq) => shortened.some(({ entry }) => entry.seq === seq)),
    );
    const costs = new Map(shortened.map(({ entry, tokenCount }) => [entry.seq, tokenCount]));
    const byteCount = kept.reduce((sum, entry) => sum + entry.byteCount, 0);
    deepStrictEqual(totals, { ...sizeOf(kept, costs), byteCount });
  });
  return { name: "changes nothing but what it says was shortened", property };
}

function addsUp(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const { stored, storedTrims, trims, shortened, totals } = trim(asked);
    let size = sizeOf(asked.entries, new Map());
    for (const { removed, before, after } of storedTrims) {
      deepStrictEqual(before, size);
      const gone = removed.reduce((sum, entry) => sum + entry.tokenCount, 0);
      size = {
        messageCount: size.messageCount - removed.length,
        tokenCount: size.tokenCount - gone,
      };
      deepStrictEqual(after, size);
    }
    deepStrictEqual(size, sizeOf(stored, new Map()));
    let left = asked.entries.length;
    for (const { removed, before, after } of trims) {
      deepStrictEqual([before.messageCount, after.messageCount], [left, left - removed.length]);
      ok(after.tokenCount <= before.tokenCount, "a trim made the window cost more");
      left = after.messageCount;
    }
    const last = trims.at(-1)?.after;
    if (last !== undefined && shortened.length === 0) {
      deepStrictEqual(last.tokenCount, totals.tokenCount);
    }
  });
  return { name: "gives sizes that add up", property };
}

/** Triggers that look at sizes and hold for no empty window. */
const SIZE_KINDS: ReadonlySet<string> = new Set([
  "message-count-over",
  "token-count-over",
  "turn-count-over",
  "turn-tokens-over",
  "new-messages-at-least",
  "new-tokens-at-least",
  "context-share-at-least",
  "age-over",
]);

function countsWhatMeets(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const withConditions = (countIf: readonly string[]): Outcome => {
      const stages = asked.policy.stages.map((stage) => ({
        ...stage,
        countIf,
        anyOf: stage.anyOf.filter(({ kind }) => SIZE_KINDS.has(kind)),
      }));
      const acting = stages.filter(({ anyOf }) => anyOf.length > 0);
      return trim({ ...withStages(asked, acting), ceiling: false });
    };
    const none = withConditions(["message.role == 'nobody'"]);
    deepStrictEqual(none.runs, []);
    deepStrictEqual(
      none.trims.map(({ stage }) => stage).join(""),
      "",
      "a stage acted on what does not count",
    );
    const freshly = asked.policy.stages.some(({ anyOf }) =>
      anyOf.some(({ kind }) => kind === "new-messages-at-least"),
    );
    // Without conditions new messages count as well that left the window already.
    if (!freshly) deepStrictEqual(withConditions(["true"]), withConditions([]));
  });
  return { name: "counts what meets the conditions and nothing else", property };
}

function doesNotSeeExcluded(trim: TrimFunction): NamedProperty {
  const property = fc.property(request, (asked) => {
    const { protections, toolPairing } = asked.policy;
    const isBare =
      toolPairing === "adjacent" || asked.entries.some((e) => e.isResult && e.answers.length === 0);
    // Ages are told from the newest message, and results without an id, or all of them when pairs
    // are adjacent, by what stands between.
    if (isBare || /age/i.test(JSON.stringify(asked.policy.stages).replace(/message/g, ""))) return;
    const excluded = {
      ...asked.policy,
      protections: { ...protections, system: "excluded" },
    } as const;
    const blind = { ...asked, policy: excluded, ceiling: false };
    const isSystem = ({ role }: TestEntry): boolean => role === ROLE.system;
    const others = asked.entries.filter((e) => !isSystem(e));
    const { kept, runs } = trim(blind);
    const without = trim({ ...blind, entries: others });
    deepStrictEqual(kept.filter(isSystem), asked.entries.filter(isSystem));
    deepStrictEqual(
      kept.filter((e) => !isSystem(e)),
      without.kept,
    );
    deepStrictEqual(runs, without.runs);
  });
  return { name: "does not see system messages that are excluded", property };
}

function keepsPromisesAsItGrows(trim: TrimFunction): NamedProperty {
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 40 });
  const property = fc.property(conversation, policy, signals, sizes, (all, rules, told, chunks) => {
    const append = { occasions: new Set(["append"] as const), ceiling: true };
    const given = { ...append, policy: rules, signals: told, detailOf: detailOfEntry };
    let window: Entries = [];
    let log: Entries = [];
    for (let at = 0, turn = 0; at < all.length; turn++) {
      const chunk = all.slice(at, at + (chunks[turn % chunks.length] ?? 1));
      at += chunk.length;
      const grown = [...window, ...chunk];
      const asked: Request = { ...given, entries: grown };
      const byteCount = grown.reduce((sum, entry) => sum + entry.byteCount, 0);
      const known = { totals: { ...sizeOf(grown, new Map()), byteCount }, pairedTo: window.length };
      const outcome = trim({ ...asked, known });
      deepStrictEqual(outcome, trim(asked));
      // An append that would pass the ceiling is refused and leaves nothing behind.
      if (outcome.ceilingPassed !== undefined) continue;
      window = outcome.stored;
      const stays = modelProtected(entered(asked), { unit: "message" }, rules);
      for (const entry of stays) ok(window.includes(entry), `${entry.seq} should have stayed`);
      log = [...log, ...chunk];
      assertGrownWindow(window, log, rules);
    }
  });
  return { name: "keeps its promises over a conversation appended bit by bit", property };
}

function assertGrownWindow(window: Entries, log: Entries, rules: Policy): void {
  const inside = new Set(seqsOf(window));
  const { system, lastUser } = rules.protections;
  const users = log.filter((entry) => entry.role === ROLE.user && !entry.isResult);
  const mustStay = [
    ...(system === "all" || system === "excluded"
      ? log.filter((entry) => entry.role === ROLE.system)
      : []),
    ...(lastUser ? users.slice(-1) : []),
  ];
  for (const { seq } of mustStay) ok(inside.has(seq), `protected message ${seq} is gone`);
  if (rules.toolPairing === "loose") return;
  const callsOf = rules.toolPairing === "adjacent" ? modelCallBefore : modelCallsOf;
  for (const entry of log) {
    // With repeated ids a late result may join an older call, so only direct answers are asked for.
    const calls = callsOf(log, entry).filter(({ seq }) => inside.has(seq));
    if (calls.length > 0) ok(inside.has(entry.seq), `a call lost its result ${entry.seq}`);
  }
}

/** Makes every property of a trim function. */
export function windowProperties(trim: TrimFunction): readonly NamedProperty[] {
  return [
    ...ruleProperties(trim),
    previewTellsChange(trim),
    viewChangesNothing(trim),
    changesOnlyWhatItSays(trim),
    addsUp(trim),
    countsWhatMeets(trim),
    doesNotSeeExcluded(trim),
    keepsPromisesAsItGrows(trim),
  ];
}
