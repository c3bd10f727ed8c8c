// Checks of single values. Each returns at once when the value is sound; a fault is described with
// what is allowed.

import type { Duration } from "../gen/google/protobuf/duration.ts";
import type { Timestamp } from "../gen/google/protobuf/timestamp.ts";
import { LIMITS } from "../kit/limits.ts";
import { isKnown, type WireEnum } from "./enums.ts";
import { jsonDepth, STRUCT_MALFORMED, structDepth } from "./struct.ts";
import type { Violations } from "./violations.ts";

const CONTROL = /\p{Cc}/u;

// No UTF-16 unit takes more than three bytes of UTF-8.
const BYTES_PER_CHAR_MAX = 3;

/** Whether a text takes more bytes of UTF-8 than allowed. */
function isLongerThan(text: string, bytesMax: number): boolean {
  if (text.length * BYTES_PER_CHAR_MAX <= bytesMax) return false;
  return text.length > bytesMax || Buffer.byteLength(text) > bytesMax;
}

/** Checks an optional text. Gives whether it is short enough. */
export function checkText(v: Violations, field: string, text: string, bytesMax: number): boolean {
  if (!isLongerThan(text, bytesMax)) return true;
  v.add(field, `is longer than ${bytesMax} bytes`, bytesMax);
  return false;
}

/** Checks a text that must not be empty. */
export function checkRequiredText(v: Violations, field: string, text: string, max: number): void {
  if (text === "") v.add(field, "is required");
  else checkText(v, field, text, max);
}

/** Checks an optional id: a bounded text without control characters. */
export function checkId(v: Violations, field: string, id: string, bytesMax: number): void {
  if (isLongerThan(id, bytesMax)) v.add(field, `is longer than ${bytesMax} bytes`, bytesMax);
  else if (CONTROL.test(id)) v.add(field, "must hold no control characters");
}

/** Checks an id that must not be empty. */
export function checkRequiredId(v: Violations, field: string, id: string, max: number): void {
  if (id === "") v.add(field, "is required");
  else checkId(v, field, id, max);
}

/** A range of numbers, both ends allowed. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Checks a number against a range. */
export function checkRange(
  v: Violations,
  field: string,
  value: number | bigint,
  { min, max }: Range,
): void {
  if (value >= min && value <= max) return;
  v.add(field, `must be ${min} to ${max}`, value < min ? min : max);
}

/** Checks a position in a log: from 0 to what a number holds exactly. */
export function checkSeq(v: Violations, field: string, seq: bigint): void {
  checkRange(v, field, seq, { min: 0, max: Number.MAX_SAFE_INTEGER });
}

/** Checks an optional number that may be any but for NaN and the infinities. */
export function checkFinite(v: Violations, field: string, value: number | undefined): void {
  if (value !== undefined && !Number.isFinite(value)) v.add(field, "must be a finite number");
}

/** Checks that an enum has a value that the contract knows. */
export function checkEnum(v: Violations, field: string, value: number, names: WireEnum): void {
  if (!isKnown(names, value)) v.add(field, `is not a known value: ${value}`);
}

/** Checks the length of a repeated field. */
export function checkCount(v: Violations, field: string, count: number, max: number): void {
  if (count > max) addCount(v, field, count, max);
}

/** Checks that ids differ. */
export function checkDistinct(v: Violations, field: string, ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (v.full) return;
    if (seen.has(id)) v.add(`${field}[${index}]`, "is used twice in this request");
    seen.add(id);
  }
}

/** Checks bytes that must not be too many. */
export function checkBytes(v: Violations, field: string, bytes: Uint8Array, max: number): void {
  if (bytes.length > max) v.add(field, `takes ${bytes.length} bytes; at most ${max}`, max);
}

/** Checks free-form data by the limits of the contract. */
export function checkStruct(v: Violations, field: string, bytes: Uint8Array, max: number): void {
  checkFreeForm(v, field, bytes, { maxBytes: max, maxDepth: LIMITS.structDepth });
}

/** Checks free-form data: its size, its depth, and that it is what it claims to be. */
export function checkFreeForm(
  v: Violations,
  field: string,
  bytes: Uint8Array,
  { maxBytes, maxDepth }: { readonly maxBytes: number; readonly maxDepth: number },
): void {
  if (bytes.length === 0) return;
  if (bytes.length > maxBytes) {
    v.add(field, `takes ${bytes.length} bytes; at most ${maxBytes}`, maxBytes);
    return;
  }
  const depth = structDepth(bytes);
  if (depth === STRUCT_MALFORMED) v.malformed = true;
  else if (depth > maxDepth) v.add(field, `is more than ${maxDepth} levels deep`, maxDepth);
}

/** Checks JSON text: its size, its depth, and that it is JSON in UTF-8. */
export function checkJson(v: Violations, field: string, bytes: Uint8Array, max: number): void {
  if (bytes.length > max) {
    v.add(field, `takes ${bytes.length} bytes; at most ${max}`, max);
    return;
  }
  const depth = jsonDepth(bytes);
  if (depth === undefined) v.add(field, "is not JSON in UTF-8");
  else if (depth > LIMITS.structDepth) {
    v.add(field, `is more than ${LIMITS.structDepth} levels deep`, LIMITS.structDepth);
  }
}

const NANOS_MAX = 999_999_999;
const SECONDS_YEAR_1 = -62_135_596_800n;
const SECONDS_YEAR_9999 = 253_402_300_799n;

/** Checks a point in time: from year 1 to 9999. */
export function checkTimestamp(v: Violations, field: string, time: Timestamp | undefined): void {
  if (time === undefined) return;
  const { seconds, nanos } = time;
  if (seconds < SECONDS_YEAR_1 || seconds > SECONDS_YEAR_9999) {
    v.add(field, "must lie in the years 1 to 9999");
  } else if (nanos < 0 || nanos > NANOS_MAX) {
    v.add(field, `must have 0 to ${NANOS_MAX} nanos`, nanos < 0 ? 0 : NANOS_MAX);
  }
}

const NANOS_PER_MS = 1_000_000n;
const NANOS_PER_SECOND = 1_000_000_000n;

/** Form of a text. */
export interface TextForm {
  readonly regExp: RegExp;
  /** Says what is wrong with another text. */
  readonly meaning: string;
  /** The most characters; 0 for a form that does not limit them. */
  readonly maxChars: number;
}

/** Makes a form of a text. */
export function textForm(regExp: RegExp, said: Omit<TextForm, "regExp">): TextForm {
  return { regExp, ...said };
}

function limitOf(text: string, { maxChars }: TextForm): number | undefined {
  return maxChars > 0 && text.length > maxChars ? maxChars : undefined;
}

/** Checks what a text looks like. */
export function checkForm(v: Violations, field: string, text: string, form: TextForm): void {
  if (!form.regExp.test(text)) v.add(field, form.meaning, limitOf(text, form));
}

/** Adds the fault of a list or a map that has too many entries. */
export function addCount(v: Violations, field: string, count: number, max: number): void {
  v.add(field, `has ${count} entries; at most ${max} are allowed`, max);
}

/** Range of a number. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
}

function boundsText({ min, max, above, below }: Bounds, unit: string): string {
  if (min === 0 && max === undefined && below === undefined) return "must not be negative";
  const low = above === undefined ? min : above;
  const high = below === undefined ? max : below;
  const beyond = above === undefined ? "" : "above ";
  const short = below === undefined ? "" : "below ";
  if (high === undefined)
    return `must be ${beyond}${low}${unit}${beyond === "" ? " at least" : ""}`;
  if (low === undefined) return `must be ${short}${high}${unit}${short === "" ? " at most" : ""}`;
  const most = beyond === "" ? `to ${short}` : `and ${short === "" ? "at most " : short}`;
  return `must be ${beyond}${low} ${most}${high}${unit}`;
}

/** Adds the fault of a number that is not allowed. */
export function addRange(
  v: Violations,
  field: string,
  value: number | bigint,
  bounds: Bounds,
): void {
  const low = bounds.above ?? bounds.min;
  const high = bounds.below ?? bounds.max;
  const isLow = low !== undefined && !(bounds.above === undefined ? value >= low : value > low);
  v.add(field, boundsText(bounds, ""), isLow ? low : high);
}

function nanosOf(seconds: number): bigint {
  return BigInt(Math.round(seconds * 1_000)) * NANOS_PER_MS;
}

function isWithin(value: bigint, { min, max, above, below }: Bounds): boolean {
  return (
    (min === undefined || value >= nanosOf(min)) &&
    (above === undefined || value > nanosOf(above)) &&
    (max === undefined || value <= nanosOf(max)) &&
    (below === undefined || value < nanosOf(below))
  );
}

/** Checks a span of time against bounds in seconds. */
export function checkDuration(v: Violations, field: string, span: Duration, bounds: Bounds): void {
  const { seconds, nanos } = span;
  if (nanos < 0 || nanos > NANOS_MAX) {
    v.add(field, `must be positive with 0 to ${NANOS_MAX} nanos`);
    return;
  }
  const value = seconds * NANOS_PER_SECOND + BigInt(nanos);
  if (isWithin(value, bounds)) return;
  const { min, above } = bounds;
  const isLow = !isWithin(value, {
    ...(min === undefined ? {} : { min }),
    ...(above === undefined ? {} : { above }),
  });
  const limit = isLow ? (above ?? min) : (bounds.below ?? bounds.max);
  v.add(field, boundsText(bounds, " seconds"), limit === undefined ? undefined : limit * 1_000);
}

/** Limits of a map of texts; 0 for none. */
export interface MapRules {
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly keyForm?: TextForm;
  /** A key of bounded length is not empty. */
  readonly maxKeyBytes?: number;
}

/** Checks the keys and the values of a map of texts. */
export function checkMap(
  v: Violations,
  field: string,
  entries: ReadonlyMap<string, string>,
  rules: MapRules,
): void {
  const { maxItems, maxBytes } = rules;
  if (maxItems > 0 && entries.size > maxItems) addCount(v, field, entries.size, maxItems);
  for (const [key, value] of entries) {
    if (v.full) return;
    const fault = keyFault(key, rules);
    if (fault !== undefined) v.addKey(field, key, fault);
    else if (maxBytes > 0 && isLongerThan(value, maxBytes)) {
      v.addKey(field, key, { description: `is longer than ${maxBytes} bytes`, limit: maxBytes });
    }
  }
}

function keyFault(
  key: string,
  { keyForm, maxKeyBytes }: MapRules,
): { description: string; limit?: number } | undefined {
  if (keyForm !== undefined && !keyForm.regExp.test(key)) {
    const limit = limitOf(key, keyForm);
    const description = `has a key that ${keyForm.meaning}`;
    return limit === undefined ? { description } : { description, limit };
  }
  if (maxKeyBytes === undefined) return undefined;
  if (key === "") return { description: "has an empty key" };
  if (!isLongerThan(key, maxKeyBytes)) return undefined;
  return { description: `has a key that is longer than ${maxKeyBytes} bytes`, limit: maxKeyBytes };
}
