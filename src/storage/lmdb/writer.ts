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
// The index B-tree is not touched by that. Its changes live in the memtable and are brought into the
// index later, in bounded chunks sorted by key, each in one transaction together with the removal of
// the journal records that are no longer needed. A chunk rides along with the transaction of a group
// when there is one, so that it costs no flush of its own.
//
// At open the journal tail is replayed into the memtable. So:
//   - killed before a commit: LMDB shows the state before; nothing of the group was acknowledged;
//   - killed after a commit: messages, events and journal are all there; replaying gives the index;
//   - killed in or after a flush: the flushed values are in the index, and the journal records that
//     are left hold the same or newer values for the same keys; replaying in order ends at the newest.
// A journal record is removed only in the transaction that flushes its last change, or later. The
// newest one always stays, because it holds the counters.
//
// A value becomes visible to readers when its transaction is on stable storage. The first failed
// commit ends the writer for good: LMDB must not be asked again after an I/O error.

import { AppError } from "../../domain/errors.ts";
import { failpoint } from "../../lib/failpoint.ts";
import type { NewEvent, StoredEvent } from "../store.ts";
import type { CachedSession, SessionCache, SessionState } from "./cache.ts";
import { encodeEvent, encodeHead, sealShared } from "./codec.ts";
import type { Environment } from "./environment.ts";
import { Group } from "./group.ts";
import { type Counters, encodeJournal, type JournalPut } from "./journal.ts";
import { eventKey, headKey, REVISION_EVENTS_MAX, u64 } from "./keys.ts";
import type { FlushChunk, Memtable } from "./memtable.ts";

/** What the writer goes on from. */
export interface WriterStart extends Counters {
  /** The numbers of the oldest journal record kept and of the next one. */
  readonly firstJournalNo: number;
  readonly nextJournalNo: number;
}

/** What the writer works with. */
export interface WriterParts {
  readonly env: Environment;
  readonly memtable: Memtable;
  readonly cache: SessionCache;
  readonly start: WriterStart;
  /** Called with the events of a group once they are durable. */
  readonly publish: (events: readonly StoredEvent[], group: Group) => void;
  /** Called once, with the cause, when a commit failed. */
  readonly onFatal: (error: unknown) => void;
  /** Counts bytes that go to the disk. */
  readonly wrote: (bytes: number) => void;
}

// Flushing starts at the low-water mark and keeps pace with what comes in; at the high one changes
// wait for it.
const LOW_WATER = 2_048;
const HIGH_WATER = 65_536;
const CHUNK_MIN = 256;
const CHUNK_MAX = 2_048;
const JOURNAL_REMOVALS_MAX = 1_024;
const IDLE_MS = 50;
const GROUP_OPERATIONS_MAX = 32_768;
const GROUP_BYTES_MAX = 67_108_864;

interface Flight {
  readonly group: Group | undefined;
  readonly journal: readonly JournalPut[];
  readonly firstJournalNo: number;
  readonly chunk: FlushChunk;
  readonly journalRemovals: readonly number[];
}

/** The writer. */
export class Writer {
  private readonly parts: WriterParts;
  private forming: Group;
  private flight: Flight | undefined;
  private scheduled = false;
  private idle = false;
  private idleTimer: NodeJS.Timeout | undefined;
  private failure: AppError | undefined;
  private closing = false;
  private closed = false;
  private nextJournalNo: number;
  private firstJournalNo: number;
  private lastCommittedJournalNo: number;
  private readonly gate: (() => void)[] = [];
  private readonly barriers: { journalNo: number; resolve: () => void }[] = [];
  private newestRevision: number;
  private durable: number;
  nextSessionNo: number;
  nextLogNo: number;
  private nextMessageNo: number;

  constructor(parts: WriterParts) {
    const { start } = parts;
    this.parts = parts;
    this.forming = new Group(start.nextMessageNo);
    this.nextJournalNo = start.nextJournalNo;
    this.firstJournalNo = start.firstJournalNo;
    this.lastCommittedJournalNo = start.nextJournalNo - 1;
    this.newestRevision = start.revision;
    this.durable = start.revision;
    this.nextSessionNo = start.nextSessionNo;
    this.nextLogNo = start.nextLogNo;
    this.nextMessageNo = start.nextMessageNo;
    this.restartIdleTimer();
  }

  /** The newest durable revision. */
  get durableRevision(): number {
    return this.durable;
  }

  /** The newest revision given, durable or not. */
  get pendingRevision(): number {
    return this.newestRevision;
  }

  /** Throws when the store cannot take changes. */
  assertOpen(): void {
    if (this.failure !== undefined) {
      throw this.failure;
    }
    if (this.closing) {
      throw new AppError("SHUTTING_DOWN", "The server is shutting down. Try again elsewhere.");
    }
  }

  /** Throws when the environment is closed: a read would crash the process. */
  assertReadable(): void {
    if (this.closed) {
      throw new AppError("SHUTTING_DOWN", "The store is closed.");
    }
  }

  /** Has the changes of upkeep committed soon. */
  touch(): void {
    if (this.hasWork()) {
      this.schedule();
    }
  }

  /** A promise to wait for before deciding, or undefined when there is room at once. */
  admit(): Promise<void> | undefined {
    if (this.gate.length === 0 && this.hasRoom()) {
      return undefined;
    }
    return new Promise((resolve) => {
      this.gate.push(resolve);
      this.schedule();
    });
  }

  /** The wire form of a message that is not durable yet. */
  pendingMessage(messageNo: number): Uint8Array | undefined {
    return (
      this.forming.messages[messageNo - this.forming.firstMessageNo] ??
      this.flight?.group?.messages[messageNo - this.flight.group.firstMessageNo]
    );
  }

  /** Whether the transaction under way erases this message. */
  isBeingErased(messageNo: number): boolean {
    return this.flight?.group?.erased.has(messageNo) ?? false;
  }

  /** Adds a message record; gives its number. */
  putMessage(bytes: Uint8Array): number {
    const messageNo = this.nextMessageNo++;
    const key = u64(messageNo);
    const value = sealShared(key, bytes);
    this.forming.messages.push(bytes);
    this.forming.messagePuts.push({ key, value });
    this.forming.bytes += bytes.length;
    return messageNo;
  }

  eraseMessage(messageNo: number): void {
    this.forming.erased.add(messageNo);
  }

  /** Marks what the group does, for the failpoints. */
  mark(what: "trimmed" | "purging" | "copying"): void {
    this.forming[what] = true;
  }

  /** Removes index keys that are in no journal and not in the memtable. */
  removeFlushed(keys: readonly string[]): void {
    this.forming.indexRemovals.push(...keys);
  }

  removeEvents(keys: readonly string[]): void {
    this.forming.eventRemovals.push(...keys);
  }

  /** Adds the events of a new revision; gives it. */
  putEvents(events: readonly NewEvent[]): number {
    if (events.length === 0 || events.length > REVISION_EVENTS_MAX) {
      throw new Error("A saved change must have events, and not too many.");
    }
    const group = this.forming;
    const revision = ++this.newestRevision;
    group.revision = revision;
    for (let index = 0; index < events.length; index++) {
      const event = events[index];
      if (event !== undefined) {
        const key = eventKey(revision, index, index === events.length - 1);
        group.eventPuts.push({ key, value: encodeEvent(key, event) });
        group.bytes += event.body.length;
        group.events.push({
          revision,
          index,
          type: event.type,
          namespace: event.namespace,
          sessionId: event.sessionId,
          userId: event.userId,
          createMs: event.createMs,
          body: event.body,
        });
      }
    }
    return revision;
  }

  /** Gives a session its next state. */
  setState(cached: CachedSession, state: SessionState | null): void {
    if (cached.forming === undefined) {
      this.forming.sessions.push(cached);
    }
    cached.forming = state;
  }

  /** Waits until the group being formed is durable. */
  whenFormingDurable<T>(result: T): Promise<T> {
    const group = this.forming;
    return new Promise((resolve, reject) => {
      group.waiters.push({ resolve: () => resolve(result), reject });
      this.schedule();
    });
  }

  /** Waits until everything decided so far is durable. */
  async whenDurable(): Promise<void> {
    if (this.hasWork()) {
      await this.whenFormingDurable(undefined);
    } else {
      await this.whenInFlightDurable();
    }
  }

  /** Waits until the group in flight is durable. */
  whenInFlightDurable(): Promise<void> {
    const group = this.flight?.group;
    return group === undefined
      ? Promise.resolve()
      : new Promise((resolve, reject) => group.waiters.push({ resolve, reject }));
  }

  /** Waits until everything that is durable now is in the index itself. */
  whenFlushed(): Promise<void> {
    const journalNo = this.lastCommittedJournalNo;
    return new Promise((resolve) => {
      this.barriers.push({ journalNo, resolve });
      this.schedule();
    });
  }

  /** Takes no more changes, waits for those under way and flushes for at most `flushMs`. */
  async close(flushMs: number): Promise<void> {
    this.closing = true;
    clearTimeout(this.idleTimer);
    const end = performance.now() + flushMs;
    // Waiting for a group makes one, and with it a journal record to remove: so only while there is
    // work of its own.
    while (this.failure === undefined && this.hasWork()) {
      await this.whenFormingDurable(undefined).catch(() => undefined);
    }
    while (this.failure === undefined && performance.now() < end && this.needsFlush()) {
      await this.whenFlushed();
    }
    while (this.failure === undefined && this.flight !== undefined) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    clearTimeout(this.idleTimer);
    this.closed = true;
    this.failure ??= new AppError("SHUTTING_DOWN", "The store is closed.");
  }

  private hasRoom(): boolean {
    return (
      this.parts.memtable.size < HIGH_WATER &&
      this.forming.operations < GROUP_OPERATIONS_MAX &&
      this.forming.bytes < GROUP_BYTES_MAX
    );
  }

  private hasWork(): boolean {
    return (
      this.forming.operations > 0 ||
      this.forming.waiters.length > 0 ||
      this.forming.sessions.length > 0 ||
      this.parts.memtable.hasForming
    );
  }

  private needsFlush(): boolean {
    return this.parts.memtable.dirtyCount > 0;
  }

  private schedule(): void {
    if (!this.scheduled && this.flight === undefined) {
      this.scheduled = true;
      setImmediate(() => {
        this.scheduled = false;
        this.submit();
      });
    }
  }

  private submit(): void {
    if (this.flight !== undefined || this.failure !== undefined) {
      return;
    }
    const flight = this.prepare();
    if (flight === undefined) {
      this.settleBarriers();
      return;
    }
    this.flight = flight;
    if (flight.group !== undefined) {
      failpoint("before-commit");
    }
    try {
      this.parts.env.root
        .batch(() => this.write(flight))
        .then(
          () => this.onCommitted(flight),
          (error: unknown) => this.onFailed(error),
        );
    } catch (error) {
      this.onFailed(error);
    }
  }

  private prepare(): Flight | undefined {
    const hasWork = this.hasWork();
    const size = this.chunkSize(hasWork);
    const chunk = size === 0 ? [] : this.parts.memtable.takeChunk(size);
    const journalRemovals = this.journalRemovals();
    if (!hasWork) {
      return chunk.length === 0 && journalRemovals.length === 0
        ? undefined
        : { group: undefined, journal: [], firstJournalNo: 0, chunk, journalRemovals };
    }
    const group = this.forming;
    const firstJournalNo = this.nextJournalNo;
    const journal = this.sealGroup(group);
    this.forming = new Group(this.nextMessageNo);
    this.nextJournalNo += journal.length;
    this.idle = false;
    return { group, journal, firstJournalNo, chunk, journalRemovals };
  }

  private sealGroup(group: Group): JournalPut[] {
    const { memtable } = this.parts;
    for (const cached of group.sessions) {
      const state = cached.forming;
      if (state !== undefined && state !== null) {
        const key = headKey(state.sessionNo);
        memtable.set(key, encodeHead(key, state.logNo, state.session.head));
      }
      cached.inFlight = state;
      cached.forming = undefined;
    }
    return encodeJournal(this.nextJournalNo, memtable.seal(), {
      revision: this.newestRevision,
      nextSessionNo: this.nextSessionNo,
      nextLogNo: this.nextLogNo,
      nextMessageNo: this.nextMessageNo,
    });
  }

  private chunkSize(hasWork: boolean): number {
    const dirty = this.parts.memtable.dirtyCount;
    if (this.barriers.length > 0 || (this.idle && !hasWork) || dirty >= LOW_WATER + CHUNK_MIN) {
      return Math.min(CHUNK_MAX, Math.max(CHUNK_MIN, dirty >>> 5));
    }
    return 0;
  }

  private journalRemovals(): number[] {
    const oldest = this.parts.memtable.oldestDirty;
    const stop = oldest === 0 ? this.lastCommittedJournalNo : oldest;
    const numbers: number[] = [];
    while (
      this.firstJournalNo < Math.min(stop, this.lastCommittedJournalNo) &&
      numbers.length < JOURNAL_REMOVALS_MAX
    ) {
      numbers.push(this.firstJournalNo++);
    }
    return numbers;
  }

  // Runs inside the batch: synchronous, and nothing here can fail but LMDB itself.
  private write(flight: Flight): void {
    const { env } = this.parts;
    const { group } = flight;
    let bytes = 0;
    if (group !== undefined) {
      for (const { key, value } of group.messagePuts) {
        env.message.put(key, value as Buffer);
      }
      if (group.trimmed) {
        failpoint("mid-trim");
      }
      for (const { key, value } of group.eventPuts) {
        env.event.put(key, value as Buffer);
      }
      this.writeRemovals(group);
      bytes += group.bytes;
    }
    for (const { key, value } of flight.journal) {
      env.journal.put(key, value);
      bytes += value.length;
    }
    this.writeChunk(flight);
    this.parts.wrote(bytes + flight.chunk.length * 4_096);
  }

  private writeRemovals(group: Group): void {
    const { env } = this.parts;
    for (const messageNo of group.erased) {
      env.message.remove(u64(messageNo));
    }
    if (group.purging) {
      failpoint("mid-purge");
    }
    if (group.copying) {
      failpoint("mid-copy");
    }
    for (const key of group.indexRemovals) {
      env.index.remove(key);
    }
    for (const key of group.eventRemovals) {
      env.event.remove(key);
    }
  }

  private writeChunk(flight: Flight): void {
    const { env } = this.parts;
    let half = flight.chunk.length >>> 1;
    for (const { slot, value } of flight.chunk) {
      if (value === null) {
        env.index.remove(slot.key);
      } else {
        env.index.put(slot.key, value as Buffer);
      }
      if (half-- === 0) {
        failpoint("mid-flush");
      }
    }
    for (const journalNo of flight.journalRemovals) {
      env.journal.remove(u64(journalNo));
    }
  }

  private onCommitted(flight: Flight): void {
    const { group } = flight;
    if (group !== undefined) {
      failpoint("after-commit");
      this.makeVisible(flight, group);
    }
    this.parts.memtable.flushed(flight.chunk);
    this.flight = undefined;
    if (group !== undefined) {
      this.parts.publish(group.events, group);
      for (const waiter of group.waiters) {
        waiter.resolve();
      }
    }
    this.settleBarriers();
    this.openGate();
    // The next group goes out now, not a turn later: its changes are there already.
    this.submit();
    if (this.flight === undefined) {
      this.restartIdleTimer();
    }
  }

  private makeVisible(flight: Flight, group: Group): void {
    const { memtable, cache } = this.parts;
    memtable.commit(flight.firstJournalNo);
    this.lastCommittedJournalNo = flight.firstJournalNo + flight.journal.length - 1;
    for (const cached of group.sessions) {
      cached.committed = cached.inFlight ?? null;
      cached.inFlight = undefined;
      if (cached.committed === null && !cached.busy) {
        cache.drop(cached);
      } else {
        cache.measure(cached);
      }
    }
    if (group.revision !== 0) {
      this.durable = group.revision;
    }
  }

  private openGate(): void {
    let count = 256;
    while (this.gate.length > 0 && count-- > 0 && this.hasRoom()) {
      this.gate.shift()?.();
    }
  }

  private settleBarriers(): void {
    const oldest = this.parts.memtable.oldestDirty;
    for (let i = this.barriers.length - 1; i >= 0; i--) {
      const barrier = this.barriers[i];
      if (barrier !== undefined && (oldest === 0 || oldest > barrier.journalNo)) {
        this.barriers.splice(i, 1);
        barrier.resolve();
      }
    }
  }

  private restartIdleTimer(): void {
    clearTimeout(this.idleTimer);
    if (this.closing || (!this.needsFlush() && this.gate.length === 0)) {
      return;
    }
    this.idleTimer = setTimeout(() => {
      this.idle = true;
      this.submit();
    }, IDLE_MS);
    this.idleTimer.unref();
  }

  private onFailed(error: unknown): void {
    const commitError = (error as { commitError?: Promise<unknown> }).commitError;
    commitError?.catch(() => undefined);
    this.failure = new AppError("INTERNAL", "A write to the disk failed; the server stops.", {
      cause: error,
    });
    clearTimeout(this.idleTimer);
    const waiters = [...(this.flight?.group?.waiters ?? []), ...this.forming.waiters];
    for (const waiter of waiters) {
      waiter.reject(this.failure);
    }
    for (const barrier of this.barriers.splice(0)) {
      barrier.resolve();
    }
    for (const open of this.gate.splice(0)) {
      open();
    }
    this.parts.onFatal(error);
  }
}
