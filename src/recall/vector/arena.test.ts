// Chunks of the arena, and its bounds.

import { describe, expect, test } from "vitest";
import { CHUNK_BYTES, VectorArena, VectorMemoryError } from "./arena.ts";

describe("the memory of vectors", () => {
  test("gives chunks that nobody else has, up to its limit, and takes them back", () => {
    const arena = new VectorArena(20 * CHUNK_BYTES);
    const taken = new Set<number>();
    const takeAll = (): void => {
      for (;;) taken.add(arena.allocate());
    };
    expect(takeAll).toThrow(VectorMemoryError);
    expect(arena.bytes).toBe(20 * CHUNK_BYTES);
    expect(arena.freeBytes).toBe(0);
    for (const address of taken) {
      expect(address % CHUNK_BYTES).toBe(0);
      expect(address).toBeGreaterThan(0);
    }
    const [first] = taken;
    arena.release(first ?? 0);
    expect(arena.freeBytes).toBe(CHUNK_BYTES);
    expect(arena.allocate()).toBe(first);
  });

  test("keeps what is in it when it grows", () => {
    const arena = new VectorArena();
    const at = arena.allocate();
    arena.views.i8.fill(42, at, at + CHUNK_BYTES);
    const before = arena.views;
    for (let count = 0; count < 100; count++) arena.allocate();
    expect(arena.views).not.toBe(before);
    expect(arena.views.i8[at + CHUNK_BYTES - 1]).toBe(42);
  });

  test("places ever more bits, and uses the room of the former ones for chunks", () => {
    const arena = new VectorArena(64 * CHUNK_BYTES);
    for (const pages of [1, 2, 5, 12]) {
      const words = new Uint32Array((pages * CHUNK_BYTES) / 4).fill(pages);
      const at = arena.placeBits(words);
      expect(arena.views.u32[(at >>> 2) + words.length - 1]).toBe(pages);
    }
    const most = new Uint32Array((64 * CHUNK_BYTES) / 4);
    expect(() => arena.placeBits(most)).toThrow("the memory of vectors is full");
    expect(arena.freeBytes).toBeGreaterThan(0);
  });

  test("cannot be smaller than what a search needs", () => {
    expect(() => new VectorArena(CHUNK_BYTES - 1)).toThrow("needs at least");
    expect(() => new VectorArena(Number.NaN)).toThrow("needs at least");
  });
});
