// How long a task rests after an attempt that failed.

const FIRST_MS = 1_000;
const MOST_MS = 300_000;
/** Waits are up to this share shorter or longer, so that tasks do not come back all at once. */
const JITTER = 0.2;

/** Moves a wait by up to 20 percent; `random` is between 0 and 1, and 0.5 leaves it as it is. */
export function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * random));
}

/**
 * How long to wait after a failure, in milliseconds: one second after the first failed attempt,
 * twice as long after each further one, up to 5 minutes, with jitter. A delay that the hook or
 * the worker asked for is kept to when it is longer. No attempt counted yet waits like one.
 */
export function backoffMs(failedAttempts: number, random: number, retryDelayMs = 0): number {
  const doublings = Math.max(0, failedAttempts - 1);
  const ms = Math.min(MOST_MS, FIRST_MS * 2 ** doublings);
  return Math.max(jittered(ms, random), retryDelayMs);
}
