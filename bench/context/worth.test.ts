// Goal: the measurement of bench:context --personas holds for two of its people: a fact that
// answers the question is inside a context of 400 tokens, and a question without an answer adds
// hardly any text.

import { expect, test } from "vitest";
import { connect } from "../../clients/typescript/src/index.ts";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { startReal } from "../processes.ts";
import { FACTS, MESSAGES, personas, QUESTIONS_EACH } from "./personas.ts";
import { storePersonas, type Worth, worthOf } from "./worth.ts";

const TOKENS = 400;

test("people have 16 facts, 5,000 messages, and questions with an answer and without", () => {
  const people = personas();
  expect(personas()).toEqual(people);
  for (const { facts, messages, questions } of people) {
    expect(new Set(facts).size).toBe(FACTS);
    expect(messages).toHaveLength(MESSAGES);
    expect([...facts, ...messages].join("\n")).not.toContain("$");
    const answers = questions.flatMap(({ answer }) => answer ?? []);
    expect([answers.length, questions.length]).toEqual([QUESTIONS_EACH, 2 * QUESTIONS_EACH]);
    for (const answer of answers) expect(facts).toContain(answer);
  }
});

test("facts that answer are inside, and what answers nothing is not", async () => {
  await using directory = await makeTempDir();
  const server = await startReal(directory.path, { core: undefined, flags: [] });
  const client = connect(`127.0.0.1:${server.port}`, { timeoutMs: 120_000 });
  try {
    const people = personas(2);
    await storePersonas(client, people);
    const all: Worth[] = [];
    for await (const worth of worthOf(client, people, TOKENS)) all.push(worth);
    const answered = all.filter(({ question }) => question.answer !== undefined);
    expect(answered.filter(({ isInside }) => !isInside)).toEqual([]);
    const none = all.filter(({ question }) => question.answer === undefined);
    const recalled = none.reduce((sum, one) => sum + one.recalled, 0) / none.length;
    expect(recalled).toBeLessThanOrEqual(0.1);
  } finally {
    client.close();
    await server.stop();
  }
}, 120_000);
