import { describe, expect, test } from "vitest";

import { newFields } from "../../../test/support/store/plans.ts";
import { EMPTY_POLICY_STATE } from "../../session/rules/session.ts";
import type { Role, WindowFacts } from "../../window/rules/types.ts";
import type { StoredEntry } from "../store.ts";
import { PackedWindow, SessionCache, type SessionState } from "./cache.ts";

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

/** The entries with all of their facts read. */
function entriesOf(window: PackedWindow): StoredEntry[] {
  return window.entries(readFacts).map((one) => ({
    ...{ seq: one.seq, messageId: one.messageId, role: one.role, callIds: one.callIds },
    ...{ answers: one.answers, isResult: one.isResult, tokenCount: one.tokenCount },
    ...{ createMs: one.createMs, byteCount: one.byteCount, bytes: one.bytes },
  }));
}

const seqs = (window: PackedWindow): number[] => window.entries(readFacts).map(({ seq }) => seq);

describe("PackedWindow", () => {
  const { of } = PackedWindow;

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

  test("gives back entries of every kind", () => {
    const kinds = [1, 2, 3, 4].flatMap((role) =>
      [true, false].flatMap((isResult) =>
        [[], ["a"]].flatMap((callIds) =>
          [[], ["b", "c"]].map((answers) => ({ role: role as Role, isResult, callIds, answers })),
        ),
      ),
    );
    const given = kinds.map((kind, seq) => ({ ...entry(seq), ...kind }));
    const facts = (bytes: Uint8Array): WindowFacts =>
      given[Buffer.from(bytes).readUInt32LE()] ?? expect.unreachable();
    for (const [index, one] of of(given).entries(facts).entries()) {
      const { role, isResult, callIds, answers } = one;
      expect({ role, isResult, callIds, answers }).toEqual(kinds[index]);
    }
  });

  test("is read without a look at the messages, but for ids and bytes", () => {
    const window = of([{ ...entry(1), callIds: [] }, entry(2)]);
    const [first, second] = window.entries(() => expect.unreachable());
    expect([first?.seq, first?.tokenCount, first?.createMs]).toEqual([1, 0.25, 1e12 + 1]);
    expect([first?.callIds, first?.answers, first?.isResult]).toEqual([[], [], false]);
    expect(() => second?.callIds).toThrow();
    expect(() => first?.messageId).toThrow();
  });

  test("is not copied when its oldest entries go, until its buffers are full", () => {
    let window = of(entries(1, 100));
    const buffers = new Set<unknown>();
    for (let seq = 101; seq <= 300; seq++) {
      window = window.trimmed([...window.entries(readFacts).slice(1), entry(seq)], seq);
      buffers.add(window.entries(readFacts)[0]?.bytes.buffer);
    }
    expect(seqs(window)).toEqual(entries(201, 300).map(({ seq }) => seq));
    expect(buffers.size).toBeLessThan(12);
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

  test("drops the window of a session that is not used, and then the session", () => {
    const cache = new SessionCache(30_000);
    const state = stateOf("read");
    const cached = cache.add({ namespace, sessionId: "read" }, state);
    for (let other = 0; cache.get({ namespace, sessionId: "read" }) === cached; other++) {
      cached.used = false;
      expect(state.window).toBeDefined();
      cache.add({ namespace, sessionId: `other${other}` }, stateOf(`other${other}`));
      expect(cache.bytes).toBeLessThanOrEqual(30_000);
      expect(other).toBeLessThan(1_000);
    }
    expect(state.window).toBeUndefined();
  });

  test("keeps the window of a session that is used again and again", () => {
    const cache = new SessionCache(20_000);
    const state = stateOf("read");
    const cached = cache.add({ namespace, sessionId: "read" }, state);
    for (let other = 0; other < 100; other++) {
      cached.used = true;
      cache.add({ namespace, sessionId: `other${other}` }, stateOf(`other${other}`)).used = false;
      expect(state.window).toBeDefined();
    }
  });
});
