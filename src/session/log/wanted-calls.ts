// Tool results of an append whose calls must be in the window already.

import { checkWantedCalls, type WantedCall } from "../../forms/forms.ts";
import type { SessionView, StoredMessage } from "../../store/store.ts";

/** Checks that what is left of the window has the calls that results answer. */
export function checkAnswers(
  wanted: readonly WantedCall[],
  { window }: SessionView,
  erase: readonly StoredMessage[] | "all",
): "checked" | "need-window" {
  if (wanted.length === 0) return "checked";
  if (erase === "all") checkWantedCalls(wanted, []);
  else {
    if (window === undefined) return "need-window";
    const erased = new Set(erase.map(({ seq }) => seq));
    const rest = window.filter(({ seq }) => !erased.has(seq));
    checkWantedCalls(wanted, rest);
  }
  return "checked";
}
