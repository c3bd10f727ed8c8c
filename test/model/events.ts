// The events of the memory engine: one array in order, shortened at its start by upkeep.

import { comparePositions, type EventPosition } from "../../src/events/rules/event.ts";
import { resumeTokenExpired, resumeTokenInvalid } from "../../src/kit/errors.ts";
import type {
  EventPage,
  EventQuery,
  MaintenancePlan,
  NewEvent,
  StoredEvent,
} from "../../src/store/store.ts";
import { type MemoryState, namespaceOf, nextRevision } from "./state.ts";

/** Numbers the events of a change of a namespace and keeps them. */
export function addEvents(
  state: MemoryState,
  namespace: string,
  events: readonly NewEvent[],
): readonly StoredEvent[] {
  const revision = nextRevision(state, namespace);
  const stored = events.map((event, index) => ({ ...event, revision, index }));
  state.events.push(...stored);
  namespaceOf(state, namespace).newest = { revision, index: events.length - 1 };
  return stored;
}

/**
 * A page of the events after a position. Throws RESUME_TOKEN_EXPIRED when some of them were
 * dropped, and RESUME_TOKEN_INVALID for a position that no event has reached yet.
 */
export function listEvents(state: MemoryState, query: EventQuery): EventPage {
  const { dropped, newest } = namespaceOf(state, query.namespace);
  if (comparePositions(query.after, newest) > 0) throw resumeTokenInvalid();
  if (comparePositions(query.after, dropped) < 0) throw resumeTokenExpired(dropped.revision + 1);
  const page: StoredEvent[] = [];
  let position = query.after;
  let byteCount = 0;
  for (const event of state.events) {
    if (event.namespace !== query.namespace) continue;
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
    (query.sessionId === undefined || event.sessionId === query.sessionId) &&
    ((query.sessionIds === undefined && query.sessionIdPrefixes === undefined) ||
      [...(query.sessionIds ?? [])].includes(event.sessionId) ||
      (query.sessionIdPrefixes ?? []).some((prefix) => event.sessionId.indexOf(prefix) === 0)) &&
    (query.userId === undefined || event.userId === query.userId) &&
    (query.types === undefined || query.types.has(event.type))
  );
}

/** Number of retained revisions of a namespace after that of a position. */
export function countRevisions(
  state: MemoryState,
  namespace: string,
  after: EventPosition,
): number {
  const { dropped, newest } = namespaceOf(state, namespace);
  return Math.max(0, newest.revision - Math.max(after.revision, dropped.revision));
}

/** Drops the oldest changes whose events are too old or too many. */
export function dropEvents(state: MemoryState, plan: MaintenancePlan): void {
  for (;;) {
    const oldest = state.events[0];
    if (oldest === undefined) return;
    const tooOld = oldest.createMs < plan.nowMs - plan.eventAgeMsMax;
    if (!tooOld && state.events.length <= plan.eventCountMax) return;
    const isSame = ({ namespace, revision }: StoredEvent): boolean =>
      namespace === oldest.namespace && revision === oldest.revision;
    const count = state.events.findIndex((event) => !isSame(event));
    const dropped = state.events.splice(0, count < 0 ? state.events.length : count);
    const index = dropped.length - 1;
    namespaceOf(state, oldest.namespace).dropped = { revision: oldest.revision, index };
  }
}
