// The thread that checks the pages for which a start had no time. It has the lowest priority and
// rests between pieces, so that it takes neither a core nor the disk from the server.

import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { checkPages } from "./page-check.ts";
import type { Meta } from "./page-format.ts";

const LOWEST_PRIORITY = 19;
const PIECE_PAGES = 256;
const REST_MS = 4;

const { path, meta } = workerData as { readonly path: string; readonly meta: Meta };
// On Linux this is the priority of the calling thread.
setPriority(LOWEST_PRIORITY);
const sleeper = new Int32Array(new SharedArrayBuffer(4));
let pages = 0;
const rest = (): false => {
  if (++pages % PIECE_PAGES === 0) Atomics.wait(sleeper, 0, 0, REST_MS);
  return false;
};
parentPort?.postMessage(checkPages(path, { meta, isOver: rest }));
