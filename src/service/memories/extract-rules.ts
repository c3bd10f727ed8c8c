// Finds by the rules of the server, a slice in each turn of the event loop.

import { setImmediate as nextTurn } from "node:timers/promises";
import { RuleExtractor } from "../../domain/memories/extract/rules.ts";
import type { Extracted, ExtractionLine } from "../../domain/memories/extracted.ts";
import type { ExtractionTarget } from "../../domain/memories/policy.ts";
import { checkLive } from "../change.ts";

/** Finds what lines hold. Throws DEADLINE_EXCEEDED when nobody waits any more. */
export async function extractInTurns(
  lines: readonly ExtractionLine[],
  targets: readonly ExtractionTarget[],
  signal: AbortSignal,
): Promise<Extracted> {
  const rules = new RuleExtractor(targets);
  for (const line of lines) {
    for (const slice of rules.slicesOf(line)) {
      rules.look(slice);
      await nextTurn();
      checkLive(signal);
    }
  }
  return rules.result();
}
