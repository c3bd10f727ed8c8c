// Records of one size, numbered by slots: a few in a buffer of their own, more in chunks of the
// arena. A namespace with ten vectors then takes some kilobytes, and a large one never moves.

import { CHUNK_BYTES, type VectorArena } from "./arena.ts";
import { type Views, viewsOf } from "./twin.ts";

/** Bytes that a buffer of their own may have. */
const SMALL_BYTES = CHUNK_BYTES / 2;

/** Slots of the first buffer. */
const FIRST_SLOTS = 4;

/** The records of a block. */
export class Records {
  readonly arena: VectorArena;
  /** Bytes from one record to the next. */
  readonly stride: number;
  /** Records in a chunk. */
  readonly #perChunk: number;
  #small: Views | undefined = undefined;
  readonly #chunks: number[] = [];

  /** Makes room for no record yet. */
  constructor(arena: VectorArena, stride: number) {
    this.arena = arena;
    this.stride = stride;
    this.#perChunk = Math.floor(CHUNK_BYTES / stride);
  }

  /** Whether the records are in the arena, where the kernel can read them. */
  get inArena(): boolean {
    return this.#chunks.length > 0;
  }

  /** The memory that the addresses of records are in; it may be another after `reserve`. */
  get views(): Views {
    return this.#small ?? this.arena.views;
  }

  /** Bytes that the records take, with the room for more. */
  get bytes(): number {
    return (this.#small?.i8.length ?? 0) + this.#chunks.length * CHUNK_BYTES;
  }

  /** Gives where the record of a slot is. */
  address(slot: number): number {
    if (this.#small !== undefined) return slot * this.stride;
    const chunk = Math.floor(slot / this.#perChunk);
    return (this.#chunks[chunk] ?? 0) + (slot - chunk * this.#perChunk) * this.stride;
  }

  /**
   * Makes room for slots 0 to `slots` - 1.
   *
   * @throws VectorMemoryError when the arena is full; then nothing is lost.
   */
  reserve(slots: number): void {
    if (!this.inArena) {
      const room = (this.#small?.i8.length ?? 0) / this.stride;
      if (slots <= room) return;
      const wanted = Math.max(slots, FIRST_SLOTS, 2 * Math.floor(room)) * this.stride;
      if (wanted <= SMALL_BYTES) {
        this.#moveTo(viewsOf(new ArrayBuffer((wanted + 7) & ~7)));
        return;
      }
    }
    while (this.#chunks.length * this.#perChunk < slots) this.#addChunk();
  }

  /** Calls `visit` for each piece of slots `from` to `to` - 1 that lies in one stretch. */
  forEachRun(from: number, to: number, visit: (address: number, count: number) => void): void {
    const perRun = this.inArena ? this.#perChunk : Number.POSITIVE_INFINITY;
    for (let slot = from; slot < to; ) {
      const end = Math.min(to, this.inArena ? slot - (slot % perRun) + perRun : to);
      visit(this.address(slot), end - slot);
      slot = end;
    }
  }

  /** The records of slots 0 to `slots` - 1 in pieces, each where it is when it is asked for. */
  *pieces(slots: number): Generator<Uint8Array> {
    const perPiece = Math.min(this.#perChunk, Math.max(1, slots));
    for (let slot = 0; slot < slots; slot += perPiece) {
      const bytes = Math.min(perPiece, slots - slot) * this.stride;
      yield new Uint8Array(
        this.views.i8.buffer,
        this.views.i8.byteOffset + this.address(slot),
        bytes,
      );
    }
  }

  /** Copies one record over another. */
  copy(from: number, to: number): void {
    const at = this.address(from);
    this.views.i8.copyWithin(this.address(to), at, at + this.stride);
  }

  /** Gives back what slots from `slots` on took. */
  truncate(slots: number): void {
    const needed = Math.ceil(slots / this.#perChunk);
    while (this.#chunks.length > needed) this.arena.release(this.#chunks.pop() ?? 0);
    if (slots === 0) this.#small = undefined;
  }

  #addChunk(): void {
    this.#chunks.push(this.arena.allocate());
    const small = this.#small;
    if (small === undefined) return;
    this.arena.views.i8.set(small.i8, this.#chunks[0]);
    this.#small = undefined;
  }

  #moveTo(views: Views): void {
    if (this.#small !== undefined) views.i8.set(this.#small.i8);
    this.#small = views;
  }
}
