// The rules of which memories a call means.

import type { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import type { MemoryFilter } from "../../gen/memorysidecar/v1/memory.ts";
import { checkConditions } from "./recall-filter.ts";
import { checkRequiredScope, checkScopeFilter } from "./scope.ts";
import type { Violations } from "./violations.ts";

/** Checks the field `filter` of a request about memories, if it is set. */
export function checkMemoryFilter(v: Violations, filter: MemoryFilter | undefined): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkScopeFilter(v, filter.scope);
  checkConditionsOf(v, filter);
  v.leave();
}

/** Checks the field `filter` of a request that must say whose memories it means. */
export function checkRequiredFilter(v: Violations, filter: MemoryFilter | undefined): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkRequiredScope(v, filter.scope);
  checkConditionsOf(v, filter);
  v.leave();
}

/** Checks everything but whose memories are meant. */
function checkConditionsOf(v: Violations, filter: MemoryFilter): void {
  checkConditions(v, filter.metadata);
  const { createTimeFrom, createTimeBefore, lastSeenTimeFrom, lastSeenTimeBefore } = filter;
  checkPeriod(v, "create_time", { from: createTimeFrom, before: createTimeBefore });
  checkPeriod(v, "last_seen_time", { from: lastSeenTimeFrom, before: lastSeenTimeBefore });
}

interface Period {
  readonly from: Timestamp | undefined;
  readonly before: Timestamp | undefined;
}

function checkPeriod(v: Violations, name: string, { from, before }: Period): void {
  if (from === undefined || before === undefined) return;
  const isAfter =
    before.seconds === from.seconds ? before.nanos > from.nanos : before.seconds > from.seconds;
  if (!isAfter) v.add(`${name}_before`, `must be after ${name}_from`);
}
