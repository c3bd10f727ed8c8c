// Marks that say that what stands between them is data. They are the same for the same content;
// what stands between them cannot close them.

import { neutralizeInside } from "../memories/prompt-markers.ts";
import { lowestTrust, TRUST, type Trust } from "../summaries/summary.ts";
import type { ContextSectionKind } from "./types.ts";

const SOURCES: Readonly<Record<ContextSectionKind, string>> = {
  summary: "summary",
  "long-term": "memory",
  entities: "memory",
  relations: "memory",
  episodes: "memory",
  "recalled-messages": "messages",
  documents: "documents",
  conversation: "messages",
  "daily-log": "memory",
};

const TRUST_NAMES = { [TRUST.low]: "low", [TRUST.medium]: "medium", [TRUST.high]: "high" } as const;

/** What stands behind the content of a section. */
export const FENCE_CLOSE = "</data>";

/** What stands before the content of a section: where it is from, and the lowest trust in it. */
export function fenceOpen(kind: ContextSectionKind, trusts: readonly Trust[]): string {
  return `<data source="${SOURCES[kind]}" trust="${TRUST_NAMES[lowestTrust(trusts)]}">`;
}

/** What is not seen between letters, or stands on top of one. */
const UNSEEN = "\\p{Cf}\\p{M}\\p{Default_Ignorable_Code_Point}";
const BETWEEN = `[${UNSEEN}]*`;
/** The name of the mark, in letters of any width and those that look the same. */
const NAME = ["[dｄԁ]", "[aａа]", "[tｔт]", "[aａа]"].join(BETWEEN);
/** An angle bracket of any form before that name, whatever invisible stands in between. */
const MARK = new RegExp(`[<＜﹤‹〈\u2329⟨❮❬](?=[\\s${UNSEEN}/\\\\／⁄∕]*${NAME})`, "giu");

/**
 * Takes the power out of marks in a text: its own, those of chat formats, and labels of speakers.
 * Code stays as it is. Idempotent.
 */
export function withoutMarks(text: string): string {
  return neutralizeInside(text).replace(MARK, "(");
}
