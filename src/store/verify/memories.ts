// Checks memories against everything that lists them, both ways, their bodies and former states,
// their scopes, and the jobs that wait for sessions.

import { scopeIdOf } from "../scope-id.ts";
import { decodeNumber, decodeText } from "./codec.ts";
import { nameKey, readText, readU64, sessionKey, TABLE } from "./keys.ts";
import {
  decodeJobs,
  decodeMemories,
  decodeMemory,
  decodeScope,
  type MemoriesRow,
  type MemoryRow,
  memoryOf,
  type ScopeRow,
} from "./memory-codec.ts";
import { endKeyOf, listKeysOf } from "./memory-index.ts";
import { jobDueKeys, jobListKeys, refOfJobs } from "./memory-jobs.ts";
import {
  lastNumber,
  memoryGonePrefix,
  memoryHeldInKey,
  memoryHeldInPrefix,
  memoryHeldKey,
  memoryIdKey,
  memoryIdPrefix,
  memoryKey,
  memoryPastPrefix,
  memoryPrefix,
  memoryScopePrefix,
  promotedAtPrefix,
  promotedKey,
  scopePart,
} from "./memory-keys.ts";
import { decodeSession } from "./session-codec.ts";
import { bodyOf, type DocumentCheck } from "./verify-documents.ts";

/** Checks everything about memories; gives the number of memories. */
export function checkMemories(check: DocumentCheck): number {
  const { problems, view } = check;
  let count = 0;
  let held = 0;
  for (const row of view.under(TABLE.memories)) {
    const found = view.decode(row, decodeMemories);
    if (found !== undefined) {
      const isOwn = check.logs.add(found.logNo) && found.logNo < check.nextLogNo;
      problems.check(isOwn, "a log belongs to two namespaces", `log ${found.logNo}`);
      count += new NamespaceCheck(check, readText(row.key.slice(1)), found).run();
      held += found.memoryCount > 0 ? 1 : 0;
    }
  }
  const listed = countRows(check, TABLE.memoryHeld, () => true);
  problems.check(listed === held, "the list of namespaces with memories is wrong", listed);
  checkEnds(check);
  return count;
}

// An end is looked up from its memory; here that none is too many.
function checkEnds({ problems, view }: DocumentCheck): void {
  for (const row of view.under(TABLE.memoryEnd)) {
    view.decode(row, decodeText);
    const place = { logNo: readU64(row.key, 9), memoryNo: lastNumber(row.key) };
    const memory = view.find(memoryKey(place.logNo, place.memoryNo), decodeMemory);
    const isEnd = memory !== undefined && endKeyOf(place, memory) === row.key;
    const where = `log ${place.logNo}, memory ${place.memoryNo}`;
    problems.check(isEnd, "a time names a memory that does not end then", where);
  }
}

function countRows(
  { view }: DocumentCheck,
  prefix: string,
  decode: (payload: Uint8Array) => unknown,
): number {
  let count = 0;
  for (const row of view.under(prefix)) {
    view.decode(row, decode);
    count++;
  }
  return count;
}

const LISTS = [TABLE.memoryIn, TABLE.memoryOf, TABLE.memoryTerm, TABLE.memoryRank];

class NamespaceCheck {
  private readonly check: DocumentCheck;
  private readonly namespace: string;
  private readonly row: MemoriesRow;
  private readonly scopes = new Map<string, ScopeRow>();
  /** How many memories of each tier there are, by scope. */
  private readonly counts = new Map<string, number[]>();

  constructor(check: DocumentCheck, namespace: string, row: MemoriesRow) {
    this.check = check;
    this.namespace = namespace;
    this.row = row;
  }

  run(): number {
    const { problems, view } = this.check;
    const { logNo, memoryCount, nextMemoryNo } = this.row;
    const log = `log ${logNo}`;
    this.readScopes();
    let count = 0;
    let lists = 0;
    for (const row of view.under(memoryPrefix(logNo))) {
      count++;
      const memoryNo = lastNumber(row.key);
      const isPast = memoryNo > 0 && memoryNo < nextMemoryNo;
      const place = `${log}, memory ${memoryNo}`;
      problems.check(isPast, "a memory has a number that was not given", place);
      const found = view.decode(row, decodeMemory);
      if (found !== undefined) {
        lists += this.memory(memoryNo, found);
      }
    }
    problems.check(count === memoryCount, "the memories of a namespace are counted wrongly", log);
    const isHeld = view.find(memoryHeldKey(this.namespace), () => true) === true;
    const kind = "a namespace with memories is not listed";
    problems.check(isHeld === memoryCount > 0, kind, log);
    // Every id and every list was looked up above: the same number means that none is too many.
    const ids = this.rows(memoryIdPrefix(logNo), decodeNumber);
    problems.check(ids === count, "the ids of memories are wrong", log);
    let listed = 0;
    for (const table of LISTS) {
      listed += this.rows(table + memoryPrefix(logNo).slice(1), () => true);
    }
    problems.check(listed === lists, "the lists of memories are wrong", log);
    this.checkFormer();
    this.checkScopes();
    return count;
  }

  private rows(prefix: string, decode: (payload: Uint8Array) => unknown): number {
    return countRows(this.check, prefix, decode);
  }

  private readScopes(): void {
    const { problems, view } = this.check;
    const prefix = memoryScopePrefix(this.row.logNo);
    for (const row of view.under(prefix)) {
      const found = view.decode(row, decodeScope);
      if (found !== undefined) {
        const part = row.key.slice(prefix.length);
        const isOwn = scopePart(scopeIdOf(found.scope)) === part;
        problems.check(isOwn, "a scope has another id", `log ${this.row.logNo}`);
        this.scopes.set(part, found);
      }
    }
  }

  /** Checks a memory; gives how many lists it is in. */
  private memory(memoryNo: number, row: MemoryRow): number {
    const { newestRevision, problems, view } = this.check;
    const place = { logNo: this.row.logNo, memoryNo };
    const where = `log ${place.logNo}, memory ${memoryNo}`;
    const named = view.find(memoryIdKey(place.logNo, row.memoryId), decodeNumber);
    problems.check(named === memoryNo, "a memory is not found by its id", where);
    const isPast = row.etagRevision <= newestRevision(this.namespace);
    problems.check(isPast, "a memory is of a later revision", where);
    this.body(memoryNo, row, row.version);
    const counts = this.counts.get(row.scope) ?? [];
    counts[row.tierNo - 1] = (counts[row.tierNo - 1] ?? 0) + 1;
    this.counts.set(row.scope, counts);
    const end = endKeyOf(place, row);
    const isEnding = end === undefined || view.find(end, decodeText) === this.namespace;
    problems.check(isEnding, "a memory would never expire", where);
    const scope = this.scopes.get(row.scope)?.scope;
    problems.check(scope !== undefined, "a memory has no scope", where);
    const keys = scope === undefined ? [] : listKeysOf(place, row, scope.userId);
    for (const key of keys) {
      problems.check(view.find(key, () => true) === true, "a memory is not listed", where);
    }
    return keys.length;
  }

  private body(memoryNo: number, row: MemoryRow, version: number): void {
    const { problems } = this.check;
    const place = `log ${this.row.logNo}, memory ${memoryNo}, state ${version}`;
    const isOwn = row.version === version && row.textNo <= row.bodyNo;
    problems.check(isOwn, "a state of a memory has another number", place);
    const what = { what: "memory", place };
    const memory = bodyOf(this.check, row.bodyNo, what, (payload) => {
      const isWhole = payload.length === row.byteCount;
      problems.check(isWhole, "a memory and its row differ", place);
      return memoryOf(memoryNo, row, payload);
    });
    const isSame = memory === undefined || scopePart(scopeIdOf(memory.scope)) === row.scope;
    problems.check(isSame, "a memory and its row differ", place);
  }

  // Former states are dense from 1 up to the current one.
  private checkFormer(): void {
    const { problems, view } = this.check;
    const { logNo } = this.row;
    const states = new Map<number, number>();
    for (const row of view.under(memoryPastPrefix(logNo, 0).slice(0, 9))) {
      const memoryNo = readU64(row.key, 9);
      const version = lastNumber(row.key);
      const before = states.get(memoryNo) ?? 0;
      const place = `log ${logNo}, memory ${memoryNo}, state ${version}`;
      problems.check(version === before + 1, "a state of a memory is missing", place);
      states.set(memoryNo, version);
      const found = view.decode(row, decodeMemory);
      if (found !== undefined) {
        this.body(memoryNo, found, version);
      }
    }
    for (const row of view.under(memoryPrefix(logNo))) {
      const memoryNo = lastNumber(row.key);
      const found = view.find(row.key, decodeMemory);
      const former = states.get(memoryNo) ?? 0;
      states.delete(memoryNo);
      const isDense = found === undefined || found.version === former + 1;
      problems.check(isDense, "a state of a memory is missing", `log ${logNo}, memory ${memoryNo}`);
    }
    for (const row of view.under(memoryGonePrefix(logNo))) {
      this.gone(lastNumber(row.key), view.decode(row, decodeNumber), states);
    }
    problems.check(states.size === 0, "a state belongs to no memory", `log ${logNo}`);
  }

  // What waits to be erased of a memory is dense as well, and nothing finds it.
  private gone(memoryNo: number, left: number | undefined, states: Map<number, number>): void {
    const { problems, view } = this.check;
    const { logNo, nextMemoryNo } = this.row;
    const place = `log ${logNo}, memory ${memoryNo}`;
    const isWhole = left === undefined || left === states.get(memoryNo);
    problems.check(isWhole, "a state of a memory is missing", place);
    states.delete(memoryNo);
    const isGone =
      memoryNo < nextMemoryNo && view.find(memoryKey(logNo, memoryNo), () => true) === undefined;
    problems.check(isGone, "a memory is there and being erased", place);
  }

  private checkScopes(): void {
    const { problems } = this.check;
    const log = `log ${this.row.logNo}`;
    let promotedCount = 0;
    let held = 0;
    for (const [part, row] of this.scopes) {
      held += this.isHeld(part, row) ? 1 : 0;
      const counts = this.counts.get(part) ?? [];
      const isCounted = row.counts.every((count, at) => count === (counts[at] ?? 0));
      problems.check(isCounted, "the memories of a scope are counted wrongly", log);
      promotedCount += this.checkPromoted(part, row);
    }
    const { logNo } = this.row;
    const listed = this.rows(memoryHeldInPrefix(logNo), () => true);
    problems.check(listed === held, "the list of scopes with memories is wrong", log);
    const keys = this.rows(promotedKey(logNo, "", ""), decodeNumber);
    const places = this.rows(promotedAtPrefix(logNo, ""), decodeText);
    const isSame = keys === promotedCount && places === promotedCount;
    problems.check(isSame, "the promoted texts of a namespace are wrong", log);
  }

  private isHeld(part: string, { counts }: ScopeRow): boolean {
    const { problems, view } = this.check;
    const { logNo } = this.row;
    const isHeld = counts.some((count) => count > 0);
    const isListed = view.find(memoryHeldInKey(logNo, part), () => true) === true;
    problems.check(isListed === isHeld, "a scope with memories is not listed", `log ${logNo}`);
    return isHeld;
  }

  private checkPromoted(part: string, row: ScopeRow): number {
    const { problems, view } = this.check;
    const { logNo } = this.row;
    let count = 0;
    for (const at of view.under(promotedAtPrefix(logNo, part))) {
      count++;
      const no = lastNumber(at.key);
      const text = view.decode(at, decodeText);
      const named =
        text === undefined ? no : view.find(promotedKey(logNo, part, text), decodeNumber);
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
  for (const row of view.under(TABLE.memoryJobs)) {
    count++;
    const found = view.decode(row, decodeJobs);
    if (found === undefined) {
      continue;
    }
    const { namespace, sessionId } = refOfJobs(row.key);
    const sessionNo = view.find(nameKey(namespace, sessionId), decodeNumber);
    const session = view.find(sessionKey(found.sessionNo), decodeSession);
    const isOf = sessionNo === found.sessionNo && session !== undefined;
    problems.check(isOf, "jobs on memories have no session", found.sessionNo);
    for (const key of jobDueKeys(found)) {
      due++;
      const isListed = view.find(key, decodeText) === row.key;
      problems.check(isListed, "a job would not be found when it is due", found.sessionNo);
    }
    // Those of older stores are listed at the next start.
    for (const key of found.isUnnumbered ? [] : jobListKeys(namespace, found)) {
      numbered++;
      const isListed = view.find(key, decodeText) === row.key;
      problems.check(isListed, "a job is not listed", found.sessionNo);
    }
  }
  const listed = (table: string): number => {
    let rows = 0;
    for (const row of view.under(table)) {
      view.decode(row, decodeText);
      rows++;
    }
    return rows;
  };
  const dueRows = listed(TABLE.memoryDue);
  problems.check(dueRows === due, "the times of jobs are wrong", `${dueRows}`);
  const taskRows = listed(TABLE.memoryTask);
  problems.check(taskRows === numbered, "the numbers of jobs are wrong", `${taskRows}`);
  return count;
}
