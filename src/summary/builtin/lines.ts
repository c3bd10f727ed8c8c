// What is summarized.

/** A message, or another text, that takes part. */
export interface ExtractLine {
  readonly role: "user" | "assistant" | "system" | "tool" | "summary";
  readonly text: string;
  /** May be empty. */
  readonly name: string;
  readonly messageId: string;
  /** 0 for what is no message of the log. */
  readonly seq: number;
  /** When it was said, as it should be shown. May be absent. */
  readonly date?: string;
  /** Who said it, of a line of a summary that says so. */
  readonly saidBy?: "user" | "assistant" | "system" | "tool";
}
