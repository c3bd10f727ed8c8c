// Collects the faults of a request. The path is kept as segments, so that a sound request costs no
// string.

import { type AppError, type FieldViolation, requestInvalid } from "../kit/errors.ts";

/** The most faults that are looked for: the work that a faulty request makes is bounded. */
export const VIOLATIONS_MAX = 20;

const KEY_CHARS_MAX = 40;

/** The faults of one request, in the order of its fields. */
export class Violations {
  readonly #segments: (string | number)[] = [];
  #found: FieldViolation[] | undefined;
  #limit: number | undefined;
  /** Set when bytes inside the request are not what they should be: the request is malformed. */
  malformed = false;

  /** Steps into a field of message type. */
  enter(field: string): void {
    this.#segments.push(field);
  }

  /** Steps into an element of a repeated field. */
  enterItem(field: string, index: number): void {
    this.#segments.push(field, index);
  }

  /** Steps out of a field. */
  leave(): void {
    this.#segments.pop();
  }

  /** Steps out of an element. */
  leaveItem(): void {
    this.#segments.pop();
    this.#segments.pop();
  }

  /** Whether enough faults were found to stop looking. */
  get full(): boolean {
    return this.#found !== undefined && this.#found.length >= VIOLATIONS_MAX;
  }

  /** Whether no fault was found so far. */
  get isEmpty(): boolean {
    return this.#found === undefined && !this.malformed;
  }

  /**
   * Adds a fault of a field, unless one of the same field is known: what comes of the first would
   * only confuse. `limit` is the number that the value breaks, if it does.
   */
  add(field: string, description: string, limit?: number): void {
    if (this.full) return;
    this.#found ??= [];
    const path = this.#path(field);
    if (this.#found.some((known) => known.field === path)) return;
    if (this.#found.length === 0) this.#limit = limit;
    this.#found.push({ field: path, description });
  }

  /** Adds a fault of a map entry. */
  addKey(field: string, key: string, fault: { description: string; limit?: number }): void {
    const short = key.length > KEY_CHARS_MAX ? `${key.slice(0, KEY_CHARS_MAX)}...` : key;
    this.add(`${field}["${short.toWellFormed()}"]`, fault.description, fault.limit);
  }

  /** The error that names the faults; undefined when there is none. */
  error(): AppError | undefined {
    return this.#found && requestInvalid(this.#found, this.#limit, this.full);
  }

  #path(field: string): string {
    let path = "";
    for (const segment of this.#segments) {
      if (typeof segment === "number") path += `[${segment}]`;
      else path += path === "" ? segment : `.${segment}`;
    }
    return path === "" ? field : `${path}.${field}`;
  }
}
