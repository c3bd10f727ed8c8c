// The form of a check, and helpers to run one.

import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../process.ts";

/** One property to verify. */
export interface Check {
  readonly name: string;
  /** Whether it runs tests that `npm test` runs as well. */
  readonly isTest?: boolean;
  /** Returns all problems; none when the check passes. Does not change the tree. */
  readonly problems: () => Promise<readonly string[]> | readonly string[];
}

/** Thrown by a check that this machine cannot run; a failure in CI. */
export class NotPossible extends Error {
  override readonly name = "NotPossible";
}

/** A check that runs a program; on failure its output is the problem. */
export function program(name: string, command: string, ...args: readonly string[]): Check {
  return {
    name,
    problems: async () => {
      const { code, output } = await run(command, args, { quiet: true, limitMs: 600_000 });
      return code === 0 ? [] : [output.trim() || `${command} ended with ${code}`];
    },
  };
}

/** Runs some work with a temporary folder. */
export async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "memory-sidecar-verify-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
