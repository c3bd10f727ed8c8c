// The feed of the index of one namespace: which sessions, collections and scopes there are, how far
// each is loaded, and which have changed. Everything that is sent is read from the store again, so
// the index gets the newest state, whatever happened in between.
//
// A mark is set when an event is durable, before its writer is answered, and taken before the store
// is read. So whatever is sent is at least as new as every mark that was taken.

import { checkLive } from "../../kit/call.ts";
import type { Pace } from "../../kit/semaphore.ts";
import type { MemoryScope } from "../../memory/rules/memory.ts";
import type { SessionPage, SessionQuery } from "../../store/store.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import type {
  ContainerInfo,
  ContainerRef,
  IndexChange,
  IndexSize,
  LoadedContainer,
  RecallIndex,
} from "../index/port.ts";
import { Container, keyOf, refOf } from "./container.ts";
import { FeedClosed, isIndexStopped, isStopping } from "./feed-errors.ts";
import {
  type ContainerFacts,
  Lister,
  listsOf,
  type Piece,
  POSITION_MAX,
  readDown,
  readFacts,
  readUp,
  type Source,
} from "./source.ts";

/** Bytes of records that one piece takes from the store. */
const PIECE_BYTES = 65_536;
const PIECE_ITEMS = 64;
const PIECE_ITEMS_MAX = 256;
/** Collections that are listed at a time. */
const COLLECTION_PAGE = 100;
/** A session with more messages is loaded from its start. */
const LONG_SESSION = 20_000;

/** Dependencies of a feed. */
export interface FeedParts {
  readonly source: Omit<Source, "onDamage">;
  readonly index: RecallIndex;
  readonly pace: Pace;
  /** Keys of containers that were written to since the server started. */
  readonly written: ReadonlySet<string>;
  /** Brings back what was saved of the namespace. Undefined when nothing was. */
  readonly restore: ((feed: NamespaceFeed) => Promise<void> | undefined) | undefined;
  readonly onSize: (size: IndexSize) => void;
  /** There is something to load. */
  readonly onWork: () => void;
  /** The index has lost the namespace. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
}

/** Feeds the index of one namespace. */
export class NamespaceFeed {
  readonly namespace: string;
  readonly source: Source;
  readonly #parts: FeedParts;
  readonly #lister: Lister;
  readonly containers = new Map<string, Container>();
  /** Those with marks, and those whose marks are being sent. */
  readonly dirty = new Set<Container>();
  /** Those with records that have no vectors yet. */
  readonly withoutVectors = new Set<Container>();
  /** Those that are not loaded, by rising time of the last change once everything is listed. */
  #toLoad: Container[] = [];
  #collectionsListed = newWait();
  #scopesListed = newWait();
  #loadWaiters: PromiseWithResolvers<void>[] = [];
  #closed = false;
  readonly #restored = newWait();
  /** A saved index may come back yet: nothing is sent to the index before. */
  isRestoring: boolean;
  #pieceItems = PIECE_ITEMS;
  #lastPiece: Promise<void> = Promise.resolve();
  /** Searches that use it now. */
  users = 0;
  /** Counts up with each use of any feed; 0 when it was never used. */
  lastUse = 0;
  /** When the store last noted that the namespace is recalled. */
  notedMs = 0;
  size: IndexSize | undefined;
  /** A container cannot be read, or not as a whole. */
  hasBroken = false;
  /** A list of containers is damaged: there may be others than those that are known. */
  isListDamaged = false;
  /** The oldest records are left out for lack of room. */
  isFull = false;
  /** The index evicts again only above this size. */
  fullBytes = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.source = { ...parts.source, onDamage: (damage) => this.#damaged(damage) };
    this.namespace = parts.source.namespace;
    this.#lister = new Lister(this.source);
    this.isRestoring = parts.restore !== undefined;
    if (!this.isRestoring) this.#restored.resolve();
    for (const key of parts.written) this.containerOf(refOf(key));
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get isListed(): boolean {
    return this.#lister.isDone;
  }

  /** Everything is loaded, but for what is left out and for the changes of a moment ago. */
  get isLoaded(): boolean {
    return !this.isRestoring && this.isListed && this.#toLoad.length === 0;
  }

  /** A search waits for the load. */
  get isUrgent(): boolean {
    return this.#loadWaiters.length > 0;
  }

  /** Closes the feed; waiting searches get FeedClosed. */
  close(): void {
    this.#closed = true;
    this.#failWaiters(new FeedClosed());
  }

  /** The container of this name, which need not exist in the store. */
  containerOf(ref: ContainerRef): Container {
    const known = this.containers.get(keyOf(ref));
    if (known !== undefined) return known;
    const container = this.#add(ref);
    this.#queue(container);
    return container;
  }

  /** Notes that records may have changed; without a run, the whole container. */
  mark(ref: ContainerRef, run: SeqRange | undefined, scope?: MemoryScope): void {
    const container = this.containerOf(ref);
    container.scope ??= scope;
    if (run === undefined) container.markAll();
    else container.markRun(run);
    this.dirty.add(container);
  }

  /** Notes that the description of a container may have changed. */
  markInfo(ref: ContainerRef): void {
    const container = this.containerOf(ref);
    container.markInfo();
    this.dirty.add(container);
  }

  /** Notes a new session. All that comes into it is marked, so nothing needs to be loaded. */
  markNew(ref: ContainerRef): void {
    if (!this.containers.has(keyOf(ref))) this.#add(ref).isLoaded = true;
    this.markInfo(ref);
  }

  /** The positions that the index holds of a container. */
  positionsOf(container: Container): Promise<readonly number[]> {
    return this.#parts.index.positions(this.namespace, container.ref);
  }

  /** Number of records of a container in the store; undefined when all must be read for that. */
  async countOf(container: Container): Promise<number | undefined> {
    if (container.ref.kind === "collection") return undefined;
    return (await readFacts(this.source, container.ref))?.count ?? 0;
  }

  /** Sessions of the namespace, from the store. */
  listSessions(query: Omit<SessionQuery, "namespace" | "nowMs">): Promise<SessionPage> {
    const { nowMs } = this.source;
    return listsOf(this.source).listSessions({
      ...query,
      namespace: this.namespace,
      nowMs: nowMs(),
    });
  }

  /** The ids of all collections below one, from the store. */
  async *collectionsBelow(parent: string): AsyncGenerator<string> {
    const query = { namespace: this.namespace, parent, limit: COLLECTION_PAGE };
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page = await listsOf(this.source).listCollections({ ...query, after });
      for (const { collectionId } of page) yield collectionId;
      after = page.length < COLLECTION_PAGE ? undefined : page.at(-1)?.collectionId;
    }
  }

  /** Waits until everything is loaded. */
  whenLoaded(): Promise<void> {
    if (this.#closed) return Promise.reject(new FeedClosed());
    if (this.isLoaded) return Promise.resolve();
    const waiter = Promise.withResolvers<void>();
    this.#loadWaiters.push(waiter);
    return waiter.promise;
  }

  /** Waits until nothing that was saved can come back any more. */
  whenRestored(): Promise<void> {
    return this.#restored.promise;
  }

  /** Takes in a container that the index has from a file. */
  adopt({ container: info, count, top, lacksVectors }: LoadedContainer): void {
    const { kind, id, userId, agentId, sessionId = "" } = info;
    const container = this.containers.get(keyOf({ kind, id })) ?? this.#add({ kind, id });
    const sentInfo = signatureOf(info);
    const state = { sentInfo, top, count, sent: count, isLoaded: true, mustLoad: false };
    Object.assign(container, state);
    if (kind === "scope") container.scope = { userId, agentId, sessionId };
    // Vectors may have been made since the file was written: nothing tells which.
    if (lacksVectors) this.reload(container);
  }

  /** Waits until the collections are known. */
  whenCollectionsListed(): Promise<void> {
    return this.#collectionsListed.promise;
  }

  /** Waits until the scopes of memories are known. */
  whenScopesListed(): Promise<void> {
    return this.#scopesListed.promise;
  }

  /** Does one piece of the load. Searches that wait for it get the error when it fails. */
  async step(): Promise<void> {
    try {
      if (this.isRestoring) await this.#restore();
      else if (!this.isListed) await this.#list();
      else await this.#loadNext();
    } catch (error) {
      this.#failWaiters(error);
      throw error;
    }
    this.#resolveWaiters();
  }

  /** Loads a container to its end, for a search that waits. */
  async load(container: Container, signal: AbortSignal): Promise<void> {
    while (!container.isLoaded && !container.isBroken) {
      await this.#parts.pace.turn(true);
      checkLive(signal);
      await this.#guarded(container, () => this.#loadPiece(container));
    }
  }

  /** Sends the changes of a container to the index. */
  async sendMarked(container: Container): Promise<void> {
    await this.#guarded(container, () => this.#sendMarks(container));
    if (container.isBroken || !container.hasMarks) this.dirty.delete(container);
  }

  /** Keeps the documents of a collection for TF-IDF too: all are sent again. */
  async wantTfIdf(container: Container): Promise<void> {
    if (container.wantsTfIdf) return;
    await container.inTurn(async () => {
      if (container.wantsTfIdf) return;
      container.wantsTfIdf = true;
      if (container.sentInfo !== undefined) void this.send([tfIdfChange(container)], container);
      Object.assign(container, { cursor: undefined, isLoaded: false, isCut: false, sent: 0 });
      this.#queue(container);
    });
  }

  /** Drops a container from the index and loads it again. */
  reload(container: Container): void {
    container.markAll();
    this.dirty.add(container);
  }

  /** Leaves out everything that is not loaded yet. */
  stopLoading(): void {
    this.isFull = true;
    for (const container of this.#toLoad.splice(0)) {
      container.isQueued = false;
      if (container.isLoaded) continue;
      if (container.isUpward && container.cursor !== undefined) {
        // Its newest records come last, and its oldest make room for them.
        this.#queue(container);
        continue;
      }
      container.isLoaded = true;
      container.isCut = true;
    }
    this.#resolveWaiters();
  }

  /** Loads the rest of a container that was left out. */
  reopen(container: Container): void {
    if (!container.isCut || container.isUpward) return;
    container.isCut = false;
    container.isLoaded = false;
  }

  /** Sends changes. The promise resolves when they are in the index, and never rejects. */
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

  /** Leaves a container out when it fails; searches still find the others. */
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

  /** Damage is told in the log once, and in the coverage of each search. */
  #damaged(damage: unknown, container?: Container): void {
    if (container === undefined) this.isListDamaged = true;
    else container.isDamaged = true;
    if (!this.hasBroken) this.#parts.onError(damage);
    this.hasBroken = true;
  }

  /** The source of the records of a container. */
  #sourceOf(container: Container): Source {
    return { ...this.source, onDamage: (damage) => this.#damaged(damage, container) };
  }

  #checkOpen(): void {
    if (this.#closed) throw new FeedClosed();
  }

  #failWaiters(error: unknown): void {
    this.#restored.reject(error);
    this.#collectionsListed.reject(error);
    this.#scopesListed.reject(error);
    for (const waiter of this.#loadWaiters.splice(0)) waiter.reject(error);
    if (this.#closed) return;
    if (!this.#lister.hasCollections) this.#collectionsListed = newWait();
    if (!this.#lister.hasScopes) this.#scopesListed = newWait();
  }

  #resolveWaiters(): void {
    if (!this.isLoaded) return;
    for (const waiter of this.#loadWaiters.splice(0)) waiter.resolve();
  }

  #add(ref: ContainerRef): Container {
    const container = new Container(ref);
    container.mustLoad = this.#parts.written.has(container.key);
    this.containers.set(container.key, container);
    return container;
  }

  #queue(container: Container): void {
    if (container.isQueued) return;
    container.isQueued = true;
    this.#toLoad.push(container);
    this.#parts.onWork();
  }

  async #restore(): Promise<void> {
    await this.#parts.restore?.(this);
    this.#checkOpen();
    this.isRestoring = false;
    this.#restored.resolve();
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
      await this.#guarded(container, () => this.#loadPiece(container));
      return;
    }
    container.isQueued = false;
    this.#toLoad.pop();
  }

  #gone(container: Container): void {
    if (container.sentInfo !== undefined) {
      void this.send([{ kind: "drop-container", container: container.ref }]);
    }
    container.forget();
    container.isLoaded = true;
    this.withoutVectors.delete(container);
    if (container.hasMarks) return;
    this.dirty.delete(container);
    this.containers.delete(container.key);
  }

  // The following run in the turn of their container.

  /** Loads the next piece of a container. */
  async #loadPiece(container: Container): Promise<void> {
    this.#checkOpen();
    if (container.isLoaded) return;
    const facts = await readFacts(this.source, container.ref);
    this.#checkOpen();
    if (facts === undefined) return this.#gone(container);
    const piece = await this.#nextPiece(container, facts);
    this.#checkOpen();
    const changes = [...infoChanges(container, facts)];
    if (piece.items.length > 0) changes.push(this.#itemsChange(container, piece));
    container.sent += piece.items.length;
    container.top = Math.max(container.top, piece.items.at(-1)?.position ?? 0);
    container.cursor = piece.next;
    if (piece.next === undefined) {
      container.isLoaded = true;
      container.mustLoad = false;
    }
    if (changes.length === 0) return;
    // Two pieces are under way at a time: one is read while the other is indexed.
    const before = this.#lastPiece;
    this.#lastPiece = this.send(changes, container);
    await before;
  }

  /** Sends the marked parts of a container to the index. */
  async #sendMarks(container: Container): Promise<void> {
    this.#checkOpen();
    if (!container.hasMarks) return;
    const marks = container.takeMarks();
    try {
      const facts = await readFacts(this.source, container.ref);
      this.#checkOpen();
      if (facts === undefined) return this.#gone(container);
      const changes: IndexChange[] = [];
      if (marks.all) changes.push(...this.#startAnew(container));
      changes.push(...infoChanges(container, facts));
      if (changes.length > 0) void this.send(changes, container);
      for (const run of marks.runs) await this.#sendRun(container, run);
    } catch (error) {
      container.putBack(marks);
      throw error;
    }
  }

  /** Reads the newest first; a long session from its start, where the index only appends. */
  async #nextPiece(container: Container, facts: ContainerFacts): Promise<Piece> {
    const { ref, cursor } = container;
    const source = this.#sourceOf(container);
    if (cursor === undefined) {
      container.isUpward = ref.kind !== "session" || facts.count > LONG_SESSION;
    }
    if (!container.isUpward) {
      return await readDown(source, ref.id, cursor ?? facts.last ?? 0, this.#pieceItems);
    }
    return await readUp(source, ref, { first: cursor ?? 1, last: POSITION_MAX }, this.#pieceItems);
  }

  #startAnew(container: Container): readonly IndexChange[] {
    const isKnown = container.sentInfo !== undefined;
    container.forget();
    container.mustLoad = true;
    this.#queue(container);
    return isKnown ? [{ kind: "drop-container", container: container.ref }] : [];
  }

  async #sendRun(container: Container, run: SeqRange): Promise<void> {
    const source = this.#sourceOf(container);
    let first: number | undefined = run.first;
    while (first !== undefined && first <= run.last) {
      const range = { first, last: run.last };
      const piece = await readUp(source, container.ref, range, this.#pieceItems);
      this.#checkOpen();
      const sent = this.send([this.#itemsChange(container, piece)], container);
      const added = piece.items.filter(({ position }) => position > container.top).length;
      container.sent += added;
      // The count of a collection is known from its listing alone.
      if (container.ref.kind === "collection") container.count += added;
      container.top = Math.max(container.top, piece.items.at(-1)?.position ?? 0);
      first = piece.next;
      if (first !== undefined) await sent;
    }
  }

  #itemsChange(container: Container, { items, range }: Piece): IndexChange {
    this.#fitPieces(items);
    const { model } = this.source;
    if (!model.isLocal && model.id !== "") {
      const without = items.find((item) => item.vectors === undefined);
      if (without !== undefined) this.#noteWithoutVector(container, without.position);
    }
    const { ref } = container;
    const { first: firstPosition, last: lastPosition } = range;
    return { kind: "items", container: ref, firstPosition, lastPosition, items };
  }

  /** Chooses the size of the next piece by the bytes of this one. */
  #fitPieces(items: readonly { readonly bytes: Uint8Array }[]): void {
    if (items.length === 0) return;
    const bytes = items.reduce((sum, item) => sum + item.bytes.length, 0);
    const fitting = Math.floor((PIECE_BYTES * items.length) / Math.max(1, bytes));
    this.#pieceItems = Math.max(1, Math.min(PIECE_ITEMS_MAX, fitting, this.#pieceItems * 4));
  }

  /** Notes that records from a position on may have no vectors. */
  #noteWithoutVector(container: Container, position: number): void {
    container.vectorsFrom = Math.min(container.vectorsFrom ?? POSITION_MAX, position);
    this.withoutVectors.add(container);
  }
}

/** A promise whose rejection may have nobody who waits for it. */
function newWait(): PromiseWithResolvers<void> {
  const wait = Promise.withResolvers<void>();
  wait.promise.catch(() => {});
  return wait;
}

/** The changes that describe a container, which come before its records. */
function infoChanges(container: Container, facts: ContainerFacts): readonly IndexChange[] {
  const { info, count, updateMs } = facts;
  if (container.ref.kind !== "collection") Object.assign(container, { count, updateMs });
  const signature = signatureOf(info);
  if (container.sentInfo === signature) return [];
  const isNew = container.sentInfo === undefined;
  container.sentInfo = signature;
  const change = { kind: "container", container: info } as const;
  return isNew && container.wantsTfIdf ? [change, tfIdfChange(container)] : [change];
}

/** Names a description. */
function signatureOf({ userId, agentId, labels, expireMs }: ContainerInfo): string {
  return JSON.stringify([userId, agentId, [...labels], expireMs ?? null]);
}

/** Has the documents of a collection kept for TF-IDF. */
function tfIdfChange({ ref }: Container): IndexChange {
  return { kind: "want-tf-idf", container: ref };
}
