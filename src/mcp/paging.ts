// Pages of lists, as tools give them: so many items after so many.

import { z } from "zod";

const OFFSET_MAX = 10_000;
const PAGE_SIZE_MAX = 1_000;

/** The argument that says how many items to skip. */
export const OFFSET = z
  .number()
  .int()
  .min(0)
  .max(OFFSET_MAX)
  .optional()
  .describe("How many to skip. Default: 0.");

/** A part of a list. */
export interface Part {
  readonly offset?: number | undefined;
  readonly limit: number;
}

/** Size of the pages to ask the server for: one more item says that there are more. */
export function pageSizeOf({ offset = 0, limit }: Part): number {
  return Math.min(offset + limit + 1, PAGE_SIZE_MAX);
}

/** Takes a part of a list, and says if there are more items. */
export async function takePart<T>(list: AsyncIterable<T>, { offset = 0, limit }: Part) {
  const items: T[] = [];
  let passed = 0;
  for await (const item of list) {
    if (passed++ < offset) continue;
    if (items.length === limit) return { items, more: true };
    items.push(item);
  }
  return { items, more: false };
}

/** Says how to get the next part. */
export function nextHint({ offset = 0, limit }: Part): string {
  const next = offset + limit;
  if (next <= OFFSET_MAX) return `\nThere are more: give offset ${next}.`;
  return `\nThere are more, past the highest offset, ${OFFSET_MAX}.`;
}
