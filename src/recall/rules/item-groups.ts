// Groups of counted items: how many items have each value, in the order that was asked for.

import type { Scalar } from "./filter.ts";
import { compareTexts } from "./item-tests.ts";

/** A value and how many items have it. */
export interface ItemGroup {
  readonly value: Scalar;
  readonly count: number;
}

export type GroupOrder = "count" | "value";

/** The first groups of an order. */
export interface FirstGroups {
  readonly groups: readonly ItemGroup[];
  /** There are more. */
  readonly isCut: boolean;
}

/** Groups that are kept between two sorts, in multiples of the limit. */
const KEPT_PER_LIMIT = 4;

/** Gives the first groups of an order: at most `limit`, and of texts at most `maxBytes`. */
export function firstGroups(
  all: Iterable<ItemGroup>,
  by: { readonly order: GroupOrder; readonly limit: number; readonly maxBytes: number },
): FirstGroups {
  const compare = by.order === "value" ? compareValues : compareCounts;
  const kept: ItemGroup[] = [];
  let seen = 0;
  let last: ItemGroup | undefined;
  const sort = (): void => {
    kept.sort(compare);
    kept.length = Math.min(kept.length, by.limit);
    last = kept.length === by.limit ? kept.at(-1) : undefined;
  };
  for (const group of all) {
    seen += 1;
    if (last !== undefined && compare(group, last) > 0) continue;
    kept.push(group);
    if (kept.length >= by.limit * KEPT_PER_LIMIT) sort();
  }
  sort();
  const groups = withinBytes(kept, by.maxBytes);
  return { groups, isCut: groups.length < seen };
}

function compareCounts(a: ItemGroup, b: ItemGroup): number {
  return b.count - a.count || compareValues(a, b);
}

/** Null comes first, then false, true, NaN, the other numbers and texts. */
function compareValues({ value: a }: ItemGroup, { value: b }: ItemGroup): number {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const ranks = rankOf(a) - rankOf(b);
  return ranks === 0 && typeof a === "number" && typeof b === "number" ? a - b : ranks;
}

function rankOf(value: Scalar): number {
  if (value === null) return 0;
  if (typeof value === "boolean") return value ? 2 : 1;
  if (Number.isNaN(value)) return 3;
  return typeof value === "number" ? 4 : 5;
}

/** The cost of a group beside its text. */
const GROUP_BYTES = 32;

function withinBytes(groups: readonly ItemGroup[], maxBytes: number): readonly ItemGroup[] {
  let bytes = 0;
  const end = groups.findIndex(({ value }) => {
    bytes += GROUP_BYTES + (typeof value === "string" ? Buffer.byteLength(value) : 0);
    return bytes > maxBytes;
  });
  return end === -1 ? groups : groups.slice(0, end);
}
