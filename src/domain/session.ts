// A session as the domain sees it.

import type { Policy } from "./policy.ts";
import type { SeqRange, Totals, WindowTotals } from "./window/types.ts";

/** Names a session. */
export interface SessionRef {
  readonly namespace: string;
  readonly sessionId: string;
}

export interface Summary {
  readonly text: string;
  readonly tokenCount: number;
  readonly version: number;
  readonly updateMs: number;
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
  /** How many summary texts there have been. */
  readonly summaryVersion: number;
  readonly forkedFrom: { readonly sessionId: string; readonly seq: number } | undefined;
  readonly createMs: number;
  /** The revision that last changed these fields; the etag is made of it. */
  readonly etagRevision: number;
}

/** What every append changes. */
export interface SessionHead {
  readonly lastSeq: number;
  /** The first seq of the log: 1, or higher after a reset. */
  readonly firstSeq: number;
  readonly log: Totals;
  readonly window: WindowTotals;
  /** The stored window as runs: every existing message of the runs is in it. */
  readonly windowRanges: readonly SeqRange[];
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
