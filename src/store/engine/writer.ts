// The writer: the one queue of writes.

import { AppError } from "../../kit/errors.ts";
import { failpoint } from "../../kit/failpoint.ts";
import { commitFailure, isCommitFailure } from "./commit-failure.ts";
import type { Environment } from "./environment.ts";
import {
  encodeWrites,
  type Flight,
  LoggedGroups,
  type SealedGroup,
  transactionBytes,
  writeFlight,
  writeGroup,
} from "./flight.ts";
import type { DiskRoom } from "./floor.ts";
import { Group, type Report, type Staged } from "./group.ts";
import { encodeJournal, JournalRange, type JournalStart } from "./journal.ts";
import { type FlushChunk, MEMTABLE_SLOTS_MAX, type Memtable } from "./memtable.ts";
import type { RedoLog } from "./redo-log.ts";
import { Barriers, Gate, timeLimit } from "./waiting.ts";

export interface WriterParts<R extends Report> {
  readonly env: Environment;
  /** Undefined where a full disk had no room for it. */
  readonly log: Pick<RedoLog, "append" | "restart" | "wipe"> | undefined;
  readonly memtable: Memtable;
  readonly start: JournalStart;
  /** Makes the report of a new group. */
  readonly newReport: () => R;
  /** Called before keys go from the memtable into the index. */
  readonly onFlush: (chunk: FlushChunk) => void;
  /** Called for each group with a report: it is visible, and its calls are not yet answered. */
  readonly onCommit: (report: R) => void;
  /** Called once, with the cause, when a commit failed. */
  readonly onFatal: (error: unknown) => void;
  /** The space on the disk. */
  readonly space: DiskRoom;
  /** Checks that throw when the files are no longer those that were opened. */
  readonly files: { checkSize(): void; check(): void };
}

/** Work under way. */
interface Underway<R extends Report> {
  /** The group that becomes durable with it. */
  readonly group: SealedGroup<R> | undefined;
  /** The transaction of LMDB; undefined when the group goes to the redo log. */
  readonly flight: Flight | undefined;
  readonly ended: Promise<unknown>;
}

// The one queue of writes, and why a crash at any point loses nothing.
//
// A change is decided at once, against the pending state: the durable state plus everything that is
// queued. Its operations join the group being formed. While one group is being made durable the
// next one forms. A group consists of
//
//   - message records and event records, under rising keys;
//   - ONE journal entry (one record or a few, under rising keys) with every index change of the
//     group and the newest counters.
//
// It becomes durable in the redo log, with one flush, or in a transaction of LMDB, with two. Such a
// transaction carries out all groups of the log as well, and the log begins anew. It is made when
// the log holds enough, for a group that is too large for the log or removes index keys past the
// journal, and when something must be in the data file. What only the log holds is read from
// memory.
//
// The index B-tree is not touched by a group. Its changes live in the memtable and are brought into
// the index later, in bounded chunks sorted by key, together with the removal of the journal
// records that are no longer needed. A chunk rides along with a transaction that is made anyway, so
// that it costs no flush of its own. A transaction of its own, which the next change would have to
// wait for, is made after a quiet second, when somebody waits for the chunk, or when too much
// waits.
//
// At open the redo log is carried out, and the journal tail is replayed into the memtable. So a
// process that was killed
//   - before a group was durable shows the state before; nothing of the group was acknowledged;
//   - after that has its messages, events and journal in the data file or in the log;
//   - in or after a transaction has all groups of the log in the data file, or still none of them;
//   - in or after a flush has the same or newer values in the journal records that are left.
// A journal record is removed only in the transaction that flushes its last change, or later. The
// newest one always stays, because it holds the counters.
//
// A value becomes visible when it is on stable storage. The first failed write ends the writer for
// good: LMDB must not be asked again after an I/O error.

// A quiet time this long brings what waits into the index. An agent that appends more often than
// that pays for one commit each time, not for two.
const IDLE_MS = 1_000;
// The pause before a commit that does not fit on the disk is tried again.
const SPACE_MS = 250;
const GROUP_OPERATIONS_MAX = 32_768;
const GROUP_BYTES_MAX = 67_108_864;

export class Writer<R extends Report> {
  readonly #parts: WriterParts<R>;
  #forming: Group<R>;
  #underway: Underway<R> | undefined;
  #newest: Group<R> | undefined;
  readonly #logged = new LoggedGroups<R>();
  #scheduled = false;
  #idle = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #failure: AppError | undefined;
  #closing = false;
  /** Set while no transaction may begin; called when none is under way. */
  #onIdle: (() => void) | undefined;
  #note: ((flight: Flight) => void) | undefined;
  readonly #journal: JournalRange;
  readonly #gate = new Gate();
  readonly #barriers = new Barriers();
  /** Those who wait until the data file holds what the redo log holds. */
  readonly #carriers = new Barriers();
  #newestCommitNo: number;
  #durable: number;
  nextSessionNo: number;
  nextLogNo: number;
  #nextMessageNo: number;
  #newestHasChanges: boolean;

  constructor(parts: WriterParts<R>) {
    this.#parts = parts;
    const { start } = parts;
    this.#forming = new Group(start.nextMessageNo, parts.newReport());
    this.#journal = new JournalRange(start.firstJournalNo, start.nextJournalNo);
    this.#newestHasChanges = start.newestHasChanges;
    this.#newestCommitNo = start.commitNo;
    this.#durable = start.commitNo;
    this.nextSessionNo = start.nextSessionNo;
    this.nextLogNo = start.nextLogNo;
    this.#nextMessageNo = start.nextMessageNo;
    this.#restartIdleTimer();
  }

  /** The number of the newest durable commit. */
  get durableCommitNo(): number {
    return this.#durable;
  }

  /** Whether the disk is so full that only deletes may still write. */
  get isDiskFull(): boolean {
    return this.#parts.space.isFull;
  }

  /** Throws when the store cannot take changes. */
  assertOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing) {
      throw new AppError("SHUTTING_DOWN", "The server is shutting down. Try again elsewhere.");
    }
  }

  /** Throws when a read would crash the process: a commit has failed, or the store is closed. */
  assertReadable(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** A promise to wait for before deciding, or undefined when there is room at once. */
  admit(): Promise<void> | undefined {
    if (!this.#gate.isBusy && this.#hasRoom()) return undefined;
    this.#schedule();
    return this.#gate.wait();
  }

  /** The wire form of a message that is not durable yet. */
  pendingMessage(messageNo: number): Uint8Array | undefined {
    return (
      this.#forming.message(messageNo) ??
      this.#underway?.group?.group.message(messageNo) ??
      this.#logged.message(messageNo)
    );
  }

  /** The groups that are durable, but not in the data file yet. */
  get logged(): Pick<LoggedGroups<R>, "message" | "events"> {
    return this.#logged;
  }

  /** Whether the group under way erases this message. */
  isBeingErased(messageNo: number): boolean {
    return this.#underway?.group?.group.erased.has(messageNo) ?? false;
  }

  /** Adds a message record; gives its number. */
  putMessage(bytes: Uint8Array): number {
    const messageNo = this.#nextMessageNo++;
    this.#forming.addMessage(messageNo, bytes);
    return messageNo;
  }

  eraseMessage(messageNo: number): void {
    this.#forming.erased.add(messageNo);
  }

  mark(what: "trimmed" | "purging" | "copying"): void {
    this.#forming[what] = true;
  }

  /** The report of the group being formed: listeners get it once the group is durable. */
  get report(): R {
    return this.#forming.report;
  }

  /** A step of a purge: removes index keys that are not in the memtable, without the journal. */
  removeFlushed(keys: readonly string[]): void {
    this.#forming.purging = true;
    this.#forming.indexRemovals.push(...keys);
  }

  removeEvents(keys: readonly string[]): void {
    this.#forming.eventRemovals.push(...keys);
  }

  /** The number of a commit that has events, and adds it to the group. */
  nextCommitNo(): number {
    this.#forming.commitNo = ++this.#newestCommitNo;
    return this.#newestCommitNo;
  }

  /** Adds a sealed event; `bytes` counts to the size of the group. */
  putEvent(key: string, record: Uint8Array, bytes: number): void {
    this.#forming.addEvent(key, record, bytes);
  }

  /** Runs what must happen as a whole; a throw half-way leaves nothing to go on with. */
  whole(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#onFailed(error);
      throw error;
    }
  }

  /** Begins no transaction until `resume`. Waits for the one under way; throws when it fails. */
  async pause(): Promise<void> {
    this.assertReadable();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    if (this.#underway === undefined) resolve();
    await promise;
    this.assertReadable();
  }

  /** Goes on after a pause. */
  resume(): void {
    this.#onIdle = undefined;
    this.#schedule();
  }

  /** Has a function note each transaction before it is written. Undefined: no more. */
  noteFlights(note: ((flight: Flight) => void) | undefined): void {
    this.#note = note;
  }

  /** Has a state outside the index change with the group. */
  stage(staged: Staged): void {
    this.#forming.staged.push(staged);
  }

  /** Waits until the group being formed is durable. */
  whenFormingDurable<T>(result: T): Promise<T> {
    this.#schedule();
    return this.#whenGroupDurable(this.#forming, result);
  }

  /** Waits until everything decided so far is durable. */
  async whenDurable(): Promise<void> {
    await (this.#hasWork() ? this.whenFormingDurable(undefined) : this.whenInFlightDurable());
  }

  /** Waits until the group in flight is durable. */
  whenInFlightDurable(): Promise<void> {
    return this.#whenGroupDurable(this.#underway?.group?.group, undefined);
  }

  /**
   * Waits until everything that is durable now is in the index itself, and the journal holds only
   * its newest record. False when the disk becomes full meanwhile.
   */
  whenFlushed(): Promise<boolean> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#schedule();
    return this.#barriers.wait(this.#journal.committed);
  }

  /**
   * Waits until the journal and the redo log hold nothing of what is durable now. The newest record
   * of the journal always stays, for its counters, and may name keys that it removed; so an empty
   * one is written after it.
   * False when the disk is full, or becomes full meanwhile.
   */
  async clearJournal(): Promise<boolean> {
    if (!this.#hasSpaceToClear()) return false;
    await this.whenFormingDurable(undefined);
    if (!(await this.whenFlushed())) return false;
    await this.#wipeLog();
    return true;
  }

  /**
   * Waits until the data file holds what the redo log holds now. Throws STORE_FULL when a full disk
   * has no room for that.
   */
  async carryOutLog(): Promise<void> {
    this.assertReadable();
    if (this.#underway === undefined && this.#logged.oldestJournalNo === 0) return;
    this.#schedule();
    if (await this.#carriers.wait(this.#journal.committed)) return;
    this.assertOpen();
    throw new AppError(
      "STORE_FULL",
      "The disk is full, and the newest changes are in redo.log alone. Free some space on it first.",
    );
  }

  /**
   * Takes no more changes, waits for those under way, flushes for at most `flushMs`. Waits for no
   * space: a group that does not fit is refused, and the journal stays for the next start.
   */
  async close(flushMs: number): Promise<void> {
    this.#closing = true;
    this.#gate.openAll();
    clearTimeout(this.#idleTimer);
    const limit = timeLimit(flushMs);
    // Waiting for a group makes one, and with it a journal record to remove: so only while there is
    // work of its own. A commit that fails ends the writer, and with it these loops.
    while (this.#failure === undefined && !limit.isOver && this.#hasWork() && this.#hasSpace()) {
      await limit.race(this.whenFormingDurable(undefined));
    }
    while (this.#failure === undefined && !limit.isOver && this.#hasJournal()) {
      if (!this.#hasSpaceToClear()) break;
      await limit.race(this.clearJournal());
    }
    limit.cancel();
    // With a second limit: that of the process, which ends it.
    if (this.#failure === undefined) await this.carryOutLog().catch(() => undefined);
    // A change that was let in before, such as the end of a copy, may still add something.
    do {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#hasWork()) this.#schedule();
    } while (
      this.#failure === undefined &&
      (this.#underway !== undefined || (this.#hasWork() && this.#hasSpace()))
    );
    clearTimeout(this.#idleTimer);
    for (const waiting of [this.#barriers, this.#carriers]) waiting.giveUp();
    const isWhole = this.#failure === undefined && this.#logged.oldestJournalNo === 0;
    this.#failure ??= new AppError("SHUTTING_DOWN", "The store is closed.");
    for (const { reject } of this.#forming.waiters.splice(0)) reject(this.#failure);
    if (isWhole) await this.#parts.log?.wipe().catch(this.#parts.onFatal);
  }

  /** Whether the group that clears the journal fits: the one being formed. */
  #hasSpaceToClear(): boolean {
    const parts = [this.#forming, this.#logged, { bytes: 0, operations: 1 }];
    return !this.isDiskFull && this.#parts.space.fits(transactionBytes(parts));
  }

  /** Whether the journal holds more than an empty record. */
  #hasJournal(): boolean {
    return this.#oldestKept() !== 0 || this.#newestHasChanges;
  }

  #whenGroupDurable<T>(group: Group<R> | undefined, result: T): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (group === undefined) return Promise.resolve(result);
    return new Promise((resolve, reject) => {
      group.waiters.push({ resolve: () => resolve(result), reject });
    });
  }

  #hasRoom(): boolean {
    return (
      this.#parts.memtable.size < MEMTABLE_SLOTS_MAX &&
      this.#forming.operations < GROUP_OPERATIONS_MAX &&
      this.#forming.bytes < GROUP_BYTES_MAX
    );
  }

  #hasWork(): boolean {
    return (
      this.#forming.operations > 0 ||
      this.#forming.waiters.length > 0 ||
      this.#forming.staged.length > 0 ||
      this.#parts.memtable.hasForming
    );
  }

  #schedule(): void {
    if (this.#scheduled || this.#underway !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#submit();
    });
  }

  #submit(): void {
    if (this.#underway !== undefined || this.#failure !== undefined) return;
    if (this.#onIdle !== undefined) return;
    // Nothing goes to the index until there is space again.
    if (this.isDiskFull) this.#barriers.giveUp();
    const hasSpace = this.#hasSpace();
    if (!hasSpace && !this.#canCarryOut()) {
      this.#carriers.giveUp();
      this.#waitForSpace();
      return;
    }
    let underway: Underway<R> | undefined;
    try {
      this.#parts.files.checkSize();
      underway = this.#begin(hasSpace);
    } catch (error) {
      this.#onFailed(error);
      return;
    }
    this.#underway = underway;
    underway?.ended.then(
      () => this.#onEnded(underway),
      (error: unknown) => this.#onFailed(error),
    );
    if (underway !== undefined) return;
    this.#settle();
    if (this.#gate.isBusy) {
      // Those let in may have written nothing: then no commit comes that lets in the next ones.
      this.#gate.open(() => this.#hasRoom());
      this.#schedule();
    }
    this.#restartIdleTimer();
  }

  // A full disk takes no work of the background, and a commit only when it fits.
  #hasSpace(): boolean {
    if (!this.#hasWork()) return !this.isDiskFull;
    return this.#parts.space.fits(transactionBytes([this.#forming, this.#logged]));
  }

  /** Whether the groups of the log fit alone. The reserve is for deletes, so it is kept. */
  #canCarryOut(): boolean {
    if (this.#logged.oldestJournalNo === 0) return false;
    return this.#parts.space.fitsBesideReserve(transactionBytes([this.#logged]));
  }

  #waitForSpace(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#submit(), SPACE_MS).unref();
  }

  /**
   * Begins what is to be done next; undefined when there is nothing. Without space for the group
   * being formed, only what the log holds is carried out.
   */
  #begin(hasSpace: boolean): Underway<R> | undefined {
    const hasWork = hasSpace && this.#hasWork();
    const { env, log, memtable, space } = this.#parts;
    const isUrgent = this.#barriers.isBusy || this.#journal.isLong || (this.#idle && !hasWork);
    const mustFlush =
      isUrgent || memtable.isHigh || this.#gate.isBusy || this.#carriers.isBusy || !hasSpace;
    if (!hasWork && !mustFlush) return undefined;
    const group = hasWork ? this.#takeGroup() : undefined;
    if (group !== undefined) failpoint("before-commit");
    if (group !== undefined && !mustFlush && this.#mayBeLogged(group)) {
      const writes = encodeWrites((tables) => writeGroup(tables, group));
      const { firstJournalNo: first, journal } = group;
      const ended = log?.append(writes, { first, last: first + journal.length - 1 });
      if (ended !== undefined) return { group, flight: undefined, ended };
    }
    const groups = group === undefined ? this.#logged.all : [...this.#logged.all, group];
    const chunk = this.isDiskFull || !hasSpace ? [] : memtable.takeChunk(isUrgent);
    this.#parts.onFlush(chunk);
    const journalRemovals = this.#journal.takeRemovable(memtable.oldestDirty);
    if (groups.length === 0 && chunk.length === 0 && journalRemovals.length === 0) return undefined;
    const flight = { groups, chunk, journalRemovals };
    this.#note?.(flight);
    const ended = env.root.batch(() => space.wrote(writeFlight(env, flight)));
    return { group, flight, ended };
  }

  /** Ends the group being formed; the next one forms from now on. */
  #takeGroup(): SealedGroup<R> {
    const { memtable } = this.#parts;
    const group = this.#forming;
    this.#newest = group;
    for (const staged of group.staged) staged.seal(memtable);
    const changes = memtable.seal();
    this.#newestHasChanges = changes.length > 0;
    const firstJournalNo = this.#journal.next;
    const journal = encodeJournal(firstJournalNo, changes, {
      commitNo: this.#newestCommitNo,
      nextSessionNo: this.nextSessionNo,
      nextLogNo: this.nextLogNo,
      nextMessageNo: this.#nextMessageNo,
    });
    this.#forming = new Group(this.#nextMessageNo, this.#parts.newReport());
    this.#journal.take(journal);
    this.#idle = false;
    return { group, journal, firstJournalNo };
  }

  // The next step of a purge reads the data file, and its last one ends old journal records, which
  // could bring back what it removed. A full disk, or a stop, carries out what the log holds.
  #mayBeLogged(sealed: SealedGroup<R>): boolean {
    if (this.isDiskFull || this.#closing || sealed.group.purging) return false;
    return this.#logged.hasRoomFor(sealed);
  }

  #onEnded({ group: sealed, flight }: Underway<R>): void {
    if (this.#failure !== undefined) return;
    try {
      this.#parts.files.check();
    } catch (error) {
      this.#onFailed(error);
      return;
    }
    if (sealed !== undefined) {
      failpoint("after-commit");
      this.#makeVisible(sealed);
    }
    if (flight !== undefined) {
      this.#parts.memtable.flushed(flight.chunk);
      this.#parts.log?.restart();
      this.#logged.clear();
    } else if (sealed !== undefined) {
      this.#logged.add(sealed);
    }
    this.#underway = undefined;
    if (sealed !== undefined) {
      const { report, waiters } = sealed.group;
      if (!report.isEmpty) this.#parts.onCommit(report);
      for (const waiter of waiters) {
        waiter.resolve();
      }
    }
    this.#settle();
    this.#gate.open(() => this.#hasRoom());
    // The next group goes out now, not a turn later: its changes are there already.
    this.#submit();
    this.#onIdle?.();
  }

  async #wipeLog(): Promise<void> {
    try {
      await this.#parts.log?.wipe();
    } catch (error) {
      this.#onFailed(error);
      throw this.#failure;
    }
  }

  #settle(): void {
    this.#barriers.settle(this.#oldestKept());
    this.#carriers.settle(this.#logged.oldestJournalNo);
  }

  /** The oldest journal record that is needed, also by the redo log; 0 when there is none. */
  #oldestKept(): number {
    const kept = this.#journal.oldestKept(this.#parts.memtable.oldestDirty);
    const logged = this.#logged.oldestJournalNo;
    return kept === 0 || logged === 0 ? kept + logged : Math.min(kept, logged);
  }

  #makeVisible({ group, journal, firstJournalNo }: SealedGroup<R>): void {
    this.#parts.memtable.commit(firstJournalNo);
    this.#journal.commit(firstJournalNo + journal.length - 1);
    for (const staged of group.staged) {
      staged.commit();
    }
    if (group.commitNo !== 0) this.#durable = group.commitNo;
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    if (this.#closing || (this.#oldestKept() === 0 && !this.#gate.isBusy)) return;
    this.#idleTimer = setTimeout(() => {
      this.#idle = true;
      this.#submit();
    }, IDLE_MS);
    this.#idleTimer.unref();
  }

  #onFailed(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = new AppError("INTERNAL", "A write to the disk failed; the server stops.", {
      cause: error,
    });
    clearTimeout(this.#idleTimer);
    for (const group of [this.#newest, this.#forming]) {
      group?.waiters.forEach(({ reject }) => {
        reject(this.#failure);
      });
    }
    for (const waiting of [this.#barriers, this.#carriers]) waiting.giveUp();
    this.#gate.openAll();
    this.#onIdle?.();
    // The calls are refused by now: LMDB must not even be read after a failed commit.
    if (isCommitFailure(error)) commitFailure(error).then(this.#parts.onFatal);
    else this.#parts.onFatal(error);
  }
}
