// The events of the memory engine: one array in order, shortened at its start by upkeep.

import { resumeTokenExpired, resumeTokenInvalid } from "../../domain/errors.ts";
import { comparePositions, type EventPosition } from "../../domain/event.ts";
import type { EventPage, EventQuery, MaintenancePlan, NewEvent, StoredEvent } from "../store.ts";
import type { MemoryState } from "./state.ts";

/** Numbers the events of a change and keeps them. */
export function addEvents(
  state: MemoryState,
  revision: number,
  events: readonly NewEvent[],
): readonly StoredEvent[] {
  const stored = events.map((event, index) => ({ ...event, revision, index }));
  state.events.push(...stored);
  return stored;
}

/** The position of the newest event. */
export function newestPosition(state: MemoryState): EventPosition {
  return positionOf(state.events.at(-1)) ?? state.dropped;
}

/** The oldest revision that has events; one above the newest when none has. */
export function oldestRevision(state: MemoryState): number {
  return state.events[0]?.revision ?? state.revision + 1;
}

/**
 * A page of the events after a position. Throws RESUME_TOKEN_EXPIRED when some of them were
 * dropped, and RESUME_TOKEN_INVALID for a position that no event has reached yet.
 */
export function listEvents(state: MemoryState, query: EventQuery): EventPage {
  if (comparePositions(query.after, newestPosition(state)) > 0) throw resumeTokenInvalid();
  if (comparePositions(query.after, state.dropped) < 0) {
    throw resumeTokenExpired(oldestRevision(state));
  }
  const page: StoredEvent[] = [];
  let position = query.after;
  let byteCount = 0;
  for (const event of state.events) {
    if (comparePositions(event, query.after) <= 0) continue;
    if (page.length >= query.limit || byteCount >= query.maxBytes) {
      return { events: page, position, atEnd: false };
    }
    position = { revision: event.revision, index: event.index };
    if (!matches(event, query)) continue;
    page.push(event);
    byteCount += event.body.length;
  }
  return { events: page, position, atEnd: true };
}

function matches(event: StoredEvent, query: EventQuery): boolean {
  return (
    event.namespace === query.namespace &&
    (query.sessionId === undefined || event.sessionId === query.sessionId) &&
    (query.userId === undefined || event.userId === query.userId) &&
    (query.types === undefined || query.types.has(event.type))
  );
}

/** Drops the oldest revisions whose events are too old or too many. */
export function dropEvents(state: MemoryState, plan: MaintenancePlan): void {
  for (;;) {
    const oldest = state.events[0];
    if (oldest === undefined) return;
    const tooOld = oldest.createMs < plan.nowMs - plan.eventAgeMsMax;
    if (!tooOld && state.events.length <= plan.eventCountMax) return;
    while (state.events[0]?.revision === oldest.revision) {
      state.dropped = { revision: oldest.revision, index: state.events[0].index };
      state.events.shift();
    }
  }
}

function positionOf(event: StoredEvent | undefined): EventPosition | undefined {
  return event && { revision: event.revision, index: event.index };
}
