// Tool results of an append whose calls must be in the window already.

import { checkWantedCalls, type WantedCall } from "../../forms/forms.ts";
import type { SessionView, StoredMessage } from "../../store/store.ts";

/** Checks that what is left of the window has the calls that results answer. */
export function checkAnswers(
  wanted: readonly WantedCall[],
  { window }: SessionView,
  erase: readonly StoredMessage[] | "all",
): void {
  if (wanted.length === 0) return;
  const erased = new Set(erase === "all" ? [] : erase.map(({ seq }) => seq));
  const rest = erase === "all" ? [] : window().filter(({ seq }) => !erased.has(seq));
  checkWantedCalls(wanted, rest);
}
