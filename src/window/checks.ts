// The rules of the requests that change the window of a session, one function each.

import type {
  RestoreMessagesRequest,
  SetSummaryRequest,
  TrimSessionRequest,
} from "../gen/memorysidecar/v1/session_service.ts";
import { SummaryPlacement } from "../gen/memorysidecar/v1/summary.ts";
import type { Violations } from "../grpc/violations.ts";

export function checkTrimSession(request: TrimSessionRequest, v: Violations): void {
  const { target, unit, discard } = request;
  if (target?.$case !== "runPolicy") return;
  if (unit !== 0) v.add("unit", "is not allowed with run_policy");
  if (discard) v.add("discard", "is not allowed with run_policy");
}

/** Checks that a request names messages, by their ids or in runs. */
export function checkNamed(
  { messageIds, seqRanges }: Pick<RestoreMessagesRequest, "messageIds" | "seqRanges">,
  v: Violations,
): void {
  if (messageIds.length === 0 && seqRanges.length === 0) {
    v.add("message_ids", "or seq_ranges must name 1 message at least", 1);
  }
  checkSeqRanges(v, seqRanges);
}

/** Checks that no run ends before it begins. */
export function checkSeqRanges(
  v: Violations,
  seqRanges: RestoreMessagesRequest["seqRanges"],
): void {
  for (let index = 0; index < seqRanges.length && !v.full; index++) {
    const { firstSeq = 0n, lastSeq = 0n } = seqRanges[index] ?? {};
    v.enterItem("seq_ranges", index);
    if (lastSeq < firstSeq) v.add("last_seq", "must not be below first_seq");
    v.leaveItem();
  }
}

export function checkSetSummary(request: SetSummaryRequest, v: Violations): void {
  const { text, replacedMessageIds, placement } = request;
  if (placement === SummaryPlacement.IN_PLACE) {
    if (text === "") v.add("text", "is required in place");
    if (replacedMessageIds.length === 0) {
      v.add("replaced_message_ids", "must have 1 entry at least in place", 1);
    }
  }
}
