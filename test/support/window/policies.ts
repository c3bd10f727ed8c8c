// Policies in domain terms for tests of the services.

import {
  DEFAULT_POLICY_PARTS,
  DEFAULT_STAGE,
  type Policy,
  type PolicyStage,
  type Selection,
} from "../../../src/window/policy/policy.ts";

/** A selection that drops the oldest until the limits hold. */
export function dropOldest(limits: {
  readonly maxMessages?: number;
  readonly maxTokens?: number;
}): Selection {
  return { kind: "drop-oldest", ...limits, stopAtProtected: false, stopAtFree: false };
}

/** A stage over single messages; keeps two unless the test says otherwise. */
export function stageOf(fields: Partial<PolicyStage> = {}): PolicyStage {
  return {
    ...DEFAULT_STAGE,
    name: "two",
    unit: "message",
    select: dropOldest({ maxMessages: 2 }),
    ...fields,
  };
}

/** A policy of some stages. */
export function policyOf(
  stages: readonly PolicyStage[],
  fields: Partial<Omit<Policy, "stages">> = {},
): Policy {
  return { ...DEFAULT_POLICY_PARTS, ...fields, stages };
}
