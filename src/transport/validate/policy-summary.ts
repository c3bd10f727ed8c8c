// The rules of how stages summarize and of how windows show summaries.

import {
  type Summarize,
  SummaryFailure,
  SummaryKeep,
  SummaryLeave,
} from "../../gen/memorysidecar/v1/policy.ts";
import type { Violations } from "./violations.ts";

/** Checks the field `summarize`: what leaves at once has no place to come back to. */
export function checkSummarize(v: Violations, summarize: Summarize | undefined): void {
  if (summarize?.leave !== SummaryLeave.AT_ONCE) return;
  const { keep, onFailure } = summarize;
  if (keep !== SummaryKeep.APPEND && keep !== SummaryKeep.REPLACE) {
    v.add(
      "summarize.leave",
      "SUMMARY_LEAVE_AT_ONCE is only for SUMMARY_KEEP_APPEND and SUMMARY_KEEP_REPLACE",
    );
  }
  if (onFailure === SummaryFailure.KEEP) {
    v.add("summarize.on_failure", "SUMMARY_FAILURE_KEEP is not for messages that leave at once");
  }
}
