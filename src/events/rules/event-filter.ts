// Filter of events by what is known of them without their bodies.

import type { EventType } from "./event.ts";

/** Selects events. Everything that is set must hold. */
export interface EventFilter {
  readonly sessionId?: string;
  /** With prefixes: sessions of either. */
  readonly sessionIds?: ReadonlySet<string>;
  readonly sessionIdPrefixes?: readonly string[];
  readonly userId?: string;
  readonly types?: ReadonlySet<EventType>;
}

/** The parts of an event that filters read. */
interface FilteredEvent {
  readonly sessionId: string;
  readonly userId: string;
  readonly type: EventType;
}

/** Whether a filter means an event. */
export function meansEvent(filter: EventFilter, event: FilteredEvent): boolean {
  return (
    (filter.sessionId === undefined || event.sessionId === filter.sessionId) &&
    meansSession(filter, event.sessionId) &&
    (filter.userId === undefined || event.userId === filter.userId) &&
    filter.types?.has(event.type) !== false
  );
}

function meansSession({ sessionIds, sessionIdPrefixes }: EventFilter, sessionId: string): boolean {
  if (sessionIds === undefined && sessionIdPrefixes === undefined) return true;
  if (sessionIds?.has(sessionId) === true) return true;
  return sessionIdPrefixes?.some((prefix) => sessionId.startsWith(prefix)) ?? false;
}
