// Memories: reading them by number and by what they say. The rows of a namespace stand under a log
// number of its own, which it keeps; the bodies stand among the messages.

import { recordCorrupt } from "../../kit/errors.ts";
import type { Memory } from "../../memory/rules/memory.ts";
import { afterPrefix, lastNumber, numbersUnder, readU64 } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { decodeRecord, rangeIndex, takeRows } from "../engine/reads.ts";
import { ONE_NUMBER } from "../engine/table.ts";
import type { Core, LogAt } from "./core.ts";
import {
  MEMORIES,
  MEMORY,
  MEMORY_GONE,
  MEMORY_ID,
  MEMORY_PAST,
  MEMORY_SCOPE,
  MEMORY_TERM,
  type MemoriesRow,
  type MemoryRow,
  memoryOf,
  type ScopeRow,
} from "./memory-tables.ts";
import { readMessage } from "./messages.ts";

/** A memory with its row. */
export interface FoundMemory {
  readonly row: MemoryRow;
  readonly memory: Memory;
}

/** The row of a namespace; undefined while it never held a memory. */
export function readMemories(
  core: Core,
  namespace: string,
  visibility: Visibility,
): MemoriesRow | undefined {
  return MEMORIES.get(core, MEMORIES.key(namespace), visibility);
}

/** Location of the memories of a namespace; undefined if it never held one. */
export function memoryLog(
  core: Core,
  namespace: string,
  visibility: Visibility,
): LogAt | undefined {
  const row = readMemories(core, namespace, visibility);
  return row && { core, visibility, logNo: row.logNo };
}

/** Location of the memories, for a read of durable state. */
export function committedLog(core: Core, namespace: string): LogAt | undefined {
  return memoryLog(core, namespace, "committed");
}

/** The row of a scope; undefined when nothing was ever in it. */
export function readScope(log: LogAt, scope: string): ScopeRow | undefined {
  const key = MEMORY_SCOPE.key(log.logNo, scope);
  return MEMORY_SCOPE.get(log.core, key, log.visibility);
}

/** The row of a memory; undefined when there is none. */
export function readMemoryRow(log: LogAt, memoryNo: number): MemoryRow | undefined {
  return Number.isSafeInteger(memoryNo) && memoryNo > 0
    ? MEMORY.get(log.core, MEMORY.key(log.logNo, memoryNo), log.visibility)
    : undefined;
}

/** The number of a memory by its id; undefined when there is none. */
export function memoryNoOf(log: LogAt, memoryId: string): number | undefined {
  const key = MEMORY_ID.key(log.logNo, memoryId);
  return MEMORY_ID.get(log.core, key, log.visibility);
}

/** The memory of a row. Throws RECORD_CORRUPT when its body is missing or another one. */
export function bodyOf(log: LogAt, memoryNo: number, row: MemoryRow): Memory {
  const payload = readMessage(log.core, row.bodyNo, log.visibility);
  return decodeRecord(`memory ${memoryNo}`, payload, () => memoryOf(memoryNo, row, payload));
}

/** A memory that a list names. Throws RECORD_CORRUPT when it is missing. */
export function needMemory(log: LogAt, memoryNo: number): FoundMemory {
  const row = readMemoryRow(log, memoryNo);
  if (row === undefined) {
    throw recordCorrupt(`memory ${memoryNo} of log ${log.logNo} is listed but missing`);
  }
  return { row, memory: bodyOf(log, memoryNo, row) };
}

/** Finds a memory by its id; undefined when there is none. */
export function findMemory(log: LogAt, memoryId: string): FoundMemory | undefined {
  const memoryNo = memoryNoOf(log, memoryId);
  if (memoryNo === undefined) return undefined;
  const found = needMemory(log, memoryNo);
  if (found.memory.memoryId !== memoryId) {
    throw recordCorrupt(`a memory id of log ${log.logNo} leads to another memory`);
  }
  return found;
}

/** Numbers under a prefix, in order, at most `limit`. */
export function numbersOf(
  log: LogAt,
  prefix: string,
  list: { readonly limit: number; readonly reverse?: boolean; readonly after?: number },
): readonly number[] {
  const { after = -1, limit, reverse = false } = list;
  const range = { ...numbersUnder(prefix, { after }), reverse };
  const rows = takeRows(log.core, log.visibility, range, limit);
  return rows.map(({ key }) => lastNumber(key));
}

/** The numbers of the memories of a scope with a term. */
export function numbersWith(
  log: LogAt,
  of: { readonly scope: string; readonly term: string },
  list: Parameters<typeof numbersOf>[2],
): readonly number[] {
  return numbersOf(log, MEMORY_TERM.prefix(log.logNo, of.scope, of.term), list);
}

/** The former states of a memory below a revision number, the newest first. */
export function* formerRows(log: LogAt, memoryNo: number, below: number): Generator<MemoryRow> {
  const prefix = MEMORY_PAST.prefix(log.logNo, memoryNo);
  const range = {
    start: MEMORY_PAST.key(log.logNo, memoryNo, 0),
    end: numbersUnder(prefix, { below }).end,
    reverse: true,
    page: 16,
  };
  for (const { payload } of rangeIndex(log.core, log.visibility, range)) {
    yield MEMORY.of(payload);
  }
}

// Former states of memories that are gone. A plan may remove a thousand memories with a thousand
// states each; what is more than one transaction should take is left to upkeep. Nothing leads to a
// state but its memory, and no number is given twice, so nobody sees what waits.

/** Number of former states that one change erases; upkeep erases the rest. */
export const ERASED_AT_ONCE = 1_024;

const STEP = 256;

/** Leaves the former states of a memory that goes to upkeep; they are dense from 1 on. */
export function eraseLater(core: Core, logNo: number, memoryNo: number, states: number): void {
  const key = MEMORY_GONE.key(logNo, memoryNo);
  core.memtable.set(key, states === 0 ? null : ONE_NUMBER.encode(key, states));
}

/** The former states of one memory that wait, and those that this step erases. */
interface Piece {
  readonly logNo: number;
  readonly memoryNo: number;
  /** Number of states left after this step. */
  readonly left: number;
  /** Rows, with the numbers of their bodies. */
  readonly rows: readonly { readonly key: string; readonly bodyNo: number | undefined }[];
}

/** Erases some of the states that wait; true when there may be more. */
export function eraseFormer(core: Core): boolean {
  const { memtable, writer } = core;
  // Read before anything is changed.
  const pieces = nextPieces(core);
  writer.whole(() => {
    for (const { left, logNo, memoryNo, rows } of pieces) {
      for (const { bodyNo, key } of rows) {
        memtable.set(key, null);
        if (bodyNo !== undefined) writer.eraseMessage(bodyNo);
      }
      eraseLater(core, logNo, memoryNo, left);
    }
  });
  if (pieces.length > 0) writer.mark("purging");
  return pieces.length > 0;
}

// The newest states first: those that are left stay dense.
function nextPieces(core: Core): readonly Piece[] {
  const range = { start: MEMORY_GONE.id, end: afterPrefix(MEMORY_GONE.id), page: 64 };
  const pieces: Piece[] = [];
  let room = STEP;
  for (const { key, payload } of rangeIndex(core, "pending", range)) {
    const states = MEMORY_GONE.of(payload);
    const left = Math.max(0, states - room);
    const place = { logNo: readU64(key, 1), memoryNo: lastNumber(key) };
    const rows: Piece["rows"][number][] = [];
    for (let no = states; no > left; no--) {
      const past = MEMORY_PAST.key(place.logNo, place.memoryNo, no);
      rows.push({ key: past, bodyNo: bodyNoOf(core, past) });
    }
    pieces.push({ ...place, left, rows });
    room -= rows.length;
    if (room <= 0) break;
  }
  return pieces;
}

// A damaged row does not stop the erasing; verify reports its body as unreferenced.
function bodyNoOf(core: Core, key: string): number | undefined {
  try {
    return MEMORY.get(core, key, "pending")?.bodyNo;
  } catch {
    return undefined;
  }
}
