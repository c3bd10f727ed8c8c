// The redo log: a file of fixed size beside the data file, in which groups become durable with one
// flush. LMDB flushes twice for a commit, and rewrites about ten pages; so a group goes to the log
// first, and a later transaction of LMDB carries out all that are there. After it the log begins
// anew at its first record. A start carries out what the data file lacks. See ADR 67.
//
// The first block names the history of the store, and the run with a secret number. A record starts
// at a block, and names the run and the numbers of its journal records. These rise from record to
// record, and each begins where the one before ended. So neither what an earlier round left behind
// the newest record passes for what comes next, nor bytes of a message that look like a record.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  write,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { recordCorrupt } from "../../kit/errors.ts";
import { CommitFailedError } from "./commit-failure.ts";
import { type Environment, syncPath } from "./environment.ts";
import { carryOut, decodeWrites, noteFreePages, transactionBytes } from "./flight.ts";
import { readU64, u64 } from "./keys.ts";

/** The name of the file in the directory. */
export const REDO_FILE = "redo.log";

const LOG_BYTES = 1_048_576;
// Records begin at multiples of it: nobody looks for them elsewhere.
const BLOCK_BYTES = 512;

// The first block: a mark, the checksum of what follows, the id of the history, and the run.
const LOG_MARK = 0x474f4c52;
// The head of a record: a mark, the checksum of everything after it, the run, the bytes of the
// writes, and the numbers of the first and the last journal record.
const MARK = 0x4f444552;
const AT = { sum: 4, historyId: 8, runOfLog: 16, run: 8, bytes: 16, first: 20, last: 28 } as const;
const LOG_HEAD_BYTES = 24;
const HEAD_BYTES = 36;
const ID_BYTES = 8;

const flush = promisify(fdatasync);

/** A range of journal records. */
export interface JournalNumbers {
  readonly first: number;
  readonly last: number;
}

interface RedoRecord extends JournalNumbers {
  /** The bytes of its writes. */
  readonly writes: Buffer;
  /** Place after it in the file. */
  readonly end: number;
}

/** The log of a store that is open. */
export class RedoLog {
  readonly #file: number;
  readonly #run = randomBytes(ID_BYTES);
  #end = BLOCK_BYTES;
  /** Bytes behind the end that may still hold records. */
  #highest = LOG_BYTES;
  #last: Promise<void> = Promise.resolve();

  /**
   * Opens the log of a directory for a run of its store, and makes it if need be. The data file
   * holds whatever it held. Undefined, and without a file, when it has no room on a full disk.
   */
  static open(directory: string, historyId: string, isFull: boolean): RedoLog | undefined {
    const path = join(directory, REDO_FILE);
    const isMade = statSync(path, { throwIfNoEntry: false })?.size === LOG_BYTES;
    if (isMade || !isFull) {
      try {
        return new RedoLog(directory, historyId);
      } catch (error) {
        const failure = error as NodeJS.ErrnoException;
        if (failure.code !== "ENOSPC") throw CommitFailedError.of(failure);
      }
    }
    rmSync(path, { force: true });
    return undefined;
  }

  private constructor(directory: string, historyId: string) {
    const { O_CREAT, O_DSYNC, O_RDWR } = constants;
    this.#file = openSync(join(directory, REDO_FILE), O_RDWR | O_CREAT | O_DSYNC, 0o600);
    try {
      // A write to room that the file has changes nothing else of the filesystem.
      for (let { size } = this.stats; size < LOG_BYTES; ) {
        size += writeSync(this.#file, Buffer.alloc(LOG_BYTES - size), 0, null, size);
      }
      syncPath(directory);
      if (!mayHoldRecords(readRedoLog(directory))) this.#highest = this.#end;
      writeSync(this.#file, logHead(historyId, this.#run), 0, BLOCK_BYTES, 0);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** The file that is open. */
  get stats(): Stats {
    return fstatSync(this.#file);
  }

  /** Makes writes durable; undefined when there is no room for them. */
  append(writes: readonly Buffer[], { first, last }: JournalNumbers): Promise<void> | undefined {
    const head = Buffer.alloc(HEAD_BYTES);
    const bytes = writes.reduce((sum, part) => sum + part.length, 0);
    const recordBytes = wholeBlocks(HEAD_BYTES + bytes);
    if (this.#end + recordBytes > LOG_BYTES) return undefined;
    head.writeUInt32LE(MARK);
    this.#run.copy(head, AT.run);
    head.writeUInt32LE(bytes, AT.bytes);
    head.writeBigUInt64LE(BigInt(first), AT.first);
    head.writeBigUInt64LE(BigInt(last), AT.last);
    const record = Buffer.concat([head, ...writes], recordBytes);
    record.writeUInt32LE(crc32(record.subarray(AT.run, HEAD_BYTES + bytes)), AT.sum);
    const at = this.#end;
    this.#end += record.length;
    this.#highest = Math.max(this.#highest, this.#end);
    return this.#next(() => this.#write(record, at));
  }

  /** The data file holds everything that the log holds: the next record comes first. */
  restart(): void {
    this.#end = BLOCK_BYTES;
  }

  /** Overwrites what earlier rounds have left, so that it holds nothing that was erased. */
  wipe(): Promise<void> {
    return this.#next(async () => {
      const at = this.#end;
      const left = Buffer.alloc(this.#highest - at);
      this.#highest = at;
      await this.#write(left, at);
    });
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#next(async () => closeSync(this.#file));
  }

  /** One write after the other: none goes over another one. */
  #next(run: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(run);
    return this.#last;
  }

  async #write(bytes: Buffer, at: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await writeAt(this.#file, bytes.subarray(done), at + done);
      done += bytesWritten;
    }
    // Elsewhere the flag of the file may stop short of the disk.
    if (process.platform !== "linux") await flush(this.#file);
  }
}

function writeAt(file: number, bytes: Buffer, at: number): Promise<{ bytesWritten: number }> {
  return new Promise((resolve, reject) => {
    write(file, bytes, 0, bytes.length, at, (error, bytesWritten) => {
      if (error === null) resolve({ bytesWritten });
      else reject(CommitFailedError.of(error));
    });
  });
}

function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function logHead(historyId: string, run: Buffer): Buffer {
  const head = Buffer.alloc(BLOCK_BYTES);
  head.writeUInt32LE(LOG_MARK);
  head.write(historyId, AT.historyId, "hex");
  run.copy(head, AT.runOfLog);
  head.writeUInt32LE(crc32(head.subarray(AT.historyId, LOG_HEAD_BYTES)), AT.sum);
  return head;
}

/** The history and the run of a log; undefined when its first block is damaged or not written. */
function readHead(file: Buffer): { readonly historyId: string; readonly run: Buffer } | undefined {
  if (file.length < BLOCK_BYTES || file.readUInt32LE(0) !== LOG_MARK) return undefined;
  const sum = crc32(file.subarray(AT.historyId, LOG_HEAD_BYTES));
  if (sum !== file.readUInt32LE(AT.sum)) return undefined;
  const historyId = file.toString("hex", AT.historyId, AT.historyId + ID_BYTES);
  return { historyId, run: file.subarray(AT.runOfLog, AT.runOfLog + ID_BYTES) };
}

/** The record at a place; undefined when there is none, it is damaged, or it is of another run. */
function recordAt(file: Buffer, at: number, run: Buffer | undefined): RedoRecord | undefined {
  if (at + HEAD_BYTES > file.length || file.readUInt32LE(at) !== MARK) return undefined;
  const head = file.subarray(at, at + HEAD_BYTES);
  if (run?.equals(head.subarray(AT.run, AT.run + ID_BYTES)) === false) return undefined;
  const bytes = HEAD_BYTES + head.readUInt32LE(AT.bytes);
  if (at + bytes > file.length) return undefined;
  if (crc32(file.subarray(at + AT.run, at + bytes)) !== head.readUInt32LE(AT.sum)) return undefined;
  return {
    first: Number(head.readBigUInt64LE(AT.first)),
    last: Number(head.readBigUInt64LE(AT.last)),
    writes: file.subarray(at + HEAD_BYTES, at + bytes),
    end: at + wholeBlocks(bytes),
  };
}

/**
 * The records to carry out in a data file: those that it lacks, oldest first, and those of the log
 * before them. Throws RECORD_CORRUPT when one of them is damaged, and an Error when the log is of
 * another history, or does not join onto the data file.
 *
 * @param historyId - That of the data file; undefined for a new one.
 */
export function recordsToRedo(
  file: Buffer,
  env: Environment,
  historyId: string | undefined,
): readonly RedoRecord[] {
  const head = readHead(file);
  const stored = newestJournalNo(env);
  const records: RedoRecord[] = [];
  let next: number | undefined;
  let at = BLOCK_BYTES;
  for (;;) {
    const record = head && recordAt(file, at, head.run);
    if (record === undefined || (next !== undefined && record.first !== next)) break;
    records.push(record);
    next = record.last + 1;
    at = record.end;
  }
  // A broken last record was not acknowledged: nothing newer can lie behind it.
  for (; at < file.length; at += BLOCK_BYTES) {
    const record = recordAt(file, at, head?.run);
    if (record !== undefined && record.first > Math.max(stored, (next ?? 0) - 1)) {
      throw recordCorrupt(`in ${REDO_FILE}, before the change ${record.first}`);
    }
  }
  const [oldest] = records;
  if (oldest === undefined || next === undefined) return [];
  const isOther = head?.historyId !== historyId;
  if (isOther || oldest.first > stored + 1) {
    const state = isOther ? "is of another store" : `begins with the change ${oldest.first}`;
    throw new Error(
      `${REDO_FILE} ${state}, and the data file beside it ends with ${stored}. Put ` +
        `the data file that it belongs to in place. If the data file is a back-up, remove ` +
        `${REDO_FILE} to go on with it.`,
    );
  }
  // A data file that holds some of them is a copy. Carrying these out again changes nothing.
  return next > stored + 1 ? records : [];
}

/** Whether a log may hold records: a store that was closed leaves none. */
export function mayHoldRecords(file: Buffer): boolean {
  const rest = file.subarray(BLOCK_BYTES);
  return !rest.equals(Buffer.alloc(rest.length));
}

/** Reads the log of a directory; an empty one if there is none. */
export function readRedoLog(directory: string): Buffer {
  try {
    return readFileSync(join(directory, REDO_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

// Above every 8-byte number that is used.
const END = "\xff".repeat(9);

function newestJournalNo(env: Environment): number {
  const [newest] = [...env.journal.getKeys({ start: END, end: u64(0), reverse: true, limit: 1 })];
  return newest === undefined ? 0 : readU64(newest, 0);
}

/**
 * Carries out in a data file what only the log holds, in one transaction.
 *
 * @param makeRoom - Is told before it how many bytes it takes at most.
 */
export async function redo(
  file: Buffer,
  env: Environment,
  historyId: string | undefined,
  makeRoom?: (bytes: number) => void,
): Promise<void> {
  const records = recordsToRedo(file, env, historyId);
  if (records.length === 0) return;
  const writes = records.flatMap((record) => decodeWrites(record.writes).writes);
  const bytes = records.reduce((sum, record) => sum + record.writes.length, 0);
  makeRoom?.(transactionBytes([{ bytes, operations: writes.length }]));
  await noteFreePages(env);
  await carryOut(env, writes);
}
