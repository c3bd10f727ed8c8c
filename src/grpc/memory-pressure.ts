// The memory that the process holds against what it may take. The bounds of queues and caches sum
// up to less, but memory that was freed goes back to the system late.

import { readFileSync } from "node:fs";

/** The share of the memory from which on large requests come in one at a time. */
const HIGH_SHARE = 0.75;
/** Age at which a reading is too old: memory may grow by tens of megabytes meanwhile. */
const READING_MS = 25;

/** Gives the anonymous memory of this process; pages of the mapped store do not count. */
export function anonymousBytes(): number {
  const status = readFileSync("/proc/self/status", "latin1");
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024;
}

/** Tells whether the process holds nearly all that it may take. */
export class MemoryPressure {
  readonly #highBytes: number;
  readonly #nowMs: () => number;
  readonly #read: () => number;
  #readMs = Number.NEGATIVE_INFINITY;
  #bytes = 0;

  constructor(memoryBytes: number, nowMs: () => number, read: () => number = anonymousBytes) {
    this.#highBytes = memoryBytes * HIGH_SHARE;
    this.#nowMs = nowMs;
    this.#read = read;
  }

  isHigh(): boolean {
    const now = this.#nowMs();
    if (now - this.#readMs >= READING_MS) {
      this.#readMs = now;
      this.#bytes = this.#read();
    }
    return this.#bytes > this.#highBytes;
  }
}
