// Additions of a read to the stored window: the summary of the session and filled results. The
// limits of a policy count both.

import type { Policy } from "../../window/policy/policy.ts";
import { type CountedRule, countPlainText, isExact } from "../../window/policy/token-rules.ts";
import { tokenLimit } from "../../window/rules/limit.ts";
import { FILL_NOTICE } from "../../window/rules/tool-result-fill.ts";
import type { Beside } from "../../window/rules/types.ts";
import type { Summary } from "./summary.ts";

/** The share of a window's tokens that the summary of the session takes at most. */
const SUMMARY_SHARE = 4;

/**
 * Most tokens of the summary of the session as it is shown: the policy's maximum, or a quarter of
 * the token limit of the window. Infinite without a limit.
 */
export function summaryRoom(policy: Policy): number {
  const { maxTokens } = policy.summaryView;
  if (maxTokens !== undefined) return maxTokens;
  const limit = policy.countStoredOnly === true ? undefined : tokenLimit(policy);
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.floor(limit / SUMMARY_SHARE);
}

/**
 * Additions of a read to a window, as limits count them; undefined for none. Exact rules need a
 * tokenizer, and no decision waits for one: under them the prefix counts as a quarter of its bytes,
 * and a filled result as its bytes, which no encoding exceeds. A read counts exactly and cuts the
 * summary where it must.
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

/** Text of a filled result. */
export function fillText({ text }: { readonly text: string }): string {
  return text === "" ? FILL_NOTICE : text;
}
