// What a read adds to the stored window: the summary of the session and filled results. Both are
// part of what the limits of a policy count.

import type { Policy } from "../policy.ts";
import type { Summary } from "../summaries/summary.ts";
import { type CountedRule, countPlainText, isExact } from "../token-rules.ts";
import { tokenLimit } from "./limit.ts";
import { FILL_NOTICE } from "./tool-result-fill.ts";
import type { Beside } from "./types.ts";

/** The share of a window's tokens that the summary of the session takes at most. */
const SUMMARY_SHARE = 4;

/**
 * What the summary of the session costs at most as it is shown: what the policy says, or a quarter
 * of what the window may cost. Infinite without a limit.
 */
export function summaryRoom(policy: Policy): number {
  const { maxTokens } = policy.summaryView;
  if (maxTokens !== undefined) return maxTokens;
  const limit = policy.countStoredOnly === true ? undefined : tokenLimit(policy);
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.floor(limit / SUMMARY_SHARE);
}

/**
 * What a read adds to a window, as limits count it; undefined for nothing. Only a tokenizer knows
 * what a text costs under an exact rule, and no decision waits for one: there the prefix counts as
 * bytes divided by 4, and a filled result as its bytes, which no encoding passes. A read counts
 * exactly and cuts the summary where it must.
 */
export function besideOf(
  policy: Policy,
  rule: CountedRule,
  summary: Pick<Summary, "tokenCount"> | undefined,
): Beside | undefined {
  if (policy.countStoredOnly === true) return undefined;
  const shown = summary === undefined ? 0 : summaryCost(policy, rule, summary);
  const fill = fillCost(policy, rule);
  return shown === 0 && fill === 0 ? undefined : { summary: shown, fill };
}

function summaryCost(
  policy: Policy,
  rule: CountedRule,
  { tokenCount }: Pick<Summary, "tokenCount">,
): number {
  const { show, prefix } = policy.summaryView;
  if (show === "none") return 0;
  return Math.min(tokenCount + countPlainText(prefix, rule), summaryRoom(policy));
}

function fillCost({ toolResultFill }: Policy, rule: CountedRule): number {
  if (toolResultFill === undefined) return 0;
  const text = fillText(toolResultFill);
  return isExact(rule.rule) ? Buffer.byteLength(text) : countPlainText(text, rule);
}

/** What a filled result says. */
export function fillText({ text }: { readonly text: string }): string {
  return text === "" ? FILL_NOTICE : text;
}
