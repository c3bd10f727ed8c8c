// Numbers for terms, without an object for each: the characters of a term are bytes in an arena,
// and a hash table of numbers finds them. So an index of many different words, such as ids, leaves
// nothing to the collector of garbage, which lets a heap grow to a multiple of what it holds.

import { ByteArena, grownWords } from "./byte-arena.ts";

const SLOTS_FIRST = 64;
/** Entries of the table are fewer than this part of its slots. */
const LOAD_MAX = 0.7;
/** The arrays of terms grow by a quarter. */
const GROWTH = 1.25;
/** Bytes of the header of a term: its units times two, plus 1 when each takes two bytes. */
const HEADER_BYTES = 2;
/** The most units of a term: far more than one has. */
const UNITS_MAX = 16_384;
/** The most units that are made a string at once. */
const UNITS_AT_ONCE = 1_024;

/** Gives each different term a number: 0, 1, 2 in the order in which they come. */
export class TermTable {
  readonly #arena = new ByteArena();
  /** Number of the term plus 1, by hash; 0 where there is none. Their count is a power of two. */
  #slots = new Uint32Array(SLOTS_FIRST);
  /** The address and the hash of each term. */
  #places = new Uint32Array(SLOTS_FIRST);
  #hashes = new Uint32Array(SLOTS_FIRST);
  #size = 0;

  /** Number of terms. */
  get size(): number {
    return this.#size;
  }

  /** The memory that it takes. */
  get bytes(): number {
    const arrays = [this.#slots, this.#places, this.#hashes];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, this.#arena.bytes());
  }

  /** The number of a term; undefined when it has none. */
  find(term: string): number | undefined {
    const found = this.#slots[this.#slotOf(term, hashOf(term))] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  /** The number of a term, the next one when it has none. Throws RangeError for an endless one. */
  add(term: string): number {
    if (term.length > UNITS_MAX) throw new RangeError("a term is too long");
    const hash = hashOf(term);
    const slot = this.#slotOf(term, hash);
    const found = this.#slots[slot] ?? 0;
    if (found > 0) return found - 1;
    const number = this.#size;
    if (number === this.#places.length) this.#makeRoom();
    this.#places[number] = this.#write(term);
    this.#hashes[number] = hash;
    this.#slots[slot] = number + 1;
    this.#size += 1;
    if (this.#size > this.#slots.length * LOAD_MAX) this.#spread();
    return number;
  }

  /** Forgets all terms and gives their memory back at once. */
  release(): void {
    this.#size = 0;
    this.#arena.release();
    for (const { buffer } of [this.#slots, this.#places, this.#hashes]) buffer.transfer(0);
    this.#slots = new Uint32Array(SLOTS_FIRST);
    this.#places = new Uint32Array(SLOTS_FIRST);
    this.#hashes = new Uint32Array(SLOTS_FIRST);
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
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] ?? 0;
      if (found === 0) return slot;
      if (this.#hashes[found - 1] === hash && this.#isAt(found - 1, term)) return slot;
    }
  }

  #isAt(number: number, term: string): boolean {
    const address = this.#places[number] ?? 0;
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
    const address = this.#places[number] ?? 0;
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

  #makeRoom(): void {
    const length = Math.ceil(this.#size * GROWTH);
    this.#places = grownWords(this.#places, length);
    this.#hashes = grownWords(this.#hashes, length);
  }

  /** Doubles the slots. */
  #spread(): void {
    const slots = grownWords(this.#slots, 2 * this.#slots.length).fill(0);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = (this.#hashes[number] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a over UTF-16 units, mixed: the low bits choose the slot. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let unit = 0; unit < term.length; unit++) {
    hash = Math.imul(hash ^ term.charCodeAt(unit), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
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
