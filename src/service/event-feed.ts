// Fan-out of events to watchers.
//
// Watchers pull. The feed keeps the newest durable events in one shared ring, bounded in bytes; a
// watcher holds only its position. One that keeps up takes references to the shared events; one
// that fell behind the ring reads a few events at a time from the store, so a stalled reader costs
// its position and what the transport has handed to the socket. Because the ring is filled in order
// after durability, and positions only move forward, no watcher sees a gap, a repeat, or an event
// that could still be lost.
//
// Rejected: a queue per watcher (memory grows with the slowest reader, and overflow must end the
// stream).

import { AppError, resumeTokenExpired } from "../domain/errors.ts";
import { comparePositions, type EventPosition } from "../domain/event.ts";
import type { Store, StoredEvent } from "../storage/store.ts";
import type { EventFilter, Watcher } from "./api.ts";
import { WakePacer } from "./wake-pacer.ts";

/** Bytes of event bodies kept in memory for watchers that keep up. */
const RING_BYTES_MAX = 8 * 1024 * 1024;
/** Events that one look at the ring passes over before other work gets its turn. */
const RING_SCAN_MAX = 2_000;
/** Bytes and events given to a reader at once. */
const BATCH_BYTES_MAX = 32 * 1024;
const BATCH_EVENTS_MAX = 256;
/** What a stream sends beside the body of an event: its token. */
const EVENT_FRAME_BYTES = 64;
/** What a small event costs in memory beside its body. */
const EVENT_OVERHEAD_BYTES = 256;

type Ready = () => void;

/** The newest events, and the watchers that wait for more. */
export class EventFeed {
  readonly #store: Store;
  #ring: StoredEvent[] = [];
  #ringBytes = 0;
  /** Everything after this position is in the ring. */
  #ringStart: EventPosition;
  #end: EventPosition;
  readonly #waiting = new Set<Ready>();
  readonly #pacer = new WakePacer(() => this.#wake());
  readonly #stopListening: () => void;
  #closed = false;

  constructor(store: Store) {
    this.#store = store;
    this.#end = store.newestPosition();
    this.#ringStart = this.#end;
    this.#stopListening = store.onEvents((events) => this.#publish(events));
  }

  /** Opens a stream after a position. */
  open(namespace: string, filter: EventFilter, after: EventPosition): Watcher {
    if (this.#closed) throw shuttingDown();
    return new FeedWatcher(this, namespace, filter, after);
  }

  /** Ends every watcher with SHUTTING_DOWN. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.#pacer.stop();
    this.#wake();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** The newest event published. */
  get end(): EventPosition {
    return this.#end;
  }

  get store(): Store {
    return this.#store;
  }

  /** Whether everything after a position is in the ring. */
  reaches(position: EventPosition): boolean {
    return comparePositions(position, this.#ringStart) >= 0;
  }

  /** Matching events of the ring after a position, and how far it looked. */
  take(
    position: EventPosition,
    matches: (event: StoredEvent) => boolean,
  ): { events: StoredEvent[]; position: EventPosition } {
    const events: StoredEvent[] = [];
    let bytes = 0;
    let looked = position;
    const ring = this.#ring;
    const first = indexAfter(ring, position);
    const last = Math.min(ring.length, first + RING_SCAN_MAX);
    for (let index = first; index < last; index += 1) {
      const event = ring[index] as StoredEvent;
      if (matches(event)) {
        const size = event.body.length + EVENT_FRAME_BYTES;
        const full = events.length > 0 && bytes + size > BATCH_BYTES_MAX;
        if (full || events.length >= BATCH_EVENTS_MAX) break;
        events.push(event);
        bytes += size;
      }
      looked = event;
    }
    return { events, position: { revision: looked.revision, index: looked.index } };
  }

  /** Calls back once, when there is something new or the feed closes. Returns how to stop. */
  onNews(ready: Ready): () => void {
    this.#waiting.add(ready);
    return () => this.#waiting.delete(ready);
  }

  #publish(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.#ring.push(event);
      this.#ringBytes += event.body.length + EVENT_OVERHEAD_BYTES;
    }
    const newest = events.at(-1);
    if (newest !== undefined) this.#end = { revision: newest.revision, index: newest.index };
    if (this.#ringBytes > RING_BYTES_MAX) this.#shrink();
    this.#pacer.ask();
  }

  /** Drops the older half, so that shrinking costs little per event. */
  #shrink(): void {
    let drop = 0;
    while (this.#ringBytes > RING_BYTES_MAX / 2 && drop < this.#ring.length - 1) {
      const event = this.#ring[drop] as StoredEvent;
      this.#ringBytes -= event.body.length + EVENT_OVERHEAD_BYTES;
      this.#ringStart = { revision: event.revision, index: event.index };
      drop += 1;
    }
    this.#ring = this.#ring.slice(drop);
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const ready of waiting) ready();
  }
}

/** The first index of the ring whose event lies after a position. */
function indexAfter(ring: readonly StoredEvent[], position: EventPosition): number {
  let low = 0;
  let high = ring.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePositions(ring[middle] as StoredEvent, position) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

function shuttingDown(): AppError {
  return new AppError("SHUTTING_DOWN", "The server is stopping. Resume with the last token.", {
    retryDelayMs: 1_000,
  });
}

class FeedWatcher implements Watcher {
  readonly #feed: EventFeed;
  readonly #namespace: string;
  readonly #filter: EventFilter;
  #position: EventPosition;
  #closed = false;
  #cancelWait: () => void = () => {};

  constructor(feed: EventFeed, namespace: string, filter: EventFilter, after: EventPosition) {
    this.#feed = feed;
    this.#namespace = namespace;
    this.#filter = filter;
    this.#position = after;
  }

  get position(): EventPosition {
    return this.#position;
  }

  async next(timeoutMs: number): Promise<readonly StoredEvent[]> {
    const deadline = performance.now() + timeoutMs;
    while (!this.#closed) {
      if (this.#feed.isClosed) throw shuttingDown();
      if (comparePositions(this.#position, this.#feed.end) >= 0) {
        const left = deadline - performance.now();
        if (left <= 0 || !(await this.#wait(left))) return [];
        continue;
      }
      const events = await this.#read();
      if (events.length > 0) return events;
      if (performance.now() >= deadline) return [];
    }
    return [];
  }

  close(): void {
    this.#closed = true;
    this.#cancelWait();
  }

  async #read(): Promise<readonly StoredEvent[]> {
    const feed = this.#feed;
    if (feed.reaches(this.#position)) {
      const { events, position } = feed.take(this.#position, (event) => this.#matches(event));
      this.#position = position;
      // A long stretch without a match must not keep the event loop.
      if (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
      return events;
    }
    if (comparePositions(this.#position, feed.store.oldestPosition()) < 0) {
      throw resumeTokenExpired(feed.store.oldestRevision());
    }
    const page = await feed.store.listEvents({
      namespace: this.#namespace,
      after: this.#position,
      limit: BATCH_EVENTS_MAX,
      maxBytes: BATCH_BYTES_MAX,
      ...this.#filter,
    });
    this.#position = page.position;
    return page.events;
  }

  #matches(event: StoredEvent): boolean {
    const { sessionId, userId, types } = this.#filter;
    return (
      event.namespace === this.#namespace &&
      (sessionId === undefined || event.sessionId === sessionId) &&
      (userId === undefined || event.userId === userId) &&
      (types === undefined || types.has(event.type))
    );
  }

  /** Waits for news; false when the time is over. */
  #wait(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (news: boolean): void => {
        clearTimeout(timer);
        stop();
        resolve(news);
      };
      const stop = this.#feed.onNews(() => done(true));
      const timer = setTimeout(() => done(false), timeoutMs);
      this.#cancelWait = () => done(false);
    });
  }
}
