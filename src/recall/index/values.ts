// Labels, metadata and ids of documents: for each name the items that have it, with their values.
// Items are added with rising numbers, so each list is sorted as it grows.

import type { Scalar, TextTest, ValueTest } from "../rules/filter.ts";
import type { ItemGroup } from "../rules/item-groups.ts";
import { fitsText } from "../rules/item-tests.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import { Bits, doublesColumn, Interner, lowerBound, textBytes, wordsColumn } from "./columns.ts";

// Codes of what is no number. Texts follow, by their number.
const NULL = 0;
const FALSE = 1;
const TRUE = 2;
/** There is a value that equals nothing: an object, or a list without scalars. */
const PRESENT = 3;
const TEXTS = 4;
/** A name with its columns, without their values. */
const COLUMN_BYTES = 1_200;

/** A test with its texts as numbers. */
interface Compiled {
  readonly number: (value: number) => boolean;
  readonly code: (code: number) => boolean;
}

const ANY: Compiled = { number: () => true, code: () => true };

class ValueColumn {
  readonly numberItems = wordsColumn();
  readonly numbers = doublesColumn();
  readonly codeItems = wordsColumn();
  readonly codes = wordsColumn();

  get all() {
    return [this.numberItems, this.numbers, this.codeItems, this.codes];
  }

  get bytes(): number {
    return this.all.reduce((sum, { bytes }) => sum + bytes, COLUMN_BYTES);
  }
}

/** The items of a set by value. Items are added as they rise. */
class ValueCounts {
  readonly #items: Bits;
  readonly #having: Bits;
  readonly #counts = new Map<number, { count: number; lastItem: number }>();

  /** Notes in `having` each item of the set that has a value. */
  constructor(items: Bits, having: Bits) {
    this.#items = items;
    this.#having = having;
  }

  get groups(): readonly (readonly [number, number])[] {
    return [...this.#counts].map(([value, { count }]) => [value, count]);
  }

  /** Counts an item for a value; a list may hold the value twice. */
  add(value: number, item: number): void {
    if (!this.#items.has(item)) return;
    this.#having.set(item);
    const known = this.#counts.get(value);
    if (known === undefined) this.#counts.set(value, { count: 1, lastItem: item });
    else if (known.lastItem !== item) {
      known.count += 1;
      known.lastItem = item;
    }
  }
}

/** All names of a shard. */
export class ValueTable {
  readonly #columns = new Map<string, ValueColumn>();
  readonly #texts = new Interner();
  #nameBytes = 0;

  get bytes(): number {
    let sum = this.#texts.bytes + this.#nameBytes;
    for (const { bytes } of this.#columns.values()) sum += bytes;
    return sum;
  }

  /** Adds the values that an item has under a name; the item has none there yet. */
  add(name: string, item: number, values: readonly Scalar[]): void {
    let column = this.#columns.get(name);
    if (column === undefined) {
      column = new ValueColumn();
      this.#columns.set(name, column);
      this.#nameBytes += textBytes(name);
    }
    for (const value of values) {
      if (typeof value === "number") {
        column.numberItems.push(item);
        column.numbers.push(value);
      } else {
        column.codeItems.push(item);
        column.codes.push(this.#codeOf(value));
      }
    }
    if (values.length > 0) return;
    column.codeItems.push(item);
    column.codes.push(PRESENT);
  }

  /** Sets the bit of every item that has a value under the name that fits, dead ones included. */
  mark(name: string, test: ValueTest, words: Uint32Array): void {
    const column = this.#columns.get(name);
    if (column === undefined) return;
    const { numberItems, numbers, codeItems, codes } = column;
    if (test.kind === "range") {
      markRange(column, rangeOf(test), words);
      return;
    }
    const fits = this.#compile(test);
    for (let at = 0; at < numbers.length; at++) {
      if (fits.number(numbers.data[at] ?? 0)) setBit(words, numberItems.data[at] ?? 0);
    }
    for (let at = 0; at < codes.length; at++) {
      if (fits.code(codes.data[at] ?? 0)) setBit(words, codeItems.data[at] ?? 0);
    }
  }

  /** Makes a test of one item. */
  tester(name: string, test: ValueTest): (item: number) => boolean {
    const column = this.#columns.get(name);
    if (column === undefined) return () => false;
    const { number, code } = this.#compile(test);
    const { numberItems, numbers, codeItems, codes } = column;
    return (item) => {
      for (let at = lowerBound(numberItems, item); numberItems.at(at) === item; at++) {
        if (at >= numbers.length) break;
        if (number(numbers.at(at))) return true;
      }
      for (let at = lowerBound(codeItems, item); codeItems.at(at) === item; at++) {
        if (at >= codes.length) break;
        if (code(codes.at(at))) return true;
      }
      return false;
    };
  }

  /** The text that an item has under a name, or undefined. */
  textOf(name: string, item: number): string | undefined {
    const column = this.#columns.get(name);
    if (column === undefined) return undefined;
    const at = lowerBound(column.codeItems, item);
    if (at >= column.codes.length || column.codeItems.at(at) !== item) return undefined;
    return this.#texts.textOf(column.codes.at(at) - TEXTS);
  }

  /**
   * Counts the items of a set by the values that they have under a name; an item counts once for
   * each of its values. Objects and empty lists are no values.
   */
  groupsOf(
    name: string,
    items: Bits,
  ): { readonly groups: readonly ItemGroup[]; readonly itemCount: number } {
    const column = this.#columns.get(name);
    if (column === undefined) return { groups: [], itemCount: 0 };
    const { numberItems, numbers, codeItems, codes } = column;
    const having = new Bits();
    const byNumber = new ValueCounts(items, having);
    for (let at = 0; at < numbers.length; at++) byNumber.add(numbers.at(at), numberItems.at(at));
    const byCode = new ValueCounts(items, having);
    for (let at = 0; at < codes.length; at++) {
      if (codes.at(at) !== PRESENT) byCode.add(codes.at(at), codeItems.at(at));
    }
    const ofCodes = byCode.groups.map(([code, count]) => ({ value: this.#valueOf(code), count }));
    const ofNumbers = byNumber.groups.map(([value, count]) => ({ value, count }));
    return { groups: [...ofNumbers, ...ofCodes], itemCount: having.count };
  }

  /** The values of now. */
  saved(): SavedPart[] {
    const columns = [...this.#columns.values()].flatMap(({ all }) => all);
    const values = columns.flatMap((one) => one.saved());
    return [...this.#texts.saved(), { texts: [...this.#columns.keys()] }, ...values];
  }

  /** Reads values into a table that has none yet. */
  async load(read: SavedReader): Promise<void> {
    await this.#texts.load(read);
    const names: string[] = [];
    await read.texts((name) => names.push(name));
    for (const name of names) {
      const column = new ValueColumn();
      for (const one of column.all) await one.load(read);
      this.#columns.set(name, column);
      this.#nameBytes += textBytes(name);
    }
  }

  /** Gives the table of the items that have a new number, which rise as the old ones do. */
  remapped(newItem: (item: number) => number): ValueTable {
    const table = new ValueTable();
    const newCodes = new Map<number, number>();
    const codeIn = (code: number): number => {
      if (code < TEXTS) return code;
      const known = newCodes.get(code) ?? table.#codeOf(this.#texts.textOf(code - TEXTS));
      newCodes.set(code, known);
      return known;
    };
    for (const [name, { numberItems, numbers, codeItems, codes }] of this.#columns) {
      const column = new ValueColumn();
      for (let at = 0; at < numbers.length; at++) {
        const item = newItem(numberItems.at(at));
        if (item < 0) continue;
        column.numberItems.push(item);
        column.numbers.push(numbers.at(at));
      }
      for (let at = 0; at < codes.length; at++) {
        const item = newItem(codeItems.at(at));
        if (item < 0) continue;
        column.codeItems.push(item);
        column.codes.push(codeIn(codes.at(at)));
      }
      if (column.numbers.length + column.codes.length === 0) continue;
      table.#columns.set(name, column);
      table.#nameBytes += textBytes(name);
    }
    return table;
  }

  #codeOf(value: string | boolean | null): number {
    if (value === null) return NULL;
    if (typeof value === "boolean") return value ? TRUE : FALSE;
    return TEXTS + this.#texts.add(value);
  }

  #valueOf(code: number): Scalar {
    if (code === NULL) return null;
    return code < TEXTS ? code === TRUE : this.#texts.textOf(code - TEXTS);
  }

  /** Tests each text once: most of them repeat. */
  #textTest(test: TextTest): Compiled["code"] {
    const fits = new Map<number, boolean>();
    return (code) => {
      if (code < TEXTS) return false;
      const known = fits.get(code) ?? fitsText(this.#texts.textOf(code - TEXTS), test);
      fits.set(code, known);
      return known;
    };
  }

  #compile(test: ValueTest): Compiled {
    if (test.kind === "exists") return ANY;
    if (test.kind === "range") {
      const range = rangeOf(test);
      return { number: (value) => isWithin(value, range), code: () => false };
    }
    if (test.kind !== "one-of") return { number: () => false, code: this.#textTest(test) };
    const numbers = new Set<number>();
    const codes = new Set<number>();
    for (const value of test.values) {
      if (typeof value === "number") {
        if (!Number.isNaN(value)) numbers.add(value);
      } else if (typeof value === "string") {
        const id = this.#texts.find(value);
        if (id !== undefined) codes.add(TEXTS + id);
      } else codes.add(this.#codeOf(value));
    }
    return { number: (value) => numbers.has(value), code: (code) => codes.has(code) };
  }
}

/** A range of numbers; `lessThan` itself is not in it. */
interface Range {
  readonly min: number;
  readonly max: number;
  readonly lessThan: number;
}

function rangeOf({ min, max, lessThan }: ValueTest & { readonly kind: "range" }): Range {
  return {
    min: min ?? Number.NEGATIVE_INFINITY,
    max: max ?? Number.POSITIVE_INFINITY,
    // Every comparison with NaN is false: no end.
    lessThan: lessThan ?? Number.NaN,
  };
}

function isWithin(value: number, { min, max, lessThan }: Range): boolean {
  return value >= min && value <= max && !(value >= lessThan);
}

function markRange({ numberItems, numbers }: ValueColumn, range: Range, words: Uint32Array): void {
  const { min, max, lessThan } = range;
  const { data } = numbers;
  for (let at = 0; at < numbers.length; at++) {
    const value = data[at] ?? 0;
    const isIn = value >= min && value <= max && !(value >= lessThan);
    if (isIn) setBit(words, numberItems.data[at] ?? 0);
  }
}

function setBit(words: Uint32Array, index: number): void {
  words[index >>> 5] = (words[index >>> 5] ?? 0) | (1 << (index & 31));
}
