// The best of many rows, in a heap of bounded size whose root is the worst of them.

/** Keeps the rows with the highest scores. */
export class TopRows {
  readonly #limit: number;
  readonly #isBefore: (a: number, b: number) => boolean;
  readonly #rows: number[] = [];
  readonly #scores: number[] = [];

  /** Keeps at most `limit` rows; `isBefore` decides between rows of the same score. */
  constructor(limit: number, isBefore: (a: number, b: number) => boolean) {
    this.#limit = limit;
    this.#isBefore = isBefore;
  }

  /** No row with a lower score is kept. */
  get floor(): number {
    if (this.#limit <= 0) return Number.POSITIVE_INFINITY;
    const isFull = this.#rows.length >= this.#limit;
    return isFull ? (this.#scores[0] ?? 0) : Number.NEGATIVE_INFINITY;
  }

  /** Whether a row would be kept now. */
  takes(row: number, score: number): boolean {
    if (this.#rows.length < this.#limit) return true;
    const worst = this.#scores[0];
    if (worst === undefined || score < worst) return false;
    return score > worst || this.#isBefore(row, this.#rows[0] ?? 0);
  }

  /** Adds a row that `takes` lets pass; the worst one goes when there are too many. */
  add(row: number, score: number): void {
    if (this.#rows.length < this.#limit) {
      this.#rows.push(row);
      this.#scores.push(score);
      this.#rise(this.#rows.length - 1);
    } else {
      this.#rows[0] = row;
      this.#scores[0] = score;
      this.#sink();
    }
  }

  /** The rows that were kept, best first. */
  sorted(): { row: number; score: number }[] {
    const found = this.#rows.map((row, i) => ({ row, score: this.#scores[i] ?? 0 }));
    return found.sort((a, b) => {
      if (a.score !== b.score) return b.score - a.score;
      return this.#isBefore(a.row, b.row) ? -1 : 1;
    });
  }

  /** Whether the entry at place `a` is worse than the one at `b`. */
  #isWorse(a: number, b: number): boolean {
    const [one, other] = [this.#scores[a] ?? 0, this.#scores[b] ?? 0];
    if (one !== other) return one < other;
    return this.#isBefore(this.#rows[b] ?? 0, this.#rows[a] ?? 0);
  }

  #swap(a: number, b: number): void {
    const [row, score] = [this.#rows[a] ?? 0, this.#scores[a] ?? 0];
    this.#rows[a] = this.#rows[b] ?? 0;
    this.#scores[a] = this.#scores[b] ?? 0;
    this.#rows[b] = row;
    this.#scores[b] = score;
  }

  #rise(from: number): void {
    for (let place = from; place > 0; ) {
      const parent = (place - 1) >> 1;
      if (!this.#isWorse(place, parent)) return;
      this.#swap(place, parent);
      place = parent;
    }
  }

  #sink(): void {
    const size = this.#rows.length;
    for (let place = 0; ; ) {
      const left = 2 * place + 1;
      let worst = place;
      if (left < size && this.#isWorse(left, worst)) worst = left;
      if (left + 1 < size && this.#isWorse(left + 1, worst)) worst = left + 1;
      if (worst === place) return;
      this.#swap(place, worst);
      place = worst;
    }
  }
}
