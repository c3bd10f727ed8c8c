// The best rows seen so far, by falling score and, of equal scores, by rising row.

/** Rows with their scores, best first. */
export interface ScoredRows {
  readonly rows: Uint32Array<ArrayBuffer>;
  readonly scores: Float64Array<ArrayBuffer>;
}

/** Keeps the best rows of those it is offered: a heap whose root is the worst that is kept. */
export class TopRows {
  private readonly rows: Uint32Array<ArrayBuffer>;
  private readonly scores: Float64Array<ArrayBuffer>;
  private size = 0;

  /** Makes a keeper of at most `limit` rows, at least 1. */
  constructor(limit: number) {
    this.rows = new Uint32Array(limit);
    this.scores = new Float64Array(limit);
  }

  /** The score that a row must reach to be kept: any, while there is room. */
  get threshold(): number {
    return this.size < this.rows.length ? Number.NEGATIVE_INFINITY : (this.scores[0] ?? 0);
  }

  /** The row that one of just the threshold must come before. */
  get worst(): number {
    return this.size < this.rows.length ? 0xffff_ffff : (this.rows[0] ?? 0);
  }

  /** Offers a row. */
  offer(row: number, score: number): void {
    if (this.size < this.rows.length) {
      this.rise(this.size++, row, score);
    } else if (this.comesBeforeRoot(row, score)) {
      this.sink(row, score);
    }
  }

  /** Forgets what is kept. */
  clear(): void {
    this.size = 0;
  }

  /** The best row that is kept, when the limit is 1. */
  get first(): number {
    return this.rows[0] ?? 0;
  }

  /** Gives what is kept, best first. */
  sorted(): ScoredRows {
    const order = Array.from({ length: this.size }, (_, index) => index);
    const { rows, scores } = this;
    order.sort((a, b) => {
      const difference = (scores[b] ?? 0) - (scores[a] ?? 0);
      return difference === 0 ? (rows[a] ?? 0) - (rows[b] ?? 0) : difference;
    });
    return {
      rows: Uint32Array.from(order, (index) => rows[index] ?? 0),
      scores: Float64Array.from(order, (index) => scores[index] ?? 0),
    };
  }

  private comesBeforeRoot(row: number, score: number): boolean {
    const root = this.scores[0] ?? 0;
    return score > root || (score === root && row < (this.rows[0] ?? 0));
  }

  private set(place: number, row: number, score: number): void {
    this.rows[place] = row;
    this.scores[place] = score;
  }

  /** Tells whether what is at a place is worse than a row. */
  private worseAt(place: number, row: number, score: number): boolean {
    const other = this.scores[place] ?? 0;
    return other < score || (other === score && (this.rows[place] ?? 0) > row);
  }

  private rise(from: number, row: number, score: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      const parentScore = this.scores[parent] ?? 0;
      const parentRow = this.rows[parent] ?? 0;
      if (parentScore < score || (parentScore === score && parentRow > row)) break;
      this.set(place, parentRow, parentScore);
      place = parent;
    }
    this.set(place, row, score);
  }

  /** Puts a row in the place of the root, and the worst into the root. */
  private sink(row: number, score: number): void {
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.size) break;
      const right = child + 1;
      if (
        right < this.size &&
        this.worseAt(right, this.rows[child] ?? 0, this.scores[child] ?? 0)
      ) {
        child = right;
      }
      if (!this.worseAt(child, row, score)) break;
      this.set(place, this.rows[child] ?? 0, this.scores[child] ?? 0);
      place = child;
    }
    this.set(place, row, score);
  }
}
