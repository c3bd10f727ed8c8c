// Results in the form of an API answer calls: of the same append, or of the window.

import type { WantedCall } from "../forms/forms.ts";
import { requestInvalid } from "../kit/errors.ts";
import type { StoredEntry } from "../store/store.ts";

/** Refuses results whose call the window does not hold. */
export function checkWantedCalls(
  wanted: readonly WantedCall[],
  window: readonly StoredEntry[],
): void {
  const calls = new Set(window.flatMap(({ callIds }) => callIds));
  const missing = wanted.filter(({ callId }) => !calls.has(callId));
  if (missing.length === 0) return;
  const description = "answers no tool call before it or in the window";
  throw requestInvalid(missing.map(({ field }) => ({ field, description })));
}
