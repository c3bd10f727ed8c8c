// The log of events: reading pages of it, telling listeners, and dropping what is too old.

import { comparePositions, type EventPosition } from "../../events/rules/event.ts";
import { meansEvent } from "../../events/rules/event-filter.ts";
import { recordCorrupt, resumeTokenExpired, resumeTokenInvalid } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { unseal } from "../engine/envelope.ts";
import type { Environment } from "../engine/environment.ts";
import { readU64, u64 } from "../engine/keys.ts";
import { breathe, decodeRecord, rangeIndex } from "../engine/reads.ts";
import type {
  EventPage,
  EventQuery,
  MaintenancePlan,
  StoredEvent,
  StreamPositions,
} from "../store.ts";
import type { Core } from "./core.ts";
import {
  CONSUMER,
  DROPPED,
  decodeEvent,
  eventKey,
  REVISION,
  REVISION_EVENTS_MAX,
  readEventKey,
} from "./event-tables.ts";
import { dropRevisions, positionsOf } from "./replies.ts";

const READ_PAGE = 256;
const DROP_PAGE = 512;
// Above the key of every event.
const END = "\xff".repeat(9);

/** The state of the event log at start. */
export interface EventLogStart {
  /** The newest event that was dropped; the start of the log when none was. */
  readonly dropped: Place;
  /** The newest durable event, dropped or not. */
  readonly newest: Place;
  /** Number of retained events. */
  readonly count: number;
}

/** A place in the log, which holds the events of all namespaces in the order of the commits. */
interface Place {
  readonly commitNo: number;
  readonly index: number;
  /** Whether the event there ends its commit, when that is known. */
  readonly isLast?: boolean;
}

type Row = StoredEvent & Required<Place>;

const LOG_START: Place = { commitNo: 0, index: 0 };

/** Starts of the revisions of the namespaces in a store that counted over all namespaces. */
export function baseOf({ dropped, newest }: EventLogStart): StreamPositions {
  return {
    newest: { revision: newest.commitNo, index: newest.index },
    oldest: { revision: dropped.commitNo, index: dropped.index },
  };
}

/** The event log. */
export class EventLog {
  readonly #core: Core;
  #dropped: Place;
  #count: number;

  constructor(core: Core, start: EventLogStart) {
    this.#core = core;
    this.#dropped = start.dropped;
    this.#count = start.count;
  }

  /** Counts events that have become durable. */
  added(count: number): void {
    this.#count += count;
  }

  /** A page of events; lets other work run between the pieces it reads. */
  async list(query: EventQuery): Promise<EventPage> {
    const { newest } = positionsOf(this.#core, query.namespace);
    if (comparePositions(query.after, newest) > 0) throw resumeTokenInvalid();
    const events: StoredEvent[] = [];
    let position = query.after;
    let looks = 0;
    let bytes = 0;
    for (;;) {
      const piece = this.#readPiece(query.namespace, position, newest);
      if (comparePositions(piece.position, position) <= 0) break;
      for (const row of piece.rows) {
        if (isWanted(row, query)) {
          if (
            events.length >= query.limit ||
            (events.length > 0 && bytes + row.body.length > query.maxBytes)
          ) {
            return { events, position, atEnd: false };
          }
          bytes += row.body.length;
          events.push(eventOf(row));
        }
        position = { revision: row.revision, index: row.index };
      }
      ({ position } = piece);
      looks += piece.rows.length;
      if (comparePositions(position, newest) >= 0) break;
      if (looks >= LIMITS.pageScan || events.length >= query.limit) {
        return { events, position, atEnd: false };
      }
      await breathe(this.#core);
    }
    const now = positionsOf(this.#core, query.namespace).newest;
    return { events, position, atEnd: comparePositions(position, now) >= 0 };
  }

  /** Number of revisions of a namespace after that of a position. */
  async countRevisions(namespace: string, after: EventPosition): Promise<number> {
    const base = this.#core.base.newest;
    const { newest, oldest } = positionsOf(this.#core, namespace);
    const kept = Math.max(after.revision, oldest.revision);
    let count = Math.max(0, newest.revision - Math.max(kept, base.revision));
    // Up to the base the namespace has gaps.
    for (let position = after; comparePositions(position, base) < 0; ) {
      const { oldest } = positionsOf(this.#core, namespace);
      const from = comparePositions(position, oldest) < 0 ? oldest : position;
      const piece = this.#readPiece(namespace, from, base);
      count += piece.rows.filter(
        (row) => row.isLast && row.namespace === namespace && row.revision > after.revision,
      ).length;
      ({ position } = piece);
      await breathe(this.#core);
    }
    return count;
  }

  /** Drops one bounded piece of what is too old or too much; true when there may be more. */
  dropOld(plan: MaintenancePlan): boolean {
    const over = this.#count - plan.eventCountMax;
    const oldestMs = plan.nowMs - plan.eventAgeMsMax;
    const rows = this.#readLog(this.#dropped, this.#core.writer.durableCommitNo, "commits");
    let ready = 0;
    for (const [at, row] of rows.entries()) {
      if (row.index === 0 && ready >= over && row.createMs >= oldestMs) break;
      // Whole changes only.
      ready = row.isLast ? at + 1 : ready;
    }
    const old = rows.slice(0, ready);
    const last = old.at(-1);
    if (last === undefined) return false;
    this.#dropped = { commitNo: last.commitNo, index: last.index };
    this.#count -= ready;
    this.#core.writer.removeEvents(
      old.map(({ commitNo, index, isLast }) => eventKey(commitNo, index, isLast)),
    );
    for (const [namespace, ends] of Map.groupBy(
      old.filter(({ isLast }) => isLast),
      (row) => row.namespace,
    )) {
      dropRevisions(this.#core, namespace, ends);
    }
    const position = { revision: last.commitNo, index: last.index };
    const record = CONSUMER.encode(DROPPED.id, { position, createMs: 0, updateMs: 0 });
    this.#core.memtable.set(DROPPED.id, record);
    return rows.length >= DROP_PAGE;
  }

  /**
   * The next events of a namespace after a position, and how far this looked. Up to the base events
   * of other namespaces are among them.
   */
  #readPiece(
    namespace: string,
    after: EventPosition,
    upTo: EventPosition,
  ): { readonly rows: readonly Row[]; readonly position: EventPosition } {
    const { base } = this.#core;
    const { oldest } = positionsOf(this.#core, namespace);
    if (comparePositions(after, oldest) < 0) throw resumeTokenExpired(oldest.revision + 1);
    if (comparePositions(after, base.newest) < 0) {
      // Events dropped since the position are of other namespaces.
      const index = Math.min(after.index, REVISION_EVENTS_MAX - 1);
      const at = { commitNo: after.revision, index };
      const from = comparePlaces(at, this.#dropped) < 0 ? this.#dropped : at;
      const rows = this.#readLog(from, base.newest.revision, "events");
      const last = positionOf(rows.at(-1));
      // Dropped to the last: the namespace goes on above the base.
      const position =
        last === undefined && from.commitNo >= base.newest.revision ? base.newest : last;
      return { rows, position: position ?? after };
    }
    const rows = this.#readNamespace(namespace, after, upTo);
    return { rows, position: positionOf(rows.at(-1)) ?? after };
  }

  /** Events of a namespace above the base. */
  #readNamespace(namespace: string, after: EventPosition, upTo: EventPosition): Row[] {
    const { base } = this.#core;
    const { oldest } = positionsOf(this.#core, namespace);
    const rows: Row[] = [];
    // No event lies after the end of a revision.
    const isInside =
      after.revision > Math.max(base.newest.revision, oldest.revision) &&
      after.index + 1 < REVISION_EVENTS_MAX;
    const first = isInside ? after.revision : after.revision + 1;
    const range = {
      start: REVISION.key(namespace, first),
      end: REVISION.key(namespace, upTo.revision + 1),
    };
    let revision = first - 1;
    for (const { key, payload } of rangeIndex(this.#core, "committed", range)) {
      revision++;
      const commitNo = REVISION.of(payload);
      if (readU64(key, key.length - 8) !== revision) {
        throw recordCorrupt(`revision ${revision} of a namespace is missing`);
      }
      const index = revision === after.revision ? after.index : -1;
      const room = READ_PAGE - rows.length;
      rows.push(...this.#readCommit({ commitNo, index }, room, { namespace, revision }));
      if (rows.length >= READ_PAGE) return rows;
    }
    if (revision !== upTo.revision) {
      throw recordCorrupt(`the events after revision ${revision} are missing`);
    }
    return rows;
  }

  /** Some events of one commit after an index. */
  #readCommit(
    after: Place,
    most: number,
    of: { readonly namespace: string; readonly revision: number },
  ): Row[] {
    const rows: Row[] = [];
    const { commitNo, index } = after;
    let previous = after;
    const start = eventKey(commitNo, index + 1, false);
    for (const row of this.#rowsFrom(start, eventKey(commitNo + 1, 0, false))) {
      this.#checkNext(previous, row);
      if (row.namespace !== of.namespace || row.revision !== of.revision) {
        throw recordCorrupt(`an event of revision ${of.revision} is of another one`);
      }
      previous = row;
      rows.push(row);
      if (rows.length >= most) return rows;
    }
    if (previous.isLast !== true && (index < 0 || rows.length > 0)) {
      throw recordCorrupt(`the event after ${previous.commitNo}/${previous.index} is missing`);
    }
    return rows;
  }

  /** A piece of the events of all namespaces after a place, up to a commit. */
  #readLog(after: Place, upTo: number, pieces: "events" | "commits"): Row[] {
    const rows: Row[] = [];
    const least = pieces === "events" ? READ_PAGE : DROP_PAGE;
    let previous = after;
    const start = eventKey(after.commitNo, after.index, true);
    for (const row of this.#rowsFrom(start, eventKey(upTo + 1, 0, false), true)) {
      this.#checkNext(previous, row);
      previous = row;
      rows.push(row);
      if (rows.length >= least && (row.isLast || pieces === "events")) return rows;
    }
    if (previous.commitNo !== upTo || previous.isLast === false) {
      throw recordCorrupt(`the event after ${previous.commitNo}/${previous.index} is missing`);
    }
    return rows;
  }

  *#rowsFrom(start: string, end: string, exclusiveStart = false): Generator<Row> {
    const { env, writer } = this.#core;
    let last = exclusiveStart ? start : "";
    for (const { key, value } of env.event.getRange({ start, end, exclusiveStart })) {
      last = key;
      yield rowOf(key, value);
    }
    // Those that only the redo log holds are newer. A transaction that has just ended may have
    // brought them into the data file as well.
    for (const { key, value } of writer.logged.events(start, end)) {
      if (key > last) yield rowOf(key, value);
    }
  }

  // Commits are dense and so are the events of one.
  #checkNext(previous: Place, row: Row): void {
    const follows =
      row.commitNo === previous.commitNo
        ? row.index === previous.index + 1 && previous.isLast !== true
        : row.commitNo === previous.commitNo + 1 && row.index === 0 && previous.isLast !== false;
    if (!follows) {
      throw recordCorrupt(`the event after ${previous.commitNo}/${previous.index} is missing`);
    }
  }
}

function rowOf(key: string, value: Uint8Array): Row {
  const at = readEventKey(key);
  const what = `event ${at.commitNo}/${at.index}`;
  const record = decodeRecord(what, unseal(key, value, what), decodeEvent);
  return { ...record, revision: record.revision ?? at.commitNo, ...at };
}

function comparePlaces(a: Place, b: Place): number {
  return a.commitNo - b.commitNo || a.index - b.index;
}

function positionOf(row: Row | undefined): EventPosition | undefined {
  return row && { revision: row.revision, index: row.index };
}

function eventOf(row: Row): StoredEvent {
  const { revision, index, type, namespace, sessionId, userId, createMs, body } = row;
  return { revision, index, type, namespace, sessionId, userId, createMs, body };
}

function isWanted(event: StoredEvent, query: EventQuery): boolean {
  return event.namespace === query.namespace && meansEvent(query, event);
}

/** Reads where the event log stands. `newestCommitNo` is that of the journal. */
export function readEventLog(
  env: Environment,
  newestCommitNo: number,
  dropped: EventPosition | undefined,
): EventLogStart {
  const start =
    dropped === undefined ? LOG_START : { commitNo: dropped.revision, index: dropped.index };
  const { event } = env;
  const [first] = [...event.getKeys({ start: u64(0), end: END, limit: 1 })];
  const [last] = [...event.getKeys({ start: END, end: u64(0), reverse: true, limit: 1 })];
  if (first === undefined || last === undefined) {
    if (newestCommitNo !== start.commitNo) {
      throw recordCorrupt(`the events up to commit ${newestCommitNo} are missing`);
    }
    return { dropped: start, newest: start, count: 0 };
  }
  const firstAt = readEventKey(first);
  const lastAt = readEventKey(last);
  if (firstAt.commitNo !== start.commitNo + 1 || firstAt.index !== 0) {
    throw recordCorrupt(`the oldest event is of commit ${firstAt.commitNo}`);
  }
  if (lastAt.commitNo !== newestCommitNo || !lastAt.isLast) {
    throw recordCorrupt(`the newest event is of commit ${lastAt.commitNo}`);
  }
  const stats = event.getStats() as { entryCount: number };
  return { dropped: start, newest: lastAt, count: stats.entryCount };
}
