// How the speakers of a set become roles and names of messages.

import type { SetTurn } from "./conversation-set.ts";

type Cast = (speaker: string) => Pick<SetTurn, "role" | "author">;

/**
 * Gives the cast of a conversation. "user" and "assistant" are roles. Of two people by name the
 * first one takes the user's part and the other one the assistant's, each with the name; where
 * there are more, as with records of several devices, all are users by name.
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
