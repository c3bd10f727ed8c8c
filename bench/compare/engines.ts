// The interface that the bench expects of every index.

import type { Clusters, Share } from "./clusters.ts";

/** An index that may know its size. */
export interface Sized {
  /** Size in bytes by its own account, where it keeps one. */
  readonly bytes?: () => number;
}

/** An index over vectors. Rows are numbers from 0. */
export interface VectorEngine extends Sized {
  /** Adds all rows. */
  build(data: Clusters): void | Promise<void>;
  /** Returns the rows nearest to a query among those in buckets below the share. */
  search(query: Float32Array, share: Share): number[] | Promise<number[]>;
  /** Whether searches can be filtered. */
  readonly filters: boolean;
}

/** An index over texts. Rows are numbers from 0. */
export interface TextEngine extends Sized {
  /** Adds all texts. */
  build(texts: readonly string[]): void | Promise<void>;
  /** Returns the best rows for a query: those that contain any of its words. */
  search(query: string, count: number): number[] | Promise<number[]>;
}

/** An index that can be measured. */
export interface EngineKind<E> {
  /** Name on the command line. */
  readonly name: string;
  /** Name in tables. */
  readonly title: string;
  /** Its package; undefined for our own index and for those built into Node. */
  readonly library: string | undefined;
  /** Makes an empty index. Rejects when its package is not installed. */
  open(): E | Promise<E>;
}
