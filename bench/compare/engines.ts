// What every index is to the bench.

import type { Clusters, Share } from "./clusters.ts";

/** An index that may know how large it is. */
export interface Sized {
  /** Bytes that it takes by its own account, where it keeps one. */
  readonly bytes?: () => number;
}

/** An index over vectors. Rows are numbers from 0. */
export interface VectorEngine extends Sized {
  /** Puts all rows in. */
  build(data: Clusters): void | Promise<void>;
  /** Gives the rows nearest to a query, of those in buckets below the share. */
  search(query: Float32Array, share: Share): number[] | Promise<number[]>;
  /** Whether searches can be filtered. */
  readonly filters: boolean;
}

/** An index over texts. Rows are numbers from 0. */
export interface TextEngine extends Sized {
  /** Puts all texts in. */
  build(texts: readonly string[]): void | Promise<void>;
  /** Gives the best rows for a query: those that have any of its words. */
  search(query: string, count: number): number[] | Promise<number[]>;
}

/** An index that can be measured. */
export interface EngineKind<E> {
  /** What it is called on the command line. */
  readonly name: string;
  /** What it is called in tables. */
  readonly title: string;
  /** The package that it is of; undefined for ours and for what Node has. */
  readonly library: string | undefined;
  /** Makes an empty one. Rejects when its package is not installed. */
  open(): E | Promise<E>;
}
