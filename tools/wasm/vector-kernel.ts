// The kernel of the vectors, instruction by instruction. What the functions do and how the
// memory is laid out is told in src/recall/vector/kernel.ts; its twin in JavaScript, which
// gives the same bits, is twin.ts beside it.

import { STATE } from "../../src/recall/vector/kernel.ts";
import {
  block,
  type Code,
  encodeModule,
  F32,
  I32,
  loop,
  op,
  V128,
  type WasmFunction,
  when,
} from "./encoder.ts";

/** Locals of the dot product. */
interface DotLocals {
  readonly record: number;
  readonly query: number;
  readonly codes: number;
  /** Address that it reads; afterwards the address of the scale, behind the last code. */
  readonly at: number;
  readonly queryAt: number;
  readonly end: number;
  readonly sums: readonly [number, number];
  readonly score: number;
}

/** Codes of one turn of the long loop. */
const LONG = 32;
/** Codes of one turn of the short loop: all that is left is a multiple of it. */
const SHORT = 8;

/** Adds the products of eight codes and eight values of the query to a sum. */
function addProducts(locals: DotLocals, sum: number, first: number): Code {
  return [
    ...op.get(locals.at),
    ...op.load8x8(first),
    ...op.get(locals.queryAt),
    ...op.v128Load(first * 2),
    ...op.i32x4Dot,
    ...op.get(sum),
    ...op.i32x4Add,
    ...op.set(sum),
  ];
}

function advance(local: number, by: number): Code {
  return [...op.get(local), ...op.i32(by), ...op.i32Add, ...op.set(local)];
}

/** Runs over whole groups of codes while they end before `end`. */
function overCodes(locals: DotLocals, codes: number, sums: readonly number[]): Code {
  const adds = Array.from({ length: codes / 8 }, (_, index) =>
    addProducts(locals, sums[index % sums.length] ?? 0, index * 8),
  );
  return block(
    loop(
      ...[op.get(locals.at), op.get(locals.end), op.i32GeU, op.brIf(1)],
      ...adds,
      ...[advance(locals.at, codes), advance(locals.queryAt, codes * 2)],
      op.br(0),
    ),
  );
}

/** Scores a record: the dot product of its codes and the query, times its scale. */
function dot(locals: DotLocals): Code {
  const [first, second] = locals.sums;
  const lanes = [0, 1, 2, 3].map((lane) => [...op.get(first), ...op.lane(lane)]);
  return [
    ...[...op.zeros, ...op.set(first), ...op.zeros, ...op.set(second)],
    ...[...op.get(locals.query), ...op.set(locals.queryAt)],
    ...[...op.get(locals.record), ...op.tee(locals.at)],
    ...[...op.get(locals.codes), ...op.i32(-LONG), ...op.i32And, ...op.i32Add],
    ...op.set(locals.end),
    ...overCodes(locals, LONG, locals.sums),
    ...[...op.get(locals.record), ...op.get(locals.codes), ...op.i32Add, ...op.set(locals.end)],
    ...overCodes(locals, SHORT, [first]),
    ...[...op.get(first), ...op.get(second), ...op.i32x4Add, ...op.set(first)],
    ...(lanes[0] ?? []),
    ...lanes.slice(1).flatMap((lane) => [...lane, ...op.i32Add]),
    ...[...op.f32ConvertI32, ...op.get(locals.at), ...op.f32Load(0), ...op.f32Mul],
    ...op.set(locals.score),
  ];
}

/** Gives `scan(state, record, count, list)`: how many rows it has put out. */
function scan(): WasmFunction {
  const [state, record, count, list] = [0, 1, 2, 3];
  const [query, codes, stride, bits, bitsEnd] = [4, 5, 6, 7, 8];
  const [out, worst, at, queryAt, end, row] = [9, 10, 11, 12, 13, 14];
  const [threshold, score] = [15, 16];
  const dotLocals = { record, query, codes, at, queryAt, end, sums: [17, 18], score } as const;
  const fromState = (local: number, offset: number): Code => [
    ...[...op.get(state), ...op.i32Load(offset), ...op.set(local)],
  ];
  const nextOfList = [
    ...[...op.get(list), ...op.i32Load(0), ...op.set(record)],
    ...advance(list, 4),
  ];
  // Depth 1 is the block that ends before the next record.
  const skipUnlessBit = [
    ...[...op.get(record), ...op.get(codes), ...op.i32Add, ...op.i32Load(4), ...op.tee(row)],
    ...[...op.get(bitsEnd), ...op.i32GeU, ...op.brIf(1)],
    ...[...op.get(bits), ...op.get(row), ...op.i32(5), ...op.i32ShrU, ...op.i32(2), ...op.i32Shl],
    ...[...op.i32Add, ...op.i32Load(0), ...op.get(row), ...op.i32ShrU, ...op.i32(1), ...op.i32And],
    ...[...op.i32Eqz, ...op.brIf(1)],
  ];
  const skipUnlessBetter = [
    ...[...op.get(score), ...op.get(threshold), ...op.f32Ge, ...op.i32Eqz, ...op.brIf(0)],
    ...[...op.get(at), ...op.i32Load(4), ...op.set(row)],
    ...[...op.get(score), ...op.get(threshold), ...op.f32Gt, ...op.i32Eqz],
    ...when([...op.get(row), ...op.get(worst), ...op.i32GeU, ...op.brIf(1)]),
  ];
  const putOut = [
    ...[...op.get(out), ...op.get(score), ...op.f32Store(0)],
    ...[...op.get(out), ...op.get(row), ...op.i32Store(4)],
    ...advance(out, 8),
  ];
  const body = [
    ...[...fromState(query, STATE.query), ...fromState(codes, STATE.codes)],
    ...[...fromState(bits, STATE.bits), ...fromState(bitsEnd, STATE.bitsEnd)],
    ...[...fromState(stride, STATE.stride), ...fromState(out, STATE.out)],
    ...[...op.get(state), ...op.f32Load(STATE.threshold), ...op.set(threshold)],
    ...fromState(worst, STATE.worst),
    ...block(
      loop(
        ...[op.get(count), op.i32Eqz, op.brIf(1)],
        ...[op.get(list), when(nextOfList)],
        block(
          ...[op.get(bits), when(skipUnlessBit)],
          ...[dot(dotLocals), skipUnlessBetter, putOut],
        ),
        ...[op.get(record), op.get(stride), op.i32Add, op.set(record)],
        ...[advance(count, -1), op.br(0)],
      ),
    ),
    ...[...op.get(out), ...op.get(state), ...op.i32Load(STATE.out), ...op.i32Sub],
    ...[...op.i32(3), ...op.i32ShrU],
  ];
  const locals = [...new Array<number>(11).fill(I32), F32, F32, V128, V128];
  return { name: "scan", parameters: 4, locals, body };
}

/** The high half of a vector as its low one. */
const HIGH_HALF = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];

/** Locals of the adding of a row. */
interface AddLocals {
  readonly sumAt: number;
  readonly factor: number;
}

/** Adds two codes, lanes of 32 bits, times the factor to the sum. */
function addPair({ sumAt, factor }: AddLocals, codes: Code, offset: number): Code {
  return [
    ...[...op.get(sumAt), ...op.get(sumAt), ...op.load64(offset), ...op.f64x2PromoteLowF32],
    ...[...codes, ...op.f64x2ConvertLowI32, ...op.get(factor), ...op.f64x2Mul, ...op.f64x2Add],
    ...[...op.f32x4DemoteF64, ...op.store64(offset)],
  ];
}

/** Gives `add(list, count, sum, codes)`, which gives 0. */
function add(): WasmFunction {
  const [list, count, sum, codes] = [0, 1, 2, 3];
  const [at, sumAt, end] = [4, 5, 6];
  const [factor, eight, four] = [7, 8, 9];
  const locals = { sumAt, factor };
  const fourCodes = (widened: Code, offset: number): Code => [
    ...[...op.get(eight), ...widened, ...op.set(four)],
    ...addPair(locals, op.get(four), offset),
    ...addPair(locals, [...op.get(four), ...op.get(four), ...op.shuffle(HIGH_HALF)], offset + 8),
  ];
  const addRow = block(
    loop(
      ...[op.get(at), op.get(end), op.i32GeU, op.brIf(1)],
      ...[op.get(at), op.load8x8(0), op.set(eight)],
      ...[fourCodes(op.i32x4ExtendLow, 0), fourCodes(op.i32x4ExtendHigh, 16)],
      ...[advance(at, 8), advance(sumAt, 32), op.br(0)],
    ),
  );
  const body = [
    ...block(
      loop(
        ...[op.get(count), op.i32Eqz, op.brIf(1)],
        ...[op.get(list), op.i32Load(0), op.tee(at), op.get(codes), op.i32Add, op.set(end)],
        ...[op.get(list), op.f32Load(4), op.f64PromoteF32, op.f64x2Splat, op.set(factor)],
        ...[op.get(sum), op.set(sumAt), addRow],
        ...[advance(list, 8), advance(count, -1), op.br(0)],
      ),
    ),
    ...op.i32(0),
  ];
  return { name: "add", parameters: 4, locals: [I32, I32, I32, V128, V128, V128], body };
}

/** Gives the bytes of the kernel's module. */
export function vectorKernel(): Uint8Array<ArrayBuffer> {
  return encodeModule([scan(), add()]);
}

/** Gives the source file that holds the bytes. */
export function vectorKernelSource(): string {
  const text = Buffer.from(vectorKernel()).toString("base64");
  const lines = text.match(/.{1,90}/g) ?? [];
  return [
    "// Made by tools/vector-kernel.ts from tools/wasm/vector-kernel.ts. Do not edit.",
    "",
    "/** The bytes of the kernel's WebAssembly module in base64. */",
    "export const KERNEL_BASE64 = [",
    ...lines.map((line) => `  "${line}",`),
    '].join("");',
    "",
  ].join("\n");
}
