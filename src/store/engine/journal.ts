// Journal records: the index changes of a group, durable in one record under a rising key before
// the index itself has them.

import { ENVELOPE_BYTES, writeEnvelope } from "./envelope.ts";
import { u64 } from "./keys.ts";
import { varintLength, WireReader, WireWriter } from "./wire.ts";

/** A change of the index: a sealed record, or null to remove the key. */
export interface IndexChange {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** The newest numbers at the time of a journal record. */
export interface Counters {
  /** The number of the newest commit that has events. */
  readonly commitNo: number;
  readonly nextSessionNo: number;
  readonly nextLogNo: number;
  readonly nextMessageNo: number;
}

/** Position at which the journal continues after a start. */
export interface JournalStart extends Counters {
  /** The numbers of the oldest journal record kept and of the next one. */
  readonly firstJournalNo: number;
  readonly nextJournalNo: number;
  /** Whether the newest journal record has changes, so that it may name what was erased. */
  readonly newestHasChanges: boolean;
}

/** A journal record, decoded. */
export interface JournalEntry extends Counters {
  readonly changes: readonly IndexChange[];
}

/** A journal record ready to be stored. */
export interface JournalPut {
  readonly key: string;
  readonly value: Buffer;
}

// A longer journal is split, so that no record asks LMDB for many pages in a row.
const RECORD_BYTES_MAX = 32_768;

const writer = new WireWriter();

/** Encodes changes as journal records with the numbers from `firstNo` on; at least one. */
export function encodeJournal(
  firstNo: number,
  changes: readonly IndexChange[],
  counters: Counters,
): JournalPut[] {
  const records: JournalPut[] = [];
  let index = 0;
  do {
    writer.reset(ENVELOPE_BYTES);
    writer.number(1, counters.commitNo);
    while (index < changes.length && writer.position < RECORD_BYTES_MAX) {
      writeChange(changes[index]);
      index++;
    }
    writer.number(3, counters.nextSessionNo);
    writer.number(4, counters.nextLogNo);
    writer.number(5, counters.nextMessageNo);
    const key = u64(firstNo + records.length);
    writeEnvelope(key, writer.buffer, writer.position);
    records.push({ key, value: Buffer.from(writer.buffer.subarray(0, writer.position)) });
  } while (index < changes.length);
  return records;
}

function writeChange(change: IndexChange | undefined): void {
  if (change === undefined) return;
  const { key, value } = change;
  let length = 1 + varintLength(key.length) + key.length;
  if (value !== null) length += 1 + varintLength(value.length) + value.length;
  writer.varint(18);
  writer.varint(length);
  writer.varint(10);
  writer.varint(key.length);
  writer.latin1(key);
  if (value !== null) {
    writer.varint(18);
    writer.varint(value.length);
    writer.raw(value);
  }
}

function readChange(bytes: Uint8Array): IndexChange {
  const reader = new WireReader(bytes);
  let key = "";
  let value: Uint8Array | null = null;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) {
      key = Buffer.from(reader.bytes()).toString("latin1");
    } else if (tag === 18) {
      value = reader.bytes();
    } else {
      reader.unknown(tag);
    }
  }
  if (key === "") throw new Error("A change of the journal has no key.");
  return { key, value };
}

/** Decodes the payload of a journal record. */
export function decodeJournal(payload: Uint8Array): JournalEntry {
  const reader = new WireReader(payload);
  const changes: IndexChange[] = [];
  const numbers = [0, 0, 0, 0, 0, 0];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 18) {
      changes.push(readChange(reader.bytes()));
    } else if (tag === 8 || tag === 24 || tag === 32 || tag === 40) {
      numbers[tag >>> 3] = reader.varint();
    } else {
      reader.unknown(tag);
    }
  }
  return {
    changes,
    commitNo: numbers[1] ?? 0,
    nextSessionNo: numbers[3] ?? 0,
    nextLogNo: numbers[4] ?? 0,
    nextMessageNo: numbers[5] ?? 0,
  };
}

// Range of the existing journal records: from the oldest that is still needed to the newest.

const REMOVALS_MAX = 1_024;
// A store that changes few keys over and over has little to flush, yet every change has a record.
const RECORDS_MAX = 4_096;
// A start reads and replays all of them.
const KEPT_BYTES_MAX = 16_777_216;

/** The numbers of the journal records. */
export class JournalRange {
  #first: number;
  #nextNo: number;
  #committedNo: number;
  /** The sizes of the records written since the start. */
  readonly #sizes = new Map<number, number>();
  #keptBytes = 0;

  constructor(first: number, next: number) {
    this.#first = first;
    this.#nextNo = next;
    this.#committedNo = next - 1;
  }

  /** The number of the next record. */
  get next(): number {
    return this.#nextNo;
  }

  /** The newest durable record. */
  get committed(): number {
    return this.#committedNo;
  }

  /** Takes numbers for new records. */
  take(records: readonly JournalPut[]): void {
    for (const { value } of records) {
      this.#sizes.set(this.#nextNo++, value.length);
      this.#keptBytes += value.length;
    }
  }

  commit(lastNo: number): void {
    this.#committedNo = lastNo;
  }

  /**
   * Takes out the records that are not needed once everything before `oldestDirty` is flushed (0:
   * once everything is). The newest durable one always stays, because it holds the counters.
   */
  takeRemovable(oldestDirty: number): number[] {
    const stop = this.#removableBefore(oldestDirty);
    const numbers: number[] = [];
    while (this.#first < stop && numbers.length < REMOVALS_MAX) {
      this.#keptBytes -= this.#sizes.get(this.#first) ?? 0;
      this.#sizes.delete(this.#first);
      numbers.push(this.#first++);
    }
    return numbers;
  }

  /** So much is kept that its keys must be flushed, however few these are. */
  get isLong(): boolean {
    return this.#committedNo - this.#first >= RECORDS_MAX || this.#keptBytes > KEPT_BYTES_MAX;
  }

  /**
   * The oldest record that is needed, or is kept only because no more could be removed at once. 0
   * when there is none but the newest.
   */
  oldestKept(oldestDirty: number): number {
    return this.#first < this.#removableBefore(oldestDirty) ? this.#first : oldestDirty;
  }

  #removableBefore(oldestDirty: number): number {
    return oldestDirty === 0 ? this.#committedNo : Math.min(oldestDirty, this.#committedNo);
  }
}
