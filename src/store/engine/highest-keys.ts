// Remembers the highest key of a table in the B-tree, one for each beginning that keys share. Where
// keys rise with time, nearly every new key is above it, so the B-tree need not be read to know
// that the key is new. Each beginning has its own, so that a high key of one form, such as a name,
// does not hide that a key of another form, such as a time, is new.

import type { FlushChunk } from "./memtable.ts";
import { highestStored, type Index } from "./reads.ts";

const STARTS_MAX = 10_000;

export class HighestKeys {
  readonly #table: string;
  readonly #startOf: (key: string) => string;
  /** By their beginnings. */
  readonly #keys = new Map<string, string>();
  /** The keys on their way from the memtable into the B-tree. */
  #underway: readonly string[] = [];

  /**
   * @param table - The first byte of the keys.
   * @param startOf - Gives the beginning of a key.
   */
  constructor(table: string, startOf: (key: string) => string) {
    this.#table = table;
    this.#startOf = startOf;
  }

  /** Whether a key is above all keys of its beginning in the B-tree, and so not among them. */
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

  /**
   * Takes note of the keys that are about to go from the memtable into the B-tree. Those of the
   * call before must have arrived there.
   */
  raise(chunk: FlushChunk): void {
    this.#underway = chunk.map(({ slot }) => slot.key).filter((key) => key.startsWith(this.#table));
    for (const key of this.#underway) {
      const start = this.#startOf(key);
      const highest = this.#keys.get(start);
      if (highest !== undefined && key > highest) this.#keys.set(start, key);
    }
  }
}
