// Fan-out of events to watchers.
//
// Watchers pull. The feed keeps the newest durable events of each namespace that is watched in one
// shared ring, all rings together bounded in bytes; a watcher holds only its position. One that
// keeps up takes references to the shared events; one that fell behind the ring reads a few events
// at a time from the store, so a stalled reader costs its position and what the transport has
// handed to the socket. Because a ring is filled in order after durability, and positions only move
// forward, no watcher sees a gap, a repeat, or an event that could still be lost.
//
// A ring is there while its namespace is watched. It is filled from the moment when it is made, and
// asks the store after that where the namespace stands: so it has everything after that position.
//
// Rejected: a queue per watcher (memory grows with the slowest reader, and overflow must end the
// stream).

import { AppError } from "../kit/errors.ts";
import type { Store, StoredEvent } from "../store/store.ts";
import type { Watcher } from "./api.ts";
import { BATCH_BYTES_MAX, BATCH_EVENTS_MAX, EventRing } from "./event-ring.ts";
import { comparePositions, type EventPosition } from "./rules/event.ts";
import { type EventFilter, meansEvent } from "./rules/event-filter.ts";
import { WakePacer } from "./wake-pacer.ts";

/** Bytes of event bodies kept in memory for watchers that keep up. */
const RING_BYTES_MAX = 8 * 1024 * 1024;

interface OpenRing {
  readonly ring: EventRing;
  /** Settles when the ring knows where it begins. */
  readonly ready: Promise<void>;
}

/** The newest events, and the watchers that wait for more. */
export class EventFeed {
  readonly #store: Store;
  readonly #rings = new Map<string, OpenRing>();
  #ringBytes = 0;
  /** The rings with events that their watchers were not woken for. */
  readonly #news = new Set<EventRing>();
  readonly #pacer = new WakePacer(() => this.#wake());
  readonly #stopListening: () => void;
  #closed = false;

  constructor(store: Store) {
    this.#store = store;
    this.#stopListening = store.onCommit(({ events }) => this.#publish(events));
  }

  /** Opens a stream after a position. */
  async open(namespace: string, filter: EventFilter, after: EventPosition): Promise<Watcher> {
    if (this.#closed) throw shuttingDown();
    const open = this.#openRing(namespace);
    const release = (): void => this.#release(namespace, open);
    try {
      await open.ready;
    } catch (error) {
      release();
      throw error;
    }
    return new FeedWatcher({ feed: this, ring: open.ring, release }, namespace, filter, after);
  }

  /** Ends every watcher with SHUTTING_DOWN. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.#pacer.stop();
    for (const { ring } of this.#rings.values()) ring.wake();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get store(): Store {
    return this.#store;
  }

  #openRing(namespace: string): OpenRing {
    let open = this.#rings.get(namespace);
    if (open === undefined) {
      const ring = new EventRing();
      const ready = this.#store.positions(namespace).then(({ newest }) => ring.begin(newest));
      open = { ring, ready };
      this.#rings.set(namespace, open);
    }
    open.ring.watcherCount += 1;
    return open;
  }

  #release(namespace: string, { ring }: OpenRing): void {
    ring.watcherCount -= 1;
    if (ring.watcherCount > 0) return;
    this.#rings.delete(namespace);
    this.#news.delete(ring);
    this.#ringBytes -= ring.bytes;
  }

  #publish(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const ring = this.#rings.get(event.namespace)?.ring;
      if (ring === undefined) continue;
      const before = ring.bytes;
      ring.push(event);
      this.#ringBytes += ring.bytes - before;
      this.#news.add(ring);
    }
    if (this.#ringBytes > RING_BYTES_MAX) this.#shrink();
    if (this.#news.size > 0) this.#pacer.ask();
  }

  #shrink(): void {
    this.#ringBytes = 0;
    for (const { ring } of this.#rings.values()) {
      ring.shrink();
      this.#ringBytes += ring.bytes;
    }
  }

  #wake(): void {
    const news = [...this.#news];
    this.#news.clear();
    for (const ring of news) ring.wake();
  }
}

function shuttingDown(): AppError {
  return new AppError("SHUTTING_DOWN", "The server is stopping. Resume with the last token.", {
    retryDelayMs: 1_000,
  });
}

/** Sources of a watcher. */
interface WatcherParts {
  readonly feed: EventFeed;
  readonly ring: EventRing;
  /** Gives the ring up. */
  readonly release: () => void;
}

class FeedWatcher implements Watcher {
  readonly #parts: WatcherParts;
  readonly #namespace: string;
  readonly #filter: EventFilter;
  #position: EventPosition;
  #closed = false;
  #cancelWait: () => void = () => {};

  constructor(parts: WatcherParts, namespace: string, filter: EventFilter, after: EventPosition) {
    this.#parts = parts;
    this.#namespace = namespace;
    this.#filter = filter;
    this.#position = after;
  }

  get position(): EventPosition {
    return this.#position;
  }

  async next(timeoutMs: number): Promise<readonly StoredEvent[]> {
    const { feed, ring } = this.#parts;
    const deadline = performance.now() + timeoutMs;
    while (!this.#closed) {
      if (feed.isClosed) throw shuttingDown();
      if (comparePositions(this.#position, ring.end) >= 0) {
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
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelWait();
    this.#parts.release();
  }

  async #read(): Promise<readonly StoredEvent[]> {
    const { feed, ring } = this.#parts;
    if (ring.reaches(this.#position)) {
      const { events, position } = ring.take(this.#position, (event) => this.#matches(event));
      this.#position = position;
      // A long stretch without a match must not keep the event loop.
      if (events.length === 0) await new Promise((resolve) => setImmediate(resolve));
      return events;
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
    return meansEvent(this.#filter, event);
  }

  /** Waits for news; false when the time is over. */
  #wait(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (news: boolean): void => {
        clearTimeout(timer);
        stop();
        resolve(news);
      };
      const stop = this.#parts.ring.onNews(() => done(true));
      const timer = setTimeout(() => done(false), timeoutMs);
      this.#cancelWait = () => done(false);
    });
  }
}
