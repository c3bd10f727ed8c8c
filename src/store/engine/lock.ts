// One process owns a directory. The lock is an exclusive lock that SQLite holds on the file
// `owner.lock` (an fcntl lock of the kernel): Node has no call for one itself. The kernel grants it
// to one process only, also between containers that share a volume, and frees it when the process
// ends in whatever way. The process id in `owner.json` only serves the message for the second one.
//
// Somebody may remove the file while its owner runs. Whoever then makes it anew asks LMDB, too, who
// has the store open.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { otherReaders } from "./environment.ts";

/** The name of the file that is locked. */
export const LOCK_FILE = "owner.lock";

/** The name of the file that tells who holds the lock. */
export const OWNER_FILE = "owner.json";

const SQLITE_BUSY = 5;

/** The directory belongs to another process; main exits with code 73. */
export class StoreInUseError extends Error {
  override readonly name = "StoreInUseError";
  /** The owner, when it could be read. */
  readonly pid: number | undefined;

  constructor(directory: string, pid: number | undefined) {
    const owner = pid === undefined ? "another process" : `process ${pid}`;
    super(
      `The data directory ${directory} is in use by ${owner}. ` +
        "Stop it, or give this server another directory.",
    );
    this.pid = pid;
  }
}

/** A lock that is held. */
export interface DirectoryLock {
  /** Gives the directory free. */
  release(): void;
}

/** Locks a directory that exists. Throws StoreInUseError when another process has it. */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const owner = join(directory, OWNER_FILE);
  const path = join(directory, LOCK_FILE);
  const isNew = !existsSync(path);
  const database = openPrivate(path);
  try {
    // Nothing is ever written to the database: an open exclusive transaction is the lock. A journal
    // on disk would not fit on a full one.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    const [reader] = isNew ? await otherReaders(directory) : [];
    if (reader !== undefined) {
      // A file that stays would look like that of an owner who died.
      rmSync(path);
      throw new StoreInUseError(directory, reader);
    }
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new StoreInUseError(directory, readPid(owner));
    }
    throw error;
  }
  writeWhereRoom(owner, { pid: process.pid });
  return {
    release: () => {
      rmSync(owner, { force: true });
      database.close();
    },
  };
}

/** Writes a small file that a start can do without: on a full disk it is left out. */
export function writeWhereRoom(path: string, content: object): void {
  try {
    writeFileSync(path, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    rmSync(path, { force: true });
  }
}

// SQLite has no setting for the mode of a new file.
function openPrivate(path: string): DatabaseSync {
  const umask = process.umask(0o077);
  try {
    return new DatabaseSync(path);
  } finally {
    process.umask(umask);
  }
}

function readPid(file: string): number | undefined {
  try {
    const owner = JSON.parse(readFileSync(file, "utf8")) as { pid?: unknown };
    return typeof owner.pid === "number" ? owner.pid : undefined;
  } catch {
    return undefined;
  }
}
