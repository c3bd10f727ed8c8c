// A session as the domain sees it.

import type { MemoryPolicy } from "./memories/policy.ts";
import type { Policy } from "./policy.ts";
import type { Summary, Trust } from "./summaries/summary.ts";
import type { SeqRange, ToolOutcome, Totals, WindowTotals } from "./window/types.ts";

/** Names a session. */
export interface SessionRef {
  readonly namespace: string;
  readonly sessionId: string;
}

/** What describes a session and changes only through UpdateSession. */
export interface SessionFields {
  readonly userId: string;
  readonly agentId: string;
  /** Sorted by key. */
  readonly labels: ReadonlyMap<string, string>;
  /** The wire form of a Struct; may be empty. */
  readonly metadata: Uint8Array;
  readonly policy: Policy;
  /** 0 means for ever. */
  readonly ttlMs: number;
  readonly summary: Summary | undefined;
  /** How many summaries there have been, placed ones included: the version of the newest. */
  readonly summaryVersion: number;
  /** What stands in the window and not in the log, by rising position. */
  readonly inserts: readonly WindowInsert[];
  /** Undefined: the session gives nothing to long-term memory by itself. */
  readonly memoryPolicy: MemoryPolicy | undefined;
  readonly forkedFrom: { readonly sessionId: string; readonly seq: number } | undefined;
  readonly createMs: number;
  /** The revision that last changed these fields; the etag is made of it. */
  readonly etagRevision: number;
}

/** Something that stands in the window and not in the log. */
export interface WindowInsert {
  /** Its place among the seqs; never an integer. */
  readonly position: number;
  /**
   * A `request` is the user message of a summary that is shown as an exchange; it has the same
   * version and stands before it.
   */
  readonly kind: "summary" | "request" | "result";
  readonly messageId: string;
  readonly tokenCount: number;
  /** The wire form of the message that shows it, without a seq. */
  readonly bytes: Uint8Array;
  /** For a summary: the runs it stands for. */
  readonly ranges: readonly SeqRange[];
  /** For a summary: when the first of them was said, or else stored. */
  readonly firstMs: number;
  readonly createMs: number;
  /** For a summary: its version. 0 for others. */
  readonly version: number;
  /** For a summary: the hook that made it; empty when a caller did. */
  readonly hook: string;
  /** For a summary: the stage that asked for it; empty when a caller did. */
  readonly stage: string;
  /** For a summary: how many levels it stands on. 0 for others. */
  readonly level: number;
  readonly trust: Trust;
}

/** What policies remember from one change to the next. */
export interface PolicyState {
  /** What the model's input took; 0 when nobody said. */
  readonly modelInputTokens: number;
  /** Outcomes of the tools that triggers name, since the last turn end, oldest first. */
  readonly outcomes: readonly ToolOutcome[];
  /** When stages with triggers for new messages last acted. */
  readonly marks: readonly StageMark[];
  /** The stages that are over their limit and said so. */
  readonly overLimit: readonly string[];
  /** The newest seq when a turn last became an episode; 0 when none did. */
  readonly turnEndSeq: number;
}

/** When a stage last acted, and what it left. */
export interface StageMark {
  readonly stage: string;
  readonly seq: number;
  readonly window: Totals;
}

/** Nothing to remember. */
export const EMPTY_POLICY_STATE: PolicyState = {
  modelInputTokens: 0,
  outcomes: [],
  marks: [],
  overLimit: [],
  turnEndSeq: 0,
};

/** What every append changes. */
export interface SessionHead {
  readonly lastSeq: number;
  /** The first seq of the log: 1, or higher after a reset. */
  readonly firstSeq: number;
  readonly log: Totals;
  /** The messages of the log that are in the window; what stands in it besides is not counted. */
  readonly window: WindowTotals;
  /** The stored window as runs: every existing message of the runs is in it. */
  readonly windowRanges: readonly SeqRange[];
  readonly policyState: PolicyState;
  readonly updateMs: number;
  readonly revision: number;
}

/** A session without its messages. */
export interface Session extends SessionRef {
  readonly fields: SessionFields;
  readonly head: SessionHead;
}

/** When the session will be gone; undefined without a ttl. */
export function expireMs(session: Session): number | undefined {
  return session.fields.ttlMs === 0 ? undefined : session.head.updateMs + session.fields.ttlMs;
}

/** Whether the session's time has run out. */
export function isExpired(session: Session, nowMs: number): boolean {
  const end = expireMs(session);
  return end !== undefined && end <= nowMs;
}
