// Evaluates a typed filter to the rows of a shard. A filter that names few containers is answered
// by looking at their items; every other one by bits: those of the roles are kept, those of
// containers, labels and metadata are made by one pass over the columns that the filter names.

import { meansScope } from "../../memory/rules/scopes.ts";
import { isWithin } from "../rules/collection-path.ts";
import type { RecallFilter, RecallKind } from "../rules/filter.ts";
import { type FilterTimes, sessionPasses } from "../rules/item-tests.ts";
import {
  ALL_ROWS,
  bitsFilter,
  filterHas,
  filterWhere,
  intersectFilters,
  listFilter,
  NO_ROWS,
  type RowFilter,
} from "../rules/row-filter.ts";
import { clearRange, setRange } from "./columns.ts";
import { type Container, type ContainerTable, KIND } from "./containers.ts";
import type { DocumentScopes } from "./document-scopes.ts";
import { conditionsOf, type ItemCondition, type ItemTable, itemBits, itemTester } from "./items.ts";
import type { MemoryTable } from "./memories.ts";
import type { ValueTable } from "./values.ts";

/** The parts of a shard that filters read. */
export interface FilterSource {
  readonly items: ItemTable;
  readonly containers: ContainerTable;
  readonly values: ValueTable;
  readonly memories: MemoryTable;
  readonly documentScopes: DocumentScopes;
}

/** Items are tested one by one up to one in this many. */
const ITEMS_PER_LISTED = 32;

/**
 * Gives the rows that pass. Containers and memories whose time has run out by `nowMs` do not. The
 * last parameter decides between two ways to the same answer: 0 takes items one by one whenever it
 * can.
 */
export function rowsOfFilter(
  source: FilterSource,
  filter: RecallFilter,
  times: FilterTimes,
  itemsPerListed = ITEMS_PER_LISTED,
): RowFilter {
  const picked = pickContainers(source.containers, filter, times.nowMs);
  const conditions = conditionsOf(filter);
  if (picked !== undefined) {
    const count = picked.reduce((sum, container) => sum + container.items.length, 0);
    if (count * itemsPerListed <= source.items.live.count) {
      return listed({ source, filter, times, conditions }, picked);
    }
  }
  let rows = rowsOfRoles(source.items, filter);
  if (picked !== undefined) rows = intersectFilters(rows, rowsOfContainers(source, picked));
  if (conditions.length > 0) {
    rows = intersectFilters(
      rows,
      rowsOfItems(source.items, itemBits(source.values, conditions, source.items.count)),
    );
  }
  rows = byTimeAndTrust(source.items, filter, rows);
  const failing = [
    ...(wanted(filter, "document") ? failingDocuments(source, filter) : []),
    ...(wanted(filter, "memory") ? failingMemories(source, filter, times) : []),
  ];
  return withoutItems(source.items, rows, failing);
}

/** The memories that fail the conditions on memories. */
function failingMemories(
  { memories }: FilterSource,
  filter: RecallFilter,
  times: FilterTimes,
): number[] {
  const passes = memories.tester(filter, times);
  const failing: number[] = [];
  const doubtful = memories.doubtful(filter);
  const { length } = doubtful ?? memories.items;
  for (let at = 0; at < length; at++) {
    const place = doubtful?.at(at) ?? at;
    if (!passes(place)) failing.push(memories.items.at(place));
  }
  return failing;
}

/** The documents outside the scope of the filter. */
function failingDocuments(
  { containers, documentScopes }: FilterSource,
  { scope }: RecallFilter,
): number[] {
  const passes = documentScopes.tester(scope);
  if (passes === undefined) return [];
  const items = documentScopes.doubtful(scope);
  if (items !== undefined) return items.filter((item) => !passes(item));
  const failing: number[] = [];
  for (let number = 0; number < containers.end; number++) {
    if (containers.kind.at(number) !== KIND.collection) continue;
    for (const item of containers.at(number)?.items ?? []) if (!passes(item)) failing.push(item);
  }
  return failing;
}

/** Takes the rows of items away. */
function withoutItems(items: ItemTable, rows: RowFilter, all: readonly number[]): RowFilter {
  const failing = all.filter((item) => filterHas(rows, items.firstRow.at(item)));
  if (failing.length === 0) return rows;
  if (rows.kind === "list") {
    const gone = new Set(failing);
    return { kind: "list", rows: rows.rows.filter((row) => !gone.has(items.itemOfRow.at(row))) };
  }
  const words = new Uint32Array((items.rowCount + 31) >>> 5);
  if (rows.kind === "bits") words.set(rows.words.subarray(0, words.length));
  else setRange(words, 0, items.rowCount);
  for (const item of failing) clearRange(words, items.firstRow.at(item), items.endRow(item));
  return bitsFilter(words);
}

/** Gives the containers that pass, or undefined when all do. */
function pickContainers(
  containers: ContainerTable,
  filter: RecallFilter,
  nowMs: number,
): readonly Container[] | undefined {
  const expired = new Set(containers.expired(nowMs));
  const passes = containerTest(containers, filter);
  if (passes === undefined && expired.size === 0) return undefined;
  const picked: Container[] = [];
  const take = (container: Container | undefined): void => {
    if (container === undefined || expired.has(container.number)) return;
    if (passes === undefined || passes(container)) picked.push(container);
  };
  const named = namedContainers(containers, filter);
  if (named !== undefined) {
    for (const container of named) take(container);
    return picked;
  }
  const mayPass = userTest(containers, filter);
  for (let number = 0; number < containers.end; number++) {
    if (mayPass(number)) take(containers.at(number));
  }
  return picked;
}

/**
 * Makes the test of containers by the column of their users alone: most sessions are of other
 * users. A collection may hold documents of anybody.
 */
function userTest(
  { names, user, kind }: ContainerTable,
  { scope }: RecallFilter,
): (number: number) => boolean {
  if (scope.kind === "everyone") return () => true;
  const { userId } = scope.scope;
  if (scope.kind === "owned-by" && userId === "") return () => true;
  const wanted = names.find(userId) ?? -1;
  const shared = scope.kind === "visible-to" ? 0 : wanted;
  return (number) => {
    const owner = user.at(number);
    return owner === wanted || owner === shared || kind.at(number) === KIND.collection;
  };
}

/** The containers among which those that pass are, when the filter names all that can pass. */
function namedContainers(
  containers: ContainerTable,
  filter: RecallFilter,
): ReadonlySet<Container> | undefined {
  const sessions = wanted(filter, "message") ? filter.sessionIds : [];
  const collections = wanted(filter, "document") ? filter.collectionIds : [];
  const allSessions = wanted(filter, "message") && sessions.length === 0;
  const allCollections = wanted(filter, "document") && collections.length === 0;
  if (allSessions || allCollections || wanted(filter, "memory")) return undefined;
  const found = new Set<Container>();
  const add = (container: Container | undefined): void => {
    if (container !== undefined) found.add(container);
  };
  for (const id of sessions) add(containers.find({ kind: "session", id }));
  for (const id of collections) {
    if (filter.isRecursive !== true) add(containers.find({ kind: "collection", id }));
    else for (const one of containers.collectionsWithin(id)) add(one);
  }
  return found;
}

/**
 * Whether records of a kind can pass at all: documents have no session, and memories have a user
 * and an agent and nothing else of one.
 */
function wanted(filter: RecallFilter, kind: RecallKind): boolean {
  if (filter.kinds.size > 0 && !filter.kinds.has(kind)) return false;
  if (kind !== "document" && filter.sourceDocumentId !== "") return false;
  if (kind === "message") return true;
  return filter.sessionLabels.size === 0;
}

/** Makes the test of one container; undefined when every one passes. */
function containerTest(
  containers: ContainerTable,
  filter: RecallFilter,
): ((container: Container) => boolean) | undefined {
  const { sessionLabels } = filter;
  const withMessages = wanted(filter, "message");
  const withDocuments = wanted(filter, "document");
  const withMemories = wanted(filter, "memory");
  const { sessionIdPrefix: prefix = "" } = filter;
  const isFree =
    filter.sessionIds.length === 0 && filter.excludeSessionIds.length === 0 && prefix === "";
  const passesOwner = ownerTest(containers, filter);
  const anySession = passesOwner === undefined && sessionLabels.size === 0 && isFree;
  const anyRecord = withMessages && withDocuments && withMemories;
  if (anyRecord && anySession && filter.collectionIds.length === 0) return undefined;
  const sessionIds = new Set(filter.sessionIds);
  const excluded = new Set(filter.excludeSessionIds);
  const collectionIds = new Set(filter.collectionIds);
  return (container) => {
    const { number, id, labels } = container;
    const kind = containers.kind.at(number);
    if (kind === KIND.scope) {
      return withMemories && meansScope(containers.ownerOf(container), filter.scope);
    }
    if (kind === KIND.collection) {
      if (!withDocuments || collectionIds.size === 0) return withDocuments;
      return filter.isRecursive === true ? isWithin(id, collectionIds) : collectionIds.has(id);
    }
    if (!withMessages || excluded.has(id) || !id.startsWith(prefix)) return false;
    if (sessionIds.size > 0 && !sessionIds.has(id)) return false;
    if (passesOwner !== undefined && !passesOwner(container)) return false;
    for (const [key, value] of sessionLabels) if (labels.get(key) !== value) return false;
    return true;
  };
}

/** Makes the test of whose a session is; undefined when everybody's pass. */
function ownerTest(
  containers: ContainerTable,
  { scope }: RecallFilter,
): ((container: Container) => boolean) | undefined {
  if (scope.kind === "everyone") return undefined;
  return (container) =>
    sessionPasses({ ...containers.ownerOf(container), sessionId: container.id }, scope);
}

/** Looks at every item of a few containers. */
function listed(
  asked: {
    readonly source: FilterSource;
    readonly filter: RecallFilter;
    readonly times: FilterTimes;
    readonly conditions: readonly ItemCondition[];
  },
  picked: readonly Container[],
): RowFilter {
  const { filter, times, conditions } = asked;
  const { items, values, memories } = asked.source;
  const tests = conditions.map((condition) => itemTester(values, condition));
  const fitsTime = timeAndTrust(items, filter);
  const passesMemory = memories.tester(filter, times);
  const passesDocument = asked.source.documentScopes.tester(filter.scope);
  const rows: number[] = [];
  for (const container of picked) {
    for (const item of container.items) {
      const role = items.roleOf(item);
      if (role !== 0 && filter.roles.size > 0 && !hasRole(filter, role)) continue;
      if (!fitsTime(item) || !tests.every((fits) => fits(item))) continue;
      if (container.kind === "collection" && passesDocument?.(item) === false) continue;
      const place = container.kind === "scope" ? memories.placeOf(item) : undefined;
      if (place !== undefined && !passesMemory(place)) continue;
      for (let row = items.firstRow.at(item); row < items.endRow(item); row++) rows.push(row);
    }
  }
  return listFilter(rows);
}

/** The rows of the roles that pass: bits that are there already. Dead rows are in none of them. */
function rowsOfRoles(items: ItemTable, filter: RecallFilter): RowFilter {
  const { rowCount, rowsOfRole } = items;
  const passing = rowsOfRole.filter(
    ({ count }, role) =>
      count > 0 && (role === 0 || filter.roles.size === 0 || hasRole(filter, role)),
  );
  const count = passing.reduce((sum, bits) => sum + bits.count, 0);
  if (count === rowCount) return ALL_ROWS;
  if (count === 0) return NO_ROWS;
  const words = new Uint32Array((rowCount + 31) >>> 5);
  for (const bits of passing) {
    const end = Math.min(words.length, bits.words.length);
    for (let at = 0; at < end; at++) words[at] = (words[at] ?? 0) | (bits.words[at] ?? 0);
  }
  return { kind: "bits", words, count };
}

function hasRole(filter: RecallFilter, role: number): boolean {
  return (filter.roles as ReadonlySet<number>).has(role);
}

/** The rows of containers: set in an empty set, or cleared in a full one when they are the most. */
function rowsOfContainers(
  { items, containers }: FilterSource,
  picked: readonly Container[],
): RowFilter {
  const { rowCount } = items;
  const words = new Uint32Array((rowCount + 31) >>> 5);
  const count = picked.reduce((sum, container) => sum + container.items.length, 0);
  if (count * 2 <= items.live.count) {
    for (const container of picked) {
      forEachRun(items, container, (start, end) => setRange(words, start, end));
    }
    return bitsFilter(words);
  }
  setRange(words, 0, rowCount);
  const kept = new Set(picked);
  for (let number = 0; number < containers.end; number++) {
    const container = containers.at(number);
    if (container === undefined || kept.has(container)) continue;
    forEachRun(items, container, (start, end) => clearRange(words, start, end));
  }
  return bitsFilter(words);
}

/** Visits the rows of a container as runs: its items often follow one another. */
function forEachRun(
  items: ItemTable,
  container: Container,
  visit: (start: number, end: number) => void,
): void {
  let start = 0;
  let end = 0;
  for (const item of container.items) {
    const first = items.firstRow.at(item);
    if (first !== end) {
      if (end > start) visit(start, end);
      start = first;
    }
    end = first + items.passages.at(item);
  }
  if (end > start) visit(start, end);
}

/** The rows of items given as bits. */
function rowsOfItems(items: ItemTable, itemWords: Uint32Array): RowFilter {
  const { rowCount, count } = items;
  // Every item has a row, so that these are the same numbers.
  if (rowCount === count) {
    clearRange(itemWords, count, itemWords.length * 32);
    return bitsFilter(itemWords);
  }
  const words = new Uint32Array((rowCount + 31) >>> 5);
  for (let at = 0; at < itemWords.length; at++) {
    for (let left = itemWords[at] ?? 0; left !== 0; left &= left - 1) {
      const item = at * 32 + (31 - Math.clz32(left & -left));
      if (item < count) setRange(words, items.firstRow.at(item), items.endRow(item));
    }
  }
  return bitsFilter(words);
}

function byTimeAndTrust(items: ItemTable, filter: RecallFilter, rows: RowFilter): RowFilter {
  const { fromMs, beforeMs, minTrust } = filter;
  if (fromMs === undefined && beforeMs === undefined && minTrust === undefined) return rows;
  const fits = timeAndTrust(items, filter);
  const itemOf = items.itemOfRow;
  if (rows.kind === "list") {
    return { kind: "list", rows: rows.rows.filter((row) => fits(itemOf.at(row))) };
  }
  return filterWhere(items.rowCount, (row) => fits(itemOf.at(row)) && filterHas(rows, row));
}

function timeAndTrust(items: ItemTable, filter: RecallFilter): (item: number) => boolean {
  const from = filter.fromMs ?? Number.NEGATIVE_INFINITY;
  const before = filter.beforeMs ?? Number.POSITIVE_INFINITY;
  const trust = filter.minTrust ?? 0;
  return (item) => {
    const time = items.timeMs.at(item);
    return time >= from && time < before && items.trustOf(item) >= trust;
  };
}
