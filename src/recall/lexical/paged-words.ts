// Arrays of numbers that grow by pages of one size. An array in one piece would move to a larger
// block each time it grows and leave a hole that only smaller blocks fit, so the process of an
// index that changes for long would grow without end. A page fits where any other page was.

const PAGE_BITS = 14;
const PAGE_WORDS = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_WORDS - 1;
const FIRST_WORDS = 64;
const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/** Words of 32 bits. The first page grows, so that a short array takes little memory. */
export class PagedWords {
  readonly #pageWords: number;
  /** The pages; others after `reserve`. */
  readonly pages: Uint32Array<ArrayBuffer>[] = [];
  /** Number of words that fit into the pages. */
  #room = 0;

  /** @param pageWords - Number of words in a page. */
  constructor(pageWords: number = PAGE_WORDS) {
    this.#pageWords = pageWords;
  }

  get bytes(): number {
    return this.#room * WORD_BYTES;
  }

  /** The word at a place; 0 beyond the room. Only for pages of the default size. */
  at(place: number): number {
    return this.pages[place >>> PAGE_BITS]?.[place & PAGE_MASK] ?? 0;
  }

  /** Sets the word at a place within the room. Only for pages of the default size. */
  set(place: number, value: number): void {
    const page = this.pages[place >>> PAGE_BITS];
    if (page !== undefined) page[place & PAGE_MASK] = value;
  }

  /** Makes room for this many words. New words are 0. */
  reserve(words: number): void {
    if (words <= this.#room) return;
    const most = this.#pageWords;
    if (this.#room < most) {
      const room = Math.min(most, Math.max(FIRST_WORDS, 2 * this.#room, words));
      const buffer = this.pages[0]?.buffer ?? new ArrayBuffer(0);
      this.pages[0] = new Uint32Array(buffer.transfer(room * WORD_BYTES));
      this.#room = room;
    }
    for (; this.#room < words; this.#room += most) this.pages.push(new Uint32Array(most));
  }

  /** A copy of the first words. */
  slice(count: number): Uint32Array {
    const words = new Uint32Array(count);
    for (const [at, page] of this.pages.entries()) {
      const start = at * this.#pageWords;
      if (start < count) words.set(page.subarray(0, count - start), start);
    }
    return words;
  }

  /** Replaces all words with those of an array. */
  adopt(words: Uint32Array): void {
    this.release();
    this.reserve(words.length);
    for (const [at, page] of this.pages.entries()) {
      const start = at * this.#pageWords;
      page.set(words.subarray(start, start + page.length));
    }
  }

  /** Removes all words and frees their memory at once. */
  release(): void {
    for (const { buffer } of this.pages.splice(0)) buffer.transfer(0);
    this.#room = 0;
  }
}
