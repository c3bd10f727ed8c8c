// Errors of the server that an adapter expects.

import { isMemorySidecarError } from "../errors.ts";

/** Ignores errors with these reasons, and throws all others. */
export function passOver(...reasons: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (isMemorySidecarError(error) && reasons.includes(error.reason)) return undefined;
    throw error;
  };
}
