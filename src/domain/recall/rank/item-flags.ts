// What the ranking keeps about an item besides its words: a few bits, read once when it is indexed.

/** Set when the item ends as a question. */
export const FLAG_QUESTION = 1;
/** Set when an assistant without a name wrote the item. */
export const FLAG_PLAIN_ASSISTANT = 2;

/** What an item is, as far as its flags need it. */
export interface FlaggedItem {
  /** A message of the model, not of a user, a tool or a document. */
  readonly isAssistant: boolean;
  /** The author's name, empty when there is none. */
  readonly author: string;
  readonly text: string;
}

const QUESTION_END = /[?？؟]["'”’)\]*_\s]*$/u;

// Only the end is read, so that a long text costs no more than a short one.
const TAIL_CHARS = 32;

/** Gives the flags of an item, at most 16 bits. */
export function itemFlags(item: FlaggedItem): number {
  let flags = 0;
  if (QUESTION_END.test(item.text.slice(-TAIL_CHARS))) flags |= FLAG_QUESTION;
  if (item.isAssistant && item.author === "") flags |= FLAG_PLAIN_ASSISTANT;
  return flags;
}
