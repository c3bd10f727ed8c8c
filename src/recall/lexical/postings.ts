// Postings of terms, with their frequencies: an inverted index without an object per posting.
//
// The postings of a term are in slices of growing size, each a header (the address of the next
// slice, and a row that no posting of the slice is below) and then varints of (distance to the row
// before) * 2, plus 1 when a byte with the count follows. A 0 ends a slice that is not full. The
// newest posting of a term is kept in the record of the term: so a term with one posting needs no
// slice, and counting the repeats of a term in a row needs no table.

import { firstTexts, type SavedPart, type SavedReader } from "../rules/saved.ts";
import { ByteArena, grownWords, readWord, writeWord } from "./byte-arena.ts";
import { TermTable } from "./term-table.ts";

/** A term that is in a row more often counts as in it so often. */
export const COUNT_MAX = 255;

/** Sizes of the slices of a term, the header included; all later ones are as the last. */
const SLICE_BYTES = Uint16Array.of(
  ...[16, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024],
);
const LAST_LEVEL = SLICE_BYTES.length - 1;
const HEADER_BYTES = 8;

/** A slice holds no more postings: each takes a byte at least. */
export const BLOCK_POSTINGS = 1_024;

// The record of a term: words of one typed array.
const RECORD_WORDS = 7;
const HEAD = 0;
const PLACE = 1;
const END = 2;
const ROW = 3;
const DISTANCE = 4;
const ROWS = 5;
/** Level of the last slice, and the count of the newest posting in the lower 8 bits. */
const LEVEL_COUNT = 6;

const RECORDS_FIRST = 64;

/** Terms with the rows that hold them. Rows are added in rising order and never taken out. */
export class Postings {
  readonly #terms = new TermTable();
  readonly #arena = new ByteArena();
  #records = new Uint32Array(RECORDS_FIRST * RECORD_WORDS);

  /** The number of a term; undefined when no row ever held it. */
  numberOf(term: string): number | undefined {
    return this.#terms.find(term);
  }

  /** All terms with their numbers, in the order in which they were first met. */
  terms(): IterableIterator<[string, number]> {
    return this.#terms.entries();
  }

  /** The terms and postings of now; more may be added while they are written. */
  saved(): SavedPart[] {
    const { size } = this.#terms;
    return [
      { texts: firstTexts(this.#terms.texts(), size) },
      this.#records.slice(0, size * RECORD_WORDS),
      ...this.#arena.saved(),
    ];
  }

  /** Reads terms and postings into an object that has none yet. */
  async load(read: SavedReader): Promise<void> {
    await read.texts((term) => this.#terms.add(term));
    this.#records = await read.words();
    await this.#arena.load(read);
    for (let at = 0; at < this.#records.length; at += RECORD_WORDS) this.#cutOff(at);
  }

  /** Clears what was written behind the last posting of a term while it was saved. */
  #cutOff(at: number): void {
    const records = this.#records;
    if (records[at + HEAD] === 0) return;
    const [place, end] = [records[at + PLACE] ?? 0, records[at + END] ?? 0];
    const slice = end - (SLICE_BYTES[(records[at + LEVEL_COUNT] ?? 0) >>> 8] ?? 0);
    const slab = this.#arena.slabOf(slice);
    writeWord(slab, this.#arena.placeOf(slice), 0);
    const from = this.#arena.placeOf(slice) + (place - slice);
    slab.fill(0, from, from + (end - place));
  }

  /** Number of rows that hold a term. */
  rowsOf(term: number): number {
    return this.#records[term * RECORD_WORDS + ROWS] ?? 0;
  }

  /** Notes that a row, the newest one or a new one, holds a term `count` times more. */
  add(term: string, row: number, count = 1): void {
    this.addTo(this.intern(term), row, count);
  }

  /** The number of a term, a new one when it has none. */
  intern(term: string): number {
    const { size } = this.#terms;
    const number = this.#terms.add(term);
    if (number === size) this.#makeRecord(number);
    return number;
  }

  /** As `add`, for the number of a term. */
  addTo(number: number, row: number, count: number): void {
    const records = this.#records;
    const at = number * RECORD_WORDS;
    const rows = records[at + ROWS] ?? 0;
    const before = records[at + ROW] ?? 0;
    const packed = records[at + LEVEL_COUNT] ?? 0;
    if (rows > 0 && before === row) {
      const sum = Math.min(COUNT_MAX, (packed & 0xff) + count);
      records[at + LEVEL_COUNT] = (packed & ~0xff) | sum;
      return;
    }
    if (rows > 0) this.#write(at);
    records[at + ROW] = row;
    records[at + DISTANCE] = rows > 0 ? row - before : row + 1;
    records[at + ROWS] = rows + 1;
    const level = (records[at + LEVEL_COUNT] ?? 0) & ~0xff;
    records[at + LEVEL_COUNT] = level | Math.min(COUNT_MAX, count);
  }

  /** Forgets everything and gives the memory back at once. */
  release(): void {
    this.#terms.release();
    this.#arena.release();
    this.#records.buffer.transfer(0);
    this.#records = new Uint32Array(RECORDS_FIRST * RECORD_WORDS);
  }

  /** The memory that all of it takes. */
  bytes(): number {
    return this.#arena.bytes() + this.#records.byteLength + this.#terms.bytes;
  }

  /** Makes room for the record of a new term. */
  #makeRecord(number: number): void {
    const end = (number + 1) * RECORD_WORDS;
    if (end <= this.#records.length) return;
    const terms = Math.ceil((number + 1) * 1.25);
    this.#records = grownWords(this.#records, terms * RECORD_WORDS);
  }

  /** Writes the newest posting of the term with this record behind the others. */
  #write(at: number): void {
    const records = this.#records;
    const distance = records[at + DISTANCE] ?? 0;
    const count = (records[at + LEVEL_COUNT] ?? 0) & 0xff;
    let value = distance * 2 + (count > 1 ? 1 : 0);
    const needed = varintBytes(value) + (count > 1 ? 1 : 0);
    if ((records[at + PLACE] ?? 0) + needed > (records[at + END] ?? 0)) this.#newSlice(at);
    const address = records[at + PLACE] ?? 0;
    const slab = this.#arena.slabOf(address);
    let place = this.#arena.placeOf(address);
    while (value > 0x7f) {
      slab[place++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    slab[place++] = value;
    if (count > 1) slab[place] = count;
    records[at + PLACE] = address + needed;
  }

  #newSlice(at: number): void {
    const records = this.#records;
    const packed = records[at + LEVEL_COUNT] ?? 0;
    const isFirst = records[at + HEAD] === 0;
    const before = packed >>> 8;
    const level = isFirst ? 0 : Math.min(before + 1, LAST_LEVEL);
    const size = SLICE_BYTES[level] ?? 0;
    const address = this.#arena.allocate(size);
    if (isFirst) {
      records[at + HEAD] = address;
    } else {
      const last = (records[at + END] ?? 0) - (SLICE_BYTES[before] ?? 0);
      writeWord(this.#arena.slabOf(last), this.#arena.placeOf(last), address);
    }
    const first = (records[at + ROW] ?? 0) - (records[at + DISTANCE] ?? 0) + 1;
    writeWord(this.#arena.slabOf(address), this.#arena.placeOf(address) + 4, first);
    records[at + LEVEL_COUNT] = (level << 8) | (packed & 0xff);
    records[at + PLACE] = address + HEADER_BYTES;
    records[at + END] = address + size;
  }

  /** Starts to read the postings of a term. */
  open(term: number, reader: PostingReader): void {
    const at = term * RECORD_WORDS;
    const records = this.#records;
    reader.arena = this.#arena;
    reader.slice = records[at + HEAD] ?? 0;
    reader.level = 0;
    reader.at = 0;
    reader.found = 0;
    reader.newestRow = (records[at + ROWS] ?? 0) === 0 ? -1 : (records[at + ROW] ?? 0);
    reader.newestCount = (records[at + LEVEL_COUNT] ?? 0) & 0xff;
  }
}

/**
 * Gives the postings of a term in blocks, rows rising. One reader serves any number of reads, one
 * at a time, as long as nothing is added.
 */
export class PostingReader {
  /** The rows and counts of the block that `next` read. */
  readonly rows = new Uint32Array(BLOCK_POSTINGS);
  readonly counts = new Uint8Array(BLOCK_POSTINGS);
  arena: ByteArena | undefined;
  slice = 0;
  level = 0;
  newestRow = -1;
  newestCount = 0;
  /** With `seek`: how many postings the block has, and the place in it. */
  found = 0;
  at = 0;

  /**
   * Goes on to the first posting whose row is not below `row`, at or behind the place in the block,
   * and gives its row: Infinity behind the last one.
   */
  seek(row: number): number {
    for (;;) {
      while (this.at < this.found) {
        const found = this.rows[this.at] ?? 0;
        if (found >= row) return found;
        this.at += 1;
      }
      this.at = 0;
      this.found = this.next(row);
      if (this.found === 0) return Number.POSITIVE_INFINITY;
    }
  }

  /** The memory that it takes. */
  bytes(): number {
    return this.rows.byteLength + this.counts.byteLength;
  }

  /**
   * Reads the next block and gives how many postings are in it: 0 behind the last one. Blocks are
   * left out that hold no row from `from` on: with a list of rows a search skips what is between.
   */
  next(from = 0): number {
    const { arena } = this;
    while (arena !== undefined && this.slice !== 0) {
      const slab = arena.slabOf(this.slice);
      const place = arena.placeOf(this.slice);
      const end = place + (SLICE_BYTES[this.level] ?? 0);
      const following = readWord(slab, place);
      this.slice = following;
      if (this.level < LAST_LEVEL) this.level += 1;
      // Every row of this slice is below the first row that the next one may hold.
      if (from > 0 && following !== 0) {
        const bound = readWord(arena.slabOf(following), arena.placeOf(following) + 4);
        if (bound <= from) continue;
      }
      return this.#decode(slab, place, end);
    }
    if (this.newestRow < 0) return 0;
    this.rows[0] = this.newestRow;
    this.counts[0] = this.newestCount;
    this.newestRow = -1;
    return 1;
  }

  #decode(slab: Uint8Array, start: number, end: number): number {
    const { rows, counts } = this;
    let row = readWord(slab, start + 4) - 1;
    let found = 0;
    for (let place = start + HEADER_BYTES; place < end; ) {
      let byte = slab[place++] ?? 0;
      if (byte === 0) break;
      let value = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = slab[place++] ?? 0;
        value |= (byte & 0x7f) << shift;
      }
      row += value >>> 1;
      rows[found] = row;
      counts[found++] = (value & 1) === 0 ? 1 : (slab[place++] ?? 0);
    }
    return found;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes += 1;
  return bytes;
}
