// What belongs to a window, from the domain to the wire.

import { rangesOf } from "../../domain/window/ranges.ts";
import type { SeqRange, Totals, Trim, TrimReason } from "../../domain/window/types.ts";
import * as wire from "../../gen/memorysidecar/v1/window.ts";

const TRIM_REASONS = {
  "message-limit": wire.TrimReason.MESSAGE_LIMIT,
  "token-limit": wire.TrimReason.TOKEN_LIMIT,
  "keep-last": wire.TrimReason.KEEP_LAST,
  ceiling: wire.TrimReason.CEILING,
  "orphan-tool-result": wire.TrimReason.ORPHAN_TOOL_RESULT,
} as const satisfies Readonly<Record<TrimReason, wire.TrimReason>>;

/** Turns totals into their public form. */
export function toTotals(totals: Totals): wire.Totals {
  return {
    messageCount: BigInt(totals.messageCount),
    tokenCount: BigInt(totals.tokenCount),
  };
}

/** Turns a run of seqs into its public form. */
export function toSeqRange(range: SeqRange): wire.SeqRange {
  return { firstSeq: BigInt(range.first), lastSeq: BigInt(range.last) };
}

/** Turns a trim into its public form. */
export function toTrim(trim: Trim): wire.Trim {
  const { removed, before, after } = trim;
  return {
    stage: trim.stage,
    reason: TRIM_REASONS[trim.reason],
    messageIds: removed.map((entry) => entry.messageId),
    seqRanges: rangesOf(removed).map(toSeqRange),
    // Not counted from the entries: one part of a split event holds only some of them.
    removed: toTotals({
      messageCount: before.messageCount - after.messageCount,
      tokenCount: before.tokenCount - after.tokenCount,
    }),
    before: toTotals(before),
    after: toTotals(after),
  };
}
