// Runs the bench of other products with the one that needs no installation: our asyncio client.

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeTempDir } from "../support/kit/temp-dir.ts";

const ROOT = join(import.meta.dirname, "../..");
const PYTHON = join(ROOT, "clients/python/.venv/bin/python");
const run = promisify(execFile);

function peers(...args: readonly string[]) {
  return run(PYTHON, ["bench/peers/main.py", ...args], { cwd: ROOT });
}

interface Report {
  readonly skipped: object;
  readonly groups: Readonly<
    Record<string, Record<string, { rounds: Record<string, { p50Ms: number; failed: number }[]> }>>
  >;
}

test.skipIf(!existsSync(PYTHON) && process.env["CI"] === undefined)(
  "products are compared by turns, and a round counts for each",
  { timeout: 120_000 },
  async () => {
    await using directory = await makeTempDir();
    const out = join(directory.path, "peers.json");
    const tiny = ["--rounds", "2", "--seconds", "0.2", "--out", out];
    const { stdout } = await peers("--only", "sidecar-asyncio", ...tiny);
    expect(stdout).toMatch(/\| Memory Sidecar \| .*\(1\.00\)/);
    expect(stdout).toContain("| Memory Sidecar, asyncio |");
    const { skipped, groups } = JSON.parse(readFileSync(out, "utf8")) as Report;
    expect(skipped).toEqual({});
    const [messages = {}] = Object.values(groups);
    expect(Object.keys(messages)).toEqual(["Memory Sidecar", "Memory Sidecar, asyncio"]);
    for (const { rounds } of Object.values(messages)) {
      expect(Object.keys(rounds)).toHaveLength(4);
      for (const results of Object.values(rounds)) {
        expect(results).toHaveLength(2);
        for (const { p50Ms, failed } of results) {
          expect(p50Ms).toBeGreaterThan(0);
          expect(failed).toBe(0);
        }
      }
    }
  },
);

test.skipIf(!existsSync(PYTHON) && process.env["CI"] === undefined)(
  "an unknown product is refused by its name",
  async () => {
    await expect(peers("--only", "oracle")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown: oracle"),
    });
  },
);
