// Flips single bits and bytes of a data file, everywhere where it matters. Whatever was flipped, a
// server refuses to start, answers as before, or says that something is damaged or missing: it
// gives no other answer, does not hang, and does not end without a word. The table of
// docs/operations.md comes from here: TEST_DEPTH=40 makes 1,000 flips.

import { expect, test } from "vitest";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import type { Place } from "./flip-places.ts";
import { FlipScene, OUTCOMES, type Round } from "./flip-rounds.ts";

const FLIPS = 25 * TEST_DEPTH;
const WORKERS = 2;
/** Records are on leaf pages; most other pages are checked as a whole at each start. */
const PLACE_WEIGHTS: Readonly<Record<Place, number>> = {
  ...{ "file header": 1, "page header": 2, "free list": 1, "branch page": 2 },
  ...{ "leaf page": 10, "overflow page": 2 },
};
const FORBIDDEN: readonly Round["outcome"][] = [
  "crash loop",
  "hang",
  "silent wrong",
  "other error",
];

/** A table of outcomes by place. */
function tableOf(rounds: readonly Round[]): string {
  const lines = [...Map.groupBy(rounds, ({ place }) => place)].map(([place, own]) => {
    const counts = OUTCOMES.flatMap((outcome) => {
      const count = own.filter((round) => round.outcome === outcome).length;
      return count === 0 ? [] : `${outcome} ${count}`;
    });
    return `${place} (${own.length}): ${counts.join(", ")}`;
  });
  return lines.sort().join("\n");
}

test("a flip in the data file is harmless or noticed", {
  timeout: 300_000 * (TEST_DEPTH + 1),
}, async () => {
  const random = randomFrom(testSeed("flips"));
  await using directory = await makeTempDir();
  const scene = await FlipScene.make(directory.path, random);
  const rounds: Round[] = [];
  let left = FLIPS;
  const work = async (): Promise<void> => {
    while (left-- > 0) rounds.push(await scene.flip(random.weighted(PLACE_WEIGHTS), random));
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  console.log(`${rounds.length} flips, ${scene.questionCount} questions each:\n${tableOf(rounds)}`);
  const wrong = rounds.filter(({ outcome }) => FORBIDDEN.includes(outcome));
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(rounds.length).toBe(FLIPS);
  // A scene that nothing hurts shows nothing.
  const noticed = rounds.filter(({ outcome }) => outcome === "data loss").length;
  expect(noticed).toBeGreaterThan(FLIPS / 10);
});
