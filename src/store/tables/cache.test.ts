import { describe, expect, test } from "vitest";

import { newFields } from "../../../test/support/store/plans.ts";
import { EMPTY_POLICY_STATE } from "../../session/rules/session.ts";
import type { WindowFacts } from "../../window/rules/types.ts";
import type { StoredEntry } from "../store.ts";
import { PackedWindow, SessionCache, type SessionState, WindowList } from "./cache.ts";

function readFacts(bytes: Uint8Array): WindowFacts {
  const seq = Buffer.from(bytes).readUInt32LE();
  const calls = { callIds: [`call${seq}`], answers: [], isResult: false } as const;
  return { messageId: `m${seq}`, role: 1, ...calls, tokenCount: seq / 4, createMs: 1e12 + seq };
}

function entry(seq: number, length = 100): StoredEntry {
  const bytes = Buffer.alloc(length, seq);
  bytes.writeUInt32LE(seq);
  return { seq, ...readFacts(bytes), byteCount: length, bytes };
}

function entries(first: number, last: number): StoredEntry[] {
  return Array.from({ length: last - first + 1 }, (_, index) => entry(first + index));
}

type Form = WindowList | PackedWindow;

const entriesOf = (window: Form): readonly StoredEntry[] =>
  window instanceof PackedWindow ? window.entries(readFacts) : window.entries();
const seqs = (window: Form): number[] => entriesOf(window).map(({ seq }) => seq);

describe.each([
  ["WindowList", WindowList.of],
  ["PackedWindow", PackedWindow.of],
])("%s", (_, of: (entries: readonly StoredEntry[]) => Form) => {
  test("grows and leaves the list before it as it was", () => {
    const one = of(entries(1, 3));
    const two = one.append(entries(4, 5));
    const other = one.append(entries(7, 7));
    expect([seqs(one), seqs(two), seqs(other)]).toEqual([
      [1, 2, 3],
      [1, 2, 3, 4, 5],
      [1, 2, 3, 7],
    ]);
  });

  test("loses its oldest entries over and over, and others now and then", () => {
    let list = of([]);
    let expected: number[] = [];
    for (let seq = 1; seq <= 500; seq++) {
      const before = list;
      const all = [...entriesOf(list), entry(seq)];
      const kept = all.slice(seq > 20 ? 1 + (seq % 3) - (seq % 2) : 0);
      if (seq % 50 === 0) kept.splice(2, 1);
      const seqsBefore = seqs(before);
      list = list.trimmed(kept, seq);
      expected = kept.map((one) => one.seq);
      expect(seqs(list)).toEqual(expected);
      expect(list.length).toBe(expected.length);
      expect(seqs(before)).toEqual(seqsBefore);
    }
    expect(seqs(list.append([entry(501)])).at(-1)).toBe(501);
  });

  test("keeps the bytes in buffers of its own, not much larger than they are", () => {
    const pool = Buffer.alloc(1_000_000, 7);
    const given = { ...entry(1), bytes: pool.subarray(0, 100), byteCount: 100 };
    const list = of([given]).append([{ ...given, seq: 2 }]);
    const buffers = new Set(entriesOf(list).map(({ bytes }) => bytes.buffer));
    expect(buffers.has(pool.buffer)).toBe(false);
    const taken = [...buffers].reduce((sum, buffer) => sum + buffer.byteLength, 0);
    expect(taken).toBeLessThanOrEqual(200 + list.overhead);
    pool.fill(0);
    expect(entriesOf(list).every(({ bytes }) => bytes.every((byte) => byte === 7))).toBe(true);
  });

  test("gives back entries as they were, with seqs of any size and messages of any length", () => {
    const given = [
      { ...entry(1, 4), seq: 2 ** 40 },
      { ...entry(2, 70_000), seq: 2 ** 50 + 1 },
    ];
    expect(entriesOf(of(given).append([entry(3)]))).toEqual([...given, entry(3)]);
  });
});

describe("SessionCache", () => {
  const WINDOW = entries(1, 10);
  const namespace = "default";

  /** A session with the window above. */
  function stateOf(sessionId: string): SessionState {
    const totals = { messageCount: WINDOW.length, tokenCount: 0 };
    const head = { lastSeq: 10, firstSeq: 1, log: totals, window: { ...totals, byteCount: 1_000 } };
    const rest = { windowRanges: [], policyState: EMPTY_POLICY_STATE, updateMs: 0, revision: 1 };
    const session = { namespace, sessionId, fields: newFields(), head: { ...head, ...rest } };
    return { sessionNo: 1, logNo: 1, session, window: PackedWindow.of(WINDOW), edits: 0 };
  }

  const formOf = (state: SessionState): string => state.window?.constructor.name ?? "none";

  test("unpacks a window read twice, and under pressure packs it, drops it, then the session", () => {
    const cache = new SessionCache(30_000, readFacts);
    const state = stateOf("read");
    const cached = cache.add({ namespace, sessionId: "read" }, state);
    const packedBytes = cache.bytes;
    const read = () => cache.entries(cached, state);
    expect(read()).toEqual(WINDOW);
    expect(formOf(state)).toBe("PackedWindow");
    const unpacked = read();
    expect(unpacked).toEqual(WINDOW);
    expect(formOf(state)).toBe("WindowList");
    // Entries of the packed window would keep its buffer as long as one of them is in the list.
    expect(read()?.every((entry, index) => entry === unpacked?.[index])).toBe(true);
    expect(cache.bytes).toBeGreaterThan(packedBytes + WINDOW.length * 100);

    const seen = new Set<string>();
    for (let other = 0; cache.get({ namespace, sessionId: "read" }) === cached; other++) {
      cached.used = false;
      seen.add(formOf(state));
      if (state.window instanceof PackedWindow) expect(entriesOf(state.window)).toEqual(WINDOW);
      cache.add({ namespace, sessionId: `other${other}` }, stateOf(`other${other}`));
      expect(cache.bytes).toBeLessThanOrEqual(30_000);
      expect(other).toBeLessThan(1_000);
    }
    expect([...seen]).toEqual(["WindowList", "PackedWindow", "none"]);
  });

  test("drops a list that packing would hardly make smaller", () => {
    const large = [entry(1, 10_000)];
    const cache = new SessionCache(30_000, readFacts);
    const state = { ...stateOf("large"), window: WindowList.of(large) };
    const { head } = state.session;
    const window = { ...head.window, byteCount: 10_000 };
    const session = { ...state.session, head: { ...head, window } };
    const cached = cache.add({ namespace, sessionId: "large" }, { ...state, session });
    for (let other = 0; cached.committed?.window !== undefined; other++) {
      cached.used = false;
      expect(cached.committed.window).toBeInstanceOf(WindowList);
      cache.add({ namespace, sessionId: `other${other}` }, stateOf(`other${other}`));
      expect(other).toBeLessThan(100);
    }
  });

  test("keeps a window packed when the eviction comes by between its reads", () => {
    const cache = new SessionCache(20_000, readFacts);
    const state = stateOf("read");
    const cached = cache.add({ namespace, sessionId: "read" }, state);
    for (let round = 0; round < 10; round++) {
      expect(cache.entries(cached, state)).toEqual(WINDOW);
      expect(formOf(state)).toBe("PackedWindow");
      for (let other = 0; other < 10; other++) {
        cached.used = true;
        const sessionId = `other${round}.${other}`;
        cache.add({ namespace, sessionId }, stateOf(sessionId)).used = false;
      }
    }
  });
});
