// A copy that counts: made in a directory of its own and checked there like a store, before it gets
// the name under which anybody looks for it.

import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { recordCorrupt } from "../../kit/errors.ts";
import { DATA_FILE, syncPath } from "../engine/environment.ts";
import { mayHoldRecords, readRedoLog } from "../engine/redo-log.ts";
import { redoInto } from "../lmdb/recovery.ts";
import { type VerifyReport, verifyFiles } from "../verify/verify.ts";
import { type CopiedFile, type CopyOptions, copyStore, NICE } from "./copy-store.ts";

/** Options of a copy that is checked. */
export interface VerifiedCopyOptions extends CopyOptions {
  /** The module that exports `readFacts`; with it the check looks into the messages as well. */
  readonly factsModule: URL;
}

/** A copy and the report of its check. */
export interface VerifiedCopy extends CopiedFile {
  readonly report: VerifyReport;
}

/** A data directory, or a function that writes the copy of a store elsewhere to a new file. */
export type CopySource = string | ((file: string) => Promise<CopiedFile>);

/**
 * Copies a store into a directory, which is made anew, and checks the copy. The directory then
 * holds the data file, on stable storage, and nothing else. Throws RECORD_CORRUPT when the store or
 * the copy is damaged; the directory is then gone.
 */
export async function verifiedCopy(
  source: CopySource,
  directory: string,
  options: VerifiedCopyOptions,
): Promise<VerifiedCopy> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  try {
    const file = join(directory, DATA_FILE);
    const copied =
      typeof source === "string"
        ? await copyWithLog(source, directory, options)
        : await source(file);
    const { bytes } = copied;
    options.onProgress?.({ step: "verifying", bytes, totalBytes: bytes });
    return { ...copied, report: await checkCopy(directory, options) };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

// A store that was killed, or whose disk is full, has its newest changes in the redo log alone. The
// log is read first: what it no longer holds by the time of the copy is in the data file.
async function copyWithLog(
  source: string,
  directory: string,
  options: CopyOptions,
): Promise<CopiedFile> {
  const file = join(directory, DATA_FILE);
  const log = readSettled(source);
  const copied = await copyStore(source, file, options);
  if (!mayHoldRecords(log)) return copied;
  await redoInto(directory, log);
  const sum = createHash("sha256");
  await pipeline(createReadStream(file), sum, { signal: options.signal });
  return { bytes: statSync(file).size, sha256: sum.digest("hex") };
}

/** Reads the redo log. A server may be writing it at this moment. */
function readSettled(source: string): Buffer {
  for (;;) {
    const [once, again] = [readRedoLog(source), readRedoLog(source)];
    if (once.equals(again)) return once;
  }
}

/** Checks the store in a directory and leaves only its data file. Throws RECORD_CORRUPT. */
export async function checkCopy(
  directory: string,
  { factsModule, signal }: Pick<VerifiedCopyOptions, "factsModule" | "signal">,
  damaged: (what: string) => Error = recordCorrupt,
): Promise<VerifyReport> {
  const report = await verifyFiles(directory, { factsModule, signal, nice: NICE });
  if (!report.clean) {
    const kinds = report.problems.map(({ kind, count }) => `${kind} (${count})`);
    throw damaged(`found by the check of a copy: ${kinds.join(", ")}`);
  }
  keepOnly(directory, [DATA_FILE]);
  syncPath(directory);
  return report;
}

/** Removes everything else from a directory. */
export function keepOnly(directory: string, names: readonly string[]): void {
  for (const name of readdirSync(directory)) {
    if (!names.includes(name)) rmSync(join(directory, name), { recursive: true });
  }
}
