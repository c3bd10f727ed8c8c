// The check of the pages at a start. LMDB crashes on some damaged pages and destroys records
// through others, so they are checked before it opens the file. A start must not wait for a large
// file: it looks at as much as its time allows, the most trusted pages first, and a thread looks at
// all of them while the store is served.

import { closeSync, existsSync, openSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { fileDamaged } from "../../kit/errors.ts";
import { DATA_FILE, type Environment } from "../engine/environment.ts";
import { checkPages, type PageReport } from "../engine/page-check.ts";
import { readMeta } from "../engine/page-format.ts";
import type { Problem } from "../engine/problems.ts";

/** Progress of the check of pages. */
export interface PageNews {
  /** Checked before the store was opened, or while it is served. */
  readonly when: "start" | "background";
  readonly pageCount: number;
  /** False when the time of the start was over: the background check follows. */
  readonly isWhole: boolean;
  /** Pages that are wasted, and no damage. */
  readonly lost: Problem | undefined;
}

// Stands while pages are checked in the background. A process that LMDB ends by a signal leaves it
// behind, and the next start takes its time.
const UNCHECKED_FILE = "pages.unchecked";
const SUSPECT_MS = 60_000;

/** Checks the pages of a data file. Throws RECORD_CORRUPT when some are damaged. */
export function checkStart(directory: string, ms: number): PageNews {
  const path = join(directory, DATA_FILE);
  const mark = join(directory, UNCHECKED_FILE);
  const isSuspect = existsSync(mark);
  // Only one start in a row is slow: it may be that a probe ended the last one.
  rmSync(mark, { force: true });
  const endMs = performance.now() + (isSuspect ? Math.max(ms, SUSPECT_MS) : ms);
  const isOver = (): boolean => performance.now() > endMs;
  const top = checkPages(path, { pages: "top", isOver });
  const report = top.problems.length > 0 ? top : checkPages(path, { isOver });
  if (report.problems.length > 0) {
    if (isSuspect) writeFileSync(mark, "", { mode: 0o600 });
    throw fileDamaged(path, report.problems);
  }
  return newsOf("start", report);
}

function newsOf(when: PageNews["when"], { pageCount, isWhole, lost }: PageReport): PageNews {
  return { when, pageCount, isWhole, lost };
}

/** Parts of a background check. */
export interface BackgroundCheckParts {
  readonly directory: string;
  readonly env: Environment;
  readonly onNews: (news: PageNews) => void;
  /** Gets RECORD_CORRUPT when pages are damaged, and the fault of a thread that cannot run. */
  readonly onFatal: (error: unknown) => void;
}

/** Checks all pages beside the server; gives a function that gives the check up. */
export function checkInBackground(parts: BackgroundCheckParts): () => Promise<void> {
  const path = join(parts.directory, DATA_FILE);
  const mark = join(parts.directory, UNCHECKED_FILE);
  // While this reader is open, no page of its transaction is written over. The file grows by what
  // is written meanwhile, and takes up these pages afterwards.
  const reader = parts.env.root.useReadTransaction();
  writeFileSync(mark, "", { mode: 0o600 });
  const entry = new URL(
    `../engine/page-check-worker${extname(import.meta.filename)}`,
    import.meta.url,
  );
  const worker = new Worker(entry, { workerData: { path, meta: metaOf(path) } });
  worker.unref();
  let hasEnded = false;
  const end = (isSound = true): void => {
    if (hasEnded) return;
    hasEnded = true;
    reader.done();
    if (isSound) rmSync(mark, { force: true });
  };
  worker.once("message", (report: PageReport) => {
    const isSound = report.problems.length === 0;
    // With the mark left, the next start finds the damage before it serves.
    end(isSound);
    if (isSound) parts.onNews(newsOf("background", report));
    else parts.onFatal(fileDamaged(path, report.problems));
  });
  worker.once("error", parts.onFatal);
  return async () => {
    await worker.terminate();
    end();
  };
}

function metaOf(path: string) {
  const file = openSync(path, "r");
  try {
    const meta = readMeta(file);
    if (typeof meta === "string") throw new Error(`The header of ${path} is damaged: ${meta}.`);
    return meta;
  } finally {
    closeSync(file);
  }
}
