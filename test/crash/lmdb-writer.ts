// A store with nothing around it, for the controls of the system call check: puts one value for
// every line it reads and answers with the line. Usage: node lmdb-writer.ts DIR durable|fast

import { Buffer } from "node:buffer";
import { createInterface } from "node:readline";
import { open } from "lmdb";

const [, , path = "", mode = ""] = process.argv;
const store = open({
  path,
  encoding: "binary",
  overlappingSync: false,
  eventTurnBatching: false,
  noSync: mode === "fast",
});
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  await store.put(line, Buffer.from(`stored ${line} `.repeat(10)));
  process.stdout.write(`answered ${line}\n`);
}
await store.close();
