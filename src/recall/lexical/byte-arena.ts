// Memory that is given out in small pieces and never moves: pieces are addressed by number.
//
// The garbage collector frees arrays outside the heap late: up to 64 MiB of them can be waiting.
// Moving the content of an array to another array, or to an empty one, frees it at once.

import type { SavedPart, SavedReader } from "../rules/saved.ts";

const SLAB_BITS = 16;
const SLAB_BYTES = 1 << SLAB_BITS;
const SLAB_MASK = SLAB_BYTES - 1;
const FIRST_BYTES = 1_024;

/** Address 0 stands for none. */
const RESERVED_BYTES = 8;

/** Slabs of 64 KiB; the first one grows, so that a small arena is small. */
export class ByteArena {
  #slabs: Uint8Array[] = [new Uint8Array(FIRST_BYTES)];
  #used = RESERVED_BYTES;
  #bytes = FIRST_BYTES;

  /** Gives the address of new bytes, all of them 0. At most 64 KiB at once. */
  allocate(bytes: number): number {
    const last = this.#slabs.length - 1;
    const slab = this.#slabs[last];
    if (slab === undefined || this.#used + bytes > SLAB_BYTES) {
      this.#slabs.push(new Uint8Array(SLAB_BYTES));
      this.#bytes += SLAB_BYTES;
      this.#used = bytes;
      return (last + 1) * SLAB_BYTES;
    }
    if (this.#used + bytes > slab.length) {
      const larger = new Uint8Array(Math.min(SLAB_BYTES, 2 * Math.max(slab.length, bytes)));
      larger.set(slab);
      this.#bytes += larger.length - slab.length;
      this.#slabs[last] = larger;
    }
    const address = last * SLAB_BYTES + this.#used;
    this.#used += bytes;
    return address;
  }

  /** The slab that an address is in. It may be another object after `allocate`. */
  slabOf(address: number): Uint8Array {
    const slab = this.#slabs[address >>> SLAB_BITS];
    if (slab === undefined) throw new RangeError("address outside of the arena");
    return slab;
  }

  /** The place of an address in its slab. */
  placeOf(address: number): number {
    return address & SLAB_MASK;
  }

  /** The bytes that are given out now. They may change while they are written. */
  saved(): SavedPart[] {
    const [last = new Uint8Array(0), ...full] = this.#slabs.toReversed();
    return [this.#slabs.length, ...full.reverse(), last.subarray(0, this.#used)];
  }

  /** Reads bytes into an arena that has given out none yet. */
  async load(read: SavedReader): Promise<void> {
    const slabs: Uint8Array[] = [];
    for (let left = await read.number(); left > 0; left--) slabs.push(await read.bytes());
    this.#slabs = slabs;
    this.#used = slabs.at(-1)?.length ?? 0;
    this.#bytes = slabs.reduce((sum, slab) => sum + slab.length, 0);
  }

  /** Gives the memory back at once, and has none then. */
  release(): void {
    for (const { buffer } of this.#slabs.splice(0)) {
      if (buffer instanceof ArrayBuffer) buffer.transfer(0);
    }
    this.#slabs.push(new Uint8Array(FIRST_BYTES));
    this.#used = RESERVED_BYTES;
    this.#bytes = FIRST_BYTES;
  }

  /** The memory that the arena takes. */
  bytes(): number {
    return this.#bytes;
  }
}

/** Reads four bytes, lowest first. */
export function readWord(slab: Uint8Array, place: number): number {
  const low = (slab[place] ?? 0) | ((slab[place + 1] ?? 0) << 8);
  return (low | ((slab[place + 2] ?? 0) << 16) | ((slab[place + 3] ?? 0) << 24)) >>> 0;
}

/** Writes four bytes, lowest first. */
export function writeWord(slab: Uint8Array, place: number, value: number): void {
  slab[place] = value;
  slab[place + 1] = value >>> 8;
  slab[place + 2] = value >>> 16;
  slab[place + 3] = value >>> 24;
}
