// A back-up: a directory with a copy of the data file and a manifest. It gets its name only when
// the copy is complete, sound and on stable storage; until then it has the name with `.partial`.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DATA_FILE, syncPath } from "../engine/environment.ts";
import { lockDirectory } from "../engine/lock.ts";
import type { VerifyTotals } from "../verify/verify.ts";
import { type CopySource, type VerifiedCopyOptions, verifiedCopy } from "./verified-copy.ts";

/** The file of a back-up that describes it. */
export const MANIFEST_FILE = "backup.json";

/** The end of the name of a back-up that is not complete. */
export const PARTIAL = ".partial";

/** A back-up, as its manifest describes it. */
export interface BackUp {
  readonly storeId: string;
  /** The time from which on changes may be missing: everything acknowledged before is in it. */
  readonly startMs: number;
  /** The version of the server or command that made it. */
  readonly version: string;
  /** Size of the data file. */
  readonly bytes: number;
  /** SHA-256 of the data file in hexadecimal digits. */
  readonly sha256: string;
  /** Counts of the check of the copy. */
  readonly totals: VerifyTotals;
}

/** Options of a back-up. */
export interface BackUpOptions extends VerifiedCopyOptions {
  /** Its directory, which must not exist. The one above must. */
  readonly target: string;
  readonly version: string;
  /** The time now. */
  readonly startMs: number;
}

/** Backs up a store that is served or not. Throws RECORD_CORRUPT when it is damaged. */
export async function backUp(source: CopySource, options: BackUpOptions): Promise<BackUp> {
  const { startMs, target, version } = options;
  if (existsSync(target)) throw new Error(`${target} exists already. Name a new directory.`);
  const partial = target + PARTIAL;
  const { report, bytes, sha256 } = await verifiedCopy(source, partial, options);
  const { storeId, totals } = report;
  const made = { storeId, startMs, version, bytes, sha256, totals };
  const manifest = join(partial, MANIFEST_FILE);
  writeFileSync(manifest, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  syncPath(manifest);
  syncPath(partial);
  renameSync(partial, target);
  syncPath(dirname(target));
  return made;
}

/** Backs up a store that nobody serves. Throws StoreInUseError while a server runs on it. */
export async function backUpDirectory(source: string, options: BackUpOptions): Promise<BackUp> {
  if (!existsSync(join(source, DATA_FILE))) throw new Error(`There is no store in ${source}.`);
  const lock = await lockDirectory(source);
  try {
    return await backUp(source, options);
  } finally {
    lock.release();
  }
}

/** Reads the manifest of a back-up; undefined when it has none that can be read. */
export function readManifest(directory: string): BackUp | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, MANIFEST_FILE), "utf8")) as BackUp;
  } catch {
    return undefined;
  }
}
