// Checks of hook outputs: an output is a proposal, and only a valid one becomes a summary.

import type { TaskFailureReason } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { placedText } from "../../summary/rules/compose.ts";
import type { SummaryOutput } from "../../summary/rules/summary.ts";
import type { SummarySpec } from "../../window/policy/summary-spec.ts";

/** Facts that an output is checked against. */
export interface OutputCheck {
  readonly spec: Pick<SummarySpec, "maxTokens" | "shape">;
  /** Tokens of the text alone, by the policy's counting rule. */
  readonly tokenCount: number;
  /**
   * Tokens in the window after the summary is placed, and tokens there now. Set for a placed
   * summary: one that costs no less than the messages it replaces saves nothing. A text of the
   * smallest size that can be requested is accepted: it makes the window shorter, if not cheaper.
   */
  readonly cost?: { readonly placed: number; readonly replaced: number };
}

/** At most one in this many characters may be a control character. */
const CONTROL_SHARE = 10;
/** A text may be this many times as long as requested. */
const TOKENS_FACTOR = 2;

/** Maximum number of tokens of a text. */
export function textTokensMax({ maxTokens }: Pick<SummarySpec, "maxTokens">): number {
  return TOKENS_FACTOR * maxTokens;
}

/** The reason to refuse an output; undefined when it is valid. */
export function outputFault(
  output: SummaryOutput,
  check: OutputCheck,
): TaskFailureReason | undefined {
  if (output.text.trim() === "") return "empty-output";
  const { spec, tokenCount, cost } = check;
  if (bytesOf(placedText(spec, output)) > LIMITS.summaryBytes) return "output-too-long";
  if (tokenCount > textTokensMax(spec)) return "output-too-long";
  if (!hasForm(output)) return "invalid-output";
  if (cost !== undefined && savesNothing(cost)) return "output-too-long";
  return undefined;
}

function savesNothing({ placed, replaced }: NonNullable<OutputCheck["cost"]>): boolean {
  return placed > LIMITS.summaryTokensMin && placed >= replaced;
}

function hasForm(output: SummaryOutput): boolean {
  const { text, requestText, missingEntities, facts, openThreads, model } = output;
  return (
    isText(text, LIMITS.summaryBytes) &&
    isText(requestText, LIMITS.summaryRequestBytes) &&
    isText(model, LIMITS.hookModelBytes) &&
    isList(missingEntities, LIMITS.missingEntities, LIMITS.missingEntityBytes) &&
    isList(facts, LIMITS.summaryFacts, LIMITS.summaryFactBytes) &&
    isList(openThreads, LIMITS.summaryFacts, LIMITS.summaryFactBytes) &&
    hasCounts(output)
  );
}

/** Whether the reported tokens of an output are valid counts, as the budget needs. */
export function hasCounts(output: Pick<SummaryOutput, "inputTokens" | "outputTokens">): boolean {
  return isCount(output.inputTokens) && isCount(output.outputTokens);
}

function isCount(tokens: number): boolean {
  return Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= LIMITS.hookTokens;
}

function isList(texts: readonly string[], count: number, bytes: number): boolean {
  return texts.length <= count && texts.every((text) => isText(text, bytes));
}

function isText(text: string, bytes: number): boolean {
  return bytesOf(text) <= bytes && isPlainText(text);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Whether a text is plain text: no lone surrogate, no NUL, and at most a tenth other control
 * characters. Tabs and line breaks do not count.
 */
export function isPlainText(text: string): boolean {
  let chars = 0;
  let controls = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) ?? 0;
    if (code === 0 || (code >= 0xd800 && code <= 0xdfff)) return false;
    if (code > 0xffff) i++;
    chars++;
    const isControl = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    const isSpace = code === TAB || code === LINE_FEED || code === CARRIAGE_RETURN;
    if (isControl && !isSpace) controls++;
  }
  return controls * CONTROL_SHARE <= chars;
}
