// Holds a window of the past under the ceiling. Messages that left the window may have been changed
// since, so the window they were in may have grown beyond what any window may take.

import { CEILING } from "../policy.ts";
import { ROLE, type Role } from "./types.ts";

/**
 * Leaves out the oldest entries until the rest fits under the ceiling: first those that are not
 * system messages, then system messages. Gives back the very array it got when everything fits.
 */
export function fitCeiling<E extends { readonly role: Role; readonly byteCount: number }>(
  entries: readonly E[],
): readonly E[] {
  let count = entries.length;
  let bytes = 0;
  for (const { byteCount } of entries) bytes += byteCount;
  const fits = (): boolean => count <= CEILING.messages && bytes <= CEILING.bytes;
  if (fits()) return entries;
  const dropped = new Set<E>();
  for (const isSystem of [false, true]) {
    for (const entry of entries) {
      if (fits()) break;
      if ((entry.role === ROLE.system) !== isSystem) continue;
      dropped.add(entry);
      count -= 1;
      bytes -= entry.byteCount;
    }
  }
  return entries.filter((entry) => !dropped.has(entry));
}
