// The index of one namespace as the service keeps it: which sessions, collections and scopes there
// are, how far each is loaded, and what must be told. Everything is read from the store again, so
// that the index is told the newest state, whatever happened in between.
//
// A mark is set when an event is durable, before its writer is answered; it is taken before the
// store is read. So what is told is at least as new as every mark that was taken.

import type { MemoryScope } from "../../domain/memories/memory.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { ContainerRef, IndexChange, IndexSize, RecallIndex } from "../../recall/port.ts";
import type { SessionPage, SessionQuery } from "../../storage/store.ts";
import { checkLive } from "../change.ts";
import { Container, keyOf, refOf } from "./container.ts";
import { FeedClosed, isIndexStopped, isStopping } from "./feed-errors.ts";
import { Lister } from "./lister.ts";
import type { Pace } from "./pace.ts";
import { POSITION_MAX, readFacts, type Source } from "./source.ts";
import { Teller, tfIdfChange } from "./teller.ts";

/** What a feed works with. */
export interface FeedParts {
  readonly source: Source;
  readonly index: RecallIndex;
  readonly pace: Pace;
  /** Keys of containers that were written to since the server started. */
  readonly touched: ReadonlySet<string>;
  readonly onSize: (size: IndexSize) => void;
  /** There is something to load. */
  readonly onWork: () => void;
  /** The index has lost what it was told. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
}

/** Feeds the index of one namespace. */
export class NamespaceFeed {
  readonly namespace: string;
  readonly source: Source;
  readonly #parts: FeedParts;
  readonly #lister: Lister;
  readonly #teller: Teller;
  readonly containers = new Map<string, Container>();
  /** Those with marks, and those whose marks are being told. */
  readonly dirty = new Set<Container>();
  /** Those with records that have no vectors yet. */
  readonly withoutVectors = new Set<Container>();
  /** Those that are not loaded, by rising time of the last change once everything is listed. */
  #toLoad: Container[] = [];
  readonly #collectionsListed = Promise.withResolvers<void>();
  readonly #scopesListed = Promise.withResolvers<void>();
  #loadWaiters: PromiseWithResolvers<void>[] = [];
  #closed = false;
  /** Searches that use it now. */
  users = 0;
  /** Counts up with each use of any feed; 0 when it was never used. */
  lastUse = 0;
  /** When the store was last told that the namespace is recalled. */
  notedMs = 0;
  size: IndexSize | undefined;
  /** Some container cannot be read. */
  hasBroken = false;
  /** The oldest are left out: there is no room. */
  isFull = false;
  /** Below this the index is not looked at again to make room. */
  fullBytes = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.source = parts.source;
    this.namespace = parts.source.namespace;
    this.#lister = new Lister(parts.source);
    this.#teller = new Teller({
      source: parts.source,
      checkOpen: () => this.#checkOpen(),
      send: (changes, container) => this.send(changes, container),
      queue: (container) => this.#queue(container),
      gone: (container) => this.#gone(container),
      lacksVectors: (container, position) => {
        container.vectorsFrom = Math.min(container.vectorsFrom ?? POSITION_MAX, position);
        this.withoutVectors.add(container);
      },
    });
    this.#collectionsListed.promise.catch(() => {});
    this.#scopesListed.promise.catch(() => {});
    for (const key of parts.touched) this.containerOf(refOf(key));
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isListed(): boolean {
    return this.#lister.isDone;
  }

  /** Everything is in the index but what is left out, and what changed a moment ago. */
  get isLoaded(): boolean {
    return this.isListed && this.#toLoad.length === 0;
  }

  /** A search waits for the load. */
  get isUrgent(): boolean {
    return this.#loadWaiters.length > 0;
  }

  /** Gives the feed up; whoever waits gets FeedClosed. */
  close(): void {
    this.#closed = true;
    const closed = new FeedClosed();
    this.#collectionsListed.reject(closed);
    this.#scopesListed.reject(closed);
    for (const waiter of this.#loadWaiters.splice(0)) waiter.reject(closed);
  }

  /** The container of this name, which need not exist in the store. */
  containerOf(ref: ContainerRef): Container {
    const known = this.containers.get(keyOf(ref));
    if (known !== undefined) return known;
    const container = this.#add(ref);
    this.#queue(container);
    return container;
  }

  /** Notes that records may have changed. Without a run, that everything of the container may. */
  mark(ref: ContainerRef, run: SeqRange | undefined, scope?: MemoryScope): void {
    const container = this.containerOf(ref);
    container.scope ??= scope;
    if (run === undefined) container.markAll();
    else container.markRun(run);
    this.dirty.add(container);
  }

  /** Notes that what describes a container may have changed. */
  markInfo(ref: ContainerRef): void {
    const container = this.containerOf(ref);
    container.markInfo();
    this.dirty.add(container);
  }

  /** Notes a session that is new: whatever comes into it is marked, so nothing is to be loaded. */
  markNew(ref: ContainerRef): void {
    if (!this.containers.has(keyOf(ref))) this.#add(ref).isLoaded = true;
    this.markInfo(ref);
  }

  /** The positions that the index holds of a container. */
  positionsOf(container: Container): Promise<readonly number[]> {
    return this.#parts.index.positions(this.namespace, container.ref);
  }

  /** How many records the store has of a container; undefined when that takes a look at all. */
  async countOf(container: Container): Promise<number | undefined> {
    if (container.ref.kind === "collection") return undefined;
    return (await readFacts(this.source, container.ref))?.count ?? 0;
  }

  /** Sessions of the namespace, from the store. */
  listSessions(query: Omit<SessionQuery, "namespace" | "nowMs">): Promise<SessionPage> {
    const { store, nowMs } = this.source;
    return store.listSessions({ ...query, namespace: this.namespace, nowMs: nowMs() });
  }

  /** Waits until everything is loaded. */
  whenLoaded(): Promise<void> {
    if (this.#closed) return Promise.reject(new FeedClosed());
    if (this.isLoaded) return Promise.resolve();
    const waiter = Promise.withResolvers<void>();
    this.#loadWaiters.push(waiter);
    return waiter.promise;
  }

  /** Waits until the collections are known. */
  whenCollectionsListed(): Promise<void> {
    return this.#collectionsListed.promise;
  }

  /** Waits until the scopes of memories are known. */
  whenScopesListed(): Promise<void> {
    return this.#scopesListed.promise;
  }

  /** Does one piece of the load. */
  async step(): Promise<void> {
    if (!this.isListed) await this.#list();
    else await this.#loadNext();
    this.#tellWaiters();
  }

  /** Loads a container to its end, for a search that waits. */
  async load(container: Container, signal: AbortSignal): Promise<void> {
    while (!container.isLoaded && !container.isBroken) {
      await this.#parts.pace.turn(true);
      checkLive(signal);
      await this.#guarded(container, () => this.#teller.loadPiece(container));
    }
  }

  /** Tells the index what has changed in a container. */
  async tell(container: Container): Promise<void> {
    await this.#guarded(container, () => this.#teller.tell(container));
    if (container.isBroken || !container.hasMarks) this.dirty.delete(container);
  }

  /** Has the documents of a collection kept for TF-IDF too: they are all given again. */
  async wantTfIdf(container: Container): Promise<void> {
    if (container.wantsTfIdf) return;
    await container.inTurn(async () => {
      if (container.wantsTfIdf) return;
      container.wantsTfIdf = true;
      if (container.told !== undefined) void this.send([tfIdfChange(container)], container);
      Object.assign(container, { cursor: undefined, isLoaded: false, isCut: false, sent: 0 });
      this.#queue(container);
    });
  }

  /** Has the index told that there is nothing of a container any more, and loads it anew. */
  reload(container: Container): void {
    container.markAll();
    this.dirty.add(container);
  }

  /** Leaves out what is not loaded yet. */
  stopLoading(): void {
    this.isFull = true;
    for (const container of this.#toLoad.splice(0)) {
      container.isQueued = false;
      if (container.isLoaded) continue;
      if (container.isUpward && container.cursor !== undefined) {
        // Its newest records come last: its oldest make room for them.
        this.#queue(container);
        continue;
      }
      container.isLoaded = true;
      container.isCut = true;
    }
    this.#tellWaiters();
  }

  /** Loads the rest of a container after all that was left out. */
  reopen(container: Container): void {
    if (!container.isCut || container.isUpward) return;
    container.isCut = false;
    container.isLoaded = false;
  }

  /** Sends changes; the promise is done when they are in, and never fails. */
  send(changes: readonly IndexChange[], container?: Container): Promise<void> {
    this.#checkOpen();
    return this.#parts.index.apply(this.namespace, changes).then(
      (size) => {
        this.size = size;
        if (!this.#closed) this.#parts.onSize(size);
      },
      (error: unknown) => {
        if (this.#closed) return;
        if (isIndexStopped(error)) this.#parts.onLost();
        else this.#breakOff(container, error);
      },
    );
  }

  /** A fault of one container leaves it out, and does not keep searches from the others. */
  async #guarded(container: Container, step: () => Promise<void>): Promise<void> {
    try {
      await container.inTurn(step);
    } catch (error) {
      if (error instanceof FeedClosed || isStopping(error)) throw error;
      this.#breakOff(container, error);
    }
  }

  #breakOff(container: Container | undefined, error: unknown): void {
    if (container !== undefined) {
      container.isBroken = true;
      this.hasBroken = true;
    }
    this.#parts.onError(error);
  }

  #checkOpen(): void {
    if (this.#closed) throw new FeedClosed();
  }

  #tellWaiters(): void {
    if (!this.isLoaded) return;
    for (const waiter of this.#loadWaiters.splice(0)) waiter.resolve();
  }

  #add(ref: ContainerRef): Container {
    const container = new Container(ref);
    container.mustLoad = this.#parts.touched.has(container.key);
    this.containers.set(container.key, container);
    return container;
  }

  #queue(container: Container): void {
    if (container.isQueued) return;
    container.isQueued = true;
    this.#toLoad.push(container);
    this.#parts.onWork();
  }

  async #list(): Promise<void> {
    const listed = await this.#lister.next();
    this.#checkOpen();
    for (const { ref, ...facts } of listed) Object.assign(this.containerOf(ref), facts);
    if (this.#lister.hasCollections) this.#collectionsListed.resolve();
    if (this.#lister.hasScopes) this.#scopesListed.resolve();
    if (this.isListed) this.#toLoad.sort((a, b) => a.updateMs - b.updateMs);
  }

  async #loadNext(): Promise<void> {
    const container = this.#toLoad.at(-1);
    if (container === undefined) return;
    const isCurrent = this.containers.get(container.key) === container;
    if (isCurrent && !container.isLoaded && !container.isBroken) {
      await this.#guarded(container, () => this.#teller.loadPiece(container));
      return;
    }
    container.isQueued = false;
    this.#toLoad.pop();
  }

  #gone(container: Container): void {
    if (container.told !== undefined) {
      void this.send([{ kind: "drop-container", container: container.ref }]);
    }
    container.forget();
    container.isLoaded = true;
    this.withoutVectors.delete(container);
    if (container.hasMarks) return;
    this.dirty.delete(container);
    this.containers.delete(container.key);
  }
}
