// The child process of a copy: pins the newest transaction of a store, which another process may be
// serving, and writes a copy of it to a file or to its output. A copy takes reads, checksums and
// syncs that would delay the answers of a server. Progress and the outcome go to the parent as
// messages; the copy is given up when the parent is gone.
// Usage: node copy-child.ts DIRECTORY TARGET BYTES_PER_SECOND FREE_BYTES, with - for the output

import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, fsyncSync, openSync, statfsSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../kit/errors.ts";
import { copyPages } from "../engine/copy-pages.ts";
import { DATA_FILE, openEnvironment } from "../engine/environment.ts";
import { type Meta, PageFault, readMeta } from "../engine/page-format.ts";
import type { CopyMessage } from "./copy-store.ts";

const OUTPUT = 1;
// One large sync at the end would hold up the syncs of a server on the same disk.
const SYNC_BYTES = 4_194_304;
const PROGRESS_MS = 250;

const [, , directory = "", target = "", rate = "0", free = "0"] = process.argv;
const bytesPerSecond = Number(rate);
let isAlone = false;
process.once("disconnect", () => {
  isAlone = true;
});

async function tell(message: CopyMessage): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => {
    process.send?.(message, () => resolve());
  });
}

/** Reads the newest header. A server may be writing one at this moment. */
function readSettled(file: number): Meta {
  for (;;) {
    const [once, again] = [readMeta(file), readMeta(file)];
    if (typeof once === "string") throw new PageFault(0);
    if (typeof again !== "string" && once.bytes.equals(again.bytes)) return once;
  }
}

function checkRoom(bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(target));
  const room = bavail * bsize - Number(free);
  if (room >= bytes) return;
  throw new Error(
    `The copy needs ${bytes} bytes, and its disk has ${Math.max(0, room)}, of which none is below ` +
      `the floor of ${free}. Free some space, or name another disk.`,
  );
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

async function copy(source: number, output: number): Promise<CopyMessage> {
  const { bytes: total, chunks } = copyPages(source, readSettled(source));
  if (output !== OUTPUT) checkRoom(total);
  const sum = createHash("sha256");
  const startMs = performance.now();
  let [copied, synced, toldMs] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const chunk of chunks) {
    if (isAlone) throw new Error("The copy was given up.");
    sum.update(chunk);
    writeAll(output, chunk);
    copied += chunk.length;
    if (output !== OUTPUT && copied - synced >= SYNC_BYTES) {
      fdatasyncSync(output);
      synced = copied;
    }
    const now = performance.now();
    if (now - toldMs >= PROGRESS_MS) {
      toldMs = now;
      await tell({ kind: "progress", copied, total });
    }
    const dueMs = bytesPerSecond === 0 ? 0 : (copied / bytesPerSecond) * 1_000;
    // Even without a wait, messages of the parent are taken.
    await sleep(Math.max(0, dueMs - (now - startMs)));
  }
  if (output !== OUTPUT) fsyncSync(output);
  return { kind: "done", bytes: copied, sha256: sum.digest("hex") };
}

async function run(): Promise<CopyMessage> {
  const path = join(directory, DATA_FILE);
  const env = openEnvironment({ directory, readOnly: true });
  const pin = env.root.useReadTransaction();
  const source = openSync(path, "r");
  const output = target === "-" ? OUTPUT : openSync(target, "wx", 0o600);
  try {
    // The newest transaction now is the pinned one or a later one: neither's pages are reused.
    return await copy(source, output);
  } catch (error) {
    const isDamage = error instanceof PageFault || error instanceof AppError;
    return { kind: isDamage ? "damaged" : "failed", problem: (error as Error).message };
  } finally {
    closeSync(source);
    if (output !== OUTPUT) closeSync(output);
    pin.done();
    await env.root.close();
  }
}

await tell(await run());
if (process.connected) process.disconnect();
