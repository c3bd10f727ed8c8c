// Shared parts of all shards, and the background of cosines.

import type { NearWord } from "../embed/static-table.ts";
import type { LexicalScratch } from "../lexical/scratch.ts";
import type { HashKey } from "../lexical/term-table.ts";
import type { Background } from "../rank/types.ts";
import type { VectorArena } from "../vector/arena.ts";
import type { VectorBlock } from "../vector/block.ts";
import { idHash } from "./columns.ts";
import type { ContainerRef, IndexCodec, IndexModel } from "./port.ts";

/** The parts that all shards of one index share. */
export interface IndexParts {
  readonly codec: IndexCodec;
  readonly model: IndexModel;
  /** Makes the vector of a text. Only when the model is local. */
  readonly embedText: ((text: string) => Float32Array) | undefined;
  /** Gives the words near a word; without it near words are off. */
  readonly nearWords?: ((word: string) => readonly NearWord[]) | undefined;
  readonly arena: VectorArena;
  readonly scratch: LexicalScratch;
  /** Key of the hashes of terms in new shards; a saved shard brings its own. */
  readonly hashKey: HashKey;
}

// The worth of a cosine: models differ in the cosines that they give to texts that have nothing to
// do with each other, from 0.1 to 0.8. A sample of the texts of a shard shows it for every query.

/** A sample has at least this many texts, once the shard has, and fewer than twice as many. */
const SAMPLE_MIN = 256;
/** So many are noted; then every second one is let go. */
const NOTED_MAX = 8 * SAMPLE_MIN;
/** Fewer texts say too little of a model. */
const TEXTS_MIN = 32;
/** The least deviation of cosines of a model that distinguishes texts. */
const DEVIATION_MIN = 0.001;

/** A text of level n is in one of 2 ** n samples. */
interface Noted {
  readonly item: number;
  readonly level: number;
}

/**
 * The sample of a shard. What is in it depends on what the shard holds alone, not on how it came to
 * be: a text has a level by its place, and from the number of texts follows which levels are in.
 */
export class VectorSample {
  #noted: Noted[] = [];
  /** Texts of lower levels were let go. */
  #lowest = 0;

  /** Approximate memory use. */
  get bytes(): number {
    return this.#noted.length * 40;
  }

  /** Notes an item that has its vectors now. */
  add(item: number, container: ContainerRef, position: number): void {
    const level = levelOf(container, position);
    if (level < this.#lowest) return;
    this.#noted.push({ item, level });
    if (this.#noted.length <= NOTED_MAX) return;
    this.#lowest++;
    this.#noted = this.#noted.filter((one) => one.level >= this.#lowest);
  }

  /** Whether a number of texts needs levels that were dropped: then a new sample is due. */
  isTooCoarse(count: number): boolean {
    return levelFor(count) < this.#lowest;
  }

  /** The items of the sample; dead ones may be among them. */
  items(count: number): readonly number[] {
    const least = levelFor(count);
    return this.#noted.flatMap(({ item, level }) => (level >= least ? [item] : []));
  }
}

/** Gives a text its level: half of all have 0, a quarter 1, and so on. */
function levelOf({ kind, id }: ContainerRef, position: number): number {
  const bits = idHash(`${kind} ${id} ${position}`) % 2 ** 21;
  return 31 - Math.clz32(bits & -bits);
}

/** The lowest level in a sample by the number of texts. */
function levelFor(count: number): number {
  return Math.max(0, Math.floor(Math.log2(Math.max(1, count) / SAMPLE_MIN)));
}

/**
 * Nearness of a query to the vectors of a sample, nearly all of which have nothing to do with it.
 * Undefined when there are too few, or when the model gives all the same.
 */
export function backgroundOf(
  block: VectorBlock,
  rows: readonly number[],
  vector: Float32Array,
): Background | undefined {
  const cosines = block.cosines(rows, vector).filter((cosine) => !Number.isNaN(cosine));
  const { length } = cosines;
  if (length < TEXTS_MIN) return undefined;
  // Sums are rounded by their order, which is not that of the content.
  cosines.sort();
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / length;
  const variance = cosines.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0) / length;
  const deviation = Math.sqrt(variance);
  return deviation < DEVIATION_MIN ? undefined : { mean, deviation };
}
