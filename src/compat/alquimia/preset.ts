// The profile of Alquimia: short-term strategies choose the interactions that are read, long-term
// strategies erase or summarize old ones at the end of a turn.

import { LIMITS } from "../../kit/limits.ts";
import { together } from "../../window/policy/general.ts";
import {
  choice,
  conditions,
  group,
  groups,
  integer,
  matching,
  text,
  texts,
} from "../../window/policy/option-kinds.ts";
import {
  describeOptions,
  type OptionFault,
  type OptionTable,
  type OptionValues,
  optional,
  type Read,
  readOptions,
  required,
} from "../../window/policy/options.ts";
import { DEFAULT_PROTECTIONS, type PolicyStage, type Trigger } from "../../window/policy/policy.ts";
import { countsMessages } from "../../window/policy/policy-idle.ts";
import {
  namedPolicy,
  type PlainOptions,
  type Preset,
  RANGES,
  stageOf,
} from "../../window/policy/preset-kind.ts";
import { HOOK, specOf } from "../../window/policy/summary-options.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";

const NAME = "alquimia";
const STRATEGIES_MAX = 4;
const TOOLS = { max: LIMITS.triggerTools, bytesMax: LIMITS.nameBytes };

const SHORT = {
  memory_strategy_id: optional(choice(["max_tokens"], "max_tokens", "Short-term strategy.")),
  memory_max_tokens: integer(
    { ...RANGES.tokens, min: -1 },
    10_000,
    "Maximum tokens of the interactions of a read. -1: a read gives none.",
  ),
  conditions: conditions("Conditions that every message of an interaction must meet to be read."),
  condition_scope: choice(
    ["interaction_all", "message"],
    "interaction_all",
    "Extent of a failed condition; not an option of Alquimia. interaction_all: the whole " +
      "interaction goes. message: only the message goes, so that a call may lose its result.",
  ),
};

const quantity = (initial: number) =>
  integer(
    { ...RANGES.messages, min: -1 },
    initial,
    "Number of counted interactions above which the strategy acts. 0 and -1: never.",
  );
const tokens = (initial: number) =>
  integer(
    { ...RANGES.tokens, min: -1 },
    initial,
    "Tokens of the counted interactions above which the strategy acts. 0 and -1: never.",
  );

const LONG_ID = optional(choice(["summarizer", "neuralyzer"], "neuralyzer", "Long-term strategy."));

const SHARED = {
  long_term_memory_id: LONG_ID,
  input_tokens_threshold: integer(
    { ...RANGES.tokens, min: -1 },
    0,
    "Input tokens of the model above which the strategy acts. 0 and -1: never.",
  ),
  interaction_keep: integer(RANGES.messages, 0, "Number of the newest interactions that stay."),
  interaction_conditions: conditions(
    "Conditions that every message of an interaction must meet to be counted.",
  ),
  on_tools_success_threshold: texts(TOOLS, [], "Tools whose success makes the strategy act."),
  on_tools_error_threshold: texts(TOOLS, [], "Tools whose failure makes the strategy act."),
};

const NEURALYZER = {
  ...SHARED,
  interaction_threshold_qty: quantity(-1),
  interaction_threshold_tokens: tokens(-1),
};

const COLLECTION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const KNOWLEDGE_BASE = {
  collection_id: required(
    matching(
      COLLECTION_ID,
      "1 to 63 characters of A-Za-z0-9._-, the first a letter or a digit",
      "The collection.",
    ),
  ),
};

const SUMMARIZER = {
  ...SHARED,
  interaction_threshold_qty: quantity(20),
  interaction_threshold_tokens: tokens(20_000),
  cod_max_loops: integer(
    { min: 1, max: LIMITS.summaryLoops },
    5,
    "Maximum number of rounds that make a summary denser.",
  ),
  knowledge_base: group(
    KNOWLEDGE_BASE,
    "Collection of documents to which summaries are also written.",
  ),
  instructions: optional(
    text(LIMITS.summaryInstructionsBytes, "", "Instructions for the summarizer."),
  ),
};

type ShortValues = OptionValues<typeof SHORT>;
type LongValues = OptionValues<typeof NEURALYZER> &
  Partial<
    Pick<OptionValues<typeof SUMMARIZER>, "cod_max_loops" | "instructions" | "knowledge_base">
  >;

const OURS = { hook: HOOK };

const LISTS = {
  short_term_memory: groups(
    STRATEGIES_MAX,
    "List of short-term strategies, each an object with its options; they run in order.",
    readShort,
  ),
  long_term_memory: groups(
    STRATEGIES_MAX,
    "List of long-term strategies, each an object with its options; they run in order.",
    readLong,
  ),
};

/** The options of the strategy that an object names; those of the summarizer when it names none. */
function longTable(options: PlainOptions): typeof NEURALYZER {
  return options["long_term_memory_id"] === "neuralyzer" ? NEURALYZER : SUMMARIZER;
}

function readShort(path: string, options: PlainOptions): Read<ShortValues> {
  return readStrategy(SHORT, "memory_strategy_id", { path, options });
}

function readLong(path: string, options: PlainOptions): Read<LongValues> {
  return readStrategy(longTable(options), "long_term_memory_id", { path, options });
}

function readStrategy<T extends OptionTable>(
  table: T,
  idField: string,
  { path, options }: { readonly path: string; readonly options: PlainOptions },
): Read<OptionValues<T>> {
  const { values, faults, given } = readOptions(table, options, path);
  const missing =
    given.has(idField) || faults.some(({ field }) => field === `${path}${idField}`)
      ? []
      : [together(`${path}${idField}`, "is required")];
  const all = [...faults, ...missing];
  return all.length > 0 ? { faults: all } : { value: values };
}

/** The strategies that options name, one at the top level and others in lists. */
interface Strategies {
  readonly hook: string;
  readonly short: readonly ShortValues[];
  readonly long: readonly LongValues[];
}

function readStrategies(options: PlainOptions): Read<Strategies> {
  const long = longTable(options);
  const { values, faults, given } = readOptions({ ...SHORT, ...long, ...LISTS, ...OURS }, options);
  const all: OptionFault[] = [...faults];
  const kinds = [
    { table: SHORT, id: "memory_strategy_id", list: "short_term_memory" },
    { table: long, id: "long_term_memory_id", list: "long_term_memory" },
  ] as const;
  const isFlat: boolean[] = [];
  for (const { table, id, list } of kinds) {
    const first = Object.keys(table).find((name) => given.has(name));
    isFlat.push(first !== undefined);
    if (first === undefined) continue;
    if (given.has(list)) all.push(together(first, `must be left out beside ${list}`));
    if (!given.has(id)) all.push(together(id, `is required beside ${first}`));
  }
  if (all.length > 0) return { faults: all };
  const [flatShort, flatLong] = isFlat;
  return {
    value: {
      hook: values.hook,
      short: flatShort === true ? [values] : values.short_term_memory,
      long: flatLong === true ? [values] : values.long_term_memory,
    },
  };
}

/** The first of its kind has the plain name, others a number. */
function numbered(name: string, index: number): string {
  return index === 0 ? name : `${name}_${index + 1}`;
}

function shortStages(strategy: ShortValues, index: number): readonly PolicyStage[] {
  const { memory_max_tokens: maxTokens, conditions: wanted, condition_scope: scope } = strategy;
  const walk = stageOf(numbered("short_term", index), {
    on: "read",
    select:
      maxTokens < 0
        ? { kind: "keep-last", unitCount: 0 }
        : { kind: "pack-newest", maxTokens, headroom: 0, skipUnfit: false },
    effect: "view",
  });
  if (wanted.length === 0) return [walk];
  const filter = stageOf(numbered("conditions", index), {
    on: "read",
    select: {
      kind: "filter",
      conditions: wanted,
      scope: scope === "message" ? "message" : "unit",
    },
    effect: "view",
  });
  return [filter, walk];
}

function triggersOf(strategy: LongValues): readonly Trigger[] {
  const triggers: Trigger[] = [];
  const { input_tokens_threshold: input, interaction_threshold_qty: quantityOver } = strategy;
  const tokensOver = strategy.interaction_threshold_tokens;
  if (input > 0) triggers.push({ kind: "model-input-tokens-over", limit: input });
  if (quantityOver > 0) triggers.push({ kind: "turn-count-over", limit: quantityOver });
  if (tokensOver > 0) triggers.push({ kind: "turn-tokens-over", limit: tokensOver });
  const { on_tools_success_threshold: succeeded, on_tools_error_threshold: failed } = strategy;
  if (succeeded.length > 0) triggers.push({ kind: "tool-success", names: succeeded });
  if (failed.length > 0) triggers.push({ kind: "tool-error", names: failed });
  return triggers;
}

function longStages(strategy: LongValues, index: number, hook: string): readonly PolicyStage[] {
  const anyOf = triggersOf(strategy);
  // Without a threshold the source never acts; a stage without triggers always would.
  if (anyOf.length === 0) return [];
  const summarizes = strategy.long_term_memory_id === "summarizer";
  return [
    stageOf(numbered(summarizes ? "summarizer" : "neuralyzer", index), {
      on: "turn-end",
      anyOf,
      select: { kind: "keep-last", unitCount: strategy.interaction_keep },
      countIf: countsMessages(anyOf) ? strategy.interaction_conditions : [],
      ...(summarizes
        ? { removedTo: "summarize", summarize: densitySpec(strategy, hook) }
        : { removedTo: "discard" }),
    }),
  ];
}

function densitySpec(strategy: LongValues, hook: string): SummarySpec {
  return specOf({
    hook,
    instructions: strategy.instructions ?? "",
    collectionId: strategy.knowledge_base?.values.collection_id ?? "",
    flow: "density",
    maxLoops: strategy.cod_max_loops ?? SUMMARIZER.cod_max_loops.initial,
  });
}

/** The profile of Alquimia. */
export const alquimia: Preset = {
  name: NAME,
  description:
    "As Alquimia: a short-term strategy chooses the interactions that are read, a long-term " +
    "strategy erases (neuralyzer) or summarizes (summarizer) old ones at the end of a turn.",
  options: [
    ...describeOptions(SHORT, "max_tokens"),
    ...describeOptions(SUMMARIZER, "summarizer"),
    ...describeOptions(NEURALYZER, "neuralyzer"),
    ...describeOptions(LISTS),
    ...describeOptions(OURS),
  ],
  expand: (options) => {
    const read = readStrategies(options);
    if ("faults" in read) return read;
    const { short, long, hook } = read.value;
    return {
      policy: namedPolicy(NAME, {
        tokenRule: "given",
        countStoredOnly: true,
        protections: { ...DEFAULT_PROTECTIONS, system: "none", minMessages: 0, lastUser: false },
        toolPairing: "loose",
        stages: [
          ...long.flatMap((strategy, index) => longStages(strategy, index, hook)),
          ...short.flatMap(shortStages),
        ],
      }),
    };
  },
};
