// Why the feeding of an index ends without a fault of anybody.

import { AppError } from "../../domain/errors.ts";

/** When a search may be asked again whose index ended. */
const RETRY_MS = 1_000;

/** The feed was given up: its namespace is to be loaded anew. */
export class FeedClosed extends Error {
  override readonly name = "FeedClosed";
}

/** Whether the index was closed or crashed; then everything is loaded anew. */
export function isIndexStopped(error: unknown): boolean {
  return error instanceof Error && error.name === "IndexStopped";
}

/** Whether the server stops. */
export function isStopping(error: unknown): boolean {
  return error instanceof AppError && error.reason === "SHUTTING_DOWN";
}

/** Whether a failure to write says nothing of the server. */
export function isPassing(error: unknown): boolean {
  return isStopping(error) || (error instanceof AppError && error.reason === "STORE_FULL");
}

/** The index ended again and again while a search asked it. */
export function restarted(): AppError {
  return new AppError("OVERLOADED", "The index of recall was started anew. Retry.", {
    retryDelayMs: RETRY_MS,
  });
}
