// The kernel against its twin: the same bits for any records, query, filter and threshold.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../test/support/recall/vectors.ts";
import { loadKernel, newMemory, RECORD_TAIL, STATE } from "./kernel.ts";
import { twinScan, viewsOf } from "./twin.ts";

const memory = newMemory(32, 32);
const kernel = loadKernel(memory);
const views = viewsOf(memory.buffer);

const [AT, QUERY, LIST, BITS, OUT, TWIN_OUT, RECORDS] = [
  64, 128, 16384, 20480, 32768, 65536, 131072,
];

interface Shape {
  readonly codes: number;
  readonly count: number;
  readonly seed: number;
  readonly threshold: number;
  readonly worst: number;
  readonly bits: boolean;
  readonly list: boolean;
  readonly extreme: boolean;
}

const someShape: fc.Arbitrary<Shape> = fc.record({
  codes: fc.oneof(
    fc.constant(8),
    fc.integer({ min: 1, max: 70 }).map((eights) => eights * 8),
  ),
  count: fc.nat(60),
  seed: fc.nat(),
  threshold: fc.constantFrom(Number.NEGATIVE_INFINITY, -100, 0, 5000),
  worst: fc.constantFrom(0, 20, 0xffff_ffff),
  bits: fc.boolean(),
  list: fc.boolean(),
  extreme: fc.boolean(),
});

/** Fills the memory with random records, of which some are not used and some are equal. */
function fill(shape: Shape): void {
  const random = seededRandom(shape.seed);
  const between = (limit: number): number =>
    shape.extreme ? limit : Math.round((2 * random() - 1) * limit);
  const stride = shape.codes + RECORD_TAIL;
  // No sum may leave 32 bits: that is what the block's quantizer sees to.
  const limit = Math.min(32_767, Math.floor(2_147_483_647 / (127 * shape.codes)));
  for (let index = 0; index < shape.codes; index++) {
    views.i16[(QUERY >>> 1) + index] = between(limit);
  }
  for (let record = 0; record < shape.count; record++) {
    const at = RECORDS + record * stride;
    for (let index = 0; index < shape.codes; index++) views.i8[at + index] = between(127);
    if (record > 0 && random() < 0.3) views.i8.copyWithin(at, RECORDS, RECORDS + stride);
    else views.f32[(at + shape.codes) >>> 2] = random() < 0.1 ? Number.NaN : random() - 0.3;
    views.u32[(at + shape.codes + 4) >>> 2] = Math.floor(random() * 100);
    views.u32[(LIST >>> 2) + record] = RECORDS + Math.floor(random() * shape.count) * stride;
  }
  for (let word = 0; word < 4; word++) views.u32[(BITS >>> 2) + word] = random() * 2 ** 32;
}

function run(shape: Shape, twin: boolean): number[] {
  const set = (offset: number, value: number): void => {
    views.u32[(AT + offset) >>> 2] = value;
  };
  const out = twin ? TWIN_OUT : OUT;
  set(STATE.query, QUERY);
  set(STATE.codes, shape.codes);
  set(STATE.stride, shape.codes + RECORD_TAIL);
  set(STATE.bits, shape.bits ? BITS : 0);
  set(STATE.bitsEnd, 90);
  set(STATE.out, out);
  set(STATE.worst, shape.worst);
  views.f32[(AT + STATE.threshold) >>> 2] = shape.threshold;
  const list = shape.list ? LIST : 0;
  const given = twin
    ? twinScan({ scratch: views, records: views }, AT, { first: RECORDS, count: shape.count, list })
    : kernel.scan(AT, RECORDS, shape.count, list);
  return [given, ...views.u32.slice(out >>> 2, (out >>> 2) + 2 * given)];
}

describe("the kernel", () => {
  test("gives the same bits as its twin", () => {
    let given = 0;
    fc.assert(
      fc.property(someShape, (shape) => {
        fill(shape);
        const found = run(shape, false);
        expect(found).toEqual(run(shape, true));
        given += found[0] ?? 0;
      }),
      { numRuns: 400 },
    );
    expect(given).toBeGreaterThan(1000);
  });

  test("adds up the largest codes of the most dimensions without leaving 32 bits", () => {
    for (const codes of [8, 512, 4096]) {
      const shape = { codes, count: 1, seed: 1, threshold: 0, worst: 0, bits: false, list: false };
      fill({ ...shape, extreme: true });
      views.f32[(RECORDS + codes) >>> 2] = 1;
      const [given, score] = run({ ...shape, extreme: true }, false);
      const limit = Math.min(32_767, Math.floor(2_147_483_647 / (127 * codes)));
      expect(given).toBe(1);
      expect(new Float32Array(Uint32Array.of(score ?? 0).buffer)[0]).toBe(
        Math.fround(127 * limit * codes),
      );
    }
  });
});

describe("add", () => {
  const [ADD_LIST, SUM, ROWS] = [64, 32_768, 65_536];
  const someRows = fc.record({
    codes: fc.integer({ min: 1, max: 40 }).map((eights) => eights * 8),
    picks: fc.array(fc.nat(19), { maxLength: 200 }),
    factors: fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
    seed: fc.nat(),
  });

  test("sums rows to the bit as JavaScript does, whatever the factors", () => {
    fc.assert(
      fc.property(someRows, ({ codes, picks, factors, seed }) => {
        const random = seededRandom(seed);
        for (let at = 0; at < 20 * codes; at++) views.i8[ROWS + at] = Math.floor(random() * 256);
        const expected = new Float32Array(codes);
        for (const [place, pick] of picks.entries()) {
          const factor = factors[place % factors.length] ?? 0;
          views.u32[(ADD_LIST >>> 2) + place * 2] = ROWS + pick * codes;
          views.f32[(ADD_LIST >>> 2) + place * 2 + 1] = factor;
          for (let index = 0; index < codes; index++) {
            const code = views.i8[ROWS + pick * codes + index] ?? 0;
            expected[index] = (expected[index] ?? 0) + factor * code;
          }
        }
        views.f32.fill(0, SUM >>> 2, (SUM >>> 2) + codes);
        kernel.add(ADD_LIST, picks.length, SUM, codes);
        expect([...views.f32.subarray(SUM >>> 2, (SUM >>> 2) + codes)]).toEqual([...expected]);
      }),
    );
  });
});
