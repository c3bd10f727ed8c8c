// The formula of BM25, in one place for the index and for what it is compared with.

/** The two parameters of BM25. */
export interface Bm25Parameters {
  /** How soon more occurrences of a term stop to count: 0 at once. */
  readonly k1: number;
  /** How far long rows are held back: 0 not at all, 1 fully. */
  readonly b: number;
}

/** Measured on conversations that were cut into passages of at most 60 words. */
export const BM25_DEFAULTS: Bm25Parameters = { k1: 1.2, b: 0.6 };

/** Gives how much a term tells that `frequency` of `rows` rows hold: above 0, natural logarithm. */
export function inverseFrequency(frequency: number, rows: number): number {
  return Math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5));
}

/**
 * Gives what one term adds to the score of a row, for an inverse frequency of 1.
 *
 * `relative` is the number of terms of the row over the average of all rows.
 */
export function saturation(count: number, relative: number, { k1, b }: Bm25Parameters): number {
  return (count * (k1 + 1)) / (count + k1 * (1 - b + b * relative));
}
