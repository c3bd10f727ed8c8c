// What one process measures of one index, and how the answer comes back.

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Share } from "./clusters.ts";

/** What to measure. */
export type Job =
  | { readonly kind: "vectors"; readonly engine: string; readonly folder: string }
  | {
      readonly kind: "texts";
      readonly engine: string;
      readonly passages: number;
      readonly questions: number;
    }
  | { readonly kind: "set"; readonly engine: string; readonly file: string };

/** Times of searches in milliseconds. */
export interface SearchTimes {
  readonly p50: number;
  readonly p95: number;
  /** Of the processor, all threads together; the mean. */
  readonly cpu: number;
}

/** How an index was built. */
export interface Built {
  readonly seconds: number;
  /** Of the processor, all threads together. */
  readonly cpuSeconds: number;
  /** By which the process grew, in MiB. */
  readonly mib: number;
  /** What the index says that it takes, in MiB, where it says so. */
  readonly ownMib?: number;
}

/** What was measured of an index over vectors, by share of the rows that pass. */
export interface VectorFigures {
  readonly built: Built;
  readonly searches: Partial<Record<Share, SearchTimes & { readonly recall: number }>>;
}

/** What was measured of an index over texts. */
export interface TextFigures {
  readonly built: Built;
  readonly searches: SearchTimes;
}

/** What was measured of a ranking. */
export interface SetFigures {
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
  readonly count: number;
}

/** An index that could not be measured, and why. */
export interface Failure {
  readonly failure: string;
}

const SCRIPT = join(import.meta.dirname, "measure.ts");

function reasonOf(ended: string, errors: string): string {
  const lines = errors.split("\n").map((line) => line.trim());
  const told = lines.find((line) => /Error\b.*[:\]]/.test(line)) ?? ended;
  return /Cannot find (package|module)/.test(told) ? "not installed" : told;
}

/** Measures in a process of its own, which nothing else has grown and which may crash. */
export function runJob<F extends object>(job: Job): Promise<F | Failure> {
  return new Promise((resolve) => {
    const args = ["--no-warnings", "--expose-gc", SCRIPT, JSON.stringify(job)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let errors = "";
    child.stdout.on("data", (data) => {
      output += data;
    });
    child.stderr.on("data", (data) => {
      errors += data;
    });
    child.once("close", (code, signal) => {
      if (code === 0) resolve(JSON.parse(output.trim().split("\n").at(-1) ?? "") as F);
      else resolve({ failure: reasonOf(`ended by ${signal ?? code}`, errors) });
    });
  });
}
