// Hand-written encodings against the generated code, and records that come back.

import fc from "fast-check";
import { expect, test } from "vitest";
import { newLease, newSummary, newTask } from "../../../test/support/store/plans.ts";
import {
  SummaryRecord as StoredSummary,
  TaskRecord,
  UsageRecord,
} from "../../gen/memorysidecar/storage/v1/records.ts";
import type { SummaryRecord } from "../../summary/rules/summary.ts";
import { unseal } from "../engine/envelope.ts";
import { SUMMARY, TASK, USAGE } from "./task-tables.ts";

const number = fc.oneof(fc.nat(300), fc.maxSafeNat());
const text = fc.string({ unit: "grapheme", maxLength: 100 });
const tokens = fc.tuple(fc.nat(1_000_000_000), fc.nat(3)).map(([whole, part]) => whole + part / 4);
const payloadOf = (record: Buffer) => unseal("k", record, "test");

test("a task comes back, with what JSON leaves out", () => {
  const lease = fc.option(fc.record({ worker: text, token: text }), { nil: undefined });
  fc.assert(
    fc.property(number, text, lease, tokens, (sessionNo, hook, leased, tokenCount) => {
      const task = newTask({
        taskNo: 5,
        sessionId: "s\u{1f600}",
        hook,
        lease: leased === undefined ? undefined : newLease(leased),
        work: { sources: { messageCount: 1, tokenCount } },
      });
      const payload = payloadOf(TASK.encode("k", { sessionNo, task }));
      expect(TASK.decode(payload)).toStrictEqual({ sessionNo, task });
      const taskJson = JSON.stringify(task);
      expect(TaskRecord.decode(payload)).toEqual({ sessionNo: BigInt(sessionNo), taskJson });
    }),
  );
});

test("what a hook took comes back", () => {
  fc.assert(
    fc.property(number, number, (calls, tokenCount) => {
      const payload = payloadOf(USAGE.encode("k", { calls, tokens: tokenCount }));
      expect(USAGE.decode(payload)).toStrictEqual({ calls, tokens: tokenCount });
      const record = { calls: BigInt(calls), tokens: BigInt(tokenCount) };
      expect(UsageRecord.decode(payload)).toEqual(record);
    }),
  );
});

test("a summary comes back", () => {
  const parts = fc.record<Partial<SummaryRecord> & { version: number }>({
    version: number,
    text,
    tokenCount: tokens,
    placement: fc.constantFrom("session", "in-place"),
    placedMessageId: text,
    sources: fc.record({ messageCount: number, tokenCount: tokens }),
    sourceVersions: fc.array(number, { maxLength: 5 }),
    trust: fc.constantFrom(1, 2, 3),
    durationMs: number,
    placeholder: fc.boolean(),
  });
  fc.assert(
    fc.property(parts, (part) => {
      const summary = newSummary(part);
      expect(SUMMARY.decode(payloadOf(SUMMARY.encode("k", summary)))).toEqual(summary);
    }),
  );
});

test("records that are not whole are refused", () => {
  const task = payloadOf(
    TASK.encode("k", { sessionNo: 3, task: newTask({ taskNo: 1, sessionId: "s" }) }),
  );
  for (const length of [0, 1, 5, task.length - 1]) {
    expect(() => TASK.decode(task.subarray(0, length))).toThrow();
  }
  expect(() => TASK.decode(Buffer.from([0x18, 1]))).toThrow("unknown field 3");
  expect(() => USAGE.decode(Buffer.from([0x18, 1]))).toThrow("unknown field 3");
  const odd = StoredSummary.encode({
    ...StoredSummary.decode(new Uint8Array(0)),
    ranges: [1n],
  }).finish();
  expect(() => SUMMARY.decode(odd)).toThrow("odd length");
});
