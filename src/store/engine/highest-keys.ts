// The highest keys of a table in the B-tree: one for all keys that begin alike. Where keys rise
// with time, nearly every new one is higher still, and needs no look into the B-tree to be known as
// new. Keys of another form begin otherwise, and do not stand in the way.

import type { FlushChunk } from "./memtable.ts";
import { highestStored, type Index } from "./reads.ts";

const STARTS_MAX = 10_000;

export class HighestKeys {
  readonly #table: string;
  readonly #startOf: (key: string) => string;
  /** By their starts. */
  readonly #keys = new Map<string, string>();
  /** The keys on their way from the memtable into the B-tree. */
  #underway: readonly string[] = [];

  /**
   * @param table - The first byte of the keys.
   * @param startOf - Gives the beginning that a key shares with those alike.
   */
  constructor(table: string, startOf: (key: string) => string) {
    this.#table = table;
    this.#startOf = startOf;
  }

  /** Whether a key is above those alike in the B-tree, and so not there. */
  isAbove(core: Index, key: string): boolean {
    const start = this.#startOf(key);
    let highest = this.#keys.get(start);
    if (highest === undefined) {
      highest = highestStored(core, start) ?? start;
      for (const other of this.#underway) {
        if (other > highest && this.#startOf(other) === start) highest = other;
      }
      if (this.#keys.size >= STARTS_MAX) this.#keys.clear();
      this.#keys.set(start, highest);
    }
    return key > highest;
  }

  /** Takes note of keys that go from the memtable into the B-tree; those before are there. */
  raise(chunk: FlushChunk): void {
    this.#underway = chunk.map(({ slot }) => slot.key).filter((key) => key.startsWith(this.#table));
    for (const key of this.#underway) {
      const start = this.#startOf(key);
      const highest = this.#keys.get(start);
      if (highest !== undefined && key > highest) this.#keys.set(start, key);
    }
  }
}
