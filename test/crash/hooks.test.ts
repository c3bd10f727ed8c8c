// Kills the server while hooks work: at random moments, and between the answer of a hook and its
// effect. Every message is summarized once, and every task takes effect once at most.

import { join } from "node:path";
import { expect, test } from "vitest";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { HookChain, type HookEnd, type HookTally, newHookTally } from "./hook-rounds.ts";

/** Between the answer and the commit. */
const ROUNDS = 10 * TEST_DEPTH;
/** At random moments, which leave much more to be read after each. */
const RANDOM_ROUNDS = 10 * TEST_DEPTH;
const ROUNDS_PER_DIRECTORY = 10;
/** A server that is broken on purpose is found out in so many rounds. */
const ROUNDS_BROKEN = 10;
const PASSES_MAX = 8;

function report(name: string, tally: HookTally, seed: number): void {
  console.log(
    `${name}: ${tally.rounds} rounds, ${tally.checks} checks, ${tally.appended} messages, ` +
      `${tally.unanswered} appends without an answer, ${tally.summaries} summaries, ` +
      `${tally.calls} calls, ${tally.repeatedCalls} repeated, ` +
      `${tally.wrong.length} faults, seed ${seed}`,
  );
}

async function run(
  random: Random,
  tally: HookTally,
  rounds: number,
  end: () => HookEnd,
): Promise<void> {
  for (let round = 0; round < rounds; round += ROUNDS_PER_DIRECTORY) {
    await using directory = await makeTempDir();
    await using chain = await HookChain.open(directory.path, random, tally);
    for (let i = 0; i < ROUNDS_PER_DIRECTORY; i++) await chain.round(end());
    await chain.finish();
    expect(tally.wrong.slice(0, 20)).toEqual([]);
  }
}

test("a result takes effect once, by SIGKILL between the answer and the commit", {
  timeout: 600_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("after-hook"));
  const tally = newHookTally();
  await run(random, tally, ROUNDS, () => ({ kind: "after-hook", pass: random.int(1, PASSES_MAX) }));
  report("after-hook", tally, random.seed);
  expect(tally.rounds).toBe(ROUNDS);
  expect(tally.checks).toBeGreaterThan(ROUNDS / 2);
  expect(tally.summaries).toBeGreaterThan(ROUNDS);
  expect(tally.repeatedCalls).toBeGreaterThan(ROUNDS / 2);
  expect(tally.unanswered).toBeGreaterThan(ROUNDS);
});

test("nothing is lost or done twice by SIGKILL at random moments while hooks work", {
  timeout: 600_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("hooks-sigkill"));
  const tally = newHookTally();
  await run(random, tally, RANDOM_ROUNDS, () => ({ kind: "kill", afterMs: random.int(30, 400) }));
  report("hooks by sigkill", tally, random.seed);
  expect(tally.checks).toBeGreaterThanOrEqual(RANDOM_ROUNDS);
  expect(tally.summaries).toBeGreaterThan(RANDOM_ROUNDS);
  expect(tally.interrupted).toBeGreaterThan(RANDOM_ROUNDS / 2);
});

test("a server whose effect and end of task are two transactions is found out", {
  timeout: 180_000,
}, async () => {
  const random = randomFrom(testSeed("broken-removal"));
  const tally = newHookTally();
  await using directory = await makeTempDir();
  const nodeArgs = ["--import", join(import.meta.dirname, "broken-removal.ts")];
  await using chain = await HookChain.open(directory.path, random, tally, { nodeArgs });
  for (let i = 0; i < ROUNDS_BROKEN && tally.wrong.length === 0; i++) {
    await chain.round({ kind: "after-hook", pass: random.int(1, PASSES_MAX) });
  }
  console.log(`broken removal: found in round ${tally.rounds}: ${tally.wrong[0]}`);
  expect(tally.wrong.join("\n")).toMatch(/TWICE|became part of two summaries/);
});
