// The embedder that every server has: a table of word vectors that ships with it. No model runs, so
// it costs about as much as splitting the text. docs/models.md says how the table was made.

import { closeSync, openSync, readFileSync, readSync } from "node:fs";
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

/** How text becomes rows of the table: part of the model's id, raised when it changes. */
const TEXT_RECIPE = "t2";
/** Words whose rows are remembered, since the words of one store repeat. */
const MEMO_MAX = 20_000;

/** The header of a table is within so many bytes. */
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

/** Makes the static embedder of a table. */
export function createStaticEmbedder(table: StaticTable): StaticEmbedder {
  const pieced = new Map<string, readonly number[]>();
  const rowsOf = (word: string): readonly number[] => {
    const known = pieced.get(word);
    if (known !== undefined) return known;
    const rows = rowsOfWord(table, word);
    if (pieced.size >= MEMO_MAX) pieced.clear();
    pieced.set(word, rows);
    return rows;
  };
  const embedText = (text: string): Float32Array => {
    const sum = new Float32Array(table.dimensions);
    for (const word of tableWords(text)) {
      // What begins with another letter may be of a script that the table does not know.
      const row = word.charCodeAt(0) < 0x80 ? table.rowOf.get(word) : undefined;
      if (row !== undefined) addRow(table, row, sum);
      else for (const piece of rowsOf(word)) addRow(table, piece, sum);
    }
    return toUnitLength(sum);
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
    close: async () => pieced.clear(),
  };
}

function addRow({ dimensions, factors, numbers }: StaticTable, row: number, sum: Float32Array) {
  const factor = factors[row] ?? 0;
  const start = row * dimensions;
  for (let i = 0; i < dimensions; i += 1) {
    sum[i] = (sum[i] ?? 0) + factor * (numbers[start + i] ?? 0);
  }
}
