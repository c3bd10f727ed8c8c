// A back-up becomes the store of an empty directory, with a new history: tokens, etags and
// consumers that the original gave out are refused, because they may name what the back-up never
// held.
//
// The store is made in a folder of the directory and moved in place at the end. The marker of a
// used directory is written first, so that no server takes a restore that broke off for an empty
// store.

import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { backUpDamaged } from "../../kit/errors.ts";
import { DATA_FILE, READERS_FILE, syncPath } from "../engine/environment.ts";
import { type DirectoryLock, LOCK_FILE, lockDirectory, OWNER_FILE } from "../engine/lock.ts";
import { REDO_FILE, readRedoLog } from "../engine/redo-log.ts";
import { carryOutRedoLog } from "../lmdb/recovery.ts";
import { MARKER_FILE, openLmdbStore } from "../lmdb/store.ts";
import type { ReadFacts } from "../store.ts";
import type { VerifyTotals } from "../verify/verify.ts";
import { readManifest } from "./back-up.ts";
import { checkCopy, keepOnly, type VerifiedCopyOptions } from "./verified-copy.ts";

const RESTORE_FOLDER = "restoring";
// A directory that holds nothing else counts as empty.
const IGNORED = [RESTORE_FOLDER, MARKER_FILE, LOCK_FILE, OWNER_FILE, "lost+found"];

/** Options of a restore. */
export interface RestoreOptions extends Pick<VerifiedCopyOptions, "factsModule" | "onProgress"> {
  readonly readFacts: ReadFacts;
  /** The back-up as its owner calls it, for errors. Default: its path. */
  readonly name?: string | undefined;
}

/** A restored store. */
export interface Restored {
  readonly storeId: string;
  /** The history that begins with the restore. */
  readonly historyId: string;
  readonly totals: VerifyTotals;
}

/**
 * Restores a back-up into a directory that is empty, missing, or was left by a restore that broke
 * off. The back-up is a directory that `backUp` made, the data file of one, or the directory of a
 * store that nobody serves.
 *
 * Throws RECORD_CORRUPT when the back-up is damaged, StoreInUseError while a server runs on it, and
 * an Error when the directory holds anything; nothing is served from the directory before the
 * restore is complete.
 */
export async function restore(
  backUp: string,
  directory: string,
  options: RestoreOptions,
): Promise<Restored> {
  const source = dataFileOf(backUp);
  const lock = await lockSource(dirname(source));
  try {
    return await restoreFile({ backUp, source }, directory, options);
  } finally {
    lock?.release();
  }
}

/**
 * Keeps servers out of the directory of a store. Undefined for a back-up, for a data file alone,
 * and where nobody can write: a snapshot of a filesystem has the files of its server.
 */
async function lockSource(directory: string): Promise<DirectoryLock | undefined> {
  const isOfServer = [LOCK_FILE, READERS_FILE].some((name) => existsSync(join(directory, name)));
  return isOfServer && isWritable(directory) ? await lockDirectory(directory) : undefined;
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function restoreFile(
  { backUp, source }: { readonly backUp: string; readonly source: string },
  directory: string,
  options: RestoreOptions,
): Promise<Restored> {
  const damaged = (what: string) => backUpDamaged(options.name ?? backUp, what);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = readdirSync(directory).find((name) => !IGNORED.includes(name));
  if (found !== undefined) {
    throw new Error(`${directory} is not empty: it holds ${found}. Restore into a new directory.`);
  }
  const lock = await lockDirectory(directory);
  try {
    const staging = join(directory, RESTORE_FOLDER);
    rmSync(staging, { recursive: true, force: true });
    writeFileSync(join(directory, MARKER_FILE), "{}\n", { mode: 0o600 });
    mkdirSync(staging, { mode: 0o700 });
    const path = join(staging, DATA_FILE);
    const manifest = readManifest(dirname(source));
    if (manifest === undefined && basename(source) === DATA_FILE) {
      // The data file of a server that was killed: the redo log has its newest changes.
      writeFileSync(join(staging, REDO_FILE), readRedoLog(dirname(source)));
    }
    const { size: totalBytes } = statSync(source);
    options.onProgress?.({ step: "copying", bytes: 0, totalBytes });
    // Shares the blocks where the filesystem can.
    copyFileSync(source, path, constants.COPYFILE_FICLONE);
    const sum = manifest?.sha256;
    const copied = createHash("sha256");
    await pipeline(createReadStream(path), copied);
    if (sum !== undefined && sum !== copied.digest("hex")) {
      throw damaged("its data file is not the one that its manifest describes");
    }
    await carryOutRedoLog(staging);
    options.onProgress?.({ step: "verifying", bytes: totalBytes, totalBytes });
    const { storeId, totals } = await checkCopy(staging, options, damaged);
    const historyId = await beginHistory(staging, options.readFacts);
    keepOnly(staging, [DATA_FILE]);
    syncPath(path);
    renameSync(path, join(directory, DATA_FILE));
    writeFileSync(join(directory, MARKER_FILE), `${JSON.stringify({ store_id: storeId })}\n`);
    rmSync(staging, { recursive: true });
    syncPath(directory);
    return { storeId, historyId, totals };
  } finally {
    lock.release();
  }
}

function dataFileOf(backUp: string): string {
  const isDirectory = statSync(backUp, { throwIfNoEntry: false })?.isDirectory() === true;
  const path = isDirectory ? join(backUp, DATA_FILE) : backUp;
  if (!existsSync(path)) throw new Error(`There is no back-up in ${backUp}.`);
  return path;
}

async function beginHistory(directory: string, readFacts: ReadFacts): Promise<string> {
  const store = await openLmdbStore({
    ...{ directory, readFacts, newHistory: true, floor: { bytes: 0 } },
    // Whoever serves it decides about that.
    allowNetworkFilesystem: true,
  });
  // Nothing but the data file is kept.
  await store.carryOutLog();
  await store.close();
  return store.historyId;
}
