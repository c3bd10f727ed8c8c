// Runs every group of the bench with tiny numbers, so that it never rots. Looks at no figure but
// for being there: what is fast on one machine is slow on another.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeTempDir } from "../support/kit/temp-dir.ts";

const MAIN = join(import.meta.dirname, "../../bench/main.ts");
const TINY =
  "--rounds 1 --ms 100 --messages 1200 --watchers 3 --stalled 2 --recall 600 --memories 600 --records 1200 --lists 400 --no-pin".split(
    " ",
  );

interface Report {
  readonly verdicts: readonly { what: string; value: number | null; pass: boolean }[];
  readonly groups: Readonly<Record<string, { rounds: Record<string, { failed: number }[]> }>>;
}

test("the bench runs through and reports every target", { timeout: 300_000 }, async () => {
  await using directory = await makeTempDir();
  const out = join(directory.path, "bench.json");
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [MAIN, ...TINY, "--out", out, "--date", "today"]);
  expect(stdout).toMatch(/\d+ of \d+ targets hold/);
  const report = JSON.parse(readFileSync(out, "utf8")) as Report;
  const names = [
    "basic",
    "turns",
    "long-session",
    "many-sessions",
    "policies",
    "hooks",
    "fan-out",
    "stalled",
    "recall",
    "memories",
    "records",
    "lists",
  ];
  expect(Object.keys(report.groups)).toEqual(names);
  expect(report.verdicts.length).toBeGreaterThan(15);
  for (const { value } of report.verdicts) expect(value).toEqual(expect.any(Number));
  for (const { rounds } of Object.values(report.groups)) {
    for (const results of Object.values(rounds)) {
      for (const { failed } of results) expect(failed).toBe(0);
    }
  }
});

test("the bench of the checks compares the server with copies that lack them", {
  timeout: 300_000,
}, async () => {
  const checks = join(import.meta.dirname, "../../bench/checks.ts");
  const tiny = ["--starts", "1", "--rounds", "1", "--ms", "50", "--no-pin"];
  const { stdout } = await promisify(execFile)(process.execPath, [checks, ...tiny]);
  const lines = stdout.trim().split("\n");
  for (const name of ["itself", "neighbors", "files", "checksums", "any of them"]) {
    const own = lines.filter((line) => line.includes(` ${name} `));
    expect(own).toHaveLength(6);
    for (const line of own) expect(line).toMatch(/p50 \d+\.\d{3}, CPU a call \d+\.\d{3}$/);
  }
});

test("a wrong flag of the bench ends with 1 and the usage", async () => {
  const run = promisify(execFile)(process.execPath, [MAIN, "--rounds", "none"]);
  await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("--quick") });
});
