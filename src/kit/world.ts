// Timers of tasks: by the clock of the world, so that a test moves both at once.

import type { World } from "../api.ts";

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

/** A random number of at least 0 and below 1, from the world. */
export function chance(world: World): number {
  const [high = 0, low = 0] = world.random(2);
  return (high * 256 + low) / 65_536;
}
