// The text that stands for one passage in an index.

import { dateWords } from "./dates.ts";

/** What the index text of a passage is made of. */
export interface IndexTextParts {
  /** The name of the author; empty when nobody is named. */
  readonly speaker: string;
  /** The role of the author. Not indexed, as half of all rows share it. */
  readonly role: string;
  /** When it was said, in milliseconds since 1970; undefined when no time is known. */
  readonly timeMs: number | undefined;
  readonly passage: string;
}

/** So much of a name is indexed, in UTF-16 units. */
const SPEAKER_CHARS = 128;

/**
 * Gives what is indexed for one passage: who said it, the day in words, and the passage. A speaker
 * who is named by the role only is left out.
 */
export function indexTextOf({ speaker, role, timeMs, passage }: IndexTextParts): string {
  const isRole = speaker.toLowerCase() === role.toLowerCase();
  const name = isRole ? "" : speaker.slice(0, SPEAKER_CHARS);
  const date = timeMs === undefined ? "" : dateWords(timeMs);
  return [name, date, passage].filter((part) => part !== "").join(" ");
}
