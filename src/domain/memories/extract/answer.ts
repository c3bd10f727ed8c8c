// Reads values of an answer that nobody vouches for: a model's, a hook's, or a worker's.

import { isPlainText } from "../../summaries/check-output.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const CLOSERS = { "[": "]", "{": "}" } as const;

/**
 * The JSON in what a model said: from the first bracket to the last one that closes its kind, so
 * that fences and words around it do no harm. Undefined when there is none that can be read.
 */
export function jsonIn(text: string): unknown {
  const start = text.search(/[[{]/);
  if (start < 0) return undefined;
  const closer = CLOSERS[text[start] as keyof typeof CLOSERS];
  try {
    return JSON.parse(text.slice(start, text.lastIndexOf(closer) + 1)) as unknown;
  } catch {
    // What the parser says quotes the answer.
    return undefined;
  }
}

/** A text of 1 to so many bytes without white space at its ends; undefined when it is none. */
export function textOf(value: unknown, bytesMax: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const fits = text !== "" && text.length <= bytesMax && Buffer.byteLength(text) <= bytesMax;
  return fits && isPlainText(text) ? text : undefined;
}

/** A number of 0 to 1, also one in quotes; undefined when it is none. */
export function shareOf(value: unknown): number | undefined {
  const isText = typeof value === "string" && value.trim() !== "";
  const number = isText ? Number(value) : value;
  const isShare = typeof number === "number" && number >= 0 && number <= 1;
  // Not the other zero, which some formats write in another way.
  return isShare ? number + 0 : undefined;
}

const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;
const MOMENT =
  /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/;
const FIRST_MS = Date.parse("0001-01-01");
const LAST_MS = Date.UTC(9_999, 11, 31, 23, 59, 59, 999);

/** A time of ISO 8601, by UTC unless it says else; undefined when it is none of years 1 to 9999. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const zone = MOMENT.exec(value);
  if (zone === null && !DAY.test(value)) return undefined;
  const ms = Date.parse(zone !== null && zone[1] === undefined ? `${value}Z` : value);
  return ms >= FIRST_MS && ms <= LAST_MS ? Math.floor(ms) : undefined;
}
