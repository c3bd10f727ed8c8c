// Memories: reading them by number and by what they say. The rows of a namespace stand under a log
// number of its own, which it keeps; the bodies stand among the messages.

import { recordCorrupt } from "../../domain/errors.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import { decodeNumber } from "./codec.ts";
import { type Core, decodeRecord, rangeIndex, readIndex } from "./core.ts";
import {
  decodeMemories,
  decodeMemory,
  decodeScope,
  type MemoriesRow,
  type MemoryRow,
  memoryOf,
  type ScopeRow,
} from "./memory-codec.ts";
import {
  lastNumber,
  memoriesKey,
  memoryIdKey,
  memoryKey,
  memoryPastKey,
  memoryPastPrefix,
  memoryScopeKey,
  memoryTermPrefix,
  numbersUnder,
} from "./memory-keys.ts";
import type { Visibility } from "./memtable.ts";
import { readMessage } from "./messages.ts";

/** A state of the store, and whose memories are read in it. */
export interface MemoryLog {
  readonly core: Core;
  readonly visibility: Visibility;
  readonly logNo: number;
}

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
  return readIndex(core, memoriesKey(namespace), visibility, decodeMemories);
}

/** Where the memories of a namespace stand; undefined while it never held one. */
export function memoryLog(
  core: Core,
  namespace: string,
  visibility: Visibility,
): MemoryLog | undefined {
  const row = readMemories(core, namespace, visibility);
  return row && { core, visibility, logNo: row.logNo };
}

/** Where they stand, for a read of what is durable. */
export function committedLog(core: Core, namespace: string): MemoryLog | undefined {
  return memoryLog(core, namespace, "committed");
}

/** The row of a scope; undefined when nothing was ever in it. */
export function readScope(log: MemoryLog, scope: string): ScopeRow | undefined {
  const key = memoryScopeKey(log.logNo, scope);
  return readIndex(log.core, key, log.visibility, decodeScope);
}

/** The row of a memory; undefined when there is none. */
export function readMemoryRow(log: MemoryLog, memoryNo: number): MemoryRow | undefined {
  return Number.isSafeInteger(memoryNo) && memoryNo > 0
    ? readIndex(log.core, memoryKey(log.logNo, memoryNo), log.visibility, decodeMemory)
    : undefined;
}

/** The number of a memory by its id; undefined when there is none. */
export function memoryNoOf(log: MemoryLog, memoryId: string): number | undefined {
  const key = memoryIdKey(log.logNo, memoryId);
  return readIndex(log.core, key, log.visibility, decodeNumber);
}

/** The memory of a row. Throws RECORD_CORRUPT when its body is missing or another one. */
export function bodyOf(log: MemoryLog, memoryNo: number, row: MemoryRow): Memory {
  const payload = readMessage(log.core, row.bodyNo, log.visibility);
  return decodeRecord(`memory ${memoryNo}`, payload, () => memoryOf(memoryNo, row, payload));
}

/** A memory that a list names. Throws RECORD_CORRUPT when it is missing. */
export function needMemory(log: MemoryLog, memoryNo: number): FoundMemory {
  const row = readMemoryRow(log, memoryNo);
  if (row === undefined) {
    throw recordCorrupt(`memory ${memoryNo} of log ${log.logNo} is listed but missing`);
  }
  return { row, memory: bodyOf(log, memoryNo, row) };
}

/** Finds a memory by its id; undefined when there is none. */
export function findMemory(log: MemoryLog, memoryId: string): FoundMemory | undefined {
  const memoryNo = memoryNoOf(log, memoryId);
  if (memoryNo === undefined) {
    return undefined;
  }
  const found = needMemory(log, memoryNo);
  if (found.memory.memoryId !== memoryId) {
    throw recordCorrupt(`a memory id of log ${log.logNo} leads to another memory`);
  }
  return found;
}

/** Numbers under a prefix, in order, at most `limit`. */
export function numbersOf(
  log: MemoryLog,
  prefix: string,
  list: { readonly limit: number; readonly reverse?: boolean; readonly after?: number },
): readonly number[] {
  const { after = -1, limit, reverse = false } = list;
  const numbers: number[] = [];
  if (limit <= 0) {
    return numbers;
  }
  const range = { ...numbersUnder(prefix, { after }), reverse, page: Math.min(limit + 3, 256) };
  for (const { key } of rangeIndex(log.core, log.visibility, range)) {
    numbers.push(lastNumber(key));
    if (numbers.length >= limit) {
      break;
    }
  }
  return numbers;
}

/** The numbers of the memories of a scope with a term. */
export function numbersWith(
  log: MemoryLog,
  of: { readonly scope: string; readonly term: string },
  list: Parameters<typeof numbersOf>[2],
): readonly number[] {
  return numbersOf(log, memoryTermPrefix(log.logNo, of.scope, of.term), list);
}

/** The former states of a memory below a revision number, the newest first. */
export function* formerRows(log: MemoryLog, memoryNo: number, below: number): Generator<MemoryRow> {
  const prefix = memoryPastPrefix(log.logNo, memoryNo);
  const range = {
    start: memoryPastKey(log.logNo, memoryNo, 0),
    end: numbersUnder(prefix, { below }).end,
    reverse: true,
    page: 16,
  };
  for (const { payload } of rangeIndex(log.core, log.visibility, range)) {
    yield decodeRecord("memory", payload, decodeMemory);
  }
}
