// The writer: the one queue of writes.

import { AppError } from "../../kit/errors.ts";
import { failpoint } from "../../kit/failpoint.ts";
import { commitFailure, isCommitFailure } from "./commit-failure.ts";
import type { Environment } from "./environment.ts";
import { type Flight, writeFlight } from "./flight.ts";
import { Group, type Report, type Staged } from "./group.ts";
import { encodeJournal, type JournalPut, JournalRange, type JournalStart } from "./journal.ts";
import { type FlushChunk, MEMTABLE_SLOTS_MAX, type Memtable } from "./memtable.ts";
import { Barriers, Gate, timeLimit } from "./waiting.ts";

export interface WriterParts<R extends Report> {
  readonly env: Environment;
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

/** Room on the disk for commits. */
export interface DiskRoom {
  /** Only deletes may still write. */
  readonly isFull: boolean;
  /** Whether a commit of so many bytes fits. */
  fits(bytes: number): boolean;
  /** Counts bytes that go to the disk. */
  wrote(bytes: number): void;
}

// The one queue of writes, and why a crash at any point loses nothing.
//
// A change is decided at once, against the pending state: the durable state plus everything that is
// queued. Its operations join the group being formed. While one transaction is under way the next
// group forms; when the transaction ends, the group is submitted in one `batch`:
//
//   - message records and event records, under rising keys;
//   - ONE journal entry (one record or a few, under rising keys) with every index change of the
//     group and the newest counters.
//
// The index B-tree is not touched by that. Its changes live in the memtable and are brought into
// the index later, in bounded chunks sorted by key, each in one transaction together with the
// removal of the journal records that are no longer needed. A chunk rides along with the
// transaction of a group, so that it costs no flush of its own. A transaction of its own, which the
// next change would have to wait for, is made after a quiet second, when somebody waits for the
// chunk, or when too much waits.
//
// At open the journal tail is replayed into the memtable. So a process that was killed
//   - before a commit shows the state before; nothing of the group was acknowledged;
//   - after a commit has messages, events and journal; replaying gives the index;
//   - in or after a flush has the same or newer values in the journal records that are left.
// A journal record is removed only in the transaction that flushes its last change, or later. The
// newest one always stays, because it holds the counters.
//
// A value becomes visible when its transaction is on stable storage. The first failed commit ends
// the writer for good: LMDB must not be asked again after an I/O error.

// A quiet time this long brings what waits into the index. An agent that appends more often than
// that pays for one commit each time, not for two.
const IDLE_MS = 1_000;
// The pause before a commit that does not fit on the disk is tried again.
const SPACE_MS = 250;
// Room for a commit beyond its records: their index changes, and the pages that are copied.
const COMMIT_BYTES = 2_097_152;
const PAGE_BYTES = 4_096;
const GROUP_OPERATIONS_MAX = 32_768;
const GROUP_BYTES_MAX = 67_108_864;

export class Writer<R extends Report> {
  readonly #parts: WriterParts<R>;
  #forming: Group<R>;
  #flight: Flight<R> | undefined;
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
    return this.#forming.message(messageNo) ?? this.#flight?.group?.message(messageNo);
  }

  /** Whether the transaction under way erases this message. */
  isBeingErased(messageNo: number): boolean {
    return this.#flight?.group?.erased.has(messageNo) ?? false;
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

  /** Removes index keys that are in no journal and not in the memtable. */
  removeFlushed(keys: readonly string[]): void {
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
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    if (this.#flight === undefined) resolve();
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
    return this.#whenGroupDurable(this.#flight?.group, undefined);
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
   * Waits until the journal holds nothing of what is durable now. The newest record always stays,
   * for its counters, and may name keys that it removed; so an empty record is written after it.
   * False when the disk is full, or becomes full meanwhile.
   */
  async clearJournal(): Promise<boolean> {
    if (!this.#hasSpaceToClear()) return false;
    await this.whenFormingDurable(undefined);
    return this.whenFlushed();
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
    // A change that was let in before, such as the end of a copy, may still add something.
    do {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#hasWork()) this.#schedule();
    } while (
      this.#failure === undefined &&
      (this.#flight !== undefined || (this.#hasWork() && this.#hasSpace()))
    );
    clearTimeout(this.#idleTimer);
    this.#barriers.giveUp();
    this.#failure ??= new AppError("SHUTTING_DOWN", "The store is closed.");
    for (const { reject } of this.#forming.waiters.splice(0)) reject(this.#failure);
  }

  /** Whether the group that clears the journal fits: the one being formed. */
  #hasSpaceToClear(): boolean {
    const { bytes, operations } = this.#forming;
    const needed = 2 * bytes + PAGE_BYTES * (operations + 1) + COMMIT_BYTES;
    return !this.isDiskFull && this.#parts.space.fits(needed);
  }

  /** Whether the journal holds more than an empty record. */
  #hasJournal(): boolean {
    return this.#oldestKept() !== 0 || this.#newestHasChanges;
  }

  #whenGroupDurable<T>(group: Group<R> | undefined, result: T): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return group === undefined
      ? Promise.resolve(result)
      : new Promise((resolve, reject) => {
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
    if (!this.#scheduled && this.#flight === undefined) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#submit();
      });
    }
  }

  #submit(): void {
    if (this.#flight !== undefined || this.#failure !== undefined) return;
    if (this.#onIdle !== undefined) return;
    // Nothing goes to the index until there is space again.
    if (this.isDiskFull) this.#barriers.giveUp();
    if (!this.#hasSpace()) {
      this.#waitForSpace();
      return;
    }
    const flight = this.#prepare();
    this.#flight = flight;
    if (flight === undefined) {
      this.#barriers.settle(this.#oldestKept());
      if (this.#gate.isBusy) {
        // Those let in may have written nothing: then no commit comes that lets in the next ones.
        this.#gate.open(() => this.#hasRoom());
        this.#schedule();
      }
      this.#restartIdleTimer();
      return;
    }
    if (flight.group !== undefined) failpoint("before-commit");
    try {
      this.#parts.files.checkSize();
      this.#note?.(flight);
      this.#parts.env.root
        .batch(() => this.#parts.space.wrote(writeFlight(this.#parts.env, flight)))
        .then(
          () => this.#onCommitted(flight),
          (error: unknown) => this.#onFailed(error),
        );
    } catch (error) {
      this.#onFailed(error);
    }
  }

  // A full disk takes no work of the background, and a commit only when it fits.
  #hasSpace(): boolean {
    if (!this.#hasWork()) return !this.isDiskFull;
    const { bytes, operations } = this.#forming;
    return this.#parts.space.fits(2 * bytes + PAGE_BYTES * operations + COMMIT_BYTES);
  }

  #waitForSpace(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#submit(), SPACE_MS);
    this.#idleTimer.unref();
  }

  #prepare(): Flight<R> | undefined {
    const hasWork = this.#hasWork();
    const { memtable } = this.#parts;
    const isUrgent = this.#barriers.isBusy || this.#journal.isLong || (this.#idle && !hasWork);
    if (!hasWork && !isUrgent && !memtable.isHigh && !this.#gate.isBusy) return undefined;
    const chunk = this.isDiskFull ? [] : memtable.takeChunk(isUrgent);
    this.#parts.onFlush(chunk);
    const journalRemovals = this.#journal.takeRemovable(memtable.oldestDirty);
    if (!hasWork) {
      return chunk.length === 0 && journalRemovals.length === 0
        ? undefined
        : { group: undefined, journal: [], firstJournalNo: 0, chunk, journalRemovals };
    }
    const group = this.#forming;
    const firstJournalNo = this.#journal.next;
    const journal = this.#sealGroup(group);
    this.#forming = new Group(this.#nextMessageNo, this.#parts.newReport());
    this.#journal.take(journal);
    this.#idle = false;
    return { group, journal, firstJournalNo, chunk, journalRemovals };
  }

  #sealGroup(group: Group<R>): JournalPut[] {
    const { memtable } = this.#parts;
    for (const staged of group.staged) {
      staged.seal(memtable);
    }
    const changes = memtable.seal();
    this.#newestHasChanges = changes.length > 0;
    return encodeJournal(this.#journal.next, changes, {
      commitNo: this.#newestCommitNo,
      nextSessionNo: this.nextSessionNo,
      nextLogNo: this.nextLogNo,
      nextMessageNo: this.#nextMessageNo,
    });
  }

  #onCommitted(flight: Flight<R>): void {
    try {
      this.#parts.files.check();
    } catch (error) {
      this.#onFailed(error);
      return;
    }
    const { group } = flight;
    if (group !== undefined) {
      failpoint("after-commit");
      this.#makeVisible(flight, group);
    }
    this.#parts.memtable.flushed(flight.chunk);
    this.#flight = undefined;
    if (group !== undefined) {
      if (!group.report.isEmpty) this.#parts.onCommit(group.report);
      for (const waiter of group.waiters) {
        waiter.resolve();
      }
    }
    this.#barriers.settle(this.#oldestKept());
    this.#gate.open(() => this.#hasRoom());
    // The next group goes out now, not a turn later: its changes are there already.
    this.#submit();
    this.#onIdle?.();
  }

  #oldestKept(): number {
    return this.#journal.oldestKept(this.#parts.memtable.oldestDirty);
  }

  #makeVisible(flight: Flight<R>, group: Group<R>): void {
    this.#parts.memtable.commit(flight.firstJournalNo);
    this.#journal.commit(flight.firstJournalNo + flight.journal.length - 1);
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
    this.#failure = new AppError("INTERNAL", "A write to the disk failed; the server stops.", {
      cause: error,
    });
    clearTimeout(this.#idleTimer);
    for (const group of [this.#flight?.group, this.#forming]) {
      group?.waiters.forEach(({ reject }) => {
        reject(this.#failure);
      });
    }
    this.#barriers.giveUp();
    this.#gate.openAll();
    this.#onIdle?.();
    // The calls are refused by now: LMDB must not even be read after a failed commit.
    if (isCommitFailure(error)) commitFailure(error).then(this.#parts.onFatal);
    else this.#parts.onFatal(error);
  }
}
