// Kills the server at random moments under load, again and again, and holds what it shows
// afterwards against the journal of what it had acknowledged.

import { expect, test } from "vitest";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { Chain, newTally, type Tally } from "./rounds.ts";

const ROUNDS = 10 * TEST_DEPTH;
const ROUNDS_PER_DIRECTORY = 10;
const VERIFY_EVERY = 5;
/** A run with less traffic than this shows nothing and fails. */
const ACKNOWLEDGED_MIN = 25 * ROUNDS;
const UNANSWERED_MIN = ROUNDS;

function report(name: string, tally: Tally, seed: number): void {
  const lost = tally.wrong.filter((line) => line.startsWith("LOST")).length;
  const bound = `${((3 / Math.max(1, tally.acknowledged)) * 100).toFixed(4)} %`;
  console.log(
    `${name}: ${tally.rounds} rounds, ${tally.acknowledged} acknowledged, ${lost} lost ` +
      `(95 % bound of the loss of one write: ${bound}), ${tally.unanswered} without an answer, ` +
      `${tally.refused} refused, ${tally.repeated} repeated, ${tally.wrong.length} faults, ` +
      `seed ${seed}`,
  );
}

test("no acknowledged write is lost by SIGKILL at random moments", {
  timeout: 600_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("sigkill"));
  const tally = newTally();
  for (let round = 0; round < ROUNDS; round += ROUNDS_PER_DIRECTORY) {
    await using directory = await makeTempDir();
    const chain = new Chain(directory.path, random, tally);
    for (let i = 1; i <= ROUNDS_PER_DIRECTORY; i++) {
      await chain.round({ kind: "kill", afterMs: random.int(30, 500) });
      if (i % VERIFY_EVERY === 0) await chain.verifyFiles();
    }
    await chain.finish();
    expect(tally.wrong.slice(0, 20)).toEqual([]);
  }
  report("sigkill", tally, random.seed);
  expect(tally.rounds).toBe(ROUNDS);
  expect(tally.acknowledged).toBeGreaterThan(ACKNOWLEDGED_MIN);
  expect(tally.unanswered).toBeGreaterThan(UNANSWERED_MIN);
});
