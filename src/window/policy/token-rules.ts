// The token rules that need no tokenizer: pure functions of what a message holds. A message costs
// what the rule of its policy said when it was appended; a changed policy recounts nothing.

import { LIMITS } from "../../kit/limits.ts";
import { modelTokenRule } from "./models.ts";
import type { CustomTokenRule, Policy, TokenRule } from "./policy.ts";
import { bytesDiv4, codePointsOf, wordsOf } from "./tokens.ts";

/** The content of a message as token rules see it. */
export interface CountedContent {
  /** Text, text parts, data parts as compact JSON, texts and data of tool results. */
  readonly content: readonly string[];
  /** Tool calls and agent calls: name, and arguments or request. */
  readonly calls: readonly { readonly name: string; readonly body: string }[];
  /** The name of the speaker; empty for none. */
  readonly name: string;
  /** It has a `tool_call_id` of its own. */
  readonly hasCallId: boolean;
  readonly imageCount: number;
}

/** A rule that can be applied, with what it takes from the policy. */
export interface CountedRule {
  /** Never the rule of a model, but the one that the model stands for. */
  readonly rule: TokenRule;
  readonly imageTokenCount: number;
  /** Set exactly when the rule is `custom`. */
  readonly custom: CustomTokenRule | undefined;
}

const QUARTERS = 4;
const STRUCTURED_MESSAGE = 3;
const STRUCTURED_CALL = 5;
const STRUCTURED_CALL_ID = 10;

const known = new WeakMap<Policy, CountedRule>();

/** Gives the rule that a policy counts new messages by; the same object for the same policy. */
export function countedRule(policy: Policy): CountedRule {
  let rule = known.get(policy);
  if (rule === undefined) {
    rule = {
      rule: policy.tokenRule === "model" ? modelTokenRule(policy.model) : policy.tokenRule,
      imageTokenCount: policy.imageTokenCount,
      custom: policy.customTokenRule,
    };
    known.set(policy, rule);
  }
  return rule;
}

/** Whether two rules count everything alike. */
export function isSameRule(a: CountedRule, b: CountedRule): boolean {
  if (a === b) return true;
  if (a.rule !== b.rule || a.imageTokenCount !== b.imageTokenCount) return false;
  return a.rule !== "custom" || isSameCustom(a.custom, b.custom);
}

function isSameCustom(a: CustomTokenRule | undefined, b: CustomTokenRule | undefined): boolean {
  return (
    a?.charsPerToken === b?.charsPerToken &&
    a?.rounding === b?.rounding &&
    a?.perMessage === b?.perMessage &&
    a?.perCall === b?.perCall &&
    a?.min === b?.min &&
    a?.contentOnly === b?.contentOnly
  );
}

/** Whether a rule needs a tokenizer. */
export function isExact(rule: TokenRule): rule is "o200k" | "cl100k" {
  return rule === "o200k" || rule === "cl100k";
}

/** The texts that a tokenizer counts one by one. */
export function countedTexts(counted: CountedContent): readonly string[] {
  if (counted.calls.length === 0) return counted.content;
  const texts = [...counted.content];
  for (const { name, body } of counted.calls) texts.push(name, body);
  return texts;
}

/** The tokens of a message that a tokenizer counted: its texts and its images, held in bounds. */
export function withImages(tokens: number, imageCount: number, rule: CountedRule): number {
  return Math.min(tokens + imageCount * rule.imageTokenCount, LIMITS.countedTokens);
}

/**
 * Counts the tokens of a message by a rule that needs no tokenizer. Gives whole numbers, but
 * multiples of a quarter for `chars-sum-4`. `given` counts as bytes divided by 4 do, for what no
 * caller counts.
 */
export function countTokens(counted: CountedContent, rule: CountedRule): number {
  const tokens = withImages(countText(counted, rule), counted.imageCount, rule);
  return rule.custom === undefined ? tokens : Math.max(tokens, rule.custom.min);
}

/**
 * The part of a token that a message costs beyond whole ones, by the only rule that does not round:
 * public forms hold whole tokens, and the rest follows from the content.
 */
export function fractionOf(counted: CountedContent, rule: TokenRule): number {
  return rule === "chars-sum-4" ? (charsOf(counted.content) / QUARTERS) % 1 : 0;
}

function countText(counted: CountedContent, { rule, custom }: CountedRule): number {
  switch (rule) {
    case "chars-div-4":
      return Math.ceil((charsOf(counted.content) + callCharsOf(counted)) / QUARTERS);
    case "chars-floor-4":
      return Math.floor(charsOf(counted.content) / QUARTERS);
    case "chars-floor-4-min-1": {
      const chars = charsOf(counted.content);
      return chars === 0 ? 0 : Math.max(1, Math.floor(chars / QUARTERS));
    }
    case "chars-sum-4":
      return charsOf(counted.content) / QUARTERS;
    case "structured":
      return structured(counted);
    case "words":
      return wordCount(counted);
    case "custom":
      return custom === undefined ? bytesTokens(counted) : customTokens(counted, custom);
    default:
      return bytesTokens(counted);
  }
}

/**
 * The tokens of a text of the server's own, such as a summary: those of a message that holds just
 * this text, and the name of a speaker if it has one, rounded down.
 */
export function countPlainText(text: string, rule: CountedRule, name = ""): number {
  const content = text === "" ? [] : [text];
  return Math.floor(
    countTokens({ content, calls: [], name, hasCallId: false, imageCount: 0 }, rule),
  );
}

function charsOf(texts: readonly string[]): number {
  let chars = 0;
  for (const text of texts) chars += codePointsOf(text);
  return chars;
}

function callCharsOf({ calls }: CountedContent): number {
  let chars = 0;
  for (const { name, body } of calls) chars += codePointsOf(name) + codePointsOf(body);
  return chars;
}

function bytesTokens({ content, calls }: CountedContent): number {
  let bytes = 0;
  for (const text of content) bytes += Buffer.byteLength(text);
  for (const { name, body } of calls) bytes += Buffer.byteLength(name) + Buffer.byteLength(body);
  return bytesDiv4(bytes);
}

function wordCount(counted: CountedContent): number {
  let words = 0;
  for (const text of countedTexts(counted)) words += wordsOf(text);
  return words;
}

function structured({ content, calls, name, hasCallId }: CountedContent): number {
  let tokens = STRUCTURED_MESSAGE + (hasCallId ? STRUCTURED_CALL_ID : 0);
  for (const text of content) tokens += Math.floor(codePointsOf(text) / QUARTERS);
  let ofCalls = 0;
  for (const call of calls) {
    ofCalls += STRUCTURED_CALL + (codePointsOf(call.name) + codePointsOf(call.body)) / QUARTERS;
  }
  return tokens + Math.floor(ofCalls) + Math.floor(codePointsOf(name) / QUARTERS);
}

function customTokens(counted: CountedContent, custom: CustomTokenRule): number {
  const chars = charsOf(counted.content) + (custom.contentOnly ? 0 : callCharsOf(counted));
  const quotient = chars / custom.charsPerToken;
  const rounded = custom.rounding === "up" ? Math.ceil(quotient) : Math.floor(quotient);
  return rounded + custom.perMessage + custom.perCall * counted.calls.length;
}
