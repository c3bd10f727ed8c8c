// Kills a compaction at random moments. The store is whole after each kill, and the next compaction
// goes through.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const ROUNDS = 6 * TEST_DEPTH;

async function fill(dataDir: string): Promise<void> {
  const server = await startServer({ dataDir });
  const client = new TestClient(server.address);
  const session = { sessionId: "s", createSession: true };
  for (let i = 0; i < 60; i++) {
    const messages = [message({ text: "x".repeat(500_000) })];
    await client.call("appendMessages", { ...session, messages });
    if (i % 2 === 0) await client.call("deleteSession", { sessionId: "s" });
  }
  client.close();
  await server.stop();
}

function runMain(...args: readonly string[]) {
  return spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
}

test("a compaction that is killed leaves the old file or the new one", {
  timeout: 300_000 * TEST_DEPTH,
}, async () => {
  await using temporary = await makeTempDir();
  const directory = temporary.path;
  await fill(directory);
  const { status, stdout: before } = runMain("verify", directory);
  expect(status).toBe(0);
  const { size } = statSync(join(directory, "data.mdb"));
  const random = randomFrom(testSeed("compact"));
  const started = performance.now();
  let killed = 0;
  let wholeMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const child = spawn(process.execPath, [MAIN, "compact", directory], { stdio: "ignore" });
    // Listened for at once: the child may end while the kill waits.
    const closed = once(child, "close");
    // The first one tells how long a whole one takes.
    if (round > 0) {
      await sleep(random.int(Math.floor(wholeMs / 4), Math.ceil(wholeMs)));
      child.kill("SIGKILL");
    }
    const [code] = await closed;
    if (round === 0) wholeMs = performance.now() - started;
    if (code !== 0) killed++;
    expect(runMain("verify", directory).stdout).toBe(before);
  }
  console.log(`compact: ${killed} of ${ROUNDS} killed before the end, seed ${random.seed}`);
  expect(killed).toBeGreaterThan(0);
  expect(runMain("compact", directory).status).toBe(0);
  expect(statSync(join(directory, "data.mdb")).size).toBeLessThan(size);
  expect(existsSync(join(directory, "compacting"))).toBe(false);
  expect(runMain("verify", directory).stdout).toBe(before);
});
