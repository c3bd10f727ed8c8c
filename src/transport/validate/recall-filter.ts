// The rules of what a recall and a search of documents may look at.

import { LIMITS } from "../../domain/limits.ts";
import type { DocumentFilter } from "../../gen/memorysidecar/v1/document.ts";
import type { MetadataCondition, NumberRange } from "../../gen/memorysidecar/v1/filter.ts";
import { MemoryKind } from "../../gen/memorysidecar/v1/memory.ts";
import { Role, Trust } from "../../gen/memorysidecar/v1/message.ts";
import { type RecallFilter, RecallKind } from "../../gen/memorysidecar/v1/recall.ts";
import {
  checkCount,
  checkEnum,
  checkFinite,
  checkId,
  checkLabels,
  checkRange,
  checkRequiredId,
  checkRequiredText,
  checkTimestamp,
  type WireEnum,
} from "./fields.ts";
import { checkScopeFilter } from "./scope.ts";
import type { Violations } from "./violations.ts";

const SHARE = { min: 0, max: 1 };
const COLLECTION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Checks a `collection_id` that may be empty. */
export function checkCollectionId(v: Violations, field: string, collectionId: string): void {
  if (collectionId === "" || COLLECTION_ID.test(collectionId)) return;
  v.add(
    field,
    `must be 1 to ${LIMITS.collectionIdChars} characters of A-Za-z0-9._-, ` +
      "the first a letter or a digit",
    collectionId.length > LIMITS.collectionIdChars ? LIMITS.collectionIdChars : undefined,
  );
}

/** Checks the field `filter` of a recall, if it is set. */
export function checkRecallFilter(v: Violations, filter: RecallFilter | undefined): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkChoices(v, "kinds", filter.kinds, { names: RecallKind, count: LIMITS.recallKinds });
  checkSessions(v, "session_ids", filter.sessionIds);
  checkSessions(v, "exclude_session_ids", filter.excludeSessionIds);
  checkId(v, "session_id_prefix", filter.sessionIdPrefix, LIMITS.sessionIdBytes);
  checkId(v, "source_document_id", filter.sourceDocumentId, LIMITS.documentIdBytes);
  checkScopeFilter(v, filter.scope);
  checkLabels(v, filter.sessionLabels, "session_labels");
  checkChoices(v, "roles", filter.roles, { names: Role, count: LIMITS.filterRoles });
  checkCollections(v, filter.collectionIds);
  checkLabels(v, filter.labels);
  checkConditions(v, filter.metadata);
  checkTimestamp(v, "time_from", filter.timeFrom);
  checkTimestamp(v, "time_before", filter.timeBefore);
  checkTimeOrder(v, filter);
  checkEnum(v, "min_trust", filter.minTrust, Trust);
  checkMemories(v, filter);
  v.leave();
}

/** Checks what a filter asks of memories. */
function checkMemories(v: Violations, filter: RecallFilter): void {
  const { memoryKinds, categories, validAtTime, minConfidence } = filter;
  const kinds = { names: MemoryKind, count: LIMITS.memoryFilterKinds };
  checkChoices(v, "memory_kinds", memoryKinds, kinds);
  checkTimestamp(v, "valid_at_time", validAtTime);
  if (validAtTime !== undefined && filter.includeSuperseded) {
    v.add("include_superseded", "must be false together with valid_at_time");
  }
  checkCount(v, "categories", categories.length, LIMITS.memoryFilterCategories);
  for (let index = 0; index < categories.length && !v.full; index++) {
    const max = LIMITS.memoryCategoryBytes;
    checkRequiredText(v, `categories[${index}]`, categories[index] ?? "", max);
  }
  if (minConfidence !== undefined) checkRange(v, "min_confidence", minConfidence, SHARE);
}

/** Checks the field `filter` of a request about documents, if it is set. */
export function checkDocumentFilter(v: Violations, filter: DocumentFilter | undefined): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkScopeFilter(v, filter.scope);
  checkLabels(v, filter.labels);
  checkConditions(v, filter.metadata);
  checkId(v, "source_document_id", filter.sourceDocumentId, LIMITS.documentIdBytes);
  v.leave();
}

function checkTimeOrder(v: Violations, { timeFrom: from, timeBefore: before }: RecallFilter): void {
  if (from === undefined || before === undefined) return;
  const isAfter =
    before.seconds === from.seconds ? before.nanos > from.nanos : before.seconds > from.seconds;
  if (!isAfter) v.add("time_before", "must be after time_from");
}

/** Checks a list of enums none of which may be unset. */
export function checkChoices(
  v: Violations,
  field: string,
  values: readonly number[],
  { names, count }: { readonly names: WireEnum; readonly count: number },
): void {
  checkCount(v, field, values.length, count);
  for (let index = 0; index < values.length && !v.full; index++) {
    const value = values[index] ?? 0;
    if (value === 0) v.add(`${field}[${index}]`, "must not be unspecified");
    else checkEnum(v, `${field}[${index}]`, value, names);
  }
}

function checkSessions(v: Violations, field: string, ids: readonly string[]): void {
  checkCount(v, field, ids.length, LIMITS.recallSessionIds);
  for (let index = 0; index < ids.length && !v.full; index++) {
    checkRequiredId(v, `${field}[${index}]`, ids[index] ?? "", LIMITS.sessionIdBytes);
  }
}

function checkCollections(v: Violations, ids: readonly string[]): void {
  checkCount(v, "collection_ids", ids.length, LIMITS.recallCollectionIds);
  for (let index = 0; index < ids.length && !v.full; index++) {
    const id = ids[index] ?? "";
    if (id === "") v.add(`collection_ids[${index}]`, "is required");
    else checkCollectionId(v, `collection_ids[${index}]`, id);
  }
}

/** Checks what metadata must hold. */
export function checkConditions(v: Violations, conditions: readonly MetadataCondition[]): void {
  const count = checkConditionList(v, "metadata", { conditions, level: 1 });
  const max = LIMITS.metadataTreeConditions;
  if (count > max) v.add("metadata", `holds ${count} conditions; at most ${max} are allowed`, max);
}

/** Checks the conditions of a level, and gives how many there are with those below them. */
function checkConditionList(
  v: Violations,
  field: string,
  { conditions, level }: { conditions: readonly MetadataCondition[]; level: number },
): number {
  checkCount(v, field, conditions.length, LIMITS.metadataConditions);
  let count = conditions.length;
  for (const [index, { path, test }] of conditions.entries()) {
    if (v.full) break;
    v.enterItem(field, index);
    const list = listOf(test);
    if (list === undefined) {
      checkRequiredText(v, "path", path, LIMITS.metadataPathBytes);
      checkTest(v, test);
    } else {
      if (path !== "") v.add("path", `must be empty with ${list.name}`);
      v.enter(list.name);
      count += checkBelow(v, list.conditions, level + 1);
      v.leave();
    }
    v.leaveItem();
  }
  return count;
}

function checkBelow(
  v: Violations,
  conditions: readonly MetadataCondition[],
  level: number,
): number {
  if (level <= LIMITS.metadataTreeLevels) {
    return checkConditionList(v, "conditions", { conditions, level });
  }
  const max = LIMITS.metadataTreeLevels;
  v.add("conditions", `must be at most ${max} levels deep`, max);
  return 0;
}

/** The conditions that a condition is made of; undefined when it is a test. */
function listOf(
  test: MetadataCondition["test"],
): { readonly name: string; readonly conditions: readonly MetadataCondition[] } | undefined {
  switch (test?.$case) {
    case "allOf":
      return { name: "all_of", conditions: test.value.conditions };
    case "anyOf":
      return { name: "any_of", conditions: test.value.conditions };
    case "noneOf":
      return { name: "none_of", conditions: test.value.conditions };
    default:
      return undefined;
  }
}

function checkTest(v: Violations, test: MetadataCondition["test"]): void {
  switch (test?.$case) {
    case "equalTo":
      checkScalar(v, "equal_to", test.value);
      break;
    case "oneOf":
      checkValues(v, test.value ?? []);
      break;
    case "range":
      checkNumbers(v, test.value);
      break;
    case "exists":
      break;
    case undefined:
      v.add("test", "is required: equal_to, range, exists, one_of, all_of, any_of or none_of");
  }
}

/** Checks a value that metadata is compared with. */
function checkScalar(v: Violations, field: string, value: unknown): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") checkFinite(v, field, value);
  else v.add(field, "must be a number, a text, true, false or null");
}

function checkValues(v: Violations, values: readonly unknown[]): void {
  checkCount(v, "one_of", values.length, LIMITS.metadataValues);
  for (let index = 0; index < values.length && !v.full; index++) {
    checkScalar(v, `one_of.values[${index}]`, values[index]);
  }
}

function checkNumbers(v: Violations, { min, lessThan, max }: NumberRange): void {
  v.enter("range");
  if (min === undefined && lessThan === undefined && max === undefined) {
    v.add("min", "must be set, or less_than, or max");
  }
  if (lessThan !== undefined && max !== undefined) {
    v.add("max", "must be unset together with less_than");
  }
  checkFinite(v, "min", min);
  checkFinite(v, "less_than", lessThan);
  checkFinite(v, "max", max);
  if (min !== undefined) {
    if (lessThan !== undefined && min >= lessThan) v.add("less_than", "must be above min");
    if (max !== undefined && min > max) v.add("max", "must not be below min");
  }
  v.leave();
}
