// The log of events: reading pages of it, telling listeners, and dropping what is too old.

import { recordCorrupt, resumeTokenExpired, resumeTokenInvalid } from "../../domain/errors.ts";
import { comparePositions, type EventPosition, STREAM_START } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { EventPage, EventQuery, MaintenancePlan, StoredEvent } from "../store.ts";
import { decodeEvent, encodeConsumer } from "./codec.ts";
import { type Core, decodeRecord } from "./core.ts";
import { unseal } from "./envelope.ts";
import { DROPPED_KEY, eventKey, readEventKey, u64 } from "./keys.ts";

const READ_PAGE = 256;
const DROP_PAGE = 512;
// Above the key of every event.
const END = "\xff".repeat(9);

/** What is known of the event log at start. */
export interface EventLogStart {
  /** The newest event that was dropped; the start of the stream when none was. */
  readonly dropped: EventPosition;
  /** The newest durable event, dropped or not. */
  readonly newest: EventPosition;
  /** How many events are kept. */
  readonly count: number;
}

type Row = StoredEvent & { readonly isLast: boolean };

// A position, and whether its event ends a revision, when that is known.
type Place = EventPosition & { readonly isLast?: boolean };

function positionOf(place: EventPosition): EventPosition {
  return { revision: place.revision, index: place.index };
}

/** The event log. */
export class EventLog {
  private readonly core: Core;
  private dropped: EventPosition;
  private newest: EventPosition;
  private count: number;
  private readonly listeners = new Set<(events: readonly StoredEvent[]) => void>();

  constructor(core: Core, start: EventLogStart) {
    this.core = core;
    this.dropped = start.dropped;
    this.newest = start.newest;
    this.count = start.count;
  }

  oldestRevision(): number {
    return this.dropped.revision + 1;
  }

  newestPosition(): EventPosition {
    return this.newest;
  }

  oldestPosition(): EventPosition {
    return this.dropped;
  }

  /** Tells the listeners of durable events. */
  publish(events: readonly StoredEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) {
      return;
    }
    this.newest = { revision: last.revision, index: last.index };
    this.count += events.length;
    for (const listener of this.listeners) {
      try {
        listener(events);
      } catch (error) {
        // A listener that throws must not stop the writer; the fault still ends the process.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  listen(listener: (events: readonly StoredEvent[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A page of events; lets other work run between the pieces it reads. */
  async list(query: EventQuery): Promise<EventPage> {
    if (comparePositions(query.after, this.newest) > 0) {
      throw resumeTokenInvalid();
    }
    const newest = this.newest;
    const events: StoredEvent[] = [];
    let position: Place = query.after;
    let looks = 0;
    let bytes = 0;
    for (;;) {
      if (comparePositions(position, this.dropped) < 0) {
        throw resumeTokenExpired(this.oldestRevision());
      }
      const rows = this.read(position, newest);
      for (const row of rows) {
        this.checkNext(position, row);
        if (isWanted(row, query)) {
          if (
            events.length >= query.limit ||
            (events.length > 0 && bytes + row.body.length > query.maxBytes)
          ) {
            return { events, position: positionOf(position), atEnd: false };
          }
          bytes += row.body.length;
          events.push(withoutMark(row));
        }
        position = row;
      }
      looks += rows.length;
      if (comparePositions(position, newest) >= 0) {
        const atEnd = comparePositions(position, this.newest) >= 0;
        return { events, position: positionOf(position), atEnd };
      }
      if (rows.length === 0) {
        throw recordCorrupt(`the events after revision ${position.revision} are missing`);
      }
      if (looks >= LIMITS.pageScan || events.length >= query.limit) {
        return { events, position: positionOf(position), atEnd: false };
      }
      await new Promise((resolve) => setImmediate(resolve));
      this.core.writer.assertReadable();
    }
  }

  /** Drops one bounded piece of what is too old or too much; true when there may be more. */
  dropOld(plan: MaintenancePlan): boolean {
    const over = this.count - plan.eventCountMax;
    const oldestMs = plan.nowMs - plan.eventAgeMsMax;
    const rows = this.read(this.dropped, this.newest, DROP_PAGE);
    const keys: string[] = [];
    let ready = 0;
    let dropped = this.dropped;
    let previous: Place = this.dropped;
    for (const row of rows) {
      this.checkNext(previous, row);
      previous = row;
      if (row.index === 0 && ready >= over && row.createMs >= oldestMs) {
        break;
      }
      keys.push(eventKey(row.revision, row.index, row.isLast));
      if (row.isLast) {
        // Whole revisions only.
        ready = keys.length;
        dropped = positionOf(row);
      }
    }
    if (ready === 0) {
      return false;
    }
    // Readers are told at once: what is being removed must not look like a gap.
    this.dropped = dropped;
    this.count -= ready;
    this.core.writer.removeEvents(keys.slice(0, ready));
    const record = encodeConsumer(DROPPED_KEY, { position: dropped, createMs: 0, updateMs: 0 });
    this.core.memtable.set(DROPPED_KEY, record);
    return rows.length >= DROP_PAGE;
  }

  private read(after: EventPosition, upTo: EventPosition, least = READ_PAGE): Row[] {
    const start = eventKey(after.revision, after.index, true);
    const rows: Row[] = [];
    const range = this.core.env.event.getRange({ start, end: END, exclusiveStart: true });
    for (const { key, value } of range) {
      const at = readEventKey(key);
      if (comparePositions(at, upTo) > 0) {
        break;
      }
      const what = `event ${at.revision}/${at.index}`;
      rows.push({ ...decodeRecord(what, unseal(key, value, what), decodeEvent), ...at });
      // A page of the drop ends with a whole revision, however long that is.
      if (rows.length >= least && (least === READ_PAGE || at.isLast)) {
        break;
      }
    }
    return rows;
  }

  // Revisions are dense and so are the events of one.
  private checkNext(previous: Place, row: Row): void {
    const follows =
      row.revision === previous.revision
        ? row.index === previous.index + 1 && previous.isLast !== true
        : row.revision === previous.revision + 1 && row.index === 0 && previous.isLast !== false;
    if (!follows) {
      throw recordCorrupt(`the event after ${previous.revision}/${previous.index} is missing`);
    }
  }
}

function withoutMark(row: Row): StoredEvent {
  const { revision, index, type, namespace, sessionId, userId, createMs, body } = row;
  return { revision, index, type, namespace, sessionId, userId, createMs, body };
}

function isWanted(event: StoredEvent, query: EventQuery): boolean {
  return (
    event.namespace === query.namespace &&
    (query.sessionId === undefined || event.sessionId === query.sessionId) &&
    (query.userId === undefined || event.userId === query.userId) &&
    query.types?.has(event.type) !== false
  );
}

/** Reads where the event log stands. `newestRevision` is that of the journal. */
export function readEventLog(
  core: Core,
  newestRevision: number,
  dropped: EventPosition | undefined,
): EventLogStart {
  const start = dropped ?? STREAM_START;
  const { event } = core.env;
  const [first] = [...event.getKeys({ start: u64(0), end: END, limit: 1 })];
  const [last] = [...event.getKeys({ start: END, end: u64(0), reverse: true, limit: 1 })];
  if (first === undefined || last === undefined) {
    if (newestRevision !== start.revision) {
      throw recordCorrupt(`the events up to revision ${newestRevision} are missing`);
    }
    return { dropped: start, newest: start, count: 0 };
  }
  const firstAt = readEventKey(first);
  const lastAt = readEventKey(last);
  if (firstAt.revision !== start.revision + 1 || firstAt.index !== 0) {
    throw recordCorrupt(`the oldest event is of revision ${firstAt.revision}`);
  }
  if (lastAt.revision !== newestRevision || !lastAt.isLast) {
    throw recordCorrupt(`the newest event is of revision ${lastAt.revision}`);
  }
  const stats = event.getStats() as { entryCount: number };
  return { dropped: start, newest: positionOf(lastAt), count: stats.entryCount };
}
