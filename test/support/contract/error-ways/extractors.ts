// Hooks that find memories: one that finds as much as it may, and one that fails.

import { LIMITS } from "../../../src/domain/limits.ts";
import type { Extracted } from "../../../src/domain/memories/extracted.ts";
import { type Hook, HookFailure } from "../../../src/service/hook-port.ts";
import { TEST_HOOK_SETTINGS } from "../hooks.ts";

/** The hook that finds as many facts as it may, no two alike. */
export const FERTILE = "fertile";

/** The hook that fails. */
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
