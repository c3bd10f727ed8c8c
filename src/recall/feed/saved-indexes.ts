// Saves the indexes of namespaces to files and brings them back after a restart.
//
// A file names the state of the store that it stands for: a position in the events of its
// namespace, and a commit. What changed after that position is marked as if it happened now, so
// that it is read from the store again. Where nothing proves that this is all, the file is deleted
// and the index is made anew.

import type { ServiceContext } from "../../core/context.ts";
import { EVENT_TYPE, type EventPosition, type EventType } from "../../events/rules/event.ts";
import { AppError } from "../../kit/errors.ts";
import { later } from "../../kit/world.ts";
import type { StateMark, StoredEvent } from "../../store/store.ts";
import type { RecallIndex } from "../index/port.ts";
import { SAVED_FORM } from "../rules/saved.ts";
import { IndexFileError, type IndexFiles } from "../saved/index-files.ts";
import { isOfSession, markEvent, OF_MEMORIES } from "./changes.ts";
import type { NamespaceFeed } from "./feed.ts";
import { FeedClosed, isIndexStopped, isStopping } from "./feed-errors.ts";

/** The time between two looks for something to save. */
const LOOK_MS = 5_000;
/** A file is written anew after so many changes, or this share of the records, and so much time. */
const CHANGES_MIN = 1_000;
const CHANGES_SHARE = 0.1;
const AGAIN_MS = 60_000;
/** One that was deleted, since something in it was erased, is written anew after this time. */
const ERASED_MS = 300_000;
/** Rest after a disk that refused a file, or had no room for it. */
const REFUSED_MS = 600_000;
/** Attempts when something is taken out of the index meanwhile. */
const TRIES_MAX = 4;
/** Time in which a stop begins to write files. */
const STOP_MS = 5_000;
/** More changes than this take longer to catch up with than to make the index anew. */
const REVISIONS_MAX = 20_000;
const TOKEN_FAULTS: ReadonlySet<string> = new Set(["RESUME_TOKEN_EXPIRED", "RESUME_TOKEN_INVALID"]);
const EVENT_PAGE = 1_000;
const EVENT_PAGE_BYTES = 1_048_576;

const OF_DOCUMENTS: ReadonlySet<EventType> = new Set([
  ...[EVENT_TYPE.documentsUpserted, EVENT_TYPE.documentsDeleted, EVENT_TYPE.collectionCleared],
]);

/** The header of a file. */
interface Header {
  /** Names form, code, store and model. */
  readonly made: string;
  readonly namespace: string;
  readonly position: EventPosition;
  /** A state that has everything in it that the file may have. */
  readonly mark: StateMark;
}

/** The state of saving one namespace. */
interface Progress {
  /** Changes that no file has. */
  changes: number;
  /** When it may be saved next. */
  nextMs: number;
}

/** Dependencies of the saver. */
export interface SavedIndexParts {
  readonly context: ServiceContext;
  readonly index: RecallIndex;
  readonly files: IndexFiles;
  /** Names the code that makes the indexes. */
  readonly code: string;
  /** The namespaces that the index holds. */
  readonly feeds: ReadonlyMap<string, NamespaceFeed>;
  readonly onError: (error: unknown) => void;
}

/** Saves indexes in the background, one at a time. */
export class SavedIndexes {
  readonly #parts: SavedIndexParts;
  readonly #made: string;
  readonly #progress = new Map<string, Progress>();
  #cancelLook: () => void = () => {};
  #working: Promise<void> = Promise.resolve();
  #isStopped = false;
  #lastFault = "";

  constructor(parts: SavedIndexParts) {
    this.#parts = parts;
    const { storeId, historyId } = parts.context.store;
    this.#made = JSON.stringify([SAVED_FORM, parts.code, storeId, historyId, parts.index.model]);
    this.#rest();
  }

  /** Whether there is a file that may be brought back. */
  has(namespace: string): boolean {
    return this.#parts.files.has(namespace);
  }

  /** Deletes the files of all namespaces but these. */
  async keepOnly(namespaces: Iterable<string>): Promise<void> {
    await this.#parts.files.keepOnly(namespaces);
  }

  /** Takes in an event: when it tells of an erasure, the file of its namespace is deleted. */
  heard(event: StoredEvent): void {
    const { files, context } = this.#parts;
    const progress = this.#progress.get(event.namespace);
    if (progress !== undefined) progress.changes += 1;
    if (!files.mayHave(event.namespace) || !context.codec.readEventErases(event)) return;
    this.#progressOf(event.namespace).nextMs = context.world.nowMs() + ERASED_MS;
    this.erase(event.namespace);
  }

  /** Deletes the file of a namespace. */
  erase(namespace: string): void {
    this.#parts.files.erase(namespace).catch((error: unknown) => this.#report(error));
  }

  /** Deletes the file of a namespace that the index holds no longer. */
  forget(namespace: string): void {
    this.#progress.delete(namespace);
    this.erase(namespace);
  }

  /** Deletes the file of a namespace for good, or rejects with IndexFileError. */
  async eraseForGood(namespace: string): Promise<void> {
    await this.#parts.files.eraseForGood(namespace);
  }

  /** Brings back what was saved of a namespace, with what has changed since. */
  async restore(feed: NamespaceFeed): Promise<void> {
    const { files, index, onError } = this.#parts;
    const { namespace } = feed;
    const header = parsed(await files.headerOf(namespace));
    const missed = header && (await this.#eventsSince(header, namespace));
    if (missed === undefined) {
      await files.erase(namespace).catch(onError);
      return;
    }
    const loaded = await files.load(namespace, (path) => index.load(namespace, path));
    if (loaded === undefined) return;
    for (const container of loaded) feed.adopt(container);
    this.#mark(feed, missed);
    this.#progressOf(namespace).changes += missed.length;
    const { codec } = this.#parts.context;
    if (missed.some((event) => codec.readEventErases(event))) this.erase(namespace);
    // Nothing changes; the answer has the size.
    await feed.send([]);
  }

  /** Saves what has changed, and ends. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelLook();
    await this.#working;
    const { feeds, context } = this.#parts;
    const endMs = context.world.nowMs() + STOP_MS;
    const byUse = [...feeds.values()].sort((a, b) => b.lastUse - a.lastUse);
    for (const feed of byUse) {
      if (context.world.nowMs() >= endMs) return;
      const { changes } = this.#progressOf(feed.namespace);
      if (this.#isSavable(feed) && (changes > 0 || !this.has(feed.namespace))) {
        await this.#save(feed, true);
      }
    }
  }

  #rest(): void {
    if (this.#isStopped) return;
    this.#cancelLook = later(this.#parts.context.world, () => this.#look(), LOOK_MS);
  }

  /** Saves the first namespace that is due. */
  #look(): void {
    const due = [...this.#parts.feeds.values()].find((feed) => this.#isDue(feed));
    this.#working = (due === undefined ? Promise.resolve() : this.#save(due, false)).finally(() =>
      this.#rest(),
    );
  }

  #isDue(feed: NamespaceFeed): boolean {
    if (!this.#isSavable(feed)) return false;
    const { changes, nextMs } = this.#progressOf(feed.namespace);
    if (this.#parts.context.world.nowMs() < nextMs) return false;
    const many = Math.max(CHANGES_MIN, (feed.size?.items ?? 0) * CHANGES_SHARE);
    return !this.has(feed.namespace) || changes >= many;
  }

  /** Whether the index holds the whole of a namespace, and it is large enough. */
  #isSavable(feed: NamespaceFeed): boolean {
    const isWhole = feed.isLoaded && !feed.isFull && !feed.hasBroken && !feed.isClosed;
    return isWhole && (feed.size?.items ?? 0) >= this.#parts.files.itemsMin;
  }

  async #save(feed: NamespaceFeed, isUrgent: boolean): Promise<void> {
    const { files, context } = this.#parts;
    const progress = this.#progressOf(feed.namespace);
    let restMs = AGAIN_MS;
    try {
      if (await files.hasRoom(feed.size?.bytes ?? 0)) await this.#write(feed, isUrgent);
      else restMs = REFUSED_MS;
    } catch (error) {
      restMs = REFUSED_MS;
      this.#report(error);
    }
    progress.nextMs = Math.max(progress.nextMs, context.world.nowMs() + restMs);
  }

  async #write(feed: NamespaceFeed, isUrgent: boolean): Promise<void> {
    const { store } = this.#parts.context;
    const { index, files } = this.#parts;
    const { namespace } = feed;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { newest: position } = await store.positions(namespace);
      // Whoever listens has heard of what is durable by the next turn.
      await new Promise((resolve) => setImmediate(resolve));
      const progress = this.#progressOf(namespace);
      const { changes } = progress;
      for (const container of [...feed.dirty]) await feed.sendMarked(container);
      const mark = store.lineage?.mark();
      if (mark === undefined || !this.#isSavable(feed)) return;
      const header = JSON.stringify({ made: this.#made, namespace, position, mark });
      const order = { header, isUrgent };
      const outcome = await files.save(namespace, (path) =>
        index.save(namespace, { ...order, path }),
      );
      if (outcome.kind === "failed") throw new IndexFileError("written", outcome.code);
      if (outcome.kind === "changed") continue;
      progress.changes -= changes;
      this.#lastFault = "";
      return;
    }
  }

  /** The changes since a file was written; undefined when nothing tells, or they are too many. */
  async #eventsSince(header: Header, namespace: string): Promise<StoredEvent[] | undefined> {
    const { store } = this.#parts.context;
    if (header.made !== this.#made || header.namespace !== namespace) return undefined;
    if (store.lineage?.includes(header.mark) !== true) return undefined;
    const events: StoredEvent[] = [];
    try {
      const count = await store.countRevisions(namespace, header.position);
      if (count > REVISIONS_MAX) return undefined;
      const query = { namespace, limit: EVENT_PAGE, maxBytes: EVENT_PAGE_BYTES };
      for (let after = header.position, isOver = false; !isOver; ) {
        const page = await store.listEvents({ ...query, after });
        events.push(...page.events);
        after = page.position;
        isOver = page.atEnd;
      }
    } catch (error) {
      // They are no longer kept, or a back-up of before was put in place.
      if (error instanceof AppError && TOKEN_FAULTS.has(error.reason)) return undefined;
      throw error;
    }
    return events;
  }

  /** Marks what events tell of. */
  #mark(feed: NamespaceFeed, events: readonly StoredEvent[]): void {
    const { codec } = this.#parts.context;
    for (const event of events) {
      if (isOfSession(event)) markEvent(feed, event, ({ body }) => codec.readEventSeqs(body));
    }
    // Events of documents and memories name no places: all of their kind are read again.
    const isStale = {
      session: false,
      collection: events.some(({ type }) => OF_DOCUMENTS.has(type)),
      scope: events.some(({ type }) => OF_MEMORIES.has(type)),
    };
    for (const container of [...feed.containers.values()]) {
      if (isStale[container.ref.kind]) feed.reload(container);
    }
  }

  #progressOf(namespace: string): Progress {
    const known = this.#progress.get(namespace);
    if (known !== undefined) return known;
    const progress: Progress = { changes: 0, nextMs: 0 };
    this.#progress.set(namespace, progress);
    return progress;
  }

  /** Reports a fault once as long as it stays the same. */
  #report(error: unknown): void {
    if (isIndexStopped(error) || isStopping(error) || error instanceof FeedClosed) return;
    if (String(error) === this.#lastFault) return;
    this.#lastFault = String(error);
    this.#parts.onError(error);
  }
}

function parsed(header: string | undefined): Header | undefined {
  return header === undefined ? undefined : (JSON.parse(header) as Header);
}
