// MARSYS: the chain of processors that its later releases compact a memory with, and how each is
// judged before it runs: by what it is estimated to save.

import { type Message, Role } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import { type Json, type JsonObject, listOf, needText, numberOf, objectOf } from "./json.ts";
import { plainText } from "./messages.ts";

/** The processors, by the names that stages of the server have. */
export const TRUNCATION = "tool_truncation";
export const SUMMARIZATION = "summarization";
export const PACKING = "backward_packing";

const NAMES: Readonly<Record<string, string>> = {
  [TRUNCATION]: TRUNCATION,
  [SUMMARIZATION]: SUMMARIZATION,
  [PACKING]: PACKING,
  // Names that earlier releases used.
  tool_response_truncation: TRUNCATION,
  model_compaction: SUMMARIZATION,
};
const DEFAULTS = { threshold: 150_000, ratio: 0.4, toolTokens: 1_200, summaryTokens: 6_000 };

/** A processor's account of its work, or of why it did nothing. */
export type Stage = Readonly<Record<string, unknown>> & { readonly stage: string };

/** A chain as a case sets it up. */
export interface Chain {
  readonly threshold: number;
  readonly target: number;
  readonly minRatio: number;
  /** Those that run or are left out by what they would save, in their order. */
  readonly processors: readonly string[];
  readonly excluded: readonly string[];
  readonly optionsOf: (processor: string) => JsonObject;
}

/** A message with what it costs when a processor comes to it. */
export interface Costed {
  readonly message: Message;
  readonly tokens: number;
}

/** The processors of a list that the source knows; it leaves out the others. */
export function knownProcessors(names: Json | undefined): readonly string[] {
  return listOf(names, "processors").flatMap((name) => NAMES[needText(name, "a processor")] ?? []);
}

/** Reads the chain of a policy. */
export function chainOf(policy: JsonObject): Chain {
  const options = { ...policy, ...objectOf(policy["active_context"], "active_context") };
  const threshold = numberOf(options["threshold_tokens"], "threshold_tokens") ?? DEFAULTS.threshold;
  const minRatio = numberOf(options["min_reduction_ratio"], "it") ?? DEFAULTS.ratio;
  const excluded = knownProcessors(options["excluded_processors"]);
  const order = options["processor_order"] ?? [TRUNCATION, SUMMARIZATION, PACKING];
  return {
    threshold,
    target:
      numberOf(options["compaction_target_tokens"], "it") ?? Math.trunc(threshold * (1 - minRatio)),
    minRatio,
    processors: knownProcessors(order).filter((name) => !excluded.includes(name)),
    excluded,
    optionsOf: (processor) => objectOf(options[processor], processor),
  };
}

/** Number of the newest assistant turns that a processor leaves alone. */
export function graceOf(chain: Chain, processor: string): number {
  return Math.max(1, numberOf(chain.optionsOf(processor)["grace_recent_messages"], "it") ?? 1);
}

/** Start of the newest assistant turns; past the end if there are not as many. */
export function tailStart(messages: readonly Message[], count: number): number {
  const starts = messages.flatMap(({ role }, index) => (role === Role.ASSISTANT ? [index] : []));
  return starts.at(-count) ?? messages.length;
}

export function tokensOf(list: readonly Costed[]): number {
  return list.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Says what a processor is estimated to save. */
function estimate(chain: Chain, processor: string, list: readonly Costed[]): number {
  const options = chain.optionsOf(processor);
  if (options["enabled"] === false) return 0;
  if (processor === PACKING) return Math.max(0, tokensOf(list) - chain.target);
  const start = tailStart(
    list.map(({ message }) => message),
    graceOf(chain, processor),
  );
  const old = list.slice(0, start);
  if (processor === SUMMARIZATION) {
    const most = numberOf(options["output_max_tokens"], "it") ?? DEFAULTS.summaryTokens;
    const before = start <= 1 ? 0 : tokensOf(old);
    return before - Math.min(most, Math.trunc(before / 2));
  }
  const most = numberOf(options["max_tool_message_tokens"], "it") ?? DEFAULTS.toolTokens;
  return old
    .filter(({ message }) => isResult(message, options))
    .reduce((sum, { tokens }) => sum + Math.max(0, tokens - most), 0);
}

function isResult(message: Message, options: JsonObject): boolean {
  if (message.role === Role.TOOL) return true;
  const counts = options["include_tool_payload_user_messages"] !== false;
  return counts && message.role === Role.USER && /^Tool .*returned:/s.test(plainText(message));
}

/** Says why a processor does not run: it would save too little, and another follows. */
export function leftOut(
  chain: Chain,
  processor: string,
  list: readonly Costed[],
): Stage | undefined {
  const isLast = chain.processors.at(-1) === processor;
  if (isLast && chain.optionsOf(processor)["enabled"] !== false) return undefined;
  if (isLast) return { stage: processor, skipped: true };
  const saved = estimate(chain, processor, list);
  const ratio = chain.threshold > 0 ? saved / chain.threshold : 0;
  if (ratio >= chain.minRatio) return undefined;
  const reason = "insufficient_reduction";
  return { stage: processor, skipped: true, reason, estimated_savings: saved, ratio };
}
