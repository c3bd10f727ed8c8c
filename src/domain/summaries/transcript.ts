// Writes messages down as text for hooks that work on text.

import type { TranscriptStyle } from "./spec.ts";

/** What a transcript tells of a message. */
export interface TranscriptLine {
  /** A role of messages in lower case, or `summary` for a placed summary. */
  readonly role: string;
  /** All text of it; may be empty. */
  readonly text: string;
}

/**
 * Writes messages down in a style: one message a line, or with an empty line between. A message
 * without text, such as a mere tool call, makes an entry without text. Texts stay as they are, line
 * breaks included.
 */
export function transcriptOf(lines: readonly TranscriptLine[], style: TranscriptStyle): string {
  const entries = lines.map(({ role, text }) =>
    style === "capitals" ? `${role.toUpperCase()}: ${text}` : `${role}: ${text}`,
  );
  return entries.join(style === "paragraphs" ? "\n\n" : "\n");
}
