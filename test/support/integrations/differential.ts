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
  /** Number of operations in all, as in the table, a multiple of 500; TEST_DEPTH multiplies it. */
  readonly operations: number;
  /** Draws the next operation. */
  readonly draw: (random: Random) => Operation;
  /** Says that two errors mean the same. Default: their names do not differ. */
  readonly isSameFault?: (theirs: Error, ours: Error) => boolean;
  /** Makes a new pair without any state. */
  readonly pair: () => { readonly theirs: Side<Operation>; readonly ours: Side<Operation> };
}

interface Difference {
  readonly index: number;
  readonly theirs: unknown;
  readonly ours: unknown;
}

type Outcome = { readonly answer: unknown } | { readonly fault: unknown };

const TABLE = join(ROOT, "docs/integrations/README.md");
const PER_RUN = 50;
/** Runs at the same time; the server writes their changes together. */
const AT_ONCE = 10;

/**
 * Compares; throws with the seed and the shortest operations that show a difference. Throws before
 * it starts when the table of the documents lacks the comparison, or the number of operations is
 * not one that it can do.
 */
export async function compare<Operation>(comparison: Comparison<Operation>): Promise<void> {
  const name = comparison.name.join(" ");
  checkPlan(comparison);
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
}

function checkPlan<Operation>({ name, operations }: Comparison<Operation>): void {
  const batch = PER_RUN * AT_ONCE;
  if (operations < batch || operations % batch !== 0) {
    throw new Error(`${name.join(" ")} needs a multiple of ${batch} operations, not ${operations}`);
  }
  const row = `| ${name.join(" | ")} | ${operations} |`;
  if (!readFileSync(TABLE, "utf8").includes(row)) throw new Error(`${TABLE} needs ${row}`);
}

/** Plays operations on a new pair; gives the first difference. */
async function play<Operation>(
  { pair, isSameFault = hasSameName }: Comparison<Operation>,
  operations: readonly Operation[],
): Promise<Difference | undefined> {
  const sides = pair();
  for (const [index, operation] of operations.entries()) {
    // Theirs runs first, so that a pair can complete an operation from its state.
    const theirs = await outcomeOf(sides.theirs, operation);
    const ours = await outcomeOf(sides.ours, operation);
    if (!isSame(theirs, ours, isSameFault)) return { index, theirs, ours };
  }
  return undefined;
}

async function outcomeOf<Operation>(side: Side<Operation>, operation: Operation): Promise<Outcome> {
  try {
    return { answer: await side(operation) };
  } catch (error) {
    return { fault: error };
  }
}

/** The texts of errors are each side's own; everything else must be the same. */
function isSame(
  theirs: Outcome,
  ours: Outcome,
  isSameFault: (theirs: Error, ours: Error) => boolean,
): boolean {
  const areErrors =
    "fault" in theirs &&
    "fault" in ours &&
    theirs.fault instanceof Error &&
    ours.fault instanceof Error;
  if (!areErrors) return isDeepStrictEqual(theirs, ours);
  return isSameFault(theirs.fault as Error, ours.fault as Error);
}

/** An error without a name of its own is the same as any. */
function hasSameName(theirs: Error, ours: Error): boolean {
  return [theirs.name, ours.name].includes("Error") || theirs.name === ours.name;
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
