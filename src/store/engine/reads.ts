// Reads of the index: the memtable first, then the B-tree. Every read is synchronous and copies its
// result; no iterator outlives a call.

import { AppError, recordCorrupt } from "../../kit/errors.ts";
import { unseal } from "./envelope.ts";
import type { Environment } from "./environment.ts";
import { afterPrefix } from "./keys.ts";
import { type Memtable, type Slot, slotValue, type Visibility } from "./memtable.ts";

/** The index: what is not in its B-tree yet, and the B-tree. */
export interface Index {
  readonly env: Environment;
  readonly memtable: Memtable;
  /** Lists pass over what is damaged, and tell it. Default: they throw. */
  readonly onDamage?: ((damage: AppError) => void) | undefined;
}

/** Tells of damage to a reader that passes over it; else throws it. */
export function tellDamage({ onDamage }: Index, damage: AppError): void {
  if (onDamage === undefined) throw damage;
  onDamage(damage);
}

/** Runs a read; undefined when it found damage, and the reader passes over it. */
export function unlessDamaged<T>(core: Index, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError && error.reason === "RECORD_CORRUPT")) throw error;
    tellDamage(core, error);
    return undefined;
  }
}

/**
 * Thrown by a read that found a message gone because the transaction under way has just erased it.
 * The read is done again once that transaction is visible.
 */
export class ErasedUnderwayError extends Error {
  override readonly name = "ErasedUnderwayError";
}

/** Runs a read, again if a message was erased under it. Throws SHUTTING_DOWN on a closed store. */
export async function readAgain<T>(
  core: {
    readonly writer: { assertReadable(): void; whenInFlightDurable(): Promise<void> };
  },
  read: () => T,
): Promise<T> {
  for (;;) {
    core.writer.assertReadable();
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ErasedUnderwayError)) throw error;
    }
    await core.writer.whenInFlightDurable();
  }
}

/** Lets other work run between two pieces of a read. Throws SHUTTING_DOWN on a closed store. */
export async function breathe(core: {
  readonly writer: { assertReadable(): void };
}): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  core.writer.assertReadable();
}

/** Decodes a record; whatever the decoder throws means that the record is damaged. */
export function decodeRecord<T>(
  what: string,
  payload: Uint8Array,
  decode: (p: Uint8Array) => T,
): T {
  try {
    return decode(payload);
  } catch (error) {
    throw error instanceof AppError ? error : recordCorrupt(`${what}: ${String(error)}`, error);
  }
}

/** Reads one record of the index; undefined when there is none. */
export function readIndex<T>(
  core: Index,
  key: string,
  visibility: Visibility,
  decode: (payload: Uint8Array) => T,
): T | undefined {
  const known = core.memtable.get(key, visibility);
  if (known === null) return undefined;
  const record = known ?? core.env.index.get(key);
  if (record !== undefined) return openIndex(key, record, decode);
  checkBeside(core, key, "before");
  checkBeside(core, key, "after");
  return undefined;
}

// A key that changed on the disk cannot be found, and its record still stands between the same two
// others. A lookup for it therefore ends beside that record, whose checksum covers the key. So does
// a lookup for another key that the changed one leads astray. The records on both sides of a place
// where nothing was found are enough to tell that nothing is there.

// Below every key of the index.
const LOWEST = "\0";

/**
 * Gives the key of the B-tree before or after a place. Throws RECORD_CORRUPT when its record is
 * damaged or out of order.
 */
function checkBeside(core: Index, place: string, side: "before" | "after"): string | undefined {
  const way = side === "after" ? {} : { reverse: true, end: LOWEST };
  const range = { start: place, exclusiveStart: true, limit: 1, ...way };
  for (const { key, value } of core.env.index.getRange(range)) {
    const what = `index table ${key.charCodeAt(0)}`;
    unseal(key, value, what);
    if (key > place !== (side === "after")) throw recordCorrupt(`${what}: keys are out of order`);
    return key;
  }
  return undefined;
}

/** The highest key of the B-tree that begins with a text; undefined when there is none. */
export function highestStored(core: Index, start: string): string | undefined {
  const end = afterPrefix(start);
  checkBeside(core, end, "after");
  const key = checkBeside(core, end, "before");
  return key?.startsWith(start) ? key : undefined;
}

function openIndex<T>(key: string, record: Uint8Array, decode: (payload: Uint8Array) => T): T {
  const what = `index table ${key.charCodeAt(0)}`;
  return decodeRecord(what, unseal(key, record, what), decode);
}

/** A record of a range. */
export interface IndexRow {
  readonly key: string;
  /** The payload. */
  readonly payload: Uint8Array;
}

const RANGE_PAGE = 256;

/** A part of the index; it must lie in one bucket of the memtable. */
export interface IndexRange {
  readonly start: string;
  readonly end: string;
  /** Default false. */
  readonly reverse?: boolean;
  /** Number of records per read; a caller that wants few says so. Default 256. */
  readonly page?: number;
}

/**
 * The records of the index with keys from `start` on and below `end`, by rising key, or by falling
 * key when `reverse` is set.
 */
export function* rangeIndex(
  core: Index,
  visibility: Visibility,
  range: IndexRange,
): Generator<IndexRow> {
  const { slots, from, to } = core.memtable.range(range.start, range.end);
  const reverse = range.reverse === true;
  const before = (a: string, b: string): boolean => (reverse ? a > b : a < b);
  const slotAt = (at: number): Slot | undefined =>
    at < to - from ? slots[reverse ? to - 1 - at : from + at] : undefined;
  let next = 0;
  for (const stored of storedRange(core, range)) {
    let slot = slotAt(next);
    for (; slot !== undefined && before(slot.key, stored.key); slot = slotAt(next)) {
      next++;
      yield* rowOfSlot(core, slot, visibility);
    }
    if (slot?.key === stored.key) {
      next++;
      if (slotValue(slot, visibility) !== undefined) {
        yield* rowOfSlot(core, slot, visibility);
        continue;
      }
    }
    yield* rowOf(core, stored.key, stored.value);
  }
  for (let slot = slotAt(next); slot !== undefined; slot = slotAt(next)) {
    next++;
    yield* rowOfSlot(core, slot, visibility);
  }
}

/** The first record of a range; undefined when there is none. */
export function firstOf(
  core: Index,
  visibility: Visibility,
  range: Omit<IndexRange, "page">,
): IndexRow | undefined {
  for (const row of rangeIndex(core, visibility, { ...range, page: FIRST_PAGE })) {
    return row;
  }
  return undefined;
}

/** The first records of a range, at most so many. */
export function takeRows(
  core: Index,
  visibility: Visibility,
  range: IndexRange,
  count: number,
): IndexRow[] {
  const rows: IndexRow[] = [];
  if (count <= 0 || range.start >= range.end) return rows;
  const page = Math.min(count - 1 + FIRST_PAGE, RANGE_PAGE);
  for (const row of rangeIndex(core, visibility, { page, ...range })) {
    rows.push(row);
    if (rows.length >= count) break;
  }
  return rows;
}

// More than one: what the memtable says is gone may stand before it.
const FIRST_PAGE = 4;

function* rowOf(core: Index, key: string, record: Uint8Array): Generator<IndexRow> {
  const what = `index table ${key.charCodeAt(0)}`;
  const payload = unlessDamaged(core, () => unseal(key, record, what));
  if (payload !== undefined) yield { key, payload };
}

function* rowOfSlot(core: Index, slot: Slot, visibility: Visibility): Generator<IndexRow> {
  const value = slotValue(slot, visibility);
  if (value !== undefined && value !== null) yield* rowOf(core, slot.key, value);
}

/**
 * The records of the B-tree alone, read page by page so that no cursor stays open. The records at
 * both ends are looked at as well: one whose key has left the range is beside it.
 */
function* storedRange(
  core: Index,
  { start, end, page = RANGE_PAGE, reverse = false }: IndexRange,
): Generator<{ key: string; value: Uint8Array }> {
  // LMDB takes the bounds of a reverse range as from (excluded) down to (included).
  const way = reverse ? { end: start, reverse, inclusiveEnd: true } : { end };
  const first = reverse ? end : start;
  let exclusiveStart = reverse;
  unlessDamaged(core, () => checkBeside(core, first, reverse ? "after" : "before"));
  let from = first;
  for (;;) {
    const range = { start: from, exclusiveStart, limit: page, ...way };
    const rows = [...core.env.index.getRange(range)];
    yield* rows;
    from = rows.at(-1)?.key ?? from;
    exclusiveStart = true;
    if (rows.length < page) break;
  }
  unlessDamaged(core, () => checkBeside(core, from, reverse ? "before" : "after"));
}
