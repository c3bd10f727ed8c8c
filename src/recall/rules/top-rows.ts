// The best rows seen so far, by falling score; of equal scores, by a given order of rows.

/** Rows with their scores, best first. */
export interface ScoredRows {
  readonly rows: Uint32Array<ArrayBuffer>;
  readonly scores: Float64Array<ArrayBuffer>;
}

function isLower(a: number, b: number): boolean {
  return a < b;
}

/** Keeps the best rows it is offered: a heap of bounded size whose root is the worst of them. */
export class TopRows {
  readonly #isBefore: (a: number, b: number) => boolean;
  readonly #rows: Uint32Array<ArrayBuffer>;
  readonly #scores: Float64Array<ArrayBuffer>;
  #size = 0;

  /** Keeps at most `limit` rows, at least 1. `isBefore` decides between rows of equal score. */
  constructor(limit: number, isBefore = isLower) {
    this.#isBefore = isBefore;
    this.#rows = new Uint32Array(limit);
    this.#scores = new Float64Array(limit);
  }

  /** The score that a row must reach to be kept: any, while there is room. */
  get threshold(): number {
    return this.#size < this.#rows.length ? Number.NEGATIVE_INFINITY : (this.#scores[0] ?? 0);
  }

  /** The row that a row of exactly the threshold must come before. */
  get worst(): number {
    return this.#size < this.#rows.length ? 0xffff_ffff : (this.#rows[0] ?? 0);
  }

  /** Whether a row would be kept now. */
  takes(row: number, score: number): boolean {
    if (this.#size < this.#rows.length) return true;
    return this.#worseAt(0, row, score);
  }

  /** Keeps a row if it is good enough. */
  offer(row: number, score: number): void {
    if (this.#size < this.#rows.length) this.#rise(this.#size++, row, score);
    else if (this.#worseAt(0, row, score)) this.#sink(row, score);
  }

  /** Forgets what is kept. */
  clear(): void {
    this.#size = 0;
  }

  /** The best row that is kept, when the limit is 1. */
  get first(): number {
    return this.#rows[0] ?? 0;
  }

  /** Gives what is kept, best first. */
  sorted(): ScoredRows {
    const order = Array.from({ length: this.#size }, (_, index) => index);
    const rows = this.#rows;
    const scores = this.#scores;
    order.sort((a, b) => {
      const difference = (scores[b] ?? 0) - (scores[a] ?? 0);
      if (difference !== 0) return difference;
      return this.#isBefore(rows[a] ?? 0, rows[b] ?? 0) ? -1 : 1;
    });
    return {
      rows: Uint32Array.from(order, (index) => rows[index] ?? 0),
      scores: Float64Array.from(order, (index) => scores[index] ?? 0),
    };
  }

  #set(place: number, row: number, score: number): void {
    this.#rows[place] = row;
    this.#scores[place] = score;
  }

  /** Whether the row at a place is worse than a given row. */
  #worseAt(place: number, row: number, score: number): boolean {
    const other = this.#scores[place] ?? 0;
    return other < score || (other === score && this.#isBefore(row, this.#rows[place] ?? 0));
  }

  #rise(from: number, row: number, score: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (this.#worseAt(parent, row, score)) break;
      this.#set(place, this.#rows[parent] ?? 0, this.#scores[parent] ?? 0);
      place = parent;
    }
    this.#set(place, row, score);
  }

  /** Replaces the root by a row, and brings the worst row to the root. */
  #sink(row: number, score: number): void {
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (
        right < this.#size &&
        this.#worseAt(right, this.#rows[child] ?? 0, this.#scores[child] ?? 0)
      ) {
        child = right;
      }
      if (!this.#worseAt(child, row, score)) break;
      this.#set(place, this.#rows[child] ?? 0, this.#scores[child] ?? 0);
      place = child;
    }
    this.#set(place, row, score);
  }
}
