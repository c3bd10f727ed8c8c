// Reads LongMemEval in its published form: each question has its own haystack of sessions.

import type { SetConversation, SetTurn } from "./conversation-set.ts";
import { setDateMs } from "./set-dates.ts";

interface LongMemEntry {
  readonly question_id: string;
  readonly question_type: string;
  readonly question: string;
  readonly question_date?: string;
  readonly haystack_session_ids?: readonly string[];
  readonly haystack_dates: readonly string[];
  readonly haystack_sessions: readonly (readonly LongMemTurn[])[];
  readonly answer_session_ids?: readonly string[];
}

interface LongMemTurn {
  readonly role: string;
  readonly content: string;
  readonly has_answer?: boolean;
}

/** Suffix of the ids of questions that have no answer. */
const ABSTENTION = "_abs";

/**
 * Reads the questions of LongMemEval, each as a conversation with one question. The evidence is the
 * turns with has_answer; where none has it, the user's turns of the sessions of answer_session_ids.
 */
export function readLongMemEval(entries: readonly unknown[]): SetConversation[] {
  return (entries as readonly LongMemEntry[]).map((entry) => {
    const turns: SetTurn[] = [];
    const marked: number[] = [];
    const inSession: number[] = [];
    for (const [place, session] of entry.haystack_sessions.entries()) {
      const id = entry.haystack_session_ids?.[place] ?? String(place);
      const isAnswer = entry.answer_session_ids?.includes(id) ?? false;
      const timeMs = setDateMs(entry.haystack_dates[place] ?? "");
      for (const turn of session) {
        const role = turn.role === "assistant" ? "assistant" : "user";
        if (turn.has_answer === true) marked.push(turns.length);
        if (isAnswer && role === "user") inSession.push(turns.length);
        // A session may occur twice in a haystack, so its id alone is not unique.
        const name = `${place}-${id}`;
        turns.push({ session: name, timeMs, role, author: "", text: turn.content });
      }
    }
    const isAnswerable = !entry.question_id.includes(ABSTENTION);
    const evidence = marked.length > 0 ? marked : inSession;
    const question = {
      query: entry.question,
      category: entry.question_type,
      isMain: true,
      evidence: isAnswerable ? evidence : [],
      askedMs: askedMs(entry),
    };
    return { id: entry.question_id, turns, questions: [question] };
  });
}

function askedMs({ question_date }: LongMemEntry): number | undefined {
  const time = setDateMs(question_date ?? "");
  return time === 0 ? undefined : time;
}
