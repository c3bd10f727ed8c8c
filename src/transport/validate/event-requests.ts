// The rules of the requests about events and consumers, one function each.

import { LIMITS } from "../../domain/limits.ts";
import type { GetServerInfoRequest } from "../../gen/memorysidecar/v1/admin_service.ts";
import { type EventFilter, EventType, StreamPosition } from "../../gen/memorysidecar/v1/event.ts";
import type {
  AckEventsRequest,
  CreateConsumerRequest,
  DeleteConsumerRequest,
  GetConsumerRequest,
  ListConsumersRequest,
  ListEventsRequest,
  WatchEventsRequest,
} from "../../gen/memorysidecar/v1/event_service.ts";
import {
  checkCount,
  checkEnum,
  checkId,
  checkNamespace,
  checkPage,
  checkRequestId,
  checkRequiredId,
  checkRequiredText,
  checkSeq,
  checkText,
} from "./fields.ts";
import type { Violations } from "./violations.ts";

function checkFilter(v: Violations, filter: EventFilter | undefined): void {
  if (filter === undefined) return;
  v.enter("filter");
  checkId(v, "session_id", filter.sessionId, LIMITS.sessionIdBytes);
  checkText(v, "user_id", filter.userId, LIMITS.userIdBytes);
  checkCount(v, "event_types", filter.eventTypes.length, LIMITS.filterTypes);
  for (let index = 0; index < filter.eventTypes.length && !v.full; index++) {
    const type = filter.eventTypes[index] as number;
    if (type === 0) v.add(`event_types[${index}]`, "must not be EVENT_TYPE_UNSPECIFIED");
    else checkEnum(v, `event_types[${index}]`, type, EventType);
  }
  v.leave();
}

function checkStart(
  v: Violations,
  start: WatchEventsRequest["start"] | CreateConsumerRequest["start"] | ListEventsRequest["start"],
): void {
  if (start === undefined) return;
  switch (start.$case) {
    case "resumeToken":
      checkRequiredText(v, "resume_token", start.value, LIMITS.resumeTokenBytes);
      break;
    case "position":
      if (start.value === 0) v.add("position", "must not be STREAM_POSITION_UNSPECIFIED");
      else checkEnum(v, "position", start.value, StreamPosition);
      break;
    case "afterRevision":
      checkSeq(v, "after_revision", start.value);
      break;
    case "consumerId":
      checkRequiredId(v, "consumer_id", start.value, LIMITS.consumerIdBytes);
      break;
  }
}

function checkConsumerRef(v: Violations, ref: { namespace: string; consumerId: string }): void {
  checkNamespace(v, ref.namespace);
  checkRequiredId(v, "consumer_id", ref.consumerId, LIMITS.consumerIdBytes);
}

export function checkWatchEvents(request: WatchEventsRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  if (request.start === undefined) {
    v.add("start", "one of resume_token, position, consumer_id and after_revision is required");
  }
  checkStart(v, request.start);
  checkFilter(v, request.filter);
}

export function checkListEvents(request: ListEventsRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkStart(v, request.start);
  checkFilter(v, request.filter);
  checkPage(v, request);
}

export function checkCreateConsumer(request: CreateConsumerRequest, v: Violations): void {
  checkConsumerRef(v, request);
  checkStart(v, request.start);
  checkRequestId(v, request.requestId);
}

export function checkGetConsumer(request: GetConsumerRequest, v: Violations): void {
  checkConsumerRef(v, request);
}

export function checkListConsumers(request: ListConsumersRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  checkPage(v, request);
}

export function checkDeleteConsumer(request: DeleteConsumerRequest, v: Violations): void {
  checkConsumerRef(v, request);
  checkRequestId(v, request.requestId);
}

export function checkAckEvents(request: AckEventsRequest, v: Violations): void {
  checkConsumerRef(v, request);
  checkRequiredText(v, "resume_token", request.resumeToken, LIMITS.resumeTokenBytes);
}

export function checkGetServerInfo(_request: GetServerInfoRequest, _v: Violations): void {
  // The request has no fields.
}
