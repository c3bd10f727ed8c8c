// Kills a compaction at random moments, and a server that compacts its store under load at named
// ones as well. The store is whole after each kill, and the next compaction goes through.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN, startServer } from "../support/process/server.ts";

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
  return spawnSync(process.execPath, [SERVER_MAIN, ...args], { encoding: "utf8" });
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
  let killed = 0;
  let wholeMs = 0;
  for (let round = 0; round < ROUNDS || (killed === 0 && round < 4 * ROUNDS); round++) {
    const startMs = performance.now();
    const child = spawn(process.execPath, [SERVER_MAIN, "compact", directory], { stdio: "ignore" });
    // Listened for at once: the child may end while the kill waits.
    const closed = once(child, "close");
    if (round > 0) {
      await sleep(random.int(Math.floor(wholeMs / 4), Math.ceil(wholeMs)));
      child.kill("SIGKILL");
    }
    const [code] = await closed;
    if (code !== 0) killed++;
    // It tells how long a whole one takes at present, and with it when to kill the next.
    else wholeMs = performance.now() - startMs;
    expect(runMain("verify", directory).stdout).toBe(before);
  }
  console.log(`compact: ${killed} of ${ROUNDS} killed before the end, seed ${random.seed}`);
  expect(killed).toBeGreaterThan(0);
  expect(runMain("compact", directory).status).toBe(0);
  expect(statSync(join(directory, "data.mdb")).size).toBeLessThan(size);
  expect(existsSync(join(directory, "compacting"))).toBe(false);
  expect(runMain("verify", directory).stdout).toBe(before);
});

/** Appends until the server is gone. Gives the texts that were acknowledged. */
async function appendUntilGone(client: TestClient, round: number): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  for (;;) {
    const text = `round ${round} text ${acknowledged.length}`;
    const request = { sessionId: "kept", createSession: true, messages: [message({ text })] };
    try {
      await client.call("appendMessages", request);
    } catch {
      return acknowledged;
    }
    acknowledged.push(text);
  }
}

async function keptTexts(client: TestClient): Promise<ReadonlySet<string>> {
  const texts = new Set<string>();
  for (let pageToken = ""; ; ) {
    const request = { sessionId: "kept", pageSize: 1_000, pageToken };
    const { messages, nextPageToken } = await client.call("listMessages", request);
    for (const { text } of messages) texts.add(text);
    pageToken = nextPageToken;
    if (pageToken === "") return texts;
  }
}

const KILLS = ["before-exchange", "mid-exchange", "random"] as const;

test("a server that is killed while it compacts loses nothing that it acknowledged", {
  timeout: 300_000 * TEST_DEPTH,
}, async () => {
  await using temporary = await makeTempDir();
  const directory = temporary.path;
  await fill(directory);
  const path = join(directory, "data.mdb");
  const random = randomFrom(testSeed("compact served"));
  const acknowledged: string[] = [];
  const exchanged = { "before-exchange": 0, "mid-exchange": 0, random: 0 };
  for (const [round, kill] of Array.from({ length: TEST_DEPTH }, () => KILLS)
    .flat()
    .entries()) {
    const args = kill === "random" ? [] : ["--failpoints", `${kill}:1`];
    const { ino } = statSync(path);
    const server = await startServer({ dataDir: directory, args });
    const client = new TestClient(server.address);
    const appending = appendUntilGone(client, round);
    const compacting = client.compactStore({});
    if (kill === "random") {
      await sleep(random.int(0, 1_500));
      await server.kill();
    }
    await server.exited;
    await compacting;
    acknowledged.push(...(await appending));
    client.close();
    if (statSync(path).ino !== ino) exchanged[kill]++;
    expect(JSON.parse(runMain("verify", directory).stdout)).toMatchObject({ problems: [] });
    const again = await startServer({ dataDir: directory });
    const reader = new TestClient(again.address);
    const found = await keptTexts(reader);
    expect(acknowledged.filter((text) => !found.has(text))).toEqual([]);
    reader.close();
    await again.stop();
    expect(readdirSync(directory).filter((name) => name.startsWith("compacting"))).toEqual([]);
  }
  // The moment of the kill decides which file is left.
  expect(exchanged).toMatchObject({ "before-exchange": 0, "mid-exchange": TEST_DEPTH });
  console.log(`compact served: ${acknowledged.length} acknowledged, 0 lost, seed ${random.seed}`);
});
