// Keeps the index beside the store: which namespaces it holds, that a search finds every write that
// was answered before, and that it stays within its memory.
//
// A namespace is loaded when it is first searched; from then on it is fed by the events of the
// store. The listener of events only sets marks, before the writer is answered. A search has what
// is marked in its scope told to the index before it asks; what nobody asks for is told in the
// background.

import { AppError } from "../../domain/errors.ts";
import type { IndexSize, RecallIndex } from "../../recall/port.ts";
import type { CollectionRef, StoredEvent } from "../../storage/store.ts";
import { checkLive } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { later, pause } from "../tasks/later.ts";
import { Audits } from "./audit.ts";
import { type ChangedPlace, documentPlaces, memoryPlaces } from "./changed-places.ts";
import { keyOf } from "./container.ts";
import { NamespaceFeed } from "./feed.ts";
import { FeedClosed, isIndexStopped, isPassing, isStopping, restarted } from "./feed-errors.ts";
import { isOfMemories, markEvent, type SeqsOf, seqsReader } from "./mark-event.ts";
import { Pace } from "./pace.ts";
import { type Missing, prepare } from "./prepare.ts";
import { evict } from "./room.ts";
import type { SearchTerms } from "./scope.ts";
import type { Source } from "./source.ts";
import { TouchedKeys } from "./touched.ts";
import { whileLive } from "./waiting.ts";
import type { MemoryPlace } from "./watched-store.ts";

/** How long changes are gathered that nobody searches for. */
const GATHER_MS = 50;
/** How often one container is compared with the store when there is nothing else to do. */
const AUDIT_MS = 1_000;
/** The same after a load. */
const FIRST_AUDIT_MS = 20;
/** How long a stop waits for what is under way. */
const STOP_MS = 2_000;
const NOTE_MS = 3_600_000;
const PAUSE_MS = 1_000;
/** How long a search waits for an index that has just ended: it is started once a second. */
const RETRY_MS = 600;
/** Namespaces that are kept at one time, empty ones too. */
const FEEDS_MAX = 1_000;
/** A search is asked again when the index was started anew in between. */
const TRIES_MAX = 4;
/** What a session or collection costs beside the index. */
const CONTAINER_BYTES = 400;
const PRELOAD_SHARE = 0.9;
/** So much larger than after the last time the index is before more is taken out. */
const GROWTH = 1.02;

/** What the keeper works with. */
export interface KeeperParts {
  readonly context: ServiceContext;
  readonly index: RecallIndex;
  readonly memoryBytes: number;
  /** The wire form of a memory. */
  readonly encodeMemory: Source["encodeMemory"];
  /** Hears of faults, without content. */
  readonly onError: (error: unknown) => void;
}

/** Keeps the index. */
export class IndexKeeper {
  readonly index: RecallIndex;
  readonly pace = new Pace();
  readonly #parts: KeeperParts;
  readonly #feeds = new Map<string, NamespaceFeed>();
  readonly #touched = new TouchedKeys();
  readonly #stop = new AbortController();
  readonly #stopListening: readonly (() => void)[];
  #working: Promise<void> | undefined;
  #gatherTimer: (() => void) | undefined;
  #auditTimer: (() => void) | undefined;
  #isGathered = false;
  #isFirstAudit = true;
  readonly #audits = new Audits();
  #bytes = 0;
  #uses = 0;
  #pausedUntilMs = 0;
  readonly #seqsOf: SeqsOf;
  /** Hears that records without vectors were found. */
  onVectorsMissing: () => void = () => {};

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.index = parts.index;
    this.#seqsOf = seqsReader(parts.context.codec, parts.onError);
    this.#stopListening = [
      parts.context.store.onEvents((events) => this.#onEvents(events)),
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
  }

  /** Stops the background work. The index is closed by its owner. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const stop of this.#stopListening) stop();
    this.#gatherTimer?.();
    this.#auditTimer?.();
    for (const feed of this.#feeds.values()) feed.close();
    const late = Promise.withResolvers<void>();
    const cancel = later(this.#parts.context.world, late.resolve, STOP_MS);
    await Promise.race([this.#working, late.promise]);
    cancel();
  }

  /** Notes a change of documents that is durable. Called before its caller is answered. */
  documentsChanged(ref: CollectionRef, numbers: readonly number[] | "all"): void {
    this.#changed(ref.namespace, documentPlaces(ref, numbers));
  }

  /** Notes a change of memories that is durable. Called before its caller is answered. */
  memoriesChanged(namespace: string, places: readonly MemoryPlace[]): void {
    this.#changed(namespace, memoryPlaces(places));
  }

  #changed(namespace: string, places: readonly ChangedPlace[]): void {
    const feed = this.#feeds.get(namespace);
    for (const { ref, run, scope } of places) {
      this.#touched.add(namespace, keyOf(ref));
      feed?.mark(ref, run, scope);
    }
    if (feed !== undefined) this.#gather();
  }

  /** Asks the index once everything in the scope is in it. */
  async search<T>(
    terms: SearchTerms,
    ask: (index: RecallIndex, missing: Missing) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      checkLive(terms.signal);
      const feed = this.#use(terms.namespace);
      feed.users += 1;
      try {
        const allowPartial = terms.allowPartial && !this.#touched.of(terms.namespace).isOver;
        const ready = prepare(feed, { ...terms, allowPartial }, this.pace);
        const missing = await whileLive(terms.signal, ready);
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

  #use(namespace: string): NamespaceFeed {
    if (this.#stop.signal.aborted) throw new AppError("SHUTTING_DOWN", "The server stops.");
    const feed = this.#feeds.get(namespace) ?? this.#open(namespace);
    feed.lastUse = ++this.#uses;
    this.#wake();
    return feed;
  }

  /** Has the store remember that a namespace with something in it is searched. */
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
      touched: this.#touched.of(namespace).keys,
      onSize: (size) => this.#onSize(feed, size),
      onWork: () => this.#wake(),
      onLost: () => this.#lose(feed),
      onError: this.#parts.onError,
    });
    this.#feeds.set(namespace, feed);
    if (this.#feeds.size > FEEDS_MAX) this.#dropOldest(feed);
    return feed;
  }

  #onEvents(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const { namespace, sessionId } = event;
      // Documents and memories tell of their changes by themselves: their numbers are in no event.
      if (sessionId === "" || isOfMemories(event)) continue;
      this.#touched.add(namespace, keyOf({ kind: "session", id: sessionId }));
      const feed = this.#feeds.get(namespace);
      if (feed === undefined) continue;
      markEvent(feed, event, this.#seqsOf);
      this.#gather();
    }
  }

  /** Everything is loaded anew, what was used last first. */
  #onRestart(): void {
    const feeds = [...this.#feeds.values()].sort((a, b) => a.lastUse - b.lastUse);
    this.#feeds.clear();
    this.#bytes = 0;
    for (const feed of feeds) feed.close();
    if (this.#stop.signal.aborted) return;
    for (const { namespace, lastUse, notedMs } of feeds) {
      Object.assign(this.#open(namespace), { lastUse, notedMs });
    }
    this.#wake();
  }

  /** The index has lost what a feed told it: the namespace is loaded anew after a while. */
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

  /** Compares one container with the store from time to time. */
  #rest(): void {
    if (this.#auditTimer !== undefined || this.#stop.signal.aborted) return;
    if (this.#feeds.size === 0) return;
    const ms = this.#isFirstAudit ? FIRST_AUDIT_MS : AUDIT_MS;
    const check = async (): Promise<void> => {
      this.#auditTimer = undefined;
      try {
        const step = await this.#audits.next([...this.#feeds.values()], this.#parts);
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
          for (const feed of [...this.#feeds.values()]) await this.#tellAll(feed);
        }
        const large = this.#tooLarge();
        if (large !== undefined) await this.#makeRoom(large);
        const feed = this.#nextToLoad();
        if (feed === undefined) return;
        await this.pace.turn(feed.isUrgent);
        await feed.step();
        // What nobody has asked for since the start takes nobody's place.
        const preloadBytes = this.#parts.memoryBytes * PRELOAD_SHARE;
        if (feed.lastUse === 0 && this.#used() > preloadBytes) this.#forget(feed);
      } catch (error) {
        if (error instanceof FeedClosed) continue;
        this.#report(error);
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

  async #tellAll(feed: NamespaceFeed): Promise<void> {
    for (const container of [...feed.dirty]) {
      await this.pace.turn(false);
      if (feed.isClosed) return;
      await feed.tell(container);
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
    return this.#bytes + containers * CONTAINER_BYTES;
  }

  /** The namespace that makes the index too large: the one that was used last. */
  #tooLarge(): NamespaceFeed | undefined {
    if (this.#used() <= this.#parts.memoryBytes) return undefined;
    let last: NamespaceFeed | undefined;
    for (const feed of this.#feeds.values()) {
      if (last === undefined || feed.lastUse > last.lastUse) last = feed;
    }
    return last !== undefined && this.#used() > last.fullBytes ? last : undefined;
  }

  /** Makes room when the index has passed its memory: other namespaces go first. */
  async #makeRoom(feed: NamespaceFeed): Promise<void> {
    const { memoryBytes } = this.#parts;
    while (this.#used() > memoryBytes && this.#dropOldest(feed));
    if (this.#used() <= memoryBytes) return;
    feed.stopLoading();
    await evict(feed, this.#used() - memoryBytes);
    // What is taken out is given back when the index tidies up; until then it may grow a little.
    feed.fullBytes = this.#used() * GROWTH;
  }

  /** Drops the namespace that was used the longest time ago; false when there is no other. */
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
    this.#bytes -= feed.size?.bytes ?? 0;
    feed.close();
    this.index.drop(feed.namespace).catch((error: unknown) => this.#report(error));
  }

  #report(error: unknown): void {
    if (isIndexStopped(error) || isStopping(error) || error instanceof FeedClosed) return;
    this.#parts.onError(error);
  }
}
