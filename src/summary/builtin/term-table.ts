// Numbers of terms, and their frequencies.

import { isDistinctive, type TermCache, termsOf } from "./terms.ts";

/** The terms of a conversation. */
export class TermTable {
  readonly #cache: TermCache = new Map();
  readonly #numbers = new Map<string, number>();
  readonly #counts: number[] = [];
  readonly #lines: number[] = [];
  readonly #lastLine: number[] = [];
  readonly #figures: boolean[] = [];
  readonly #distinctive: boolean[] = [];

  /** Number of terms; each has a lower number. */
  get size(): number {
    return this.#counts.length;
  }

  /** Counts the terms of a text, and gives their numbers, each once. */
  add(text: string, line: number): number[] {
    const found: number[] = [];
    for (const term of termsOf(text, this.#cache)) {
      const number = this.#numbers.get(term) ?? this.#new(term);
      this.#counts[number] = this.countOf(number) + 1;
      if (this.#lastLine[number] !== line) {
        this.#lastLine[number] = line;
        this.#lines[number] = this.linesOf(number) + 1;
      }
      if (!found.includes(number)) found.push(number);
    }
    return found;
  }

  /** The numbers of the terms of a text that occur in the conversation. */
  find(text: string): Set<number> {
    const found = new Set<number>();
    for (const term of termsOf(text, this.#cache)) {
      const number = this.#numbers.get(term);
      if (number !== undefined) found.add(number);
    }
    return found;
  }

  /** Frequency of a term. */
  countOf(number: number): number {
    return this.#counts[number] ?? 0;
  }

  /** Number of lines with a term. */
  linesOf(number: number): number {
    return this.#lines[number] ?? 0;
  }

  /** Whether a term is a number. */
  isFigure(number: number): boolean {
    return this.#figures[number] === true;
  }

  /** Whether a term distinguishes similar cases; see isDistinctive. */
  isDistinctive(number: number): boolean {
    return this.#distinctive[number] === true;
  }

  #new(term: string): number {
    const number = this.#counts.length;
    this.#numbers.set(term, number);
    this.#counts.push(0);
    this.#lines.push(0);
    this.#lastLine.push(-1);
    this.#figures.push(/^\p{N}/u.test(term));
    this.#distinctive.push(isDistinctive(term));
    return number;
  }
}
