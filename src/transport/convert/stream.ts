// Where streams of events start and what they hold, from the wire to the domain.

import type { EventType } from "../../domain/event.ts";
import {
  StreamPosition,
  type EventFilter as WireFilter,
} from "../../gen/memorysidecar/v1/event.ts";
import type {
  CreateConsumerRequest,
  WatchEventsRequest,
} from "../../gen/memorysidecar/v1/event_service.ts";
import type { EventFilter, StreamStart } from "../../service/api.ts";
import type { ResumeTokens } from "../resume-token.ts";

/** Gives where a watch starts. Throws the errors of a resume token. */
export function fromStart(
  start: WatchEventsRequest["start"],
  namespace: string,
  tokens: ResumeTokens,
): StreamStart {
  return start?.$case === "consumerId"
    ? { kind: "consumer", consumerId: start.value }
    : fromStartPosition(start, namespace, tokens);
}

/** Gives where a consumer starts: now, if nothing is said. Throws the errors of a resume token. */
export function fromStartPosition(
  start: CreateConsumerRequest["start"],
  namespace: string,
  tokens: ResumeTokens,
): Exclude<StreamStart, { kind: "consumer" }> {
  if (start === undefined) return { kind: "now" };
  if (start.$case === "resumeToken") {
    return { kind: "after", position: tokens.read(namespace, start.value) };
  }
  return start.value === StreamPosition.OLDEST ? { kind: "oldest" } : { kind: "now" };
}

/** Gives what a filter asks for; what is empty asks for nothing. */
export function fromEventFilter(filter: WireFilter | undefined): EventFilter {
  if (filter === undefined) return {};
  const { sessionId, userId, eventTypes } = filter;
  return {
    ...(sessionId === "" ? {} : { sessionId }),
    ...(userId === "" ? {} : { userId }),
    ...(eventTypes.length === 0 ? {} : { types: new Set(eventTypes as EventType[]) }),
  };
}
