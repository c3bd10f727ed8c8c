// Table of bench:context: for one kind of context, the share of the evidence that it contains.

import type { Asked, Evidence } from "./stored-set.ts";

const COLUMNS = [
  ...["set", "questions", "context", "tokens", "all evidence, %", "mean share, %"],
  ...["with memories of it, %", "p50 ms"],
];

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Figures of one kind of context on one set. */
export class EvidenceTable {
  readonly #set: string;
  readonly #asked: Asked;
  readonly #times: number[] = [];
  #count = 0;
  #whole = 0;
  #share = 0;
  #told = 0;

  constructor(set: string, asked: Asked) {
    this.#set = set;
    this.#asked = asked;
  }

  /** Adds the result of a question. */
  add({ share, told, ms }: Evidence): void {
    this.#times.push(ms);
    this.#count += 1;
    this.#whole += share === 1 ? 1 : 0;
    this.#share += share;
    this.#told += told === 1 ? 1 : 0;
  }

  /** The header of the table. */
  static head(): readonly string[] {
    return [row(COLUMNS), row(COLUMNS.map(() => "---"))];
  }

  /** Means of a kind of context over sets, with equal weights. */
  static meanLine(tables: readonly EvidenceTable[]): string {
    const means = tables.map((table) => table.#figures());
    const figures = means[0]?.map((_, index) => {
      const sum = means.reduce((total, one) => total + (one[index] ?? 0), 0);
      return sum / means.length;
    });
    const [first] = tables;
    return first === undefined ? "" : first.#line("mean", "", figures ?? []);
  }

  /** A line of the table. */
  line(): string {
    return this.#line(this.#set, this.#count, this.#figures());
  }

  #line(set: string, count: number | "", figures: readonly number[]): string {
    const { mode, shares, maxTokens } = this.#asked;
    const name = shares === "" ? mode : `${mode}, ${shares}`;
    return row([set, count, name, maxTokens, ...figures.map((one) => one.toFixed(1))]);
  }

  #figures(): readonly number[] {
    const times = this.#times.toSorted((a, b) => a - b);
    const sums = [this.#whole, this.#share, this.#told];
    const percents = sums.map((sum) => (100 * sum) / Math.max(1, this.#count));
    return [...percents, times[Math.floor(times.length / 2)] ?? 0];
  }
}
