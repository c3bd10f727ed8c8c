// Between the bytes of the contract and the values of JavaScript. The generated code calls these
// functions; tools/gen-client.ts puts the calls in.

import type { Duration } from "./gen/google/protobuf/duration.ts";
import type { Timestamp } from "./gen/google/protobuf/timestamp.ts";

/** An enum value that only a newer server knows; its number is in the name. */
export type UnknownValue = `UNKNOWN_${number}`;

// The digits of a time that a Date cannot hold.
const REST = Symbol("nanoseconds beyond the millisecond");

type ExactDate = Date & { [REST]?: { readonly ms: number; readonly nanos: number } };

/** Turns a 64-bit integer into a number. Throws a RangeError if it would be rounded. */
export function longToNumber(int64: { toString(): string }): number {
  const number = Number(int64.toString());
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(
    `the answer has the number ${int64}: JavaScript is exact up to ${Number.MAX_SAFE_INTEGER}`,
  );
}

/** Makes a date of a timestamp. It has milliseconds, and keeps the rest for `toTimestamp`. */
export function fromTimestamp({ seconds, nanos }: Timestamp): Date {
  const ms = seconds * 1000 + Math.floor(nanos / 1e6);
  const date: ExactDate = new Date(ms);
  const rest = nanos % 1e6;
  if (rest !== 0) Object.defineProperty(date, REST, { value: { ms, nanos: rest } });
  return date;
}

/** Makes a timestamp of a date. It has the digits of its source unless the date was changed. */
export function toTimestamp(date: Date): Timestamp {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new RangeError("not a time");
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1e6 + restOf(date) };
}

function restOf(date: ExactDate): number {
  const rest = date[REST];
  return rest !== undefined && rest.ms === date.getTime() ? rest.nanos : 0;
}

/** Writes a time as in the JSON form of the contract: RFC 3339, with the digits that it has. */
export function timeText(date: Date): string {
  const { nanos } = toTimestamp(date);
  return date.toISOString().replace(/\.\d+Z$/, `${fraction(nanos)}Z`);
}

/** Writes a duration as in the JSON form of the contract: seconds, for example `1.500s`. */
export function durationText({ seconds, nanos }: Duration): string {
  const sign = seconds < 0 || nanos < 0 ? "-" : "";
  return `${sign}${Math.abs(seconds)}${fraction(Math.abs(nanos))}s`;
}

/** Writes nanoseconds as a decimal fraction in groups of three digits; nothing for 0. */
function fraction(nanos: number): string {
  return nanos === 0
    ? ""
    : `.${String(nanos)
        .padStart(9, "0")
        .replace(/(000)+$/, "")}`;
}

/** Gives the name of an enum value that this client does not know. */
export function unknownValue(number: unknown): UnknownValue {
  return `UNKNOWN_${Number(number)}`;
}

/** Gives the number in the name of an unknown value. Throws a TypeError for any other name. */
export function unknownNumber(name: unknown, of: string): number {
  const found = typeof name === "string" ? /^UNKNOWN_(-?\d+)$/.exec(name) : null;
  if (found === null) throw new TypeError(`${of} has no value ${JSON.stringify(name)}`);
  return Number(found[1]);
}

/** Makes the prototype of answers: `JSON.stringify` writes them in the contract's JSON form. */
export function jsonOf<T>(toJSON: (message: T) => unknown): object {
  return Object.create(Object.prototype, {
    toJSON: {
      value(this: T) {
        return toJSON(this);
      },
    },
  });
}
