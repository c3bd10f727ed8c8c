// A session as the domain sees it.

import type { Summary, Trust } from "../../summary/rules/summary.ts";
import type { MemoryPolicy } from "../../window/policy/memory-policy.ts";
import { DEFAULT_POLICY, type Policy } from "../../window/policy/policy.ts";
import type { SeqRange, ToolOutcome, Totals, WindowTotals } from "../../window/rules/types.ts";

/** Names a session. */
export interface SessionRef {
  readonly namespace: string;
  readonly sessionId: string;
}

/** Fields of a session that callers set. */
export interface SessionSettings {
  readonly userId: string;
  readonly agentId: string;
  /** Sorted by key. */
  readonly labels: ReadonlyMap<string, string>;
  /** The wire form of a Struct; may be empty. */
  readonly metadata: Uint8Array;
  readonly policy: Policy;
  /** 0 means for ever. */
  readonly ttlMs: number;
  /** Undefined: the session gives nothing to long-term memory by itself. */
  readonly memoryPolicy: MemoryPolicy | undefined;
}

/** Settings of a session whose caller sets none. */
export const DEFAULT_SETTINGS: SessionSettings = {
  userId: "",
  agentId: "",
  labels: new Map(),
  metadata: new Uint8Array(0),
  policy: DEFAULT_POLICY,
  ttlMs: 0,
  memoryPolicy: undefined,
};

/** Paths of settings in update masks, in the order in which events name them. */
export const SETTING_PATHS = {
  userId: "user_id",
  agentId: "agent_id",
  labels: "labels",
  metadata: "metadata",
  policy: "policy",
  ttlMs: "ttl",
  memoryPolicy: "memory_policy",
} as const satisfies Readonly<Record<keyof SessionSettings, string>>;

/** Every setting. */
export const SETTINGS = Object.keys(SETTING_PATHS) as (keyof SessionSettings)[];

/** The paths of UpdateSession. */
export type SessionPath = (typeof SETTING_PATHS)[keyof SessionSettings];

/** The settings among the fields of a session. */
export function settingsOf(fields: SessionSettings): SessionSettings {
  return Object.fromEntries(
    SETTINGS.map((setting) => [setting, fields[setting]]),
  ) as unknown as SessionSettings;
}

/** The owner of a session. */
export interface Owner {
  readonly userId: string;
  readonly agentId: string;
}

/** The owner of a session, alone. */
export function ownerOf({ fields: { userId, agentId } }: Pick<Session, "fields">): Owner {
  return { userId, agentId };
}

/** The session that a fork was copied from. */
export interface ForkOrigin {
  readonly sessionId: string;
  /** The newest seq that was copied. */
  readonly seq: number;
  /**
   * The owners of the source, and of the sessions that it was itself copied from, as they were
   * then: an erasure needs them once those sessions are gone. Unset where they are not known.
   */
  readonly owners?: readonly Owner[];
}

/** Fields of a session that do not change with every append. */
export interface SessionFields extends SessionSettings {
  readonly summary: Summary | undefined;
  /** Number of summaries so far, including placed ones: the version of the newest. */
  readonly summaryVersion: number;
  /** Entries of the window that are not in the log, by rising position. */
  readonly inserts: readonly WindowInsert[];
  readonly forkedFrom: ForkOrigin | undefined;
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

/** State of policies from one change to the next. */
export interface PolicyState {
  /** Tokens of the model's input; 0 when unknown. */
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

/** Fields of a session that every append changes. */
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
