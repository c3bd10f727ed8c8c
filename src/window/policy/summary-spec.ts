// How a stage has its messages summarized, complete, with every default filled in. The public form
// is memorysidecar.v1.Summarize.

/** What the text of a summary becomes. */
export type SummaryKeep = "in-place" | "append" | "replace" | "hierarchical";

/** How the text is made: in one call, or as a chain of density. */
export type SummaryFlow = "single" | "density";

/** When summarized messages leave the window. */
export type SummaryLeave = "with-summary" | "at-once";

/** What becomes of messages for which no summary can be made. */
export type SummaryFailure = "keep" | "drop" | "placeholder";

/** How messages are written down for hooks. */
export type TranscriptStyle = "roles" | "capitals" | "paragraphs";

/** As what messages a placed summary is shown. */
export type SummaryShape = "system" | "exchange";

/** Where GetWindow shows the summary of a session. */
export type SummaryShow = "after-system" | "system-first" | "system-suffix" | "none";

/** How a stage has its messages summarized. */
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

/** How GetWindow shows the summary of a session. */
export interface SummaryView {
  readonly show: SummaryShow;
  readonly prefix: string;
  /** The most that it costs as it is shown. Default: see summaryRoom. */
  readonly maxTokens?: number;
}

/** The hook that is none: messages wait for SetSummary. */
export const MANUAL_HOOK = "manual";

/** The hook that every server has. */
export const BUILTIN_HOOK = "builtin";

/** What most leave as it is. `onFailure` is `drop` for messages that leave at once. */
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

/** How most show the summary of a session. */
export const DEFAULT_SUMMARY_VIEW: SummaryView = {
  show: "after-system",
  prefix: "Summary of the conversation so far: ",
};
