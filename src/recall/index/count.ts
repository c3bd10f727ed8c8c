// Counts the items of a shard that pass a filter, in total, by kind and by value.

import { firstGroups } from "../rules/item-groups.ts";
import { forEachRow } from "../rules/row-filter.ts";
import { Bits } from "./columns.ts";
import { rowsOfFilter } from "./filter-rows.ts";
import { NAMES } from "./items.ts";
import type { CountQuery, ItemCounts } from "./port.ts";
import { KINDS } from "./record.ts";
import type { Shard } from "./shard.ts";

/** Counts what passes a filter. */
export function countShard(shard: Shard, query: CountQuery): ItemCounts {
  const { items, containers, values } = shard;
  const { filter, nowMs, referenceMs, groups } = query;
  const passing = new Bits();
  const counts = { message: 0, document: 0, memory: 0 };
  forEachRow(rowsOfFilter(shard, filter, { nowMs, referenceMs }), items.rowCount, (row) => {
    const item = items.itemOfRow.at(row);
    // All rows of an item pass, or none.
    if (items.firstRow.at(item) !== row) return;
    passing.set(item);
    const container = containers.at(items.container.at(item));
    if (container !== undefined) counts[KINDS[container.kind]] += 1;
  });
  if (groups === undefined) return { counts, groups: undefined };
  const name = "label" in groups.by ? NAMES.label(groups.by.label) : NAMES.metadata(groups.by.path);
  const found = values.groupsOf(name, passing);
  const first = firstGroups(found.groups, groups);
  const withoutCount = passing.count - found.itemCount;
  return { counts, groups: { ...first, valueCount: found.groups.length, withoutCount } };
}
