// The order, the conditions and the pages of lists of messages.

import type { StorageListMessagesInput } from "@mastra/core/storage";
import {
  calculatePagination,
  filterByDateRange,
  normalizePerPage,
  storageMessageMatchesMetadataFilter,
  validateStorageMetadataFilter,
} from "@mastra/core/storage";
import type { Row } from "./rows.ts";

const PER_PAGE = 40;

/** Conditions and page of a list. */
type Options = Omit<StorageListMessagesInput, "threadId">;

/** Direction of a list. */
export type Direction = "ASC" | "DESC";

/** A page to give. */
export interface Page {
  readonly page: number;
  readonly offset: number;
  readonly perPage: number;
  /** The number of a page's messages as the answer names it; false when there is only one page. */
  readonly shown: number | false;
}

/** Reads the page that options ask for. Throws when there can be none. */
export function pageOf(
  { page = 0, perPage: wanted }: Pick<Options, "page" | "perPage">,
  byDefault = PER_PAGE,
): Page {
  const perPage = normalizePerPage(wanted, byDefault);
  if (page < 0) throw new RangeError("page must be >= 0");
  if (page * perPage > Number.MAX_SAFE_INTEGER / 2) throw new RangeError("page value too large");
  const { offset, perPage: shown } = calculatePagination(page, wanted, perPage);
  return { page, offset, perPage, shown };
}

/** Makes the test of a list's conditions. Throws when a condition is invalid. */
export function conditionOf({ filter, resourceId }: Options): (row: Row) => boolean {
  const metadata = validateStorageMetadataFilter(filter?.metadata);
  return (row) =>
    (!resourceId || row.resourceId === resourceId) &&
    filterByDateRange([row], ({ createdAt }) => createdAt, filter?.dateRange).length === 1 &&
    storageMessageMatchesMetadataFilter(row.content as Record<string, unknown>, metadata);
}

/** Compares two rows by time. */
export function compare(a: Row, b: Row): number {
  return a.createdAt.getTime() - b.createdAt.getTime();
}

/**
 * Sorts rows, which are in the order of their logs, by time. Those of the same time keep this
 * order, or with DESC have the reverse one.
 */
export function sorted(rows: readonly Row[], direction: Direction): Row[] {
  const ascending = [...rows].sort(compare);
  return direction === "ASC" ? ascending : ascending.reverse();
}

/** Rows around one, with numbers of those before and after it. */
export function around(rows: readonly Row[], id: string, before: number, after: number): Row[] {
  const index = rows.findIndex((row) => row.id === id);
  if (index < 0) return [];
  return rows.slice(Math.max(0, index - before), index + after + 1);
}
