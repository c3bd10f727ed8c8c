// Reads for verify: the index with the journal tail on top, in key order, and a short list of
// problems. Unlike the reads of a server, these go on after damage.

import { AppError } from "../../kit/errors.ts";
import { placeOfText } from "../../kit/text.ts";
import { unseal } from "../engine/envelope.ts";
import type { Environment, Table } from "../engine/environment.ts";
import { afterPrefix } from "../engine/keys.ts";
import type { Problems } from "../engine/problems.ts";
import type { Table as IndexTable } from "../engine/table.ts";
import { tableOf } from "../tables/all.ts";

const PAGE = 512;

/** A row as it is stored. */
export interface RawRow {
  readonly key: string;
  readonly record: Uint8Array;
}

/** Above every key. */
const END = "\xff".repeat(11);

/** The rows of a table with keys from `start` on and below `end`, read page by page. */
export function* scan(table: Table, start = "\0", end = END): Generator<RawRow> {
  let from = start;
  let exclusive = false;
  for (;;) {
    const rows = [...table.getRange({ start: from, end, limit: PAGE, exclusiveStart: exclusive })];
    for (const { key, value } of rows) {
      if (exclusive && key <= from) throw new Error("The keys of a table are out of order.");
      from = key;
      exclusive = true;
      yield { key, record: value };
    }
    if (rows.length < PAGE) return;
  }
}

/** The index with the journal tail on top. */
export class IndexView {
  readonly #env: Environment;
  readonly #problems: Problems;
  readonly #tail: ReadonlyMap<string, Uint8Array | null>;
  readonly #tailKeys: readonly string[];

  constructor(env: Environment, problems: Problems, tail: ReadonlyMap<string, Uint8Array | null>) {
    this.#env = env;
    this.#problems = problems;
    this.#tail = tail;
    this.#tailKeys = [...tail.keys()].sort();
  }

  /** Decodes one record; undefined, and a problem, when it is missing or damaged. */
  need<T>(key: string, what: string, decode: (payload: Uint8Array) => T): T | undefined {
    const found = this.find(key, decode);
    if (found === undefined) this.#problems.add(`${what} is missing or damaged`, describeKey(key));
    return found;
  }

  /** Decodes one record; undefined when it is missing or damaged. */
  find<T>(key: string, decode: (payload: Uint8Array) => T): T | undefined {
    const known = this.#tail.get(key);
    const record = known === undefined ? this.#env.index.get(key) : known;
    return record === undefined || record === null
      ? undefined
      : this.decode({ key, record }, decode);
  }

  /** The record of a table; undefined when it is missing or damaged. */
  read<K extends readonly unknown[], R>(table: IndexTable<K, R>, ...parts: K): R | undefined {
    return this.find(table.key(...parts), table.decode);
  }

  /**
   * The rows of a table under the first parts of its keys. One that is damaged has no record, and
   * is a problem.
   */
  *rows<K extends readonly unknown[], R>(
    table: IndexTable<K, R>,
    ...first: Partial<K>
  ): Generator<{ readonly key: string; readonly parts: K; readonly record: R | undefined }> {
    for (const row of this.under(table.prefix(...first))) {
      const record = this.decode(row, table.decode);
      yield { key: row.key, parts: table.parts(row.key), record };
    }
  }

  /** Whether there is a record that is not damaged. */
  has(key: string): boolean {
    return this.find(key, () => true) === true;
  }

  /** Counts the rows under a prefix; reports a problem for each that its table cannot decode. */
  count(prefix: string): number {
    let count = 0;
    for (const row of this.under(prefix)) {
      this.decode(row, tableOf(row.key)?.decode ?? (() => undefined));
      count++;
    }
    return count;
  }

  /** Decodes a row; undefined, and a problem, when it is damaged. */
  decode<T>(row: RawRow, decode: (payload: Uint8Array) => T): T | undefined {
    try {
      return decode(unseal(row.key, row.record, "record"));
    } catch (error) {
      const detail = error instanceof AppError ? "" : " (not readable)";
      this.#problems.add(`a record of the index is damaged${detail}`, describeKey(row.key));
      return undefined;
    }
  }

  /** The rows under a prefix, the journal tail included. */
  *under(prefix: string): Generator<RawRow> {
    const end = afterPrefix(prefix);
    let next = placeOfText(this.#tailKeys, prefix);
    for (const row of scan(this.#env.index, prefix, end)) {
      for (let key = this.#tailKeys[next]; key !== undefined && key < row.key; ) {
        yield* this.#tailRow(key);
        next++;
        key = this.#tailKeys[next];
      }
      if (this.#tailKeys[next] === row.key) {
        yield* this.#tailRow(row.key);
        next++;
      } else {
        yield row;
      }
    }
    for (let key = this.#tailKeys[next]; key !== undefined && key < end; ) {
      yield* this.#tailRow(key);
      next++;
      key = this.#tailKeys[next];
    }
  }

  *#tailRow(key: string): Generator<RawRow> {
    const record = this.#tail.get(key);
    if (record !== undefined && record !== null) yield { key, record };
  }
}

/** A key without what callers wrote: the table and a number if it starts with one. */
export function describeKey(key: string): string {
  const table = `table ${key.charCodeAt(0)}`;
  const numbered = tableOf(key)?.isNumbered === true && key.length >= 9;
  return numbered ? `${table}, ${BigInt(`0x${hex(key.slice(1, 9))}`)}` : table;
}

function hex(text: string): string {
  return Buffer.from(text, "latin1").toString("hex");
}

/** A set of numbers that takes a bit each. */
export class NumberSet {
  readonly #pages = new Map<number, Uint8Array>();

  /** Adds a number; false when it was there. */
  add(value: number): boolean {
    const pageNo = Math.floor(value / 524_288);
    let page = this.#pages.get(pageNo);
    if (page === undefined) {
      page = new Uint8Array(65_536);
      this.#pages.set(pageNo, page);
    }
    const at = (value % 524_288) >>> 3;
    const bit = 1 << (value & 7);
    const had = ((page[at] ?? 0) & bit) !== 0;
    page[at] = (page[at] ?? 0) | bit;
    return !had;
  }

  has(value: number): boolean {
    const page = this.#pages.get(Math.floor(value / 524_288));
    return (((page?.[(value % 524_288) >>> 3] ?? 0) >>> (value & 7)) & 1) === 1;
  }
}
