// Between the times that callers write and those of the client.

import type { Duration } from "./gen/google/protobuf/duration.ts";
import type { Timestamp } from "./gen/google/protobuf/timestamp.ts";
import { fromTimestamp } from "./wire.ts";

/** A time: a date, its ISO 8601 text, or seconds and nanoseconds since 1970. */
export type TimeInput = Date | string | Timestamp;

const FINER = /^(.*\.\d{3})(\d{1,6})\d*(Z|[+-]\d\d:\d\d)$/i;

/** Makes a date of a time, exact to the nanosecond. Throws a RangeError for an invalid one. */
export function toDate(time: TimeInput): Date {
  if (typeof time === "object" && "seconds" in time) return fromTimestamp(time);
  const finer = typeof time === "string" ? FINER.exec(time) : null;
  const date = new Date(finer === null ? time : `${finer[1]}${finer[3]}`);
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new RangeError("not a time");
  if (finer === null) return date;
  const seconds = Math.floor(ms / 1000);
  const rest = Number((finer[2] ?? "").padEnd(6, "0"));
  return fromTimestamp({ seconds, nanos: (ms - seconds * 1000) * 1e6 + rest });
}

/** Turns milliseconds into a duration. */
export function toDuration(ms: number): Duration {
  const whole = Math.round(ms);
  return { seconds: Math.trunc(whole / 1000), nanos: (whole % 1000) * 1_000_000 };
}

/** Gives the milliseconds of a duration of the contract, such as the `ttl` of a session. */
export function toMs(duration: Duration): number;
export function toMs(duration: Duration | undefined): number | undefined;
export function toMs(duration: Duration | undefined): number | undefined {
  return duration && duration.seconds * 1000 + duration.nanos / 1e6;
}
