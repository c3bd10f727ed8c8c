// A transaction on its way: a group, a chunk of the memtable, or both.

import { failpoint } from "../../kit/failpoint.ts";
import type { Environment } from "./environment.ts";
import type { Group, Report } from "./group.ts";
import type { JournalPut } from "./journal.ts";
import { u64 } from "./keys.ts";
import type { FlushChunk } from "./memtable.ts";

/** The writes of one transaction. */
export interface Flight<R extends Report = Report> {
  readonly group: Group<R> | undefined;
  /** The journal records of the group. */
  readonly journal: readonly JournalPut[];
  readonly firstJournalNo: number;
  /** Values that move from the memtable into the index. */
  readonly chunk: FlushChunk;
  /** Journal records that are no longer needed after that. */
  readonly journalRemovals: readonly number[];
}

/**
 * Writes a flight. Runs inside the batch of LMDB: synchronous, and nothing here can fail but LMDB
 * itself. Gives the bytes that may go to the disk.
 */
export function writeFlight(env: Environment, flight: Flight): number {
  const { group } = flight;
  if (group !== undefined) writeGroup(env, group);
  let bytes = group?.bytes ?? 0;
  for (const { key, value } of flight.journal) {
    env.journal.put(key, value);
    bytes += value.length;
  }
  writeChunk(env, flight);
  // A change of the index rewrites a page at worst.
  return bytes + flight.chunk.length * 4_096;
}

function writeGroup(env: Environment, group: Group<Report>): void {
  for (const { key, value } of group.messagePuts) {
    env.message.put(key, value as Buffer);
  }
  if (group.trimmed) failpoint("mid-trim");
  for (const { key, value } of group.eventPuts) {
    env.event.put(key, value as Buffer);
  }
  for (const messageNo of group.erased) {
    env.message.remove(u64(messageNo));
  }
  if (group.purging) failpoint("mid-purge");
  if (group.copying) failpoint("mid-copy");
  for (const key of group.indexRemovals) {
    env.index.remove(key);
  }
  for (const key of group.eventRemovals) {
    env.event.remove(key);
  }
}

function writeChunk(env: Environment, flight: Flight): void {
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
