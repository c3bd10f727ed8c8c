// Summaries: the texts that stand for messages, and where they come from.

import type { SeqRange, Totals } from "../../window/rules/types.ts";

/** Trust ranks of records; the numbers are those of the public `Trust` enum. */
export const TRUST = { low: 1, medium: 2, high: 3 } as const;
export type Trust = (typeof TRUST)[keyof typeof TRUST];

/** The lowest of some trusts; high for none. */
export function lowestTrust(trusts: readonly Trust[]): Trust {
  let lowest: Trust = TRUST.high;
  for (const trust of trusts) if (trust < lowest) lowest = trust;
  return lowest;
}

/** The summary of a session, beside its window. */
export interface Summary {
  readonly text: string;
  readonly tokenCount: number;
  /** Its number among all summaries of the session, placed ones included. */
  readonly version: number;
  readonly createMs: number;
  /** Messages that it stands for; at most LIMITS.summaryRanges ranges. */
  readonly ranges: readonly SeqRange[];
  /** Empty for a text that a caller set. */
  readonly hook: string;
  /** Empty when a caller set it or asked for it. */
  readonly stage: string;
  /** Number of summary levels below it; at least 1. */
  readonly level: number;
  readonly trust: Trust;
}

/** One summary that a session has had. Kept beside the log, and erased with it. */
export interface SummaryRecord {
  readonly version: number;
  readonly text: string;
  readonly tokenCount: number;
  readonly placement: "session" | "in-place";
  /** Empty for the summary of the session. */
  readonly placedMessageId: string;
  /** Messages that it stands for; at most LIMITS.summaryHistoryRanges ranges, the oldest joined. */
  readonly ranges: readonly SeqRange[];
  /** Those that came with this version. */
  readonly added: readonly SeqRange[];
  /** Totals of all that it stands for, over all levels. */
  readonly sources: Totals;
  /** Rising. */
  readonly sourceVersions: readonly number[];
  readonly level: number;
  /** Empty when a caller asked for it or set it. */
  readonly stage: string;
  /** Empty for a text that a caller set, as are model and task. */
  readonly hook: string;
  readonly model: string;
  readonly taskId: string;
  readonly trust: Trust;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly callCount: number;
  /** From the request to the summary; 0 for a text that a caller set. */
  readonly durationMs: number;
  readonly placeholder: boolean;
  readonly createMs: number;
  /** For a summary of the session: the newest seq when it was set. Unset: unknown. */
  readonly seq?: number;
  /** For a summary of the session that was removed: the newest seq then. */
  readonly endSeq?: number;
}

/** Output of a hook. */
export interface SummaryOutput {
  readonly text: string;
  /** For a chain of density: entities that are still missing. */
  readonly missingEntities: readonly string[];
  /** When structured: the user's request. */
  readonly requestText: string;
  readonly facts: readonly string[];
  readonly openThreads: readonly string[];
  /** May be empty. */
  readonly model: string;
  /** 0 when not known. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}
