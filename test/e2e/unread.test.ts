// Clients that ask and do not read, or begin to ask and stop: what the server holds for them is
// bounded, others do not feel it, and it comes back.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { GetWindowRequest } from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import { connect, dropOldest, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_SOURCE } from "../support/process/server.ts";
import { start } from "./start.ts";
import { creep, type Hoarder, hoard, type RawCall, trickle } from "./storms.ts";

const MB = 1_048_576;
const APPEND = "/memorysidecar.v1.SessionService/AppendMessages";

function windowOf(sessionId: string): RawCall {
  const request = GetWindowRequest.fromPartial({ sessionId });
  return {
    path: "/memorysidecar.v1.SessionService/GetWindow",
    message: GetWindowRequest.encode(request).finish(),
  };
}

/** The resident memory of a process, in MB. */
function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

/** Below every limit by default that a test here sets lower. */
const PATIENCE_MS = 10_000;

async function until(holds: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS && !holds(); waited += 20) await sleep(20);
  return holds();
}

/** A session `large` with a window of 3 MB, and one `small`. */
async function fill(client: MemorySidecar): Promise<void> {
  const text = "x".repeat(1_000_000);
  const policy = { stages: [dropOldest("fit", { maxMessages: 10 })] };
  await client.createSession({ sessionId: "large", policy });
  for (let i = 0; i < 3; i++) await client.append("large", text);
  await client.append("small", "hello", { createSession: true });
}

/** Says that calls of others are answered at once. */
async function expectService(client: MemorySidecar): Promise<void> {
  const { lastSeq } = await client.append("small", "more");
  expect((await client.window("small")).lastSeq).toBe(lastSeq);
}

function refusals(hoarder: Hoarder): number {
  return hoarder.ended.get("14") ?? 0;
}

test("answers that one connection does not read are bounded and come back", async () => {
  await using directory = await makeTempDir();
  const server = await start({ dataDir: directory.path, main: SERVER_SOURCE });
  const client = connect(server.address, { retry: { maxAttempts: 1 }, timeoutMs: 30_000 });
  await fill(client);
  for (let i = 0; i < 50; i++) await client.window("large");
  const before = residentMb(server.pid);
  const growth: number[] = [];
  const hoarder = await hoard(server.address);
  for (let round = 0; round < 4; round++) {
    const refused = refusals(hoarder);
    hoarder.call(windowOf("large"), 300);
    // 64 MiB hold 22 answers of 3 MB.
    expect(await until(() => refusals(hoarder) - refused === 278)).toBe(true);
    await sleep(100);
    growth.push(Math.round(residentMb(server.pid) - before));
    await expectService(client);
    expect((await client.window("large")).messages).toHaveLength(3);
    hoarder.cancel();
    // The places come back with the calls: the next round gets as far as this one.
    const canceled = () => hoarder.ended.get("reset") ?? 0;
    expect(await until(() => canceled() === 22 * (round + 1))).toBe(true);
  }
  console.log(`unread: ${growth.join(", ")} MB more with 300 unread windows of 3 MB`);
  expect(Math.max(...growth)).toBeLessThan(256);
  hoarder.close();
  client.close();
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});

test("small answers that nobody reads count as well", async () => {
  await using directory = await makeTempDir();
  const args = ["--max-connection-buffered-bytes", String(MB)];
  const server = await start({ dataDir: directory.path, args });
  const client = connect(server.address, { retry: { maxAttempts: 1 }, timeoutMs: 30_000 });
  await fill(client);
  const hoarder = await hoard(server.address);
  hoarder.call(windowOf("small"), 300);
  expect(await until(() => refusals(hoarder) > 100)).toBe(true);
  await expectService(client);
  hoarder.close();
  client.close();
  await server.stop();
});

test("many such connections together are bounded, and leave every other its share", async () => {
  await using directory = await makeTempDir();
  const args = ["--max-buffered-bytes", String(32 * MB), "--max-connections", "16"];
  const server = await start({ dataDir: directory.path, args });
  const client = connect(server.address, { retry: { maxAttempts: 1 }, timeoutMs: 30_000 });
  await fill(client);
  const hoarders = await Promise.all(Array.from({ length: 8 }, () => hoard(server.address)));
  for (const hoarder of hoarders) hoarder.call(windowOf("large"), 50);
  const all = () => hoarders.reduce((sum, hoarder) => sum + refusals(hoarder), 0);
  expect(await until(() => all() >= 380)).toBe(true);
  await expectService(client);
  await expect(client.window("large")).rejects.toMatchObject({
    reason: "OVERLOADED",
    code: 14,
    retryDelayMs: 100,
    metadata: { limit: String(32 * MB) },
  });
  for (const hoarder of hoarders) hoarder.close();
  const patient = connect(server.address, { timeoutMs: 30_000 });
  expect((await patient.window("large")).messages).toHaveLength(3);
  patient.close();
  client.close();
  await server.stop();
});

test("requests that stop half way are bounded, and given up", async () => {
  await using directory = await makeTempDir();
  const args = ["--stall-timeout-ms", "2000"];
  const server = await start({ dataDir: directory.path, args, main: SERVER_SOURCE });
  const client = connect(server.address, { retry: { maxAttempts: 1 }, timeoutMs: 30_000 });
  await fill(client);
  const before = residentMb(server.pid);
  const hoarder = await hoard(server.address);
  hoarder.begin(APPEND, 3_000_000, 200);
  // 64 MiB hold 21 such parts.
  expect(await until(() => refusals(hoarder) >= 178)).toBe(true);
  const growth = Math.round(residentMb(server.pid) - before);
  console.log(`unread: ${growth} MB more with 200 requests of 3 MB that stopped half way`);
  expect(growth).toBeLessThan(256);
  await expectService(client);
  // Those that had room get a status, too: nobody waits for one until the deadline.
  expect(await until(() => refusals(hoarder) === 200)).toBe(true);
  await client.append(
    "large",
    ["a", "b", "c"].map((one) => one.repeat(1_000_000)),
  );
  hoarder.close();
  client.close();
  await server.stop();
});

test("requests of a byte at a time are given up, one that is only slow is not", async () => {
  await using directory = await makeTempDir();
  const args = ["--stall-timeout-ms", "4000"];
  const server = await start({ dataDir: directory.path, args });
  const creeping = await creep(server.address, APPEND, { bytes: 1, count: 100 });
  const slow = await creep(server.address, APPEND, { bytes: 2_000, count: 1 });
  await sleep(500);
  expect(creeping.open()).toBe(100);
  expect(await until(() => creeping.open() === 0)).toBe(true);
  await sleep(2_000);
  expect(slow.open()).toBe(1);
  creeping.close();
  slow.close();
  await server.stop();
});

test("a connection that takes nothing is dropped, one that reads slowly is not", async () => {
  await using directory = await makeTempDir();
  const args = ["--stall-timeout-ms", "4000"];
  const server = await start({ dataDir: directory.path, args });
  const client = connect(server.address, { retry: { maxAttempts: 1 }, timeoutMs: 30_000 });
  await fill(client);
  const hoarder = await hoard(server.address);
  hoarder.call(windowOf("large"), 5);
  const slow = await trickle(server.address, windowOf("large"), 16_384);
  await sleep(500);
  expect(hoarder.dropped()).toBe(false);
  // A caller that is refused again and again is no reader.
  const nagging = setInterval(() => hoarder.call(windowOf("nowhere"), 1), 50);
  expect(await until(hoarder.dropped)).toBe(true);
  clearInterval(nagging);
  expect(server.logs.map((entry) => entry["msg"])).toContain(
    "connection dropped: its answers are not read",
  );
  await expectService(client);
  expect(slow.dropped()).toBe(false);
  slow.close();
  client.close();
  await server.stop();
});
