// Kills the server while it remembers, promotes, evicts, forgets and finds facts: at random moments
// and at named places. Every call has happened as a whole or not at all, and what was answered for
// is as it was answered.

import { join } from "node:path";
import { expect, test } from "vitest";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import {
  MemoriesChain,
  type MemoriesEnd,
  type MemoriesTally,
  newMemoriesTally,
} from "./memories-rounds.ts";

const KILLS = 8 * TEST_DEPTH;
const ROUNDS_PER_DIRECTORY = 8;
/** A server that is broken on purpose is found out in so many rounds. */
const ROUNDS_BROKEN = 24;
/** A run with less traffic than this shows nothing and fails. */
const ACKNOWLEDGED_MIN = 50 * KILLS;

/** A short run goes through one pass of each place, drawn by its seed. */
const PASSES = {
  "before-commit": [1, 120],
  "mid-trim": [1, 30],
  "after-commit": [2, 150],
  "mid-flush": [1, 2],
  "mid-purge": [1, 5],
} as const;

function report(name: string, tally: MemoriesTally, seed: number): void {
  console.log(
    `${name}: ${tally.rounds} rounds, ${tally.checks} checks, ${tally.acknowledged} ` +
      `acknowledged, ${tally.unanswered} without an answer (${tally.happened} had happened), ` +
      `${tally.interrupted} jobs over a start, ${tally.seen} memories held against the account, ` +
      `${tally.wrong.length} faults, seed ${seed}`,
  );
}

function killOf(random: Random): MemoriesEnd {
  return { kind: "kill", afterMs: random.int(20, 300) };
}

test("every call on memories happens as a whole or not at all, by SIGKILL at random moments", {
  timeout: 600_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("memories"));
  const tally = newMemoriesTally();
  for (let round = 0; round < KILLS; round += ROUNDS_PER_DIRECTORY) {
    await using directory = await makeTempDir();
    const chain = new MemoriesChain(directory.path, random, tally);
    for (let i = 0; i < ROUNDS_PER_DIRECTORY; i++) await chain.round(killOf(random));
    await chain.finish();
    expect(tally.wrong.slice(0, 20)).toEqual([]);
  }
  report("memories by sigkill", tally, random.seed);
  expect(tally.rounds).toBe(KILLS);
  expect(tally.acknowledged).toBeGreaterThan(ACKNOWLEDGED_MIN);
  expect(tally.unanswered).toBeGreaterThan(KILLS);
});

test("every call on memories happens as a whole or not at all, by SIGKILL at named places", {
  timeout: 600_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("memories at failpoints"));
  const tally = newMemoriesTally();
  await using directory = await makeTempDir();
  const chain = new MemoriesChain(directory.path, random, tally);
  for (const [name, passes] of Object.entries(PASSES)) {
    for (const pass of TEST_DEPTH > 1 ? passes : [random.pick(passes)]) {
      await chain.round({ kind: "failpoint", spec: `${name}:${pass}` });
      expect(tally.wrong.slice(0, 20)).toEqual([]);
    }
  }
  await chain.finish();
  report("memories at failpoints", tally, random.seed);
  expect(tally.wrong.slice(0, 20)).toEqual([]);
  expect(tally.unanswered).toBeGreaterThan(tally.rounds);
});

/** Faults that expose a broken server, and the places at which they do. */
const BROKEN = [
  { name: "promotion", place: "after-commit", fault: /LOST|WRONG|HALF/ },
  { name: "jobs", place: "after-commit", fault: /facts-\d/ },
  { name: "rows", place: "before-commit", fault: /verify found damage/ },
] as const;

test.for(BROKEN)(
  "a server with broken $name is found out",
  {
    timeout: 400_000,
  },
  async ({ fault, name, place }) => {
    const random = randomFrom(testSeed(`memories with broken ${name}`));
    const tally = newMemoriesTally();
    await using directory = await makeTempDir();
    const nodeArgs = ["--import", join(import.meta.dirname, `broken-${name}.ts`)];
    const chain = new MemoriesChain(directory.path, random, tally, nodeArgs);
    for (let i = 0; i < ROUNDS_BROKEN && tally.wrong.length === 0; i++) {
      const isKill = i % 2 === 1;
      const spec = `${place}:${random.int(20, 60)}`;
      await chain.round(isKill ? killOf(random) : { kind: "failpoint", spec });
    }
    console.log(`broken ${name}: found in round ${tally.rounds}: ${tally.wrong[0]?.slice(0, 300)}`);
    expect(tally.wrong.join("\n")).toMatch(fault);
  },
);
