// Reads LoCoMo in its published form: locomo10.json, ten conversations of two people.

import type { SetConversation, SetTurn } from "./conversation-set.ts";
import { setDateMs } from "./set-dates.ts";
import { castOf } from "./speakers.ts";

interface LocomoTurn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text?: string;
  readonly blip_caption?: string;
}

interface LocomoEntry {
  readonly sample_id: string;
  /** session_N holds turns, session_N_date_time their date; speaker_a and speaker_b are names. */
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly {
    readonly question: string;
    readonly category: number;
    readonly evidence?: readonly string[];
  }[];
}

/** Form "D8:6", with the misprints "D:11:26" and "D30:05"; one string may name several. */
const EVIDENCE = /D:?(\d+):0*(\d+)/g;

/** Category of questions without an answer in the conversation, excluded from the main figure. */
const ADVERSARIAL = 5;

/** Reads the conversations of locomo10.json. */
export function readLocomo(entries: readonly unknown[]): SetConversation[] {
  return (entries as readonly LocomoEntry[]).map(conversationOf);
}

function conversationOf({ sample_id, conversation, qa }: LocomoEntry): SetConversation {
  const turns: SetTurn[] = [];
  const indexes = new Map<string, number>();
  const cast = castOf([String(conversation["speaker_a"]), String(conversation["speaker_b"])]);
  for (const session of sessionNumbers(conversation)) {
    const timeMs = setDateMs(String(conversation[`session_${session}_date_time`] ?? ""));
    for (const turn of conversation[`session_${session}`] as readonly LocomoTurn[]) {
      for (const id of evidenceIds(turn.dia_id)) indexes.set(id, turns.length);
      const text = [turn.text ?? "", turn.blip_caption ?? ""].filter((part) => part !== "");
      turns.push({
        session: String(session),
        timeMs,
        ...cast(turn.speaker),
        text: text.join(" "),
      });
    }
  }
  const questions = qa.map(({ question, category, evidence = [] }) => {
    const found = evidence.flatMap(evidenceIds).flatMap((id) => indexes.get(id) ?? []);
    return {
      query: question,
      category: String(category),
      isMain: category !== ADVERSARIAL,
      evidence: [...new Set(found)].sort((a, b) => a - b),
      askedMs: undefined,
    };
  });
  return { id: sample_id, turns, questions };
}

function sessionNumbers(conversation: LocomoEntry["conversation"]): number[] {
  const numbers = Object.keys(conversation).flatMap((key) => {
    const number = /^session_(\d+)$/.exec(key)?.[1];
    return number === undefined || !Array.isArray(conversation[key]) ? [] : [Number(number)];
  });
  return numbers.sort((a, b) => a - b);
}

/** Normalized ids of an evidence string. */
function evidenceIds(text: string): string[] {
  return Array.from(text.matchAll(EVIDENCE), ([, session, turn]) => `${session}:${turn}`);
}
