// When a failed call is tried again, and after how long.

import { MemorySidecarError, Status } from "./errors.ts";

/** Retry policy of calls. */
export interface RetryPolicy {
  /** Maximum number of attempts in all. Default 8; 1 means no retry. */
  readonly maxAttempts: number;
  /** The longest wait before the second attempt, in milliseconds; it doubles. Default 100. */
  readonly initialDelayMs: number;
  /** The longest wait between two attempts, in milliseconds. Default 2,000. */
  readonly maxDelayMs: number;
}

/** The retries of a client that asks for nothing else. */
export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 8,
  initialDelayMs: 100,
  maxDelayMs: 2_000,
};

/**
 * Says whether the same request may be sent again: the contract says so with UNAVAILABLE alone.
 *
 * A call that was cancelled, and not by the server's own word, was cut off by a connection that was
 * torn down; callers that cancel a call themselves never get here.
 *
 * Whether a repeat is safe is not decided here: every call of this client is a read, harmless to
 * repeat, or carries a request id.
 */
export function isRetryable(error: unknown): error is MemorySidecarError {
  if (!(error instanceof MemorySidecarError)) return false;
  return (
    error.code === Status.UNAVAILABLE || (error.code === Status.CANCELLED && error.reason === "")
  );
}

/**
 * The wait before the next attempt, in milliseconds: exponential, half of it random, and not
 * shorter than the server asked for.
 *
 * @param attempt the attempts so far, from 1
 */
export function backoffMs(
  attempt: number,
  policy: RetryPolicy,
  askedMs = 0,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(policy.maxDelayMs, policy.initialDelayMs * 2 ** (attempt - 1));
  const own = ceiling * (0.5 + 0.5 * random());
  // A crowd that was asked to wait equally long must not come back at one instant.
  return Math.max(own, askedMs * (1 + 0.2 * random()));
}
