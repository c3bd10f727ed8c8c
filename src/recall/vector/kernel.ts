// The kernel of the vectors, in WebAssembly with SIMD: `scan` makes dot products of one query with
// many stored vectors, and `add` sums rows of a table of word vectors. tools/vector-kernel.ts makes
// its bytes; twin.ts does the same scan in JavaScript, to the bit, for blocks that are too small to
// be worth WebAssembly and for tests.
//
// A record is one vector: its codes (signed bytes, padded with zeros to a multiple of eight), its
// scale (f32; NaN in a record that is not used, which then compares with nothing) and its row
// (u32). The query is as many signed 16-bit values. The score of a record is f32(sum of products) *
// scale; the query is scaled so that no sum leaves 32 bits, whatever the codes are.

import { KERNEL_BASE64 } from "./kernel-bytes.ts";

/** Offsets, in bytes, in the state that the kernel reads: what stays the same over many calls. */
export const STATE = {
  /** Address of the query. */
  query: 0,
  /** Codes of a record, padded. */
  codes: 4,
  /** Bytes from one record to the next. */
  stride: 8,
  /** Address of a bit for each row that may be given; 0 when all may. */
  bits: 12,
  /** Rows that have a bit; others may not be given. */
  bitsEnd: 16,
  /** Address where rows are put out: score (f32) and row (u32) of each. */
  out: 20,
  /** A row is put out when its score is above this (f32), */
  threshold: 24,
  /** or equal and the row is below this one. */
  worst: 28,
} as const;

/** Bytes of the state. */
export const STATE_BYTES = 32;

/** Bytes of a record behind its codes: the scale and the row. */
export const RECORD_TAIL = 8;

/** The most records of one scan, by the room for its output. */
export const SCAN_AT_MOST = 4096;

/** The functions of the module. */
export interface Kernel {
  /**
   * Scores records and puts out the rows that pass, in the order of the scan. The records lie one
   * behind the other from `record` on, or where a list says: `list` is then the address of their
   * addresses, and otherwise 0.
   */
  readonly scan: (state: number, record: number, count: number, list: number) => number;
  /**
   * Adds rows of signed bytes, each times a factor, to a sum of 32-bit floats. The list has the
   * address (u32) and the factor (f32) of each row. `codes` is a multiple of eight. Each sum is
   * made in 64 bits and rounded once, as JavaScript does it.
   */
  readonly add: (list: number, count: number, sum: number, codes: number) => number;
}

/** A memory of WebAssembly; its buffer is another one after it has grown. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

// The browser's library, which declares WebAssembly, is not part of the compilation.
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: WasmMemory } },
  ) => { readonly exports: object };
};

/** Bytes of a page, in which a memory grows. */
export const PAGE_BYTES = 65_536;

/** Pages of a memory with 32-bit addresses at most. */
export const PAGES_AT_MOST = 65_536;

/** Gives a new memory that may grow up to `maximum` pages. */
export function newMemory(initial: number, maximum: number): WasmMemory {
  return new WebAssembly.Memory({ initial, maximum });
}

/** Gives the kernel over a memory. */
export function loadKernel(memory: WasmMemory): Kernel {
  const bytes = Uint8Array.from(atob(KERNEL_BASE64), (char) => char.charCodeAt(0));
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  return instance.exports as Kernel;
}
