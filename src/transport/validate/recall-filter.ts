// The rules of what a recall and a search of documents may look at.

import { LIMITS } from "../../domain/limits.ts";
import type { DocumentFilter } from "../../gen/memorysidecar/v1/document.ts";
import type { MetadataCondition, NumberRange } from "../../gen/memorysidecar/v1/filter.ts";
import type { RecallFilter } from "../../gen/memorysidecar/v1/recall.ts";
import { checkCount, checkFinite } from "./fields.ts";
import { checkScopeFilter } from "./scope.ts";
import type { Violations } from "./violations.ts";

/** Checks the field `filter` of a recall, if it is set. */
export function checkRecallFilter(v: Violations, filter: RecallFilter | undefined): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkScopeFilter(v, filter.scope);
  checkConditions(v, filter.metadata);
  checkTimeOrder(v, filter);
  if (filter.validAtTime !== undefined && filter.includeSuperseded) {
    v.add("include_superseded", "must be false together with valid_at_time");
  }
  v.leave();
}

/** Checks the field `filter` of a request about documents, if it is set. */
export function checkDocumentFilter(v: Violations, filter: DocumentFilter | undefined): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkScopeFilter(v, filter.scope);
  checkConditions(v, filter.metadata);
  v.leave();
}

function checkTimeOrder(v: Violations, { timeFrom: from, timeBefore: before }: RecallFilter): void {
  if (from === undefined || before === undefined) return;
  const isAfter =
    before.seconds === from.seconds ? before.nanos > from.nanos : before.seconds > from.seconds;
  if (!isAfter) v.add("time_before", "must be after time_from");
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
  let count = conditions.length;
  for (const [index, { path, test }] of conditions.entries()) {
    if (v.full) break;
    v.enterItem(field, index);
    const list = listOf(test);
    if (list === undefined) {
      if (path === "") v.add("path", "is required");
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
  if (min !== undefined) {
    if (lessThan !== undefined && min >= lessThan) v.add("less_than", "must be above min");
    if (max !== undefined && min > max) v.add("max", "must not be below min");
  }
  v.leave();
}
