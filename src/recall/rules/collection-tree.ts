// Collections in the order of their segments, so that those below one are found
// without looking at any other.

import { placeOfText } from "../../kit/text.ts";
import { collectionOrder, DIVIDER } from "./collection-path.ts";

/** Bytes of an entry beside its text, and of a character of it; about. */
const ENTRY_BYTES = 32;
const CHARACTER_BYTES = 2;

/** A set of collections. */
export class CollectionTree<T extends { readonly id: string }> {
  /** In their order, each beside its collection. */
  readonly #keys: string[] = [];
  readonly #all: T[] = [];
  bytes = 0;

  add(collection: T): void {
    const key = collectionOrder(collection.id);
    const at = this.#placeOf(key);
    if (this.#keys[at] === key) {
      this.#all[at] = collection;
      return;
    }
    this.bytes += bytesOf(key);
    // Collections are mostly listed in their order.
    if (at === this.#keys.length) {
      this.#keys.push(key);
      this.#all.push(collection);
      return;
    }
    this.#keys.splice(at, 0, key);
    this.#all.splice(at, 0, collection);
  }

  remove({ id }: T): void {
    const key = collectionOrder(id);
    const at = this.#placeOf(key);
    if (this.#keys[at] !== key) return;
    this.bytes -= bytesOf(key);
    this.#keys.splice(at, 1);
    this.#all.splice(at, 1);
  }

  /** The collection of an id, and all below it. */
  *within(id: string): Generator<T> {
    const key = collectionOrder(id);
    const below = collectionOrder(`${id}${DIVIDER}`);
    for (let at = this.#placeOf(key); at < this.#keys.length; at++) {
      const found = this.#keys[at];
      const collection = this.#all[at];
      if (found === undefined || collection === undefined) return;
      if (found !== key && !found.startsWith(below)) return;
      yield collection;
    }
  }

  /** The first place whose key is not before this one. */
  #placeOf(key: string): number {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) return this.#keys.length;
    return placeOfText(this.#keys, key);
  }
}

function bytesOf(key: string): number {
  return ENTRY_BYTES + key.length * CHARACTER_BYTES;
}
