// Numbers for terms, without an object for each: the characters of a term are bytes in an arena,
// and a hash table of numbers finds them. So an index of many different words, such as ids, leaves
// nothing to the collector of garbage, which lets a heap grow to a multiple of what it holds.

import { ByteArena } from "./byte-arena.ts";
import { PagedWords } from "./paged-words.ts";

const SLOTS_FIRST = 64;
/** Entries of the table are fewer than this part of its slots. */
const LOAD_MAX = 0.7;
/** Bytes of the header of a term: its units times two, plus 1 when each takes two bytes. */
const HEADER_BYTES = 2;
/** The most units of a term: far more than one has. */
const UNITS_MAX = 16_384;
/** The most units that are made a string at once. */
const UNITS_AT_ONCE = 1_024;

/** The key of hashes: two numbers of 32 bits. With another key, other terms have the same hash. */
export type HashKey = readonly [number, number];

/** Gives each different term a number: 0, 1, 2 in the order in which they come. */
export class TermTable {
  readonly #key: HashKey;
  readonly #arena = new ByteArena();
  /** Number of the term plus 1, by hash; 0 where there is none. Their count is a power of two. */
  readonly #slots = new PagedWords();
  #slotCount = 0;
  /** The hash and the address of each term, side by side. */
  readonly #entries = new PagedWords();
  #size = 0;

  constructor(key: HashKey) {
    this.#key = key;
    this.#makeSlots(SLOTS_FIRST);
  }

  /** Number of terms. */
  get size(): number {
    return this.#size;
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.#slots.bytes + this.#entries.bytes + this.#arena.bytes();
  }

  /** The number of a term; undefined when it has none. The hash is that of the term. */
  find(term: string, hash: number = hashOf(term, this.#key)): number | undefined {
    const found = this.#slots.at(this.#slotOf(term, hash));
    return found === 0 ? undefined : found - 1;
  }

  /** The number of a term, the next one when it has none. Throws RangeError for an endless one. */
  add(term: string, hash: number = hashOf(term, this.#key)): number {
    if (term.length > UNITS_MAX) throw new RangeError("a term is too long");
    const slot = this.#slotOf(term, hash);
    const found = this.#slots.at(slot);
    return found > 0 ? found - 1 : this.#put(slot, hash, this.#write(term));
  }

  /** Gives a term of another table, which this one does not have, the next number. */
  take(from: TermTable, number: number): number {
    const hash = from.hashAt(number);
    return this.#put(this.#freeSlot(hash), hash, this.#copy(from, number));
  }

  /** The hash of the term of a number. */
  hashAt(number: number): number {
    return this.#entries.at(2 * number);
  }

  /** Forgets all terms and gives their memory back at once. */
  release(): void {
    this.#size = 0;
    this.#arena.release();
    this.#slots.release();
    this.#entries.release();
    this.#makeSlots(SLOTS_FIRST);
  }

  /** All terms with their numbers, those that come during the iteration included. */
  *entries(): Generator<[string, number], undefined> {
    for (let number = 0; number < this.#size; number++) yield [this.#read(number), number];
  }

  /** All terms in the order of their numbers. */
  *texts(): Generator<string, undefined> {
    for (const [term] of this.entries()) yield term;
  }

  /** The slot of a term, or the free one that it would get. */
  #slotOf(term: string, hash: number): number {
    const mask = this.#slotCount - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots.at(slot);
      if (found === 0) return slot;
      if (this.#entries.at(2 * found - 2) === hash && this.#isAt(found - 1, term)) return slot;
    }
  }

  #isAt(number: number, term: string): boolean {
    const address = this.#addressOf(number);
    const slab = this.#arena.slabOf(address);
    const start = this.#arena.placeOf(address);
    const { length } = term;
    const { units, width } = headerAt(slab, start);
    if (units !== length) return false;
    let at = start + HEADER_BYTES;
    for (let unit = 0; unit < length; unit++, at += width) {
      if (unitAt(slab, at, width) !== term.charCodeAt(unit)) return false;
    }
    return true;
  }

  #addressOf(number: number): number {
    return this.#entries.at(2 * number + 1);
  }

  #freeSlot(hash: number): number {
    const mask = this.#slotCount - 1;
    let slot = hash & mask;
    while (this.#slots.at(slot) !== 0) slot = (slot + 1) & mask;
    return slot;
  }

  /** Gives the term at an address the next number. */
  #put(slot: number, hash: number, address: number): number {
    const number = this.#size;
    this.#entries.reserve(2 * number + 2);
    this.#entries.set(2 * number, hash);
    this.#entries.set(2 * number + 1, address);
    this.#slots.set(slot, number + 1);
    this.#size += 1;
    if (this.#size > this.#slotCount * LOAD_MAX) this.#spread();
    return number;
  }

  #copy(from: TermTable, number: number): number {
    const source = from.#addressOf(number);
    const slab = from.#arena.slabOf(source);
    const start = from.#arena.placeOf(source);
    const { units, width } = headerAt(slab, start);
    const bytes = HEADER_BYTES + units * width;
    const address = this.#arena.allocate(bytes);
    const to = this.#arena.slabOf(address);
    const place = this.#arena.placeOf(address);
    for (let at = 0; at < bytes; at++) to[place + at] = slab[start + at] ?? 0;
    return address;
  }

  #write(term: string): number {
    const { length } = term;
    const width = isWide(term) ? 2 : 1;
    const address = this.#arena.allocate(HEADER_BYTES + length * width);
    const slab = this.#arena.slabOf(address);
    let at = this.#arena.placeOf(address);
    const header = length * 2 + width - 1;
    slab[at] = header;
    slab[at + 1] = header >>> 8;
    at += HEADER_BYTES;
    for (let unit = 0; unit < length; unit++, at += width) {
      const value = term.charCodeAt(unit);
      slab[at] = value;
      if (width === 2) slab[at + 1] = value >>> 8;
    }
    return address;
  }

  #read(number: number): string {
    const address = this.#addressOf(number);
    const slab = this.#arena.slabOf(address);
    const start = this.#arena.placeOf(address);
    const { units, width } = headerAt(slab, start);
    let text = "";
    for (let from = 0; from < units; from += UNITS_AT_ONCE) {
      const length = Math.min(UNITS_AT_ONCE, units - from);
      const codes = Array.from({ length }, (_, at) =>
        unitAt(slab, start + HEADER_BYTES + (from + at) * width, width),
      );
      text += String.fromCharCode(...codes);
    }
    return text;
  }

  /** Doubles the slots. */
  #spread(): void {
    this.#slots.release();
    this.#makeSlots(2 * this.#slotCount);
    for (let number = 0; number < this.#size; number++) {
      this.#slots.set(this.#freeSlot(this.hashAt(number)), number + 1);
    }
  }

  #makeSlots(count: number): void {
    this.#slots.reserve(count);
    this.#slotCount = count;
  }
}

/**
 * HalfSipHash-1-3 of the UTF-16 units of a term, an unsigned number of 32 bits. Whoever does not
 * know the key cannot prepare many terms with one hash, which would make a table of them slow.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), in the form of 32-bit
 * words that the Linux kernel calls hsiphash.
 */
export function hashOf(term: string, [key0, key1]: HashKey): number {
  const { length } = term;
  let v0 = key0;
  let v1 = key1;
  let v2 = key0 ^ 0x6c796765;
  let v3 = key1 ^ 0x74656462;
  // Each word holds two units. The last one holds a unit that is left, and the length in bytes.
  const words = (length >>> 1) + 1;
  for (let at = 0; at < words + 3; at++) {
    let word = 0;
    if (at < words - 1) word = term.charCodeAt(2 * at) | (term.charCodeAt(2 * at + 1) << 16);
    else if (at === words - 1)
      word = (length << 25) | (length % 2 === 1 ? term.charCodeAt(length - 1) : 0);
    else if (at === words) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}

function isWide(term: string): boolean {
  for (let unit = 0; unit < term.length; unit++) if (term.charCodeAt(unit) > 0xff) return true;
  return false;
}

function headerAt(slab: Uint8Array, place: number): { units: number; width: 1 | 2 } {
  const header = (slab[place] ?? 0) | ((slab[place + 1] ?? 0) << 8);
  return { units: header >>> 1, width: (header & 1) === 0 ? 1 : 2 };
}

function unitAt(slab: Uint8Array, at: number, width: 1 | 2): number {
  const low = slab[at] ?? 0;
  return width === 1 ? low : low | ((slab[at + 1] ?? 0) << 8);
}
