// Compares a class of ours with the one that a framework keeps in memory: both get the same random
// operations and must give the same answers.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect, isDeepStrictEqual } from "node:util";
import { ROOT } from "../../../tools/process.ts";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../kit/random.ts";

/** One side: does an operation and gives its answer. */
export type Side<Operation> = (operation: Operation) => Promise<unknown>;

/** A comparison. */
export interface Comparison<Operation> {
  /** The framework and the class, as the table of docs/integrations/README.md names them. */
  readonly name: readonly [framework: string, what: string];
  /** Number of operations in all, as in the table; TEST_DEPTH multiplies it. */
  readonly operations: number;
  /** Draws the next operation. */
  readonly draw: (random: Random) => Operation;
  /** Makes a new pair without any state. */
  readonly pair: () => { readonly theirs: Side<Operation>; readonly ours: Side<Operation> };
}

interface Difference {
  readonly index: number;
  readonly theirs: unknown;
  readonly ours: unknown;
}

const TABLE = join(ROOT, "docs/integrations/README.md");
const PER_RUN = 50;
/** Runs at the same time; the server writes their changes together. */
const AT_ONCE = 10;

/**
 * Compares; throws with the seed and the shortest operations that show a difference, or when the
 * table of the documents lacks the comparison.
 */
export async function compare<Operation>(comparison: Comparison<Operation>): Promise<void> {
  const name = comparison.name.join(" ");
  const random = randomFrom(testSeed(name));
  const runs = (comparison.operations * TEST_DEPTH) / PER_RUN;
  for (let done = 0; done < runs; done += AT_ONCE) {
    const drawn = Array.from({ length: AT_ONCE }, () =>
      Array.from({ length: PER_RUN }, () => comparison.draw(random)),
    );
    await Promise.all(
      drawn.map(async (operations) => {
        const found = await play(comparison, operations);
        if (found === undefined) return;
        const short = await shrink(comparison, operations.slice(0, found.index + 1));
        const shown = (await play(comparison, short)) ?? found;
        throw new Error(
          `${name} differs, TEST_SEED=${random.seed}: ${inspect(
            { operations: short, theirs: shown.theirs, ours: shown.ours },
            { depth: 12, maxStringLength: 200 },
          )}`,
        );
      }),
    );
  }
  const row = `| ${comparison.name.join(" | ")} | ${comparison.operations} |`;
  if (!readFileSync(TABLE, "utf8").includes(row)) throw new Error(`${TABLE} needs ${row}`);
}

/** Plays operations on a new pair; gives the first difference. */
async function play<Operation>(
  { pair }: Comparison<Operation>,
  operations: readonly Operation[],
): Promise<Difference | undefined> {
  const sides = pair();
  for (const [index, operation] of operations.entries()) {
    // Theirs runs first, so that a pair can complete an operation from its state.
    const theirs = await answerOf(sides.theirs, operation);
    const ours = await answerOf(sides.ours, operation);
    if (!isDeepStrictEqual(theirs, ours)) return { index, theirs, ours };
  }
  return undefined;
}

/** Two errors count as the same answer: their texts are each side's own. */
async function answerOf<Operation>(side: Side<Operation>, operation: Operation): Promise<unknown> {
  try {
    return { answer: await side(operation) };
  } catch (error) {
    return error instanceof Error ? { isError: true } : { thrown: error };
  }
}

/** Leaves out operations, halves first, while the rest still shows a difference. */
async function shrink<Operation>(
  comparison: Comparison<Operation>,
  operations: readonly Operation[],
): Promise<readonly Operation[]> {
  let kept = operations;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < kept.length; ) {
      const fewer = kept.toSpliced(at, size);
      if ((await play(comparison, fewer)) === undefined) at += size;
      else kept = fewer;
    }
  }
  return kept;
}
