// Sizes of pages.

import { LIMITS } from "../../domain/limits.ts";

/** Gives the most entries of a page: the default for 0, never more than the limit. */
export function pageLimit(pageSize: number, defaultSize: number): number {
  return Math.min(pageSize === 0 ? defaultSize : pageSize, LIMITS.pageSizeMax);
}
