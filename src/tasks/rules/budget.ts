// Hourly budget of calls and tokens. A call is counted before it goes out, with an estimate of its
// tokens; the number that the hook reports replaces the estimate.

import type { SummarizeWork, TaskUsage } from "./task.ts";

const HOUR_MS = 3_600_000;
/** Tasks that waited for the next hour are spread over this time after its start. */
const SPREAD_MS = 30_000;

/** Hourly limits for each namespace; 0 means no limit. */
export interface BudgetLimits {
  readonly callsPerHour: number;
  readonly tokensPerHour: number;
}

/** The hour of a time: hours since 1970, rounded down. */
export function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS);
}

/** When to try a task that does not fit in this hour's budget. */
export function nextHourMs(nowMs: number, taskNo: number): number {
  return (hourOf(nowMs) + 1) * HOUR_MS + (taskNo % SPREAD_MS);
}

/**
 * Whether a call of so many tokens fits in the rest of the hour's budget. A call larger than the
 * whole budget would wait forever: it may go while nothing was used in the hour.
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
 * The usage after a call: its real tokens replace the reserved ones. 0 means that the hook did not
 * report them, and the estimate stays.
 */
export function settled(usage: TaskUsage, reservedTokens: number, takenTokens: number): TaskUsage {
  if (takenTokens === 0) return usage;
  return { ...usage, tokens: Math.max(0, usage.tokens - reservedTokens) + takenTokens };
}

/** The usage after a call was given back before it was made. */
export function refunded(usage: TaskUsage, reservedTokens: number): TaskUsage {
  return {
    calls: Math.max(0, usage.calls - 1),
    tokens: Math.max(0, usage.tokens - reservedTokens),
  };
}

/**
 * Expected tokens of a task's call: its messages, the prior summary and the draft, up to the hook's
 * input limit, and the answer. At least 1: no call is free.
 */
export function expectedTokens(work: SummarizeWork, inputTokensMax: number): number {
  const { sources, spec, draft } = work;
  const messages = Math.min(Math.ceil(sources.tokenCount), inputTokensMax);
  const drafted = draft === undefined ? 0 : spec.maxTokens;
  return Math.max(1, messages + drafted + spec.maxTokens);
}
