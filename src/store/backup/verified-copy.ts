// A copy that counts: made in a directory of its own and checked there like a store, before it gets
// the name under which anybody looks for it.

import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { recordCorrupt } from "../../kit/errors.ts";
import { DATA_FILE } from "../engine/environment.ts";
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
      typeof source === "string" ? await copyStore(source, file, options) : await source(file);
    const { bytes } = copied;
    options.onProgress?.({ step: "verifying", bytes, totalBytes: bytes });
    return { ...copied, report: await checkCopy(directory, options) };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Checks the store in a directory and leaves only its data file. Throws RECORD_CORRUPT. */
export async function checkCopy(
  directory: string,
  { factsModule, signal }: Pick<VerifiedCopyOptions, "factsModule" | "signal">,
): Promise<VerifyReport> {
  const report = await verifyFiles(directory, { factsModule, signal, nice: NICE });
  if (!report.clean) {
    const kinds = report.problems.map(({ kind, count }) => `${kind} (${count})`);
    throw recordCorrupt(`found by the check of a copy: ${kinds.join(", ")}`);
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

/** Brings a file, or the names in a directory, to stable storage. */
export function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
