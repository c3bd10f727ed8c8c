// Fields of a policy that another field leaves without effect. A caller who sets one
// believes in an effect that it does not have, so a request with one is refused. A default is not
// held against a caller: answers write every default out, and what they hold may be sent again.

import { publicName } from "../../kit/text.ts";
import { modelContextWindow } from "./models.ts";
import {
  DEFAULT_IMAGE_TOKEN_COUNT,
  type Policy,
  type PolicyStage,
  type TriggerKind,
} from "./policy.ts";
import {
  BUILTIN_HOOK,
  DEFAULT_SUMMARY_SPEC,
  DEFAULT_SUMMARY_VIEW,
  isPlaced,
  MANUAL_HOOK,
  type SummarySpec,
} from "./summary-spec.ts";

/** A field that has no effect, by its public name, and what to do about it. */
export interface IdleFault {
  readonly field: string;
  readonly description: string;
}

/** Options of summaries that have no effect with a manual hook, except when messages leave. */
const OF_SUMMARIES = [
  ...(["maxTokens", "instructions", "flow", "maxLoops", "onFailure", "placeholder"] as const),
  ...(["separator", "lastChars", "lastCharsExact", "prefix", "transcript", "fanIn"] as const),
  ...(["shape", "collectionId"] as const),
] satisfies readonly (keyof SummarySpec)[];

interface SpecRule {
  readonly fields: readonly (keyof SummarySpec)[];
  readonly isIdle: (spec: SummarySpec) => boolean;
  readonly description: string;
}

/** In an order in which no rule makes a field idle that an earlier one looks at. */
const SPEC_RULES: readonly SpecRule[] = [
  {
    fields: OF_SUMMARIES,
    isIdle: ({ hook }) => hook === MANUAL_HOOK,
    description: "has no effect with the hook manual, which makes no summary: leave it out",
  },
  {
    fields: ["instructions", "transcript", "flow"],
    isIdle: ({ hook }) => hook === BUILTIN_HOOK,
    description:
      "has no effect with the hook builtin, which picks sentences by rules: leave it out, or " +
      "name a hook with a model",
  },
  {
    fields: ["maxLoops"],
    isIdle: ({ flow }) => flow !== "density",
    description: "has no effect without SUMMARY_FLOW_DENSITY: leave it out, or set flow",
  },
  {
    fields: ["placeholder"],
    isIdle: ({ onFailure }) => onFailure !== "placeholder",
    description:
      "has no effect without SUMMARY_FAILURE_PLACEHOLDER: leave it out, or set on_failure",
  },
  {
    fields: ["separator", "lastChars", "lastCharsExact"],
    isIdle: ({ keep }) => keep !== "append",
    description: "has no effect without SUMMARY_KEEP_APPEND: leave it out, or set keep",
  },
  {
    fields: ["prefix", "shape", "fanIn"],
    isIdle: (spec) => !isPlaced(spec),
    description:
      "has no effect without SUMMARY_KEEP_IN_PLACE or SUMMARY_KEEP_HIERARCHICAL: leave it out, " +
      "or set keep",
  },
];

/** The value of a field that nobody set. */
function initialOf(field: keyof SummarySpec, { leave }: SummarySpec): unknown {
  if (field === "onFailure" && leave === "at-once") return "drop";
  return field === "lastCharsExact" ? undefined : DEFAULT_SUMMARY_SPEC[field];
}

/** Names what has no effect in how messages are summarized. */
export function idleInSummary(spec: SummarySpec): readonly IdleFault[] {
  const faults = new Map<string, IdleFault>();
  for (const { fields, isIdle, description } of SPEC_RULES) {
    if (!isIdle(spec)) continue;
    for (const key of fields) {
      const field = publicName(key);
      if (spec[key] === initialOf(key, spec) || faults.has(field)) continue;
      faults.set(field, { field, description });
    }
  }
  return [...faults.values()];
}

/** Gives how messages are summarized with the default of every field that has no effect. */
export function withoutIdle(spec: SummarySpec): SummarySpec {
  let left = spec;
  for (const { fields, isIdle } of SPEC_RULES) {
    if (!isIdle(left)) continue;
    const initial = fields.map((key) => [key, initialOf(key, spec)]);
    left = { ...left, ...Object.fromEntries(initial) };
  }
  return left;
}

/** Names what has no effect in a sound policy. */
export function idleFaults(policy: Policy): readonly IdleFault[] {
  const { stages } = policy;
  const ofStages = stages.flatMap((stage, index) =>
    [...idleInStage(policy, stage, stages.slice(0, index))].map(({ field, description }) => ({
      ...{ field: `stages[${index}].${field}`, description },
    })),
  );
  return [...idleInWhole(policy), ...ofStages];
}

function* idleInWhole(policy: Policy): Generator<IdleFault> {
  const { tokenRule, model, contextWindow, summaryView, stages } = policy;
  const hasShare = stages.some(({ anyOf }) =>
    anyOf.some(({ kind }) => kind === "context-share-at-least"),
  );
  if (!hasShare && tokenRule !== "model" && model !== "") {
    yield idle(
      "model",
      "without TOKEN_RULE_MODEL and context_share_at_least: leave it out, or set token_rule",
    );
  }
  if (!hasShare && contextWindow !== modelContextWindow(model)) {
    yield idle(
      "context_window",
      "without a trigger context_share_at_least: leave it out, or set one",
    );
  }
  const looksAtParts = ({ select, summarize }: PolicyStage): boolean =>
    select.kind === "shorten" || summarize !== undefined;
  if (tokenRule === "given" && !stages.some(looksAtParts)) {
    if (policy.imageTokenCount !== DEFAULT_IMAGE_TOKEN_COUNT) {
      yield idle("image_token_count", "with TOKEN_RULE_GIVEN: leave it out, or set token_rule");
    }
  }
  if (summaryView.show !== "none") return;
  const unseen = "with SUMMARY_SHOW_NONE: leave it out, or set show";
  if (summaryView.prefix !== DEFAULT_SUMMARY_VIEW.prefix) yield idle("summary_view.prefix", unseen);
  if (summaryView.maxTokens !== undefined) yield idle("summary_view.max_tokens", unseen);
  if (policy.countStoredOnly === true && policy.toolResultFill === undefined) {
    yield idle(
      "count_stored_only",
      "with SUMMARY_SHOW_NONE and without tool_result_fill, as reads add nothing: leave it out",
    );
  }
}

/** The triggers that hold or not whatever the window holds. */
const WITHOUT_MESSAGES: ReadonlySet<TriggerKind> = new Set([
  ...(["model-input-tokens-over", "tool-success", "tool-error", "always"] as const),
]);

/** Whether a trigger of a stage counts messages, so that conditions can leave some out. */
export function countsMessages(anyOf: PolicyStage["anyOf"]): boolean {
  return anyOf.some(({ kind }) => !WITHOUT_MESSAGES.has(kind));
}

/** Selections that look at single messages, whatever the units of their stage. */
const WITHOUT_UNITS: ReadonlySet<PolicyStage["select"]["kind"]> = new Set([
  ...(["pin-middle-recent", "shorten", "boundary-only"] as const),
]);

function* idleInStage(
  policy: Policy,
  stage: PolicyStage,
  earlier: readonly PolicyStage[],
): Generator<IdleFault> {
  const { anyOf, countIf, unit, select, summarize } = stage;
  const isAlways = anyOf.some(({ kind }) => kind === "always");
  for (const [index, { kind }] of anyOf.entries()) {
    if (isAlways && kind !== "always") {
      yield idle(`any_of[${index}]`, "beside the trigger always: leave one of them out");
    }
  }
  const counts = countsMessages(anyOf);
  if (countIf.length > 0 && !counts) {
    yield idle("count_if", "without a trigger that counts messages, tokens, turns or age");
  }
  // A unit counts as a whole or not at all; one message, which such a stage looks at, is no other.
  const splits = countIf.length > 0 && counts;
  if (WITHOUT_UNITS.has(select.kind) && unit === "assistant-turn" && !splits) {
    const name = publicName(select.kind.replaceAll("-", "_"));
    yield idle("unit", `with ${name}, which looks at single messages, and without count_if`);
  }
  // On whatever occasion the earlier stage runs: a read with a policy of its own runs all stages.
  const shortens = earlier.some((one) => one.select.kind === "shorten");
  if (stage.countWhole === true && !(counts && shortens)) {
    yield idle("count_whole", "without a trigger that counts and an earlier stage that shortens");
  }
  yield* idleInBoundary(policy, stage);
  if (summarize === undefined) return;
  for (const { field, description } of idleInSummary(summarize)) {
    yield { field: `summarize.${field}`, description };
  }
}

function* idleInBoundary(
  { toolPairing }: Policy,
  { boundary, select }: PolicyStage,
): Generator<IdleFault> {
  if (boundary === undefined) return;
  const { rule, always } = boundary;
  if (always && select.kind === "boundary-only") {
    yield idle("boundary.always", "with boundary_only, which always applies its rule");
  }
  if (toolPairing !== "whole") return;
  const isKept = rule === "grow-recent" && select.kind !== "pin-middle-recent";
  if (rule !== "pop-orphan-head" && !isKept) return;
  const why = "with TOOL_PAIRING_WHOLE, which parts no results from their calls";
  yield idle("boundary.rule", `${why}: leave boundary out, or set tool_pairing`);
}

function idle(field: string, why: string): IdleFault {
  return { field, description: `has no effect ${why}` };
}
