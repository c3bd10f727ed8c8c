// Vectors for tests: the same in every run.

/** Gives numbers from 0 to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Gives a maker of vectors in no order at all. */
export function randomVectors(dimensions: number, seed: number): () => Float32Array {
  const random = seededRandom(seed);
  return () => Float32Array.from({ length: dimensions }, () => normal(random));
}

/** Gives a maker of vectors around topics: each is a topic and noise, as long as `noise` topics. */
export function clusteredVectors(
  dimensions: number,
  topics: number,
  how: { readonly seed: number; readonly noise: number },
): () => Float32Array {
  const random = seededRandom(how.seed);
  const next = (): Float32Array => Float32Array.from({ length: dimensions }, () => normal(random));
  const centers = Array.from({ length: topics }, next);
  return () => {
    const center = centers[Math.floor(random() * topics)];
    return next().map((value, index) => (center?.[index] ?? 0) + how.noise * value);
  };
}

/** Gives the cosine of two vectors in 64 bits; NaN when one has no direction. */
export function cosineOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, squaresOfA, squaresOfB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index] ?? 0, b[index] ?? 0];
    product += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  }
  return product / Math.sqrt(squaresOfA * squaresOfB);
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
