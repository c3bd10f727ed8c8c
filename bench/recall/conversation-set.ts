// Sets of conversations with questions whose evidence is known: the data for measuring recall.

/** One message of a conversation. */
export interface SetTurn {
  /** Session of the turn within its conversation. */
  readonly session: string;
  /** In milliseconds since 1970, UTC; 0 when the date cannot be parsed. */
  readonly timeMs: number;
  readonly role: "user" | "assistant";
  /** Name of the speaker; empty when only the role is known. */
  readonly author: string;
  readonly text: string;
}

/** One question about a conversation. */
export interface SetQuestion {
  readonly query: string;
  readonly category: string;
  /** Whether it counts in the main figure of the set. */
  readonly isMain: boolean;
  /** Ascending indexes of the turns that hold the evidence; never empty. */
  readonly evidence: readonly number[];
  /** Time of the question, in milliseconds since 1970; undefined when the set gives none. */
  readonly askedMs: number | undefined;
}

/** A conversation is its own scope: its questions search nothing else. */
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
  /** Number of questions left out because their evidence is unknown. */
  readonly leftOutCount: number;
}
