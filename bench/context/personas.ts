// Synthetic people with 16 facts and 5,000 messages each, made from a seed, and questions about
// them: a fact answers one half, and nothing stored answers the other.

import { ATTRIBUTES, type Attribute, CHATS, FILLINGS } from "./persona-words.ts";

/** A question, and the fact that answers it; undefined when none does. */
export interface PersonaQuestion {
  readonly query: string;
  readonly answer: string | undefined;
}

/** A person with all stored data about them. */
export interface Persona {
  readonly name: string;
  readonly facts: readonly string[];
  /** Alternating user and assistant messages. */
  readonly messages: readonly string[];
  readonly questions: readonly PersonaQuestion[];
}

export const FACTS = 16;
export const MESSAGES = 5_000;
/** Number of questions per person with an answer, and the same number without. */
export const QUESTIONS_EACH = 10;
/** Number of attributes whose words occur in the messages without their values. */
const NEAR = 15;
const NUMBERS = 90;

const NAMES = [
  ...["Ana", "Bruno", "Chiara", "Dmitri", "Elif", "Femke", "Goran", "Hanne", "Imran", "Jolanda"],
];

/** Seeded random numbers (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomFrom>;

function shuffled<T>(all: readonly T[], random: Random): readonly T[] {
  const left = [...all];
  return all.flatMap(() => left.splice(random(left.length), 1));
}

function oneOf<T>(all: readonly T[], random: Random): T {
  const one = all[random(all.length)];
  if (one === undefined) throw new Error("there is nothing to choose from");
  return one;
}

/** Phrases the question with the person's name, or in the first person. */
function asked(question: string, name: string, isOwn: boolean): string {
  const words: Readonly<Record<string, string>> = isOwn
    ? { I: "I", me: "me", my: "my", mine: "mine", do: "do", am: "am", was: "was" }
    : { I: name, me: name, my: `${name}'s`, mine: `${name}'s`, do: "does", am: "is", was: "was" };
  return question.replace(/\$(\w+)/g, (whole, word: string) => words[word] ?? whole);
}

function chat(random: Random): readonly string[] {
  const values = new Map(
    Object.entries(FILLINGS).map(([word, all]) => [word, oneOf(all, random)] as const),
  );
  values.set("number", String(2 + random(NUMBERS)));
  return oneOf(CHATS, random).map((text) =>
    text.replace(/\$(\w+)/g, (whole, word: string) => values.get(word) ?? whole),
  );
}

function messagesOf(random: Random): readonly string[] {
  const messages = Array.from({ length: MESSAGES / 2 }, () => chat(random)).flat();
  for (const { near } of shuffled(ATTRIBUTES, random).slice(0, NEAR)) {
    messages[2 * random(MESSAGES / 2)] = near;
  }
  return messages;
}

function persona(name: string, seed: number): Persona {
  const random = randomFrom(seed);
  const known = shuffled(ATTRIBUTES, random);
  const facts = known.slice(0, FACTS).map(({ fact, values }) => {
    const value = oneOf(values, random);
    return fact.replaceAll("$name", name).replaceAll("$value", value);
  });
  const question = ({ questions }: Attribute, index: number): string =>
    asked(oneOf(questions, random), name, index % 2 === 0);
  const answered = known.slice(0, QUESTIONS_EACH).map((attribute, index) => ({
    ...{ query: question(attribute, index), answer: facts[index] },
  }));
  const unanswered = known.slice(FACTS, FACTS + QUESTIONS_EACH).map((attribute, index) => ({
    ...{ query: question(attribute, index), answer: undefined },
  }));
  return {
    ...{ name, facts: shuffled(facts, random), messages: messagesOf(random) },
    questions: [...answered, ...unanswered],
  };
}

/** The first `count` people, the same in every run. */
export function personas(count: number = NAMES.length): readonly Persona[] {
  return NAMES.slice(0, count).map((name, index) => persona(name, 7_919 * (index + 1)));
}
