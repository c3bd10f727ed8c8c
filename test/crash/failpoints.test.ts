// Kills the server at named places of its own code, at several passes of each, under the same load
// and with the same oracle as the random kills.

import { expect, test } from "vitest";
import type { Failpoint } from "../../src/kit/failpoint.ts";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { Chain, newTally } from "./rounds.ts";

// A short run goes through the first pass of each place and one more, drawn by its seed.
// `before-index` needs a namespace that is recalled: recall.test.ts has it. compact.test.ts has
// those of an exchange.
const PASSES = {
  "before-commit": [1, 2, 17, 60],
  "mid-trim": [1, 5, 40],
  "after-commit": [1, 2, 17, 60],
  "mid-flush": [1, 2],
  "mid-purge": [1, 3],
  "mid-copy": [1, 3],
  "after-hook": [1, 2, 9],
} as const satisfies Record<
  Exclude<Failpoint, "before-index" | `${string}-exchange`>,
  readonly number[]
>;

/** These need sessions that are copied and deleted. */
const NEEDS_CHORES = new Set(["mid-flush", "mid-purge", "mid-copy"]);

test.for(Object.keys(PASSES) as (keyof typeof PASSES)[])(
  "a crash at %s loses nothing",
  { timeout: 300_000 },
  async (name) => {
    const random = randomFrom(testSeed(`failpoint ${name}`));
    const tally = newTally();
    await using directory = await makeTempDir();
    const chain = new Chain(directory.path, random, tally);
    await chain.round({ kind: "kill", afterMs: 200 }, NEEDS_CHORES.has(name));
    const [first, ...later] = PASSES[name];
    for (const pass of TEST_DEPTH > 1 ? PASSES[name] : [first, random.pick(later)]) {
      await chain.round({ kind: "failpoint", spec: `${name}:${pass}` }, NEEDS_CHORES.has(name));
      await chain.verifyFiles();
    }
    await chain.finish();
    console.log(
      `failpoint ${name}: ${tally.rounds} rounds, ${tally.acknowledged} acknowledged, ` +
        `${tally.unanswered} without an answer, ${tally.wrong.length} faults, seed ${random.seed}`,
    );
    expect(tally.wrong.slice(0, 20)).toEqual([]);
    expect(tally.unanswered).toBeGreaterThan(0);
  },
);
