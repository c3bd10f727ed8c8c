// Policies and what they remember, as the JSON text that records hold. Most sessions share a policy
// and remember nothing, so that texts and parsed policies are kept.

import { EMPTY_POLICY_STATE, type PolicyState } from "../../session/rules/session.ts";
import {
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type ImportanceRule,
  type MemoryPolicy,
} from "../../window/policy/memory-policy.ts";
import {
  DEFAULT_POLICY_PARTS,
  DEFAULT_PROTECTIONS,
  DEFAULT_STAGE,
  type Policy,
  type PolicyStage,
  type Protections,
  type Selection,
  type ToolResultFill,
  type Trigger,
  type WindowUnit,
} from "../../window/policy/policy.ts";
import {
  DEFAULT_SUMMARY_SPEC,
  MANUAL_HOOK,
  type SummaryView,
} from "../../window/policy/summary-spec.ts";

const policyTexts = new WeakMap<Policy, string>();
const policies = new Map<string, Policy>();
const POLICIES_MAX = 4_096;

const DROP_OLDEST = { stopAtProtected: false, stopAtFree: false } as const;

const MANUAL_SPEC = { ...DEFAULT_SUMMARY_SPEC, hook: MANUAL_HOOK };

type StoredStage = Partial<PolicyStage> & Pick<PolicyStage, "name" | "unit" | "select">;

/** A policy as older versions stored it: what came later is missing. */
type StoredPolicy = Partial<Omit<Policy, "protections" | "stages">> & {
  readonly protections?: Partial<Protections>;
  readonly stages?: readonly StoredStage[];
};

/** The text of a policy. */
export function policyText(policy: Policy): string {
  let text = policyTexts.get(policy);
  if (text === undefined) {
    text = JSON.stringify(policy);
    policyTexts.set(policy, text);
  }
  return text;
}

/** The policy of a text; what the version that wrote it did not know has its default. */
export function parsePolicy(text: string): Policy {
  let policy = policies.get(text);
  if (policy === undefined) {
    policy = complete(renamed(JSON.parse(text) as OldPolicy));
    if (policies.size >= POLICIES_MAX) policies.clear();
    policies.set(text, policy);
    policyTexts.set(policy, text);
  }
  return policy;
}

/** A policy with the names that its parts had in older versions, or with those of today. */
type OldPolicy = Omit<StoredPolicy, "stages" | "summaryView"> & {
  readonly summaryView?: Omit<SummaryView, "show"> & { readonly show: SummaryView["show"] | "not" };
  readonly toolPairs?: Policy["toolPairing"];
  readonly healing?: Omit<ToolResultFill, "rule"> & { readonly when: ToolResultFill["rule"] };
  readonly stages?: readonly OldStage[];
};

type OldStage = Omit<StoredStage, "unit" | "anyOf"> & {
  readonly unit: WindowUnit | keyof typeof OLD_UNITS;
  readonly anyOf?: readonly (Trigger | OldTrigger)[];
  readonly keepRounds?: number;
};

const OLD_UNITS = { interaction: "turn", "assistant-round": "assistant-turn" } as const;

interface OldTrigger {
  readonly kind: "interaction-count-over" | "interaction-tokens-over";
  readonly limit: number;
}

function renamed(policy: OldPolicy): StoredPolicy {
  const { toolPairs, healing, summaryView, stages, ...rest } = policy;
  return {
    ...(toolPairs === undefined ? {} : { toolPairing: toolPairs }),
    ...(healing === undefined ? {} : { toolResultFill: renamedFill(healing) }),
    ...(summaryView === undefined ? {} : { summaryView: renamedView(summaryView) }),
    ...rest,
    ...(stages === undefined ? {} : { stages: stages.map(renamedStage) }),
  };
}

function renamedFill({ when, ...rest }: NonNullable<OldPolicy["healing"]>): ToolResultFill {
  return { rule: when, ...rest };
}

function renamedView({ show, ...rest }: NonNullable<OldPolicy["summaryView"]>): SummaryView {
  return { ...rest, show: show === "not" ? "none" : show };
}

function renamedStage({ unit, anyOf, keepRounds, ...rest }: OldStage): StoredStage {
  return {
    ...(keepRounds === undefined ? {} : { keepAssistantTurns: keepRounds }),
    ...rest,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(renamedTrigger) }),
    unit: unit === "interaction" || unit === "assistant-round" ? OLD_UNITS[unit] : unit,
  };
}

function renamedTrigger(trigger: Trigger | OldTrigger): Trigger {
  switch (trigger.kind) {
    case "interaction-count-over":
      return { kind: "turn-count-over", limit: trigger.limit };
    case "interaction-tokens-over":
      return { kind: "turn-tokens-over", limit: trigger.limit };
    default:
      return trigger;
  }
}

// JSON leaves out what is undefined, so that this is also what gives every policy its whole shape.
function complete(stored: StoredPolicy): Policy {
  return {
    ...DEFAULT_POLICY_PARTS,
    ...stored,
    protections: { ...DEFAULT_PROTECTIONS, ...stored.protections },
    stages: (stored.stages ?? []).map((stage) => ({
      ...DEFAULT_STAGE,
      // Every stage on read shaped the answer before there was another effect.
      effect: stage.on === "read" ? "view" : "store",
      ...stage,
      select: completeSelection(stage.select),
      summarize: completeSummarize(stage),
    })),
  };
}

// Before there were hooks, what was to be summarized waited for a caller to do it.
function completeSummarize({
  removedTo,
  summarize,
}: Partial<PolicyStage>): PolicyStage["summarize"] {
  if (summarize !== undefined) return { ...DEFAULT_SUMMARY_SPEC, ...summarize };
  return removedTo === "summarize" ? MANUAL_SPEC : undefined;
}

function completeSelection(select: Selection): Selection {
  return select.kind === "drop-oldest" ? { ...DROP_OLDEST, ...select } : select;
}

/** The text of what a policy remembers; empty for nothing. */
export function policyStateText(state: PolicyState): string {
  if (state === EMPTY_POLICY_STATE) return "";
  const isEmpty =
    state.modelInputTokens === 0 &&
    state.outcomes.length === 0 &&
    state.marks.length === 0 &&
    state.overLimit.length === 0 &&
    state.turnEndSeq === 0;
  return isEmpty ? "" : JSON.stringify(state);
}

/** The state of a policy, by its text. */
export function parsePolicyState(text: string): PolicyState {
  return text === ""
    ? EMPTY_POLICY_STATE
    : { ...EMPTY_POLICY_STATE, ...(JSON.parse(text) as Partial<PolicyState>) };
}

// Memory policies of sessions, as the JSON text that records hold.

/** As records hold it. JSON leaves out what is undefined. */
export type StoredMemoryPolicy = Partial<MemoryPolicy> | OldMemoryPolicy;

/** Before promotion and episodes were parts that a policy may lack. */
interface OldMemoryPolicy extends Partial<Omit<MemoryPolicy, "promotion" | "episodes">> {
  /** Off left the stages that promote, which then followed the rules all the same. */
  readonly autoPromote: boolean;
  readonly importanceThreshold?: number;
  readonly importanceRules?: readonly ImportanceRule[];
  readonly scoreHook?: string;
  readonly episodes?: boolean;
  readonly episodicRetentionDays?: number;
}

const memoryPolicies = new Map<string, MemoryPolicy>();
const texts = new WeakMap<MemoryPolicy, string>();

/** The text of what a session gives to long-term memory; empty for nothing. */
export function memoryPolicyText(policy: MemoryPolicy | undefined): string {
  if (policy === undefined) return "";
  let text = texts.get(policy);
  if (text === undefined) {
    text = JSON.stringify(policy);
    texts.set(policy, text);
  }
  return text;
}

/**
 * The memory policy of a text. The same text gives the same object, so that what is compiled of its
 * rules can be kept with it.
 */
export function parseMemoryPolicy(text: string): MemoryPolicy | undefined {
  if (text === "") return undefined;
  let policy = memoryPolicies.get(text);
  if (policy === undefined) {
    policy = completeMemoryPolicy(JSON.parse(text) as StoredMemoryPolicy);
    if (memoryPolicies.size >= POLICIES_MAX) memoryPolicies.clear();
    memoryPolicies.set(text, policy);
    texts.set(policy, text);
  }
  return policy;
}

/** The policy of what a record holds, in the form of today. */
export function completeMemoryPolicy(stored: StoredMemoryPolicy): MemoryPolicy {
  return { ...DEFAULT_MEMORY_POLICY, ...("autoPromote" in stored ? converted(stored) : stored) };
}

function converted(old: OldMemoryPolicy): MemoryPolicy {
  const { autoPromote, importanceThreshold, importanceRules, scoreHook, ...more } = old;
  const { episodes = true, episodicRetentionDays = 30, ...rest } = more;
  return {
    ...DEFAULT_MEMORY_POLICY,
    ...rest,
    promotion: {
      selection: "any-text",
      importanceThreshold: importanceThreshold ?? DEFAULT_PROMOTION.importanceThreshold,
      importanceRules: importanceRules ?? [],
      scoreHook: scoreHook ?? "",
      markedStagesOnly: !autoPromote,
    },
    episodes: episodes ? { retentionDays: episodicRetentionDays } : undefined,
  };
}
