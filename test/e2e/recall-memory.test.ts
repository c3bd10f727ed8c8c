// The bound of the index bounds the process: whatever is recalled, its anonymous memory grows by at
// most a fifth more than --recall-memory-bytes, and by what the threads need for their garbage;
// also while a namespace that is too large drops its oldest messages.
//
// The base is the same process after one recall in a small namespace: it has the thread of the
// index and its table, and has served nothing else. Memory is looked at all the while, so garbage
// counts until it is given back. Half of the words are in one message alone, such as ids: they cost
// an index the most.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { connect, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { randomFrom, TEST_DEPTH } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { type RunningServer, SERVER_SOURCE, startServer } from "../support/process/server.ts";
import { chatText } from "../support/recall/chat-texts.ts";
import { start } from "./start.ts";

const MIB = 1_048_576;
/** In a long run the least bound, that of a server of 512 MiB, and the largest default. */
const BOUNDS_MIB = TEST_DEPTH > 1 ? [16, 64, 256] : [32];
/** Growth as a part of the bound. */
const SHARE_MAX = 1.2;
/** Garbage of the threads. */
const GARBAGE_MIB = 72;
const BATCH = 500;
const MESSAGES = 2 * BATCH;
const NEW_WORDS = 30;
/** The index of one namespace, about. */
const NAMESPACE_MIB = 2.5;
/** All namespaces together, as a part of the bound. */
const FILLED = 1.1;
/** The large one: so much that the index drops a third of it at least once. */
const LARGE = 1.3;
const LOOK_MS = 20;
const SETTLE_MS = 2_000;
/** As the packages start it. */
const NODE_ARGS = ["--max-semi-space-size=16"];
const LEXICAL = { mode: "lexical" } as const;

function clientOf(server: RunningServer): MemorySidecar {
  return connect(server.address, { timeoutMs: 240_000 });
}

function anonymousBytes({ pid }: RunningServer): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

async function fill(client: MemorySidecar, namespace: string, seed: number, count: number) {
  const random = randomFrom(seed);
  const newWord = () => random.int(0, 2 ** 31).toString(36);
  for (let from = 0; from < count; from += BATCH) {
    const texts = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => {
      const words = Array.from({ length: NEW_WORDS }, newWord);
      return `mark${from + at} ${chatText(random, seed)} ${words.join(" ")}`;
    });
    await client.append(`s${from}`, texts, { namespace, createSession: true });
  }
}

/** Searches for a message; tells whether it was found, and how many the index has no room for. */
async function recall(client: MemorySidecar, namespace: string, word: string) {
  const { hits, coverage } = await client.recall(word, { namespace, ...LEXICAL });
  const texts = hits.map(({ record }) =>
    record?.$case === "message" ? (record.value.message?.text ?? "") : "",
  );
  const isFound = texts.some((text) => text.startsWith(`${word} `));
  return { isFound, leftOut: Number(coverage?.leftOutCount) };
}

test.for(BOUNDS_MIB)(
  "with a bound of %i MiB the process grows by little more",
  { timeout: 600_000 * TEST_DEPTH },
  async (mib, { expect }) => {
    await using directory = await makeTempDir();
    const dataDir = directory.path;
    const names = Array.from(
      { length: Math.ceil((FILLED * mib) / NAMESPACE_MIB) },
      (_, at) => `n${at}`,
    );
    const filling = await startServer({ dataDir });
    const filler = clientOf(filling);
    await fill(filler, "small", 1, 100);
    for (const [at, name] of names.entries()) await fill(filler, name, at, MESSAGES);
    await fill(filler, "large", names.length, Math.ceil((LARGE * mib) / NAMESPACE_MIB) * MESSAGES);
    filler.close();
    await filling.stop();

    const args = ["--recall-memory-bytes", String(mib * MIB)];
    const server = await start({ dataDir, args, nodeArgs: NODE_ARGS, main: SERVER_SOURCE });
    const client = clientOf(server);
    await recall(client, "small", "mark7");
    await sleep(SETTLE_MS);
    const base = anonymousBytes(server);
    let most = 0;
    const looking = setInterval(() => {
      most = Math.max(most, anonymousBytes(server) - base);
    }, LOOK_MS);
    // Each fits, all together do not: those recalled longest ago give way.
    for (const name of names) {
      const word = `mark${MESSAGES / 2}`;
      expect(await recall(client, name, word)).toEqual({ isFound: true, leftOut: 0 });
    }
    const many = most;
    const { leftOut } = await recall(client, "large", "mark0");
    expect(leftOut).toBeGreaterThan(0);
    // A small namespace finds its place beside one that fills the index.
    expect(await recall(client, "small", "mark7")).toEqual({ isFound: true, leftOut: 0 });
    await sleep(SETTLE_MS);
    clearInterval(looking);
    const said = [base, many, most].map((bytes) => (bytes / MIB).toFixed(0));
    console.log(
      `${mib} MiB: base ${said[0]} MiB, grown by ${said[1]} with ${names.length} namespaces and by ` +
        `${said[2]} with a large one, of which ${leftOut} messages were left out`,
    );
    expect(many / MIB).toBeLessThan(SHARE_MAX * mib + GARBAGE_MIB);
    expect(most / MIB).toBeLessThan(SHARE_MAX * mib + GARBAGE_MIB);
    client.close();
    await server.stop();
  },
);
