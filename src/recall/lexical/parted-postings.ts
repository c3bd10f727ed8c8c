// The postings of an index. Large postings are divided into parts by the hash of the term. A
// compaction copies the parts one by one and frees each old part at once, so that only one part is
// in memory twice.
//
// During a compaction, the parts already copied use the new row numbers and the others the old
// ones. Callers that add or read rows see only the old numbers.

import type { SavedPart, SavedReader } from "../rules/saved.ts";
import { type PostingReader, Postings } from "./postings.ts";
import type { Renumbering } from "./renumbering.ts";
import { type HashKey, hashOf } from "./term-table.ts";

/** Number of parts, a power of two: the highest bits of the hash choose one. */
const PARTS = 16;
const PART_BITS = 4;
/** Undivided postings are divided once they reach this size. It takes a few milliseconds. */
const DIVIDE_BYTES = 524_288;
/** A compaction joins the parts if it leaves them smaller than this share of that size. */
const UNITED_SHARE = 1 / 4;
/** Size of the cache of recently added terms, a power of two. Only divided postings have one. */
const RECENT_TERMS = 1_024;
/** Memory of that cache: two lists, and the terms. */
const RECENT_BYTES = 48 * RECENT_TERMS;
/** The cost of copying a term, in postings. */
const TERM_COST = 8;

/** A compaction that is under way. */
interface Copying {
  readonly renumbering: Renumbering;
  /** The part that is being copied; those before it have new numbers. */
  place: number;
  part: CopiedPart | undefined;
}

/** A part that is being copied. */
interface CopiedPart {
  readonly to: Postings;
  /** The terms before this one are copied. */
  next: number;
  readonly newRow: NewRow;
  /** Terms with the rows that were added after the copy began. */
  readonly added: { readonly term: string; readonly row: number }[];
}

type IsLive = (row: number) => boolean;

/** A cache of terms and their numbers. The low bits of the hash choose a place. */
interface Recent {
  readonly terms: (string | undefined)[];
  readonly numbers: number[];
}

/** Gives the new number of a row, or a negative number if the row is left out. */
type NewRow = (row: number) => number;

/** Terms with the rows that hold them. Rows are added in rising order and never taken out. */
export class PartedPostings {
  readonly #divideBytes: number;
  #key: HashKey;
  #parts: Postings[];
  #copying: Copying | undefined;
  #recent: Recent | undefined;
  /** Increases whenever the terms get other numbers. */
  numbering = 0;

  /** Makes empty postings. `key` is that of the hashes of terms; saved ones bring their own. */
  constructor(key: HashKey, divideBytes: number = DIVIDE_BYTES) {
    this.#divideBytes = divideBytes;
    this.#key = key;
    this.#parts = [new Postings(key)];
  }

  /** The number of a term; undefined when no row ever held it. Good until `numbering` changes. */
  numberOf(term: string): number | undefined {
    const hash = hashOf(term, this.#key);
    const place = this.#placeOf(hash);
    const number = this.#part(place).numberOf(term, hash);
    return number === undefined ? undefined : number * PARTS + place;
  }

  /** Number of rows that hold a term. */
  rowsOf(number: number): number {
    return this.#part(number & (PARTS - 1)).rowsOf(number >>> PART_BITS);
  }

  /** Counts one more occurrence of a term in a row: the newest row, or one after it. */
  add(term: string, row: number): void {
    const number = this.#intern(term);
    const place = number & (PARTS - 1);
    const copying = this.#copying;
    const isCopied = copying !== undefined && place < copying.place;
    const newest = isCopied ? copying.renumbering.newOf(row) : row;
    this.#part(place).addTo(number >>> PART_BITS, newest, 1);
    if (place === copying?.place) copying.part?.added.push({ term, row });
  }

  /** Divides postings that have become large. Returns true if it divided them. */
  divide(reader: PostingReader): boolean {
    if (this.#parts.length > 1 || this.#copying !== undefined) return false;
    if (this.#part(0).bytes() < this.#divideBytes) return false;
    this.#spread(PARTS, reader);
    return true;
  }

  /** Starts to read the postings of a term. */
  open(number: number, reader: PostingReader): void {
    const place = number & (PARTS - 1);
    this.#part(place).open(number >>> PART_BITS, reader);
    const copying = this.#copying;
    if (copying !== undefined && place < copying.place) reader.renumbering = copying.renumbering;
  }

  /** Begins to give rows new numbers. None may be under way. */
  beginCompaction(renumbering: Renumbering): void {
    if (this.#copying !== undefined) throw new Error("the postings are being compacted");
    this.#copying = { renumbering, place: 0, part: undefined };
  }

  /**
   * Copies about as many postings as the budget; gives whether there are more.
   *
   * @param reader - A reader that nothing else uses meanwhile.
   * @param rowEnd - One more than the highest row.
   * @param isLive - Dead rows are left out.
   */
  continueCompaction(budget: number, { reader, rowEnd, isLive }: CopyParts): boolean {
    const copying = this.#copying;
    if (copying === undefined) return false;
    for (let left = budget; left > 0; ) {
      if (copying.place === this.#parts.length) return false;
      copying.part ??= this.#startPart(copying, rowEnd, isLive);
      const from = this.#part(copying.place);
      const { to, next, newRow } = copying.part;
      if (next === from.size) {
        this.#finishPart(copying, copying.part);
        continue;
      }
      copyTerm({ from, to, reader }, next, newRow);
      copying.part.next = next + 1;
      left -= TERM_COST + from.rowsOf(next);
    }
    return true;
  }

  /** Switches to the new numbers: from now on, rows are read and added by them. */
  finishCompaction(reader: PostingReader): void {
    if (this.#copying?.place !== this.#parts.length) throw new Error("postings are left to copy");
    this.#copying = undefined;
    if (this.#parts.length > 1 && this.bytes() < this.#divideBytes * UNITED_SHARE)
      this.#spread(1, reader);
  }

  /** Forgets everything and gives the memory back at once. */
  release(): void {
    this.#copying?.part?.to.release();
    this.#copying = undefined;
    for (const part of this.#parts) part.release();
    this.#parts = [new Postings(this.#key)];
    this.#recent = undefined;
  }

  /** The terms and postings of now; more may be added while they are written. */
  saved(): SavedPart[] {
    return [...this.#key, this.#parts.length, ...this.#parts.flatMap((part) => part.saved())];
  }

  /** Reads terms and postings into an object that has none yet. */
  async load(read: SavedReader): Promise<void> {
    this.#key = [await read.number(), await read.number()];
    const count = await read.number();
    if (count !== 1 && count !== PARTS)
      throw new RangeError("postings have a wrong number of parts");
    const parts = Array.from({ length: count }, () => new Postings(this.#key));
    this.#parts = parts;
    this.#recent = count === 1 ? undefined : newRecent();
    for (const part of parts) await part.load(read);
  }

  /** The memory that all parts take. */
  bytes(): number {
    const copying = this.#copying;
    let sum = (copying?.part?.to.bytes() ?? 0) + (copying?.renumbering.bytes ?? 0);
    if (this.#recent !== undefined) sum += RECENT_BYTES;
    for (const part of this.#parts) sum += part.bytes();
    return sum;
  }

  /** The number of a term, a new one when it has none. The cache answers for most terms. */
  #intern(term: string): number {
    const hash = hashOf(term, this.#key);
    const recent = this.#recent;
    const at = hash & (RECENT_TERMS - 1);
    const known = recent?.terms[at] === term ? recent.numbers[at] : undefined;
    if (known !== undefined) return known;
    const place = this.#placeOf(hash);
    const number = this.#part(place).intern(term, hash) * PARTS + place;
    if (recent === undefined) return number;
    recent.terms[at] = term;
    recent.numbers[at] = number;
    return number;
  }

  /** Terms have other numbers from now on. */
  #renumberTerms(): void {
    this.numbering += 1;
    this.#recent?.terms.fill(undefined);
  }

  #part(place: number): Postings {
    const part = this.#parts[place];
    if (part === undefined) throw new RangeError("no such part of postings");
    return part;
  }

  #placeOf(hash: number): number {
    return placeOf(hash, this.#parts.length);
  }

  #startPart({ renumbering }: Copying, rowEnd: number, isLive: IsLive): CopiedPart {
    // Later rows are in `added`.
    const newRow = (row: number): number =>
      row < rowEnd && isLive(row) ? renumbering.newOf(row) : -1;
    return { to: new Postings(this.#key), next: 0, newRow, added: [] };
  }

  #finishPart(copying: Copying, { to, added }: CopiedPart): void {
    for (const { term, row } of added) to.addTo(to.intern(term), copying.renumbering.newOf(row), 1);
    this.#part(copying.place).release();
    this.#parts[copying.place] = to;
    copying.place += 1;
    copying.part = undefined;
    this.#renumberTerms();
  }

  /** Puts all postings into so many parts. */
  #spread(count: number, reader: PostingReader): void {
    const parts = Array.from({ length: count }, () => new Postings(this.#key));
    for (const from of this.#parts) {
      for (let term = 0; term < from.size; term++) {
        const to = parts[placeOf(from.hashOf(term), count)];
        if (to !== undefined) copyTerm({ from, to, reader }, term, same);
      }
      from.release();
    }
    this.#parts = parts;
    this.#recent = count === 1 ? undefined : newRecent();
    this.#renumberTerms();
  }
}

function newRecent(): Recent {
  const terms = new Array<string | undefined>(RECENT_TERMS).fill(undefined);
  return { terms, numbers: new Array<number>(RECENT_TERMS).fill(0) };
}

const same: NewRow = (row) => row;

/** Parts of an index that a copy needs. */
interface CopyParts {
  readonly reader: PostingReader;
  readonly rowEnd: number;
  readonly isLive: IsLive;
}

function placeOf(hash: number, parts: number): number {
  return parts === 1 ? 0 : hash >>> (32 - PART_BITS);
}

/** Copies the postings of a term. One of rows that are left out only is left out too. */
function copyTerm(
  { from, to, reader }: { from: Postings; to: Postings; reader: PostingReader },
  term: number,
  newRow: NewRow,
): void {
  let number = -1;
  from.open(term, reader);
  for (let found = reader.next(); found > 0; found = reader.next()) {
    for (let at = 0; at < found; at++) {
      const row = newRow(reader.rows[at] ?? 0);
      if (row < 0) continue;
      if (number < 0) number = to.take(from, term);
      to.addTo(number, row, reader.counts[at] ?? 1);
    }
  }
}
