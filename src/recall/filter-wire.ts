// The filters of recalls, documents and memories on the wire: their rules, and their domain form.

import { checkRequiredScope, checkScopeFilter } from "../core/scope-checks.ts";
import { fromMemoryKind, fromMemoryOrigin, fromScopeFilter } from "../core/wire.ts";
import type { Timestamp } from "../gen/google/protobuf/timestamp.ts";
import type * as document from "../gen/memorysidecar/v1/document.ts";
import type * as wire from "../gen/memorysidecar/v1/filter.ts";
import * as memoryWire from "../gen/memorysidecar/v1/memory.ts";
import * as recallWire from "../gen/memorysidecar/v1/recall.ts";
import { wordsByNumber } from "../grpc/enums.ts";
import { checkCount, checkFinite } from "../grpc/fields.ts";
import { floorTimestamp, fromOptionalTimestamp } from "../grpc/time.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { SHARED_RECORDS } from "../memory/rules/scopes.ts";
import type { Trust } from "../summary/rules/summary.ts";
import { ROLE, type Role } from "../window/rules/types.ts";
import type { DocumentFilter } from "./api.ts";
import {
  ANY_RECORD,
  type MetadataCondition,
  type RecallFilter,
  type RecallKind,
  type Scalar,
  type ValueTest,
} from "./rules/filter.ts";
import { compareTexts } from "./rules/item-tests.ts";
import type { MemoryFilter } from "./rules/memory-filter.ts";

/** Checks the field `filter` of a recall, if it is set. */
export function checkRecallFilter(
  v: Violations,
  filter: recallWire.RecallFilter | undefined,
): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkScopeFilter(v, filter.scope);
  checkConditions(v, filter.metadata);
  checkPeriod(v, "time", filter.timeFrom, filter.timeBefore);
  if (filter.validAtTime !== undefined && filter.includeSuperseded) {
    v.add("include_superseded", "must be false together with valid_at_time");
  }
  if (filter.recursiveCollections && filter.collectionIds.length === 0) {
    v.add("recursive_collections", "has no effect without collection_ids: name some");
  }
  v.leave();
}

/** Checks the field `filter` of a request about documents, if it is set. */
export function checkDocumentFilter(
  v: Violations,
  filter: document.DocumentFilter | undefined,
): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkScopeFilter(v, filter.scope);
  checkConditions(v, filter.metadata);
  v.leave();
}

/** Checks that the end of a period lies behind its start. */
export function checkPeriod(
  v: Violations,
  name: string,
  from: Timestamp | undefined,
  before: Timestamp | undefined,
): void {
  if (from === undefined || before === undefined) return;
  const isAfter =
    before.seconds === from.seconds ? before.nanos > from.nanos : before.seconds > from.seconds;
  if (!isAfter) v.add(`${name}_before`, `must be after ${name}_from`);
}

/** Checks the field `metadata` of a filter. */
export function checkConditions(
  v: Violations,
  conditions: readonly wire.MetadataCondition[],
): void {
  const count = checkConditionList(v, "metadata", { conditions, level: 1 });
  const max = LIMITS.metadataTreeConditions;
  if (count > max) v.add("metadata", `holds ${count} conditions; at most ${max} are allowed`, max);
}

/** Checks the conditions of a level, and gives how many there are with those below them. */
function checkConditionList(
  v: Violations,
  field: string,
  { conditions, level }: { conditions: readonly wire.MetadataCondition[]; level: number },
): number {
  let count = conditions.length;
  for (const [index, { path, test }] of conditions.entries()) {
    if (v.full) break;
    v.enterItem(field, index);
    const list = listOf(test);
    if (test?.$case === "label") {
      if (path !== "") v.add("path", "must be empty with label");
      checkLabel(v, test.value);
    } else if (list === undefined) {
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
  conditions: readonly wire.MetadataCondition[],
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
  test: wire.MetadataCondition["test"],
): { readonly name: string; readonly conditions: readonly wire.MetadataCondition[] } | undefined {
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

function checkTest(v: Violations, test: wire.MetadataCondition["test"]): void {
  switch (test?.$case) {
    case "equalTo":
      checkScalar(v, "equal_to", test.value);
      break;
    case "oneOf":
      checkValues(v, test.value ?? []);
      break;
    case "range":
      checkRange(v, "range", test.value, (a, b) => a - b);
      break;
    case "textRange":
      checkRange(v, "text_range", test.value, compareTexts);
      break;
  }
}

function checkLabel(v: Violations, { test }: wire.LabelCondition): void {
  v.enter("label");
  if (test?.$case === "textRange") checkRange(v, "text_range", test.value, compareTexts);
  v.leave();
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

/** A range of values; a bound may be unset. */
interface Range<T> {
  readonly min?: T | undefined;
  readonly lessThan?: T | undefined;
  readonly max?: T | undefined;
}

function checkRange<T>(
  v: Violations,
  field: string,
  { min, lessThan, max }: Range<T>,
  compare: (a: T, b: T) => number,
): void {
  v.enter(field);
  if (min === undefined && lessThan === undefined && max === undefined) {
    v.add("min", "must be set, or less_than, or max");
  }
  if (lessThan !== undefined && max !== undefined) {
    v.add("max", "must be unset together with less_than");
  }
  if (min !== undefined) {
    if (lessThan !== undefined && !(compare(min, lessThan) < 0)) {
      v.add("less_than", "must be above min");
    }
    if (max !== undefined && compare(min, max) > 0) v.add("max", "must not be below min");
  }
  v.leave();
}

/** Checks the field `filter` of a request about memories, if it is set. */
export function checkMemoryFilter(
  v: Violations,
  filter: memoryWire.MemoryFilter | undefined,
): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkScopeFilter(v, filter.scope);
  checkConditionsOf(v, filter);
  v.leave();
}

/** Checks the field `filter` of a request about memories or documents that must name a scope. */
export function checkRequiredFilter(
  v: Violations,
  filter: memoryWire.MemoryFilter | document.DocumentFilter | undefined,
): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkRequiredScope(v, filter.scope);
  if ("kinds" in filter) checkConditionsOf(v, filter);
  else checkConditions(v, filter.metadata);
  v.leave();
}

/** Checks everything but the scope. */
function checkConditionsOf(v: Violations, filter: memoryWire.MemoryFilter): void {
  checkConditions(v, filter.metadata);
  const { createTimeFrom, createTimeBefore, lastSeenTimeFrom, lastSeenTimeBefore } = filter;
  checkPeriod(v, "create_time", createTimeFrom, createTimeBefore);
  checkPeriod(v, "last_seen_time", lastSeenTimeFrom, lastSeenTimeBefore);
}

const KINDS = wordsByNumber(recallWire.RecallKind, undefined);
const STATES = wordsByNumber(memoryWire.MemoryState, "active");

const DEFAULT_ROLES: ReadonlySet<Role> = new Set([ROLE.user, ROLE.assistant]);

const EVERYTHING: RecallFilter = { ...ANY_RECORD, scope: SHARED_RECORDS, roles: DEFAULT_ROLES };

const SHARED_DOCUMENTS: DocumentFilter = {
  scope: SHARED_RECORDS,
  labels: new Map(),
  metadata: [],
  sourceDocumentId: "",
};

function fromCondition({ path, test }: wire.MetadataCondition): MetadataCondition {
  switch (test?.$case) {
    case "label":
      return { label: test.value.key, test: fromTest(test.value.test) };
    case "allOf":
      return { of: "all", conditions: fromConditions(test.value.conditions) };
    case "anyOf":
      return { of: "any", conditions: fromConditions(test.value.conditions) };
    case "noneOf":
      return { of: "none", conditions: fromConditions(test.value.conditions) };
    default:
      return { path, test: fromTest(test) };
  }
}

type Test = Exclude<
  wire.MetadataCondition["test"] | wire.LabelCondition["test"],
  { readonly $case: "label" | "allOf" | "anyOf" | "noneOf" }
>;

function fromTest(test: Test): ValueTest {
  switch (test?.$case) {
    case "equalTo":
      return { kind: "one-of", values: [test.value as Scalar] };
    case "oneOf": {
      const { value } = test;
      return { kind: "one-of", values: Array.isArray(value) ? value : (value?.values ?? []) };
    }
    case "range":
      return { kind: "range", ...test.value };
    case "exists":
      return { kind: "exists", exists: test.value };
    case "startsWith":
      return { kind: "starts-with", text: test.value };
    case "contains":
      return { kind: "contains", text: test.value };
    case "textRange":
      return { kind: "text-range", ...test.value };
    case undefined:
      throw new Error("the request was not checked");
  }
}

/** Turns checked conditions on metadata into their domain form. */
export function fromConditions(
  conditions: readonly wire.MetadataCondition[],
): readonly MetadataCondition[] {
  return conditions.map(fromCondition);
}

/**
 * The kinds of records that a filter asks for. Sessions and roles imply messages, collections and a
 * source imply documents, kinds of memories imply memories.
 */
export function kindsOf(filter: recallWire.RecallFilter): ReadonlySet<RecallKind> {
  const { kinds, sessionIds, roles, collectionIds, memoryKinds } = filter;
  if (kinds.length > 0) return new Set(kinds.flatMap((kind) => KINDS[kind] ?? []));
  const named = new Set<RecallKind>();
  const namesSessions = sessionIds.length > 0 || filter.sessionIdPrefix !== undefined;
  if (namesSessions || roles.length > 0) named.add("message");
  if (collectionIds.length > 0 || filter.sourceDocumentId !== undefined) named.add("document");
  if (memoryKinds.length > 0) named.add("memory");
  return named;
}

/** Turns a checked filter into the filter of a recall. Default roles: user and assistant. */
export function fromRecallFilter(filter: recallWire.RecallFilter | undefined): RecallFilter {
  if (filter === undefined) return EVERYTHING;
  const { roles, timeFrom, timeBefore, minTrust, validAtTime } = filter;
  const validAtMs = fromOptionalTimestamp(validAtTime);
  return {
    kinds: kindsOf(filter),
    sessionIds: filter.sessionIds,
    excludeSessionIds: filter.excludeSessionIds,
    sessionIdPrefix: filter.sessionIdPrefix ?? "",
    scope: fromScopeFilter(filter.scope),
    sessionLabels: filter.sessionLabels,
    roles: roles.length === 0 ? DEFAULT_ROLES : new Set(roles as Role[]),
    collectionIds: filter.collectionIds,
    isRecursive: filter.recursiveCollections,
    labels: filter.labels,
    metadata: fromConditions(filter.metadata),
    fromMs: fromOptionalTimestamp(timeFrom),
    beforeMs: fromOptionalTimestamp(timeBefore),
    minTrust: minTrust === 0 ? undefined : (minTrust as Trust),
    sourceDocumentId: filter.sourceDocumentId ?? "",
    memoryKinds: new Set(filter.memoryKinds.map(fromMemoryKind)),
    categories: lowered(filter.categories),
    validity: filter.includeSuperseded ? "any" : (validAtMs ?? "now"),
    minConfidence: filter.minConfidence || undefined,
  };
}

/** Turns a checked filter into the filter of a list of documents; unset means the shared ones. */
export function fromDocumentFilter(filter: document.DocumentFilter | undefined): DocumentFilter {
  if (filter === undefined) return SHARED_DOCUMENTS;
  const { scope, labels, metadata, sourceDocumentId = "" } = filter;
  const conditions = { labels, metadata: fromConditions(metadata), sourceDocumentId };
  return { scope: fromScopeFilter(scope), ...conditions };
}

const EMPTY_MEMORY_FILTER = memoryWire.MemoryFilter.decode(new Uint8Array(0));

function lowered(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.map((text) => text.toLowerCase()));
}

/** Turns a checked filter into a filter of memories; unset means the active shared ones. */
export function fromMemoryFilter(
  filter: memoryWire.MemoryFilter = EMPTY_MEMORY_FILTER,
): MemoryFilter {
  const { minTrust, validAtTime } = filter;
  return {
    scope: fromScopeFilter(filter.scope),
    kinds: new Set(filter.kinds.map(fromMemoryKind)),
    states: new Set(filter.states.map((state) => STATES[state] ?? "active")),
    categories: lowered(filter.categories),
    topics: lowered(filter.topics),
    key: filter.key ?? "",
    textContains: filter.textContains ?? "",
    labels: filter.labels,
    metadata: fromConditions(filter.metadata),
    minImportance: filter.minImportance,
    minConfidence: filter.minConfidence,
    minTrust: minTrust === 0 ? undefined : (minTrust as Trust),
    persistent: filter.persistent,
    validAtMs: validAtTime === undefined ? undefined : floorTimestamp(validAtTime),
    createFromMs: fromOptionalTimestamp(filter.createTimeFrom),
    createBeforeMs: fromOptionalTimestamp(filter.createTimeBefore),
    seenFromMs: fromOptionalTimestamp(filter.lastSeenTimeFrom),
    seenBeforeMs: fromOptionalTimestamp(filter.lastSeenTimeBefore),
    sourceSessionId: filter.sourceSessionId ?? "",
    origin: fromMemoryOrigin(filter.origin),
    sourceErased: filter.sourceErased,
  };
}

/** The same for a filter whose unset states mean both. */
export function fromWholeFilter(filter: memoryWire.MemoryFilter | undefined): MemoryFilter {
  const given = fromMemoryFilter(filter);
  if (given.states.size > 0) return given;
  return { ...given, states: new Set(["active", "superseded"]) };
}
