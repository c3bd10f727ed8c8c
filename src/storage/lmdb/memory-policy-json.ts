// What sessions give to long-term memory, as the JSON text that records hold.

import {
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type ImportanceRule,
  type MemoryPolicy,
} from "../../domain/memories/policy.ts";

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

const POLICIES_MAX = 4_096;
const policies = new Map<string, MemoryPolicy>();
const texts = new WeakMap<MemoryPolicy, string>();

/** The text of what a session gives to long-term memory; empty for nothing. */
export function memoryPolicyText(policy: MemoryPolicy | undefined): string {
  if (policy === undefined) {
    return "";
  }
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
  if (text === "") {
    return undefined;
  }
  let policy = policies.get(text);
  if (policy === undefined) {
    policy = completeMemoryPolicy(JSON.parse(text) as StoredMemoryPolicy);
    if (policies.size >= POLICIES_MAX) {
      policies.clear();
    }
    policies.set(text, policy);
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
