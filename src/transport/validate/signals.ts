// The rules of what callers tell policies beside messages.

import { LIMITS } from "../../domain/limits.ts";
import type { ToolOutcome } from "../../gen/memorysidecar/v1/message.ts";
import { checkCount, checkRange, checkRequiredId } from "./fields.ts";
import type { Violations } from "./violations.ts";

/** What a request may say beside messages. */
interface SignalFields {
  readonly modelInputTokens?: bigint | undefined;
  readonly toolOutcomes: readonly ToolOutcome[];
}

/** Checks `model_input_tokens` and `tool_outcomes`. */
export function checkSignals(v: Violations, request: SignalFields): void {
  const { modelInputTokens, toolOutcomes } = request;
  if (modelInputTokens !== undefined) {
    checkRange(v, "model_input_tokens", modelInputTokens, { min: 0, max: LIMITS.policyTokens });
  }
  checkCount(v, "tool_outcomes", toolOutcomes.length, LIMITS.toolOutcomes);
  for (let index = 0; index < toolOutcomes.length && !v.full; index++) {
    v.enterItem("tool_outcomes", index);
    checkRequiredId(v, "tool", toolOutcomes[index]?.tool ?? "", LIMITS.nameBytes);
    v.leaveItem();
  }
}
