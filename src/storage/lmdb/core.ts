// What the parts of the engine share, and how they read the index: the memtable first, then the
// B-tree. Every read is synchronous and copies what it needs; no iterator outlives a call.

import { AppError, recordCorrupt } from "../../domain/errors.ts";
import type { ReadFacts, StreamPositions } from "../store.ts";
import type { SessionCache } from "./cache.ts";
import { unseal } from "./envelope.ts";
import type { Environment } from "./environment.ts";
import { type Memtable, type Slot, slotValue, type Visibility } from "./memtable.ts";
import type { Writer } from "./writer.ts";

/** The shared parts. */
export interface Core {
  readonly env: Environment;
  readonly memtable: Memtable;
  readonly writer: Writer;
  readonly cache: SessionCache;
  readonly readFacts: ReadFacts;
  /** Where the revisions of every namespace begin (revisions.ts). */
  readonly base: StreamPositions;
  /** How many collections of a namespace hold documents. */
  readonly collections: {
    of(core: Core, namespace: string): number;
    add(namespace: string, difference: number): void;
  };
}

/**
 * Thrown by a read that found a message gone because the transaction under way has just erased it.
 * The read is done again once that transaction is visible.
 */
export class ErasedUnderwayError extends Error {
  override readonly name = "ErasedUnderwayError";
}

/** Runs a read, again if a message was erased under it. Throws SHUTTING_DOWN on a closed store. */
export async function readAgain<T>(core: Core, read: () => T): Promise<T> {
  for (;;) {
    core.writer.assertReadable();
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ErasedUnderwayError)) {
        throw error;
      }
    }
    await core.writer.whenInFlightDurable();
  }
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
  core: Pick<Core, "env" | "memtable">,
  key: string,
  visibility: Visibility,
  decode: (payload: Uint8Array) => T,
): T | undefined {
  const known = core.memtable.get(key, visibility);
  if (known === null) {
    return undefined;
  }
  const record = known ?? core.env.index.get(key);
  return record === undefined ? undefined : openIndex(key, record, decode);
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
  /** How many records are read at a time; a caller who wants few says so. Default 256. */
  readonly page?: number;
}

/**
 * The records of the index with keys from `start` on and below `end`, by rising key, or by falling
 * key when `reverse` is set.
 */
export function* rangeIndex(
  core: Core,
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
      yield* rowOfSlot(slot, visibility);
    }
    if (slot?.key === stored.key) {
      next++;
      if (slotValue(slot, visibility) !== undefined) {
        yield* rowOfSlot(slot, visibility);
        continue;
      }
    }
    yield rowOf(stored.key, stored.value);
  }
  for (let slot = slotAt(next); slot !== undefined; slot = slotAt(next)) {
    next++;
    yield* rowOfSlot(slot, visibility);
  }
}

/** The first record of a range; undefined when there is none. */
export function firstOf(
  core: Core,
  visibility: Visibility,
  range: Omit<IndexRange, "page">,
): IndexRow | undefined {
  for (const row of rangeIndex(core, visibility, { ...range, page: FIRST_PAGE })) {
    return row;
  }
  return undefined;
}

// More than one: what the memtable says is gone may stand before it.
const FIRST_PAGE = 4;

function rowOf(key: string, record: Uint8Array): IndexRow {
  return { key, payload: unseal(key, record, `index table ${key.charCodeAt(0)}`) };
}

function* rowOfSlot(slot: Slot, visibility: Visibility): Generator<IndexRow> {
  const value = slotValue(slot, visibility);
  if (value !== undefined && value !== null) {
    yield rowOf(slot.key, value);
  }
}

/** The records of the B-tree alone, read page by page so that no cursor stays open. */
function* storedRange(
  core: Core,
  range: IndexRange,
): Generator<{ key: string; value: Uint8Array }> {
  const page = range.page ?? RANGE_PAGE;
  if (range.reverse === true) {
    // LMDB takes the bounds of a reverse range as from (included) down to (excluded).
    let from = range.end;
    let exclusive = true;
    for (;;) {
      const rows = [
        ...core.env.index.getRange({
          start: from,
          end: range.start,
          reverse: true,
          limit: page,
          exclusiveStart: exclusive,
          inclusiveEnd: true,
        }),
      ];
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < page) {
        return;
      }
      from = last.key;
      exclusive = true;
    }
  }
  let start = range.start;
  let exclusive = false;
  for (;;) {
    const rows = [
      ...core.env.index.getRange({
        start,
        end: range.end,
        limit: page,
        exclusiveStart: exclusive,
      }),
    ];
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < page) {
      return;
    }
    start = last.key;
    exclusive = true;
  }
}
