// The file of a static embedding table and the look-up of words in it.
//
//   8 bytes  "MSTABLE1"
//   u32      length of the header
//   header   JSON: TableHeader
//   words    the vocabulary, one entry a line, in row order
//   padding  to a multiple of four bytes
//   f32      one factor a row
//   u16      nearCount rows near each of the first nearRows rows, 65535 for none
//   u8       how near they are: the cosine times 255
//   i8       dimensions numbers a row
//
// Numbers are little-endian. The vector of a text is the sum of factor * numbers over its rows. An
// entry that begins with ## goes on a word, as in WordPiece.

const MAGIC = "MSTABLE1";
/** Stands for no row in a list of near ones. */
const NO_ROW = 0xffff;
/** Longer words are not taken apart: they are data. */
const PIECED_CHARS_MAX = 40;

const ASCII_OR_HAN = /[a-z0-9\u3400-\u4dbf\u4e00-\u9fff]/;

/** The header of a table. */
interface TableHeader {
  readonly name: string;
  readonly dimensions: number;
  readonly rows: number;
  readonly wordBytes: number;
  /** Rows that have a list of rows near them: the first ones. */
  readonly nearRows: number;
  /** The length of each list. */
  readonly nearCount: number;
}

/** A table in memory. */
export interface StaticTable {
  readonly name: string;
  readonly dimensions: number;
  readonly rows: number;
  /** One factor a row. */
  readonly factors: Float32Array;
  /** `dimensions` numbers a row. */
  readonly numbers: Int8Array;
  readonly rowOf: ReadonlyMap<string, number>;
  /** The entries in row order. */
  readonly words: readonly string[];
  /** `count` rows near each of the first rows, nearest first, and 255 times their cosine. */
  readonly near: {
    readonly count: number;
    readonly rows: Uint16Array;
    readonly cosines: Uint8Array;
  };
  /** The longest entry, in UTF-16 units. */
  readonly entryCharsMax: number;
}

/** The part of a table that finds the rows of a word. */
type Vocabulary = Pick<StaticTable, "rowOf" | "entryCharsMax">;

/** Reads a table. Throws when the bytes are not a whole table. */
export function readTable(bytes: Uint8Array): StaticTable {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readTableHeader(bytes);
  const wordsAt = 12 + buffer.readUInt32LE(8);
  const { dimensions, rows, nearRows, nearCount } = header;
  const near = nearRows * nearCount;
  const wordsEnd = wordsAt + header.wordBytes;
  const factorsAt = Math.ceil(wordsEnd / 4) * 4;
  const nearAt = factorsAt + rows * 4;
  const numbersAt = nearAt + near * 3;
  if (buffer.length !== numbersAt + rows * dimensions || nearRows > rows) {
    throw new Error("The static embedding table is cut off or has bytes too many.");
  }
  // A copy begins where numbers of more bytes may begin. All machines that Node has releases for
  // are little-endian, as the file is.
  const copyOf = (start: number, size: number): ArrayBuffer =>
    Uint8Array.prototype.slice.call(bytes, start, start + size).buffer;
  const words = buffer.toString("utf8", wordsAt, wordsEnd).split("\n");
  return {
    name: header.name,
    dimensions,
    rows,
    factors: new Float32Array(copyOf(factorsAt, rows * 4)),
    numbers: new Int8Array(bytes.buffer, bytes.byteOffset + numbersAt, rows * dimensions),
    ...wordsOf(words, rows),
    near: {
      count: nearCount,
      rows: new Uint16Array(copyOf(nearAt, near * 2)),
      cosines: new Uint8Array(copyOf(nearAt + near * 2, near)),
    },
  };
}

function wordsOf(
  words: readonly string[],
  rows: number,
): Pick<StaticTable, "words" | "rowOf" | "entryCharsMax"> {
  let entryCharsMax = 1;
  const rowOf = new Map<string, number>();
  for (let row = 0; row < words.length; row += 1) {
    const word = words[row] ?? "";
    rowOf.set(word, row);
    if (word.length > entryCharsMax) entryCharsMax = word.length;
  }
  if (rowOf.size !== rows) throw new Error("The static embedding table lacks words of its rows.");
  return { words, rowOf, entryCharsMax };
}

/** Reads the header of a table, of which the first bytes are enough. Throws as `readTable`. */
export function readTableHeader(bytes: Uint8Array): TableHeader {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < 12 || buffer.toString("latin1", 0, 8) !== MAGIC) {
    throw new Error("The static embedding table does not begin like one.");
  }
  const end = Math.min(12 + buffer.readUInt32LE(8), buffer.length);
  return parseHeader(buffer.toString("utf8", 12, end));
}

function parseHeader(text: string): TableHeader {
  let header: Partial<TableHeader>;
  try {
    header = JSON.parse(text) as Partial<TableHeader>;
  } catch (cause) {
    throw new Error("The header of the static embedding table is damaged.", { cause });
  }
  const { name, dimensions, rows, wordBytes, nearRows, nearCount } = header;
  const sizes = [dimensions, rows, wordBytes, nearRows, nearCount];
  if (typeof name !== "string" || !sizes.every(isSize)) {
    throw new Error("The header of the static embedding table is damaged.");
  }
  return header as TableHeader;
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/**
 * The rows of a word: its own, or those of the longest entries that make it up. None when a part of
 * it is unknown, it is longer than 40 UTF-16 units, or it has no letter a to z, digit or Han
 * character: of other scripts the table has letters only, which are all near each other.
 */
export function rowsOfWord(table: Vocabulary, word: string): readonly number[] {
  if (!ASCII_OR_HAN.test(word)) return [];
  const whole = table.rowOf.get(word);
  if (whole !== undefined) return [whole];
  if (word.length > PIECED_CHARS_MAX) return [];
  const rows: number[] = [];
  for (let start = 0; start < word.length; ) {
    const end = pieceEnd(table, word, start, rows);
    if (end === start) return [];
    start = end;
  }
  return rows;
}

/** Adds the longest entry that fits at `start`; gives where it ends, `start` when none fits. */
function pieceEnd(table: Vocabulary, word: string, start: number, rows: number[]): number {
  const prefix = start === 0 ? "" : "##";
  const longest = Math.min(word.length, start + table.entryCharsMax);
  for (let end = longest; end > start; end -= 1) {
    const row = table.rowOf.get(prefix + word.slice(start, end));
    if (row === undefined) continue;
    rows.push(row);
    return end;
  }
  return start;
}

/** A word near another one. */
export interface NearWord {
  readonly word: string;
  /** The cosine of the two words' vectors, above 0. */
  readonly cosine: number;
}

/**
 * The words nearest to a word, of other stems than its own and each other's, nearest first. None
 * for a word that is rare or has no near ones.
 */
export function nearWordsOf(
  table: Pick<StaticTable, "rowOf" | "near" | "words">,
  word: string,
): NearWord[] {
  const { count, rows, cosines } = table.near;
  const row = table.rowOf.get(word);
  const found: NearWord[] = [];
  if (row === undefined || row * count >= rows.length) return found;
  for (let at = row * count; at < (row + 1) * count; at += 1) {
    const near = rows[at] ?? NO_ROW;
    if (near === NO_ROW) break;
    found.push({ word: table.words[near] ?? "", cosine: (cosines[at] ?? 0) / 255 });
  }
  return found;
}
