// Hand-written encodings against the generated code.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventType } from "../../events/rules/event.ts";
import {
  ConsumerRecord,
  EntryRecord,
  EventRecord,
  HeadRecord,
  JournalRecord,
  PurgeRecord,
  ReplyRecord,
  WindowRecord,
} from "../../gen/memorysidecar/storage/v1/records.ts";
import { EMPTY_POLICY_STATE, type PolicyState } from "../../session/rules/session.ts";
import type { Role } from "../../window/rules/types.ts";
import { unseal } from "../engine/envelope.ts";
import { decodeJournal, encodeJournal } from "../engine/journal.ts";
import { CONSUMER, decodeEvent, encodeEvent, REPLY } from "./event-tables.ts";
import { ENTRY, HEAD, PAST_WINDOW, PURGE } from "./session-tables.ts";

const number = fc.oneof(fc.nat(300), fc.maxSafeNat());
const revisions = number.map((n) => Math.max(n, 1));
const quarter = fc.nat(3);
const bytes = fc.uint8Array({ maxLength: 300 }).map((raw) => Buffer.from(raw));
const text = fc.string({ unit: "grapheme", maxLength: 100 });
const role = fc.integer({ min: 1, max: 4 });
const tokens = fc.tuple(fc.nat(1_000_000_000), quarter);
const numbers = fc.array(number, { minLength: 10, maxLength: 10 });
const policyState: fc.Arbitrary<PolicyState> = fc.oneof(
  fc.constant(EMPTY_POLICY_STATE),
  fc.record({
    modelInputTokens: fc.integer({ min: 1, max: 9 }),
    outcomes: fc.array(fc.record({ tool: fc.string({ unit: "grapheme" }), error: fc.boolean() })),
    marks: fc.constant([{ stage: "s", seq: 3, window: { messageCount: 1, tokenCount: 0.25 } }]),
    overLimit: fc.array(fc.string({ unit: "grapheme" })),
    turnEndSeq: fc.nat(1_000_000),
  }),
);
const ranges = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 20 })
  .map((seqs) => {
    const sorted = seqs.sort((a, b) => a - b);
    const list: { first: number; last: number }[] = [];
    for (let i = 0; i + 1 < sorted.length; i += 2) {
      list.push({ first: sorted[i] ?? 0, last: sorted[i + 1] ?? 0 });
    }
    return list;
  });
const flat = (list: readonly { first: number; last: number }[]): bigint[] =>
  list.flatMap(({ first, last }) => [BigInt(first), BigInt(last)]);

describe("records written by hand", () => {
  test("of entries are those of the generated code", () => {
    fc.assert(
      fc.property(number, role, tokens, number, (a, role, [b, quarters], c) => {
        const tokenCount = b + quarters / 4;
        const entry = { messageNo: a, role: role as Role, tokenCount, byteCount: c };
        const payload = unseal("k", ENTRY.encode("k", entry), "test");
        expect(ENTRY.decode(payload)).toEqual(entry);
        expect(EntryRecord.decode(payload)).toEqual({
          messageNo: BigInt(a),
          role,
          tokenCount: BigInt(b),
          byteCount: BigInt(c),
          tokenQuarters: quarters,
        });
      }),
    );
  });

  test("of heads are those of the generated code", () => {
    fc.assert(
      fc.property(numbers, ranges, tokens, policyState, (n, windowRanges, [t, q], policyState) => {
        const at = (i: number): number => n[i] ?? 0;
        const head = {
          lastSeq: at(1),
          firstSeq: at(2),
          log: { messageCount: at(3), tokenCount: at(4) },
          window: { messageCount: at(5), tokenCount: t + q / 4, byteCount: at(7) },
          windowRanges,
          policyState,
          updateMs: at(8),
          revision: at(9),
        };
        const payload = unseal("k", HEAD.encode("k", { logNo: at(0), head }), "test");
        expect(HEAD.decode(payload)).toEqual({ logNo: at(0), head });
        const record = HeadRecord.decode(payload);
        expect(HeadRecord.encode(record).finish()).toEqual(new Uint8Array(payload));
        expect(record.windowRanges).toEqual(flat(windowRanges));
        expect(record.revision).toBe(BigInt(at(9)));
        expect([record.logTokenQuarters, record.windowTokenQuarters]).toEqual([0, q]);
        expect(record.policyStateJson === "").toBe(policyState === EMPTY_POLICY_STATE);
      }),
    );
  });

  test("of windows, purges and consumers are those of the generated code", () => {
    fc.assert(
      fc.property(ranges, number, number, (list, a, b) => {
        const window = unseal("k", PAST_WINDOW.encode("k", list), "test");
        expect(PAST_WINDOW.decode(window)).toEqual(list);
        expect(WindowRecord.decode(window).ranges).toEqual(flat(list));
        const purge = PurgeRecord.decode(
          unseal("k", PURGE.encode("k", { nextSeq: a, lastSeq: b }), "test"),
        );
        expect(purge).toEqual({ nextSeq: BigInt(a), lastSeq: BigInt(b) });
        const consumer = { position: { revision: a, index: 7 }, createMs: b, updateMs: a };
        const payload = unseal("k", CONSUMER.encode("k", consumer), "test");
        expect(CONSUMER.decode(payload)).toEqual(consumer);
        expect(ConsumerRecord.decode(payload).revision).toBe(BigInt(a));
      }),
    );
  });

  test("of events and replies are those of the generated code", () => {
    fc.assert(
      fc.property(
        bytes,
        text,
        text,
        fc.tuple(number, revisions),
        (body, namespace, sessionId, numbers) => {
          const [createMs, revision] = numbers;
          const type = 6 as EventType;
          const event = { body, type, namespace, sessionId, userId: "", createMs };
          const payload = unseal("k", encodeEvent("k", revision, event), "test");
          const decoded = decodeEvent(payload);
          expect({ ...decoded, body: null }).toEqual({ ...event, revision, body: null });
          expect(Buffer.from(decodeEvent(payload).body)).toEqual(body);
          const record = EventRecord.decode(payload);
          expect(record).toEqual({
            ...event,
            createMs: BigInt(createMs),
            revision: BigInt(revision),
          });
          const digest = body.toString("latin1");
          const reply = { method: sessionId, digest, bytes: body, createMs };
          const sealed = unseal("k", REPLY.encode("k", reply), "test");
          expect(REPLY.decode(sealed).method).toBe(sessionId);
          expect(REPLY.decode(sealed).digest).toBe(digest);
          expect(ReplyRecord.decode(sealed).requestDigest).toEqual(body);
          expect(ReplyRecord.decode(sealed).reply).toEqual(body);
        },
      ),
    );
  });

  test("of the journal are those of the generated code, however many it takes", () => {
    const change = fc.record({
      key: fc.uint8Array({ minLength: 1, maxLength: 40 }).map((raw) => {
        return Buffer.from(raw).toString("latin1");
      }),
      value: fc.option(bytes),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 400 }), number, (changes, commitNo) => {
        const counters = { commitNo, nextSessionNo: 5, nextLogNo: 6, nextMessageNo: 7 };
        const records = encodeJournal(11, changes, counters);
        const found = records.flatMap(({ key, value }) => {
          const payload = unseal(key, value, "test");
          const entry = decodeJournal(payload);
          const generated = JournalRecord.decode(payload);
          expect(generated.changes.length).toBe(entry.changes.length);
          expect(generated.commitNo).toBe(BigInt(commitNo));
          expect(entry.nextMessageNo).toBe(7);
          return entry.changes;
        });
        expect(found.map(({ key }) => key)).toEqual(changes.map(({ key }) => key));
        expect(found.map(({ value }) => value && Buffer.from(value))).toEqual(
          changes.map(({ value }) => value),
        );
      }),
      { numRuns: 30 },
    );
  });

  test("refuse what is not well formed", () => {
    expect(() => ENTRY.decode(Buffer.from([8]))).toThrow();
    expect(() => ENTRY.decode(Buffer.from([42, 0]))).toThrow();
    expect(() => ENTRY.decode(Buffer.from([48, 0]))).toThrow();
    expect(() => HEAD.decode(Buffer.from([114, 1, 123]))).toThrow();
    expect(() => HEAD.decode(Buffer.from([120, 1]))).toThrow();
    expect(() => PAST_WINDOW.decode(Buffer.from([10, 1, 1]))).toThrow();
    expect(() => PAST_WINDOW.decode(Buffer.from([10, 2, 5, 4]))).toThrow();
    expect(() => HEAD.decode(Buffer.from([74, 9, 1]))).toThrow();
    const entry = { messageNo: -1, role: 1 as Role, tokenCount: 0, byteCount: 0 };
    expect(() => ENTRY.encode("k", entry)).toThrow("whole number");
  });
});
