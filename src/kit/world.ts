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
  /** Unpredictable bytes. */
  random,
} as const;

/** Randomness and time, handed in. */
export interface World {
  nowMs(): number;
  /** Fresh random bytes. */
  random(length: number): Uint8Array;
  /**
   * Calls back when the clock has moved this far, and gives how to cancel. Default: a timer that
   * does not keep the process alive.
   */
  readonly later?: (callback: () => void, ms: number) => () => void;
}

// Timers of tasks: by the clock of the world, so that a test moves both at once.

/** Calls back after a time in milliseconds, at once when it is below 0. Gives how to cancel. */
export function later(world: World, callback: () => void, ms: number): () => void {
  if (world.later !== undefined) return world.later(callback, Math.max(0, ms));
  const timer = setTimeout(callback, Math.max(0, ms));
  timer.unref();
  return () => clearTimeout(timer);
}

/** Waits until a time has passed or the signal is aborted; false when it was aborted. */
export async function pause(world: World, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return await new Promise<boolean>((resolve) => {
    const end = (passed: boolean): void => {
      cancel();
      signal.removeEventListener("abort", onAbort);
      resolve(passed);
    };
    const onAbort = (): void => end(false);
    const cancel = later(world, () => end(true), ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Waits for work, but at most this long. */
export async function waitAtMost(
  world: World,
  ms: number,
  work: Promise<void> | undefined,
): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = later(world, late.resolve, ms);
  await Promise.race([work, late.promise]);
  cancel();
}

/** A random number of at least 0 and below 1, from the world. */
export function chance(world: World): number {
  const [high = 0, low = 0] = world.random(2);
  return (high * 256 + low) / 65_536;
}
