// Checks a data directory. The work is done in a child process, because LMDB crashes on some
// damaged files: then only the child ends, and its death is what is reported. Nothing of the data
// is changed.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setPriority } from "node:os";
import { extname, join } from "node:path";
import { DATA_FILE } from "../engine/environment.ts";
import { type DirectoryLock, lockDirectory, StoreInUseError } from "../engine/lock.ts";
import type { Problem } from "../engine/problems.ts";

/** The totals of nothing. */
export const NO_TOTALS = {
  sessions: 0,
  messages: 0,
  events: 0,
  consumers: 0,
  replies: 0,
  tasks: 0,
  /** Summaries of the history. */
  summaries: 0,
  documents: 0,
  memories: 0,
  /** Sessions that wait for jobs on memories. */
  memoryJobs: 0,
  /** Messages, documents and memories that have vectors. */
  vectors: 0,
  /** Records of every kind. */
  records: 0,
};

/** Counts of checked records. */
export type VerifyTotals = Readonly<typeof NO_TOTALS>;

/** The findings of verify. */
export interface VerifyReport {
  /** Nothing is damaged. */
  readonly clean: boolean;
  /** Empty when the identity could not be read. */
  readonly storeId: string;
  readonly problems: readonly Problem[];
  /** Pages that are neither in use nor free: no damage, and `compact` gives them back. */
  readonly wasted?: Problem;
  /**
   * Groups of changes that a killed server left in the redo log alone. The next start carries them
   * out; the totals do not count them. Missing when there are none.
   */
  readonly groupsToRedo?: number;
  readonly totals: VerifyTotals;
}

/** Options for checking a directory. */
export interface VerifyOptions {
  /**
   * The module that exports `readFacts`; with it the ids, roles and token counts inside the
   * messages are checked as well. Default: they are not.
   */
  readonly factsModule?: URL;
  /** Niceness of the child, for a check beside a server. Default 0. */
  readonly nice?: number;
  /** Gives the check up; its promise is rejected. */
  readonly signal?: AbortSignal | undefined;
}

const STDERR_MAX = 2_000;

/**
 * Checks everything in a data directory and reports every damage. Throws StoreInUseError while a
 * server runs on it, and an Error when there is no store in it.
 */
export async function verifyDirectory(
  directory: string,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  if (!existsSync(join(directory, DATA_FILE))) {
    throw new Error(`There is no store in ${directory}.`);
  }
  const lock = await tryLock(directory);
  try {
    return await verifyFiles(directory, options);
  } finally {
    lock?.release();
  }
}

// Without a lock on a medium that cannot be written: nobody can run a server there either.
async function tryLock(directory: string): Promise<DirectoryLock | undefined> {
  try {
    return await lockDirectory(directory);
  } catch (error) {
    if (error instanceof StoreInUseError) throw error;
    return undefined;
  }
}

/** The report of a file that cannot be looked into. */
export function damaged(problems: readonly Problem[]): VerifyReport {
  return { clean: false, storeId: "", problems, totals: NO_TOTALS };
}

/** Checks everything in a directory that, as the caller knows, nobody else uses. */
export function verifyFiles(directory: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const entry = new URL(`./verify-child${extname(import.meta.filename)}`, import.meta.url);
  const facts = options.factsModule?.href ?? "";
  const child = spawn(process.execPath, [entry.pathname, directory, facts], {
    stdio: ["ignore", "pipe", "pipe"],
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  child.once("spawn", () => {
    if (options.nice !== undefined && child.pid !== undefined) setPriority(child.pid, options.nice);
  });
  let output = "";
  let complaint = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, STDERR_MAX);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve(readOutcome(output, complaint, code, signal));
    });
  });
}

function readOutcome(
  output: string,
  complaint: string,
  code: number | null,
  signal: NodeJS.Signals | null,
): VerifyReport {
  const found = (kind: string, example: string): VerifyReport =>
    damaged([{ kind, count: 1, examples: [example] }]);
  if (signal !== null) return found("the data file crashes LMDB", signal);
  try {
    return JSON.parse(output) as VerifyReport;
  } catch {
    const line = complaint.split("\n").find((text) => /Error/.test(text)) ?? `exit code ${code}`;
    return found("the data file cannot be read", line.trim());
  }
}
