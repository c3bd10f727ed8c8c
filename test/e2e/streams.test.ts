// The event stream of a real server: over restarts, with many watchers, with readers that stop, and
// with tokens that do not fit.

import { setTimeout as sleep } from "node:timers/promises";
import type { ClientReadableStream } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { liveMemory } from "../../bench/inspect.ts";
import { StreamPosition } from "../../clients/typescript/src/gen/memorysidecar/v1/event.ts";
import {
  WatchEventsRequest,
  type WatchEventsResponse,
} from "../../clients/typescript/src/gen/memorysidecar/v1/event_service.ts";
import { connect, type Event, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { newestRevision } from "../support/process/newest-revision.ts";
import type { RunningServer } from "../support/process/server.ts";
import { start } from "./start.ts";

const RESTARTS = 6 * TEST_DEPTH;
const WATCHERS = 100;
const STALLED = 10;

function key(event: Event | undefined): string {
  if (event === undefined) return "";
  return `${event.revision}.${event.index} ${event.detail?.$case} ${event.requestId}`;
}

async function allEvents(client: MemorySidecar): Promise<string[]> {
  const keys: string[] = [];
  for await (const event of client.listEvents({ pageSize: 1_000 })) keys.push(key(event));
  return keys;
}

function open(client: MemorySidecar, start: WatchEventsRequest["start"], namespace = "") {
  const request = WatchEventsRequest.fromPartial({ namespace });
  const call = client.raw.events.watchEvents({ ...request, start });
  call.on("error", () => {});
  return call;
}

/** Reads a stream until it has this many events, or ends. */
async function readEvents(
  call: ClientReadableStream<WatchEventsResponse>,
  count: number,
): Promise<string[]> {
  const keys: string[] = [];
  for await (const answer of call as AsyncIterable<WatchEventsResponse>) {
    for (const { event } of answer.events) keys.push(key(event));
    if (keys.length >= count) break;
  }
  return keys;
}

/** The error that a stream ends with. */
function failure(call: ClientReadableStream<WatchEventsResponse>) {
  call.resume();
  return new Promise<Error & { code?: number; details?: string }>((resolve, reject) => {
    call.on("error", resolve);
    call.on("end", () => setTimeout(() => reject(new Error("ended without an error")), 100));
  });
}

test("ordered, complete and resumable over random restarts", {
  timeout: 240_000 * TEST_DEPTH,
}, async () => {
  const random = randomFrom(testSeed("streams"));
  await using directory = await makeTempDir();
  const listen = `unix:${directory.path}/socket`;
  const dataDir = `${directory.path}/data`;
  let server: RunningServer = await start({ dataDir, listen });
  const retry = { maxAttempts: 200, initialDelayMs: 20, maxDelayMs: 200 };
  const client = connect(server.address, { retry, timeoutMs: 120_000 });
  const watched: string[] = [];
  let interrupts = 0;
  const stream = client.watch({
    from: "oldest",
    onInterrupt: () => {
      interrupts += 1;
    },
  });
  const watching = (async () => {
    for await (const { event } of stream) watched.push(key(event));
  })();
  const raw = rawResumes(client);
  let writing = true;
  let appended = 0;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; writing; i++) {
      await client.append(`s${writer}`, `${writer}/${i}`, { createSession: true });
      appended += 1;
    }
  });
  for (let restart = 0; restart < RESTARTS; restart++) {
    const target = appended + random.int(20, 200);
    for (let i = 0; i < 500 && appended < target; i++) await sleep(10);
    await server.kill(random.chance(0.5) ? "SIGKILL" : "SIGTERM");
    server = await start({ dataDir, listen });
  }
  writing = false;
  await Promise.all(writers);
  const expected = await allEvents(client);
  for (let i = 0; i < 500 && (watched.length < expected.length || !raw.has(expected)); i++) {
    await sleep(20);
  }
  await stream.return();
  await watching;
  const repeats = await raw.stop();
  console.log(
    `streams: ${RESTARTS} restarts, ${appended} appends, ${expected.length} events, ` +
      `${interrupts} interruptions, ${repeats} events came again, seed ${random.seed}`,
  );
  expect(watched).toEqual(expected);
  expect(raw.keys()).toEqual(expected);
  expect(new Set(expected).size).toBe(expected.length);
  expect(expected.filter((one) => one.includes("messagesAppended"))).toHaveLength(appended);
  expect(interrupts).toBeGreaterThanOrEqual(RESTARTS / 2);
  client.close();
  await server.stop();
});

/** A reader without the client's help: resumes from the last token and counts what comes again. */
function rawResumes(client: MemorySidecar) {
  const seen = new Map<string, number>();
  let repeats = 0;
  let token = "";
  let stopped = false;
  let call: ClientReadableStream<WatchEventsResponse> | undefined;
  const reading = (async () => {
    while (!stopped) {
      const position = { $case: "position", value: StreamPosition.OLDEST } as const;
      call = open(client, token === "" ? position : { $case: "resumeToken", value: token });
      try {
        for await (const answer of call as AsyncIterable<WatchEventsResponse>) {
          token = answer.resumeToken;
          for (const { event } of answer.events) {
            const one = key(event);
            if (seen.has(one)) repeats += 1;
            else seen.set(one, seen.size);
          }
        }
      } catch {
        await sleep(20);
      }
    }
  })();
  return {
    keys: () => [...seen.keys()],
    has: (expected: readonly string[]) => seen.size >= expected.length,
    stop: async () => {
      stopped = true;
      call?.cancel();
      await reading;
      return repeats;
    },
  };
}

async function appendMany(clients: readonly MemorySidecar[], count: number): Promise<void> {
  let next = 0;
  const work = Array.from({ length: 64 }, async (_, i) => {
    while (next < count) {
      next += 1;
      const client = clients[i % clients.length] as MemorySidecar;
      await client.append(`session-${i}`, "x".repeat(200), { createSession: true });
    }
  });
  await Promise.all(work);
}

test("100 watchers, 10 of them stalled: bounded memory, the others unaffected", {
  timeout: 240_000,
}, async () => {
  await using directory = await makeTempDir();
  const nodeArgs = ["--max-semi-space-size=16", "--inspect=127.0.0.1:0"];
  const server = await start({ dataDir: directory.path, nodeArgs });
  const inspectUrl = /ws:\/\/\S+/.exec(server.output.join("\n"))?.[0] ?? "";
  const clients = Array.from({ length: 4 }, () => connect(server.address));
  const [client] = clients as [MemorySidecar];
  // Fills every window and the server's ring of events, so that later growth is not theirs. The
  // ring of a namespace is there while somebody watches it.
  const first = open(client, { $case: "position", value: StreamPosition.NOW });
  await new Promise((resolve) => first.once("data", resolve));
  first.on("data", () => undefined);
  await appendMany(clients, 24_000);
  const watchClients = Array.from({ length: WATCHERS }, () => connect(server.address));
  const counts = new Array<number>(WATCHERS).fill(0);
  const calls = watchClients.map((one) =>
    open(one, { $case: "position", value: StreamPosition.NOW }),
  );
  await Promise.all(calls.map((call) => new Promise((resolve) => call.once("data", resolve))));
  const stalledCalls = calls.slice(0, STALLED);
  for (const call of stalledCalls) call.pause();
  calls.slice(STALLED).forEach((call, i) => {
    call.on("data", (answer: WatchEventsResponse) => {
      counts[STALLED + i] = (counts[STALLED + i] ?? 0) + answer.events.length;
    });
  });
  const startRevision = await newestRevision(client);
  await appendMany(clients, 1_000);
  const before = await liveMemory(inspectUrl);
  await appendMany(clients, 2_000);
  const expected = (await allEvents(client)).filter(
    (one) => Number(one.split(".")[0] ?? 0) > startRevision,
  );
  for (let i = 0; i < 2_000 && counts.slice(STALLED).some((n) => n < expected.length); i++) {
    await sleep(20);
  }
  expect(counts.slice(STALLED)).toEqual(new Array(WATCHERS - STALLED).fill(expected.length));
  const after = await liveMemory(inspectUrl);
  const perStalled = (after.live - before.live) / STALLED / 1_048_576;
  const rssPerStalled = (after.rss - before.rss) / STALLED / 1_048_576;
  console.log(
    `stalled watchers: ${expected.length} events unread each, ${perStalled.toFixed(3)} MB live and ` +
      `${rssPerStalled.toFixed(3)} MB resident more per stalled watcher`,
  );
  expect(perStalled).toBeLessThan(0.25);
  // Reads on from the disk, and gets everything.
  const late = await Promise.all(stalledCalls.map((call) => readEvents(call, expected.length)));
  for (const keys of late) expect(keys).toEqual(expected);
  for (const one of [...clients, ...watchClients]) one.close();
  await server.stop();
});

test("an expired token is told the oldest revision, also for a consumer", async () => {
  await using directory = await makeTempDir();
  const args = ["--event-retention-count", "50"];
  const server = await start({ dataDir: directory.path, args });
  const client = connect(server.address);
  const first = open(client, { $case: "position", value: StreamPosition.NOW });
  const token = await new Promise<string>((resolve) =>
    first.once("data", (answer: WatchEventsResponse) => resolve(answer.resumeToken)),
  );
  first.cancel();
  await client.createConsumer("late", { from: { resumeToken: token } });
  await appendMany([client], 400);
  // Nothing more is dropped once this many are left.
  await expect.poll(async () => (await allEvents(client)).length).toBe(50);
  const metadata = { oldest_revision: expect.stringMatching(/^\d+$/) };
  const expired = { reason: "RESUME_TOKEN_EXPIRED", code: 11, metadata };
  await expect(client.listEvents({ from: { resumeToken: token } }).next()).rejects.toMatchObject(
    expired,
  );
  const watch = client.watch({ from: { resumeToken: token } });
  await expect(watch.next()).rejects.toMatchObject(expired);
  const consumer = client.watch({ from: { consumerId: "late" } });
  await expect(consumer.next()).rejects.toMatchObject(expired);
  const kept = await allEvents(client);
  await expect(client.listEvents({ from: { resumeToken: token } }).next()).rejects.toMatchObject({
    metadata: { oldest_revision: kept[0]?.split(".")[0] },
  });
  client.close();
  await server.stop();
});

test("tokens of another store, of another namespace, and damaged ones are refused", async () => {
  await using directory = await makeTempDir();
  const [one, two] = await Promise.all(
    ["one", "two"].map((name) => start({ dataDir: `${directory.path}/${name}` })),
  );
  if (one === undefined || two === undefined) throw new Error("no server");
  const client = connect(one.address);
  const stranger = connect(two.address);
  await client.append("s", "hello", { createSession: true });
  await stranger.append("s", "hello", { createSession: true });
  const stream = client.watch({ from: "oldest" });
  await stream.next();
  const { resumeToken } = stream;
  await stream.return();
  const foreign = { reason: "RESUME_TOKEN_FOREIGN", code: 3 };
  const from = { resumeToken };
  await expect(stranger.watch({ from }).next()).rejects.toMatchObject(foreign);
  await expect(stranger.listEvents({ from: { resumeToken } }).next()).rejects.toMatchObject(
    foreign,
  );
  const elsewhere = client.watch({ from, namespace: "other" });
  await expect(elsewhere.next()).rejects.toMatchObject(foreign);
  const invalid = { reason: "RESUME_TOKEN_INVALID", code: 3 };
  for (const damaged of [`${resumeToken}x`, resumeToken.slice(0, -2), "nonsense"]) {
    const call = client.listEvents({ from: { resumeToken: damaged } }).next();
    await expect(call).rejects.toMatchObject(invalid);
  }
  for (const used of [client, stranger]) used.close();
  await Promise.all([one.stop(), two.stop()]);
});

test("a consumer goes on after what it acknowledged, also after a restart", async () => {
  await using directory = await makeTempDir();
  let server = await start({ dataDir: directory.path });
  let client = connect(server.address);
  await client.createConsumer("worker", { from: "oldest" });
  for (let i = 0; i < 10; i++) await client.append("s", `message ${i}`, { createSession: true });
  const expected = await allEvents(client);
  const stream = client.watch({ from: { consumerId: "worker" } });
  const seen: string[] = [];
  let token = "";
  for await (const { event, resumeToken } of stream) {
    seen.push(key(event));
    if (seen.length === 6) token = resumeToken;
    if (seen.length === expected.length) break;
  }
  expect(seen).toEqual(expected);
  const acked = await client.ackEvents("worker", token);
  client.close();
  await server.kill("SIGKILL");

  server = await start({ dataDir: directory.path });
  client = connect(server.address);
  const consumer = await client.getConsumer("worker");
  expect(consumer.revision).toBe(acked.revision);
  expect(consumer.resumeToken).toBe(acked.resumeToken);
  const rest = client.watch({ from: { consumerId: "worker" } });
  const again: string[] = [];
  for await (const { event } of rest) {
    again.push(key(event));
    if (again.length === expected.length - 6) break;
  }
  expect(again).toEqual(expected.slice(6));
  // An older token changes nothing.
  expect((await client.ackEvents("worker", token)).revision).toBe(acked.revision);
  client.close();
  await server.stop();
});

test("a server that stops ends its streams with SHUTTING_DOWN", async () => {
  await using directory = await makeTempDir();
  const server = await start({ dataDir: directory.path });
  const client = connect(server.address, { retry: { maxAttempts: 1 } });
  let reason = "";
  const stream = client.watch({
    from: "now",
    onInterrupt: (error) => {
      reason ||= error.reason;
    },
  });
  await stream.ready;
  const raw = open(client, { $case: "position", value: StreamPosition.NOW });
  await new Promise((resolve) => raw.once("data", resolve));
  const ended = failure(raw);
  const exit = await server.stop();
  expect(exit).toEqual({ code: 0, signal: null });
  expect(await ended).toMatchObject({ code: 14, details: expect.stringContaining("stopping") });
  expect(reason).toBe("SHUTTING_DOWN");
  await stream.return();
  client.close();
});
