// Embeddings that callers gave with documents. Each model with its number of dimensions is a space
// of its own: only vectors of one space are compared.

import { filterHas, filterWhere, type RowFilter } from "../rules/row-filter.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import type { VectorArena } from "../vector/arena.ts";
import { VectorBlock } from "../vector/block.ts";
import { lowerBound, textBytes, wordsColumn } from "./columns.ts";
import type { ItemTable } from "./items.ts";
import type { GivenVector } from "./port.ts";

const SPACE_BYTES = 1_000;

/** The vectors of one space. They are numbered by themselves, since few items may have one. */
interface Space {
  readonly block: VectorBlock;
  /** The item of each number; rising. */
  readonly items: ReturnType<typeof wordsColumn>;
}

/** An item with its cosine. */
export interface ScoredItem {
  readonly item: number;
  readonly score: number;
}

/** All spaces of a shard. */
export class GivenSpaces {
  readonly #spaces = new Map<string, Space>();
  readonly #arena: VectorArena;

  constructor(arena: VectorArena) {
    this.#arena = arena;
  }

  get bytes(): number {
    let sum = 0;
    for (const [key, { block, items }] of this.#spaces) {
      sum += SPACE_BYTES + textBytes(key) + block.bytes + items.bytes;
    }
    return sum;
  }

  /** Adds the vector of an item; items come with rising numbers. */
  add(item: number, { model, values }: GivenVector): void {
    const key = keyOf(model, values.length);
    const space = this.#spaces.get(key) ?? this.#make(key, values.length);
    space.block.put(space.items.length, values);
    space.items.push(item);
  }

  /** Takes the vector of an item away, if it has one. */
  remove(item: number): void {
    for (const { block, items } of this.#spaces.values()) {
      const place = lowerBound(items, item);
      if (place < items.length && items.at(place) === item) block.remove(place);
    }
  }

  /**
   * Gives the items of the filter that are nearest to a vector, best first; undefined when no item
   * that is not dead and passes `among` has a vector of its space.
   */
  search(
    { model, values }: GivenVector,
    n: number,
    { table, filter, among }: SpaceScope,
  ): readonly ScoredItem[] | undefined {
    const space = this.#spaces.get(keyOf(model, values.length));
    if (space === undefined) return undefined;
    const { block, items } = space;
    const isIn = (place: number, rows: RowFilter): boolean => {
      const item = items.at(place);
      return block.has(place) && table.live.has(item) && filterHas(rows, table.firstRow.at(item));
    };
    let isKnown = false;
    for (let place = 0; place < items.length && !isKnown; place++) isKnown = isIn(place, among);
    if (!isKnown) return undefined;
    const places = filterWhere(items.length, (place) => isIn(place, filter));
    const { rows, scores } = block.search(values, n, places);
    return Array.from(rows, (place, at) => ({ item: items.at(place), score: scores[at] ?? 0 }));
  }

  /** Gives the items their new numbers; those that are gone have none. */
  compact(newItem: (item: number) => number): void {
    for (const [key, { block, items }] of this.#spaces) {
      const remap = new Int32Array(items.length);
      const kept: number[] = [];
      for (let place = 0; place < items.length; place++) {
        const item = block.has(place) ? newItem(items.at(place)) : -1;
        remap[place] = item < 0 ? -1 : kept.push(item) - 1;
      }
      block.compact(remap);
      items.retain((place) => (remap[place] ?? -1) >= 0);
      for (const [place, item] of kept.entries()) items.data[place] = item;
      if (kept.length > 0) continue;
      block.release();
      this.#spaces.delete(key);
    }
  }

  /** The spaces of now. */
  saved(): SavedPart[] {
    const spaces = [...this.#spaces.values()];
    return [
      { texts: [...this.#spaces.keys()] },
      ...spaces.flatMap(({ block, items }) => [
        ...[block.dimensions, ...items.saved(), ...block.saved()],
      ]),
    ];
  }

  /** Reads spaces into an object that has none yet. */
  async load(read: SavedReader): Promise<void> {
    const keys: string[] = [];
    await read.texts((key) => keys.push(key));
    for (const key of keys) {
      const { block, items } = this.#make(key, await read.number());
      await items.load(read);
      await block.load(read);
    }
  }

  #make(key: string, dimensions: number): Space {
    const block = new VectorBlock(dimensions, { arena: this.#arena, residuals: true });
    const space = { block, items: wordsColumn() };
    this.#spaces.set(key, space);
    return space;
  }

  /** Gives all memory back. */
  release(): void {
    for (const { block } of this.#spaces.values()) block.release();
    this.#spaces.clear();
  }
}

/** Rows and vectors that a search in a space looks at. */
export interface SpaceScope {
  readonly table: ItemTable;
  readonly filter: RowFilter;
  /** The rows of the collections: the space exists when one of them has a vector of it. */
  readonly among: RowFilter;
}

function keyOf(model: string, dimensions: number): string {
  return `${dimensions} ${model}`;
}
