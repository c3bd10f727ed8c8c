// Ids of messages as numbers: memories name the messages they come from, and an index of millions
// of messages has no room for their ids as texts.

import { firstNotBelow } from "../rules/row-filter.ts";
import type { SavedNumbers as Numbers, SavedPart, SavedReader } from "../rules/saved.ts";

const PRIME = 0x01000193;
const LOW_BITS = 21;

/**
 * Gives a number of 53 bits for an id, never 0. Two ids share one by a chance so small that nobody
 * meets it; then a message is ranked a little too high.
 */
export function idHash(id: string): number {
  let high = 0x811c9dc5;
  let low = 0x1b873593;
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, PRIME);
    low = Math.imul(low ^ unit ^ (high >>> 15), 0x85ebca6b);
  }
  low ^= low >>> 13;
  return (high >>> 0) * 2 ** LOW_BITS + (low >>> (32 - LOW_BITS)) || 1;
}

// Numbers for texts that repeat: authors, users, values of labels and metadata.

/** Bytes of a text in the map beside its characters: its header, the entry, the list. */
const ENTRY_BYTES = 72;

/** Gives each different text a number: 0 for the empty one, then 1, 2, 3. */
export class Interner {
  readonly #ids = new Map<string, number>([["", 0]]);
  readonly #texts: string[] = [""];
  /** Bytes that it takes, about. */
  bytes = ENTRY_BYTES;

  /** The number of a text, a new one when it has none yet. */
  add(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#texts.length;
    this.#ids.set(text, id);
    this.#texts.push(text);
    this.bytes += ENTRY_BYTES + textBytes(text);
    return id;
  }

  /** The number of a text, or undefined when it has none. */
  find(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /** The text of a number. */
  textOf(id: number): string {
    return this.#texts[id] ?? "";
  }

  /** The texts of all numbers but 0. */
  saved(): SavedPart[] {
    return [{ texts: this.#texts.slice(1) }];
  }

  /** Reads texts into an interner that has none yet. */
  async load(read: SavedReader): Promise<void> {
    await read.texts((text) => this.add(text));
  }
}

/** Bytes of the characters of a text in memory, about: most are of one byte each. */
export function textBytes(text: string): number {
  return (text.length + 7) & ~7;
}

// Arrays of numbers that grow: what an index holds for millions of items without an object for
// each.

/** Arrays up to this size double when they grow; larger ones waste less. */
const DOUBLING_MAX = 4_096;
const FIRST_LENGTH = 16;

/** A typed array that grows at its end. Loops read `data` up to `length`. */
export class Column<T extends Numbers> {
  data: T;
  length = 0;
  #make: (length: number) => T;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.data = make(0);
  }

  /** The value at a place; 0 behind the end. */
  at(index: number): number {
    return this.data[index] ?? 0;
  }

  push(value: number): void {
    if (this.length === this.data.length) this.#grow();
    this.data[this.length++] = value;
  }

  /** Bytes of the array, room for growth included. */
  get bytes(): number {
    return this.data.byteLength;
  }

  /** Keeps the values of which `keep` says so, in their order. */
  retain(keep: (index: number) => boolean): void {
    let kept = 0;
    for (let index = 0; index < this.length; index++) {
      if (keep(index)) this.data[kept++] = this.data[index] ?? 0;
    }
    this.length = kept;
    this.#resize(kept + (kept >>> 3));
  }

  /** The values of now. */
  saved(): SavedPart[] {
    return [this.data.subarray(0, this.length)];
  }

  /** Reads the values of a column that has none yet. */
  async load(read: SavedReader): Promise<void> {
    const values = await read.numbers();
    if (!this.takes(values)) throw new RangeError("a column has numbers of another width");
    this.adopt(values);
  }

  /** Takes over the values of a saved column. */
  adopt(values: T): void {
    this.data = values;
    this.length = values.length;
  }

  /** Whether saved values are of its kind. */
  protected takes(values: Numbers): values is T {
    return values.constructor === this.data.constructor;
  }

  /** Goes on with arrays of another kind. */
  protected become(make: (length: number) => T): void {
    this.#make = make;
    this.#resize(this.data.length);
  }

  #grow(): void {
    const { length } = this.data;
    const more = length < DOUBLING_MAX ? Math.max(FIRST_LENGTH, length) : length >>> 2;
    this.#resize(length + more);
  }

  #resize(length: number): void {
    const data = this.#make(length);
    // Both arrays are of the same kind, which the compiler cannot see.
    data.set(this.data.subarray(0, Math.min(this.length, length)));
    this.data = data;
  }
}

/** Gives an empty column of bytes. */
export const bytesColumn = (): Column<Uint8Array> => new Column((length) => new Uint8Array(length));
/** Gives an empty column of 32-bit numbers. */
export const wordsColumn = (): Column<Uint32Array> =>
  new Column((length) => new Uint32Array(length));

/** Gives the first place of a rising column whose value is not below `value`. */
export function lowerBound(sorted: ReturnType<typeof wordsColumn>, value: number): number {
  return firstNotBelow(sorted.data, value, sorted.length);
}
/** Gives an empty column of doubles. */
export const doublesColumn = (): Column<Float64Array> =>
  new Column((length) => new Float64Array(length));

/**
 * A column of whole numbers from 0 on that begins with bytes and takes as many for each number as
 * the largest one needs.
 */
export class CountsColumn extends Column<Numbers> {
  /** The largest number that fits. */
  #largest = 0xff;

  constructor() {
    super((length) => new Uint8Array(length));
  }

  override push(value: number): void {
    if (value > this.#largest) this.#widen(value);
    super.push(value);
  }

  protected override takes(_: Numbers): _ is Numbers {
    return true;
  }

  override adopt(values: Numbers): void {
    if (values instanceof Uint16Array) this.#widen(0xffff);
    else if (values instanceof Uint32Array) this.#widen(0xffff_ffff);
    else if (values instanceof Float64Array) this.#widen(MAX);
    super.adopt(values);
  }

  #widen(value: number): void {
    if (value <= 0xffff) this.become((length) => new Uint16Array(length));
    else if (value <= 0xffff_ffff) this.become((length) => new Uint32Array(length));
    else this.become((length) => new Float64Array(length));
    this.#largest = value <= 0xffff ? 0xffff : value <= 0xffff_ffff ? 0xffff_ffff : MAX;
  }
}

const MAX = Number.MAX_SAFE_INTEGER;

/** A column that takes no room as long as each number is its own place. */
export class PlacesColumn {
  #rest: CountsColumn | undefined;
  #count = 0;

  get length(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#rest?.bytes ?? 0;
  }

  at(index: number): number {
    if (this.#rest !== undefined) return this.#rest.at(index);
    return index < this.#count ? index : 0;
  }

  push(value: number): void {
    if (this.#rest === undefined && value !== this.#count) {
      this.#rest = new CountsColumn();
      for (let index = 0; index < this.#count; index++) this.#rest.push(index);
    }
    this.#rest?.push(value);
    this.#count += 1;
  }

  /** The values of now. */
  saved(): SavedPart[] {
    return [this.#count, ...(this.#rest?.saved() ?? [new Uint8Array(0)])];
  }

  /** Reads values into a column that has none yet. */
  async load(read: SavedReader): Promise<void> {
    this.#count = await read.number();
    const values = await read.numbers();
    if (values.length === 0) return;
    this.#rest = new CountsColumn();
    this.#rest.adopt(values);
  }
}

/** A bit for each row or item. */
export class Bits {
  words = new Uint32Array(0);
  /** Number of set bits. */
  count = 0;

  get bytes(): number {
    return this.words.byteLength;
  }

  has(index: number): boolean {
    return (((this.words[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1;
  }

  set(index: number): void {
    const word = index >>> 5;
    if (word >= this.words.length) {
      const words = new Uint32Array(Math.max(2, word + 1 + (word >>> 1)));
      words.set(this.words);
      this.words = words;
    }
    if (this.has(index)) return;
    this.words[word] = (this.words[word] ?? 0) | (1 << (index & 31));
    this.count += 1;
  }

  clear(index: number): void {
    if (!this.has(index)) return;
    const word = index >>> 5;
    this.words[word] = (this.words[word] ?? 0) & ~(1 << (index & 31));
    this.count -= 1;
  }

  /** The bits of now. */
  saved(): SavedPart[] {
    return [this.count, this.words.slice()];
  }

  /** Reads the bits of a set that has none yet. */
  async load(read: SavedReader): Promise<void> {
    this.count = await read.number();
    this.words = await read.words();
  }
}

/** Sets the bits from `start` up to `end`, which is not included. */
export function setRange(words: Uint32Array, start: number, end: number): void {
  for (let index = start; index < end; ) {
    const word = index >>> 5;
    const stop = Math.min(end, (word + 1) << 5);
    words[word] = (words[word] ?? 0) | maskOf(index & 31, stop - index);
    index = stop;
  }
}

/** Clears the bits from `start` up to `end`, which is not included. */
export function clearRange(words: Uint32Array, start: number, end: number): void {
  for (let index = start; index < end; ) {
    const word = index >>> 5;
    const stop = Math.min(end, (word + 1) << 5);
    words[word] = (words[word] ?? 0) & ~maskOf(index & 31, stop - index);
    index = stop;
  }
}

function maskOf(from: number, count: number): number {
  return count === 32 ? -1 : ((1 << count) - 1) << from;
}
