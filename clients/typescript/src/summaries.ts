// Typed ways to say how a stage has its messages summarized, and how a window shows a summary.

import { onlyOptions, whole } from "./choice.ts";
import type { DeepPartial } from "./gen/memorysidecar/v1/message.ts";
import type { Summarize, SummaryView } from "./gen/memorysidecar/v1/policy.ts";
import * as names from "./policy-names.ts";

/** Summary options. Omitted ones have the defaults of the contract. */
export interface SummarizeOptions {
  /** Default: the server's own choice. `manual` leaves the messages to `setSummary`. */
  readonly hook?: string;
  readonly maxTokens?: number;
  readonly instructions?: string;
  /** Handling of the text. Default `in-place`. */
  readonly keep?: names.KeepName;
  readonly flow?: names.FlowName;
  readonly maxLoops?: number;
  readonly leave?: names.LeaveName;
  readonly onFailure?: names.SummaryFailureName;
  readonly placeholder?: string;
  readonly separator?: string;
  readonly lastChars?: number;
  readonly lastCharsExact?: boolean;
  readonly prefix?: string;
  readonly transcript?: names.TranscriptName;
  readonly fanIn?: number;
  readonly shape?: names.ShapeName;
}

const SUMMARIZE_OPTIONS = {
  ...{ hook: true, maxTokens: true, instructions: true, keep: true, flow: true, maxLoops: true },
  ...{ leave: true, onFailure: true, placeholder: true, separator: true, lastChars: true },
  ...{ lastCharsExact: true, prefix: true, transcript: true, fanIn: true, shape: true },
} as const;

/** Says how a stage has its messages summarized, for its option `summarize`. */
export function summarize(options: SummarizeOptions = {}): DeepPartial<Summarize> {
  onlyOptions("summarize", options, SUMMARIZE_OPTIONS);
  const { keep, flow, leave, onFailure, transcript, shape, ...rest } = options;
  return {
    ...rest,
    ...(keep && { keep: names.KEEPS[keep] }),
    ...(flow && { flow: names.FLOWS[flow] }),
    ...(leave && { leave: names.LEAVES[leave] }),
    ...(onFailure && { onFailure: names.SUMMARY_FAILURES[onFailure] }),
    ...(transcript && { transcript: names.TRANSCRIPTS[transcript] }),
    ...(shape && { shape: names.SHAPES[shape] }),
  };
}

/**
 * Says where a window shows the summary of the session, and how much of it. Default: behind the
 * system prompt, within a quarter of the token limit of the policy.
 */
export function summaryView(
  options: {
    readonly show?: names.ShowName;
    readonly prefix?: string;
    readonly maxTokens?: number;
  } = {},
): DeepPartial<SummaryView> {
  onlyOptions("summaryView", options, { show: true, prefix: true, maxTokens: true });
  const { show, prefix, maxTokens } = options;
  return {
    ...(show && { show: names.SHOWS[show] }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(maxTokens === undefined ? {} : { maxTokens: whole(maxTokens) }),
  };
}
