// The options of presets that say how messages are summarized.

import { LIMITS } from "../../kit/limits.ts";
import { choice, integer, matching, text } from "./option-kinds.ts";
import { optional } from "./options.ts";
import { withoutIdle } from "./policy-idle.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "./summary-spec.ts";

/** Bounds of the length that a summary may be asked to have. */
export const SUMMARY_TOKENS = {
  min: LIMITS.summaryTokensMin,
  max: LIMITS.summaryTokensMax,
} as const;

/** The hook that summarizes. Profiles of other systems have it beside the options of theirs. */
export const HOOK = matching(
  /^[a-z][a-z0-9_-]{0,62}$/,
  `1 to ${LIMITS.hookNameChars} characters of a-z0-9_-, the first a letter`,
  "Hook that summarizes. Empty: the server's default. manual: none; the messages stay in " +
    "the window until SetSummary.",
);

/** Options that every summarizing preset has. */
export const SUMMARY_OPTIONS = {
  hook: HOOK,
  summary_max_tokens: optional(
    integer(
      SUMMARY_TOKENS,
      DEFAULT_SUMMARY_SPEC.maxTokens,
      `Target length of a summary, in tokens. Null: ${DEFAULT_SUMMARY_SPEC.maxTokens}, or less ` +
        "if the budget of the window is small.",
    ),
  ),
  instructions: text(
    LIMITS.summaryInstructionsBytes,
    "",
    "Instructions to the model on what a summary should cover. The builtin hook ignores them.",
  ),
};

/** The fate of messages that wait for their summary when none can be made. */
export const ON_FAILURE = choice(
  ["keep", "drop", "placeholder"],
  DEFAULT_SUMMARY_SPEC.onFailure,
  "Fate of messages for which no summary can be made. keep: they stay, and the attempt is " +
    "repeated. drop: they leave the window. placeholder: a fixed text replaces them.",
);

/** Gives how a stage summarizes; what is left out, or has no effect, has its default. */
export function specOf(parts: Partial<SummarySpec>): SummarySpec {
  return withoutIdle({ ...DEFAULT_SUMMARY_SPEC, ...parts });
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
