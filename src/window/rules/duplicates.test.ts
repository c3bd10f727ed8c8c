import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DUPLICATE_PIECES_MAX, duplicateEntries, similarityOf } from "./duplicates.ts";
import { type MessageDetail, ROLE, type WindowEntry } from "./types.ts";

interface Row extends WindowEntry {
  readonly text: string;
}

function row(text: string, more: Partial<WindowEntry> = {}): Row {
  return {
    seq: 1,
    messageId: "m",
    role: ROLE.user,
    callIds: [],
    answers: [],
    isResult: false,
    tokenCount: 1,
    byteCount: 1,
    createMs: 0,
    ...more,
    text,
  };
}

const detailOf = ({ text }: Row): MessageDetail => ({ content: text, name: "", toolCalls: [] });
const DEFAULT = { similarity: 0.9, lookahead: 50 };
const marksOf = (rows: readonly Row[], rule = DEFAULT) => [
  ...duplicateEntries(rows, rule, detailOf),
];
const textsOf = (...texts: string[]) => marksOf(texts.map((text) => row(text)));

const LONG =
  "The quarterly report is nearly done, but the chapter on storage still needs numbers from the " +
  "second half of the year, and somebody has to check the tables against the ledger before Friday " +
  "afternoon, when it goes to print and nothing can be changed any more without a new approval.";

describe("similarityOf", () => {
  test.each([
    ["the same", "Please call Alice", "Please call Alice", 1],
    ["but for case and white space", " Please\tCALL\n\n Alice ", "please call alice", 1],
    ["but for compatibility forms", "ﬁnd ①", "find 1", 1],
    ["nothing in common", LONG, "1 2 3 4 5 6 7 8 9 10", 0],
    ["an empty text", "", "", 0],
    ["white space alone", " \n", " \n", 0],
    ["another number", "transfer 100 to Alice", "transfer 900 to Alice", 0],
    ["another number in a long text", `${LONG} 100`, `${LONG} 900`, 0],
    ["numbers cut in another way", "12 3", "1 23", 0],
    ["numbers of other scripts", "call ٣ people", "call ٤ people", 0],
    ["the same numbers elsewhere", "pay 1 for 2", "pay 2 for 1", 0],
  ])("%s", (_, a, b, expected) => {
    expect(similarityOf(a, b)).toBe(expected);
    expect(similarityOf(b, a)).toBe(expected);
  });

  test("falls with every word that differs", () => {
    const once = similarityOf(LONG, LONG.replace("nearly", "almost"));
    const twice = similarityOf(LONG, LONG.replace("nearly", "almost").replace("goes", "moves"));
    expect(once).toBeGreaterThan(0.85);
    expect(twice).toBeLessThan(once);
    expect(twice).toBeGreaterThan(0.7);
    expect(similarityOf(LONG, [...LONG].reverse().join(""))).toBe(0);
  });

  test("cuts texts of few words, or without spaces, by characters", () => {
    expect(similarityOf("Please call Alice.", "Please call Alice!")).toBeGreaterThan(0.8);
    expect(similarityOf("Please call Alice", "Please call Bob")).toBeLessThan(0.6);
    const chinese = "今天下午三点之前必须把报告的最终版本发送给客户并且确认他们已经收到全部附件";
    expect(similarityOf(chinese, `${chinese}了`)).toBeGreaterThan(0.9);
    expect(similarityOf(chinese, chinese.slice(10))).toBeLessThan(0.8);
    expect(similarityOf("ja", "ne")).toBe(0);
  });

  test("estimates that of very long texts", () => {
    const words = Array.from({ length: 4_000 }, (_, n) => `w${"abcdefghij".charAt(n % 10)}${n}`);
    const plain = words.map((word) => word.replace(/\d/g, (digit) => "qrstuvwxyz".charAt(+digit)));
    expect(plain.length).toBeGreaterThan(2 * DUPLICATE_PIECES_MAX);
    const text = plain.join(" ");
    // Of 8,000 pieces of either text, 3 of each changed word differ: 300 of 3,998 and as many new.
    const changed = plain.map((word, n) => (n % 40 === 0 ? `${word}x` : word)).join(" ");
    expect(similarityOf(text, changed)).toBeCloseTo(3_698 / 4_298, 1);
    expect(similarityOf(text, `${text} more`)).toBeGreaterThan(0.98);
  });

  test("is the resemblance of pieces, for any short texts", () => {
    const word = fc.constantFrom("a", "bb", "ccc", "the", "end");
    const text = fc.array(word, { minLength: 8, maxLength: 14 }).map((words) => words.join(" "));
    const pieces = (whole: string) => {
      const words = whole.split(" ");
      return new Set(words.slice(2).map((_, n) => words.slice(n, n + 3).join(" ")));
    };
    const property = fc.property(text, text, (a, b) => {
      const [left, right] = [pieces(a), pieces(b)];
      const both = [...left].filter((piece) => right.has(piece)).length;
      const expected = a === b ? 1 : both / (left.size + right.size - both);
      expect(similarityOf(a, b)).toBeCloseTo(expected, 10);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe("duplicateEntries", () => {
  test("marks the older one", () => {
    expect(textsOf("Hello there", "What now?", "hello  THERE")).toEqual([1, 0, 0]);
    expect(textsOf("a", "a", "a")).toEqual([1, 1, 0]);
    expect(textsOf(LONG, LONG.replace("approval.", "decision."))).toEqual([1, 0]);
    expect(textsOf("transfer 100 to Alice", "transfer 900 to Alice")).toEqual([0, 0]);
    expect(textsOf("", "", " ")).toEqual([0, 0, 0]);
    expect(textsOf()).toEqual([]);
  });

  test("only of the same role", () => {
    const rows = [row("Hi"), row("Hi", { role: ROLE.assistant }), row("Hi", { role: ROLE.system })];
    expect(marksOf(rows)).toEqual([0, 0, 0]);
  });

  test("never messages of tool calls, and none for their sake", () => {
    const calls = { callIds: ["x"] };
    const answers = { answers: ["x"] };
    const bare = { isResult: true };
    for (const more of [calls, answers, bare]) {
      expect(marksOf([row("Hi", more), row("Hi", more)])).toEqual([0, 0]);
      expect(marksOf([row("Hi"), row("Hi", more)])).toEqual([0, 0]);
    }
  });

  test("never messages that hold more than text, and none for their sake", () => {
    for (const rest of [
      { images: 1, chars: 0 },
      { images: 0, chars: 9 },
    ]) {
      const withRest = (entry: Row) => ({ ...detailOf(entry), ...(entry.seq > 1 ? { rest } : {}) });
      const rows = [row("Hi", { seq: 2 }), row("Hi", { seq: 3 })];
      expect([...duplicateEntries(rows, DEFAULT, withRest)]).toEqual([0, 0]);
      expect([...duplicateEntries([row("Hi"), ...rows], DEFAULT, withRest)]).toEqual([0, 0, 0]);
      expect([...duplicateEntries([row("Hi"), ...rows, row("Hi")], DEFAULT, withRest)]).toEqual([
        1, 0, 0, 0,
      ]);
    }
  });

  test("looks as far ahead as it is told, counting what can be compared", () => {
    const rows = [row("Hi"), row("One", { role: ROLE.tool }), row(""), row("Two"), row("Hi")];
    expect(marksOf(rows, { similarity: 0.9, lookahead: 2 })).toEqual([1, 0, 0, 0, 0]);
    expect(marksOf(rows, { similarity: 0.9, lookahead: 1 })).toEqual([0, 0, 0, 0, 0]);
  });

  test("takes texts that are as alike as it is told", () => {
    const a = LONG;
    const b = LONG.replace("nearly", "almost").replace("goes", "moves");
    const similarity = similarityOf(a, b);
    expect(marksOf([row(a), row(b)], { similarity, lookahead: 1 })).toEqual([1, 0]);
    expect(marksOf([row(a), row(b)], { similarity: similarity + 0.001, lookahead: 1 })).toEqual([
      0, 0,
    ]);
    const again = "no no no no no no no no no";
    expect(similarityOf(again, `${again} no`)).toBe(1);
    expect(marksOf([row(again), row(`${again} no`)], { similarity: 1, lookahead: 1 })).toEqual([
      0, 0,
    ]);
  });

  test("marks a text that is just as alike as asked for, whatever arithmetic rounds off", () => {
    // Pieces of five characters: the longer text has one more than the other, all else is the same.
    const pieces = (count: number): string => "abcdefghijklmnopqrstuvwxyz".slice(0, count + 4);
    for (let most = 2; most <= 20; most++) {
      const rows = [row(pieces(most - 1)), row(pieces(most))];
      const similarity = (most - 1) / most;
      expect(marksOf(rows, { similarity, lookahead: 1 })).toEqual([1, 0]);
    }
  });

  test("marks what the similarity of every pair says, for any texts", () => {
    const texts = fc.array(
      fc.array(fc.constantFrom("a", "b", "1", "2", "end."), { maxLength: 12 }),
      { maxLength: 20 },
    );
    const similarity = fc.constantFrom(0.5, 0.6, 0.75, 0.9, 1);
    const property = fc.property(
      texts,
      similarity,
      fc.integer({ min: 1, max: 9 }),
      (lists, s, n) => {
        const rows = lists.map((words) => row(words.join(" ")));
        const filled = rows.filter(({ text }) => text !== "");
        const expected = rows.map((older) => {
          const at = filled.indexOf(older);
          const newer = at === -1 ? [] : filled.slice(at + 1, at + 1 + n);
          const isAlike = ({ text }: Row) =>
            s === 1 ? text === older.text : similarityOf(text, older.text) >= s;
          return newer.some(isAlike) ? 1 : 0;
        });
        expect(marksOf(rows, { similarity: s, lookahead: n })).toEqual(expected);
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });
});
