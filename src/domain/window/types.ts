// The types of a window. A window is a list of entries by rising seq; what a message says is not
// needed to trim it, only what is below.

/** Who speaks; the numbers are those of the public `Role` enum. */
export const ROLE = { user: 1, assistant: 2, system: 3, tool: 4 } as const;
export type Role = (typeof ROLE)[keyof typeof ROLE];

/** What the window rules need to know of a message. */
export interface WindowFacts {
  readonly messageId: string;
  readonly role: Role;
  /** The ids of the tool calls it makes; empty for most. */
  readonly callIds: readonly string[];
  /** The id of the tool call it answers; empty for other roles and for a tool without one. */
  readonly toolCallId: string;
  readonly tokenCount: number;
}

/** A message in a window. */
export interface WindowEntry extends WindowFacts {
  readonly seq: number;
  /** The size of the wire form. */
  readonly byteCount: number;
}

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
  | "orphan-tool-result";

/** Messages that one cause took out of a window. */
export interface Trim {
  /** The name of the stage; empty when no stage did it. */
  readonly stage: string;
  readonly reason: TrimReason;
  /** The removed entries by rising seq; never empty. */
  readonly removed: readonly WindowEntry[];
  readonly before: Totals;
  readonly after: Totals;
}

/** What the rules made of a window. */
export interface TrimOutcome<E extends WindowEntry = WindowEntry> {
  readonly kept: readonly E[];
  readonly trims: readonly Trim[];
  /** A limit of an acting stage does not hold, because what is protected is larger. */
  readonly overLimit: boolean;
  /** The ceiling that protected messages pass, if any; such a window must not be stored. */
  readonly ceilingPassed?: "messages" | "bytes";
}
