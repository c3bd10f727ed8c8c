// Abilities of source systems that neither the server nor a client offers. A runner could compute
// them from other answers, but then it would judge itself: a case that needs one does not pass, and
// is counted apart. docs/compat/differences.md lists them for users.

/** The abilities, with the reasons. */
const NOT_OFFERED = {
  "access by place": "messages are named by their ids and seqs",
  "another role": "the role of a message is fixed",
  "cache facts": "a window read says what it shows, not whether it was packed anew",
  "compaction events": "each trim and each summary is an event; nothing tells of a chain",
  "daily logs apart": "the daily log is made of the memories, and goes with them",
  "fact memory": "facts are memories of the kind relation; no message becomes one as it stands",
  "files of memories": "documents are imported and exported by the caller",
  "lone summaries": "no model is asked for a summary that would be dropped",
  "methods by name": "a client has the methods of the contract",
  "recall events": "reads are not events",
  "recent count of none": "a window keeps its newest message",
  "summary of the newest question": "the newest question stays in the window",
  "system messages first": "messages keep their places",
  "tool data as text": "data parts stay data; a caller writes them as its model takes them",
  "times before storing": "a memory has its times once it is stored",
} as const;

/** The name of an ability. */
export type Ability = keyof typeof NOT_OFFERED;

/** All of them. */
export const ABILITIES = Object.keys(NOT_OFFERED) as readonly Ability[];

/** Thrown where a case needs an ability that is not offered. */
export class NotOffered extends Error {
  override readonly name = "NotOffered";
  readonly ability: Ability;

  constructor(ability: Ability) {
    super(`${ability}: ${NOT_OFFERED[ability]}`);
    this.ability = ability;
  }
}

/** An operation or an expectation that needs an ability that is not offered. */
export function notOffered(ability: Ability): () => never {
  return () => {
    throw new NotOffered(ability);
  };
}
