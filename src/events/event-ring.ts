// The newest events of one namespace, which its watchers share.

import type { StoredEvent } from "../store/store.ts";
import { comparePositions, type EventPosition, STREAM_START } from "./rules/event.ts";

/** Events that one read of the ring passes over before other work gets its turn. */
const RING_SCAN_MAX = 2_000;
/** Bytes and events given to a reader at once. */
export const BATCH_BYTES_MAX = 32 * 1024;
export const BATCH_EVENTS_MAX = 256;
/** Bytes that a stream sends beside the body of an event: its token. */
const EVENT_FRAME_BYTES = 64;
/** Memory of a small event beside its body. */
const EVENT_OVERHEAD_BYTES = 256;

type Ready = () => void;

/** The ring of a namespace. */
export class EventRing {
  #events: StoredEvent[] = [];
  #bytes = 0;
  /** Everything after this position is in the ring. */
  #start: EventPosition = STREAM_START;
  #end: EventPosition = STREAM_START;
  readonly #waiting = new Set<Ready>();
  /** Number of watchers that read it. */
  watcherCount = 0;

  /** Bytes in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The newest event of the namespace. */
  get end(): EventPosition {
    return this.#end;
  }

  /** Begins after a position that was the newest at some time since the ring was made. */
  begin(newest: EventPosition): void {
    this.#start = newest;
    if (comparePositions(newest, this.#end) > 0) this.#end = newest;
  }

  /** Adds the next event. */
  push(event: StoredEvent): void {
    this.#events.push(event);
    this.#bytes += event.body.length + EVENT_OVERHEAD_BYTES;
    this.#end = { revision: event.revision, index: event.index };
  }

  /** Drops the older half, so that shrinking costs little per event. */
  shrink(): void {
    const bytes = this.#bytes / 2;
    let drop = 0;
    while (this.#bytes > bytes && drop < this.#events.length - 1) {
      const event = this.#events[drop] as StoredEvent;
      this.#bytes -= event.body.length + EVENT_OVERHEAD_BYTES;
      this.#start = { revision: event.revision, index: event.index };
      drop += 1;
    }
    this.#events = this.#events.slice(drop);
  }

  /** Whether everything after a position is in the ring. */
  reaches(position: EventPosition): boolean {
    return comparePositions(position, this.#start) >= 0;
  }

  /** Matching events after a position, and how far it looked. */
  take(
    position: EventPosition,
    matches: (event: StoredEvent) => boolean,
  ): { events: StoredEvent[]; position: EventPosition } {
    const events: StoredEvent[] = [];
    let bytes = 0;
    let looked = position;
    const first = indexAfter(this.#events, position);
    const last = Math.min(this.#events.length, first + RING_SCAN_MAX);
    for (let index = first; index < last; index += 1) {
      const event = this.#events[index] as StoredEvent;
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

  /** Wakes those who wait. */
  wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const ready of waiting) ready();
  }
}

/** The first index whose event lies after a position. */
function indexAfter(events: readonly StoredEvent[], position: EventPosition): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePositions(events[middle] as StoredEvent, position) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
