// The wait of the first recall of a large namespace: when it was never recalled before, after an
// orderly stop, and after a SIGKILL.
//
//   node bench/recall-restart.ts [MESSAGES ...]
//
// The server is asked as soon as it serves. Its index of recall is then built from the store, or
// read from the file that the stop before has left.

import { once } from "node:events";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { cpuMs, ownBytes, startReal } from "./processes.ts";
import { Asker, fill } from "./recall-speed.ts";
import { inDirectory } from "./workloads.ts";

const NAMESPACE = "large";
const MIB = 1_048_576;

function fileBytes(dataDir: string): number {
  const directory = join(dataDir, "recall");
  if (!existsSync(directory)) return 0;
  return readdirSync(directory).reduce(
    (sum, name) => sum + statSync(join(directory, name)).size,
    0,
  );
}

async function measure(dataDir: string, messages: number, name: string, signal: NodeJS.Signals) {
  const server = await startReal(dataDir, { core: undefined });
  const asker = new Asker(server.port, NAMESPACE, messages, 1);
  const began = performance.now();
  const cpuBefore = cpuMs(server.pid);
  await asker.ask("");
  const seconds = (performance.now() - began) / 1_000;
  const cpu = (cpuMs(server.pid) - cpuBefore) / 1_000;
  const mib = ownBytes(server.pid) / MIB;
  asker.close();
  const stopping = performance.now();
  const exited = once(server.child, "exit");
  server.child.kill(signal);
  await exited;
  const stopSeconds = (performance.now() - stopping) / 1_000;
  console.log(
    `  ${name.padEnd(16)} first recall ${seconds.toFixed(2)} s (CPU ${cpu.toFixed(2)} s), ` +
      `serving after ${(server.startMs / 1_000).toFixed(2)} s, own memory ${mib.toFixed(0)} MiB; ` +
      `${signal} took ${stopSeconds.toFixed(2)} s, files ${(fileBytes(dataDir) / MIB).toFixed(0)} MiB`,
  );
}

for (const count of process.argv.length > 2 ? process.argv.slice(2) : ["300000"]) {
  const messages = Number(count);
  console.log(`${messages} messages`);
  await inDirectory(async (directory) => {
    const dataDir = join(directory, "data");
    const filling = await startReal(dataDir, { core: undefined });
    await fill(filling.port, NAMESPACE, messages);
    await filling.stop();
    await measure(dataDir, messages, "never recalled", "SIGTERM");
    await measure(dataDir, messages, "after a stop", "SIGKILL");
    await measure(dataDir, messages, "after a SIGKILL", "SIGTERM");
  });
}
