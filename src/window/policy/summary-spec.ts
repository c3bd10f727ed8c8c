// Complete summary options of a stage, with every default filled in. The public form
// is memorysidecar.v1.Summarize.

/** Place where the text of a summary is kept. */
export type SummaryKeep = "in-place" | "append" | "replace" | "hierarchical";

/** Method that makes the text: one call, or a chain of density. */
export type SummaryFlow = "single" | "density";

/** When summarized messages leave the window. */
export type SummaryLeave = "with-summary" | "at-once";

/** The fate of messages for which no summary can be made. */
export type SummaryFailure = "keep" | "drop" | "placeholder";

/** Transcript forms of messages for hooks. */
export type TranscriptStyle = "roles" | "capitals" | "paragraphs";

/** As what messages a placed summary is shown. */
export type SummaryShape = "system" | "exchange";

/** Positions of the session summary in GetWindow. */
export type SummaryShow = "after-system" | "system-first" | "system-suffix" | "none";

/** Summary options of a stage. */
export interface SummarySpec {
  /** Empty means the default of the server; MANUAL_HOOK makes no task. */
  readonly hook: string;
  readonly maxTokens: number;
  /** May be empty. */
  readonly instructions: string;
  readonly keep: SummaryKeep;
  readonly flow: SummaryFlow;
  /** The most calls of a chain of density. */
  readonly maxLoops: number;
  /** `at-once` only with `append` and `replace`. */
  readonly leave: SummaryLeave;
  readonly onFailure: SummaryFailure;
  /** With `{count}` for the number of messages. */
  readonly placeholder: string;
  readonly separator: string;
  /** In code points. */
  readonly lastChars: number;
  /** Cuts the joined text inside a sentence if need be. Default: whole sentences. */
  readonly lastCharsExact?: boolean;
  readonly prefix: string;
  readonly transcript: TranscriptStyle;
  readonly fanIn: number;
  readonly shape: SummaryShape;
  /** The collection that the text is written to as well; empty for none. */
  readonly collectionId: string;
}

/** Display of the session summary in GetWindow. */
export interface SummaryView {
  readonly show: SummaryShow;
  readonly prefix: string;
  /** The most that it costs as it is shown. Default: see summaryRoom. */
  readonly maxTokens?: number;
}

/** Whether a summary is placed in the window, and not beside it. */
export function isPlaced({ keep }: Pick<SummarySpec, "keep">): boolean {
  return keep === "in-place" || keep === "hierarchical";
}

/** The hook that is none: messages wait for SetSummary. */
export const MANUAL_HOOK = "manual";

/** The hook that every server has. */
export const BUILTIN_HOOK = "builtin";

/** Default fields of a summary. `onFailure` is `drop` for messages that leave at once. */
export const DEFAULT_SUMMARY_SPEC: SummarySpec = {
  hook: "",
  maxTokens: 512,
  instructions: "",
  keep: "in-place",
  flow: "single",
  maxLoops: 5,
  leave: "with-summary",
  onFailure: "keep",
  placeholder: "Summary of {count} messages.",
  separator: " ",
  lastChars: 4_000,
  prefix: "",
  transcript: "roles",
  fanIn: 4,
  shape: "system",
  collectionId: "",
};

/** Default display of the session summary. */
export const DEFAULT_SUMMARY_VIEW: SummaryView = {
  show: "after-system",
  prefix: "Summary of the conversation so far: ",
};
