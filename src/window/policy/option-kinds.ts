// The kinds of options that presets have.

import { LIMITS } from "../../kit/limits.ts";
import { isJsonObject } from "../../kit/text.ts";
import { ConditionFault, compileCondition } from "../conditions/condition.ts";
import {
  type Json,
  type Option,
  type OptionFault,
  type OptionReading,
  type OptionTable,
  type Read,
  readOptions,
} from "./options.ts";

/** Describes what is wrong with a value. */
function fault(field: string, problem: string, limit?: number): Read<never> {
  const description = `${field} ${problem}`;
  return { faults: [{ field, description, ...(limit === undefined ? {} : { limit }) }] };
}

/** Writes a number with commas between thousands. */
function withCommas(value: number): string {
  const [whole = "", fraction] = String(value).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A range of numbers. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** The least number itself is not allowed. */
  readonly aboveMin?: boolean;
  /** The largest number itself is not allowed. */
  readonly belowMax?: boolean;
}

function readNumber(field: string, value: unknown, range: NumberRange): Read<number> {
  const { min, max, aboveMin = false, belowMax = false } = range;
  if (typeof value !== "number") return fault(field, "must be a number");
  if (value < min) return fault(field, `must be at least ${min}`, min);
  if (aboveMin && value === min) return fault(field, `must be above ${min}`, min);
  if (value > max) return fault(field, `must be at most ${max}`, max);
  if (belowMax && value === max) return fault(field, `must be below ${max}`, max);
  return { value };
}

function rangeWords({ min, max, aboveMin, belowMax }: NumberRange): string {
  const from = `${aboveMin === true ? "over " : ""}${withCommas(min)}`;
  return `${from} to ${belowMax === true ? "below " : ""}${withCommas(max)}`;
}

/** The traits of an option that may be left out, and is `initial` then. */
function whenLeftOut<T extends Json>(initial: T) {
  return { defaultValue: initial, required: false, initial };
}

/** A whole number. */
export function integer(range: NumberRange, initial: number, meaning: string): Option<number> {
  return {
    meaning,
    limits: rangeWords(range),
    ...whenLeftOut(initial),
    read: (field, value) => {
      const read = readNumber(field, value, range);
      if ("faults" in read || Number.isInteger(read.value)) return read;
      return fault(field, "must be a whole number");
    },
  };
}

/** A number that may have a fraction. */
export function fraction(range: NumberRange, initial: number, meaning: string): Option<number> {
  return {
    meaning,
    limits: rangeWords(range),
    ...whenLeftOut(initial),
    read: (field, value) => readNumber(field, value, range),
  };
}

/** Yes or no. */
export function flag(initial: boolean, meaning: string): Option<boolean> {
  return {
    meaning,
    limits: "",
    ...whenLeftOut(initial),
    read: (field, value) =>
      typeof value === "boolean" ? { value } : fault(field, "must be true or false"),
  };
}

function isTooLong(text: string, bytesMax: number): boolean {
  return new TextEncoder().encode(text).length > bytesMax;
}

/** A text. */
export function text(bytesMax: number, initial: string, meaning: string): Option<string> {
  return {
    meaning,
    limits: `at most ${withCommas(bytesMax)} bytes`,
    ...whenLeftOut(initial),
    read: (field, value) => {
      if (typeof value !== "string") return fault(field, "must be a text");
      if (isTooLong(value, bytesMax))
        return fault(field, `is longer than ${bytesMax} bytes`, bytesMax);
      return { value };
    },
  };
}

/** A text of a fixed form, which may be empty. */
export function matching(form: RegExp, words: string, meaning: string): Option<string> {
  return {
    meaning,
    limits: words,
    ...whenLeftOut(""),
    read: (field, value) => {
      if (typeof value !== "string") return fault(field, "must be a text");
      return value === "" || form.test(value) ? { value } : fault(field, `must be ${words}`);
    },
  };
}

/** One of a few words. */
export function choice<const W extends string>(
  words: readonly W[],
  initial: W,
  meaning: string,
): Option<W> {
  return {
    meaning,
    limits: `one of ${words.join(", ")}`,
    ...whenLeftOut(initial),
    read: (field, value) => {
      const word = words.find((known) => known === value);
      return word === undefined
        ? fault(field, `must be one of ${words.join(", ")}`)
        : { value: word };
    },
  };
}

/** Bounds of a list of texts: its length, and the length of a text. */
export interface ListLimits {
  readonly max: number;
  readonly bytesMax: number;
}

/** Reads a list; `readItem` reads each of its elements. */
function readList<T>(
  field: string,
  value: unknown,
  max: number,
  readItem: (field: string, value: unknown) => Read<T>,
): Read<readonly T[]> {
  if (!Array.isArray(value)) return fault(field, "must be a list");
  if (value.length > max) return fault(field, `has more than ${max} entries`, max);
  const items: T[] = [];
  const faults: OptionFault[] = [];
  for (const [index, item] of value.entries()) {
    const read = readItem(`${field}[${index}]`, item);
    if ("faults" in read) faults.push(...read.faults);
    else items.push(read.value);
  }
  return faults.length > 0 ? { faults } : { value: items };
}

/** A list of texts, none of them empty. */
export function texts(
  { max, bytesMax }: ListLimits,
  initial: readonly string[],
  meaning: string,
): Option<readonly string[]> {
  return {
    meaning,
    limits: `at most ${withCommas(max)}, each 1 to ${withCommas(bytesMax)} bytes`,
    ...whenLeftOut(initial),
    read: (field, value) =>
      readList<string>(field, value, max, (itemField, item) => {
        if (typeof item !== "string" || item === "") return fault(itemField, "must be a text");
        if (isTooLong(item, bytesMax)) {
          return fault(itemField, `is longer than ${bytesMax} bytes`, bytesMax);
        }
        return { value: item };
      }),
  };
}

/** A list of a few words. */
export function choices<const W extends string>(
  words: readonly W[],
  initial: readonly W[],
  meaning: string,
): Option<readonly W[]> {
  const word = choice(words, words[0] as W, "");
  return {
    meaning,
    limits: `any of ${words.join(", ")}`,
    ...whenLeftOut(initial),
    read: (field, value) => readList(field, value, words.length, word.read),
  };
}

/** Conditions, as in the stages of a policy. */
export function conditions(meaning: string): Option<readonly string[]> {
  const { conditions: max, conditionBytes } = LIMITS;
  const limits = `at most ${max}, each 1 to ${withCommas(conditionBytes)} bytes`;
  return {
    meaning,
    limits,
    ...whenLeftOut([]),
    read: (field, value) => readList(field, value, max, readCondition),
  };
}

function readCondition(field: string, value: unknown): Read<string> {
  if (typeof value !== "string" || value === "") return fault(field, "must be a condition");
  try {
    compileCondition(value);
    return { value };
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error;
    return fault(field, `is wrong at character ${error.position + 1}: ${error.message}`);
  }
}

/** An object with options of its own; `undefined` when left out. */
export function group<T extends OptionTable>(
  table: T,
  meaning: string,
): Option<OptionReading<T> | undefined> {
  return {
    meaning,
    limits: "",
    defaultValue: null,
    required: false,
    initial: undefined,
    table,
    read: (field, value) => {
      if (!isJsonObject(value)) return fault(field, "must be an object");
      const reading = readOptions(table, value, `${field}.`);
      return reading.faults.length > 0 ? { faults: reading.faults } : { value: reading };
    },
  };
}

/** A list of objects, each read by `readItem`. */
export function groups<T>(
  max: number,
  meaning: string,
  readItem: (path: string, value: { readonly [name: string]: unknown }) => Read<T>,
): Option<readonly T[]> {
  return {
    meaning,
    limits: `at most ${max}`,
    ...whenLeftOut([]),
    read: (field, value) =>
      readList(field, value, max, (itemField, item) =>
        isJsonObject(item)
          ? readItem(`${itemField}.`, item)
          : fault(itemField, "must be an object"),
      ),
  };
}
