// Parts of windows, from the domain to the wire.

import type { MessagePreview, PolicyPreview } from "../core/window-api.ts";
import type { PolicyWarning } from "../events/rules/event.ts";
import * as policyWire from "../gen/memorysidecar/v1/policy.ts";
import * as wire from "../gen/memorysidecar/v1/window.ts";
import { numbersByWord } from "../grpc/enums.ts";
import { type IdRoom, idRoom, takeIds } from "../kit/id-list.ts";
import { LIMITS } from "../kit/limits.ts";
import type { StageOn, TriggerKind } from "./policy/policy.ts";
import { toPolicy } from "./policy-wire.ts";
import { rangesOf } from "./rules/ranges.ts";
import type {
  ConditionWarning,
  HoldReason,
  SeqRange,
  StageRun,
  Totals,
  TriggerHit,
  Trim,
} from "./rules/types.ts";
import { STAGE_ON } from "./token-rule-wire.ts";

const TRIM_REASONS = numbersByWord(wire.TrimReason);

const TRIGGER_KINDS = {
  "model-input-tokens-over": wire.TriggerKind.MODEL_INPUT_TOKENS,
  "message-count-over": wire.TriggerKind.MESSAGE_COUNT,
  "token-count-over": wire.TriggerKind.TOKEN_COUNT,
  "context-share-at-least": wire.TriggerKind.CONTEXT_SHARE,
  "turn-count-over": wire.TriggerKind.TURN_COUNT,
  "turn-tokens-over": wire.TriggerKind.TURN_TOKENS,
  "new-messages-at-least": wire.TriggerKind.NEW_MESSAGES,
  "new-tokens-at-least": wire.TriggerKind.NEW_TOKENS,
  "tool-success": wire.TriggerKind.TOOL_SUCCESS,
  "tool-error": wire.TriggerKind.TOOL_ERROR,
  "age-over": wire.TriggerKind.AGE,
  always: wire.TriggerKind.ALWAYS,
} as const satisfies Readonly<Record<TriggerKind, wire.TriggerKind>>;

const HOLD_REASONS: Readonly<Record<HoldReason, wire.HoldReason>> = {
  ...numbersByWord(wire.HoldReason),
  free: wire.HoldReason.ZERO_TOKENS,
};

const WARNING_KINDS = numbersByWord(wire.PolicyWarningKind);

/** Turns totals into their public form. A sum of quarters of tokens is rounded down. */
export function toTotals(totals: Totals): wire.Totals {
  return {
    messageCount: BigInt(totals.messageCount),
    tokenCount: BigInt(Math.floor(totals.tokenCount)),
  };
}

/** Turns a run of seqs into its public form. */
export function toSeqRange(range: SeqRange): wire.SeqRange {
  return { firstSeq: BigInt(range.first), lastSeq: BigInt(range.last) };
}

/** Reads a run of seqs from its public form. */
export function fromSeqRange({ firstSeq, lastSeq }: wire.SeqRange): SeqRange {
  return { first: Number(firstSeq), last: Number(lastSeq) };
}

/** Turns the effect of a change on a window into the fields that answers have for it. */
export function toWindowChange(change: {
  readonly revision: number;
  readonly trims: readonly Trim[];
  readonly window: Totals;
}) {
  return {
    revision: BigInt(change.revision),
    trims: change.trims.map(toTrim),
    windowTotals: toTotals(change.window),
  };
}

/** Turns a trim into its public form. */
export function toTrim(trim: Trim): wire.Trim {
  const { removed, before, after } = trim;
  return {
    stage: trim.stage,
    reason: TRIM_REASONS[trim.reason],
    messageIds: removed.map((entry) => entry.messageId),
    // Inserts have a position that is no seq.
    seqRanges: rangesOf(removed.filter(({ seq }) => Number.isInteger(seq))).map(toSeqRange),
    // Not counted from the entries: one part of a split event holds only some of them.
    removedTotals: toTotals({
      messageCount: before.messageCount - after.messageCount,
      tokenCount: before.tokenCount - after.tokenCount,
    }),
    beforeTotals: toTotals(before),
    afterTotals: toTotals(after),
    discarded: trim.discarded,
  };
}

/** Turns a trigger that held into its public form. */
export function toTriggerHit({ kind, tool }: TriggerHit): wire.TriggerHit {
  return { kind: TRIGGER_KINDS[kind], tool };
}

/**
 * Turns what stages did into its public form. All runs together name as many messages that wait for
 * a summary as there is room for.
 */
export function toStageRuns(
  runs: readonly StageRun[],
  room: IdRoom = idRoom(LIMITS.awaitsSummary),
): wire.StageRun[] {
  return runs.map((run) => ({
    stage: run.stage,
    triggers: run.triggers.map(toTriggerHit),
    overLimit: run.overLimit,
    heldBy: run.heldBy.map((held) => HOLD_REASONS[held]),
    awaitingMessageIds: takeIds(idsOf(run.awaitsSummary), room),
    taskId: run.taskId,
  }));
}

function* idsOf(entries: StageRun["awaitsSummary"]): Generator<string> {
  for (const { messageId } of entries) yield messageId;
}

/** Turns a warning into its public form. */
export function toWarning(warning: PolicyWarning): wire.PolicyWarning {
  const { stage, kind } = warning;
  const isCondition = warning.kind === "condition-failed";
  return {
    stage,
    kind: WARNING_KINDS[kind],
    field: isCondition ? warning.field : "",
    messageId: isCondition ? warning.messageId : "",
    messageCount: isCondition ? warning.messageCount : 0,
  };
}

/** Turns the failure of a condition into a public warning. */
export function toConditionWarning(warning: ConditionWarning): wire.PolicyWarning {
  return toWarning({ kind: "condition-failed", ...warning });
}

const VERDICTS = numbersByWord(policyWire.Verdict);

/** Gives the occasions of a checked request, each once. */
export function fromOccasions(occasions: readonly number[]): readonly StageOn[] {
  return [...new Set(occasions)].flatMap((on) => (on === 0 ? [] : (STAGE_ON[on] ?? [])));
}

/** Gives previews of policies. */
export function toPreviews(previews: readonly PolicyPreview[]): policyWire.PolicyPreview[] {
  const room = idRoom(LIMITS.awaitsSummary);
  return previews.map((preview) => toPreview(preview, room));
}

function toPreview(preview: PolicyPreview, room: IdRoom): policyWire.PolicyPreview {
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

function toMessagePreview(message: MessagePreview): policyWire.MessagePreview {
  const { messageId, seq, verdict, stage, reason, heldBy, tokenCount, turn } = message;
  return {
    messageId,
    seq: BigInt(seq),
    verdict: VERDICTS[verdict],
    stage,
    reason: reason === undefined ? wire.TrimReason.UNSPECIFIED : TRIM_REASONS[reason],
    heldBy: heldBy.map((held) => HOLD_REASONS[held]),
    tokenCount: Math.floor(tokenCount),
    turn,
  };
}
