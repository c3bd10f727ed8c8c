// Random policies over the whole language, and random occasions and signals, for property tests of
// windows. Only what a request may ask for: the comments of the public messages say which parts of
// a stage go together.

import fc from "fast-check";
import {
  type BoundaryRule,
  DEFAULT_POLICY_PARTS,
  type Policy,
  type PolicyStage,
  type Protections,
  type Selection,
  type StageOn,
  type Trigger,
} from "../../../src/window/policy/policy.ts";
import {
  DEFAULT_SUMMARY_SPEC,
  type SummaryLeave,
} from "../../../src/window/policy/summary-spec.ts";
import type { Signals } from "../../../src/window/rules/types.ts";
import { TOOLS } from "./arbitraries.ts";

const limit = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 20 }) },
  { weight: 1, arbitrary: fc.constant(10_000) },
);
const tokenLimit = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom(1_000, 1_000_000_000) },
);
const ageMs = fc.integer({ min: 1, max: 200 }).map((seconds) => seconds * 500);

const CONDITIONS = [
  "message.role != 'tool'",
  "message.role == 'user' or message.role == 'assistant'",
  "message.tokens < 15",
  "message.content != ''",
  "not message.content.startsWith('no')",
  "has(message.name) or message.tool_call_id == ''",
  "message.tool_calls.all(call, call.name == 'pay')",
  "message.tool_calls[0].name == 'pay'",
  "turn.index > 1",
  "turn.size < 4 and turn.tokens <= 60",
  "message.age_seconds <= 60",
  "true",
  "1 / 0 == 1",
];

const conditions = (minLength: number) =>
  fc.array(fc.constantFrom(...CONDITIONS), { minLength, maxLength: 2 });

const dropOldest: fc.Arbitrary<Selection> = fc
  .record({
    maxMessages: fc.option(limit, { nil: undefined, freq: 2 }),
    maxTokens: fc.option(tokenLimit, { nil: undefined, freq: 2 }),
    maxAgeMs: fc.option(ageMs, { nil: undefined, freq: 2 }),
    stopAtProtected: fc.constantFrom(false, false, true),
    stopAtFree: fc.constantFrom(false, false, true),
  })
  .map(({ maxMessages, maxTokens, maxAgeMs, ...stops }) => ({
    kind: "drop-oldest" as const,
    ...stops,
    ...(maxMessages === undefined ? {} : { maxMessages }),
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
    // At least one limit is required.
    ...(maxTokens === undefined && (maxMessages !== undefined || maxAgeMs !== undefined)
      ? {}
      : { maxTokens: maxTokens ?? 50 }),
  }));

/** Selections by kind. */
const SELECTIONS = {
  "drop-oldest": dropOldest,
  "keep-last": fc.record({
    kind: fc.constant("keep-last" as const),
    unitCount: fc.integer({ min: 0, max: 8 }),
  }),
  "pack-newest": fc.record({
    kind: fc.constant("pack-newest" as const),
    maxTokens: tokenLimit,
    headroom: fc.constantFrom(0, 0, 0.1, 0.25),
    skipUnfit: fc.boolean(),
  }),
  "pin-middle-recent": fc.record({
    kind: fc.constant("pin-middle-recent" as const),
    pinFirst: fc.integer({ min: 0, max: 5 }),
    keepRecent: fc.integer({ min: 1, max: 8 }),
    minRemoved: fc.constantFrom(1, 1, 2, 6),
  }),
  filter: fc.record({
    kind: fc.constant("filter" as const),
    conditions: conditions(1),
    scope: fc.constantFrom("unit" as const, "message" as const),
  }),
  shorten: fc
    .record({
      kind: fc.constant("shorten" as const),
      maxTokens: fc.constantFrom(16, 16, 40, 1_000),
      allRoles: fc.boolean(),
      keepNewest: fc.integer({ min: 0, max: 5 }),
    })
    .chain((select) =>
      fc.constantFrom(
        select,
        select,
        { ...select, head: { chars: 64, marker: " [...]" } },
        { ...select, minSavedTokens: 60 },
      ),
    ),
  "drop-duplicates": fc.record({
    kind: fc.constant("drop-duplicates" as const),
    similarity: fc.constantFrom(0.5, 0.9, 1),
    lookahead: fc.constantFrom(1, 3, 50),
  }),
  "boundary-only": fc.constant({ kind: "boundary-only" as const }),
} satisfies { readonly [kind in Selection["kind"]]: fc.Arbitrary<Selection> };

const names = fc.subarray(["other", ...TOOLS], { minLength: 1 });

const triggers = {
  size: fc.oneof<fc.Arbitrary<Trigger>[]>(
    limit.map((count) => ({ kind: "message-count-over", limit: count })),
    tokenLimit.map((count) => ({ kind: "token-count-over", limit: count })),
    fc.constantFrom(0.1, 0.5, 0.75, 1).map((share) => ({ kind: "context-share-at-least", share })),
    tokenLimit.map((count) => ({ kind: "model-input-tokens-over", limit: count })),
    fc.integer({ min: 0, max: 5 }).map((count) => ({ kind: "turn-count-over", limit: count })),
    tokenLimit.map((count) => ({ kind: "turn-tokens-over", limit: count })),
    ageMs.map((ms) => ({ kind: "age-over", ms })),
    fc.constant({ kind: "always" }),
  ),
  fresh: fc.oneof<fc.Arbitrary<Trigger>[]>(
    fc
      .integer({ min: 1, max: 12 })
      .map((count) => ({ kind: "new-messages-at-least", limit: count })),
    fc.integer({ min: 1, max: 99 }).map((count) => ({ kind: "new-tokens-at-least", limit: count })),
  ),
  tools: fc
    .tuple(fc.constantFrom("tool-success" as const, "tool-error" as const), names)
    .map(([kind, tools]): Trigger => ({ kind, names: tools })),
};

function triggersOf(on: StageOn, effect: PolicyStage["effect"]): fc.Arbitrary<readonly Trigger[]> {
  const allowed: fc.Arbitrary<Trigger>[] = [triggers.size];
  if (effect === "store" && on !== "request") allowed.push(triggers.fresh);
  if (on === "append" || on === "turn-end") allowed.push(triggers.tools);
  const some = fc.array(fc.oneof(...allowed), { minLength: 1, maxLength: 2 });
  return fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: some });
}

function boundaryOf(kind: Selection["kind"]): fc.Arbitrary<PolicyStage["boundary"]> {
  const head = fc.record({
    rule: fc.constantFrom<BoundaryRule[]>("pop-tool-head", "pop-orphan-head"),
    always: fc.boolean(),
  });
  const fixed = (rule: BoundaryRule) => fc.constant({ rule, always: false });
  if (kind === "shorten") return fc.constant(undefined);
  if (kind === "boundary-only") return head;
  const rules = [fc.constant(undefined), fc.constant(undefined), head, head, fixed("grow-recent")];
  if (kind === "pin-middle-recent") rules.push(fixed("absorb-and-grow"));
  return fc.oneof(...rules);
}

type StagePlan = Pick<PolicyStage, "on" | "effect" | "select">;

function stageOf({ on, effect, select }: StagePlan): fc.Arbitrary<Omit<PolicyStage, "name">> {
  const noSummary = ["drop-duplicates", "boundary-only", "shorten"].includes(select.kind);
  const ends = noSummary ? (["discard"] as const) : (["discard", "summarize", "promote"] as const);
  const parts = fc.record({
    on: fc.constant(on),
    effect: fc.constant(effect),
    select: fc.constant(select),
    anyOf: triggersOf(on, effect),
    unit: fc.constantFrom<PolicyStage["unit"][]>("message", "assistant-turn", "turn"),
    countIf: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, conditions(1)),
    boundary: boundaryOf(select.kind),
    removedTo:
      effect === "view" ? fc.constant("log" as const) : fc.constantFrom("log", "log", ...ends),
  });
  return fc
    .tuple(
      parts,
      fc.constantFrom<SummaryLeave[]>("with-summary", "with-summary", "at-once"),
      fc.constantFrom(0, 0, 0, 0, 1, 2),
      fc.constantFrom(false, false, true),
    )
    .map(([stage, leave, keepAssistantTurns, countWhole]) => ({
      ...stage,
      ...(keepAssistantTurns === 0 ? {} : { keepAssistantTurns }),
      ...(countWhole ? { countWhole } : {}),
      summarize: stage.removedTo === "summarize" ? { ...DEFAULT_SUMMARY_SPEC, leave } : undefined,
    }));
}

const whenOf = (kind: Selection["kind"]): fc.Arbitrary<Pick<PolicyStage, "on" | "effect">> =>
  kind === "shorten"
    ? fc.record({
        on: fc.constantFrom<StageOn[]>("append", "append", "read"),
        effect: fc.constant("view" as const),
      })
    : fc.constantFrom(
        { on: "append", effect: "store" } as const,
        { on: "append", effect: "store" } as const,
        { on: "append", effect: "store" } as const,
        { on: "read", effect: "view" } as const,
        { on: "read", effect: "store" } as const,
        { on: "turn-end", effect: "store" } as const,
        { on: "request", effect: "store" } as const,
      );

type Kind = Selection["kind"];

const stageAmong = (kinds: readonly Kind[]): fc.Arbitrary<Omit<PolicyStage, "name">> =>
  fc
    .constantFrom(...kinds)
    .chain((kind) => fc.tuple(whenOf(kind), SELECTIONS[kind]))
    .chain(([when, select]) => stageOf({ ...when, select }));

const protections: fc.Arbitrary<Protections> = fc.record({
  system: fc.constantFrom("none", "all", "leading", "excluded"),
  pinFirst: fc.constantFrom(0, 0, 0, 1, 2, 5),
  pinIds: fc.oneof(fc.constant([]), fc.subarray(["m1", "m4", "m9", "nobody"])),
  minMessages: fc.constantFrom(0, 1, 1, 2, 5, 40),
  lastUser: fc.boolean(),
});

/** A policy of stages of these kinds, at most so many. */
export function policyOfKinds(kinds: readonly Kind[], maxStages: number): fc.Arbitrary<Policy> {
  return fc
    .record({
      // The more stages, the rarer is a policy without any.
      stages: fc.array(stageAmong(kinds), {
        minLength: Math.min(1, maxStages - 1),
        maxLength: maxStages,
        size: "max",
      }),
      protections,
      toolPairing: fc.constantFrom("whole", "whole", "grouped", "loose", "adjacent"),
      contextWindow: fc.constantFrom(50, 100, 400),
    })
    .map((parts) => ({
      ...DEFAULT_POLICY_PARTS,
      tokenRule: "given" as const,
      ...parts,
      stages: parts.stages.map((stage, index) => ({ ...stage, name: `s${index}` })),
    }));
}

/** The kinds of selections. */
export const KINDS = Object.keys(SELECTIONS) as readonly Kind[];

/** Any policy. */
export const policy: fc.Arbitrary<Policy> = policyOfKinds(KINDS, 4);

/** A policy of at most one stage. */
export const oneStagePolicy: fc.Arbitrary<Policy> = policyOfKinds(KINDS, 1);

/** When a policy is applied: by a change, a read, or a look at both. */
export interface Occasion {
  readonly occasions: ReadonlySet<StageOn> | "all";
  /** As for changes: the ceiling holds, and nothing is viewed. */
  readonly ceiling: boolean;
}

const occasionOf = (ceiling: boolean, ...on: readonly StageOn[]): Occasion => ({
  occasions: new Set(on),
  ceiling,
});

/** The occasions that the service knows. */
export const occasion: fc.Arbitrary<Occasion> = fc.constantFrom<Occasion[]>(
  occasionOf(true, "append"),
  occasionOf(true, "append"),
  occasionOf(true, "append", "turn-end"),
  occasionOf(true, "request"),
  occasionOf(true, "read"),
  occasionOf(false, "read"),
  occasionOf(false, "append", "read"),
  occasionOf(false, "append", "read", "turn-end"),
  { occasions: "all", ceiling: false },
  { occasions: "all", ceiling: false },
  { occasions: "all", ceiling: true },
);

/** Input of a policy beside the window. */
export const signals: fc.Arbitrary<Signals> = fc
  .record({
    modelInputTokens: fc.constantFrom(0, 50, 150, 2_000),
    outcomes: fc.array(fc.record({ tool: fc.constantFrom(...TOOLS), error: fc.boolean() }), {
      maxLength: 3,
    }),
    lastSeq: fc.constantFrom(40, 60),
    acted: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
  })
  .map(({ acted, ...rest }) => ({
    ...rest,
    actedSeqs: new Map(acted.map((seq, index) => [`s${index}`, seq])),
  }));
