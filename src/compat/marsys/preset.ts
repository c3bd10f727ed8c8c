// The profile of MARSYS, as its first releases manage a conversation: reads give what fits a
// target, and a trigger says when to pack anew. Its later releases have a file of their own.

import { together } from "../../window/policy/general.ts";
import { choice, choices, fraction, group, integer } from "../../window/policy/option-kinds.ts";
import {
  describeOptions,
  type OptionFault,
  type OptionReading,
  type OptionValues,
  optional,
} from "../../window/policy/options.ts";
import {
  DEFAULT_PROTECTIONS,
  type Policy,
  type PolicyStage,
  type Trigger,
} from "../../window/policy/policy.ts";
import {
  definePreset,
  type PolicyParts,
  RANGES,
  stageOf,
} from "../../window/policy/preset-kind.ts";
import { HOOK } from "../../window/policy/summary-options.ts";
import { checkLater, LATER, type LaterValues, laterStages } from "./later-presets.ts";

const INVALIDATING = [
  "add",
  "update",
  "replace_memory",
  "remove_by_id",
  "delete_memory",
  "reset_memory",
] as const;

const MANAGED = {
  max_total_tokens_trigger: integer(
    RANGES.tokens,
    150_000,
    "Token count above which the window is trimmed.",
  ),
  target_total_tokens: integer(
    RANGES.tokens,
    100_000,
    "Token count to which a read packs, before the headroom.",
  ),
  image_token_estimate: integer(RANGES.imageTokens, 800, "Tokens of an image."),
  min_retrieval_gap_steps: integer(
    RANGES.messages,
    2,
    "Number of new messages after which a read packs again, if adding does not trigger it.",
  ),
  min_retrieval_gap_tokens: integer(
    RANGES.tokens,
    5_000,
    "Number of new tokens after which a read packs again, if adding does not trigger it.",
  ),
  trigger_events: choices(
    ["add", "get_messages"],
    ["add", "get_messages"],
    "Events that check the trigger.",
  ),
  cache_invalidation_events: choices(
    INVALIDATING,
    ["add", "remove_by_id", "delete_memory"],
    "Events after which the next read packs again. With add, every read does; the others are " +
      "refused without it.",
  ),
  enable_headroom_percent: fraction(RANGES.headroom, 0.1, "Share of the target left free."),
};

const MANAGER = {
  memory_type: choice(
    ["conversation_history", "managed_conversation"],
    "managed_conversation",
    "Kind of memory. Only managed_conversation ever omits messages.",
  ),
  memory_config: group(MANAGED, "Options of ManagedMemoryConfig, as an object."),
};

const OURS = {
  mode: optional(
    choice(
      ["repack_always", "strict"],
      "strict",
      "Not an option of MARSYS. repack_always: every read packs to the target. strict: only a window " +
        "above the trigger is packed, permanently. Null: as the events say.",
    ),
  ),
  hook: HOOK,
};

const TABLE = { ...MANAGER, ...MANAGED, ...LATER, ...OURS };
type Reading = OptionReading<typeof TABLE>;
type Config = OptionValues<typeof MANAGED>;

function checkTogether({ values, given }: Reading): readonly OptionFault[] {
  const faults: OptionFault[] = [];
  const managed = Object.keys(MANAGED).filter((name) => given.has(name));
  if (managed[0] !== undefined && given.has("memory_config")) {
    faults.push(together(managed[0], "must be left out beside memory_config"));
  }
  const ofFirst = managed[0] ?? ["memory_config", "mode"].find((name) => given.has(name));
  const ofLater = Object.keys(LATER).find((name) => given.has(name));
  if (ofFirst !== undefined && ofLater !== undefined) {
    faults.push(together(ofLater, `belongs to a later release than ${ofFirst}`));
  }
  const ofManaged = ofFirst ?? ofLater;
  if (values.memory_type !== "managed_conversation" && ofManaged !== undefined) {
    faults.push(together(ofManaged, "needs memory_type managed_conversation"));
  }
  return [...faults, ...checkEvents(values), ...checkLater({ values, given, faults: [] })];
}

/** An event that removes or changes messages makes a read pack again only where every read does. */
function checkEvents(values: Reading["values"]): readonly OptionFault[] {
  const path = values.memory_config === undefined ? "" : "memory_config.";
  const events = (values.memory_config?.values ?? values).cache_invalidation_events;
  const alone = events.includes("add") ? undefined : events[0];
  if (alone === undefined) return [];
  return [together(`${path}cache_invalidation_events`, `may hold ${alone} only beside add`)];
}

function managedStages(config: Config, mode: "repack_always" | "strict" | undefined) {
  const pack = {
    on: "read",
    unit: "message",
    select: {
      kind: "pack-newest",
      maxTokens: config.target_total_tokens,
      headroom: config.enable_headroom_percent,
      skipUnfit: false,
    },
  } as const;
  const anyOf = packTriggers(config, mode);
  if (anyOf === "always") return [stageOf("pack", { ...pack, effect: "view" })];
  // A packed window must stay so until a trigger holds again, so the stored window changes.
  return anyOf.length === 0 ? [] : [stageOf("pack", { ...pack, anyOf, effect: "store" })];
}

/** When a read packs anew; no trigger means never. */
function packTriggers(
  config: Config,
  mode: "repack_always" | "strict" | undefined,
): readonly Trigger[] | "always" {
  const overTrigger: Trigger = {
    kind: "token-count-over",
    limit: config.max_total_tokens_trigger,
  };
  if (mode === "strict") return [overTrigger];
  if (mode === "repack_always" || config.cache_invalidation_events.includes("add")) return "always";
  if (!config.trigger_events.includes("get_messages")) {
    return config.trigger_events.includes("add") ? [overTrigger] : [];
  }
  const { min_retrieval_gap_steps: steps, min_retrieval_gap_tokens: tokens } = config;
  if (steps === 0 || tokens === 0) return "always";
  return [
    overTrigger,
    { kind: "new-messages-at-least", limit: steps },
    { kind: "new-tokens-at-least", limit: tokens },
  ];
}

function partsOf(imageTokenCount: number, stages: readonly PolicyStage[]): PolicyParts {
  return {
    tokenRule: "structured",
    countStoredOnly: true,
    imageTokenCount,
    protections: { ...DEFAULT_PROTECTIONS, system: "none", lastUser: false },
    toolPairing: "grouped",
    stages,
  };
}

function laterParts(values: LaterValues, hook: string): PolicyParts {
  const { stages, keeps } = laterStages(values, hook);
  const protections: Policy["protections"] = { ...DEFAULT_PROTECTIONS, ...keeps };
  return { ...partsOf(MANAGED.image_token_estimate.initial, stages), protections };
}

/** The profile of MARSYS. */
export const marsys = definePreset({
  name: "marsys",
  description:
    "As MARSYS: reads give the newest messages that fit a target less a headroom, tool calls " +
    "together with their results. With active_context as its later releases compact.",
  table: TABLE,
  options: [
    ...describeOptions(MANAGER, "MemoryManager"),
    ...describeOptions(MANAGED, "ManagedMemoryConfig"),
    ...describeOptions(LATER, "ActiveContextPolicy"),
    ...describeOptions(OURS),
  ],
  check: checkTogether,
  build: ({ values, given }) => {
    const config = values.memory_config?.values ?? values;
    const image = config.image_token_estimate;
    if (values.memory_type !== "managed_conversation") return partsOf(image, []);
    if (Object.keys(LATER).some((name) => given.has(name))) return laterParts(values, values.hook);
    return partsOf(image, managedStages(config, values.mode));
  },
});
