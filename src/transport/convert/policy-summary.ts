// How stages summarize and how windows show summaries, between the public form, where most may be
// left out, and the complete form of the domain.

import {
  DEFAULT_SUMMARY_SPEC,
  DEFAULT_SUMMARY_VIEW,
  type SummarySpec,
  type SummaryView,
} from "../../domain/summaries/spec.ts";
import type * as wire from "../../gen/memorysidecar/v1/policy.ts";
import {
  SUMMARY_FAILURES,
  SUMMARY_FLOWS,
  SUMMARY_KEEPS,
  SUMMARY_LEAVES,
  SUMMARY_SHAPES,
  SUMMARY_SHOWS,
  TRANSCRIPT_STYLES,
} from "./policy-enums.ts";

/** Fills in every default of how messages are summarized. */
export function fromSummarize(summarize: wire.Summarize | undefined): SummarySpec {
  if (summarize === undefined) return DEFAULT_SUMMARY_SPEC;
  const initial = DEFAULT_SUMMARY_SPEC;
  const leave = SUMMARY_LEAVES[summarize.leave] ?? initial.leave;
  return {
    hook: summarize.hook,
    maxTokens: summarize.maxTokens ?? initial.maxTokens,
    instructions: summarize.instructions,
    keep: SUMMARY_KEEPS[summarize.keep] ?? initial.keep,
    flow: SUMMARY_FLOWS[summarize.flow] ?? initial.flow,
    maxLoops: summarize.maxLoops ?? initial.maxLoops,
    leave,
    onFailure: fromFailure(summarize.onFailure, leave),
    placeholder: summarize.placeholder === "" ? initial.placeholder : summarize.placeholder,
    separator: summarize.separator ?? initial.separator,
    lastChars: summarize.lastChars ?? initial.lastChars,
    ...(summarize.lastCharsExact ? { lastCharsExact: true } : {}),
    prefix: summarize.prefix,
    transcript: TRANSCRIPT_STYLES[summarize.transcript] ?? initial.transcript,
    fanIn: summarize.fanIn ?? initial.fanIn,
    shape: SUMMARY_SHAPES[summarize.shape] ?? initial.shape,
    collectionId: summarize.collectionId,
  };
}

/** What has left cannot be kept. */
function fromFailure(
  failure: wire.SummaryFailure,
  leave: SummarySpec["leave"],
): SummarySpec["onFailure"] {
  if (failure === 0) return leave === "at-once" ? "drop" : "keep";
  return SUMMARY_FAILURES[failure] ?? "keep";
}

/** Gives how messages are summarized with every default written out. */
export function toSummarize(spec: SummarySpec): wire.Summarize {
  return {
    hook: spec.hook,
    maxTokens: spec.maxTokens,
    instructions: spec.instructions,
    keep: SUMMARY_KEEPS.lastIndexOf(spec.keep) as wire.SummaryKeep,
    flow: SUMMARY_FLOWS.lastIndexOf(spec.flow) as wire.SummaryFlow,
    maxLoops: spec.maxLoops,
    leave: SUMMARY_LEAVES.lastIndexOf(spec.leave) as wire.SummaryLeave,
    onFailure: toSummaryFailure(spec.onFailure),
    placeholder: spec.placeholder,
    separator: spec.separator,
    lastChars: spec.lastChars,
    lastCharsExact: spec.lastCharsExact ?? false,
    prefix: spec.prefix,
    transcript: TRANSCRIPT_STYLES.lastIndexOf(spec.transcript) as wire.TranscriptStyle,
    fanIn: spec.fanIn,
    shape: SUMMARY_SHAPES.lastIndexOf(spec.shape) as wire.SummaryShape,
    collectionId: spec.collectionId,
  };
}

/** The public number of what becomes of messages without a summary. */
export function toSummaryFailure(failure: SummarySpec["onFailure"]): wire.SummaryFailure {
  return SUMMARY_FAILURES.lastIndexOf(failure) as wire.SummaryFailure;
}

/** Fills in every default of how the summary of a session is shown. */
export function fromSummaryView(view: wire.SummaryView | undefined): SummaryView {
  if (view === undefined) return DEFAULT_SUMMARY_VIEW;
  return {
    show: SUMMARY_SHOWS[view.show] ?? DEFAULT_SUMMARY_VIEW.show,
    prefix: view.prefix ?? DEFAULT_SUMMARY_VIEW.prefix,
    ...(view.maxTokens === undefined ? {} : { maxTokens: Number(view.maxTokens) }),
  };
}

/** Gives how the summary of a session is shown with every default written out. */
export function toSummaryView(view: SummaryView): wire.SummaryView {
  return {
    show: SUMMARY_SHOWS.lastIndexOf(view.show) as wire.SummaryShow,
    prefix: view.prefix,
    maxTokens: view.maxTokens === undefined ? undefined : BigInt(view.maxTokens),
  };
}
