// What callers tell policies beside messages, from the wire to the domain.

import type { ToolOutcome as Outcome } from "../../domain/window/types.ts";
import type { ToolOutcome } from "../../gen/memorysidecar/v1/message.ts";

/** Gives the signals of a checked request. */
export function fromSignals(request: {
  readonly modelInputTokens?: bigint | undefined;
  readonly toolOutcomes: readonly ToolOutcome[];
}): { readonly modelInputTokens?: number; readonly toolOutcomes: readonly Outcome[] } {
  const { modelInputTokens, toolOutcomes } = request;
  return {
    ...(modelInputTokens === undefined ? {} : { modelInputTokens: Number(modelInputTokens) }),
    toolOutcomes: toolOutcomes.map(({ tool, error }) => ({ tool, error })),
  };
}
