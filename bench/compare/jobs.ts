// Jobs that one process measures of one index, and the form of its answer.

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Share } from "./clusters.ts";

/** One measurement to make. */
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
  /** Mean CPU time over all threads. */
  readonly cpu: number;
}

/** Cost of building an index. */
export interface Built {
  readonly seconds: number;
  /** CPU time over all threads. */
  readonly cpuSeconds: number;
  /** Growth of the process, in MiB. */
  readonly mib: number;
  /** Memory that the index reports for itself, in MiB, where it reports any. */
  readonly ownMib?: number;
}

/** Figures of an index over vectors, by share of the rows that pass the filter. */
export interface VectorFigures {
  readonly built: Built;
  readonly searches: Partial<Record<Share, SearchTimes & { readonly recall: number }>>;
}

/** Figures of an index over texts. */
export interface TextFigures {
  readonly built: Built;
  readonly searches: SearchTimes;
}

/** Figures of a ranking. */
export interface SetFigures {
  readonly recall5: number;
  readonly recall10: number;
  readonly ndcg10: number;
  readonly count: number;
}

/** An index that could not be measured, and the reason. */
export interface Failure {
  readonly failure: string;
}

const SCRIPT = join(import.meta.dirname, "measure.ts");

function reasonOf(ended: string, errors: string): string {
  const lines = errors.split("\n").map((line) => line.trim());
  const told = lines.find((line) => /Error\b.*[:\]]/.test(line)) ?? ended;
  return /Cannot find (package|module)/.test(told) ? "not installed" : told;
}

/**
 * Measures in a separate process, so that the memory baseline is clean and a crash is contained.
 */
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
