// A killed process cannot tell a durable store from one that is not: the page cache survives it. So
// the order of the system calls is checked: the redo log, or data, flush and meta page; and only
// then the answer.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";
import { durableOrder, type Needle, parse, record, straceMissing } from "./strace.ts";
import { plainClient } from "./writers.ts";

const APPENDS = 10;
const LOGGED_BYTES_MAX = 262_144;
const missing = straceMissing();

if (missing !== undefined && process.env["CI"] === undefined) {
  console.warn(`SKIPPED the check of the order of system calls: ${missing}`);
}

test("strace is there in CI", () => {
  if (process.env["CI"] !== undefined) expect(missing).toBeUndefined();
});

const here = test.runIf(missing === undefined);

here("an append is answered after the redo log, or data, flush and meta page", async () => {
  await using directory = await makeTempDir();
  const server = await startServer({ dataDir: join(directory.path, "store") });
  const client = plainClient(server.address);
  await client.append("s", "first", { createSession: true });
  const recording = await record(server.pid, join(directory.path, "calls"));
  const needles: Needle[] = [];
  for (let i = 0; i < APPENDS; i++) {
    const stored = `stored-${i}-stored`;
    const answered = `answered-${i}-answered`;
    // The large ones have no room in the redo log.
    const text = i % 2 === 0 ? stored : stored + "x".repeat(LOGGED_BYTES_MAX);
    await client.append("s", [{ role: "user", text, messageId: answered }]);
    needles.push({ stored, answered });
  }
  const calls = await recording.stop();
  const wrong = needles.map((needle) => durableOrder(server.pid, calls, needle));
  client.close();
  await server.stop();
  const written = (file: string) => calls.filter(({ target }) => target.endsWith(file)).length;
  expect(written("redo.log")).toBe(APPENDS / 2);
  console.log(`system calls: ${APPENDS} appends, ${calls.length} calls recorded`);
  expect(wrong.filter((line) => line !== undefined)).toEqual([]);
});

/** Runs the bare store in a mode and returns what the check says of each of its writes. */
async function bareStore(mode: "durable" | "fast"): Promise<(string | undefined)[]> {
  await using directory = await makeTempDir();
  const script = join(import.meta.dirname, "lmdb-writer.ts");
  const child = spawn(process.execPath, [script, directory.path, mode], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const recording = await record(child.pid ?? 0, `${directory.path}/calls`);
  const needles: Needle[] = [];
  for (let i = 0; i < APPENDS; i++) {
    child.stdin.write(`line-${i}\n`);
    await lines.next();
    needles.push({ stored: `stored line-${i} `, answered: `answered line-${i}` });
  }
  const calls = await recording.stop();
  const found = needles.map((needle) => durableOrder(child.pid ?? 0, calls, needle));
  child.kill("SIGKILL");
  return found;
}

here("the check passes a bare store that flushes", async () => {
  const found = await bareStore("durable");
  expect(found.filter((line) => line !== undefined)).toEqual([]);
});

here("the check fails a bare store that does not flush", async () => {
  const found = await bareStore("fast");
  expect(found).toHaveLength(APPENDS);
  for (const line of found) expect(line).toMatch(/no flush|before the meta/);
});

test("calls that other threads interrupt are joined", () => {
  const calls = parse(
    [
      '1 pwrite64(7</d/data.mdb>, "x", 4096, 8192) = 4096',
      "1 fdatasync(7</d/data.mdb> <unfinished ...>",
      '2 write(9<socket:[1]>, "y", 1) = 1',
      "1 <... fdatasync resumed>) = 0",
    ].join("\n"),
  );
  expect(calls.map(({ name, begin, end }) => [name, begin, end])).toEqual([
    ["pwrite64", 0, 0],
    ["fdatasync", 1, 3],
    ["write", 2, 2],
  ]);
});
