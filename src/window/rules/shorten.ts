// Cuts long contents to a beginning and an end with a marker between them: what a tool says first
// and last tells more than its middle. Or, where it is asked for, to a beginning and a marker.

import { placeAfter, placeBefore } from "../../kit/text.ts";
import type { HeadCut, Policy } from "../policy/policy.ts";
import { codePointsOf } from "../policy/tokens.ts";
import type { MessageDetail } from "./types.ts";

/** A message after a cut. */
export interface ShortenPlan {
  /** Number of characters (Unicode code points) of the text that stay, excluding the marker. */
  readonly keptChars: number;
  /** Tokens of the message afterwards; never more than before. */
  readonly tokenCount: number;
  /** Text at the end; only when nothing but the beginning stays. */
  readonly marker?: string;
}

/** With a budget that buys this many characters, this many stay; the marker comes on top then. */
const KEPT_CHARS_MIN = 400;

const CHARS_PER_TOKEN = 4;

/**
 * Says how a message is cut, or gives undefined when its text is short enough, or so small that the
 * marker would outweigh what is left out.
 *
 * Images cost `imageTokenCount` each; of the rest of the message's tokens the text costs its share
 * by characters, beside data and calls. A text that costs more than `maxTokens` keeps as many
 * characters as these buy at its own price, less the marker. What is cut away takes its share of
 * the cost along: the message then costs
 *
 *     ceil(tokenCount - text's cost * characters left out / characters)
 *
 * where the marker counts as not left out. That is never more than before.
 */
export function shortenPlan(
  detail: MessageDetail,
  tokenCount: number,
  maxTokens: number,
  imageTokenCount = 0,
): ShortenPlan | undefined {
  if (tokenCount <= maxTokens) return undefined;
  const chars = codePointsOf(detail.content);
  const textCost = textCostOf(detail, chars, tokenCount, imageTokenCount);
  if (textCost <= maxTokens) return undefined;
  const affordable = Math.floor((chars * maxTokens) / textCost);
  const least = affordable < KEPT_CHARS_MIN ? 1 : KEPT_CHARS_MIN;
  const keptChars = Math.max(least, affordable - markerFor(chars).length);
  const leftOut = chars - keptChars - markerFor(chars - keptChars).length;
  if (leftOut <= 0) return undefined;
  const cost = Math.ceil(tokenCount - (textCost * leftOut) / chars);
  return { keptChars, tokenCount: Math.min(tokenCount, cost) };
}

/** Tokens of a message's text: its share by characters of all but the images. */
function textCostOf(
  detail: MessageDetail,
  chars: number,
  tokenCount: number,
  imageTokenCount: number,
): number {
  if (chars === 0) return 0;
  const { images = 0, chars: restChars = 0 } = detail.rest ?? {};
  const divided = Math.max(0, tokenCount - images * imageTokenCount);
  return (divided * chars) / (chars + callChars(detail) + restChars);
}

/**
 * Says how a message is cut to its beginning, or gives undefined when its text costs no more than
 * `maxTokens`, or has no more characters than stay. What is left out saves what the policy's rule
 * counts for its characters; under a rule that does not go by characters, its share of the cost.
 */
export function headPlan(
  detail: MessageDetail,
  tokenCount: number,
  select: { readonly maxTokens: number; readonly head: HeadCut },
  policy: Pick<Policy, "tokenRule" | "customTokenRule" | "imageTokenCount">,
): ShortenPlan | undefined {
  if (tokenCount <= select.maxTokens) return undefined;
  const { marker } = select.head;
  const chars = codePointsOf(detail.content);
  const leftOut = chars - select.head.chars;
  if (leftOut <= 0) return undefined;
  const textCost = textCostOf(detail, chars, tokenCount, policy.imageTokenCount);
  if (textCost <= select.maxTokens) return undefined;
  const perToken = charsPerToken(policy);
  const saved = perToken === undefined ? (textCost * leftOut) / chars : leftOut / perToken;
  const keptChars = Math.max(0, select.head.chars - codePointsOf(marker));
  return { keptChars, tokenCount: Math.max(0, tokenCount - Math.floor(saved)), marker };
}

/** Characters per token; undefined if the rule does not count characters. */
function charsPerToken({
  tokenRule,
  customTokenRule,
}: Pick<Policy, "tokenRule" | "customTokenRule">): number | undefined {
  switch (tokenRule) {
    case "custom":
      return customTokenRule?.charsPerToken;
    case "chars-div-4":
    case "chars-floor-4":
    case "chars-floor-4-min-1":
    case "chars-sum-4":
    case "structured":
      return CHARS_PER_TOKEN;
    default:
      return undefined;
  }
}

function callChars({ toolCalls }: MessageDetail): number {
  return toolCalls.reduce(
    (sum, call) => sum + codePointsOf(call.name) + codePointsOf(call.arguments),
    0,
  );
}

/**
 * Cuts a text to this many characters: two thirds from its beginning and the rest from its end,
 * with a marker between that says how many are left out. Gives the text as it is when the cut would
 * not make it shorter. Counts code points and never splits one.
 */
export function shortenText(text: string, keptChars: number): string {
  const chars = codePointsOf(text);
  const leftOut = chars - keptChars;
  const marker = markerFor(leftOut);
  if (leftOut <= marker.length) return text;
  const tail = Math.floor(keptChars / 3);
  const head = keptChars - tail;
  return (
    text.slice(0, placeAfter(text, 0, head)) +
    marker +
    text.slice(placeBefore(text, text.length, tail))
  );
}

/** Cuts a text to this many characters of its beginning, with a marker behind them. */
export function shortenToHead(text: string, keptChars: number, marker: string): string {
  if (codePointsOf(text) <= keptChars + codePointsOf(marker)) return text;
  return text.slice(0, placeAfter(text, 0, keptChars)) + marker;
}

/** The mark for characters that are left out; ASCII, so its length is its characters. */
function markerFor(leftOut: number): string {
  return `\n[... ${leftOut} characters left out ...]\n`;
}
