// Sizes of pages.

import { LIMITS } from "../../domain/limits.ts";

/** Gives the most entries of a page: the default for 0, never more than the limit. */
export function pageLimit(pageSize: number, defaultSize: number): number {
  return Math.min(pageSize === 0 ? defaultSize : pageSize, LIMITS.pageSizeMax);
}

/**
 * Gives the wire forms of the first entries of a page, as many as fit into LIMITS.pageBytes, at
 * least one. A shorter list than the entries says that the rest belongs on the next page.
 */
export function fillPage<T>(
  entries: readonly T[],
  encode: (entry: T) => Uint8Array,
): readonly Uint8Array[] {
  const taken: Uint8Array[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const encoded = encode(entry);
    bytes += encoded.length;
    if (taken.length > 0 && bytes > LIMITS.pageBytes) break;
    taken.push(encoded);
  }
  return taken;
}
