// The inputs and results of the use cases about windows, policies, summaries and search, in domain
// terms. As everywhere in the service, a mutation takes an `encode` function for its answer.

import type { ScopeFilter } from "../memory/rules/scopes.ts";
import type { Session, SessionRef, WindowInsert } from "../session/rules/session.ts";
import type { StoredMessage } from "../store/store.ts";
import type { Summary } from "../summary/rules/summary.ts";
import type { Policy, StageOn, WindowUnit } from "../window/policy/policy.ts";
import type {
  ConditionWarning,
  HoldReason,
  SeqRange,
  StageRun,
  ToolOutcome,
  Totals,
  Trim,
  TrimReason,
} from "../window/rules/types.ts";

export interface WindowInput extends SessionRef {
  readonly policy?: Policy;
  readonly asOfSeq?: number;
  readonly newest?: number;
  /** Stages on read shape the answer and store nothing. Default false. */
  readonly readOnly?: boolean;
}

export interface WindowResult {
  /** The wire forms of the messages, by rising seq. */
  readonly messages: readonly Uint8Array[];
  readonly summary: Summary | undefined;
  readonly window: Totals;
  readonly outside: Totals | undefined;
  readonly outsideRanges: readonly SeqRange[];
  readonly outsideTruncated: boolean;
  readonly trims: readonly Trim[];
  readonly openToolCallIds: readonly string[];
  readonly overLimit: boolean;
  readonly lastSeq: number;
  readonly revision: number;
  readonly runs: readonly StageRun[];
  readonly warnings: readonly ConditionWarning[];
  readonly shortenedIds: readonly string[];
}

export interface PreviewInput extends SessionRef {
  /** None means the session's own. */
  readonly policies: readonly Policy[];
  /** None means append and read. */
  readonly occasions: readonly StageOn[];
  readonly source: "window" | "log";
  readonly modelInputTokens?: number;
  readonly toolOutcomes: readonly ToolOutcome[];
}

export interface PreviewResult {
  readonly previews: readonly PolicyPreview[];
  readonly lastSeq: number;
  readonly revision: number;
}

export interface PolicyPreview {
  readonly policy: Policy;
  readonly before: Totals;
  readonly after: Totals;
  readonly trims: readonly Trim[];
  readonly runs: readonly StageRun[];
  readonly warnings: readonly ConditionWarning[];
  readonly overLimit: boolean;
  readonly messages: readonly MessagePreview[];
  readonly truncated: boolean;
  /** The wire forms of the messages that a read would show. */
  readonly shown: readonly Uint8Array[];
}

export interface MessagePreview {
  readonly messageId: string;
  /** 0 for a message the server made. */
  readonly seq: number;
  readonly verdict: "kept" | "removed" | "shortened" | "awaits-summary";
  readonly stage: string;
  readonly reason: TrimReason | undefined;
  readonly heldBy: readonly HoldReason[];
  readonly tokenCount: number;
  readonly turn: number;
}

export type TrimTarget =
  | { readonly kind: "tokens"; readonly maxTokens: number }
  | { readonly kind: "messages"; readonly maxMessages: number }
  | { readonly kind: "recent"; readonly unitCount: number }
  | { readonly kind: "policy" };

export interface TrimSessionInput extends SessionRef {
  readonly target: TrimTarget;
  readonly unit: WindowUnit;
  readonly discard: boolean;
  readonly etag: string;
  readonly encode: (result: {
    readonly revision: number;
    readonly trims: readonly Trim[];
    readonly window: Totals;
    readonly runs: readonly StageRun[];
    readonly overLimit: boolean;
  }) => Uint8Array;
}

export interface RestoreMessagesInput extends SessionRef {
  readonly messageIds: readonly string[];
  readonly ranges: readonly SeqRange[];
  readonly encode: (result: {
    readonly revision: number;
    readonly messageIds: readonly string[];
    readonly window: Totals;
  }) => Uint8Array;
}

export interface ListSummaryInputsInput extends SessionRef {
  readonly choice:
    | { readonly kind: "keep-recent"; readonly keepRecent: number }
    | { readonly kind: "stage"; readonly stage: string };
  /** The position behind which the page begins. */
  readonly after?: number;
  readonly limit: number;
}

export interface SummaryInputs {
  /** The wire forms, oldest first. */
  readonly messages: readonly Uint8Array[];
  /** Of all pages. */
  readonly total: Totals;
  /** The position of the last message, when there are more. */
  readonly next: number | undefined;
}

export interface SetSummaryInput extends SessionRef {
  readonly text: string;
  readonly replacedMessageIds: readonly string[];
  readonly placement: "session" | "in-place";
  readonly expectedVersion?: number;
  readonly encode: (result: {
    readonly session: Session;
    readonly trims: readonly Trim[];
    readonly placed: WindowInsert | undefined;
  }) => Uint8Array;
}

export interface FillToolResultsInput extends SessionRef {
  readonly text: string;
  readonly newestOnly: boolean;
  readonly encode: (result: {
    readonly revision: number;
    /** The wire forms of the messages that were made. */
    readonly messages: readonly Uint8Array[];
    readonly window: Totals;
  }) => Uint8Array;
}

/** Sessions to search for words, and the page of the list. */
export interface SearchSessionsInput {
  readonly namespace: string;
  readonly query: string;
  /** Whose sessions, and what labels they have. */
  readonly scope: ScopeFilter;
  readonly labels: ReadonlyMap<string, string>;
  /** Empty means every session. */
  readonly sessionIds: readonly string[];
  readonly excludeSessionIds: readonly string[];
  readonly sessionIdPrefix: string;
  readonly minScore: number | undefined;
  /** Sessions of earlier pages. */
  readonly offset: number;
  readonly limit: number;
  /** Messages of each session. */
  readonly hitsPerSession: number;
}

export interface SessionMatch {
  readonly sessionId: string;
  readonly userId: string;
  /** Number of occurrences of the words in its messages. */
  readonly score: number;
  readonly hits: readonly { readonly message: StoredMessage; readonly snippet: string }[];
}

/** Sessions that match, the best first. */
export interface SessionMatches {
  readonly matches: readonly SessionMatch[];
  /** The offset of the next page; undefined at the end. */
  readonly next: number | undefined;
}
