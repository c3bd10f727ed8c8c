// What the parts of the engine share, and how they read the index: the memtable first, then the
// B-tree. Every read is synchronous and copies what it needs; no iterator outlives a call.

import { AppError, recordCorrupt } from "../../domain/errors.ts";
import type { ReadFacts } from "../store.ts";
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
  core: Core,
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

/**
 * The records of the index with keys from `start` on and below `end`, by rising key, or by falling
 * key when `reverse` is set. The range must lie in one bucket of the memtable.
 */
export function* rangeIndex(
  core: Core,
  visibility: Visibility,
  range: { readonly start: string; readonly end: string; readonly reverse?: boolean },
): Generator<IndexRow> {
  const overlay = [...core.memtable.range(range.start, range.end)];
  if (range.reverse === true) {
    overlay.reverse();
  }
  const before = (a: string, b: string): boolean => (range.reverse === true ? a > b : a < b);
  let next = 0;
  for (const stored of storedRange(core, range)) {
    for (let slot = overlay[next]; slot !== undefined && before(slot.key, stored.key); next++) {
      yield* rowOfSlot(slot, visibility);
      slot = overlay[next + 1];
    }
    const same = overlay[next];
    if (same?.key === stored.key) {
      next++;
      if (slotValue(same, visibility) !== undefined) {
        yield* rowOfSlot(same, visibility);
        continue;
      }
    }
    yield rowOf(stored.key, stored.value);
  }
  for (; next < overlay.length; next++) {
    const slot = overlay[next];
    if (slot !== undefined) {
      yield* rowOfSlot(slot, visibility);
    }
  }
}

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
  range: { readonly start: string; readonly end: string; readonly reverse?: boolean },
): Generator<{ key: string; value: Uint8Array }> {
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
          limit: RANGE_PAGE,
          exclusiveStart: exclusive,
          inclusiveEnd: true,
        }),
      ];
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < RANGE_PAGE) {
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
        limit: RANGE_PAGE,
        exclusiveStart: exclusive,
      }),
    ];
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < RANGE_PAGE) {
      return;
    }
    start = last.key;
    exclusive = true;
  }
}
