// Keeps the index up to date with the store: it decides which namespaces the index holds, makes
// every search find the writes that were answered before it, and keeps the index within its memory.
//
// A namespace is loaded when it is first searched; from then on the commits of the store feed it.
// The listener of commits only sets marks, before the writer is answered. A search first sends what
// is marked in its scope to the index; the other marks are sent in the background.

import type { ServiceContext } from "../../core/context.ts";
import { checkLive } from "../../kit/call.ts";
import { AppError } from "../../kit/errors.ts";
import { Pace } from "../../kit/semaphore.ts";
import { later, pause, waitAtMost } from "../../kit/world.ts";
import { scopeIdOf } from "../../store/scope-id.ts";
import type { Commit, StoredEvent } from "../../store/store.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import type { ContainerRef, IndexChange, IndexSize, RecallIndex } from "../index/port.ts";
import type { IndexFiles } from "../saved/index-files.ts";
import { Audits } from "./audit.ts";
import { isOfSession, markEvent, WrittenKeys } from "./changes.ts";
import { type Container, keyOf } from "./container.ts";
import { NamespaceFeed } from "./feed.ts";
import {
  FeedClosed,
  isIndexStopped,
  isOver,
  isPassing,
  isStopping,
  restarted,
  whileLive,
} from "./feed-errors.ts";
import { type Missing, missingNow, prepare, type SearchTerms } from "./prepare.ts";
import { SavedIndexes } from "./saved-indexes.ts";
import type { Source } from "./source.ts";

/** Time for which changes are gathered if no search waits for them. */
const GATHER_MS = 50;
/** Interval at which an idle keeper compares one container with the store. */
const AUDIT_MS = 1_000;
/** The same until the first round after a load is done. */
const FIRST_AUDIT_MS = 20;
/** Time that a stop waits for work in progress. */
const STOP_MS = 2_000;
const NOTE_MS = 3_600_000;
const PAUSE_MS = 1_000;
/** Time that a search waits for an index that has just ended; it restarts once a second. */
const RETRY_MS = 600;
/** The most namespaces kept at one time, empty ones included. */
const FEEDS_MAX = 1_000;
/** Time for an answer: so long before its deadline, a search takes what the index holds. */
const ANSWER_MS = 2_000;
/** The longest wait for the index; a timer of more than 24 days would be over at once. */
const WAIT_MS_MAX = 86_400_000;
/** Number of attempts of a search if the index restarts in between. */
const TRIES_MAX = 4;
/** Memory of a session or collection beside the index. */
const CONTAINER_BYTES = 400;
const PRELOAD_SHARE = 0.9;
/** Growth of the index after an eviction before the next one. */
const GROWTH = 1.02;
/** Share that is evicted beyond the excess, since the next write needs room too. */
const SLACK_SHARE = 0.05;
/** The largest share of the records that is evicted at once. */
const EVICTED_SHARE_MAX = 0.25;

/** Dependencies of the keeper. */
export interface KeeperParts {
  readonly context: ServiceContext;
  readonly index: RecallIndex;
  readonly memoryBytes: number;
  /** The wire form of a memory. */
  readonly encodeMemory: Source["encodeMemory"];
  /** Files in which indexes are kept for the next start. Default: none. */
  readonly saved?: { readonly files: IndexFiles; readonly code: string } | undefined;
  /** Gets faults, without content. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the index up to date and within its memory. */
export class IndexKeeper {
  readonly index: RecallIndex;
  readonly pace = new Pace();
  readonly #parts: KeeperParts;
  readonly #feeds = new Map<string, NamespaceFeed>();
  readonly #written = new WrittenKeys();
  readonly #stop = new AbortController();
  readonly #stopListening: readonly (() => void)[];
  #working: Promise<void> | undefined;
  #gatherTimer: (() => void) | undefined;
  #auditTimer: (() => void) | undefined;
  #isGathered = false;
  #isFirstAudit = true;
  readonly #audits = new Audits();
  readonly #saved: SavedIndexes | undefined;
  /** Size of the index as it told last. */
  #bytes = 0;
  /** Sizes of dropped namespaces that the index still counts. */
  readonly #dropping = new Set<{ readonly bytes: number }>();
  #uses = 0;
  #pausedUntilMs = 0;
  /** The fault that ended the last step of the work. */
  #lastFault = "";
  /** Called when records without vectors were found. */
  onVectorsMissing: () => void = () => {};

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.index = parts.index;
    const { context, index, saved, onError } = parts;
    this.#saved =
      saved && new SavedIndexes({ context, index, onError, feeds: this.#feeds, ...saved });
    this.#stopListening = [
      parts.context.store.onCommit((commit) => this.#onCommit(commit)),
      parts.index.onRestart(() => this.#onRestart()),
    ];
  }

  get feeds(): ReadonlyMap<string, NamespaceFeed> {
    return this.#feeds;
  }

  /** Loads the namespaces that were recalled before the server started, the newest first. */
  async preload(): Promise<void> {
    const recalled = await this.#parts.context.store.recalledNamespaces();
    for (const { namespace, ms } of recalled.slice(0, FEEDS_MAX)) {
      if (this.#stop.signal.aborted || this.#feeds.has(namespace)) continue;
      this.#open(namespace).notedMs = ms;
    }
    this.#wake();
    await this.#saved?.keepOnly(this.#feeds.keys());
  }

  /** Deletes what is saved of the index of a namespace; rejects when it may still be there. */
  async eraseSaved(namespace: string): Promise<void> {
    await this.#saved?.eraseForGood(namespace);
  }

  /** Stops the background work. The index is closed by its owner. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const stop of this.#stopListening) stop();
    this.#gatherTimer?.();
    this.#auditTimer?.();
    // Others may be saved yet.
    for (const feed of this.#feeds.values()) if (!feed.isLoaded) feed.close();
    await waitAtMost(this.#parts.context.world, STOP_MS, this.#working);
    await this.#saved?.stop();
    for (const feed of this.#feeds.values()) feed.close();
  }

  /** Runs a search once everything in its scope is in the index. */
  async search<T>(
    terms: SearchTerms,
    ask: (index: RecallIndex, missing: Missing) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      checkLive(terms.signal);
      const feed = this.#use(terms.namespace);
      feed.users += 1;
      try {
        const missing = await this.#ready(feed, terms);
        this.#note(feed);
        return await whileLive(terms.signal, ask(this.index, missing));
      } catch (error) {
        if (!(error instanceof FeedClosed) && !isIndexStopped(error)) throw error;
        if (this.#stop.signal.aborted) throw new AppError("SHUTTING_DOWN", "The server stops.");
        if (tries === TRIES_MAX) throw restarted();
        if (isIndexStopped(error)) {
          this.#lose(feed);
          await pause(this.#parts.context.world, RETRY_MS, terms.signal);
        }
      } finally {
        feed.users -= 1;
        this.#wake();
      }
    }
  }

  /** Waits for the index as long as the deadline allows; gives what it lacks then. */
  async #ready(feed: NamespaceFeed, terms: SearchTerms): Promise<Missing> {
    const { world } = this.#parts.context;
    const leftMs = (terms.deadlineMs ?? Number.POSITIVE_INFINITY) - world.nowMs();
    const waitMs = Math.min(WAIT_MS_MAX, leftMs - Math.min(leftMs / 2, ANSWER_MS));
    const late = new AbortController();
    const cancel = later(world, () => late.abort(), waitMs);
    const signal = AbortSignal.any([terms.signal, late.signal]);
    const allowPartial = terms.allowPartial && !this.#written.of(terms.namespace).isOver;
    try {
      const ready = prepare(feed, { ...terms, allowPartial, signal }, this.pace);
      return await whileLive(signal, ready);
    } catch (error) {
      const isLate = late.signal.aborted && !terms.signal.aborted && isOver(error);
      if (!isLate) throw error;
      return missingNow(feed, terms);
    } finally {
      cancel();
    }
  }

  #use(namespace: string): NamespaceFeed {
    if (this.#stop.signal.aborted) throw new AppError("SHUTTING_DOWN", "The server stops.");
    const feed = this.#feeds.get(namespace) ?? this.#open(namespace);
    feed.lastUse = ++this.#uses;
    this.#wake();
    return feed;
  }

  /** Notes in the store that a namespace with records is searched. */
  #note(feed: NamespaceFeed): void {
    const { store, world } = this.#parts.context;
    const nowMs = world.nowMs();
    if (feed.containers.size === 0 || nowMs - feed.notedMs < NOTE_MS) return;
    feed.notedMs = nowMs;
    store.noteRecalled(feed.namespace, nowMs).catch((error: unknown) => {
      if (!isPassing(error)) this.#parts.onError(error);
    });
  }

  #open(namespace: string): NamespaceFeed {
    this.#isFirstAudit = true;
    const { encodeMemory, context } = this.#parts;
    const { store, world } = context;
    const feed: NamespaceFeed = new NamespaceFeed({
      source: { store, nowMs: world.nowMs, namespace, model: this.index.model, encodeMemory },
      index: this.index,
      pace: this.pace,
      written: this.#written.of(namespace).keys,
      restore: this.#saved?.has(namespace) ? (own) => this.#saved?.restore(own) : undefined,
      onSize: (size) => this.#onSize(feed, size),
      onWork: () => this.#wake(),
      onLost: () => this.#lose(feed),
      onError: this.#parts.onError,
    });
    this.#feeds.set(namespace, feed);
    if (this.#feeds.size > FEEDS_MAX) this.#dropOldest(feed);
    return feed;
  }

  #onCommit({ events, documents, memories }: Commit): void {
    for (const event of events) {
      this.#saved?.heard(event);
      if (!isOfSession(event)) continue;
      const ref = { kind: "session", id: event.sessionId } as const;
      this.#onChange(event.namespace, ref, (feed) => markEvent(feed, event, this.#seqsOf));
    }
    for (const { namespace, collectionId, numbers } of documents) {
      const ref = { kind: "collection", id: collectionId } as const;
      const runs =
        numbers === "all"
          ? [undefined]
          : numbers.map((number) => ({ first: number, last: number }));
      for (const run of runs) this.#onChange(namespace, ref, (feed) => feed.mark(ref, run));
    }
    for (const { namespace, scope, memoryNo } of memories) {
      const ref = { kind: "scope", id: scopeIdOf(scope) } as const;
      const run = { first: memoryNo, last: memoryNo };
      this.#onChange(namespace, ref, (feed) => feed.mark(ref, run, scope));
    }
  }

  #onChange(namespace: string, ref: ContainerRef, mark: (feed: NamespaceFeed) => void): void {
    this.#written.add(namespace, keyOf(ref));
    const feed = this.#feeds.get(namespace);
    if (feed === undefined) return;
    mark(feed);
    this.#gather();
  }

  /** The messages of an event; undefined for all. */
  readonly #seqsOf = ({ body }: StoredEvent): readonly SeqRange[] | undefined => {
    try {
      return this.#parts.context.codec.readEventSeqs(body);
    } catch (error) {
      // A listener of the store must not throw: the whole session is read again.
      this.#parts.onError(error);
      return undefined;
    }
  };

  /** Loads every namespace again, the one used last first. */
  #onRestart(): void {
    const feeds = [...this.#feeds.values()].sort((a, b) => a.lastUse - b.lastUse);
    this.#feeds.clear();
    this.#bytes = 0;
    this.#dropping.clear();
    for (const feed of feeds) feed.close();
    if (this.#stop.signal.aborted) return;
    for (const { namespace, lastUse, notedMs } of feeds) {
      Object.assign(this.#open(namespace), { lastUse, notedMs });
    }
    this.#wake();
  }

  /** Loads a namespace again after a pause, since the index has lost it. */
  #lose(feed: NamespaceFeed): void {
    if (feed.isClosed || this.#feeds.get(feed.namespace) !== feed) return;
    feed.close();
    this.#feeds.delete(feed.namespace);
    if (this.#stop.signal.aborted) return;
    Object.assign(this.#open(feed.namespace), { lastUse: feed.lastUse, notedMs: feed.notedMs });
    this.#pausedUntilMs = this.#parts.context.world.nowMs() + PAUSE_MS;
    this.#wake();
  }

  #onSize(feed: NamespaceFeed, size: IndexSize): void {
    this.#bytes = size.totalBytes;
    if (size.totalBytes > this.#parts.memoryBytes) this.#wake();
    if (feed.withoutVectors.size > 0) this.onVectorsMissing();
  }

  #gather(): void {
    if (this.#gatherTimer !== undefined || this.#stop.signal.aborted) return;
    this.#gatherTimer = later(
      this.#parts.context.world,
      () => {
        this.#gatherTimer = undefined;
        this.#isGathered = true;
        this.#wake();
      },
      GATHER_MS,
    );
  }

  #wake(): void {
    if (this.#working !== undefined || this.#stop.signal.aborted) return;
    this.#working = this.#work().finally(() => {
      this.#working = undefined;
      if (this.#hasWork()) this.#wake();
      else this.#rest();
    });
  }

  #hasWork(): boolean {
    return this.#isGathered || this.#nextToLoad() !== undefined || this.#tooLarge() !== undefined;
  }

  /** Compares one container with the store after a while. */
  #rest(): void {
    if (this.#auditTimer !== undefined || this.#stop.signal.aborted) return;
    if (this.#feeds.size === 0) return;
    const ms = this.#isFirstAudit ? FIRST_AUDIT_MS : AUDIT_MS;
    const check = async (): Promise<void> => {
      this.#auditTimer = undefined;
      try {
        const step = await this.#audits.next([...this.#feeds.values()], this.#parts.onError);
        this.#isFirstAudit = step.isFirst;
        if (!step.isSame) this.#gather();
      } catch (error) {
        this.#report(error);
      }
      this.#wake();
      if (this.#working === undefined) this.#rest();
    };
    this.#auditTimer = later(this.#parts.context.world, () => void check(), ms);
  }

  async #work(): Promise<void> {
    await this.#pauseAfterFault();
    while (!this.#stop.signal.aborted) {
      try {
        if (this.#isGathered) {
          this.#isGathered = false;
          for (const feed of [...this.#feeds.values()]) await this.#sendAllMarked(feed);
        }
        const large = this.#tooLarge();
        if (large !== undefined) await this.#makeRoom(large);
        const feed = this.#nextToLoad();
        if (feed === undefined) return;
        await this.pace.turn(feed.isUrgent);
        const { isRestoring } = feed;
        await feed.step();
        // Marks of the meantime have waited.
        if (isRestoring) this.#isGathered = true;
        // A namespace that was not searched since the start displaces no other.
        const preloadBytes = this.#parts.memoryBytes * PRELOAD_SHARE;
        if (feed.lastUse === 0 && this.#used() > preloadBytes) this.#forget(feed);
        this.#lastFault = "";
      } catch (error) {
        if (error instanceof FeedClosed) continue;
        // A step that fails is tried again each second, and reported once.
        if (String(error) !== this.#lastFault) this.#report(error);
        this.#lastFault = String(error);
        this.#pausedUntilMs = this.#parts.context.world.nowMs() + PAUSE_MS;
        return;
      }
    }
  }

  async #pauseAfterFault(): Promise<void> {
    const { world } = this.#parts.context;
    const waitMs = this.#pausedUntilMs - world.nowMs();
    if (waitMs > 0) await pause(world, waitMs, this.#stop.signal);
  }

  async #sendAllMarked(feed: NamespaceFeed): Promise<void> {
    for (const container of [...feed.dirty]) {
      await this.pace.turn(false);
      if (feed.isClosed || feed.isRestoring) return;
      await feed.sendMarked(container);
    }
  }

  #nextToLoad(): NamespaceFeed | undefined {
    let next: NamespaceFeed | undefined;
    for (const feed of this.#feeds.values()) {
      if (feed.isLoaded) continue;
      const isBefore =
        next === undefined ||
        (feed.isUrgent !== next.isUrgent ? feed.isUrgent : feed.lastUse > next.lastUse);
      if (isBefore) next = feed;
    }
    return next;
  }

  #used(): number {
    let containers = 0;
    for (const feed of this.#feeds.values()) containers += feed.containers.size;
    let dropping = 0;
    for (const { bytes } of this.#dropping) dropping += bytes;
    return this.#bytes - dropping + containers * CONTAINER_BYTES;
  }

  /** The namespace used last, when the index is too large. */
  #tooLarge(): NamespaceFeed | undefined {
    if (this.#used() <= this.#parts.memoryBytes) return undefined;
    let last: NamespaceFeed | undefined;
    for (const feed of this.#feeds.values()) {
      if (last === undefined || feed.lastUse > last.lastUse) last = feed;
    }
    return last !== undefined && this.#used() > last.fullBytes ? last : undefined;
  }

  /** Drops other namespaces until the index fits, then evicts from this one. */
  async #makeRoom(feed: NamespaceFeed): Promise<void> {
    const { memoryBytes } = this.#parts;
    while (this.#used() > memoryBytes && this.#dropOldest(feed));
    if (this.#used() <= memoryBytes) return;
    feed.stopLoading();
    await evict(feed, this.#used() - memoryBytes);
    // Evicted memory is freed by the next compaction; until then the index may grow a little.
    feed.fullBytes = this.#used() * GROWTH;
  }

  /** Drops the least recently used namespace; false when there is no other. */
  #dropOldest(kept: NamespaceFeed): boolean {
    let oldest: NamespaceFeed | undefined;
    for (const feed of this.#feeds.values()) {
      if (feed === kept || feed.users > 0) continue;
      if (oldest === undefined || feed.lastUse < oldest.lastUse) oldest = feed;
    }
    if (oldest === undefined) return false;
    this.#forget(oldest);
    return true;
  }

  #forget(feed: NamespaceFeed): void {
    this.#feeds.delete(feed.namespace);
    feed.close();
    this.#saved?.forget(feed.namespace);
    // Until the index has dropped it, each answer tells a size that includes it.
    const dropping = { bytes: feed.size?.bytes ?? 0 };
    this.#dropping.add(dropping);
    this.index
      .drop(feed.namespace)
      .catch((error: unknown) => this.#report(error))
      .then(() => {
        if (this.#dropping.delete(dropping)) this.#bytes -= dropping.bytes;
      });
  }

  #report(error: unknown): void {
    if (isIndexStopped(error) || isStopping(error) || error instanceof FeedClosed) return;
    this.#parts.onError(error);
  }
}

/**
 * Takes the oldest records of a namespace out of the index, whole sessions and collections where it
 * can, until about this many bytes are free.
 */
async function evict(feed: NamespaceFeed, bytes: number): Promise<void> {
  const { size } = feed;
  if (size === undefined || size.items === 0) return;
  const share = Math.min(EVICTED_SHARE_MAX, bytes / size.bytes + SLACK_SHARE);
  let left = Math.ceil(size.items * share);
  const indexed = [...feed.containers.values()]
    .filter(({ sentInfo, sent }) => sentInfo !== undefined && sent > 0)
    .sort((a, b) => a.updateMs - b.updateMs);
  for (const container of indexed) {
    if (left <= 0) break;
    left -= await container.inTurn(() => evictFrom(feed, container, left));
  }
}

/** Takes all records of a container out of the index, or its oldest. Gives how many. */
async function evictFrom(
  feed: NamespaceFeed,
  container: Container,
  wanted: number,
): Promise<number> {
  const { ref, sent, top } = container;
  if (sent === 0 || container.sentInfo === undefined) return 0;
  if (sent <= wanted) {
    const sending = feed.send([{ kind: "drop-container", container: ref }]);
    container.forget();
    Object.assign(container, { isLoaded: true, isCut: true, top });
    await sending;
    return sent;
  }
  const positions = await feed.positionsOf(container);
  const count = Math.min(wanted, positions.length - 1);
  const [first] = positions;
  const last = positions[count - 1];
  if (first === undefined || last === undefined) return 0;
  const run = { firstPosition: first, lastPosition: last };
  const change: IndexChange = { kind: "items", container: ref, ...run, items: [] };
  const sending = feed.send([change], container);
  Object.assign(container, { sent: sent - count, isCut: true });
  await sending;
  return count;
}
