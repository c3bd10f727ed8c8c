// Gives the items and rows of a shard new numbers, without those that are dead. It is done in
// slices while the shard is searched and changed as ever: first the items are copied, then the
// postings. What changed meanwhile is taken in at the end, in one go with what is quick.

import type { LexicalIndex } from "../lexical/index.ts";
import type { VectorBlock } from "../vector/block.ts";
import { Bits, Interner } from "./columns.ts";
import type { ContainerTable } from "./containers.ts";
import type { DocumentScopes } from "./document-scopes.ts";
import { ItemTable } from "./items.ts";
import type { MemoryTable } from "./memories.ts";
import type { GivenSpaces } from "./spaces.ts";
import type { ValueTable } from "./values.ts";

/** Work for an item, in postings. */
const ITEM_COST = 16;
const GONE = -1;

/** The parts of a shard that are new after a compaction. */
export interface Compacted {
  readonly items: ItemTable;
  readonly authors: Interner;
  readonly embedded: Bits;
  readonly values: ValueTable;
  readonly memories: MemoryTable;
  readonly documentScopes: DocumentScopes;
}

/** The parts of a shard that take part. */
interface Compactable extends Compacted {
  readonly containers: ContainerTable;
  readonly lexical: LexicalIndex;
  readonly vectors: VectorBlock | undefined;
  readonly spaces: GivenSpaces;
}

/** A compaction of one shard that is under way. */
export class Compaction {
  readonly #shard: Compactable;
  readonly #items = new ItemTable();
  readonly #authors = new Interner();
  #newItems = new Int32Array(0);
  #newRows = new Int32Array(0);
  /** Items before this one were copied, or are dead. */
  #next = 0;
  /** The postings are being copied. */
  #isCopying = false;

  constructor(shard: Compactable) {
    this.#shard = shard;
    this.#reserve();
  }

  /** Bytes that it takes besides what the shard has. */
  get bytes(): number {
    const items = this.#items;
    const authors = this.#authors;
    const newItems = this.#newItems;
    const newRows = this.#newRows;
    return items.bytes + authors.bytes + newItems.byteLength + newRows.byteLength;
  }

  /** Does a part of the work, about so many postings; gives whether there is more. */
  step(budget: number): boolean {
    const { items, lexical } = this.#shard;
    if (this.#isCopying) return lexical.continueCompaction(budget);
    const end = Math.min(items.count, this.#next + Math.ceil(budget / ITEM_COST));
    this.#copyItems(end);
    if (end < items.count) return true;
    lexical.beginCompaction(this.#newRows.subarray(0, items.rowCount));
    this.#isCopying = true;
    return true;
  }

  /** Does the rest at once, and gives the new parts; the others are changed in their place. */
  finish(): Compacted {
    const shard = this.#shard;
    const items = this.#items;
    const authors = this.#authors;
    while (this.step(Number.MAX_SAFE_INTEGER));
    const old = shard.items;
    this.#copyItems(old.count);
    const embedded = new Bits();
    for (let item = 0; item < old.count; item++) {
      const number = this.#newItems[item] ?? GONE;
      if (number === GONE) continue;
      if (!old.live.has(item)) items.kill(number);
      else if (shard.embedded.has(item)) embedded.set(number);
    }
    const newItem = (item: number): number => this.#newItems[item] ?? GONE;
    const values = shard.values.remapped(newItem);
    const memories = shard.memories.remapped((item) => (old.live.has(item) ? newItem(item) : GONE));
    const documentScopes = shard.documentScopes.remapped(newItem);
    shard.containers.renumber(newItem);
    shard.lexical.finishCompaction();
    shard.vectors?.compact(this.#newRows);
    shard.spaces.compact(newItem);
    return { items, authors, embedded, values, memories, documentScopes };
  }

  #copyItems(end: number): void {
    const { items: old, authors } = this.#shard;
    this.#reserve();
    for (; this.#next < end; this.#next++) {
      const item = this.#next;
      // Rows added after the postings were copied are kept. They follow all other rows.
      if (!old.live.has(item) && !this.#isCopying) continue;
      const draft = old.draftOf(item);
      const author = this.#authors.add(authors.textOf(draft.author));
      const number = this.#items.add({ ...draft, author });
      this.#newItems[item] = number;
      const first = this.#items.firstRow.at(number);
      const oldFirst = old.firstRow.at(item);
      for (let at = 0; at < draft.passages; at++) this.#newRows[oldFirst + at] = first + at;
    }
  }

  /** Makes room for the numbers of all items and rows that there are now. */
  #reserve(): void {
    const { count, rowCount } = this.#shard.items;
    this.#newItems = grown(this.#newItems, count);
    this.#newRows = grown(this.#newRows, rowCount);
  }
}

function grown(numbers: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= numbers.length) return numbers;
  const larger = new Int32Array(Math.ceil(length * 1.1)).fill(GONE);
  larger.set(numbers);
  return larger;
}
