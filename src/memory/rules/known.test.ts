// Goal: one decision does a bounded amount of work, however much is compared with however much.

import { describe, expect, test } from "vitest";
import { draftOf, MemoryBook, rulesOf, stampOf } from "../../../test/support/memory/lookup.ts";
import { LIMITS } from "../../kit/limits.ts";
import { KnownTexts } from "./known.ts";
import { MemoryOverlay } from "./overlay.ts";
import { planRemember } from "./remember.ts";

const BUDGET = 250_000;
const PAIRS = 4_096;
const RULES = rulesOf({ mode: "similar", window: LIMITS.dedupeWindow });
const STAMP = stampOf(2, 2_000);

/** Texts of which each is close to all others, and none is similar enough. */
function nearTexts(count: number, length: number): readonly string[] {
  const words = "abcdefghijklmnop".repeat(Math.ceil(length / 16)).slice(0, length);
  return Array.from({ length: count }, (_, at) => {
    const chars = [...words];
    for (let i = at % 7; i < length; i += 13) chars[i] = String.fromCodePoint(0x400 + (at % 500));
    return chars.join("");
  });
}

class CountedBook extends MemoryBook {
  asked = 0;

  override newest(...asked: Parameters<MemoryBook["newest"]>): ReturnType<MemoryBook["newest"]> {
    this.asked += asked[2];
    return super.newest(...asked);
  }
}

function bookOf(texts: readonly string[]): CountedBook {
  const book = new CountedBook();
  const drafts = texts.map((text) => draftOf({ text }));
  book.save(planRemember(book, drafts, rulesOf(), stampOf(1, 1_000)));
  return book;
}

/** Cost of the comparison, in points. */
function costOf(book: MemoryBook, texts: readonly string[], left: number): number {
  const budget = { left };
  const known = new KnownTexts(texts.length, budget);
  const overlay = new MemoryOverlay(book, STAMP.nowMs);
  for (const text of texts) {
    known.find({ overlay, rules: RULES, stamp: STAMP }, draftOf({ text }));
  }
  return left - budget.left;
}

describe("the work of a decision", () => {
  const texts = nearTexts(1_256, 200);
  const book = bookOf(texts.slice(0, 1_000));
  const news = texts.slice(1_000);

  test("ends with its budget", () => {
    // The last text that is looked at may go over it.
    const most = BUDGET + news.length * LIMITS.similarChars;
    expect(costOf(book, news, BUDGET)).toBeLessThan(most);
    expect(costOf(book, news, Number.MAX_SAFE_INTEGER)).toBeGreaterThan(most);
  });

  test("reads no more memories for many drafts than for few", () => {
    for (const count of [1, 4, 5, 64, 256]) {
      const scoped = news.slice(0, count).map((text, at) => {
        return draftOf({ text, scope: { userId: `u${at}`, agentId: "", sessionId: "" } });
      });
      book.asked = 0;
      planRemember(book, scoped, RULES, STAMP);
      expect(book.asked).toBeLessThanOrEqual(PAIRS);
      expect(book.asked).toBe(count * Math.min(LIMITS.dedupeWindow, Math.floor(PAIRS / count)));
    }
  });

  test("finds the newest ones also when the rest is not looked at", () => {
    const long = nearTexts(900, LIMITS.similarChars);
    const full = bookOf(long);
    const again = `${long.at(-1)?.slice(0, -1)}!`;
    const plan = planRemember(full, [draftOf({ text: again })], RULES, STAMP);
    expect(plan.results[0]?.outcome).toBe("reinforced");
  });
});
