// One durable LMDB commit alone: a put of 300 bytes, one in flight, in the same mode as the server.
// Usage: node bench/lmdb-commit.ts DIR SECONDS. Prints {"commits","p50Ms","p99Ms"}.

import { Buffer } from "node:buffer";
import { open } from "lmdb";
import { percentile } from "./stats.ts";

const directory = process.argv[2] ?? "";
const seconds = Number(process.argv[3] ?? "2");
const store = open({
  path: directory,
  encoding: "binary",
  overlappingSync: false,
  eventTurnBatching: false,
});
const value = Buffer.alloc(300, 0x61);
const times: number[] = [];
let key = 0;
const warmUntil = performance.now() + 200;
while (performance.now() < warmUntil) await store.put(key++, value);
const until = performance.now() + seconds * 1_000;
while (performance.now() < until) {
  const start = performance.now();
  await store.put(key++, value);
  times.push(performance.now() - start);
}
await store.close();
times.sort((a, b) => a - b);
const answer = {
  commits: times.length,
  p50Ms: percentile(times, 0.5),
  p99Ms: percentile(times, 0.99),
};
console.log(JSON.stringify(answer));
