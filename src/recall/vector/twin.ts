// The kernel in JavaScript, with bit-identical results. Blocks that are too small
// for a memory of WebAssembly are searched with it, and tests compare the kernel with it.

import { STATE } from "./kernel.ts";

/** The same bytes, read in each of the ways that records and states need. */
export interface Views {
  readonly i8: Int8Array<ArrayBuffer>;
  readonly i16: Int16Array<ArrayBuffer>;
  readonly u32: Uint32Array<ArrayBuffer>;
  readonly f32: Float32Array<ArrayBuffer>;
}

/** Gives the views of a buffer. */
export function viewsOf(buffer: ArrayBuffer): Views {
  return {
    i8: new Int8Array(buffer),
    i16: new Int16Array(buffer),
    u32: new Uint32Array(buffer),
    f32: new Float32Array(buffer),
  };
}

/** Inputs of a scan: the state, query, bits and room for rows, and the records. */
export interface TwinMemory {
  readonly scratch: Views;
  readonly records: Views;
}

/** Does what `scan` of the kernel does. The list, if there is one, is in the scratch. */
export function twinScan(
  memory: TwinMemory,
  state: number,
  records: { readonly first: number; readonly count: number; readonly list: number },
): number {
  const { scratch } = memory;
  const word = (offset: number): number => scratch.u32[(state + offset) >>> 2] ?? 0;
  const [codes, stride, out] = [word(STATE.codes), word(STATE.stride), word(STATE.out)];
  const [bits, bitsEnd, worst] = [word(STATE.bits), word(STATE.bitsEnd), word(STATE.worst)];
  const threshold = scratch.f32[(state + STATE.threshold) >>> 2] ?? 0;
  const { list } = records;
  let given = 0;
  for (let index = 0; index < records.count; index++) {
    const at =
      list === 0 ? records.first + index * stride : (scratch.u32[(list >>> 2) + index] ?? 0);
    const row = memory.records.u32[(at + codes + 4) >>> 2] ?? 0;
    if (bits !== 0) {
      if (row >= bitsEnd) continue;
      if ((((scratch.u32[(bits >>> 2) + (row >>> 5)] ?? 0) >>> (row & 31)) & 1) === 0) continue;
    }
    const score = scoreOf(memory, word(STATE.query), at, codes);
    if (!(score > threshold || (score === threshold && row < worst))) continue;
    scratch.f32[(out >>> 2) + given * 2] = score;
    scratch.u32[(out >>> 2) + given * 2 + 1] = row;
    given++;
  }
  return given;
}

function scoreOf(memory: TwinMemory, query: number, at: number, codes: number): number {
  const { i8, f32 } = memory.records;
  const { i16 } = memory.scratch;
  const from = query >>> 1;
  let sum = 0;
  for (let index = 0; index < codes; index++) {
    sum = (sum + (i8[at + index] ?? 0) * (i16[from + index] ?? 0)) | 0;
  }
  // Rounded as the kernel rounds: once to 32 bits before the product, and once after it.
  return Math.fround(Math.fround(sum) * (f32[(at + codes) >>> 2] ?? 0));
}
