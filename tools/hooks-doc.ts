// The table of fields in docs/hooks.md, made from src/hooks/fields.ts.

import { hookFieldTable } from "../src/hooks/fields.ts";
import { withTable } from "./tables.ts";

/** Writes the table of fields between its two marks. Throws when a mark is missing. */
export function withHookFields(text: string): string {
  return withTable(text, "hooks", hookFieldTable());
}
