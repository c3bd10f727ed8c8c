// Sets of conversations with questions whose evidence is known: what recall is measured on.

/** One message of a conversation. */
export interface SetTurn {
  /** Sessions of one conversation are told apart by this. */
  readonly session: string;
  /** In milliseconds since 1970, UTC; 0 when the date cannot be read. */
  readonly timeMs: number;
  readonly role: "user" | "assistant";
  /** The name of the speaker; empty when the role is all that is known. */
  readonly author: string;
  readonly text: string;
}

/** One question about a conversation. */
export interface SetQuestion {
  readonly query: string;
  readonly category: string;
  /** Counts in the main figure of the set. */
  readonly isMain: boolean;
  /** Indexes of the turns that hold the evidence, rising; never empty. */
  readonly evidence: readonly number[];
  /** When it is asked, in milliseconds since 1970; undefined when nobody says. */
  readonly askedMs: number | undefined;
}

/** A conversation is a scope of its own: its questions are asked of it alone. */
export interface SetConversation {
  readonly id: string;
  readonly turns: readonly SetTurn[];
  readonly questions: readonly SetQuestion[];
}

/** A set of conversations. */
export interface ConversationSet {
  readonly name: string;
  readonly format: "own" | "locomo" | "longmemeval";
  readonly conversations: readonly SetConversation[];
  /** Questions that were left out, since no evidence of theirs is known. */
  readonly leftOutCount: number;
}
