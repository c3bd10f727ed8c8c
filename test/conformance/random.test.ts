// Goal: the server does what the source systems do, by random conversations and options; what each
// must give is worked out by a slow model of that system.

import { afterAll, beforeAll, expect, test } from "vitest";
import { randomFrom, testSeed } from "../support/kit/random.ts";
import type { Case } from "./cases.ts";
import { MEMORY_MODELS } from "./memory-models.ts";
import { MODELS } from "./models.ts";
import { failureText } from "./report.ts";
import { runCase } from "./runner.ts";
import { type CaseServer, startCaseServer } from "./server.ts";

const CASES = 30;
/** Fewer: each is a conversation of calls one after the other. */
const MEMORY_CASES = 10;

const seed = testSeed("random cases");
let server: CaseServer;

beforeAll(async () => {
  server = await startCaseServer();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

async function check(kase: Case): Promise<void> {
  const text = failureText(await runCase(server.connection, kase, kase.id));
  const told = text === "" ? "" : `${text}\n${JSON.stringify([kase.given, kase.when])}`;
  expect(told).toBe("");
}

test.each(MODELS)(`${CASES} random cases of system %s`, async (system, model) => {
  const random = randomFrom(seed + Number(system));
  for (let index = 0; index < CASES; index++) {
    await check({ id: `random-${index}`, system, feature: "window.random", ...model(random) });
  }
});

test.each(MEMORY_MODELS)(
  `${MEMORY_CASES} random cases of %s in long-term memory`,
  async (name, model) => {
    const random = randomFrom(seed);
    for (let index = 0; index < MEMORY_CASES; index++) {
      await check({ id: `random-${name}-${index}`, system: "000", ...model(random) });
    }
  },
);
