// The growth of the process against --recall-memory-bytes, with an index that fills it.
//
//   node bench/recall-memory.ts MESSAGES BYTES ...
//
// The base is the server after a recall of a small namespace: its thread and its table are loaded.
// Own memory is that of the process without file pages, at its most and a while after the load.

import { setTimeout as sleep } from "node:timers/promises";
import { RecallRequest, RecallResponse } from "../src/gen/memorysidecar/v1/recall_service.ts";
import { make } from "./bodies.ts";
import { Caller } from "./caller.ts";
import { ownBytes, startReal } from "./processes.ts";
import { fill } from "./recall-speed.ts";
import { inDirectory } from "./workloads.ts";

const RECALL = "/memorysidecar.v1.RecallService/Recall";
const MIB = 1_048_576;
const SMALL_MESSAGES = 1_000;
const SETTLE_MS = 20_000;
const LOOK_MS = 100;

/** Recalls once; gives how many records were left out for lack of room. */
async function recall(caller: Caller, namespace: string): Promise<number> {
  const value = make(RecallRequest, { namespace, query: "the house by the river" });
  const answer = await caller.call(RECALL, { codec: RecallRequest, value }, RecallResponse);
  return Number(answer.coverage?.leftOutCount ?? 0);
}

const [messages = 300_000, ...bounds] = process.argv.slice(2).map(Number);
await inDirectory(async (directory) => {
  const filling = await startReal(directory, { core: undefined });
  await fill(filling.port, "small", SMALL_MESSAGES);
  await fill(filling.port, "large", messages);
  await filling.stop();
  for (const bytes of bounds) {
    const flags = ["--recall-memory-bytes", String(bytes)];
    const server = await startReal(directory, { core: undefined, flags });
    const caller = new Caller(server.port);
    await recall(caller, "small");
    await sleep(SETTLE_MS);
    const base = ownBytes(server.pid);
    let most = 0;
    let isOver = false;
    const answer = recall(caller, "large").finally(() => {
      isOver = true;
    });
    while (!isOver) {
      most = Math.max(most, ownBytes(server.pid) - base);
      await sleep(LOOK_MS);
    }
    const leftOut = await answer;
    await sleep(SETTLE_MS);
    const grown = ownBytes(server.pid) - base;
    console.log(
      `bound ${(bytes / MIB).toFixed(0)} MiB, ${messages} messages: base ${(base / MIB).toFixed(0)} MiB, ` +
        `grown by ${(most / MIB).toFixed(0)} MiB at most, ${(grown / MIB).toFixed(0)} MiB in the end; ` +
        `${leftOut} left out`,
    );
    caller.close();
    await server.stop();
  }
});
