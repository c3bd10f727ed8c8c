// Goal: the server does what the source systems do, by random conversations and options; what each
// must give is worked out by a slow model of that system.

import { afterAll, beforeAll, expect, it } from "vitest";
import { randomFrom, testSeed } from "../support/random.ts";
import { MODELS } from "./models.ts";
import { failureText } from "./report.ts";
import { runCase } from "./runner.ts";
import { type CaseServer, startCaseServer } from "./server.ts";

const CASES = 30;

const seed = testSeed("random cases");
let server: CaseServer;

beforeAll(async () => {
  server = await startCaseServer();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

it.each(MODELS)(`${CASES} random cases of system %s`, async (system, model) => {
  const random = randomFrom(seed + Number(system));
  for (let index = 0; index < CASES; index++) {
    const kase = { id: `random-${index}`, system, feature: "random", ...model(random) };
    const text = failureText(await runCase(server.connection, kase, `random-${index}`));
    const told = text === "" ? "" : `${text}\n${JSON.stringify([kase.given, kase.when])}`;
    expect(told).toBe("");
  }
});
