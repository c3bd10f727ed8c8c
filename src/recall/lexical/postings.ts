// Postings of terms, with their frequencies: an inverted index without an object per posting.
//
// The postings of a term are in slices of growing size, each a header (the address of the next
// slice, and a row that no posting of the slice is below) and then varints of (distance to the row
// before) * 2, plus 1 when a byte with the count follows. A 0 ends a slice that is not full. The
// newest posting of a term is kept in the record of the term: so a term with one posting needs no
// slice, and counting the repeats of a term in a row needs no table.

import { firstTexts, type SavedPart, type SavedReader } from "../rules/saved.ts";
import { ByteArena, readWord, writeWord } from "./byte-arena.ts";
import { PagedWords } from "./paged-words.ts";
import type { Renumbering } from "./renumbering.ts";
import { type HashKey, TermTable } from "./term-table.ts";

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

// The record of a term: words of a page.
const RECORD_WORDS = 7;
const RECORD_BITS = 11;
const RECORD_MASK = (1 << RECORD_BITS) - 1;
const HEAD = 0;
const PLACE = 1;
const END = 2;
const ROW = 3;
const DISTANCE = 4;
const ROWS = 5;
/** Level of the last slice, and the count of the newest posting in the lower 8 bits. */
const LEVEL_COUNT = 6;

/** Terms with the rows that hold them. Rows are added in rising order and never taken out. */
export class Postings {
  readonly #terms: TermTable;
  readonly #arena = new ByteArena();
  readonly #records = new PagedWords(RECORD_WORDS << RECORD_BITS);

  constructor(key: HashKey) {
    this.#terms = new TermTable(key);
  }

  /** The number of a term; undefined when no row ever held it. */
  numberOf(term: string, hash?: number): number | undefined {
    return this.#terms.find(term, hash);
  }

  /** Number of terms. */
  get size(): number {
    return this.#terms.size;
  }

  /** The hash of a term. */
  hashOf(number: number): number {
    return this.#terms.hashAt(number);
  }

  /** The terms and postings of now; more may be added while they are written. */
  saved(): SavedPart[] {
    const { size } = this.#terms;
    return [
      { texts: firstTexts(this.#terms.texts(), size) },
      this.#records.slice(size * RECORD_WORDS),
      ...this.#arena.saved(),
    ];
  }

  /** Reads terms and postings into an object that has none yet. */
  async load(read: SavedReader): Promise<void> {
    await read.texts((term) => this.#terms.add(term));
    this.#records.adopt(await read.words());
    await this.#arena.load(read);
    for (let number = 0; number < this.#terms.size; number++) this.#cutOff(number);
  }

  /** Clears what was written behind the last posting of a term while it was saved. */
  #cutOff(number: number): void {
    const records = this.#pageOf(number);
    const at = placeOf(number);
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
    return this.#pageOf(term)[placeOf(term) + ROWS] ?? 0;
  }

  /** The number of a term, a new one when it has none. */
  intern(term: string, hash?: number): number {
    const { size } = this.#terms;
    const number = this.#terms.add(term, hash);
    if (number === size) this.#records.reserve((size + 1) * RECORD_WORDS);
    return number;
  }

  /** The number of a term of other postings, which is a new one here. */
  take(from: Postings, number: number): number {
    const taken = this.#terms.take(from.#terms, number);
    this.#records.reserve((taken + 1) * RECORD_WORDS);
    return taken;
  }

  /** Notes that a row, the newest one or a new one, holds a term `count` times more. */
  addTo(number: number, row: number, count: number): void {
    const records = this.#pageOf(number);
    const at = placeOf(number);
    const rows = records[at + ROWS] ?? 0;
    const before = records[at + ROW] ?? 0;
    const packed = records[at + LEVEL_COUNT] ?? 0;
    if (rows > 0 && before === row) {
      const sum = Math.min(COUNT_MAX, (packed & 0xff) + count);
      records[at + LEVEL_COUNT] = (packed & ~0xff) | sum;
      return;
    }
    if (rows > 0) this.#write(records, at);
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
    this.#records.release();
  }

  /** The memory that all of it takes. */
  bytes(): number {
    return this.#arena.bytes() + this.#records.bytes + this.#terms.bytes;
  }

  /** The page with the record of a term. */
  #pageOf(term: number): Uint32Array {
    const page = this.#records.pages[term >>> RECORD_BITS];
    if (page === undefined) throw new RangeError("no such term");
    return page;
  }

  /** Writes the newest posting of the term with this record behind the others. */
  #write(records: Uint32Array, at: number): void {
    const distance = records[at + DISTANCE] ?? 0;
    const count = (records[at + LEVEL_COUNT] ?? 0) & 0xff;
    let value = distance * 2 + (count > 1 ? 1 : 0);
    const needed = varintBytes(value) + (count > 1 ? 1 : 0);
    if ((records[at + PLACE] ?? 0) + needed > (records[at + END] ?? 0)) this.#newSlice(records, at);
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

  #newSlice(records: Uint32Array, at: number): void {
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
    const records = this.#pageOf(term);
    const at = placeOf(term);
    reader.arena = this.#arena;
    reader.renumbering = undefined;
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
  /** Set when the postings have new numbers of rows already, of which the old ones are read. */
  renumbering: Renumbering | undefined;
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
        if (this.#oldRow(bound - 1) < from) continue;
      }
      const found = this.#decode(slab, place, end);
      if (this.renumbering !== undefined) this.renumbering.toOld(this.rows, found);
      return found;
    }
    if (this.newestRow < 0) return 0;
    this.rows[0] = this.#oldRow(this.newestRow);
    this.counts[0] = this.newestCount;
    this.newestRow = -1;
    return 1;
  }

  #oldRow(row: number): number {
    return this.renumbering === undefined ? row : this.renumbering.oldOf(row);
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

/** The place of the record of a term in its page. */
function placeOf(term: number): number {
  return (term & RECORD_MASK) * RECORD_WORDS;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes += 1;
  return bytes;
}
