// Compaction: a copy without free pages takes the place of the data file. Until the rename the old
// file is whole, after it the new one is. A copy that a kill left behind is removed by the next
// start of any kind.

import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { COMPACT_FOLDER, DATA_FILE, syncPath } from "../engine/environment.ts";
import { lockDirectory } from "../engine/lock.ts";
import { carryOutRedoLog } from "../lmdb/recovery.ts";
import type { LmdbStore } from "../lmdb/store.ts";
import { type CopyProgress, copyStore } from "./copy-store.ts";
import { type VerifiedCopyOptions, verifiedCopy } from "./verified-copy.ts";

/** Sizes of a data file around its compaction. */
export interface Compaction {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Compacts the store of a directory. Bytes of erased records, which free pages and the unused room
 * of pages may still hold, are not in the new file. Needs room for a second copy of the data.
 *
 * Throws StoreInUseError while a server runs on it, RECORD_CORRUPT when it is damaged, and an Error
 * when the disk has no room; the store is then as it was.
 */
export async function compactDirectory(
  directory: string,
  options: VerifiedCopyOptions,
): Promise<Compaction> {
  const path = join(directory, DATA_FILE);
  if (!existsSync(path)) throw new Error(`There is no store in ${directory}.`);
  const lock = await lockDirectory(directory);
  try {
    const { size: bytesBefore } = statSync(path);
    const staging = join(directory, COMPACT_FOLDER);
    // On the copy it would leave free pages, with what it removes in them.
    await carryOutRedoLog(directory);
    const { bytes: bytesAfter } = await verifiedCopy(directory, staging, options);
    renameSync(join(staging, DATA_FILE), path);
    syncPath(directory);
    rmSync(staging, { recursive: true });
    return { bytesBefore, bytesAfter };
  } finally {
    lock.release();
  }
}

/** Progress of a compaction. */
export interface CompactProgress extends Omit<CopyProgress, "step"> {
  readonly step: CopyProgress["step"] | "catching-up";
}

/** Options of a compaction of a store that is served. */
export interface CompactOptions extends Omit<VerifiedCopyOptions, "onProgress"> {
  readonly onProgress: (progress: CompactProgress) => void;
  readonly signal: AbortSignal;
}

/** A compaction of a store that is served. */
export interface ServedCompaction extends Compaction {
  /** Time that writes waited for it. */
  readonly pauseMs: number;
}

/**
 * Compacts a store that this process serves. Writes wait two seconds at most. Throws RECORD_CORRUPT
 * when the store is damaged, and an Error when the disk has no room or the writes leave none; the
 * store is then as it was.
 */
export async function compactServed(
  store: LmdbStore,
  directory: string,
  options: CompactOptions,
): Promise<ServedCompaction> {
  const { onProgress, signal } = options;
  const path = join(directory, DATA_FILE);
  const staging = join(directory, COMPACT_FOLDER);
  let most = 0;
  const { size: bytesBefore } = statSync(path);
  try {
    const pauseMs = await store.exchangeFile({
      ...{ staging, signal },
      // Without the redo log: its groups are noted like all others when they leave it.
      makeCopy: async () => {
        await verifiedCopy((file) => copyStore(directory, file, options), staging, options);
      },
      onWaiting: (bytes) => {
        most = Math.max(most, bytes);
        onProgress({ step: "catching-up", bytes: most - bytes, totalBytes: most });
      },
    });
    return { bytesBefore, bytesAfter: statSync(path).size, pauseMs };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
