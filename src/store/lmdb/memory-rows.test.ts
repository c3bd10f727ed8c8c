// The rows of memories and of jobs on them written by hand, held against the generated code.

import fc from "fast-check";
import { expect, test } from "vitest";
import { plain } from "../../../test/support/kit/plain.ts";
import { fullMemory, newJob, newMemory } from "../../../test/support/store/memories.ts";
import { START_MS } from "../../../test/support/store/plans.ts";
import {
  MemoriesRecord,
  MemoryBodyRecord,
  MemoryJobsRecord,
  MemoryRecord,
  MemoryScopeRecord,
} from "../../gen/memorysidecar/storage/v1/memory_records.ts";
import { MEMORY_KINDS } from "../../memory/rules/memory.ts";
import { unseal } from "../engine/envelope.ts";
import { rowOf } from "../tables/memory-index.ts";
import {
  decodeMemoryText,
  encodeMemoryBody,
  MEMORIES,
  MEMORY,
  MEMORY_JOBS,
  MEMORY_SCOPE,
  memoryOf,
} from "../tables/memory-tables.ts";

const payloadOf = (record: Uint8Array) => unseal("k", record, "record");
const number = fc.maxSafeNat();
const double = fc.double({ noNaN: true });
const text = fc.string({ unit: "grapheme" });
const flag = fc.nat(1);
const bytes = fc.uint8Array({ maxLength: 40 }).map((all) => Buffer.from(all).toString("latin1"));

test("the memories of a namespace come back", () => {
  const row = fc.record({
    logNo: number,
    nextMemoryNo: number,
    memoryCount: number,
    sourcesListed: flag,
  });
  fc.assert(
    fc.property(row, (one) => {
      const payload = payloadOf(MEMORIES.encode("k", one));
      expect(MEMORIES.decode(payload)).toEqual(one);
      expect(MemoriesRecord.decode(payload)).toEqual({
        logNo: BigInt(one.logNo),
        nextMemoryNo: BigInt(one.nextMemoryNo),
        memoryCount: BigInt(one.memoryCount),
        sourcesListed: BigInt(one.sourcesListed),
      });
      const generated = MemoriesRecord.encode(MemoriesRecord.decode(payload)).finish();
      expect(Buffer.compare(generated, payload)).toBe(0);
    }),
  );
});

test("a row of a memory comes back", () => {
  const row = fc.record({
    ...{ bodyNo: number, byteCount: number, textNo: number, memoryId: text, scope: bytes },
    ...{
      kindNo: fc.nat(9),
      past: flag,
      persistent: flag,
      low: flag,
      tierNo: fc.nat(9),
      expireMs: number,
    },
    ...{ terms: bytes, createMs: number, updateMs: number, version: number },
    ...{ etagRevision: number, mentionCount: number, rank: double, confidence: double },
    ...{ lastSeenMs: double, decayMs: double },
  });
  fc.assert(
    fc.property(row, (one) => {
      const payload = payloadOf(MEMORY.encode("k", one));
      const found = MEMORY.decode(payload);
      // A zero that is written is not always the one that is left out.
      expect(found).toEqual({ ...one, ...doublesOf(one, (value) => value + 0) });
      const { kindNo, tierNo, ...rest } = one;
      const record = MemoryRecord.decode(payload);
      const { kind, tier, ...others } = record;
      expect([Number(kind), Number(tier)]).toEqual([kindNo, tierNo]);
      for (const [name, value] of Object.entries(others)) {
        const wanted = rest[name as keyof typeof rest];
        const given = typeof value === "bigint" ? Number(value) : value;
        const isBytes = value instanceof Uint8Array;
        expect(isBytes ? Buffer.from(value).toString("latin1") : given).toEqual(
          typeof wanted === "number" ? wanted + 0 : wanted,
        );
      }
      expect(Object.keys(record).length).toBe(Object.keys(one).length);
      expect(MEMORY.decode(MemoryRecord.encode(record).finish())).toEqual(found);
    }),
  );
});

type Doubles = { rank: number; confidence: number; lastSeenMs: number; decayMs: number };

function doublesOf(row: Doubles, change: (value: number) => number): Doubles {
  const { confidence, decayMs, lastSeenMs, rank } = row;
  return {
    rank: change(rank),
    confidence: change(confidence),
    lastSeenMs: change(lastSeenMs),
    decayMs: change(decayMs),
  };
}

test("a scope comes back", () => {
  const row = fc.record({
    scope: fc.record({ userId: text, agentId: text, sessionId: text }),
    counts: fc.array(number, { maxLength: 5 }),
    updateMs: number,
    promotedNo: number,
    promotedCount: number,
  });
  fc.assert(
    fc.property(row, (one) => {
      const payload = payloadOf(MEMORY_SCOPE.encode("k", one));
      expect(MEMORY_SCOPE.decode(payload)).toEqual(one);
      const record = MemoryScopeRecord.decode(payload);
      expect(record).toEqual({
        ...one.scope,
        counts: one.counts.map(BigInt),
        updateMs: BigInt(one.updateMs),
        promotedNo: BigInt(one.promotedNo),
        promotedCount: BigInt(one.promotedCount),
      });
      expect(MEMORY_SCOPE.decode(MemoryScopeRecord.encode(record).finish())).toEqual(one);
    }),
  );
});

test("jobs come back, with what they lack", () => {
  const jobs = [newJob("extract"), newJob("score", { state: "dead", dueMs: 0, createMs: 7 })];
  const row = { sessionNo: 2 ** 40, jobs };
  const payload = payloadOf(MEMORY_JOBS.encode("k", row));
  expect(MEMORY_JOBS.decode(payload)).toStrictEqual(row);
  const record = MemoryJobsRecord.decode(payload);
  expect(record).toEqual({ sessionNo: BigInt(2 ** 40), jobs: JSON.stringify(jobs) });
  expect(MEMORY_JOBS.decode(MemoryJobsRecord.encode(record).finish())).toEqual(row);
  // A field that is not known here is not lost in silence: the record is refused.
  expect(() => MEMORY_JOBS.decode(Buffer.from([0x18, 1]))).toThrow("unknown field 3");
});

test("jobs without numbers are those of the revision of their generation", () => {
  const job = newJob("extract", { generation: 7, failedAttempts: 2 });
  const { callCount: _calls, createRevision: _revision, ...old } = job;
  const record = MemoryJobsRecord.encode({ sessionNo: 1n, jobs: JSON.stringify([old]) }).finish();
  expect(MEMORY_JOBS.decode(record)).toEqual({
    sessionNo: 1,
    jobs: [{ ...job, createRevision: 7, callCount: 2 }],
    isUnnumbered: true,
  });
});

test("the body of a memory comes back, whoever wrote it", () => {
  const all = MEMORY_KINDS.map((kind) => fullMemory({ memoryId: "m", memoryNo: 3, kind }));
  const bare = newMemory({ memoryId: "b", memoryNo: 3, content: { text: "" } });
  for (const memory of [...all, bare]) {
    const body = encodeMemoryBody(memory);
    const row = rowOf(memory, { bodyNo: 1, byteCount: body.length, textNo: 1 });
    const generated = MemoryBodyRecord.encode(MemoryBodyRecord.decode(body)).finish();
    expect(plain(memoryOf(3, row, body))).toEqual(plain(memory));
    expect(plain(memoryOf(3, row, generated))).toEqual(plain(memory));
    expect(decodeMemoryText(body)).toBe(memory.content.text);
    expect(MemoryBodyRecord.decode(body).supersededBy).toBe("");
  }
});

test("a body with fewer fields, as one of before may be, is read with defaults", () => {
  const memory = newMemory({ memoryId: "m", memoryNo: 1 });
  const row = rowOf(memory, { bodyNo: 1, byteCount: 1, textNo: 1 });
  const body = MemoryBodyRecord.encode({ ...MemoryBodyRecord.decode(Buffer.alloc(0)) });
  const empty = body.finish();
  expect(empty.length).toBe(0);
  expect(() => memoryOf(1, row, empty)).toThrow("another memory");
  const named = Buffer.from([0x0a, 1, "m".charCodeAt(0)]);
  expect(memoryOf(1, row, named)).toMatchObject({
    memoryId: "m",
    ttlMs: 0,
    createMs: START_MS,
    content: { text: "", key: "", topics: [], validFromMs: undefined, validToMs: undefined },
  });
});

test("what is not well formed is refused", () => {
  expect(() => MEMORIES.decode(Buffer.from([0x28, 1]))).toThrow("unknown field 5");
  expect(() => MEMORY.decode(Buffer.from([0xb0, 1, 1]))).toThrow("unknown field 22");
  expect(() => MEMORY_SCOPE.decode(Buffer.from([0x40, 1]))).toThrow("unknown field 8");
  expect(() => MEMORY.decode(Buffer.from([0x08]))).toThrow("middle of a number");
  const memory = newMemory({ memoryId: "m", memoryNo: 1 });
  const row = rowOf(memory, { bodyNo: 1, byteCount: 1, textNo: 1 });
  const body = encodeMemoryBody(memory);
  expect(() => memoryOf(1, { ...row, kindNo: 99 }, body)).toThrow("no known kind");
});
