// The project's own format: a list of conversations with turns and questions (qa).

import type { SetConversation, SetQuestion, SetTurn } from "./conversation-set.ts";
import { setDateMs } from "./set-dates.ts";
import { castOf } from "./speakers.ts";

interface OwnTurn {
  readonly sess: number | string;
  readonly date: string;
  readonly speaker: string;
  readonly text: string;
  readonly cap?: string;
}

interface OwnConversation {
  readonly id: string;
  readonly turns: readonly OwnTurn[];
  readonly qa: readonly {
    readonly q: string;
    readonly cat: number | string;
    readonly ev: readonly number[];
  }[];
}

// Some chats end their user texts in generator marks such as "->-> 1,1".
const END_MARKS = /(?:\s*->)+\s*[\d,.\s]*$/;

// LoCoMo's category of questions with swapped speakers, excluded from its main figure.
const ADVERSARIAL = 5;

/** Reads the conversations of a file in the project's own format. */
export function readOwn(entries: readonly unknown[]): SetConversation[] {
  return (entries as readonly OwnConversation[]).map((entry) => ({
    id: entry.id,
    turns: turnsOf(entry),
    questions: entry.qa.map((one) => questionOf(one, entry.turns.length)),
  }));
}

function turnsOf({ turns }: OwnConversation): SetTurn[] {
  const cast = castOf(turns.map(({ speaker }) => speaker));
  return turns.map((turn) => ({
    session: String(turn.sess),
    timeMs: setDateMs(turn.date),
    ...cast(turn.speaker),
    text: [turn.text.replace(END_MARKS, ""), turn.cap ?? ""]
      .filter((part) => part !== "")
      .join(" "),
  }));
}

function questionOf({ q, cat, ev }: OwnConversation["qa"][number], turns: number): SetQuestion {
  const known = ev.filter((index) => Number.isInteger(index) && index >= 0 && index < turns);
  const evidence = [...new Set(known)].sort((a, b) => a - b);
  const isMain = cat !== ADVERSARIAL;
  return { query: q, category: String(cat), isMain, evidence, askedMs: undefined };
}
