// Pages of a store in which single bits were flipped: verify finds the damage, a start refuses the
// file, and a server that began without looking finds it while it serves. LMDB never gets to read
// such a page, so no process dies of one without a word.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../clients/typescript/src/index.ts";
import { readMeta } from "../../src/store/engine/page-format.ts";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN, startServer } from "../support/process/server.ts";
import { start } from "./start.ts";

const PAGE = 4_096;
const ROUNDS = TEST_DEPTH > 1 ? 27 : 3;

let temporary: TempDir;
let sound = "";
let bytes: Buffer;
let copies = 0;

beforeAll(async () => {
  temporary = await makeTempDir();
  sound = join(temporary.path, "sound");
  const server = await startServer({ dataDir: sound });
  const client = connect(server.address, { timeoutMs: 20_000 });
  for (let i = 0; i < 150; i++) {
    await client.append(`s${i % 10}`, "word ".repeat(i % 15 === 0 ? 2_000 : 40), {
      createSession: true,
    });
  }
  client.close();
  await server.stop();
  bytes = readFileSync(join(sound, "data.mdb"));
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

/** Places of the numbers in the list of free pages, which is one leaf in a store of this size. */
function freeNumbers(): number[] {
  const meta = readMeta(openSync(join(sound, "data.mdb"), "r"));
  if (typeof meta === "string" || meta.freePages.depth !== 1) throw new Error("no free pages");
  const leaf = (meta.freePages.root ?? 0) * PAGE;
  const places: number[] = [];
  for (let i = 0; i < bytes.readUInt16LE(leaf + 20) / 2; i++) {
    const value = leaf + 24 + bytes.readUInt16LE(leaf + 24 + 2 * i) + 16;
    const count = Number(bytes.readBigUInt64LE(value));
    for (let n = 1; n <= count; n++) places.push(value + 8 * n);
  }
  return places;
}

/** Places of the headers of pages in trees. */
function headers(): number[] {
  const numbers = freeNumbers().map((at) => Number(bytes.readBigInt64LE(at)));
  // A negative number says how many pages are free from the next one on.
  const runs = numbers.flatMap((number, at) => {
    const length = Math.max(1, -(numbers[at - 1] ?? 0));
    return Array.from({ length }, (_, i) => (number + i) * PAGE);
  });
  const free = new Set(runs);
  const places: number[] = [];
  for (let at = 2 * PAGE; at < bytes.length; at += PAGE) {
    const isTree = [1, 2].includes(bytes.readUInt16LE(at + 18));
    if (isTree && bytes.readBigUInt64LE(at) === BigInt(at / PAGE) && !free.has(at)) places.push(at);
  }
  return places;
}

/** Places of bytes, one bit of which is flipped. */
const FLIPS = {
  // Bits of the number that lead to a page of the file, or beyond it.
  "a number of the free list": (random) => random.pick(freeNumbers()) + random.int(0, 2),
  "the transaction of a page": (random) => random.pick(headers()) + 8 + random.int(3, 7),
  "the number of a page": (random) => random.pick(headers()) + random.int(0, 7),
} satisfies Record<string, (random: Random) => number>;

function damagedCopy(at: number, random: Random): string {
  const directory = join(temporary.path, `copy-${++copies}`);
  cpSync(sound, directory, { recursive: true });
  const damaged = Buffer.from(bytes);
  damaged[at] = (damaged[at] ?? 0) ^ (1 << random.int(0, 7));
  writeFileSync(join(directory, "data.mdb"), damaged);
  return directory;
}

function run(...args: string[]) {
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, [SERVER_MAIN, ...args], {
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, stdout, stderr, signal };
}

test.each(Object.keys(FLIPS) as (keyof typeof FLIPS)[])(
  "a flipped bit in %s is found by verify, and refused by a start",
  async (name) => {
    const random = randomFrom(testSeed(name));
    const outcomes = { found: 0, refused: 0, wasted: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const directory = damagedCopy(FLIPS[name](random), random);
      const verify = run("verify", directory);
      const report = JSON.parse(verify.stdout) as { clean: boolean; wasted?: { kind: string } };
      outcomes.found++;
      // A free page that the list forgets is wasted, and nothing else.
      if (report.clean && report.wasted?.kind === "pages are neither in use nor free") {
        expect(verify).toMatchObject({ status: 0, signal: null });
        outcomes.wasted++;
        continue;
      }
      expect(verify).toMatchObject({ status: 1, signal: null });
      const serve = run("serve", "--data-dir", directory, "--listen", "127.0.0.1:0");
      expect(serve).toMatchObject({ status: 70, signal: null });
      expect(serve.stderr).toMatch(/data\.mdb is damaged: .*"memory-sidecar verify".*back-up/s);
      outcomes.refused++;
    }
    console.log(`${name}: ${JSON.stringify(outcomes)} of ${ROUNDS}`);
    expect(outcomes.found).toBe(ROUNDS);
    expect(outcomes.refused + outcomes.wasted).toBe(ROUNDS);
  },
  60_000 * ROUNDS,
);

test("a server without time at the start finds the damage in the background, and the next start refuses", () => {
  // A page that holds old messages, which nothing reads or changes at a start.
  const leaf = headers().find((at) => bytes.subarray(at, at + PAGE).includes("word word")) ?? 0;
  const damaged = Buffer.from(bytes);
  damaged[leaf + 15] = 1;
  const directory = join(temporary.path, "background");
  cpSync(sound, directory, { recursive: true });
  writeFileSync(join(directory, "data.mdb"), damaged);
  const serve = () =>
    run("serve", "--data-dir", directory, "--listen", "127.0.0.1:0", "--start-check-ms", "0");
  // The check may find it before the server listens, or after.
  const first = serve();
  expect(first).toMatchObject({ status: 70, signal: null });
  const told = first.stdout + first.stderr;
  expect(told).toMatch(/all of them are checked in the background/);
  expect(told).toMatch(/data\.mdb is damaged: a page is damaged \(page \d+: transa.*fatal/);
  expect(existsSync(join(directory, "pages.unchecked"))).toBe(true);
  const again = serve();
  expect(again).toMatchObject({ status: 70, signal: null });
  expect(again.stderr).toMatch(/data\.mdb is damaged/);
});

test("a sound store is checked in the background while it is written", async () => {
  const directory = join(temporary.path, "busy");
  cpSync(sound, directory, { recursive: true });
  const server = await start({ dataDir: directory, args: ["--start-check-ms", "0"] });
  const client = connect(server.address, { timeoutMs: 20_000 });
  const isDone = () => server.logs.some((entry) => entry["when"] === "background");
  for (let i = 0; i < 2_000 && !(isDone() && i > 100); i++) await client.append("s1", "more words");
  expect(isDone()).toBe(true);
  expect(existsSync(join(directory, "pages.unchecked"))).toBe(false);
  client.close();
  expect((await server.stop()).code).toBe(0);
  expect(run("verify", directory).status).toBe(0);
});
