import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listFilter, type RowFilter } from "../rules/row-filter.ts";
import { FIXED_HASH_KEY, FREQUENT_ROWS, LexicalIndex, SEARCH_TERMS_MAX } from "./index.ts";
import { COUNT_MAX } from "./postings.ts";
import { BM25_DEFAULTS } from "./score.ts";
import { LexicalScratch } from "./scratch.ts";

interface Found {
  readonly row: number;
  readonly score: number;
  readonly terms: readonly string[];
}

/** BM25 as it is written down, over the rows that are left: what the index is compared with. */
function naiveSearch(rows: ReadonlyMap<number, readonly string[]>, query: readonly string[]) {
  const { k1, b } = BM25_DEFAULTS;
  const frequency = (term: string): number =>
    [...rows.values()].filter((terms) => terms.includes(term)).length;
  const wanted = [...new Set(query)]
    .map((term) => ({ term, df: frequency(term) }))
    .filter(({ df }) => df > 0)
    .sort((a, b) => a.df - b.df)
    .slice(0, SEARCH_TERMS_MAX);
  const lengths = [...rows.values()].map((terms) => terms.length);
  const average = lengths.reduce((sum, length) => sum + length, 0) / rows.size;
  const isFrequent = (df: number): boolean => df > FREQUENT_ROWS && df * 2 > rows.size;
  const finding = wanted.filter(({ df }) => !isFrequent(df));
  const finders = finding.length === 0 ? wanted : finding;
  const found: Found[] = [];
  for (const [row, terms] of rows) {
    if (!finders.some(({ term }) => terms.includes(term))) continue;
    let score = 0;
    for (const { term, df } of wanted) {
      const tf = Math.min(COUNT_MAX, terms.filter((other) => other === term).length);
      if (tf === 0) continue;
      const idf = Math.log(1 + (rows.size - df + 0.5) / (df + 0.5));
      score += idf * ((tf * (k1 + 1)) / (tf + k1 * (1 - b + b * (terms.length / average))));
    }
    const held = wanted.filter(({ term }) => terms.includes(term)).map(({ term }) => term);
    found.push({ row, score, terms: held });
  }
  return found.sort((a, b) => b.score - a.score || a.row - b.row);
}

function searchOf(index: LexicalIndex, query: readonly string[], within?: RowFilter): Found[] {
  const pass = index.search(query, within === undefined ? {} : { within });
  return pass.top(Number.POSITIVE_INFINITY).map(({ row, score }) => {
    const mask = pass.maskOf(row);
    expect(pass.scoreOf(row)).toBe(score);
    const held = pass.terms.filter((_, bit) => ((mask >>> bit) & 1) === 1);
    return { row, score, terms: held.map(({ term }) => term) };
  });
}

/** An index beside the plain map of what it holds. */
class Pair {
  readonly index: LexicalIndex;
  rows = new Map<number, readonly string[]>();
  end = 0;
  /** The new row numbers of the current compaction. */
  #remap: Int32Array | undefined;

  constructor(divideBytes?: number) {
    this.index = new LexicalIndex(new LexicalScratch(), FIXED_HASH_KEY, divideBytes);
  }

  add(terms: readonly string[], gap = 0): number {
    const row = this.end + gap;
    this.end = row + 1;
    this.index.add(row, terms);
    this.index.divide();
    this.rows.set(row, terms);
    return row;
  }

  remove(rows: readonly number[]): void {
    const living = new Set(rows.filter((row) => this.rows.has(row)));
    expect(this.index.remove(rows)).toBe(living.size);
    for (const row of rows) this.rows.delete(row);
  }

  /** Begins or continues a compaction, and ends it when nothing is left to copy. */
  slice(budget: number): void {
    if (this.#remap === undefined) {
      this.#remap = new Int32Array(this.end).fill(-1);
      for (const [at, row] of [...this.rows.keys()].entries()) this.#remap[row] = at;
      this.index.beginCompaction(this.#remap);
    }
    if (!this.index.continueCompaction(budget)) this.#finish(this.#remap);
  }

  /** Ends the current compaction. */
  finish(): void {
    if (this.#remap !== undefined) this.#finish(this.#remap);
  }

  #finish(remap: Int32Array): void {
    this.index.finishCompaction();
    this.#remap = undefined;
    const kept = remap.reduce((most, to) => Math.max(most, to + 1), 0);
    const newOf = (row: number): number => remap[row] ?? row - remap.length + kept;
    this.rows = new Map([...this.rows].map(([row, terms]) => [newOf(row), terms]));
    this.end = newOf(this.end);
    expect(this.index.rowEnd).toBeLessThanOrEqual(this.end);
  }

  compact(): void {
    this.finish();
    const remap = new Int32Array(this.end).fill(-1);
    const kept = [...this.rows.keys()];
    kept.forEach((row, i) => {
      remap[row] = i;
    });
    this.index.compact(remap);
    this.rows = new Map([...this.rows.values()].map((terms, i) => [i, terms]));
    this.end = kept.length;
    expect(this.index.deadCount).toBe(0);
  }
}

const WORDS = Array.from({ length: 40 }, (_, i) => `w${i}`);
// Low numbers are much more frequent, as words are.
const word = fc.integer({ min: 0, max: 999 }).map((i) => WORDS[Math.floor(40 * (i / 1000) ** 3)]);
const terms = fc.array(
  word.map((found) => found ?? "w0"),
  { maxLength: 30 },
);

const change = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("add"), terms, at: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove"), terms, at: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("update"), terms, at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact"), terms, at: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("slice"), terms, at: fc.nat(400) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("search"), terms, at: fc.nat() }) },
);
/** Sizes from which on an index is divided: the first term is enough, some rows, or none here. */
const divides = fc.constantFrom(0, 6_000, undefined);

describe("LexicalIndex", () => {
  test("answers as plain BM25 over what is left, after any changes", () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 20, maxLength: 200 }), divides, (changes, size) => {
        const pair = new Pair(size);
        for (const { kind, terms: words, at } of changes) {
          const some = [...pair.rows.keys()][at % Math.max(1, pair.rows.size)] ?? 0;
          if (kind === "add") pair.add(words, at);
          else if (kind === "remove") pair.remove([some, some, some + 1, 1_000_000]);
          else if (kind === "compact") pair.compact();
          else if (kind === "slice") pair.slice(at);
          else if (kind === "search") {
            expect(searchOf(pair.index, words)).toEqual(naiveSearch(pair.rows, words));
          } else {
            pair.remove([some]);
            pair.add(words);
          }
          expect(pair.index.rowCount).toBe(pair.rows.size);
        }
        expect(searchOf(pair.index, WORDS)).toEqual(naiveSearch(pair.rows, WORDS));
        pair.finish();
        expect(searchOf(pair.index, WORDS)).toEqual(naiveSearch(pair.rows, WORDS));
      }),
      { numRuns: 300 },
    );
  });

  test("gives within any filter what it gives without, of those rows", () => {
    fc.assert(
      fc.property(
        fc.array(terms, { minLength: 1, maxLength: 300 }),
        fc.array(fc.nat(310)),
        terms,
        (rows, some, query) => {
          const pair = new Pair();
          for (const row of rows) pair.add(row);
          pair.remove(some.slice(0, 5));
          const wanted = new Set(some);
          const expected = searchOf(pair.index, query).filter(({ row }) => wanted.has(row));
          const words = new Uint32Array(10);
          for (const row of wanted) words[row >>> 5] = (words[row >>> 5] ?? 0) | (1 << (row & 31));
          const bits: RowFilter = { kind: "bits", words, count: wanted.size };
          expect(searchOf(pair.index, query, listFilter(some))).toEqual(expected);
          expect(searchOf(pair.index, query, bits)).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("skips and reads long lists right", () => {
    const index = new LexicalIndex();
    const count = 200_000;
    for (let row = 0; row < count; row++) {
      const often = Array.from({ length: 1 + (row % 5) }, () =>
        row % 3 === 0 ? "third" : "other",
      );
      index.add(row, row % 1_000 === 0 ? [...often, "rare", "all"] : [...often, "all"]);
    }
    const wanted = [0, 1, 2, 2_999, 3_000, 3_001, 99_999, 150_000, 199_998, 199_999, 500_000];
    const pass = index.search(["third", "rare"], { within: listFilter(wanted) });
    const third = wanted.filter((row) => row < count && row % 3 === 0);
    expect([...pass.rows()].sort((a, b) => a - b)).toEqual(
      wanted.filter((row) => third.includes(row) || (row % 1_000 === 0 && row < count)),
    );
    const scores = wanted.map((row) => pass.scoreOf(row));
    const all = index.search(["third", "rare"]);
    expect(wanted.map((row) => all.scoreOf(row))).toEqual(scores);
    expect(index.docFrequency("third")).toBe(Math.ceil(count / 3));
  });

  test("skips and reads long lists right while a compaction is under way", () => {
    const index = new LexicalIndex(new LexicalScratch(), FIXED_HASH_KEY, 0);
    const count = 30_000;
    const words = Array.from({ length: 40 }, (_, at) => `w${at}`);
    const held = (row: number): string[] => words.filter((_, at) => row % (at + 2) === 0);
    for (let row = 0; row < count; row++) {
      index.add(row, held(row));
      index.divide();
    }
    const dead = Array.from({ length: count / 5 }, (_, at) => at * 5 + (at % 5));
    index.remove(dead);
    const isDead = new Set(dead);
    let kept = 0;
    const rows = Array.from({ length: count }, (_, row) => row);
    index.beginCompaction(rows.map((row) => (isDead.has(row) ? -1 : kept++)));
    const wanted = Uint32Array.from(rows.filter((row) => row % 997 < 3 && !isDead.has(row)));
    for (let isMore = true; isMore; isMore = index.continueCompaction(3_000)) {
      for (const [at, word] of words.entries()) {
        const expected = [...wanted].filter((row) => row % (at + 2) === 0);
        const pass = index.search([word], { within: listFilter([...wanted]) });
        expect([...pass.rows()]).toEqual(expected);
        const found: number[] = [];
        index.holders(word, wanted, (place) => found.push(wanted[place] ?? -1));
        expect(found).toEqual(expected);
      }
    }
    index.finishCompaction();
    expect([index.rowCount, index.deadCount, index.rowEnd]).toEqual([kept, 0, kept]);
  });

  test("finds each row by itself, wherever it stands in its block", () => {
    const index = new LexicalIndex();
    for (let row = 0; row < 3_000; row++) index.add(row, row % 3 === 0 ? ["third"] : ["other"]);
    const all = index.search(["third"]);
    const scores = Array.from({ length: 3_000 }, (_, row) => all.scoreOf(row));
    const alone = scores.map((_, row) => {
      return index.search(["third"], { within: listFilter([row]) }).scoreOf(row);
    });
    expect(alone).toEqual(scores);
  });

  test("tells which of some rows hold a term, and keeps the search before", () => {
    const index = new LexicalIndex();
    for (let row = 0; row < 9_000; row++) index.add(row, row % 3 === 0 ? ["third"] : ["other"]);
    const pass = index.search(["other"]);
    const holders = (term: string, rows: readonly number[]): number[] => {
      const found: number[] = [];
      index.holders(term, Uint32Array.from(rows), (place) => found.push(rows[place] ?? -1));
      return found;
    };
    expect(holders("third", [0, 1, 2, 3, 2_999, 3_000, 8_997, 8_999, 9_003])).toEqual([
      ...[0, 3, 3_000, 8_997],
    ]);
    const every = Array.from({ length: 9_000 }, (_, row) => row);
    expect(holders("third", every)).toEqual(every.filter((row) => row % 3 === 0));
    expect(holders("unheard", every)).toEqual([]);
    expect(holders("third", [])).toEqual([]);
    expect(pass.scoreOf(1)).toBeGreaterThan(0);
  });

  test("lets a term of most rows count only where another term was found", () => {
    const pair = new Pair();
    for (let row = 0; row < 2 * FREQUENT_ROWS; row++) {
      pair.add(row % 1_000 === 7 ? ["year", "tea"] : row % 3 === 0 ? ["milk"] : ["year", "milk"]);
    }
    expect(searchOf(pair.index, ["tea", "year"])).toHaveLength(9);
    expect(searchOf(pair.index, ["tea", "year"])).toEqual(naiveSearch(pair.rows, ["tea", "year"]));
    const alone = searchOf(pair.index, ["year", "absent"]);
    expect(alone).toEqual(naiveSearch(pair.rows, ["year"]));
    expect(alone.length).toBeGreaterThan(FREQUENT_ROWS);
  });

  test("searches the rarest of many terms, however many of their rows are dead", () => {
    const pair = new Pair();
    for (let i = 0; i < 60; i++) {
      for (let copy = 0; copy <= i; copy++) pair.add([`t${i}`, "all"]);
    }
    pair.remove([...pair.rows.keys()].filter((row) => row % 7 === 3 || row > 1_500));
    const query = Array.from({ length: 60 }, (_, i) => `t${59 - i}`);
    expect(searchOf(pair.index, query)).toEqual(naiveSearch(pair.rows, query));
    expect(pair.index.search(query).terms).toHaveLength(SEARCH_TERMS_MAX);
  });

  test("tells which terms no living row holds, and sets the highest bit right", () => {
    const index = new LexicalIndex();
    const words = Array.from({ length: SEARCH_TERMS_MAX }, (_, i) => `t${i}`);
    index.add(0, words);
    index.add(1, ["gone"]);
    index.remove([1]);
    const pass = index.search(["gone", "never", ...words, "t0"]);
    expect(new Set(pass.absent)).toEqual(new Set(["gone", "never"]));
    expect(pass.maskOf(0)).toBe(0xffff_ffff);
    expect(pass.maskOf(1)).toBe(0);
    expect(pass.maskOf(99)).toBe(0);
    expect(pass.scoreOf(99)).toBe(0);
  });

  test("keeps the best rows that are accepted, in the order that is asked for", () => {
    const index = new LexicalIndex();
    for (let row = 0; row < 100; row++) index.add(row, row % 2 === 0 ? ["a", "b"] : ["a", "a"]);
    const pass = index.search(["a"]);
    const rows = (count: number, accept?: (row: number) => boolean) =>
      pass.top(count, accept).map(({ row }) => row);
    expect(rows(3)).toEqual([1, 3, 5]);
    expect(rows(2, (row) => row > 50)).toEqual([51, 53]);
    expect(rows(0)).toEqual([]);
    const last = pass.top(
      3,
      () => true,
      (a, b) => a > b,
    );
    expect(last.map(({ row }) => row)).toEqual([99, 97, 95]);
    expect(rows(1_000)).toHaveLength(100);
  });

  test("is empty, then has rows without terms, then is empty again", () => {
    const index = new LexicalIndex();
    expect(index.search(["a"]).found).toBe(0);
    index.add(5, []);
    expect(index.search(["a"]).found).toBe(0);
    expect(index.rowCount).toBe(1);
    index.add(6, ["a"]);
    expect(index.search([]).found).toBe(0);
    index.remove([5, 6]);
    expect(index.search(["a"]).found).toBe(0);
    index.compact(new Int32Array(7).fill(-1));
    expect(index.search(["a"]).found).toBe(0);
    expect(index.rowEnd).toBe(0);
    index.add(0, ["a"]);
    expect(index.search(["a"]).found).toBe(1);
  });

  test("refuses rows and remaps that do not rise", () => {
    const index = new LexicalIndex();
    index.add(3, ["a"]);
    index.add(4, ["a"]);
    for (const row of [4, 0, -1, 1.5, Number.NaN]) {
      expect(() => index.add(row, ["a"])).toThrow(RangeError);
    }
    expect(() => index.compact(Int32Array.of(-1, -1, -1, 1, 0))).toThrow(RangeError);
    expect(() => index.compact(Int32Array.of(0))).toThrow(RangeError);
    expect(index.search(["a"]).found).toBe(2);
  });

  test("says so when a result is read after the next search", () => {
    const scratch = new LexicalScratch();
    const [one, other] = [new LexicalIndex(scratch), new LexicalIndex(scratch)];
    one.add(0, ["a"]);
    other.add(0, ["b"]);
    const pass = one.search(["a"]);
    expect(other.search(["a"]).found).toBe(0);
    expect(() => pass.scoreOf(0)).toThrow("another search");
    expect(one.search(["a"]).scoreOf(0)).toBeGreaterThan(0);
  });

  test("counts many repeats up to a limit, and long rows", () => {
    const pair = new Pair();
    pair.add(Array.from({ length: 1_000 }, () => "a"));
    pair.add(Array.from({ length: 300 }, (_, i) => (i === 7 ? "a" : `x${i}`)));
    pair.add(["a"]);
    expect(searchOf(pair.index, ["a"])).toEqual(naiveSearch(pair.rows, ["a"]));
  });

  test("takes little memory for a row, and gives it back", () => {
    const index = new LexicalIndex();
    const empty = index.bytes();
    const count = 20_000;
    for (let row = 0; row < count; row++) {
      // 18 terms, of which the first are in most rows: as the passages of a conversation have.
      const words = Array.from({ length: 18 }, (_, i) => `t${i}-${(row * 7919) % (i * i + 1)}`);
      index.add(row, words);
    }
    expect(index.bytes() / count).toBeLessThan(60);
    index.remove(Array.from({ length: count }, (_, row) => row));
    index.compact(new Int32Array(count).fill(-1));
    expect(index.bytes()).toBe(empty);
  });
});
