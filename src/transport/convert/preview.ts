// What policies would do, from the domain to the wire.

import { type IdRoom, idRoom } from "../../domain/id-list.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { StageOn } from "../../domain/policy.ts";
import * as wire from "../../gen/memorysidecar/v1/policy.ts";
import { StageOn as WireStageOn } from "../../gen/memorysidecar/v1/policy.ts";
import { TrimReason } from "../../gen/memorysidecar/v1/window.ts";
import type { MessagePreview, PolicyPreview } from "../../service/window-api.ts";
import { toPolicy } from "./policy.ts";
import {
  toConditionWarning,
  toHoldReason,
  toStageRuns,
  toTotals,
  toTrim,
  toTrimReason,
} from "./window.ts";

const VERDICTS = {
  kept: wire.Verdict.KEPT,
  removed: wire.Verdict.REMOVED,
  shortened: wire.Verdict.SHORTENED,
  "awaits-summary": wire.Verdict.AWAITS_SUMMARY,
} as const satisfies Readonly<Record<MessagePreview["verdict"], wire.Verdict>>;

const OCCASIONS: ReadonlyMap<number, StageOn> = new Map([
  [WireStageOn.APPEND, "append"],
  [WireStageOn.READ, "read"],
  [WireStageOn.TURN_END, "turn-end"],
  [WireStageOn.REQUEST, "request"],
]);

/** Gives the occasions of a checked request, each once. */
export function fromOccasions(occasions: readonly number[]): readonly StageOn[] {
  return [...new Set(occasions)].flatMap((occasion) => OCCASIONS.get(occasion) ?? []);
}

/** Turns what policies would do into its public form. */
export function toPreviews(previews: readonly PolicyPreview[]): wire.PolicyPreview[] {
  const room = idRoom(LIMITS.awaitsSummary);
  return previews.map((preview) => toPreview(preview, room));
}

function toPreview(preview: PolicyPreview, room: IdRoom): wire.PolicyPreview {
  return {
    policy: toPolicy(preview.policy),
    beforeTotals: toTotals(preview.before),
    afterTotals: toTotals(preview.after),
    // The messages say themselves what becomes of them.
    trims: preview.trims.map((trim) => toTrim({ ...trim, removed: [] })),
    stageRuns: toStageRuns(preview.runs, room),
    warnings: preview.warnings.map(toConditionWarning),
    overLimit: preview.overLimit,
    messages: preview.messages.map(toMessagePreview),
    truncated: preview.truncated,
  };
}

function toMessagePreview(message: MessagePreview): wire.MessagePreview {
  const { messageId, seq, verdict, stage, reason, heldBy, tokenCount, turn } = message;
  return {
    messageId,
    seq: BigInt(seq),
    verdict: VERDICTS[verdict],
    stage,
    reason: reason === undefined ? TrimReason.UNSPECIFIED : toTrimReason(reason),
    heldBy: heldBy.map(toHoldReason),
    tokenCount: Math.floor(tokenCount),
    turn,
  };
}
