// Between JavaScript's times and those of the contract.

import type { Duration } from "./gen/google/protobuf/duration.ts";
import type { Timestamp } from "./gen/google/protobuf/timestamp.ts";

/** Turns a date, or its ISO 8601 text, into a timestamp. Throws a RangeError for an invalid one. */
export function toTimestamp(time: Date | string | Timestamp): Timestamp {
  if (typeof time === "object" && "seconds" in time) return time;
  const ms = new Date(time).getTime();
  if (Number.isNaN(ms)) throw new RangeError("not a time");
  const seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1000) * 1e6) };
}

/** Turns a timestamp into a date, to the millisecond. */
export function toDate(time: Timestamp): Date;
export function toDate(time: Timestamp | undefined): Date | undefined;
export function toDate(time: Timestamp | undefined): Date | undefined {
  return time && new Date(Number(time.seconds) * 1000 + Math.floor(time.nanos / 1e6));
}

/** Turns milliseconds into a duration. */
export function toDuration(ms: number): Duration {
  const whole = Math.round(ms);
  return { seconds: BigInt(Math.trunc(whole / 1000)), nanos: (whole % 1000) * 1_000_000 };
}
