// Waiting for something while somebody waits for the answer.

import { AppError } from "../../domain/errors.ts";

/** Waits for a promise. Throws DEADLINE_EXCEEDED as soon as nobody waits any more. */
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
