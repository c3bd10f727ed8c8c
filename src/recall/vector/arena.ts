// The memory of all vectors of a process: one memory of WebAssembly, given out in chunks of one
// size. Blocks of any dimension live side by side in it, grow without moving what they hold, and
// give their chunks back; so nothing is ever fragmented, and no block needs a memory of its own,
// which would each reserve gigabytes of addresses.

import {
  type Kernel,
  loadKernel,
  newMemory,
  PAGE_BYTES,
  PAGES_AT_MOST,
  SCAN_AT_MOST,
  STATE_BYTES,
  type WasmMemory,
} from "./kernel.ts";
import { type Views, viewsOf } from "./twin.ts";

/** Bytes of a chunk. Scanning one takes some microseconds, so the call for it costs little. */
export const CHUNK_BYTES = PAGE_BYTES;

/** Dimensions of a vector at most. */
export const DIMENSIONS_AT_MOST = 4096;

/** Chunks that the memory grows by at a time, so that views are not made anew too often. */
const GROWTH = 16;

/** The arena may not grow further, or the machine has no more memory. */
export class VectorMemoryError extends Error {
  override readonly name = "VectorMemoryError";
}

/** Addresses of what a search needs beside the records. They never move. */
const STATE_AT = 64;
const QUERY_AT = STATE_AT + STATE_BYTES;
const OUT_AT = QUERY_AT + 2 * DIMENSIONS_AT_MOST;
const LIST_AT = OUT_AT + 8 * SCAN_AT_MOST;
const SCRATCH_BYTES = LIST_AT + 4 * SCAN_AT_MOST;

/** Offsets in the arena at which a search finds its parts. */
export const SCRATCH = { state: STATE_AT, query: QUERY_AT, out: OUT_AT, list: LIST_AT } as const;

/** The memory of vectors. */
export class VectorArena {
  readonly kernel: Kernel;
  readonly #memory: WasmMemory;
  readonly #pagesAtMost: number;
  readonly #free: number[] = [];
  #current: Views;
  #bitsAt = 0;
  #bitsPages = 0;

  /**
   * Makes an arena.
   *
   * @param maxBytes - Bytes that it may take; default 4 GiB, the most that 32-bit addresses reach.
   * @throws RangeError when not even the parts of a search fit.
   */
  constructor(maxBytes: number = PAGE_BYTES * PAGES_AT_MOST) {
    const first = Math.ceil(SCRATCH_BYTES / PAGE_BYTES);
    this.#pagesAtMost = Math.min(PAGES_AT_MOST, Math.floor(maxBytes / PAGE_BYTES));
    if (!(this.#pagesAtMost >= first)) {
      throw new RangeError(`the memory of vectors needs at least ${first * PAGE_BYTES} bytes`);
    }
    this.#memory = newMemory(first, this.#pagesAtMost);
    this.kernel = loadKernel(this.#memory);
    this.#current = viewsOf(this.#memory.buffer);
  }

  /** The current memory; read it again after anything that may have made it grow. */
  get views(): Views {
    return this.#current;
  }

  /** Bytes that the arena has taken from the machine; it never gives any back. */
  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Bytes of the free chunks. */
  get freeBytes(): number {
    return this.#free.length * CHUNK_BYTES;
  }

  /**
   * Gives the address of a chunk that nobody else has; its bytes are not cleared.
   *
   * @throws VectorMemoryError when the arena is full.
   */
  allocate(): number {
    if (this.#free.length === 0) {
      const pages = Math.max(1, Math.min(GROWTH, this.#pagesAtMost - this.#pages()));
      this.#addFree(this.#grow(pages), pages);
    }
    return this.#free.pop() ?? 0;
  }

  /** Takes a chunk back. */
  release(address: number): void {
    this.#free.push(address);
  }

  /**
   * Copies bits to where the kernel reads them, and gives their address. The next call takes their
   * place.
   *
   * @throws VectorMemoryError when the arena is full.
   */
  placeBits(words: Uint32Array): number {
    const pages = Math.max(1, Math.ceil((words.length * 4) / PAGE_BYTES));
    if (pages > this.#bitsPages) {
      const wanted = Math.max(pages, Math.min(2 * pages, this.#pagesAtMost - this.#pages()));
      const address = this.#grow(wanted);
      this.#addFree(this.#bitsAt, this.#bitsPages);
      this.#bitsAt = address;
      this.#bitsPages = wanted;
    }
    this.views.u32.set(words, this.#bitsAt >>> 2);
    return this.#bitsAt;
  }

  #pages(): number {
    return this.bytes / PAGE_BYTES;
  }

  #addFree(address: number, pages: number): void {
    for (let page = pages - 1; page >= 0; page--) this.#free.push(address + page * PAGE_BYTES);
  }

  /** Adds pages, and gives the address of the first. */
  #grow(pages: number): number {
    const before = this.bytes;
    if (this.#pages() + pages > this.#pagesAtMost) throw this.#full();
    try {
      this.#memory.grow(pages);
    } catch (error) {
      throw new VectorMemoryError("the machine has no more memory for vectors", { cause: error });
    }
    this.#current = viewsOf(this.#memory.buffer);
    return before;
  }

  #full(): VectorMemoryError {
    const limit = this.#pagesAtMost * PAGE_BYTES;
    return new VectorMemoryError(`the memory of vectors is full: its limit is ${limit} bytes`);
  }
}
