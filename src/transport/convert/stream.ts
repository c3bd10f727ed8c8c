// Where streams of events start and what they hold, from the wire to the domain.

import type { EventType } from "../../domain/event.ts";
import {
  StreamPosition,
  type EventFilter as WireFilter,
} from "../../gen/memorysidecar/v1/event.ts";
import type {
  CreateConsumerRequest,
  ListEventsRequest,
  WatchEventsRequest,
} from "../../gen/memorysidecar/v1/event_service.ts";
import type { EventFilter, FixedStart, StreamStart } from "../../service/api.ts";
import type { ResumeTokens } from "../resume-token.ts";

/** Gives where a watch starts. Throws the errors of a resume token. */
export function fromStart(
  start: WatchEventsRequest["start"],
  namespace: string,
  tokens: ResumeTokens,
): StreamStart {
  return start?.$case === "consumerId"
    ? { kind: "consumer", consumerId: start.value }
    : fromFixedStart(start, namespace, tokens, "now");
}

/** Gives where a consumer or a list starts. Throws the errors of a resume token. */
export function fromFixedStart(
  start: CreateConsumerRequest["start"] | ListEventsRequest["start"],
  namespace: string,
  tokens: ResumeTokens,
  otherwise: "now" | "oldest",
): FixedStart {
  switch (start?.$case) {
    case undefined:
      return { kind: otherwise };
    case "resumeToken":
      return { kind: "after", position: tokens.read(namespace, start.value) };
    case "afterRevision":
      return { kind: "revision", revision: Number(start.value) };
    case "position":
      return start.value === StreamPosition.OLDEST ? { kind: "oldest" } : { kind: "now" };
  }
}

/** Gives what a filter asks for; what is unset asks for nothing. */
export function fromEventFilter(filter: WireFilter | undefined): EventFilter {
  if (filter === undefined) return {};
  const { sessionId, userId, eventTypes } = filter;
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(userId === undefined ? {} : { userId }),
    ...(eventTypes.length === 0 ? {} : { types: new Set(eventTypes as EventType[]) }),
  };
}
