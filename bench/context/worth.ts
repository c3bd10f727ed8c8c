// `npm run bench:context -- --personas`: the worth of a context for people with 16 facts and 5,000
// messages. For a question that a fact answers: whether the fact is inside. For one without a
// stored answer: the cost of the recalled text.

import { ContextSectionKind } from "../../clients/typescript/src/gen/memorysidecar/v1/recall.ts";
import type { MemorySidecar } from "../../clients/typescript/src/index.ts";
import { type Persona, type PersonaQuestion, personas } from "./personas.ts";

const SESSION = "chat";
const BATCH = 250;
const LOOK_MS = 200;
const RECALLED: ReadonlySet<ContextSectionKind> = new Set([
  ContextSectionKind.RECALLED_MESSAGES,
  ContextSectionKind.DOCUMENTS,
]);

/** Measures of one context. */
export interface Worth {
  readonly question: PersonaQuestion;
  /** Whether the answering fact is inside. */
  readonly isInside: boolean;
  /** Shares of the budget used by recalled text, by long-term memory and in total. */
  readonly recalled: number;
  readonly known: number;
  readonly whole: number;
}

/** Stores people, each in their own namespace, and waits until they are indexed for recall. */
export async function storePersonas(
  client: MemorySidecar,
  people: readonly Persona[],
): Promise<void> {
  for (const { name, facts, messages } of people) {
    const namespace = name.toLowerCase();
    await client.createSession({ sessionId: SESSION, userId: name }, { namespace });
    for (let from = 0; from < messages.length; from += BATCH) {
      const batch = messages.slice(from, from + BATCH).map((text, index) => ({
        ...{ text, role: index % 2 === 0 ? ("user" as const) : ("assistant" as const) },
      }));
      await client.append(SESSION, batch, { namespace });
    }
    const memories = facts.map((text) => ({ text, userId: name, kind: "fact" as const }));
    await client.remember(memories, { namespace });
    for (;;) {
      const options = { namespace, userId: name, pageSize: 1 };
      const { coverage } = await client.recall("hello", options);
      if (coverage?.complete === true && coverage.withoutVectorCount === 0) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** Requests the context of every question of stored people. */
export async function* worthOf(
  client: MemorySidecar,
  people: readonly Persona[],
  maxTokens: number,
): AsyncGenerator<Worth, void, undefined> {
  for (const { name, questions } of people) {
    const namespace = name.toLowerCase();
    for (const question of questions) {
      const { text, parts, tokenCount } = await client.assembleContext({
        ...{ namespace, userId: name, query: question.query, maxTokens },
      });
      const cost = (isOf: (kind: ContextSectionKind) => boolean): number =>
        parts.reduce((sum, part) => sum + (isOf(part.kind) ? part.tokenCount : 0), 0) / maxTokens;
      yield {
        question,
        isInside: question.answer !== undefined && text.includes(question.answer),
        recalled: cost((kind) => RECALLED.has(kind)),
        known: cost((kind) => kind === ContextSectionKind.LONG_TERM),
        whole: tokenCount / maxTokens,
      };
    }
  }
}

const COLUMNS = [
  ...["questions", "tokens", "fact inside, %"],
  ...["of no answer: recalled text, %", "long-term memory, %", "everything, %"],
];

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

function percent(values: readonly number[]): string {
  const sum = values.reduce((total, one) => total + one, 0);
  return ((100 * sum) / Math.max(1, values.length)).toFixed(1);
}

function line(name: string, maxTokens: number, all: readonly Worth[]): string {
  const answered = all.filter(({ question }) => question.answer !== undefined);
  const none = all.filter(({ question }) => question.answer === undefined);
  const inside = percent(answered.map(({ isInside }) => Number(isInside)));
  const costs = (["recalled", "known", "whole"] as const).map((cost) =>
    percent(none.map((one) => one[cost])),
  );
  return row([`${name}, ${answered.length} and ${none.length}`, maxTokens, inside, ...costs]);
}

/**
 * Measures all people and prints a table: those that the defaults were tuned on, and the others.
 */
export async function measureWorth(
  client: MemorySidecar,
  budgets: readonly number[],
): Promise<void> {
  const people = personas();
  await storePersonas(client, people);
  console.log(row(COLUMNS));
  console.log(row(COLUMNS.map(() => "---")));
  const isOfFirst = (one: number): boolean => one % 2 === 0;
  const halves = [
    { name: "first half", people: people.filter((_, index) => isOfFirst(index)) },
    { name: "second half", people: people.filter((_, index) => !isOfFirst(index)) },
  ];
  for (const maxTokens of budgets) {
    const both: Worth[] = [];
    for (const half of halves) {
      const own: Worth[] = [];
      for await (const one of worthOf(client, half.people, maxTokens)) own.push(one);
      console.log(line(half.name, maxTokens, own));
      both.push(...own);
    }
    console.log(line("both", maxTokens, both));
  }
}
