// Many callers at once: on one session, on thousands of sessions, and with one request id.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  connect,
  isMemorySidecarError,
  type MemorySidecar,
} from "../../clients/typescript/src/index.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";
import { newestRevision } from "../support/process/newest-revision.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";

const WRITERS = 256;
const PER_WRITER = 8;
const SESSIONS = 5_000;
const CHANNELS = 16;

let directory: TempDir;
let server: RunningServer;
let clients: MemorySidecar[];

/** Starts a server on a socket: while it is down, nobody else can take its place, as a port. */
async function serve(): Promise<RunningServer> {
  const { path } = directory;
  return await startServer({ dataDir: join(path, "data"), listen: `unix:${path}/socket` });
}

beforeAll(async () => {
  directory = await makeTempDir();
  server = await serve();
  // Calls are repeated until they get through: overload is an answer here, not a failure.
  const retry = { maxAttempts: 50, initialDelayMs: 20, maxDelayMs: 500 };
  clients = Array.from({ length: CHANNELS }, () =>
    connect(server.address, { retry, timeoutMs: 120_000 }),
  );
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.stop();
  await directory[Symbol.asyncDispose]();
});

function client(index: number): MemorySidecar {
  return clients[index % clients.length] as MemorySidecar;
}

async function logOf(sessionId: string): Promise<{ seq: number; text: string }[]> {
  const log: { seq: number; text: string }[] = [];
  for await (const { seq, text } of client(0).listMessages(sessionId, { pageSize: 1_000 })) {
    log.push({ seq: Number(seq), text });
  }
  return log;
}

test("256 writers on one session: seqs 1 to N, each writer's order kept", async () => {
  await client(0).createSession({ sessionId: "shared" });
  const answered = new Map<number, string>();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let i = 0; i < PER_WRITER; i++) {
        const text = `${writer}/${i}`;
        const { messages } = await client(writer).append("shared", text);
        answered.set(Number(messages[0]?.seq), text);
      }
    }),
  );
  const log = await logOf("shared");
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
  expect(log).toHaveLength(WRITERS * PER_WRITER);
  for (const { seq, text } of log) expect(answered.get(seq)).toBe(text);
  const next = new Array<number>(WRITERS).fill(0);
  for (const { text } of log) {
    const [writer = 0, i = 0] = text.split("/").map(Number);
    expect(i).toBe(next[writer]);
    next[writer] = i + 1;
  }
  expect((await client(0).getSession("shared")).lastSeq).toBe(WRITERS * PER_WRITER);
});

test("compare-and-set with expected_last_seq loses nothing", async () => {
  await client(0).createSession({ sessionId: "cas" });
  let conflicts = 0;
  const won: number[] = [];
  await Promise.all(
    Array.from({ length: 32 }, async (_, writer) => {
      for (let done = 0, expected = 0; done < 4; ) {
        try {
          const options = { expectedLastSeq: expected };
          const { lastSeq } = await client(writer).append("cas", `${writer}/${done}`, options);
          expect(Number(lastSeq)).toBe(expected + 1);
          won.push(Number(lastSeq));
          expected = Number(lastSeq);
          done += 1;
        } catch (error) {
          if (!isMemorySidecarError(error, "LAST_SEQ_MISMATCH")) throw error;
          conflicts += 1;
          expect(Number(error.metadata["expected_last_seq"])).toBe(expected);
          expected = Number(error.metadata["last_seq"]);
          await sleep(Math.random() * 10);
        }
      }
    }),
  );
  expect(conflicts).toBeGreaterThan(0);
  expect(won.sort((a, b) => a - b)).toEqual(won.map((_, i) => i + 1));
  const log = await logOf("cas");
  expect(log).toHaveLength(128);
  expect(new Set(log.map(({ text }) => text)).size).toBe(128);
});

test("5,000 sessions at once: no record crosses over", async () => {
  const before = await newestRevision(client(0));
  await Promise.all(
    Array.from({ length: SESSIONS }, async (_, i) => {
      const sessionId = `tagged-${i}`;
      const one = client(i);
      await one.append(sessionId, `${sessionId} first`, { createSession: true });
      await one.append(sessionId, [`${sessionId} second`, `${sessionId} third`]);
      const { messages, windowTotals: window } = await one.window(sessionId);
      const texts = ["first", "second", "third"].map((word) => `${sessionId} ${word}`);
      expect(messages.map((message) => message.text)).toEqual(texts);
      expect(window?.messageCount).toBe(3);
    }),
  );
  const after = await newestRevision(client(0));
  expect(after - before).toBe(2 * SESSIONS);
  let found = 0;
  for await (const session of client(0).listSessions({ pageSize: 1_000 })) {
    if (!session.sessionId.startsWith("tagged-")) continue;
    found += 1;
    expect(session.logTotals?.messageCount).toBe(3);
  }
  expect(found).toBe(SESSIONS);
});

test("one request id ten times in parallel, over a restart, and with another body", async () => {
  const requestId = "the-one";
  const call = (text: string, at = 0) =>
    client(at).append("once", text, { requestId, createSession: true });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => call("hello", i)));
  const [first] = answers;
  for (const answer of answers) expect(answer).toEqual(first);
  expect(await logOf("once")).toEqual([{ seq: 1, text: "hello" }]);

  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    await server.kill(signal);
    server = await serve();
    const repeats = await Promise.all(Array.from({ length: 10 }, (_, i) => call("hello", i)));
    for (const answer of repeats) expect(answer).toEqual(first);
  }
  await expect(call("another")).rejects.toMatchObject({
    reason: "REQUEST_ID_REUSED",
    metadata: { request_id: requestId },
  });
  const reset = client(0).resetSession("once", { requestId });
  await expect(reset).rejects.toMatchObject({ reason: "REQUEST_ID_REUSED" });
  expect(await logOf("once")).toEqual([{ seq: 1, text: "hello" }]);
});

test("ten repeats of a refused call are refused ten times", async () => {
  const options = { requestId: "refused", expectedLastSeq: 77 };
  const calls = Array.from({ length: 10 }, (_, i) => client(i).append("once", "no", options));
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ status: "rejected", reason: { reason: "LAST_SEQ_MISMATCH" } });
  }
});
