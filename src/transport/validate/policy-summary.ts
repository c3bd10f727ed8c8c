// The rules of how stages summarize and of how windows show summaries.

import { LIMITS } from "../../domain/limits.ts";
import {
  type Summarize,
  SummaryFailure,
  SummaryFlow,
  SummaryKeep,
  SummaryLeave,
  SummaryShape,
  SummaryShow,
  type SummaryView,
  TranscriptStyle,
} from "../../gen/memorysidecar/v1/policy.ts";
import { checkEnum, checkRange, checkText } from "./fields.ts";
import { checkCollectionId } from "./recall-filter.ts";
import type { Violations } from "./violations.ts";

const HOOK_NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const TOKENS = { min: LIMITS.summaryTokensMin, max: LIMITS.summaryTokensMax };
const LOOPS = { min: 1, max: LIMITS.summaryLoops };
const LAST_CHARS = { min: LIMITS.summaryLastCharsMin, max: LIMITS.summaryLastCharsMax };
const FAN_IN = { min: LIMITS.summaryFanInMin, max: LIMITS.summaryFanInMax };

/** Checks the name of a hook, which may be left out. */
export function checkHookName(v: Violations, field: string, name: string): void {
  if (name === "" || HOOK_NAME.test(name)) return;
  const tooLong = name.length > LIMITS.hookNameChars;
  v.add(
    field,
    `must be 1 to ${LIMITS.hookNameChars} characters of a-z0-9_-, the first a letter`,
    tooLong ? LIMITS.hookNameChars : undefined,
  );
}

/** Checks the field `summarize`, if it is set. */
export function checkSummarize(v: Violations, summarize: Summarize | undefined): void {
  if (summarize === undefined) return;
  v.enter("summarize");
  checkHookName(v, "hook", summarize.hook);
  if (summarize.maxTokens !== undefined) checkRange(v, "max_tokens", summarize.maxTokens, TOKENS);
  checkText(v, "instructions", summarize.instructions, LIMITS.summaryInstructionsBytes);
  checkEnum(v, "keep", summarize.keep, SummaryKeep);
  checkEnum(v, "flow", summarize.flow, SummaryFlow);
  if (summarize.maxLoops !== undefined) checkRange(v, "max_loops", summarize.maxLoops, LOOPS);
  checkLeave(v, summarize);
  checkText(v, "placeholder", summarize.placeholder, LIMITS.summaryPlaceholderBytes);
  if (summarize.separator !== undefined) {
    checkText(v, "separator", summarize.separator, LIMITS.summarySeparatorBytes);
  }
  if (summarize.lastChars !== undefined) {
    checkRange(v, "last_chars", summarize.lastChars, LAST_CHARS);
  }
  checkText(v, "prefix", summarize.prefix, LIMITS.summaryPrefixBytes);
  checkEnum(v, "transcript", summarize.transcript, TranscriptStyle);
  if (summarize.fanIn !== undefined) checkRange(v, "fan_in", summarize.fanIn, FAN_IN);
  checkEnum(v, "shape", summarize.shape, SummaryShape);
  checkCollectionId(v, "collection_id", summarize.collectionId);
  v.leave();
}

/** What leaves at once has no place to come back to, and cannot be kept. */
function checkLeave(v: Violations, { keep, leave, onFailure }: Summarize): void {
  checkEnum(v, "leave", leave, SummaryLeave);
  checkEnum(v, "on_failure", onFailure, SummaryFailure);
  if (leave !== SummaryLeave.AT_ONCE) return;
  if (keep !== SummaryKeep.APPEND && keep !== SummaryKeep.REPLACE) {
    v.add(
      "leave",
      "SUMMARY_LEAVE_AT_ONCE is only for SUMMARY_KEEP_APPEND and SUMMARY_KEEP_REPLACE",
    );
  }
  if (onFailure === SummaryFailure.KEEP) {
    v.add("on_failure", "SUMMARY_FAILURE_KEEP is not for messages that leave at once");
  }
}

/** Checks the field `summary_view`, if it is set. */
export function checkSummaryView(v: Violations, view: SummaryView | undefined): void {
  if (view === undefined) return;
  v.enter("summary_view");
  checkEnum(v, "show", view.show, SummaryShow);
  if (view.prefix !== undefined) checkText(v, "prefix", view.prefix, LIMITS.summaryPrefixBytes);
  v.leave();
}
