// Input of the built-in summarizer.

/** A message, or another text, that takes part. */
export interface ExtractLine {
  readonly role: "user" | "assistant" | "system" | "tool" | "summary";
  /** All text of the message and of tool results in it; may be empty. */
  readonly text: string;
  /** May be empty. */
  readonly name: string;
  readonly messageId: string;
  /** 0 for a text that is no message of the log. */
  readonly seq: number;
  /** When it was said, as it should be shown. May be absent. */
  readonly date?: string;
  /** The speaker, for a line of a summary that names one. */
  readonly saidBy?: "user" | "assistant" | "system" | "tool";
}
