import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bucketOf } from "../tables/all.ts";
import { CONSUMER, eventKey, REPLY, readEventKey } from "../tables/event-tables.ts";
import {
  ENTRY,
  MESSAGE_ID,
  SESSION_LABEL,
  SESSION_NAME,
  SESSION_USER,
} from "../tables/session-tables.ts";
import {
  DUE,
  DUE_AT,
  dueTaskOf,
  SUMMARY,
  TASK,
  TASK_IN,
  TASK_OF,
  USAGE,
} from "../tables/task-tables.ts";
import { afterPrefix, readText, readU64, textPart, u64 } from "./keys.ts";

const number = fc.maxSafeNat();
const text = fc.string({ unit: "grapheme", maxLength: 20 });

function bytesOf(key: string): Buffer {
  return Buffer.from(key, "latin1");
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

describe("keys", () => {
  test("order numbers as numbers, as texts and as bytes", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const expected = Math.sign(a - b);
        expect(order(u64(a), u64(b))).toBe(expected);
        expect(Buffer.compare(bytesOf(u64(a)), bytesOf(u64(b)))).toBe(expected);
        expect(readU64(`x${u64(a)}`, 1)).toBe(a);
      }),
    );
  });

  test("order entries by log and seq, and the consumers of a namespace by their bytes", () => {
    fc.assert(
      fc.property(number, number, number, number, (logA, seqA, logB, seqB) => {
        const expected = Math.sign(logA - logB) || Math.sign(seqA - seqB);
        expect(order(ENTRY.key(logA, seqA), ENTRY.key(logB, seqB))).toBe(expected);
      }),
    );
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(order(CONSUMER.key("n", a), CONSUMER.key("n", b))).toBe(expected);
      }),
    );
  });

  test("never meet for different parts", () => {
    const parts = fc.tuple(text, text);
    const makers = [SESSION_NAME.key, REPLY.key, CONSUMER.key];
    fc.assert(
      fc.property(parts, parts, fc.nat(2), (a, b, at) => {
        const make = makers[at] ?? SESSION_NAME.key;
        expect(make(...a) === make(...b)).toBe(a[0] === b[0] && a[1] === b[1]);
        expect(SESSION_USER.prefix(...a) === SESSION_USER.prefix(...b)).toBe(
          a[0] === b[0] && a[1] === b[1],
        );
      }),
    );
    expect(SESSION_LABEL.prefix("n", "ab", "c")).not.toBe(SESSION_LABEL.prefix("n", "a", "bc"));
    expect(MESSAGE_ID.key(1, "a")).not.toBe(MESSAGE_ID.key(2, "a"));
  });

  test("carry text both ways", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(readText(textPart(value))).toBe(value);
        expect(bytesOf(textPart(value))).toEqual(Buffer.from(value));
      }),
    );
  });

  test("order events by commit and index, whether last or not", () => {
    const event = fc.record({ commitNo: number, index: fc.nat(32_767), isLast: fc.boolean() });
    fc.assert(
      fc.property(event, event, (a, b) => {
        const keyA = eventKey(a.commitNo, a.index, a.isLast);
        const keyB = eventKey(b.commitNo, b.index, b.isLast);
        expect(readEventKey(keyA)).toEqual(a);
        const expected = Math.sign(a.commitNo - b.commitNo) || Math.sign(a.index - b.index);
        if (expected !== 0) expect(order(keyA, keyB)).toBe(expected);
      }),
    );
  });

  test("give the end of a prefix", () => {
    expect(afterPrefix("a\xff")).toBe("b");
    expect(afterPrefix(ENTRY.prefix(255)) > ENTRY.key(255, Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(afterPrefix(ENTRY.prefix(255)) <= ENTRY.key(256, 0)).toBe(true);
    expect(() => afterPrefix("\xff")).toThrow();
  });

  test("order what is due of a hook by namespace and time, and read it back", () => {
    const namespace = fc.string({ maxLength: 9 }).filter((name) => !name.includes("\0"));
    const due = fc.record({ namespace, dueMs: number, taskNo: number });
    const keyOf = (hook: string, one: { namespace: string; dueMs: number; taskNo: number }) =>
      DUE.prefix(hook, one.namespace) + u64(one.dueMs) + u64(one.taskNo);
    fc.assert(
      fc.property(text, due, due, (hook, a, b) => {
        expect(dueTaskOf(keyOf(hook, a))).toEqual(a);
        const names = Buffer.compare(Buffer.from(a.namespace), Buffer.from(b.namespace));
        const times = Math.sign(a.dueMs - b.dueMs) || Math.sign(a.taskNo - b.taskNo);
        expect(order(keyOf(hook, a), keyOf(hook, b))).toBe(names || times);
        expect(bucketOf(keyOf(hook, a))).toBe(DUE.prefix(hook));
        expect(afterPrefix(DUE.prefix(hook)) > keyOf(hook, a)).toBe(true);
      }),
    );
  });

  test("put what one read needs into one bucket", () => {
    expect(bucketOf(DUE_AT.prefix("h") + u64(5) + u64(6))).toBe(DUE_AT.id);
    expect(bucketOf(DUE_AT.prefix("h") + u64(0))).toBe(bucketOf(DUE_AT.id));
    expect(bucketOf(DUE.prefix("h") + u64(0))).toBe(DUE.prefix("h"));
    expect(bucketOf(TASK_OF.prefix(1) + u64(2))).toBe(TASK_OF.prefix(1));
    expect(bucketOf(TASK_IN.prefix("n") + u64(2))).toBe(TASK_IN.prefix("n"));
    expect(bucketOf(SUMMARY.key(1, 2))).toBe(SUMMARY.prefix(1));
    expect(bucketOf(USAGE.key(1, "n", "h"))).toBe(bucketOf(USAGE.prefix(9)));
    expect(bucketOf(TASK.key("n", 1))).toBeUndefined();
    const prefix = CONSUMER.prefix("name");
    expect(bucketOf(prefix)).toBe(prefix);
    expect(bucketOf(CONSUMER.key("name", "x"))).toBe(prefix);
    expect(bucketOf(afterPrefix(prefix))).not.toBe(bucketOf(ENTRY.key(1, 1)));
    expect(bucketOf(ENTRY.key(1, 1))).toBeUndefined();
  });
});
