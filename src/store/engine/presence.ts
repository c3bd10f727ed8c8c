// A file that is removed, replaced or cut off keeps working for the process that has it open: it
// would acknowledge writes that nobody can read again. So each group is checked twice.
//
// Before it is written, the size of the open file: writing would hide that its end was cut off.
// Before it is acknowledged, the path: every call of the group came before that look, so that no
// call that came after a removal is acknowledged. See ADR 54.

import { closeSync, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import { DATA_FILE } from "./environment.ts";
import { LOCK_FILE } from "./lock.ts";
import { REDO_FILE } from "./redo-log.ts";

// LMDB itself names the owner of a store to a second server; this look is the second defense.
const LOCK_MS = 10;

/** The files that a store has open, as they were found when it opened them. */
export class Presence {
  readonly #path: string;
  readonly #lockPath: string;
  #file: number;
  #data: Stats;
  readonly #lock: Stats;
  readonly #redoPath: string;
  readonly #redo: Stats | undefined;
  readonly #monotonicMs: () => number;
  #bytes: number;
  #lockMs: number;

  /** `redo` is the redo log that is open, if one is. */
  constructor(directory: string, monotonicMs: () => number, redo?: Stats) {
    this.#path = join(directory, DATA_FILE);
    this.#lockPath = join(directory, LOCK_FILE);
    this.#monotonicMs = monotonicMs;
    this.#lockMs = monotonicMs();
    this.#lock = statSync(this.#lockPath);
    this.#redoPath = join(directory, REDO_FILE);
    this.#redo = redo;
    this.#file = openSync(this.#path, "r");
    this.#data = fstatSync(this.#file);
    this.#bytes = this.#data.size;
  }

  /** Throws when the open file has shrunk. To be called before a group is written. */
  checkSize(): void {
    if (fstatSync(this.#file).size < this.#bytes) throw lost(this.#path, "truncated");
  }

  /**
   * Throws when a path no longer leads to the file that was opened, or the file has shrunk. To be
   * called before a group is acknowledged.
   */
  check(): void {
    const { size } = sameFile(this.#path, this.#data);
    if (size < this.#bytes) throw lost(this.#path, "truncated");
    this.#bytes = size;
    if (this.#redo !== undefined) {
      const { size: redoBytes } = sameFile(this.#redoPath, this.#redo);
      if (redoBytes < this.#redo.size) throw lost(this.#redoPath, "truncated");
    }
    const now = this.#monotonicMs();
    if (now - this.#lockMs < LOCK_MS) return;
    sameFile(this.#lockPath, this.#lock);
    this.#lockMs = now;
  }

  /** Takes the file that is at the path now for the one that is open. */
  renew(): void {
    closeSync(this.#file);
    this.#file = openSync(this.#path, "r");
    this.#data = fstatSync(this.#file);
    this.#bytes = this.#data.size;
  }

  /** Ends the checks. */
  close(): void {
    closeSync(this.#file);
  }
}

function sameFile(path: string, opened: Stats): Stats {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw lost(path, "removed or moved");
  if (found.ino !== opened.ino || found.dev !== opened.dev) throw lost(path, "replaced");
  return found;
}

function lost(path: string, how: string): Error {
  return new Error(`The file ${basename(path)} was ${how} while the store had it open.`);
}
