// The rules of which memories a call means.

import { LIMITS } from "../../domain/limits.ts";
import type { Timestamp } from "../../gen/google/protobuf/timestamp.ts";
import {
  type MemoryFilter,
  MemoryKind,
  MemoryOrigin,
  MemoryState,
} from "../../gen/memorysidecar/v1/memory.ts";
import { Trust } from "../../gen/memorysidecar/v1/message.ts";
import { checkEnum, checkId, checkLabels, checkText, checkTimestamp } from "./fields.ts";
import { checkShare, checkTexts } from "./memory.ts";
import { checkChoices, checkConditions } from "./recall-filter.ts";
import { checkRequiredScope, checkScopeFilter } from "./scope.ts";
import type { Violations } from "./violations.ts";

const KINDS = { names: MemoryKind, count: LIMITS.memoryFilterKinds };
const STATES = { names: MemoryState, count: LIMITS.memoryFilterStates };
const CATEGORIES = { count: LIMITS.memoryFilterCategories, bytes: LIMITS.memoryCategoryBytes };
const TOPICS = { count: LIMITS.memoryFilterTopics, bytes: LIMITS.memoryTopicBytes };

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
  if (filter === undefined) {
    v.add("filter", "is required");
    return;
  }
  v.enter("filter");
  checkRequiredScope(v, filter.scope);
  checkConditionsOf(v, filter);
  v.leave();
}

/** Checks everything but whose memories are meant. */
function checkConditionsOf(v: Violations, filter: MemoryFilter): void {
  checkChoices(v, "kinds", filter.kinds, KINDS);
  checkChoices(v, "states", filter.states, STATES);
  checkTexts(v, "categories", filter.categories, CATEGORIES);
  checkTexts(v, "topics", filter.topics, TOPICS);
  checkText(v, "key", filter.key, LIMITS.memoryKeyBytes);
  checkText(v, "text_contains", filter.textContains, LIMITS.memoryFilterTextBytes);
  checkLabels(v, filter.labels);
  checkConditions(v, filter.metadata);
  checkShare(v, "min_importance", filter.minImportance);
  checkShare(v, "min_confidence", filter.minConfidence);
  checkEnum(v, "min_trust", filter.minTrust, Trust);
  checkTimestamp(v, "valid_at_time", filter.validAtTime);
  const { createTimeFrom, createTimeBefore, lastSeenTimeFrom, lastSeenTimeBefore } = filter;
  checkPeriod(v, "create_time", { from: createTimeFrom, before: createTimeBefore });
  checkPeriod(v, "last_seen_time", { from: lastSeenTimeFrom, before: lastSeenTimeBefore });
  checkId(v, "source_session_id", filter.sourceSessionId, LIMITS.sessionIdBytes);
  checkEnum(v, "origin", filter.origin, MemoryOrigin);
}

interface Period {
  readonly from: Timestamp | undefined;
  readonly before: Timestamp | undefined;
}

function checkPeriod(v: Violations, name: string, { from, before }: Period): void {
  checkTimestamp(v, `${name}_from`, from);
  checkTimestamp(v, `${name}_before`, before);
  if (from === undefined || before === undefined) return;
  const isAfter =
    before.seconds === from.seconds ? before.nanos > from.nanos : before.seconds > from.seconds;
  if (!isAfter) v.add(`${name}_before`, `must be after ${name}_from`);
}
