// A transaction on its way: a group, a chunk of the memtable, or both.

import { type Failpoint, failpoint } from "../../kit/failpoint.ts";
import type { Environment } from "./environment.ts";
import type { Group, Put, Report } from "./group.ts";
import type { JournalPut } from "./journal.ts";
import { u64 } from "./keys.ts";
import type { FlushChunk } from "./memtable.ts";

/** A complete group, with the journal records of its index changes. */
export interface SealedGroup<R extends Report = Report> {
  readonly group: Group<R>;
  readonly journal: readonly JournalPut[];
  readonly firstJournalNo: number;
}

// With so much in the redo log, a transaction carries it out: more would hold up the group that
// comes with it.
const LOGGED_GROUPS_MAX = 64;
const LOGGED_BYTES_MAX = 262_144;
const LOGGED_OPERATIONS_MAX = 512;

/** The groups that only the redo log holds, oldest first, and what reads need of them. */
export class LoggedGroups<R extends Report> {
  #groups: SealedGroup<R>[] = [];
  readonly #messages = new Map<number, Uint8Array>();
  #events: Put[] = [];
  #bytes = 0;
  #operations = 0;

  get all(): readonly SealedGroup<R>[] {
    return this.#groups;
  }

  /** The bytes of their records. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of records that they write or remove. */
  get operations(): number {
    return this.#operations;
  }

  /** The first journal record of the oldest one; 0 when there is none. */
  get oldestJournalNo(): number {
    return this.#groups[0]?.firstJournalNo ?? 0;
  }

  hasRoomFor(sealed: SealedGroup<R>): boolean {
    return (
      this.#groups.length < LOGGED_GROUPS_MAX &&
      this.#bytes + bytesOf(sealed) <= LOGGED_BYTES_MAX &&
      this.#operations + operationsOf(sealed) <= LOGGED_OPERATIONS_MAX
    );
  }

  add(sealed: SealedGroup<R>): void {
    const { group } = sealed;
    this.#groups.push(sealed);
    this.#bytes += bytesOf(sealed);
    this.#operations += operationsOf(sealed);
    for (const [at, bytes] of group.messages.entries()) {
      this.#messages.set(group.firstMessageNo + at, bytes);
    }
    this.#events.push(...group.eventPuts);
  }

  /** The data file holds all of them. */
  clear(): void {
    this.#groups = [];
    this.#bytes = 0;
    this.#operations = 0;
    this.#messages.clear();
    this.#events = [];
  }

  /** The wire form of a message of theirs. */
  message(messageNo: number): Uint8Array | undefined {
    return this.#messages.get(messageNo);
  }

  /** Their events with keys from `start` on and below `end`, by rising key. */
  events(start: string, end: string): readonly Put[] {
    return this.#events.filter(({ key }) => key >= start && key < end);
  }
}

/** The writes of one transaction of LMDB. */
export interface Flight {
  /** The groups of the redo log, which are durable already, and at most one that is not. */
  readonly groups: readonly SealedGroup[];
  /** Values that move from the memtable into the index. */
  readonly chunk: FlushChunk;
  /** Journal records that are no longer needed after that. */
  readonly journalRemovals: readonly number[];
}

// Room for a transaction beyond its records: their index changes, and the pages that are copied.
const COMMIT_BYTES = 2_097_152;
const PAGE_BYTES = 4_096;

/** The most that a transaction of some groups takes, without a chunk. */
export function transactionBytes(
  groups: readonly { readonly bytes: number; readonly operations: number }[],
): number {
  return groups.reduce(
    (sum, { bytes, operations }) => sum + 2 * bytes + PAGE_BYTES * operations,
    COMMIT_BYTES,
  );
}

/**
 * Writes a flight. Runs inside the batch of LMDB: synchronous, and nothing here can fail but LMDB
 * itself. Gives the bytes that may go to the disk.
 */
export function writeFlight(env: Tables, flight: Flight): number {
  let bytes = 0;
  for (const sealed of flight.groups) {
    writeGroup(env, sealed, failpoint);
    bytes += bytesOf(sealed);
  }
  writeChunk(env, flight);
  // A change of the index rewrites a page at worst.
  return flight.chunk.reduce((sum, { value }) => sum + PAGE_BYTES + (value?.length ?? 0), bytes);
}

/** The bytes of the records of a group. */
function bytesOf({ group, journal }: SealedGroup): number {
  return journal.reduce((sum, { value }) => sum + value.length, group.bytes);
}

function operationsOf({ group, journal }: SealedGroup): number {
  return group.operations + journal.length;
}

/** Writes the records of a group. `pass` is told the places where a test kills the process. */
export function writeGroup(
  env: Tables,
  { group, journal }: SealedGroup,
  pass?: (place: Failpoint) => void,
): void {
  for (const { key, value } of group.messagePuts) {
    env.message.put(key, value as Buffer);
  }
  if (group.trimmed) pass?.("mid-trim");
  for (const { key, value } of group.eventPuts) {
    env.event.put(key, value as Buffer);
  }
  for (const messageNo of group.erased) {
    env.message.remove(u64(messageNo));
  }
  if (group.purging) pass?.("mid-purge");
  if (group.copying) pass?.("mid-copy");
  for (const key of group.indexRemovals) {
    env.index.remove(key);
  }
  for (const key of group.eventRemovals) {
    env.event.remove(key);
  }
  for (const { key, value } of journal) {
    env.journal.put(key, value);
  }
}

function writeChunk(env: Tables, flight: Flight): void {
  let half = flight.chunk.length >>> 1;
  for (const { slot, value } of flight.chunk) {
    if (value === null) {
      env.index.remove(slot.key);
    } else {
      env.index.put(slot.key, value as Buffer);
    }
    if (half-- === 0) failpoint("mid-flush");
  }
  for (const journalNo of flight.journalRemovals) {
    env.journal.remove(u64(journalNo));
  }
}

// Writes as bytes, for the redo log and for the notes of an exchange. Each is its table, whether it
// puts, the lengths of its key and its value, and both. Every transaction only puts and removes
// records, so one that a file has already may be carried out again: after the last one the file
// holds what the store holds.

const TABLES = ["message", "event", "journal", "index"] as const;
const HEAD_BYTES = 8;

/** The tables that are written. */
export type Tables = {
  readonly [T in (typeof TABLES)[number]]: Pick<Environment[T], "put" | "remove">;
};

/** A record that is put, or removed without a value. */
export type Write = readonly [
  table: (typeof TABLES)[number],
  key: string,
  value: Buffer | undefined,
];

/** The writes of a function as bytes. */
export function encodeWrites(write: (env: Tables) => void): Buffer[] {
  const parts: Buffer[] = [];
  const [message, event, journal, index] = TABLES.map((_, table) => ({
    put: (key: string, value: Buffer) => parts.push(...encoded(table, key, value)),
    remove: (key: string) => parts.push(...encoded(table, key, undefined)),
  }));
  write({ message, event, journal, index } as unknown as Tables);
  return parts;
}

function encoded(table: number, key: string, value: Buffer | undefined): Buffer[] {
  const head = Buffer.allocUnsafe(HEAD_BYTES + key.length);
  head[0] = table;
  head[1] = value === undefined ? 0 : 1;
  head.writeUInt16LE(key.length, 2);
  head.writeUInt32LE(value?.length ?? 0, 4);
  head.write(key, HEAD_BYTES, "latin1");
  return value === undefined ? [head] : [head, value];
}

/** Reads the whole writes in some bytes, and their end. */
export function decodeWrites(bytes: Buffer): { readonly writes: Write[]; readonly end: number } {
  const writes: Write[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const keyStart = at + HEAD_BYTES;
    const valueStart = keyStart + bytes.readUInt16LE(at + 2);
    const end = valueStart + bytes.readUInt32LE(at + 4);
    if (end > bytes.length) break;
    const table = TABLES[bytes[at] ?? 0] ?? "index";
    const value = bytes[at + 1] === 1 ? bytes.subarray(valueStart, end) : undefined;
    writes.push([table, bytes.toString("latin1", keyStart, valueStart), value]);
    at = end;
  }
  return { writes, end: at };
}

/** Carries out writes in one transaction. */
export async function carryOut(env: Environment, writes: readonly Write[]): Promise<void> {
  await env.root.batch(() => {
    for (const [table, key, value] of writes) {
      if (value === undefined) env[table].remove(key);
      else env[table].put(key, value);
    }
  });
}

/**
 * Makes a file ready for its first transaction. LMDB crashes when that frees so many pages, in a
 * file without free ones, that their list needs a page of its own. A small one before has the list
 * begin.
 */
export async function noteFreePages({ root, meta }: Environment): Promise<void> {
  const [row] = [...meta.getRange({ start: "\0", limit: 1 })];
  if (row === undefined) return;
  await root.batch(() => {
    meta.put(row.key, row.value);
  });
}
