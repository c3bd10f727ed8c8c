import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterPrefix,
  bucketOf,
  consumerKey,
  consumerPrefix,
  DUE_AT_TABLE,
  dueAtPrefix,
  dueInPrefix,
  duePrefix,
  entryKey,
  entryPrefix,
  eventKey,
  idKey,
  labelPrefix,
  nameKey,
  readDueKey,
  readEventKey,
  readText,
  readU64,
  replyKey,
  summaryKey,
  summaryPrefix,
  taskInPrefix,
  taskKey,
  taskOfPrefix,
  textPart,
  u64,
  usageHourPrefix,
  usageKey,
  userPrefix,
} from "./keys.ts";

const number = fc.maxSafeNat();
const text = fc.string({ unit: "grapheme", maxLength: 20 });

function bytesOf(key: string): Buffer {
  return Buffer.from(key, "latin1");
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

describe("keys", () => {
  it("order numbers as numbers, as texts and as bytes", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const expected = Math.sign(a - b);
        expect(order(u64(a), u64(b))).toBe(expected);
        expect(Buffer.compare(bytesOf(u64(a)), bytesOf(u64(b)))).toBe(expected);
        expect(readU64(`x${u64(a)}`, 1)).toBe(a);
      }),
    );
  });

  it("order entries by log and seq, and the consumers of a namespace by their bytes", () => {
    fc.assert(
      fc.property(number, number, number, number, (logA, seqA, logB, seqB) => {
        const expected = Math.sign(logA - logB) || Math.sign(seqA - seqB);
        expect(order(entryKey(logA, seqA), entryKey(logB, seqB))).toBe(expected);
      }),
    );
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(order(consumerKey("n", a), consumerKey("n", b))).toBe(expected);
      }),
    );
  });

  it("never meet for different parts", () => {
    const parts = fc.tuple(text, text);
    const makers = [nameKey, replyKey, consumerKey];
    fc.assert(
      fc.property(parts, parts, fc.nat(2), (a, b, at) => {
        const make = makers[at] ?? nameKey;
        expect(make(...a) === make(...b)).toBe(a[0] === b[0] && a[1] === b[1]);
        expect(userPrefix(...a) === userPrefix(...b)).toBe(a[0] === b[0] && a[1] === b[1]);
      }),
    );
    expect(labelPrefix("n", "ab", "c")).not.toBe(labelPrefix("n", "a", "bc"));
    expect(idKey(1, "a")).not.toBe(idKey(2, "a"));
  });

  it("carry text both ways", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(readText(textPart(value))).toBe(value);
        expect(bytesOf(textPart(value))).toEqual(Buffer.from(value));
      }),
    );
  });

  it("order events by commit and index, whether last or not", () => {
    const event = fc.record({ commitNo: number, index: fc.nat(32_767), isLast: fc.boolean() });
    fc.assert(
      fc.property(event, event, (a, b) => {
        const keyA = eventKey(a.commitNo, a.index, a.isLast);
        const keyB = eventKey(b.commitNo, b.index, b.isLast);
        expect(readEventKey(keyA)).toEqual(a);
        const expected = Math.sign(a.commitNo - b.commitNo) || Math.sign(a.index - b.index);
        if (expected !== 0) {
          expect(order(keyA, keyB)).toBe(expected);
        }
      }),
    );
  });

  it("give the end of a prefix", () => {
    expect(afterPrefix("a\xff")).toBe("b");
    expect(afterPrefix(entryPrefix(255)) > entryKey(255, Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(afterPrefix(entryPrefix(255)) <= entryKey(256, 0)).toBe(true);
    expect(() => afterPrefix("\xff")).toThrow();
  });

  it("order what is due of a hook by namespace and time, and read it back", () => {
    const namespace = fc.string({ maxLength: 9 }).filter((name) => !name.includes("\0"));
    const due = fc.record({ namespace, dueMs: number, taskNo: number });
    const keyOf = (hook: string, one: { namespace: string; dueMs: number; taskNo: number }) =>
      dueInPrefix(hook, one.namespace) + u64(one.dueMs) + u64(one.taskNo);
    fc.assert(
      fc.property(text, due, due, (hook, a, b) => {
        expect(readDueKey(keyOf(hook, a), duePrefix(hook))).toEqual(a);
        const names = Buffer.compare(Buffer.from(a.namespace), Buffer.from(b.namespace));
        const times = Math.sign(a.dueMs - b.dueMs) || Math.sign(a.taskNo - b.taskNo);
        expect(order(keyOf(hook, a), keyOf(hook, b))).toBe(names || times);
        expect(bucketOf(keyOf(hook, a))).toBe(duePrefix(hook));
        expect(afterPrefix(duePrefix(hook)) > keyOf(hook, a)).toBe(true);
      }),
    );
  });

  it("put what one read needs into one bucket", () => {
    expect(bucketOf(dueAtPrefix("h") + u64(5) + u64(6))).toBe(DUE_AT_TABLE);
    expect(bucketOf(dueAtPrefix("h") + u64(0))).toBe(bucketOf(DUE_AT_TABLE));
    expect(bucketOf(duePrefix("h") + u64(0))).toBe(duePrefix("h"));
    expect(bucketOf(taskOfPrefix(1) + u64(2))).toBe(taskOfPrefix(1));
    expect(bucketOf(taskInPrefix("n") + u64(2))).toBe(taskInPrefix("n"));
    expect(bucketOf(summaryKey(1, 2))).toBe(summaryPrefix(1));
    expect(bucketOf(usageKey(1, "n", "h"))).toBe(bucketOf(usageHourPrefix(9)));
    expect(bucketOf(taskKey("n", 1))).toBeUndefined();
    const prefix = consumerPrefix("name");
    expect(bucketOf(prefix)).toBe(prefix);
    expect(bucketOf(consumerKey("name", "x"))).toBe(prefix);
    expect(bucketOf(afterPrefix(prefix))).not.toBe(bucketOf(entryKey(1, 1)));
    expect(bucketOf(entryKey(1, 1))).toBeUndefined();
  });
});
