import { describe, expect, test } from "vitest";
import type { StoredEntry } from "../store.ts";
import { WindowList } from "./cache.ts";

const POOL = Buffer.alloc(100_000);

function entry(seq: number, length = 100): StoredEntry {
  const bytes = POOL.subarray(seq * 10, seq * 10 + length).fill(seq);
  const byteCount = bytes.length;
  const base = { seq, messageId: `m${seq}`, role: 1, callIds: [], answers: [] } as const;
  const facts = { ...base, isResult: false, tokenCount: 1, createMs: 0 };
  return { ...facts, byteCount, bytes: Buffer.from(bytes) };
}

function entries(first: number, last: number): StoredEntry[] {
  return Array.from({ length: last - first + 1 }, (_, index) => entry(first + index));
}

const seqs = (list: WindowList): number[] => list.entries().map(({ seq }) => seq);

describe("WindowList", () => {
  test("grows and leaves the list before it as it was", () => {
    const one = WindowList.of(entries(1, 3));
    const two = one.append(entries(4, 5));
    const other = one.append(entries(7, 7));
    expect([seqs(one), seqs(two), seqs(other)]).toEqual([
      [1, 2, 3],
      [1, 2, 3, 4, 5],
      [1, 2, 3, 7],
    ]);
  });

  test("loses its oldest entries over and over, and others now and then", () => {
    let list = WindowList.of([]);
    let expected: number[] = [];
    for (let seq = 1; seq <= 500; seq++) {
      const before = list;
      const all = [...list.entries(), entry(seq)];
      const kept = all.slice(seq > 20 ? 1 + (seq % 3) - (seq % 2) : 0);
      if (seq % 50 === 0) kept.splice(2, 1);
      const seqsBefore = seqs(before);
      list = list.trimmed(kept, seq);
      expected = kept.map((one) => one.seq);
      expect(seqs(list)).toEqual(expected);
      expect(list.length).toBe(expected.length);
      expect(seqs(before)).toEqual(seqsBefore);
    }
    expect(
      list
        .append([entry(501)])
        .entries()
        .at(-1)?.seq,
    ).toBe(501);
  });

  test("keeps the bytes in buffers of its own, not much larger than they are", () => {
    const pool = Buffer.alloc(1_000_000, 7);
    const given = { ...entry(1), bytes: pool.subarray(0, 100), byteCount: 100 };
    const list = WindowList.of([given]).append([{ ...given, seq: 2 }]);
    const buffers = new Set(list.entries().map(({ bytes }) => bytes.buffer));
    expect(buffers.has(pool.buffer)).toBe(false);
    const taken = [...buffers].reduce((sum, buffer) => sum + buffer.byteLength, 0);
    expect(taken).toBeLessThanOrEqual(200 + list.slack);
    pool.fill(0);
    expect(list.entries().every(({ bytes }) => bytes.every((byte) => byte === 7))).toBe(true);
  });
});
