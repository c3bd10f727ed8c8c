// Points and spans of time between the wire (seconds and nanoseconds) and the inside
// (milliseconds).

import type { Duration } from "../gen/google/protobuf/duration.ts";
import type { Timestamp } from "../gen/google/protobuf/timestamp.ts";

const MS_PER_SECOND = 1_000;
const NANOS_PER_MS = 1_000_000;

/** Turns milliseconds since 1970 into a timestamp. */
export function toTimestamp(ms: number): Timestamp {
  const seconds = Math.floor(ms / MS_PER_SECOND);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * MS_PER_SECOND) * NANOS_PER_MS };
}

/**
 * Turns a timestamp into milliseconds, rounded up. Stored times are whole milliseconds, so "from"
 * and "before" a time between two of them both begin at the later one.
 */
export function fromTimestamp(time: Timestamp): number {
  return Number(time.seconds) * MS_PER_SECOND + Math.ceil(time.nanos / NANOS_PER_MS);
}

/**
 * Turns a timestamp into milliseconds, rounded down: what was so at a moment between two of them
 * was so at the earlier one.
 */
export function floorTimestamp(time: Timestamp): number {
  return Number(time.seconds) * MS_PER_SECOND + Math.floor(time.nanos / NANOS_PER_MS);
}

/** Turns a timestamp that may be unset into milliseconds, rounded up. */
export function fromOptionalTimestamp(time: Timestamp | undefined): number | undefined {
  return time === undefined ? undefined : fromTimestamp(time);
}

/** Turns milliseconds into a duration. */
export function toDuration(ms: number): Duration {
  return toTimestamp(ms);
}

/** Turns a duration into milliseconds, rounded up. */
export function fromDuration(duration: Duration): number {
  return Number(duration.seconds) * MS_PER_SECOND + Math.ceil(duration.nanos / NANOS_PER_MS);
}

/** Turns a duration that may be unset into milliseconds, rounded up. */
export function fromOptionalSpan(duration: Duration | undefined, unsetMs: number): number {
  return duration === undefined ? unsetMs : fromDuration(duration);
}
