// Extraction hooks: one that returns the maximum number of facts, and one that fails.

import { type Hook, HookFailure } from "../../../../src/hooks/port.ts";
import { LIMITS } from "../../../../src/kit/limits.ts";
import type { Extracted } from "../../../../src/memory/rules/extracted.ts";
import { TEST_HOOK_SETTINGS } from "../../hooks/hooks.ts";

/** Name of the hook that returns the maximum number of facts, all different. */
export const FERTILE = "fertile";

/** Name of the hook that fails. */
export const BROKEN = "broken";

let count = 0;

function anotherFact(): Extracted["facts"][number] {
  const number = count++;
  return {
    ...{ text: `${number} ${number * 7_919} ${number * 104_729}`, isPreference: false, key: "" },
    ...{ category: "", topics: [], importance: undefined, confidence: undefined },
    ...{ validFromMs: undefined, messageIds: [] },
  };
}

const extractor = (name: string, extract: NonNullable<Hook["extract"]>): Hook => ({
  ...{ name, kind: "grpc", settings: TEST_HOOK_SETTINGS, extract },
});

/** The hooks. */
export const EXTRACTORS: readonly Hook[] = [
  extractor(FERTILE, async () => ({
    facts: Array.from({ length: LIMITS.extractedItems }, anotherFact),
    ...{ entities: [], relations: [], model: "m", rejectedCount: 0 },
  })),
  extractor(BROKEN, async () => {
    throw new HookFailure("hook-error", "It is down.");
  }),
];
