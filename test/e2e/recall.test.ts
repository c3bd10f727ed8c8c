// Recall of a real server under load: what was answered is found at once, also while a large import
// runs, after a restart, with hardly any memory, and when the thread of the index ends.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  connect,
  isMemorySidecarError,
  type MemorySidecar,
  type RecallHit,
  type SnapshotChunk,
} from "../../clients/typescript/src/index.ts";
import { randomFrom } from "../support/kit/random.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";
import { type RunningServer, SERVER_SOURCE } from "../support/process/server.ts";
import { chatText } from "../support/recall/chat-texts.ts";
import { indexFaults } from "../support/recall/fresh-index.ts";
import { start } from "./start.ts";

const WRITERS = 64;
const PER_WRITER = 8;
const CHANNELS = 8;
/** A session that is imported several times. */
const SEED_MESSAGES = 10_000;
const IMPORTS = 5;
const BATCH = 1_000;
const MARK_EVERY = 100;
const LEXICAL = { mode: "lexical" } as const;
/** The least that the setting takes. */
const SMALL_INDEX_BYTES = 16_777_216;
const RSS_MIB_MAX = 700;
const EXIT_MS_MAX = 8_000;

let directory: TempDir;
const snapshot: SnapshotChunk[] = [];

beforeAll(async () => {
  directory = await makeTempDir();
});

afterAll(() => directory[Symbol.asyncDispose]());

function clientOf(server: RunningServer): MemorySidecar {
  return connect(server.address, { timeoutMs: 120_000 });
}

/** The directory that the tests of this file share, in their order. */
const shared = () => join(directory.path, "shared");

function textOf({ record }: RecallHit): string {
  return record?.$case === "message" ? (record.value.message?.text ?? "") : "";
}

function residentMib({ pid }: RunningServer): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** No background work has failed and nothing was printed. */
function expectCalm(server: RunningServer): void {
  expect(server.output).toEqual([]);
  const isBad = ({ level }: Readonly<Record<string, unknown>>) =>
    level === "error" || level === "fatal";
  expect(server.logs.filter(isBad)).toEqual([]);
}

const markOf = (session: string, at: number) => `mark${session}x${at}`;

/** Fills a session with messages, every hundredth of which has a word of its own. */
async function fill(client: MemorySidecar, namespace: string, sessionId: string, count: number) {
  const random = randomFrom(count);
  for (let from = 0; from < count; from += BATCH) {
    const texts = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => {
      const at = from + i;
      const mark = at % MARK_EVERY === 0 ? ` ${markOf(sessionId, at)}` : "";
      return chatText(random, Math.floor(at / 50)) + mark;
    });
    await client.append(sessionId, texts, { namespace, createSession: true });
  }
}

async function finds(client: MemorySidecar, namespace: string, word: string): Promise<boolean> {
  const { hits } = await client.recall(word, { namespace, pageSize: 3, ...LEXICAL });
  return hits.some((hit) => textOf(hit).includes(word));
}

test("64 writers find what they have just written, each time", async () => {
  const server = await start({ dataDir: join(directory.path, "writers") });
  const clients = Array.from({ length: CHANNELS }, () => clientOf(server));
  const missed: string[] = [];
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const client = clients[writer % CHANNELS] as MemorySidecar;
      for (let at = 0; at < PER_WRITER; at++) {
        const word = `word${writer}x${at}`;
        const text = `${word} ${chatText(randomFrom(writer * 100 + at), writer)}`;
        await client.append(`s${writer % 20}`, text, { createSession: true });
        if (!(await finds(client, "", word))) missed.push(word);
      }
    }),
  );
  expect(missed).toEqual([]);
  const [client] = clients as [MemorySidecar];
  const query = { text: "doctor garden", mode: "hybrid", referenceMs: Date.now() } as const;
  expect(await indexFaults(client, "default", [query])).toEqual([]);
  expectCalm(server);
  for (const one of clients) one.close();
});

test("beside an import of 50,000 messages writes are found at once", async () => {
  const server = await start({ dataDir: shared() });
  const [client, importer] = [clientOf(server), clientOf(server)];
  const namespace = "busy";
  await fill(client, "seed", "seed", SEED_MESSAGES);
  for await (const chunk of client.exportSession("seed", { namespace: "seed" })) {
    snapshot.push(chunk);
  }
  let isOver = false;
  const importing = (async () => {
    for (let at = 0; at < IMPORTS; at++) {
      await importer.importSession(snapshot, { namespace, sessionId: `import${at}` });
    }
    isOver = true;
  })();
  const missed: string[] = [];
  let partial = 0;
  for (let at = 0; !isOver; at++) {
    const word = `beside${at}`;
    await client.append("own", `${word} of many`, { namespace, createSession: true });
    const allowPartial = at % 2 === 1;
    const { hits, coverage } = await client.recall(word, { namespace, allowPartial, ...LEXICAL });
    if (!hits.some((hit) => textOf(hit).includes(word))) missed.push(word);
    if (!allowPartial) expect(coverage).toMatchObject({ complete: true, pendingCount: 0 });
    if (coverage?.complete === false) partial += 1;
  }
  await importing;
  expect(missed).toEqual([]);
  const { hits, coverage } = await client.recall(markOf("seed", 0), { namespace, ...LEXICAL });
  const marked = hits.filter((hit) => textOf(hit).includes(markOf("seed", 0)));
  expect(marked).toHaveLength(IMPORTS);
  expect(coverage?.complete).toBe(true);
  console.log(`import: ${partial} answers said that they were not complete`);
  expectCalm(server);
  client.close();
  importer.close();
  await server.stop();
}, 240_000);

test("after a start, an answer at once says what it lacks, and one that waits lacks nothing", async () => {
  const server = await start({ dataDir: shared() });
  const client = clientOf(server);
  // Nobody has recalled it yet.
  const namespace = "seed";
  const word = markOf("seed", 0);
  const early = await client.recall(word, { namespace, allowPartial: true, ...LEXICAL });
  expect(early.coverage?.complete).toBe(false);
  const whole = await client.recall(word, { namespace, ...LEXICAL });
  expect(whole.hits.map(textOf).join()).toContain(word);
  expect(whole.coverage).toMatchObject({ complete: true, pendingCount: 0, leftOutCount: 0 });
  // Everybody remembers this one: it is loaded without being asked.
  await expect
    .poll(
      async () => {
        const ask = { namespace: "busy", allowPartial: true, ...LEXICAL };
        return (await client.recall(word, ask)).coverage?.complete;
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  await server.stop();
  const again = await start({ dataDir: shared() });
  const other = clientOf(again);
  // Long enough for 60,000 messages on a slow machine; nothing is asked meanwhile.
  let calmMs = 0;
  for (let last = cpuMs(again); calmMs < 3_000; ) {
    await sleep(250);
    const now = cpuMs(again);
    calmMs = now - last < 25 ? calmMs + 250 : 0;
    last = now;
  }
  for (const loaded of ["busy", "seed"]) {
    const ask = { namespace: loaded, allowPartial: true, ...LEXICAL };
    expect((await other.recall(word, ask)).coverage?.complete).toBe(true);
  }
  expectCalm(again);
  client.close();
  other.close();
}, 240_000);

/** CPU time of the threads of a server. */
function cpuMs({ pid }: RunningServer): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

test("with hardly any memory answers stay right, and say what is left out", async () => {
  const args = ["--recall-memory-bytes", String(SMALL_INDEX_BYTES)];
  const server = await start({ dataDir: shared(), args, main: SERVER_SOURCE });
  const client = clientOf(server);
  for (let at = 0; at < 4; at++) await fill(client, `small${at}`, `s${at}`, 2 * BATCH);
  // More than fits.
  for (let at = IMPORTS; at < 2 * IMPORTS; at++) {
    await client.importSession(snapshot, { namespace: "busy", sessionId: `import${at}` });
  }
  let rss = 0;
  for (let round = 0; round < 3; round++) {
    for (let at = 0; at < 4; at++) {
      const options = { namespace: `small${at}`, ...LEXICAL };
      const word = markOf(`s${at}`, round * MARK_EVERY);
      const { hits, coverage } = await client.recall(word, options);
      expect(hits.map(textOf).join()).toContain(word);
      expect(coverage).toMatchObject({ complete: true, leftOutCount: 0 });
    }
    const options = { namespace: "busy", pageSize: 100, ...LEXICAL };
    const { coverage } = await client.recall("something", options);
    const leftOut = Number(coverage?.leftOutCount);
    const total = 2 * IMPORTS * SEED_MESSAGES;
    expect(coverage?.complete).toBe(false);
    expect(leftOut).toBeGreaterThan(0);
    expect(leftOut).toBeLessThan(total);
    let found = 0;
    let asked = 0;
    for (let mark = 0; mark < SEED_MESSAGES; mark += 10 * MARK_EVERY) {
      const word = markOf("seed", mark);
      const { hits } = await client.recall(word, options);
      found += hits.filter((hit) => textOf(hit).includes(word)).length;
      asked += 2 * IMPORTS;
    }
    // The reported share of missing records is right, within the precision of 100 samples.
    expect(found / asked).toBeGreaterThan(1 - leftOut / total - 0.2);
    expect(found / asked).toBeLessThan(1 - leftOut / total + 0.2);
    // New records are indexed even so.
    const word = `fresh${round}`;
    await client.append("own", word, { namespace: "busy", createSession: true });
    expect(await finds(client, "busy", word)).toBe(true);
    rss = Math.max(rss, residentMib(server));
    console.log(`16 MiB: ${leftOut} of ${total} left out, ${found}/${asked} found, RSS ${rss} MiB`);
  }
  expect(rss).toBeLessThan(RSS_MIB_MAX);
  expectCalm(server);
  client.close();
}, 240_000);

test("a session that runs out is found until then, and never after", async () => {
  const server = await start({ dataDir: join(directory.path, "brief") });
  const client = clientOf(server);
  const ttlMs = 5_000;
  await client.createSession({ sessionId: "brief", ttlMs });
  const beforeMs = Date.now();
  await client.append("brief", "a pelican");
  const afterMs = Date.now();
  await client.append("long", "another pelican", { createSession: true });
  let early = 0;
  for (;;) {
    const askMs = Date.now();
    const { hits } = await client.recall("pelican", LEXICAL);
    const texts = hits.map(textOf);
    expect(texts).toContain("another pelican");
    if (Date.now() < beforeMs + ttlMs) {
      expect(texts).toContain("a pelican");
      early += 1;
    }
    if (askMs > afterMs + ttlMs) expect(texts).not.toContain("a pelican");
    if (askMs > afterMs + ttlMs + 1_500) break;
    await sleep(20);
  }
  expect(early).toBeGreaterThan(0);
  expectCalm(server);
  client.close();
});

test("what is deleted between two pages is on neither", async () => {
  const server = await start({ dataDir: join(directory.path, "pages") });
  const client = clientOf(server);
  for (let at = 0; at < 40; at++) {
    const text = `badger number ${at}`;
    const role = "user" as const;
    await client.append("s", [{ role, messageId: `m${at}`, text }], { createSession: true });
  }
  const ask = { pageSize: 10, ...LEXICAL };
  const idOf = ({ record }: RecallHit) =>
    record?.$case === "message" ? (record.value.message?.messageId ?? "") : "";
  const first = await client.recall("badger", ask);
  const second = await client.recall("badger", { ...ask, pageToken: first.nextPageToken });
  const victims = [...first.hits, ...second.hits].map(idOf).slice(5, 15);
  for (const messageId of victims) await client.deleteMessage("s", messageId);
  const seen: string[] = [];
  for (const pageToken of ["", first.nextPageToken, second.nextPageToken]) {
    seen.push(...(await client.recall("badger", { ...ask, pageToken })).hits.map(idOf));
  }
  expect(seen.filter((id) => victims.includes(id))).toEqual([]);
  expect(seen.length).toBeGreaterThan(10);
  client.close();
});

test("an index whose thread ends again and again comes back", async () => {
  const preload = join(import.meta.dirname, "../support/recall/ending-index.ts");
  const dataDir = join(directory.path, "ending");
  const server = await start({ dataDir, nodeArgs: ["--import", preload] });
  const client = clientOf(server);
  await fill(client, "", "s", 3 * BATCH);
  let isOver = false;
  let found = 0;
  const errors: unknown[] = [];
  const asking = Array.from({ length: 4 }, async (_, asker) => {
    for (let at = 0; !isOver; at++) {
      const word = `asker${asker}x${at}`;
      try {
        await client.append(`own${asker}`, word, { createSession: true });
        if (await finds(client, "", word)) found += 1;
        else errors.push(`${word} is not found`);
      } catch (error) {
        errors.push(error);
      }
    }
  });
  expect(await finds(client, "", markOf("s", 0))).toBe(true);
  for (let end = 0; end < 4; end++) {
    const before = found;
    process.kill(server.pid, "SIGUSR2");
    await sleep(700 + 300 * end);
    // However slow the machine is: searches are answered again before the next end.
    for (let wait = 0; found < before + 4 && wait < 200; wait++) await sleep(100);
    expect(found).toBeGreaterThanOrEqual(before + 4);
  }
  isOver = true;
  await Promise.all(asking);
  // A caller may be told to come again; nobody may be told that there is nothing.
  const isTold = (error: unknown) => isMemorySidecarError(error, "OVERLOADED");
  expect(errors.filter((error) => !isTold(error))).toEqual([]);
  expect(await finds(client, "", markOf("s", 100))).toBe(true);
  const query = { text: "doctor garden", mode: "hybrid", referenceMs: Date.now() } as const;
  expect(await indexFaults(client, "default", [query])).toEqual([]);
  expect(server.output).toEqual([]);
  client.close();
});

test("a stop ends a load and the recalls that wait for it, in time", async () => {
  // A load that outlasts the time that a stop waits for calls must end then.
  const server = await start({ dataDir: shared(), args: ["--shutdown-grace-ms", "500"] });
  const client = connect(server.address, { timeoutMs: 60_000, retry: { maxAttempts: 1 } });
  // The connection stands: a stop accepts no new ones.
  await client.serverInfo();
  const waiting = ["seed", "busy", "small1"].map((namespace) =>
    client.recall("garden", { namespace }).then(
      ({ coverage }) => (coverage?.complete === true ? "answered" : "incomplete"),
      (error: unknown) => (isMemorySidecarError(error) ? `${error.code} ${error.reason}` : "?"),
    ),
  );
  await sleep(50);
  const begin = performance.now();
  const exit = await server.kill("SIGTERM");
  expect(exit).toEqual({ code: 0, signal: null });
  expect(performance.now() - begin).toBeLessThan(EXIT_MS_MAX);
  for (const outcome of await Promise.all(waiting)) {
    expect(outcome).toMatch(/^(answered|14 SHUTTING_DOWN)$/);
  }
  expectCalm(server);
  client.close();
});
