// The exchange of the data file under an open store. A copy is made of one moment while writes go
// on; changes since then are noted and carried out on the copy; for the last of them writes wait a
// moment, and the copy takes the place and the name of the file. Reads see the one or the other.
//
// Until the rename the store goes on with the old file whatever happens; from then on the new one
// holds everything that was acknowledged. See ADR 55.

import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../../kit/failpoint.ts";
import { ChangeFile } from "./change-file.ts";
import {
  DATA_FILE,
  type Environment,
  openEnvironment,
  READERS_FILE,
  syncPath,
} from "./environment.ts";
import { noteFreePages } from "./flight.ts";
import type { Floor } from "./floor.ts";
import type { Presence } from "./presence.ts";
import type { Writer } from "./writer.ts";

/** Time that writes wait at most. */
export const EXCHANGE_PAUSE_MS = 2_000;

/** The file of the directory that notes changes meanwhile. */
export const CHANGES_FILE = "compacting.changes";

// Left for the pause: one transaction of the copy, or a few.
const LAST_BYTES = 4_194_304;
const CATCH_UP_MS_MIN = 60_000;

/** Parts of an open store. */
export interface ExchangeParts {
  readonly directory: string;
  /** Gets the tables of the new file. */
  readonly env: Environment;
  readonly writer: Pick<
    Writer<never>,
    "pause" | "resume" | "clearJournal" | "noteFlights" | "whole"
  >;
  readonly presence: Presence;
  readonly floor: Floor;
  /** A clock that only rises, in milliseconds. */
  readonly now: () => number;
}

/** The work on the copy. */
export interface ExchangeWork {
  /** The directory of the copy. */
  readonly staging: string;
  /** Makes the copy: everything that the data file held before must be in it. */
  readonly makeCopy: () => Promise<void>;
  /** Called while changes are carried out on the copy, with the bytes that wait. */
  readonly onWaiting: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Exchanges the data file of a store for a copy of it. Gives the time that writes waited. When it
 * throws, the store goes on with the old file, or the writer has failed.
 */
export async function exchangeFile(parts: ExchangeParts, work: ExchangeWork): Promise<number> {
  const { directory, writer, floor, now } = parts;
  const path = join(directory, CHANGES_FILE);
  rmSync(path, { force: true });
  const changes = new ChangeFile(path, (bytes) => {
    floor.wrote(bytes);
    floor.check();
  });
  try {
    // Until then the journal may hold what is erased already.
    if (!(await writer.clearJournal())) {
      throw new Error("The disk is full. Free space on it, then compact the store again.");
    }
    // No transaction is under way that is not noted: the copy sees all before.
    await writer.pause();
    writer.noteFlights((flight) => changes.note(flight));
    writer.resume();
    const startMs = now();
    await work.makeCopy();
    const copyMs = now() - startMs;
    const copy = openEnvironment({ directory: work.staging });
    try {
      await noteFreePages(copy);
      const endMs = now() + Math.max(CATCH_UP_MS_MIN, copyMs);
      await catchUp(changes, copy, work, () => now() > endMs);
      return await takeOver(parts, work.staging, changes, copy);
    } finally {
      if (parts.env.root !== copy.root) await copy.root.close();
    }
  } finally {
    writer.noteFlights(undefined);
    changes.remove();
  }
}

async function catchUp(
  changes: ChangeFile,
  copy: Environment,
  { signal, onWaiting }: ExchangeWork,
  isOver: () => boolean,
): Promise<void> {
  while (changes.waitingBytes > LAST_BYTES) {
    signal.throwIfAborted();
    if (isOver()) {
      throw new Error("Writes come in faster than the copy takes them up. Retry with less load.");
    }
    onWaiting(changes.waitingBytes);
    await changes.carryOut(copy);
  }
  onWaiting(changes.waitingBytes);
}

async function takeOver(
  { directory, env, writer, presence, now }: ExchangeParts,
  staging: string,
  changes: ChangeFile,
  copy: Environment,
): Promise<number> {
  const startMs = now();
  const old = env.root;
  await writer.pause();
  try {
    const endMs = startMs + EXCHANGE_PAUSE_MS;
    while (changes.waitingBytes > 0) await within(endMs - now(), changes.carryOut(copy));
    if (now() > endMs) throw tooLong();
    failpoint("before-exchange");
    renameSync(join(staging, DATA_FILE), join(directory, DATA_FILE));
    writer.whole(() => {
      failpoint("mid-exchange");
      // Other processes find the readers of the new file in its own table.
      renameSync(join(staging, READERS_FILE), join(directory, READERS_FILE));
      syncPath(directory);
      Object.assign(env, copy);
      presence.renew();
    });
  } finally {
    writer.resume();
  }
  const pauseMs = now() - startMs;
  await old.close();
  return pauseMs;
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooLong()), Math.max(0, ms));
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(): Error {
  return new Error(
    `Writes would have waited longer than ${EXCHANGE_PAUSE_MS} ms for the last changes. Retry with ` +
      "less load on the disk.",
  );
}
