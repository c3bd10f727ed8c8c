// Checks memories against everything that lists them, both ways, their bodies and former states,
// their scopes, and the jobs that wait for sessions.

import type { Memory } from "../../memory/rules/memory.ts";
import { lastNumber, u64 } from "../engine/keys.ts";
import { ONE_NUMBER, ONE_TEXT } from "../engine/table.ts";
import { scopeIdOf } from "../scope-id.ts";
import { endKeyOf, listKeysOf, sourceKeysOf } from "../tables/memory-index.ts";
import { jobDueKeys, jobListKeys } from "../tables/memory-jobs.ts";
import {
  MEMORIES,
  MEMORY,
  MEMORY_DUE,
  MEMORY_END,
  MEMORY_GONE,
  MEMORY_HELD,
  MEMORY_HELD_IN,
  MEMORY_ID,
  MEMORY_IN,
  MEMORY_JOBS,
  MEMORY_OF,
  MEMORY_PAST,
  MEMORY_RANK,
  MEMORY_SCOPE,
  MEMORY_SOURCE,
  MEMORY_TASK,
  MEMORY_TERM,
  type MemoriesRow,
  type MemoryRow,
  memoryOf,
  PROMOTED,
  PROMOTED_AT,
  promotedKey,
  type ScopeRow,
  scopePart,
} from "../tables/memory-tables.ts";
import { SESSION, SESSION_NAME } from "../tables/session-tables.ts";
import { bodyOf, type DocumentCheck } from "./documents.ts";

/** Checks everything about memories; gives the number of memories. */
export function checkMemories(check: DocumentCheck): number {
  const { problems, view } = check;
  let count = 0;
  let held = 0;
  for (const { parts, record: found } of view.rows(MEMORIES)) {
    if (found === undefined) continue;
    const isOwn = check.logs.add(found.logNo) && found.logNo < check.nextLogNo;
    problems.check(isOwn, "a log belongs to two namespaces", `log ${found.logNo}`);
    count += new NamespaceCheck(check, parts[0], found).run();
    held += found.memoryCount > 0 ? 1 : 0;
  }
  const listed = view.count(MEMORY_HELD.id);
  problems.check(listed === held, "the list of namespaces with memories is wrong", listed);
  checkEnds(check);
  return count;
}

// An end is looked up from its memory; here that none is too many.
function checkEnds({ problems, view }: DocumentCheck): void {
  for (const { key, parts } of view.rows(MEMORY_END)) {
    const [, logNo, memoryNo] = parts;
    const memory = view.read(MEMORY, logNo, memoryNo);
    const isEnd = memory !== undefined && endKeyOf({ logNo, memoryNo }, memory) === key;
    const where = `log ${logNo}, memory ${memoryNo}`;
    problems.check(isEnd, "a time names a memory that does not end then", where);
  }
}

const LISTS = [MEMORY_IN.id, MEMORY_OF.id, MEMORY_TERM.id, MEMORY_RANK.id];

class NamespaceCheck {
  readonly #check: DocumentCheck;
  readonly #namespace: string;
  readonly #row: MemoriesRow;
  readonly #scopes = new Map<string, ScopeRow>();
  /** Number of memories of each tier, by scope. */
  readonly #counts = new Map<string, number[]>();
  /** Number of messages that memories name. */
  #sources = 0;

  constructor(check: DocumentCheck, namespace: string, row: MemoriesRow) {
    this.#check = check;
    this.#namespace = namespace;
    this.#row = row;
  }

  run(): number {
    const { problems, view } = this.#check;
    const { logNo, memoryCount, nextMemoryNo } = this.#row;
    const log = `log ${logNo}`;
    this.#readScopes();
    let count = 0;
    let lists = 0;
    for (const { parts, record: found } of view.rows(MEMORY, logNo)) {
      count++;
      const [, memoryNo] = parts;
      const isPast = memoryNo > 0 && memoryNo < nextMemoryNo;
      const place = `${log}, memory ${memoryNo}`;
      problems.check(isPast, "a memory has a number that was not given", place);
      if (found !== undefined) lists += this.#memory(memoryNo, found);
    }
    problems.check(count === memoryCount, "the memories of a namespace are counted wrongly", log);
    const isHeld = view.has(MEMORY_HELD.key(this.#namespace));
    const kind = "a namespace with memories is not listed";
    problems.check(isHeld === memoryCount > 0, kind, log);
    // Every id and every list was looked up above: the same number means that none is too many.
    const ids = this.#check.view.count(MEMORY_ID.prefix(logNo));
    problems.check(ids === count, "the ids of memories are wrong", log);
    let listed = 0;
    for (const table of LISTS) {
      listed += this.#check.view.count(table + u64(logNo));
    }
    problems.check(listed === lists, "the lists of memories are wrong", log);
    this.#checkSources();
    this.#checkFormer();
    this.#checkScopes();
    return count;
  }

  // Those of older stores are listed at the next start.
  #checkSources(): void {
    const { logNo, sourcesListed } = this.#row;
    const listed = this.#check.view.count(MEMORY_SOURCE.prefix(logNo));
    const isOpen = sourcesListed === 0 || Number.isNaN(this.#sources);
    const isRight = isOpen || listed === this.#sources;
    this.#check.problems.check(isRight, "the messages of memories are wrong", `log ${logNo}`);
  }

  #readScopes(): void {
    const { problems, view } = this.#check;
    const { logNo } = this.#row;
    for (const { parts, record: found } of view.rows(MEMORY_SCOPE, logNo)) {
      if (found === undefined) continue;
      const [, part] = parts;
      const isOwn = scopePart(scopeIdOf(found.scope)) === part;
      problems.check(isOwn, "a scope has another id", `log ${logNo}`);
      this.#scopes.set(part, found);
    }
  }

  /** Checks a memory; gives how many lists it is in. */
  #memory(memoryNo: number, row: MemoryRow): number {
    const { newestRevision, problems, view } = this.#check;
    const place = { logNo: this.#row.logNo, memoryNo };
    const where = `log ${place.logNo}, memory ${memoryNo}`;
    const numbered = view.read(MEMORY_ID, place.logNo, row.memoryId);
    problems.check(numbered === memoryNo, "a memory is not found by its id", where);
    const isPast = row.etagRevision <= newestRevision(this.#namespace);
    problems.check(isPast, "a memory is of a later revision", where);
    const source = this.#body(memoryNo, row, row.version)?.source;
    // The messages that a lost body named are not known.
    const named = source === undefined ? [] : sourceKeysOf(place, source);
    this.#sources += source === undefined ? Number.NaN : named.length;
    for (const key of this.#row.sourcesListed === 0 ? [] : named) {
      const isListed = view.has(key);
      problems.check(isListed, "a memory is not found by its message", where);
    }
    const counts = this.#counts.get(row.scope) ?? [];
    counts[row.tierNo - 1] = (counts[row.tierNo - 1] ?? 0) + 1;
    this.#counts.set(row.scope, counts);
    const end = endKeyOf(place, row);
    const isEnding = end === undefined || view.find(end, ONE_TEXT.decode) === this.#namespace;
    problems.check(isEnding, "a memory would never expire", where);
    const scope = this.#scopes.get(row.scope)?.scope;
    problems.check(scope !== undefined, "a memory has no scope", where);
    const keys = scope === undefined ? [] : listKeysOf(place, row, scope.userId);
    for (const key of keys) {
      problems.check(view.has(key), "a memory is not listed", where);
    }
    return keys.length;
  }

  #body(memoryNo: number, row: MemoryRow, version: number): Memory | undefined {
    const { problems } = this.#check;
    const place = `log ${this.#row.logNo}, memory ${memoryNo}, state ${version}`;
    const isOwn = row.version === version && row.textNo <= row.bodyNo;
    problems.check(isOwn, "a state of a memory has another number", place);
    const what = { what: "memory", place };
    const memory = bodyOf(this.#check, row.bodyNo, what, (payload) => {
      const isWhole = payload.length === row.byteCount;
      problems.check(isWhole, "a memory and its row differ", place);
      return memoryOf(memoryNo, row, payload);
    });
    const isSame = memory === undefined || scopePart(scopeIdOf(memory.scope)) === row.scope;
    problems.check(isSame, "a memory and its row differ", place);
    return memory;
  }

  // Former states are dense from 1 up to the current one.
  #checkFormer(): void {
    const { problems, view } = this.#check;
    const { logNo } = this.#row;
    const states = new Map<number, number>();
    for (const { parts, record: found } of view.rows(MEMORY_PAST, logNo)) {
      const [, memoryNo, version] = parts;
      const before = states.get(memoryNo) ?? 0;
      const place = `log ${logNo}, memory ${memoryNo}, state ${version}`;
      problems.check(version === before + 1, "a state of a memory is missing", place);
      states.set(memoryNo, version);
      if (found !== undefined) this.#body(memoryNo, found, version);
    }
    for (const row of view.under(MEMORY.prefix(logNo))) {
      const memoryNo = lastNumber(row.key);
      const found = view.find(row.key, MEMORY.decode);
      const former = states.get(memoryNo) ?? 0;
      states.delete(memoryNo);
      const isDense = found === undefined || found.version === former + 1;
      problems.check(isDense, "a state of a memory is missing", `log ${logNo}, memory ${memoryNo}`);
    }
    for (const { parts, record: left } of view.rows(MEMORY_GONE, logNo)) {
      this.#gone(parts[1], left, states);
    }
    problems.check(states.size === 0, "a state belongs to no memory", `log ${logNo}`);
  }

  // States that wait to be erased are dense as well, and nothing finds them.
  #gone(memoryNo: number, left: number | undefined, states: Map<number, number>): void {
    const { problems, view } = this.#check;
    const { logNo, nextMemoryNo } = this.#row;
    const place = `log ${logNo}, memory ${memoryNo}`;
    const isWhole = left === undefined || left === states.get(memoryNo);
    problems.check(isWhole, "a state of a memory is missing", place);
    states.delete(memoryNo);
    const isGone = memoryNo < nextMemoryNo && !view.has(MEMORY.key(logNo, memoryNo));
    problems.check(isGone, "a memory is there and being erased", place);
  }

  #checkScopes(): void {
    const { problems } = this.#check;
    const log = `log ${this.#row.logNo}`;
    let promotedCount = 0;
    let held = 0;
    for (const [part, row] of this.#scopes) {
      held += this.#isHeld(part, row) ? 1 : 0;
      const counts = this.#counts.get(part) ?? [];
      const isCounted = row.counts.every((count, at) => count === (counts[at] ?? 0));
      problems.check(isCounted, "the memories of a scope are counted wrongly", log);
      promotedCount += this.#checkPromoted(part, row);
    }
    const { logNo } = this.#row;
    const listed = this.#check.view.count(MEMORY_HELD_IN.prefix(logNo));
    problems.check(listed === held, "the list of scopes with memories is wrong", log);
    const keys = this.#check.view.count(PROMOTED.prefix(logNo));
    const places = this.#check.view.count(PROMOTED_AT.prefix(logNo));
    const isSame = keys === promotedCount && places === promotedCount;
    problems.check(isSame, "the promoted texts of a namespace are wrong", log);
  }

  #isHeld(part: string, { counts }: ScopeRow): boolean {
    const { problems, view } = this.#check;
    const { logNo } = this.#row;
    const isHeld = counts.some((count) => count > 0);
    const isListed = view.has(MEMORY_HELD_IN.key(logNo, part));
    problems.check(isListed === isHeld, "a scope with memories is not listed", `log ${logNo}`);
    return isHeld;
  }

  #checkPromoted(part: string, row: ScopeRow): number {
    const { problems, view } = this.#check;
    const { logNo } = this.#row;
    let count = 0;
    for (const { parts, record: text } of view.rows(PROMOTED_AT, logNo, part)) {
      count++;
      const [, , no] = parts;
      const named =
        text === undefined ? no : view.find(promotedKey(logNo, part, text), ONE_NUMBER.decode);
      const isKnown = named === no && no <= row.promotedNo;
      problems.check(isKnown, "a promoted text is not found", `log ${logNo}, ${no}`);
    }
    const isCounted = count === row.promotedCount;
    problems.check(isCounted, "the promoted texts of a scope are counted wrongly", `log ${logNo}`);
    return count;
  }
}

/** Checks jobs on memories, their sessions and times; gives how many sessions have some. */
export function checkMemoryJobs({
  problems,
  view,
}: Pick<DocumentCheck, "problems" | "view">): number {
  let count = 0;
  let due = 0;
  let numbered = 0;
  for (const { key: jobsKey, parts, record: found } of view.rows(MEMORY_JOBS)) {
    count++;
    if (found === undefined) continue;
    const [namespace, sessionId] = parts;
    const sessionNo = view.read(SESSION_NAME, namespace, sessionId);
    const session = view.read(SESSION, found.sessionNo);
    const isOf = sessionNo === found.sessionNo && session !== undefined;
    problems.check(isOf, "jobs on memories have no session", found.sessionNo);
    for (const key of jobDueKeys(found)) {
      due++;
      const isListed = view.find(key, ONE_TEXT.decode) === jobsKey;
      problems.check(isListed, "a job would not be found when it is due", found.sessionNo);
    }
    // Those of older stores are listed at the next start.
    for (const key of found.isUnnumbered ? [] : jobListKeys(namespace, found)) {
      numbered++;
      const isListed = view.find(key, ONE_TEXT.decode) === jobsKey;
      problems.check(isListed, "a job is not listed", found.sessionNo);
    }
  }
  const dueRows = view.count(MEMORY_DUE.id);
  problems.check(dueRows === due, "the times of jobs are wrong", `${dueRows}`);
  const taskRows = view.count(MEMORY_TASK.id);
  problems.check(taskRows === numbered, "the numbers of jobs are wrong", `${taskRows}`);
  return count;
}
