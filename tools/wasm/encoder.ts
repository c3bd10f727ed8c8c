// The few parts of the WebAssembly binary format that our kernel needs, as functions that give
// bytes: https://webassembly.github.io/spec/core/binary/

/** Bytes of a piece of a module. */
export type Code = readonly number[];

/** Types of values. */
export const I32 = 0x7f;
export const F32 = 0x7d;
export const V128 = 0x7b;

const FUNCTION_TYPE = 0x60;
const EMPTY_BLOCK = 0x40;
const SIMD = 0xfd;

/** Gives an unsigned number in LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Gives a signed number in LEB128. */
function signed(value: number): Code {
  const rest = value >> 7;
  const done = rest === ((value & 0x40) === 0 ? 0 : -1);
  return done ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(rest)];
}

const memory = (align: number, offset: number): Code => [align, ...unsigned(offset)];

/** Instructions, by their names in the specification. */
export const op = {
  get: (local: number): Code => [0x20, local],
  set: (local: number): Code => [0x21, local],
  tee: (local: number): Code => [0x22, local],
  i32: (value: number): Code => [0x41, ...signed(value)],
  i32Load: (offset: number): Code => [0x28, ...memory(2, offset)],
  f32Load: (offset: number): Code => [0x2a, ...memory(2, offset)],
  i32Store: (offset: number): Code => [0x36, ...memory(2, offset)],
  f32Store: (offset: number): Code => [0x38, ...memory(2, offset)],
  i32Eqz: [0x45] as Code,
  i32LtU: [0x49] as Code,
  i32GeU: [0x4f] as Code,
  f32Gt: [0x5e] as Code,
  f32Ge: [0x60] as Code,
  i32Add: [0x6a] as Code,
  i32Sub: [0x6b] as Code,
  i32And: [0x71] as Code,
  i32Shl: [0x74] as Code,
  i32ShrU: [0x76] as Code,
  f32Mul: [0x94] as Code,
  f32ConvertI32: [0xb2] as Code,
  f32: (value: number): Code => [0x43, ...new Uint8Array(new Float32Array([value]).buffer)],
  v128Load: (offset: number): Code => [SIMD, 0x00, ...memory(3, offset)],
  /** Eight signed bytes, each widened to 16 bits. */
  load8x8: (offset: number): Code => [SIMD, 0x01, ...memory(3, offset)],
  zeros: [SIMD, 0x0c, ...new Array<number>(16).fill(0)] as Code,
  lane: (lane: number): Code => [SIMD, 0x1b, lane],
  i32x4Add: [SIMD, 0xae, 0x01] as Code,
  /** Products of 16-bit lanes, neighbors added up: four 32-bit lanes. */
  i32x4Dot: [SIMD, 0xba, 0x01] as Code,
  /** The low or the high four of eight 16-bit lanes, each widened to 32 bits. */
  i32x4ExtendLow: [SIMD, 0xa7, 0x01] as Code,
  i32x4ExtendHigh: [SIMD, 0xa8, 0x01] as Code,
  /** Bytes of two vectors, by their number from 0 to 31. */
  shuffle: (bytes: readonly number[]): Code => [SIMD, 0x0d, ...bytes],
  f64PromoteF32: [0xbb] as Code,
  f64x2Splat: [SIMD, 0x14] as Code,
  f64x2Mul: [SIMD, 0xf2, 0x01] as Code,
  f64x2Add: [SIMD, 0xf0, 0x01] as Code,
  /** The low two lanes of 32 bits as two of 64. */
  f64x2ConvertLowI32: [SIMD, 0xfe, 0x01] as Code,
  f64x2PromoteLowF32: [SIMD, 0x5f] as Code,
  /** Two lanes of 64 bits as the low two of 32. */
  f32x4DemoteF64: [SIMD, 0x5e] as Code,
  /** The low half of a vector. */
  load64: (offset: number): Code => [SIMD, 0x5d, ...memory(3, offset)],
  store64: (offset: number): Code => [SIMD, 0x5b, ...memory(3, offset), 0],
  br: (depth: number): Code => [0x0c, depth],
  brIf: (depth: number): Code => [0x0d, depth],
} as const;

/** Gives a block: a jump to it leaves it. */
export function block(...body: readonly Code[]): Code {
  return [0x02, EMPTY_BLOCK, ...body.flat(), 0x0b];
}

/** Gives a loop: a jump to it begins it again. */
export function loop(...body: readonly Code[]): Code {
  return [0x03, EMPTY_BLOCK, ...body.flat(), 0x0b];
}

/** Gives what is done when the value on the stack is not zero. */
export function when(...body: readonly Code[]): Code {
  return [0x04, EMPTY_BLOCK, ...body.flat(), 0x0b];
}

/** A function of a module: it takes numbers of 32 bits and gives one. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  /** Types of the locals, which are numbered after the parameters. */
  readonly locals: readonly number[];
  readonly body: Code;
}

const list = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const sized = (content: Code): Code => [...unsigned(content.length), ...content];
const section = (id: number, content: Code): Code => [id, ...sized(content)];
const text = (value: string): Code => sized([...new TextEncoder().encode(value)]);

/** Gives the module of some functions over the memory that it imports as `env.memory`. */
export function encodeModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }): Code => {
    const taken = new Array<number>(parameters).fill(I32);
    return [FUNCTION_TYPE, ...list(taken.map((type) => [type])), 1, I32];
  });
  const bodies = functions.map(({ locals, body }) =>
    sized([...list(locals.map((type) => [1, type])), ...body, 0x0b]),
  );
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, list(types)),
    ...section(2, list([[...text("env"), ...text("memory"), 0x02, 0x00, 0x01]])),
    ...section(3, list(functions.map((_, index) => unsigned(index)))),
    ...section(7, list(functions.map(({ name }, at) => [...text(name), 0x00, ...unsigned(at)]))),
    ...section(10, list(bodies)),
  ]);
}
