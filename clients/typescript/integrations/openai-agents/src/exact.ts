// Writes values as bytes, and reads them back exactly as they were.
//
// Most items are plain JSON. A value that JSON lacks is written as an object with one key that
// begins with "$": `{"$bytes": "AQI="}`, `{"$number": "NaN"}`, `{"$undefined": true}`. A key of the
// item that begins with "$" gets a second "$" in front.

import { isDeepStrictEqual } from "node:util";

export const JSON_TYPE = "application/json";
/** Media type of JSON with such tagged values. */
export const TAGGED_TYPE = "application/vnd.memory-sidecar.tagged+json";

/** The bytes of a value. The media type says how to read them. */
export interface ExactBytes {
  readonly mediaType: string;
  readonly data: Buffer;
}

/** Writes a value. Throws a TypeError if it contains a class instance, a function or a bigint. */
export function toExact(value: unknown): ExactBytes {
  const tagged = tag(value, false);
  const text = JSON.stringify(value);
  const isPlain = isDeepStrictEqual(tagged, JSON.parse(text ?? "0"));
  const data = Buffer.from(isPlain ? text : JSON.stringify(tagged));
  return { mediaType: isPlain ? JSON_TYPE : TAGGED_TYPE, data };
}

/** Reads what `toExact` wrote. */
export function fromExact({ mediaType, data }: ExactBytes): unknown {
  const value: unknown = JSON.parse(data.toString());
  return mediaType === TAGGED_TYPE ? untag(value) : value;
}

/** A text that is the same for equal values, whatever the order of their keys. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(tag(value, true));
}

function tag(value: unknown, isSorted: boolean): unknown {
  if (value === undefined) return { $undefined: true };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $number: Object.is(value, -0) ? "-0" : String(value) };
  }
  if (value === null || ["boolean", "number", "string"].includes(typeof value)) return value;
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return Array.from(value, (entry) => tag(entry, isSorted));
  const prototype = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError("an item holds plain objects, arrays, texts, numbers, booleans and bytes");
  }
  const entries = Object.entries(value as object);
  if (isSorted) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [escaped(key), tag(entry, isSorted)]));
}

function untag(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(untag);
  if ("$undefined" in value) return undefined;
  if ("$number" in value) return Number(value.$number);
  if ("$bytes" in value) return new Uint8Array(Buffer.from(String(value.$bytes), "base64"));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key.replace(/^\$/, ""), untag(entry)]),
  );
}

function escaped(key: string): string {
  return key.startsWith("$") ? `$${key}` : key;
}
