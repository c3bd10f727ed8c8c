// Lists of memories. Each reads a bounded number of rows.

import { recordCorrupt } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { MEMORY_KINDS, type Memory, type MemoryScope } from "../../memory/rules/memory.ts";
import { afterPrefix, lastNumber, numbersUnder, timesUnder, u64 } from "../engine/keys.ts";
import { rangeIndex, takeRows, unlessDamaged } from "../engine/reads.ts";
import { NAMESAKES_MAX } from "../memory-records.ts";
import { scopeIdOf } from "../scope-id.ts";
import type { MemoryPage, MemoryQuery, RankedQuery, RelationQuery, StoredScope } from "../store.ts";
import type { Core, LogAt } from "./core.ts";
import {
  bodyOf,
  committedLog,
  findMemory,
  formerRows,
  needMemory,
  numbersWith,
  readMemoryRow,
  readScope,
} from "./memories.ts";
import { tierNoOf } from "./memory-index.ts";
import {
  MEMORY,
  MEMORY_END,
  MEMORY_HELD,
  MEMORY_HELD_IN,
  MEMORY_IN,
  MEMORY_OF,
  MEMORY_RANK,
  type MemoryRow,
  rankClass,
  rankPart,
  readScopePart,
  type ScopeRow,
  scopePart,
  TERM,
  termOf,
} from "./memory-tables.ts";

// Rows read at a time.
const PAGE = 64;

/** A memory by its id. */
export function readMemory(core: Core, namespace: string, memoryId: string): Memory | undefined {
  const log = committedLog(core, namespace);
  return log && findMemory(log, memoryId)?.memory;
}

/** A memory by its number. */
export function readMemoryAt(core: Core, namespace: string, memoryNo: number): Memory | undefined {
  const log = committedLog(core, namespace);
  const row = log && readMemoryRow(log, memoryNo);
  return log && row && bodyOf(log, memoryNo, row);
}

/** Those memories that exist, by id. */
export function readMemories(
  core: Core,
  namespace: string,
  memoryIds: readonly string[],
): Map<string, Memory> {
  const log = committedLog(core, namespace);
  const found = new Map<string, Memory>();
  for (const memoryId of memoryIds) {
    const memory = log && findMemory(log, memoryId)?.memory;
    if (memory !== undefined) found.set(memoryId, memory);
  }
  return found;
}

/** A page of memories by number: a bounded number of rows and bytes. */
export function listMemories(core: Core, query: MemoryQuery): MemoryPage {
  const { asOfMs, limit } = query;
  const log = committedLog(core, query.namespace);
  const memories: Memory[] = [];
  if (log === undefined) return { memories, next: undefined };
  let bytes = 0;
  let looks = 0;
  let last = query.after;
  for (const memoryNo of numbersIn(log, query)) {
    if (memories.length >= limit || looks >= LIMITS.pageScan) return { memories, next: last };
    looks++;
    const row = unlessDamaged(core, () => stateAt(log, memoryNo, asOfMs));
    bytes += row?.byteCount ?? 0;
    if (memories.length > 0 && bytes > LIMITS.pageBytes) return { memories, next: last };
    last = memoryNo;
    const memory = row && unlessDamaged(core, () => bodyOf(log, memoryNo, row));
    if (memory !== undefined) memories.push(memory);
  }
  return { memories, next: undefined };
}

function stateAt(
  log: LogAt,
  memoryNo: number,
  asOfMs = Number.POSITIVE_INFINITY,
): MemoryRow | undefined {
  const row = readMemoryRow(log, memoryNo);
  if (row === undefined) {
    throw recordCorrupt(`memory ${memoryNo} of log ${log.logNo} is listed but missing`);
  }
  if (row.createMs > asOfMs || row.updateMs <= asOfMs) {
    return row.createMs > asOfMs ? undefined : row;
  }
  for (const former of formerRows(log, memoryNo, row.version)) {
    if (former.updateMs <= asOfMs) return former;
  }
  return undefined;
}

function* numbersIn(log: LogAt, query: MemoryQuery): Generator<number> {
  const { after, order, within } = query;
  const reverse = order === "desc";
  const bounds = after === undefined ? {} : reverse ? { below: after } : { after };
  const lists = prefixesOf(log, within).map((prefix) => {
    const page = Math.min(query.limit + 3, PAGE);
    const range = { ...numbersUnder(prefix, bounds), reverse, page };
    return rangeIndex(log.core, log.visibility, range);
  });
  const heads = lists.map((list) => list.next());
  for (;;) {
    let best = -1;
    let number = reverse ? -1 : Number.POSITIVE_INFINITY;
    heads.forEach((head, at) => {
      const no = head.done === true ? undefined : lastNumber(head.value.key);
      if (no !== undefined && (reverse ? no > number : no < number)) {
        best = at;
        number = no;
      }
    });
    const list = lists[best];
    if (list === undefined) return;
    heads[best] = list.next();
    yield number;
  }
}

function prefixesOf(log: LogAt, within: MemoryQuery["within"]): readonly string[] {
  if (within === undefined) return [MEMORY.prefix(log.logNo)];
  if (within.kind === "scope") {
    const part = scopePart(scopeIdOf(within.scope));
    const { kinds } = within;
    return MEMORY_KINDS.flatMap((kind, at) =>
      kinds?.has(kind) === false
        ? []
        : [0, 1].map((past) => MEMORY_IN.prefix(log.logNo, part, (at + 1) * 2 + past)),
    );
  }
  return [MEMORY_OF.prefix(log.logNo, within.userId)];
}

/** Active entities by name, in the order of scopes and names. */
export function readEntities(
  core: Core,
  namespace: string,
  scopes: readonly MemoryScope[],
  nameKeys: readonly string[],
): readonly Memory[] {
  const log = committedLog(core, namespace);
  if (log === undefined) return [];
  const found = new Set<number>();
  const terms = nameKeys.map((name) => termOf(TERM.name, name));
  for (const scope of scopes) {
    const part = scopePart(scopeIdOf(scope));
    for (const term of terms) {
      const numbers = numbersWith(log, { scope: part, term }, { limit: NAMESAKES_MAX });
      for (const memoryNo of numbers) found.add(memoryNo);
    }
  }
  return [...found].map((no) => needMemory(log, no).memory);
}

/** Memories of one scope and tier by rank. */
export function rankedMemories(core: Core, query: RankedQuery): readonly Memory[] {
  const log = committedLog(core, query.namespace);
  if (log === undefined) return [];
  const part = scopePart(scopeIdOf(query.scope));
  const classes = [0, 1].flatMap((persistent) => [0, 1].map((low) => ({ persistent, low })));
  const found = classes.flatMap((own) => {
    const prefix = MEMORY_RANK.prefix(
      log.logNo,
      part,
      rankClass({ ...own, tierNo: tierNoOf(query.tier) }),
    );
    const ranked = query.order === "asc" ? risingRanks : fallingRanks;
    return ranked(log, prefix, query.limit);
  });
  const down = query.order === "desc" ? -1 : 1;
  return found
    .sort((a, b) => (a.rank === b.rank ? a.no - b.no : a.rank < b.rank ? -down : down))
    .slice(0, query.limit)
    .map(({ no }) => needMemory(log, no).memory);
}

interface Ranked {
  /** As part of a key. */
  readonly rank: string;
  readonly no: number;
}

function risingRanks(log: LogAt, prefix: string, limit: number): readonly Ranked[] {
  return ranksFrom(log, prefix, { start: ranksStart(prefix), end: afterPrefix(prefix) }, limit);
}

function ranksFrom(
  log: LogAt,
  prefix: string,
  range: { readonly start: string; readonly end: string },
  limit: number,
): readonly Ranked[] {
  const rows = takeRows(log.core, log.visibility, range, limit);
  return rows.map(({ key }) => rankedAt(prefix, key));
}

function rankedAt(prefix: string, key: string): Ranked {
  return { rank: key.slice(prefix.length, -8), no: lastNumber(key) };
}

function ranksStart(prefix: string): string {
  return prefix + rankPart(0) + u64(0);
}

// Downwards from rank to rank, and upwards within each: the last one may go on, and is read anew.
function fallingRanks(log: LogAt, prefix: string, limit: number): readonly Ranked[] {
  const page = Math.min(limit + 3, PAGE);
  const range = { start: ranksStart(prefix), end: afterPrefix(prefix), reverse: true, page };
  const found: Ranked[] = [];
  let same: Ranked[] = [];
  for (const { key } of rangeIndex(log.core, log.visibility, range)) {
    const one = rankedAt(prefix, key);
    if (same[0]?.rank !== one.rank) {
      found.push(...same.reverse());
      same = [];
    }
    if (found.length + same.length >= limit) break;
    same.push(one);
  }
  const [last] = same;
  if (last === undefined) return found.slice(0, limit);
  const rest = numbersUnder(prefix + last.rank);
  return found.concat(ranksFrom(log, prefix, rest, limit - found.length));
}

/** Active relations that touch names, oldest first. */
export function queryRelations(core: Core, query: RelationQuery): readonly Memory[] {
  const log = committedLog(core, query.namespace);
  if (log === undefined) return [];
  const scope = scopePart(scopeIdOf(query.scope));
  const what = query.place === "subject" ? TERM.subject : TERM.object;
  const found = new Set(
    query.names.flatMap((name) => numbersWith(log, { scope, term: termOf(what, name) }, query)),
  );
  return [...found]
    .sort((a, b) => a - b)
    .slice(0, query.limit)
    .map((no) => needMemory(log, no).memory);
}

/** The states of a memory, the newest first. */
export function listMemoryVersions(
  core: Core,
  namespace: string,
  memoryId: string,
  page: { readonly before?: number; readonly limit: number },
): readonly Memory[] {
  const { before = Number.MAX_SAFE_INTEGER, limit } = page;
  const log = committedLog(core, namespace);
  const found = log && findMemory(log, memoryId);
  if (log === undefined || found === undefined) return [];
  const { memory, row } = found;
  const states = row.version < before ? [memory] : [];
  for (const former of limit > states.length ? formerRows(log, memory.memoryNo, before) : []) {
    states.push(bodyOf(log, memory.memoryNo, former));
    if (states.length >= limit) break;
  }
  return states.slice(0, limit);
}

/** The scopes that hold memories. */
export function listMemoryScopes(
  core: Core,
  namespace: string,
  after: string,
  limit: number,
): readonly StoredScope[] {
  const log = committedLog(core, namespace);
  const scopes: StoredScope[] = [];
  if (log === undefined) return scopes;
  const prefix = MEMORY_HELD_IN.prefix(log.logNo);
  const range = { start: prefix + scopePart(after), end: afterPrefix(prefix) };
  const page = Math.min(limit + 3, PAGE);
  for (const { key } of rangeIndex(core, "committed", { ...range, page })) {
    const part = key.slice(prefix.length);
    const scopeId = readScopePart(part);
    if (scopes.length >= limit) break;
    const scope =
      scopeId > after ? unlessDamaged(core, () => scopeOf(log, scopeId, part)) : undefined;
    if (scope !== undefined) scopes.push(scope);
  }
  return scopes;
}

function scopeOf(log: LogAt, scopeId: string, part: string): StoredScope {
  const row = readScope(log, part);
  if (row === undefined) throw recordCorrupt(`a scope of log ${log.logNo} is listed but missing`);
  return storedScope(scopeId, row);
}

function storedScope(scopeId: string, { scope, counts, updateMs }: ScopeRow): StoredScope {
  const memoryCount = counts.reduce((sum, count) => sum + count, 0);
  return { scopeId, scope, memoryCount, updateMs };
}

/** A scope that holds memories. */
export function readMemoryScope(
  core: Core,
  namespace: string,
  scopeId: string,
): StoredScope | undefined {
  const log = committedLog(core, namespace);
  const row = log && readScope(log, scopePart(scopeId));
  const found = row && storedScope(scopeId, row);
  return found?.memoryCount === 0 ? undefined : found;
}

/** Namespaces that hold memories. */
export function listMemoryNamespaces(core: Core, after: string, limit: number): string[] {
  const range = { start: `${MEMORY_HELD.key(after)}\0`, end: afterPrefix(MEMORY_HELD.id) };
  return takeRows(core, "committed", range, limit).map(({ key }) => MEMORY_HELD.parts(key)[0]);
}

/** Memories whose time has run out, the longest gone first. */
export function expiredMemories(
  core: Core,
  nowMs: number,
  limit: number,
): { readonly namespace: string; readonly memoryId: string }[] {
  const rows = takeRows(core, "committed", timesUnder(MEMORY_END.id, nowMs), limit);
  return rows.map(({ key, payload }) => {
    const [, logNo, memoryNo] = MEMORY_END.parts(key);
    const { memoryId } = readMemoryRow({ core, visibility: "committed", logNo }, memoryNo) ?? {};
    if (memoryId === undefined) {
      throw recordCorrupt(`memory ${memoryNo} of log ${logNo} is listed but missing`);
    }
    return { namespace: MEMORY_END.of(payload), memoryId };
  });
}
