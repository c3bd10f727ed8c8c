// The options of presets that say how messages are summarized.

import { LIMITS } from "../limits.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../summaries/spec.ts";
import { choice, integer, matching, text } from "./option-kinds.ts";
import { optional } from "./options.ts";

/** How long summaries may be asked to be. */
export const SUMMARY_TOKENS = {
  min: LIMITS.summaryTokensMin,
  max: LIMITS.summaryTokensMax,
} as const;

/** The hook that summarizes. Profiles of other systems have it beside the options of theirs. */
export const HOOK = matching(
  /^[a-z][a-z0-9_-]{0,62}$/,
  `1 to ${LIMITS.hookNameChars} characters of a-z0-9_-, the first a letter`,
  "The hook that summarizes. Empty: the server's default. manual: none; the messages wait in " +
    "the window for SetSummary.",
);

/** What every preset that summarizes can be told. */
export const SUMMARY_OPTIONS = {
  hook: HOOK,
  summary_max_tokens: optional(
    integer(
      SUMMARY_TOKENS,
      DEFAULT_SUMMARY_SPEC.maxTokens,
      `How long a summary should be, in tokens. Null: ${DEFAULT_SUMMARY_SPEC.maxTokens}, or less ` +
        "where the budget of the window is small.",
    ),
  ),
  instructions: text(
    LIMITS.summaryInstructionsBytes,
    "",
    "What a summary should look for, in words for the model. The builtin hook does not use it.",
  ),
};

/** What becomes of messages that stay until their summary is there, when there is none. */
export const ON_FAILURE = choice(
  ["keep", "drop", "placeholder"],
  DEFAULT_SUMMARY_SPEC.onFailure,
  "What becomes of messages for which no summary can be made. keep: they stay, and it is tried " +
    "again. drop: they leave the window. placeholder: a fixed text takes their place.",
);

/** Gives how a stage summarizes; what is left out has its default. */
export function specOf(parts: Partial<SummarySpec>): SummarySpec {
  return { ...DEFAULT_SUMMARY_SPEC, ...parts };
}

/**
 * Gives what the shared options say of a summary; `room` is how long one may be that nobody gave a
 * length.
 */
export function toldOf(
  values: {
    readonly hook: string;
    readonly summary_max_tokens: number | undefined;
    readonly instructions: string;
  },
  room = Number.POSITIVE_INFINITY,
): Pick<SummarySpec, "hook" | "maxTokens" | "instructions"> {
  const { hook, summary_max_tokens, instructions } = values;
  const most = Math.min(DEFAULT_SUMMARY_SPEC.maxTokens, Math.floor(room));
  const maxTokens = summary_max_tokens ?? Math.max(SUMMARY_TOKENS.min, most);
  return { hook, maxTokens, instructions };
}
