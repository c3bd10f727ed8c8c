// What hooks may take in an hour. A call is counted before it goes out, with an estimate of its
// tokens; the estimate gives way to what the hook says that it took.

import type { SummarizeWork, TaskUsage } from "./task.ts";

const HOUR_MS = 3_600_000;
/** Tasks that waited for the hour come back over this time, not all in its first moment. */
const SPREAD_MS = 30_000;

/** What an operator allows each namespace in an hour; 0 means no limit. */
export interface BudgetLimits {
  readonly callsPerHour: number;
  readonly tokensPerHour: number;
}

/** The hour of a time: hours since 1970, rounded down. */
export function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS);
}

/** When a task may be tried that the budget of this hour has no room for. */
export function nextHourMs(nowMs: number, taskNo: number): number {
  return (hourOf(nowMs) + 1) * HOUR_MS + (taskNo % SPREAD_MS);
}

/**
 * Whether a call of so many tokens fits into what is left of the hour. A call that is larger than
 * the whole budget would wait for ever: it goes when nothing was used in the hour.
 */
export function budgetOf(limits: BudgetLimits, usage: TaskUsage, wanted: number): "ok" | "wait" {
  const { callsPerHour, tokensPerHour } = limits;
  if (callsPerHour > 0 && usage.calls >= callsPerHour) return "wait";
  if (tokensPerHour === 0 || usage.tokens === 0) return "ok";
  return usage.tokens + wanted > tokensPerHour ? "wait" : "ok";
}

/** The usage with a call of so many tokens. */
export function reserved(usage: TaskUsage, tokens: number): TaskUsage {
  return { calls: usage.calls + 1, tokens: usage.tokens + tokens };
}

/**
 * The usage when a call is over: what it took stands in the place of what was reserved for it. 0
 * means that the hook did not say, and the estimate stays.
 */
export function settled(usage: TaskUsage, reservedTokens: number, takenTokens: number): TaskUsage {
  if (takenTokens === 0) return usage;
  return { ...usage, tokens: Math.max(0, usage.tokens - reservedTokens) + takenTokens };
}

/** The usage when a call was given back before anybody made it. */
export function refunded(usage: TaskUsage, reservedTokens: number): TaskUsage {
  return {
    calls: Math.max(0, usage.calls - 1),
    tokens: Math.max(0, usage.tokens - reservedTokens),
  };
}

/**
 * The tokens that a call of a task is expected to take: its messages, what is known already and the
 * draft, up to the limit of the hook for messages, and the answer. At least 1, so that a call is
 * never for nothing.
 */
export function expectedTokens(work: SummarizeWork, inputTokensMax: number): number {
  const { sources, spec, draft } = work;
  const messages = Math.min(Math.ceil(sources.tokenCount), inputTokensMax);
  const drafted = draft === undefined ? 0 : spec.maxTokens;
  return Math.max(1, messages + drafted + spec.maxTokens);
}
