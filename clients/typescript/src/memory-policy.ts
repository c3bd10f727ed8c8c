// What a session gives to long-term memory, as callers write it.

import { choice } from "./choice.ts";
import type {
  DeepPartial,
  ExtractionPolicy,
  MemoryPolicy,
} from "./gen/memorysidecar/v1/memory_policy.ts";
import {
  EXTRACTION_TIMES,
  type ExtractionInput,
  type MemoryPolicyInput,
  TARGETS,
} from "./memory-options.ts";

/** Makes what says how to find things. */
export function toExtraction(input: ExtractionInput): DeepPartial<ExtractionPolicy> {
  const { hook = "", on, targets = [], instructions = "", supersede } = input;
  return {
    ...{ hook, instructions, supersede },
    on: on === undefined ? 0 : choice("time", EXTRACTION_TIMES, on),
    targets: targets.map((target) => choice("target", TARGETS, target)),
  };
}

/** Makes a policy of memory. */
export function toMemoryPolicy(input: MemoryPolicyInput): DeepPartial<MemoryPolicy> {
  const { extraction, importanceRules = [], scoreHook = "", agentScope = false, ...rest } = input;
  return {
    ...rest,
    ...{ scoreHook, agentScope },
    importanceRules: importanceRules.map(({ phrases, ...rule }) => ({
      ...rule,
      phrases: [...phrases],
    })),
    extraction: extraction && toExtraction(extraction),
  };
}
