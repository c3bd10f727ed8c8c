import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bucketOf } from "../tables/all.ts";
import { SESSION_LIST } from "../tables/session-tables.ts";
import { afterPrefix, u64 } from "./keys.ts";
import { type FlushChunk, Memtable, type Slot, slotValue, type Visibility } from "./memtable.ts";

const prefix = SESSION_LIST.prefix("n");
const keyOf = (n: number): string => prefix + u64(n);

type Step =
  | { readonly kind: "set"; readonly n: number; readonly value: number | null }
  | { readonly kind: "seal" | "commit" | "flush" | "flushed" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("set" as const),
      n: fc.nat(12),
      value: fc.option(fc.nat(255)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("seal", "commit", "flush", "flushed"),
    }),
  },
);

// The same as plain maps: the index as flushed, and the three states on top.
class Model {
  readonly index = new Map<string, number>();
  readonly committed = new Map<string, number>();
  forming = new Map<string, number | null>();
  inFlight: Map<string, number | null> | undefined;
  chunk: FlushChunk | undefined;
  #journalNo = 1;

  run(memtable: Memtable, { ...step }: Step): void {
    if (step.kind === "set") {
      const key = keyOf(step.n);
      memtable.set(key, step.value === null ? null : Uint8Array.of(step.value));
      this.forming.set(key, step.value);
    } else if (step.kind === "seal" && this.inFlight === undefined) {
      expect(memtable.seal().length).toBe(this.forming.size);
      this.inFlight = this.forming;
      this.forming = new Map();
    } else if (step.kind === "commit" && this.inFlight !== undefined) {
      memtable.commit(this.#journalNo++);
      apply(this.committed, this.inFlight);
      this.inFlight = undefined;
    } else if (step.kind === "flush" && this.chunk === undefined) {
      this.chunk = memtable.takeChunk(true);
      for (const { slot, value } of this.chunk) {
        apply(this.index, new Map([[slot.key, value?.[0] ?? null]]));
      }
    } else if (step.kind === "flushed" && this.chunk !== undefined) {
      memtable.flushed(this.chunk);
      this.chunk = undefined;
    }
  }

  expected(visibility: Visibility): Map<string, number> {
    const state = new Map(this.committed);
    if (visibility === "pending") {
      apply(state, this.inFlight ?? new Map());
      apply(state, this.forming);
    }
    return new Map([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function apply(state: Map<string, number>, changes: ReadonlyMap<string, number | null>): void {
  for (const [key, value] of changes) {
    if (value === null) {
      state.delete(key);
    } else {
      state.set(key, value);
    }
  }
}

function slotsOf(memtable: Memtable): readonly Slot[] {
  const { slots, from, to } = memtable.range(keyOf(0), afterPrefix(prefix));
  return slots.slice(from, to);
}

// A read finds the memtable over the index.
function seen(memtable: Memtable, model: Model, visibility: Visibility): Map<string, number> {
  const found = new Map(model.index);
  for (const slot of slotsOf(memtable)) {
    const value = slotValue(slot, visibility);
    expect(memtable.get(slot.key, visibility)).toBe(value);
    if (value !== undefined) apply(found, new Map([[slot.key, value?.[0] ?? null]]));
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe("the memtable", () => {
  test("shows every reader its state, whatever is under way", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const memtable = new Memtable(bucketOf);
        const model = new Model();
        for (const each of steps) {
          model.run(memtable, each);
          expect(seen(memtable, model, "committed")).toEqual(model.expected("committed"));
          expect(seen(memtable, model, "pending")).toEqual(model.expected("pending"));
        }
      }),
    );
  });

  test("is empty once everything is flushed", () => {
    const memtable = new Memtable(bucketOf);
    for (let n = 0; n < 1_000; n++) {
      memtable.set(keyOf(n), Uint8Array.of(1));
    }
    memtable.seal();
    memtable.commit(7);
    expect(memtable.oldestDirty).toBe(7);
    expect(memtable.takeChunk(false)).toEqual([]);
    for (const count of [500, 256, 244]) {
      const chunk = memtable.takeChunk(true);
      expect(chunk.length).toBe(count);
      memtable.flushed(chunk);
    }
    expect([memtable.size, memtable.oldestDirty]).toEqual([0, 0]);
    expect(slotsOf(memtable)).toEqual([]);
  });

  test("keeps a key that changed while it was flushed", () => {
    const memtable = new Memtable(bucketOf);
    memtable.set(keyOf(1), Uint8Array.of(1));
    memtable.seal();
    memtable.commit(1);
    const chunk = memtable.takeChunk(true);
    memtable.set(keyOf(1), Uint8Array.of(2));
    memtable.seal();
    memtable.commit(2);
    memtable.flushed(chunk);
    expect(memtable.get(keyOf(1), "committed")).toEqual(Uint8Array.of(2));
    expect(memtable.oldestDirty).toBe(2);
  });
});

describe("the pace of the flush", () => {
  const commit = (memtable: Memtable, keys: number, bytes: number): void => {
    for (let n = 0; n < keys; n++) memtable.set(keyOf(n), new Uint8Array(bytes));
    memtable.seal();
    memtable.commit(1);
  };

  test("is set by the bytes that wait as well as by the keys", () => {
    const few = new Memtable(bucketOf);
    commit(few, 20, 1_000);
    expect(few.takeChunk(false)).toEqual([]);
    const large = new Memtable(bucketOf);
    commit(large, 20, 1_048_576);
    commit(large, 20, 1_048_576);
    const chunk = large.takeChunk(false);
    expect(chunk.length).toBeGreaterThan(0);
    expect(chunk.length).toBeLessThan(20);
    expect(large.takeChunk(false)).toEqual([]);
    expect(large.dirtyCount).toBe(20 - chunk.length);
  });

  test("keeps nothing of what was flushed", () => {
    const memtable = new Memtable(bucketOf);
    commit(memtable, 300, 1);
    memtable.flushed(memtable.takeChunk(true));
    expect(memtable.queuedCount).toBe(memtable.dirtyCount);
    expect(memtable.size).toBe(memtable.dirtyCount);
  });
});
