// Mapping of a set's speakers to roles and names of messages.

import type { SetTurn } from "./conversation-set.ts";

type Cast = (speaker: string) => Pick<SetTurn, "role" | "author">;

/**
 * Returns the cast of a conversation. "user" and "assistant" are roles. Of two named people the
 * first becomes the user and the second the assistant, each with the name. With more speakers, as
 * in records of several devices, all are users with names.
 */
export function castOf(speakers: readonly string[]): Cast {
  const people = [...new Set(speakers)].filter((one) => !isRole(one));
  const second = people.length === 2 ? people[1] : undefined;
  return (speaker) => {
    if (isRole(speaker)) return { role: speaker, author: "" };
    return { role: speaker === second ? "assistant" : "user", author: speaker };
  };
}

function isRole(speaker: string): speaker is "user" | "assistant" {
  return speaker === "user" || speaker === "assistant";
}
