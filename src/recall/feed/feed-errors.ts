// Ends of the feeding of an index that are no faults.

import { AppError } from "../../kit/errors.ts";

/** When a search whose index ended may be retried. */
const RETRY_MS = 1_000;

/** The feed was closed: its namespace must be loaded again. */
export class FeedClosed extends Error {
  override readonly name = "FeedClosed";
}

/** Whether the index was closed or crashed; then everything is loaded again. */
export function isIndexStopped(error: unknown): boolean {
  return error instanceof Error && error.name === "IndexStopped";
}

/** Whether the server stops. */
export function isStopping(error: unknown): boolean {
  return error instanceof AppError && error.reason === "SHUTTING_DOWN";
}

/** Whether the signal that a piece of work waited with was aborted. */
export function isOver(error: unknown): boolean {
  return error instanceof AppError && error.reason === "DEADLINE_EXCEEDED";
}

/** Whether a failure to write is no fault of the server. */
export function isPassing(error: unknown): boolean {
  return isStopping(error) || (error instanceof AppError && error.reason === "STORE_FULL");
}

/** The index kept ending during a search. */
export function restarted(): AppError {
  return new AppError("OVERLOADED", "The recall index restarted. Retry.", {
    retryDelayMs: RETRY_MS,
  });
}

/** Waits for a promise. Throws DEADLINE_EXCEEDED as soon as the signal is aborted. */
export async function whileLive<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const abort = (): void => {
    over.reject(new AppError("DEADLINE_EXCEEDED", "The deadline passed or the call was canceled."));
  };
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([over.promise, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
