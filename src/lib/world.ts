// The clock and the source of randomness. Nothing else in the server asks the system for either.

import { randomBytes } from "node:crypto";

// One call of the system gives randomness for many small ones.
const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);
let used = 0;

function random(length: number): Uint8Array {
  if (length > POOL_BYTES) return randomBytes(length);
  if (used + length > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  const bytes = pool.subarray(used, used + length);
  used += length;
  return bytes;
}

/** The time and the randomness of the system. */
export const SYSTEM_WORLD = {
  /** Milliseconds since 1970. */
  nowMs: (): number => Date.now(),
  /** Bytes that nobody can guess. */
  random,
} as const;
