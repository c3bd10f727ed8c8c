// The embedder that every server has: a table of word vectors that ships with it. No model runs, so
// it costs about as much as splitting the text. docs/models.md says how the table was made.

import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { type Kernel, loadKernel, newMemory, PAGE_BYTES } from "../vector/kernel.ts";
import { paddedDimensions } from "../vector/quantize.ts";
import { type Embedder, toUnitLength } from "./embedder.ts";
import {
  type NearWord,
  nearWordsOf,
  readTable,
  readTableHeader,
  rowsOfWord,
  type StaticTable,
} from "./static-table.ts";
import { tableWords } from "./static-words.ts";

/** The table that ships with the server. */
export const STATIC_TABLE_URL = new URL("./models/static-en.bin", import.meta.url);

/** Version of the conversion of text to table rows: part of the model's id, raised on change. */
const TEXT_RECIPE = "t2";
/** Words whose rows are remembered, since the words of one store repeat. */
const MEMO_MAX = 32_768;

/** The most bytes of the header of a table. */
const HEADER_BYTES = 4_096;

/** The static embedder, which can answer at once. */
export interface StaticEmbedder extends Embedder {
  /** The vector of one text, of unit length; zero when no word of it is known. */
  embedText(text: string): Float32Array;
  /**
   * The words of other stems whose vectors are nearest to that of a word, nearest first: at most 16
   * with a cosine of at least 0.3. None for a rare or unknown word.
   */
  nearWords(word: string): readonly NearWord[];
}

/**
 * Loads the static embedder from a file, by default the one that ships with the server. Takes tens
 * of milliseconds and about 20 MB. Throws when the file is missing or damaged.
 */
export function loadStaticEmbedder(url: URL = STATIC_TABLE_URL): StaticEmbedder {
  return createStaticEmbedder(readTable(readFileSync(url)));
}

/**
 * Gives the model and the dimensions of a table without loading it, by default of the one that
 * ships with the server. Throws when the file is missing or does not begin like a table.
 */
export function staticModel(url: URL = STATIC_TABLE_URL): Pick<Embedder, "model" | "dimensions"> {
  const file = openSync(url, "r");
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const header = readTableHeader(bytes.subarray(0, readSync(file, bytes)));
    return { model: modelOf(header), dimensions: header.dimensions };
  } finally {
    closeSync(file);
  }
}

function modelOf({ name, dimensions }: Pick<StaticTable, "name" | "dimensions">): string {
  return `${name}/d${dimensions}/${TEXT_RECIPE}`;
}

/** Rows that are added by one call of the kernel. */
const LIST_ROWS = 4_096;
/** Behind the list in the memory of the kernel: the sum, then the rows on a page of their own. */
const SUM_AT = LIST_ROWS * 8;
const ROWS_AT = PAGE_BYTES;

/** Sums rows of a table, which it copies to a memory that its kernel reads. */
class RowSums {
  readonly #kernel: Kernel;
  readonly #codes: number;
  readonly #factors: Float32Array;
  readonly #addresses: Uint32Array;
  readonly #numbers: Float32Array;
  readonly #sum: Float32Array;
  #listed = 0;

  constructor({ dimensions, rows, factors, numbers }: StaticTable) {
    this.#codes = paddedDimensions(dimensions);
    const pages = Math.ceil((ROWS_AT + rows * this.#codes) / PAGE_BYTES);
    const memory = newMemory(pages, pages);
    this.#kernel = loadKernel(memory);
    this.#factors = factors;
    this.#addresses = new Uint32Array(memory.buffer, 0, LIST_ROWS * 2);
    this.#numbers = new Float32Array(memory.buffer, 0, LIST_ROWS * 2);
    this.#sum = new Float32Array(memory.buffer, SUM_AT, this.#codes);
    const bytes = new Int8Array(memory.buffer);
    for (let row = 0; row < rows; row += 1) {
      const codes = numbers.subarray(row * dimensions, (row + 1) * dimensions);
      bytes.set(codes, ROWS_AT + row * this.#codes);
    }
  }

  add(rows: readonly number[]): void {
    for (const row of rows) {
      if (this.#listed === LIST_ROWS) this.#addListed();
      const at = this.#listed * 2;
      this.#addresses[at] = ROWS_AT + row * this.#codes;
      this.#numbers[at + 1] = this.#factors[row] ?? 0;
      this.#listed += 1;
    }
  }

  /** The sum of what was added; begins a new one. */
  take(dimensions: number): Float32Array {
    this.#addListed();
    const sum = this.#sum.slice(0, dimensions);
    this.#sum.fill(0);
    return sum;
  }

  #addListed(): void {
    this.#kernel.add(0, this.#listed, SUM_AT, this.#codes);
    this.#listed = 0;
  }
}

/** Makes the static embedder of a table. */
export function createStaticEmbedder({ numbers, ...table }: StaticTable): StaticEmbedder {
  const known = new Map<string, readonly number[]>();
  const rowsOf = (word: string): readonly number[] => {
    const memo = known.get(word);
    if (memo !== undefined) return memo;
    const rows = rowsOfWord(table, word);
    if (known.size >= MEMO_MAX) known.clear();
    known.set(word, rows);
    return rows;
  };
  const sums = new RowSums({ ...table, numbers });
  const embedText = (text: string): Float32Array => {
    for (const word of tableWords(text)) sums.add(rowsOf(word));
    return toUnitLength(sums.take(table.dimensions));
  };
  return {
    name: "static",
    model: modelOf(table),
    dimensions: table.dimensions,
    embedText,
    nearWords: (word) => nearWordsOf(table, tableWords(word)[0] ?? ""),
    embed: async (texts, _purpose, signal) => {
      signal?.throwIfAborted();
      return texts.map(embedText);
    },
    close: async () => known.clear(),
  };
}
