// Measures appends beside a back-up of a large store: pairs of phases, alone and during a back-up.
// Usage: node bench/back-up.ts DIR [MESSAGES]
// DIR is filled when it is missing, and kept. The back-ups go to DIR-back-ups.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  AppendMessagesRequest,
  AppendMessagesResponse,
} from "../src/gen/memorysidecar/v1/session_service.ts";
import { startServer } from "../test/support/process/server.ts";
import { make, sessionName, turns } from "./bodies.ts";
import { Caller, inParallel } from "./caller.ts";
import { seed } from "./seed.ts";
import { median, percentile, round3 } from "./stats.ts";

const APPEND = "/memorysidecar.v1.SessionService/AppendMessages";
const BACK_UP = "/memorysidecar.v1.AdminService/BackUp";
const ROUNDS = 3;
const IN_FLIGHT = 32;
const ALONE_MS = 20_000;
const SESSION_MESSAGES = 1_000;

const [directory, count = "1000000"] = process.argv.slice(2);
if (directory === undefined) throw new Error("Name a directory.");
const sessions = Number(count) / SESSION_MESSAGES;
const backUps = `${directory}-back-ups`;

/** Milliseconds of each append, sorted, until a condition holds. */
async function appendUntil(caller: Caller, isOver: () => boolean): Promise<number[]> {
  const taken: number[] = [];
  const messages = turns(1);
  await inParallel(IN_FLIGHT, IN_FLIGHT, async (lane) => {
    for (let n = lane; !isOver(); n += IN_FLIGHT) {
      const sessionId = sessionName("s", (n * 7_919) % sessions);
      const value = make(AppendMessagesRequest, { sessionId, messages, createSession: true });
      const began = performance.now();
      await caller.call(APPEND, { codec: AppendMessagesRequest, value }, AppendMessagesResponse);
      taken.push(performance.now() - began);
    }
  });
  return taken.sort((a, b) => a - b);
}

function row(name: string, taken: readonly number[], ms: number) {
  const [p50, p99] = [percentile(taken, 0.5), percentile(taken, 0.99)];
  return {
    name,
    perSecond: round3((taken.length / ms) * 1_000),
    p50: round3(p50),
    p99: round3(p99),
  };
}

const isNew = !existsSync(directory);
mkdirSync(backUps, { recursive: true });
const args = ["--backup-dir", backUps, "--backup-keep", "1"];
const server = await startServer({ dataDir: directory, args });
const port = Number(server.address.split(":").at(-1));
if (isNew) await seed(port, { prefix: "s", sessions, messages: SESSION_MESSAGES });
const { size } = statSync(join(directory, "data.mdb"));
console.log(`${count} messages, data.mdb ${Math.round(size / 1_048_576)} MiB`);
const caller = new Caller(port);
const ratios: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const end = performance.now() + ALONE_MS;
  const alone = row("alone", await appendUntil(caller, () => performance.now() > end), ALONE_MS);
  let isDone = false;
  const began = performance.now();
  const raw = {
    encode: (bytes: Uint8Array) => ({ finish: () => bytes }),
    decode: (bytes: Uint8Array) => bytes,
  };
  const backUp = caller.call(BACK_UP, new Uint8Array(0), raw).finally(() => {
    isDone = true;
  });
  const taken = await appendUntil(caller, () => isDone);
  await backUp;
  const ms = performance.now() - began;
  const beside = row("during a back-up", taken, ms);
  ratios.push(beside.p99 / alone.p99);
  const [name] = readdirSync(backUps).filter((entry) => entry.endsWith("Z"));
  const manifest = JSON.parse(readFileSync(join(backUps, name ?? "", "backup.json"), "utf8"));
  const mib = Math.round(manifest.bytes / 1_048_576);
  console.log({
    round,
    alone,
    beside,
    seconds: round3(ms / 1_000),
    mib,
    of: manifest.totals.messages,
  });
}
console.log(
  `p99 during a back-up / alone: median ${round3(median(ratios))} of ${ratios.map(round3)}`,
);
caller.close();
await server.stop();
rmSync(backUps, { recursive: true });
