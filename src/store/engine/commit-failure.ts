// Failed commits of LMDB: their causes by name, and a fault of lmdb 3.5 that they meet.

import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { getSystemErrorMessage, getSystemErrorName } from "node:util";

const CAUSE_MS = 1_000;

/** A commit that failed. LMDB must not be asked again. */
export class CommitFailedError extends Error {
  override readonly name = "CommitFailedError";
  /** The name of the system's error, such as EIO; of an error of LMDB itself its number. */
  readonly code: string;

  constructor(code: number, cause: Error) {
    const name = code > 0 ? getSystemErrorName(-code) : String(code);
    super(`A commit failed: ${name}, ${cause.message}`);
    this.code = name;
  }

  /** For an error of Node's own writes. */
  static of(error: NodeJS.ErrnoException): Error {
    const { errno } = error;
    if (errno === undefined) return error;
    return new CommitFailedError(-errno, new Error(getSystemErrorMessage(errno)));
  }
}

interface LmdbError {
  readonly code?: number;
  /** Rejects with the cause. LMDB tells that a commit has failed before it tells why. */
  readonly commitError?: Promise<never>;
}

/** Whether LMDB threw an error because a commit failed. */
export function isCommitFailure(error: unknown): error is Error & LmdbError {
  const { code, commitError } = Object(error) as LmdbError;
  return commitError !== undefined || typeof code === "number";
}

/** Gives a CommitFailedError for an error of a failed commit, and any other error as it is. */
export async function commitFailure(error: unknown): Promise<unknown> {
  if (!isCommitFailure(error)) return error;
  const cause = error.commitError === undefined ? error : await causeOf(error.commitError);
  return isCommitFailure(cause) ? new CommitFailedError(cause.code ?? 0, cause) : error;
}

async function causeOf(commitError: Promise<never>): Promise<unknown> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, CAUSE_MS);
  try {
    return await Promise.race([commitError, late]);
  } catch (cause) {
    return cause;
  } finally {
    clearTimeout(timer);
  }
}

// Two texts that lmdb copies into buffers that are too small for them, with the length at which
// they are cut off. The process aborts soon after such a copy. Linux lets a process change the
// texts in its memory: see ADR 50.
const TEXTS = new Map([
  // mdb_page_flush prints it with up to 123 bytes into 100 when a write fails.
  ["Attempting to write page at position %u, size %u, blocks %u, buffer sizes %i %i %i", 59],
  // mdb_txn_renew adds it to a buffer of 300 for each read after the write of a meta page failed.
  ["MDB_PANIC: Update of meta page failed or environment had fatal error", 0],
]);

/** Cuts off texts of lmdb that overflow when a commit fails, where the system allows it. */
export function shortenReports(): void {
  let memory: number | undefined;
  try {
    memory = openSync("/proc/self/mem", "r+");
    for (const [text, kept] of TEXTS) {
      for (const address of addressesOf(text)) {
        const found = Buffer.alloc(text.length);
        readSync(memory, found, 0, found.length, address);
        if (found.toString("latin1") === text) writeSync(memory, "\0", address + kept);
      }
    }
  } catch {
    // Not Linux, or a container that forbids it: a failed commit may end in an abort.
  } finally {
    if (memory !== undefined) closeSync(memory);
  }
}

/** The addresses of a text in the library of lmdb, wherever it is mapped. */
function addressesOf(text: string): number[] {
  const mappings = [
    ...readFileSync("/proc/self/maps", "latin1").matchAll(
      /^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+ +(\S*lmdb\S*\.node)$/gm,
    ),
  ];
  const path = mappings[0]?.[4];
  const place = path === undefined ? -1 : readFileSync(path).indexOf(text);
  return mappings.flatMap(([, from = "", to = "", offset = ""]) => {
    const start = Number.parseInt(from, 16);
    const address = start + place - Number.parseInt(offset, 16);
    return place >= 0 && address >= start && address < Number.parseInt(to, 16) ? [address] : [];
  });
}
