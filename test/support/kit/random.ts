// Reproducible random choices for tests: everything follows from one seed, which is printed and can
// be set in the environment.

/** A source of random choices. */
export interface Random {
  readonly seed: number;
  /** A number from 0, below 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** True with this probability. */
  chance(share: number): boolean;
  /** One of the items; the list must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** One of the keys, with probability proportional to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
}

/** Creates a random source from a seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    seed,
    next,
    int,
    chance: (share) => next() < share,
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new Error("There is nothing to pick from.");
      return items[int(0, items.length - 1)] as T;
    },
    weighted: <K extends string>(weights: Readonly<Record<K, number>>): K => {
      const keys = Object.keys(weights) as K[];
      let left = next() * keys.reduce((sum, key) => sum + weights[key], 0);
      for (const key of keys) {
        left -= weights[key];
        if (left < 0) return key;
      }
      return keys[keys.length - 1] as K;
    },
  };
}

/**
 * Multiplies the rounds of random tests. `npm run test:deep` sets TEST_DEPTH to 5. Every run draws
 * a new seed, so many short runs cover as much as a long one.
 */
export const TEST_DEPTH = Number(process.env["TEST_DEPTH"] ?? 1);
if (!Number.isInteger(TEST_DEPTH) || TEST_DEPTH < 1) {
  throw new Error("TEST_DEPTH must be a whole number from 1 on.");
}

/**
 * Seed of a test run: the environment variable TEST_SEED, or a new one. It is printed, so that a
 * failed run can be replayed.
 */
export function testSeed(what: string): number {
  const given = process.env["TEST_SEED"];
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
  if (!Number.isInteger(seed)) throw new Error("TEST_SEED must be a whole number.");
  process.stdout.write(`${what}: TEST_SEED=${seed}\n`);
  return seed;
}
