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
 * Writes messages down in a style: the role in lower case or in capitals, one message a line, or in
 * capitals with an empty line between. A message without text, such as a mere tool call, makes an
 * entry without text. Texts stay as they are, line breaks included.
 */
export function transcriptOf(lines: readonly TranscriptLine[], style: TranscriptStyle): string {
  const entries = lines.map(({ role, text }) =>
    style === "roles" ? `${role}: ${text}` : `${role.toUpperCase()}: ${text}`,
  );
  return entries.join(style === "paragraphs" ? "\n\n" : "\n");
}
