// CompactStore on a real server under load: nothing that was acknowledged is lost, streams and
// tokens go on, and back-ups are made of the new file.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { afterToken, NOW, Watch } from "../support/contract/watch.ts";
import { TEST_DEPTH } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN } from "../support/process/server.ts";
import { start } from "./start.ts";

const WRITERS = 4;
const LARGE_MESSAGES = 20;

function verify(directory: string): unknown {
  const { stdout } = spawnSync(process.execPath, [SERVER_MAIN, "verify", directory], {
    encoding: "utf8",
  });
  return JSON.parse(stdout);
}

/** Compacts the store of a running server. Gives what the server says of it. */
async function compact(client: TestClient) {
  const { chunks, failure } = await client.compactStore({});
  expect(failure).toBeUndefined();
  const made = chunks.at(-1)?.part;
  if (made?.$case !== "compaction") throw new Error("no compaction");
  return made.value;
}

/** Appends to sessions of its own until it is told to stop. Gives the newest seqs. */
function appendOn(client: TestClient) {
  const newest = new Map<string, number>();
  let [hasEnded, slowestMs] = [false, 0];
  const running = Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const sessionId = `session ${writer}`;
      for (let seq = 1; !hasEnded; seq++) {
        const messages = [message({ text: `${seq} ${"x".repeat((seq * 997) % 5_000)}` })];
        const startMs = performance.now();
        await client.call("appendMessages", { sessionId, createSession: true, messages });
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
        newest.set(sessionId, seq);
      }
    }),
  );
  return async () => {
    hasEnded = true;
    await running;
    return { newest, slowestMs };
  };
}

async function expectAll(client: TestClient, newest: ReadonlyMap<string, number>): Promise<void> {
  for (const [sessionId, seq] of newest) {
    const seqs: number[] = [];
    for (let pageToken = ""; ; ) {
      const request = { sessionId, pageSize: 1_000, pageToken };
      const { messages, nextPageToken } = await client.call("listMessages", request);
      for (const { text } of messages) seqs.push(Number(text.split(" ", 1)[0]));
      pageToken = nextPageToken;
      if (pageToken === "") break;
    }
    expect(seqs).toEqual(Array.from({ length: seq }, (_, i) => i + 1));
  }
}

/** The revisions that a watch tells, up to the one that makes a session. */
async function revisionsUntil(watch: Watch, sessionId: string): Promise<readonly number[]> {
  const revisions: number[] = [];
  for (;;) {
    const { event } = await watch.event();
    const revision = Number(event.revision);
    if (revisions.at(-1) !== revision) revisions.push(revision);
    if (event.sessionId !== sessionId) continue;
    watch.close();
    return revisions;
  }
}

/** Leaves free pages behind. */
async function makeRoom(client: TestClient): Promise<void> {
  const text = "x".repeat(900_000);
  const session = { sessionId: "gone", createSession: true };
  for (let i = 0; i < LARGE_MESSAGES; i++) {
    const request = { ...session, messages: [message({ text, messageId: `m${i}` })] };
    await client.call("appendMessages", request);
  }
  for (let i = 0; i < LARGE_MESSAGES; i++) {
    await client.call("deleteMessage", { sessionId: "gone", messageId: `m${i}` });
  }
}

test("a server under load is compacted, and goes on", async () => {
  await using temporary = await makeTempDir();
  const [dataDir, backUps] = [join(temporary.path, "data"), join(temporary.path, "back-ups")];
  const path = join(dataDir, "data.mdb");
  mkdirSync(backUps);
  const server = await start({ dataDir, args: ["--backup-dir", backUps] });
  const client = new TestClient(server.address);
  await makeRoom(client);
  const { sizeBytesBefore, sizeBytesAfter } = await compact(client);
  expect(Number(sizeBytesAfter)).toBeLessThan(Number(sizeBytesBefore) / 2);
  const { resumeToken } = await client.call("listEvents", {});
  const watch = new Watch(client, { start: NOW });
  const watched = revisionsUntil(watch, "last");
  const stop = appendOn(client);

  const pauses: number[] = [];
  for (let round = 0; round < TEST_DEPTH; round++) {
    const { ino } = statSync(path);
    const { writePause } = await compact(client);
    expect(statSync(path).ino).not.toBe(ino);
    pauses.push(Number(writePause?.seconds) * 1e3 + (writePause?.nanos ?? 0) / 1e6);
  }
  const { failure } = await client.backUp({});
  expect(failure).toBeUndefined();
  const { newest, slowestMs } = await stop();
  console.log(
    `compaction: writes waited ${pauses.map((ms) => ms.toFixed(1)).join(", ")} ms; the ` +
      `slowest append took ${slowestMs.toFixed(0)} ms`,
  );

  const session = { sessionId: "last", createSession: true };
  await client.call("appendMessages", { ...session, messages: [message({ text: "1" })] });
  const revisions = await watched;
  const [first = 0] = revisions;
  expect(revisions).toEqual(revisions.map((_, i) => first + i));
  expect(revisions.length).toBeGreaterThan([...newest.values()].reduce((sum, seq) => sum + seq, 0));
  await client.call("listEvents", { start: afterToken(resumeToken) });
  await expectAll(client, newest);
  const command = [SERVER_MAIN, "compact", server.address];
  const { status, stdout } = spawnSync(process.execPath, command, { encoding: "utf8" });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ bytesAfter: statSync(path).size });
  client.close();
  await server.stop();
  expect(readdirSync(dataDir).filter((name) => name.startsWith("compacting"))).toEqual([]);
  expect(verify(dataDir)).toMatchObject({ clean: true, problems: [] });
  const [backUp = ""] = readdirSync(backUps).filter((name) => !name.startsWith("owner"));
  expect(verify(join(backUps, backUp))).toMatchObject({ clean: true, problems: [] });

  const again = await start({ dataDir });
  const reader = new TestClient(again.address);
  await expectAll(reader, newest);
  reader.close();
  await again.stop();
});
