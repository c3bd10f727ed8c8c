// The types of a window. A window is a list of entries by rising position; most rules need only
// what is below, and a few look at the content through `DetailOf`.

import type { TriggerKind } from "../policy/policy.ts";

/** Role of the speaker; the numbers are those of the public `Role` enum. */
export const ROLE = { user: 1, assistant: 2, system: 3, tool: 4 } as const;
export type Role = (typeof ROLE)[keyof typeof ROLE];

/** The names of roles. */
export const ROLE_NAMES = {
  [ROLE.user]: "user",
  [ROLE.assistant]: "assistant",
  [ROLE.system]: "system",
  [ROLE.tool]: "tool",
} as const satisfies { readonly [role in Role]: keyof typeof ROLE };

/** A message as the window rules see it. */
export interface WindowFacts {
  readonly messageId: string;
  readonly role: Role;
  /** The ids of the tool calls it makes; empty for most. */
  readonly callIds: readonly string[];
  /**
   * The ids of the tool calls it answers: that of a tool message, and those of tool results among
   * its parts. Empty for others and for a tool message without an id.
   */
  readonly answers: readonly string[];
  /** It holds nothing but tool results: a tool message, or a user message of such parts alone. */
  readonly isResult: boolean;
  /** Its tokens: a multiple of a quarter, whole under most rules. */
  readonly tokenCount: number;
  /** When the server stored it, in milliseconds since 1970. */
  readonly createMs: number;
}

/** A message in a window. */
export interface WindowEntry extends WindowFacts {
  /**
   * The position. That of a message in the log is its seq; what stands in the window only (placed
   * summaries, filled results) has a number that is no integer, between those of its neighbors.
   */
  readonly seq: number;
  /** The size of the wire form. */
  readonly byteCount: number;
}

/** Content for conditions, duplicates and shortening; read on demand. */
export interface MessageDetail {
  /** All text of the content, parts joined by a line break; results of tools included. */
  readonly content: string;
  readonly name: string;
  readonly toolCalls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
  /** Content beside text and tool calls; left out when there is none. */
  readonly rest?: {
    readonly images: number;
    /** The characters of data, as compact JSON, and of the calls of other agents. */
    readonly chars: number;
  };
}

/** Reads the details of an entry; gives the same for the same entry. */
export type DetailOf<E extends WindowEntry = WindowEntry> = (entry: E) => MessageDetail;

export interface SeqRange {
  readonly first: number;
  readonly last: number;
}

export interface Totals {
  readonly messageCount: number;
  readonly tokenCount: number;
}

export interface WindowTotals extends Totals {
  readonly byteCount: number;
}

export type TrimReason =
  | "message-limit"
  | "token-limit"
  | "keep-last"
  | "ceiling"
  | "orphan-tool-result"
  | "age-limit"
  | "budget"
  | "middle"
  | "filter"
  | "duplicate"
  | "boundary"
  | "summarized"
  | "summary-failed";

/** Messages that one cause took out of a window. */
export interface Trim<E extends WindowEntry = WindowEntry> {
  /** The name of the stage; empty when no stage did it. */
  readonly stage: string;
  readonly reason: TrimReason;
  /** The removed entries by rising position; never empty. */
  readonly removed: readonly E[];
  readonly before: Totals;
  readonly after: Totals;
  /** They are erased from the log as well. */
  readonly discarded: boolean;
}

/** A trigger that held. */
export interface TriggerHit {
  readonly kind: TriggerKind;
  /** The tool; empty for triggers without one. */
  readonly tool: string;
}

export type HoldReason =
  | "system"
  | "pin-first"
  | "pin-id"
  | "min-messages"
  | "last-user"
  | "waiting-call"
  | "free";

/** A stage that acted. */
export interface StageRun {
  readonly stage: string;
  /** In the order of TriggerKind in the public contract, tools in the order of the policy. */
  readonly triggers: readonly TriggerHit[];
  /** A limit of the stage still does not hold after all stages. */
  readonly overLimit: boolean;
  /** Reasons that kept it from removing more, in the order of the type. */
  readonly heldBy: readonly HoldReason[];
  /** The entries that wait for a summary; only with removedTo `summarize`. */
  readonly awaitsSummary: readonly WindowEntry[];
  /** The task that summarizes for the stage; empty from the rules, which know of none. */
  readonly taskId: string;
}

/** An expression that failed on messages and counted as false there. */
export interface ConditionWarning {
  readonly stage: string;
  /** For example `filter.conditions[0]`. */
  readonly field: string;
  /** The first message it failed on. */
  readonly messageId: string;
  readonly messageCount: number;
}

/** Outcome of a tool. */
export interface ToolOutcome {
  readonly tool: string;
  readonly error: boolean;
}

/** Tokens that a read adds to the stored window. */
export interface Beside {
  /** Tokens of the session's summary as it is shown. It makes way for protected messages. */
  readonly summary: number;
  /** Tokens of each filled result. */
  readonly fill: number;
}

/** Signals of a policy beside the window. */
export interface Signals {
  /** Input tokens of the model; 0 when unknown. */
  readonly modelInputTokens: number;
  /** The outcomes that tool triggers look at, oldest first. */
  readonly outcomes: readonly ToolOutcome[];
  /** The newest seq of the session. */
  readonly lastSeq: number;
  /** By stage name: the newest seq when the stage last acted; 0 when it never did. */
  readonly actedSeqs: ReadonlyMap<string, number>;
  /** The last seq before the session was reset. Default 0. */
  readonly resetSeq?: number;
  /** Tokens that a read adds and limits count. Default: none. */
  readonly beside?: Beside;
}

/** An entry that stays with less content. */
export interface Shortened {
  readonly entry: WindowEntry;
  readonly stage: string;
  /** Number of characters of the text that stay, excluding the marker. */
  readonly keptChars: number;
  /** Tokens afterwards. */
  readonly tokenCount: number;
  /** Text at the end; only when nothing but the beginning stays. */
  readonly marker?: string;
}

/** The result of the rules on a window. */
export interface TrimOutcome<E extends WindowEntry = WindowEntry> {
  /** Remaining entries. The very array that was given when nothing was removed. */
  readonly kept: readonly E[];
  /**
   * Remaining entries of the stored window: `kept` and what only stages with the effect view
   * removed.
   */
  readonly stored: readonly E[];
  /** Removals, cause by cause. Trims of stages with the effect view are among them. */
  readonly trims: readonly Trim<E>[];
  /** Those of `trims` that leave the stored window. */
  readonly storedTrims: readonly Trim<E>[];
  /** The stages that acted: every one with triggers; others when they removed or are over. */
  readonly runs: readonly StageRun[];
  readonly warnings: readonly ConditionWarning[];
  /** By rising position. Only kept entries. */
  readonly shortened: readonly Shortened[];
  /** The size of `kept`, after shortening. */
  readonly totals: WindowTotals;
  /** A limit of an acting stage does not hold, because what is protected is larger. */
  readonly overLimit: boolean;
  /** The ceiling that protected messages pass, if any; such a window must not be stored. */
  readonly ceilingPassed?: "messages" | "bytes";
}
