// Random policies that the contract allows, in the form of the domain.

import fc from "fast-check";
import {
  DEFAULT_POLICY_PARTS,
  type Policy,
  type PolicyStage,
  type Protections,
  type Selection,
  type StageOn,
  type Trigger,
  type WindowUnit,
} from "../../../src/window/policy/policy.ts";
import type { SummarySpec, SummaryView } from "../../../src/window/policy/summary-spec.ts";

const MESSAGES = { min: 0, max: 10_000 };
const TOKENS = { min: 0, max: 1_000_000_000 };
const ageMs = fc.integer({ min: 1, max: 315_576_000_000 });
const condition = fc.constantFrom(
  "message.role != 'tool'",
  "message.tokens < 100",
  "turn.size > 1 || message.name == 'x'",
);
const conditions = fc.array(condition, { minLength: 1, maxLength: 3 });
const tools = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 });

const trigger: fc.Arbitrary<Trigger> = fc.oneof(
  fc.record({ kind: fc.constant("message-count-over"), limit: fc.integer(MESSAGES) } as const),
  fc.record({ kind: fc.constant("token-count-over"), limit: fc.integer(TOKENS) } as const),
  fc.record({
    kind: fc.constant("context-share-at-least"),
    share: fc.double({ min: 0.01, max: 1, noNaN: true }),
  } as const),
  fc.record({ kind: fc.constant("model-input-tokens-over"), limit: fc.integer(TOKENS) } as const),
  fc.record({ kind: fc.constant("turn-count-over"), limit: fc.integer(MESSAGES) } as const),
  fc.record({ kind: fc.constant("turn-tokens-over"), limit: fc.integer(TOKENS) } as const),
  fc.record({ kind: fc.constant("age-over"), ms: ageMs } as const),
  fc.constant({ kind: "always" } as const),
);

/** Triggers that only some stages may have. */
const memory: fc.Arbitrary<Trigger> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("new-messages-at-least", "new-tokens-at-least"),
    limit: fc.integer({ min: 1, max: 10_000 }),
  } as const),
);
const outcome: fc.Arbitrary<Trigger> = fc.record({
  kind: fc.constantFrom("tool-success", "tool-error"),
  names: tools,
} as const);

const dropOldest: fc.Arbitrary<Selection> = fc
  .record(
    {
      kind: fc.constant("drop-oldest" as const),
      maxMessages: fc.integer(MESSAGES),
      maxTokens: fc.integer(TOKENS),
      maxAgeMs: ageMs,
      stopAtProtected: fc.boolean(),
      stopAtFree: fc.boolean(),
    },
    { requiredKeys: ["kind", "maxMessages", "stopAtProtected", "stopAtFree"] },
  )
  .map((select): Selection => select as Selection);

const selection: fc.Arbitrary<Selection> = fc.oneof(
  dropOldest,
  fc.record({ kind: fc.constant("keep-last"), unitCount: fc.integer(MESSAGES) } as const),
  fc.record({
    kind: fc.constant("pack-newest"),
    maxTokens: fc.integer(TOKENS),
    headroom: fc.double({ min: 0, max: 0.99, noNaN: true }),
    skipUnfit: fc.boolean(),
  } as const),
  fc.record({
    kind: fc.constant("pin-middle-recent"),
    pinFirst: fc.integer(MESSAGES),
    keepRecent: fc.integer({ ...MESSAGES, min: 1 }),
    minRemoved: fc.integer({ ...MESSAGES, min: 1 }),
  } as const),
  fc.record({
    kind: fc.constant("filter"),
    conditions,
    scope: fc.constantFrom("unit", "message"),
  } as const),
  fc.record({
    kind: fc.constant("shorten"),
    maxTokens: fc.integer({ min: 16, max: 1_000_000 }),
    allRoles: fc.boolean(),
    keepNewest: fc.integer(MESSAGES),
  } as const),
  fc.record({
    kind: fc.constant("shorten"),
    maxTokens: fc.integer({ min: 16, max: 1_000_000 }),
    allRoles: fc.boolean(),
    keepNewest: fc.integer(MESSAGES),
    head: fc.record({
      chars: fc.integer({ min: 64, max: 4_000_000 }),
      marker: fc.string({ maxLength: 10 }),
    }),
    minSavedTokens: fc.integer({ ...TOKENS, min: 1 }),
  } as const),
  fc.record({
    kind: fc.constant("drop-duplicates"),
    similarity: fc.double({ min: 0.5, max: 1, noNaN: true }),
    lookahead: fc.integer({ min: 1, max: 200 }),
  } as const),
  fc.constant({ kind: "boundary-only" } as const),
);

/** Summary options, in every combination that is allowed. */
const summarySpec: fc.Arbitrary<SummarySpec> = fc
  .record({
    hook: fc.constantFrom("", "manual", "builtin", "my-hook_2"),
    maxTokens: fc.integer({ min: 16, max: 16_384 }),
    instructions: fc.string({ maxLength: 20 }),
    keep: fc.constantFrom("in-place", "append", "replace", "hierarchical"),
    flow: fc.constantFrom("single", "density"),
    maxLoops: fc.integer({ min: 1, max: 10 }),
    leave: fc.constantFrom("with-summary", "at-once"),
    onFailure: fc.constantFrom("keep", "drop", "placeholder"),
    placeholder: fc.string({ minLength: 1, maxLength: 20 }),
    separator: fc.string({ maxLength: 10 }),
    lastChars: fc.integer({ min: 100, max: 16_000 }),
    prefix: fc.string({ maxLength: 20 }),
    transcript: fc.constantFrom("roles", "capitals", "paragraphs"),
    fanIn: fc.integer({ min: 2, max: 16 }),
    shape: fc.constantFrom("system", "exchange"),
    collectionId: fc.constantFrom("", "notes", "A.b-9"),
  } as const)
  .filter(
    ({ keep, leave, onFailure }) =>
      leave === "with-summary" ||
      ((keep === "append" || keep === "replace") && onFailure !== "keep"),
  );

const summaryView: fc.Arbitrary<SummaryView> = fc.record({
  show: fc.constantFrom("system-first", "system-suffix", "none"),
  prefix: fc.string({ maxLength: 20 }),
} as const);

const headRule = fc.record({
  rule: fc.constantFrom("pop-tool-head" as const, "pop-orphan-head" as const),
  always: fc.boolean(),
});

function boundaryFor(kind: Selection["kind"]): fc.Arbitrary<PolicyStage["boundary"]> {
  if (kind === "boundary-only") return headRule;
  if (kind === "shorten") return fc.constant(undefined);
  const grow = fc.constant({ rule: "grow-recent", always: false } as const);
  const absorb = fc.constant({ rule: "absorb-and-grow", always: false } as const);
  const none = fc.constant(undefined);
  return kind === "pin-middle-recent"
    ? fc.oneof(none, headRule, grow, absorb)
    : fc.oneof(none, headRule, grow);
}

function removedFor(kind: Selection["kind"]): fc.Arbitrary<PolicyStage["removedTo"]> {
  return kind === "drop-duplicates" || kind === "boundary-only"
    ? fc.constantFrom("log", "discard")
    : fc.constantFrom("log", "discard", "summarize");
}

function triggersFor(on: StageOn, effect: PolicyStage["effect"]): fc.Arbitrary<Trigger> {
  const kinds = [trigger];
  if (effect === "store" && on !== "request") kinds.push(memory);
  if (on === "append" || on === "turn-end") kinds.push(outcome);
  return fc.oneof(...kinds);
}

function stageArbitrary(name: string): fc.Arbitrary<PolicyStage> {
  return selection.chain((select) => {
    const isShorten = select.kind === "shorten";
    const ons: readonly StageOn[] = isShorten
      ? ["append", "read"]
      : ["append", "read", "turn-end", "request"];
    return fc
      .record({ on: fc.constantFrom(...ons), readsStore: fc.boolean() })
      .chain(({ on, readsStore }) => {
        const effect = isShorten || (on === "read" && !readsStore) ? "view" : "store";
        const removedTo = effect === "view" ? fc.constant("log" as const) : removedFor(select.kind);
        const stage = fc.record({
          name: fc.constant(name),
          on: fc.constant(on),
          anyOf: fc.array(triggersFor(on, effect), { maxLength: 3 }),
          unit: fc.constantFrom<WindowUnit[]>("message", "assistant-turn", "turn"),
          select: fc.constant(select),
          countIf: fc.array(condition, { maxLength: 2 }),
          boundary: boundaryFor(select.kind),
          effect: fc.constant(effect),
          removedTo,
          summarize: summarySpec,
          keepAssistantTurns: fc.constantFrom(0, 0, 1, 10_000),
          countWhole: fc.boolean(),
        });
        return stage.map((made): PolicyStage => {
          const { summarize, keepAssistantTurns, countWhole, ...plain } = made;
          return {
            ...plain,
            summarize: made.removedTo === "summarize" ? summarize : undefined,
            ...(keepAssistantTurns === 0 ? {} : { keepAssistantTurns }),
            ...(countWhole ? { countWhole } : {}),
          };
        });
      });
  });
}

const protections: fc.Arbitrary<Protections> = fc.record({
  system: fc.constantFrom("none", "all", "leading", "excluded"),
  pinFirst: fc.integer(MESSAGES),
  pinIds: fc.array(fc.uuid(), { maxLength: 3 }),
  minMessages: fc.integer(MESSAGES),
  lastUser: fc.boolean(),
} as const);

const customRule = fc.record({
  charsPerToken: fc.double({ min: 0.25, max: 100, noNaN: true }),
  rounding: fc.constantFrom("up", "down"),
  perMessage: fc.nat(1_000_000),
  perCall: fc.nat(1_000_000),
  min: fc.nat(1_000_000),
  contentOnly: fc.boolean(),
} as const);

/** Any policy that a request may hold. */
export const policyArbitrary: fc.Arbitrary<Policy> = fc
  .record({
    name: fc.string({ maxLength: 20 }),
    tokenRule: fc.constantFrom("bytes-div-4", "given", "model", "chars-sum-4", "words"),
    customTokenRule: fc.option(customRule, { nil: undefined }),
    imageTokenCount: fc.nat(1_000_000),
    model: fc.string({ maxLength: 20 }),
    contextWindow: fc.integer({ ...TOKENS, min: 1 }),
    protections,
    toolPairing: fc.constantFrom("whole", "grouped", "loose", "adjacent"),
    toolResultFill: fc.option(
      fc.record({
        rule: fc.constantFrom("moved-on", "always"),
        newestOnly: fc.boolean(),
        text: fc.string({ maxLength: 20 }),
      } as const),
      { nil: undefined },
    ),
    summaryView,
    stageCount: fc.nat(4),
  } as const)
  .chain(({ stageCount, ...parts }) => {
    const names = Array.from({ length: stageCount }, (_, index) => `stage-${index}`);
    return fc.tuple(...names.map(stageArbitrary)).map(
      (stages): Policy => ({
        ...DEFAULT_POLICY_PARTS,
        ...parts,
        tokenRule: parts.customTokenRule === undefined ? parts.tokenRule : "custom",
        stages,
      }),
    );
  });
