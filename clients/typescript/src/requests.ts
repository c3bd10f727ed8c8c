// Builds the requests that need more than their fields put in place.

import { CreateConsumerRequest, ListEventsRequest } from "./gen/memorysidecar/v1/event_service.ts";
import { ListMessagesRequest, MessageOrder } from "./gen/memorysidecar/v1/message_rpc.ts";
import { ListSessionsRequest, SessionOrder } from "./gen/memorysidecar/v1/session_rpc.ts";
import { GetWindowRequest } from "./gen/memorysidecar/v1/window_rpc.ts";
import { toRole } from "./message.ts";
import type {
  CreateConsumerOptions,
  ListEventsOptions,
  ListMessagesOptions,
  ListSessionsOptions,
  SeqInput,
  WindowOptions,
} from "./options.ts";
import { toTimestamp } from "./time.ts";
import { toStart } from "./watch.ts";

/** A seq that may be left out. */
export function optionalSeq(seq: SeqInput | undefined): bigint | undefined {
  return seq === undefined ? undefined : BigInt(seq);
}

function time(date: Date | undefined) {
  return date && toTimestamp(date);
}

export function listSessionsRequest(
  namespace: string,
  options: ListSessionsOptions,
  pageToken: string,
): ListSessionsRequest {
  const { userId = "", agentId = "", labels = {}, pageSize = 0, order = "newest-first" } = options;
  return ListSessionsRequest.fromPartial({
    namespace,
    pageSize,
    pageToken,
    order: order === "oldest-first" ? SessionOrder.CREATE_TIME_ASC : SessionOrder.CREATE_TIME_DESC,
    filter: {
      userId,
      agentId,
      labels: { ...labels },
      createdFrom: time(options.createdFrom),
      createdBefore: time(options.createdBefore),
      updatedFrom: time(options.updatedFrom),
      updatedBefore: time(options.updatedBefore),
    },
  });
}

export function listMessagesRequest(
  target: { readonly namespace: string; readonly sessionId: string },
  options: ListMessagesOptions,
  pageToken: string,
): ListMessagesRequest {
  const { roles = [], firstSeq = 0, lastSeq = 0, pageSize = 0, order = "oldest-first" } = options;
  return ListMessagesRequest.fromPartial({
    ...target,
    pageSize,
    pageToken,
    order: order === "newest-first" ? MessageOrder.SEQ_DESC : MessageOrder.SEQ_ASC,
    filter: { roles: roles.map(toRole), firstSeq: BigInt(firstSeq), lastSeq: BigInt(lastSeq) },
  });
}

export function listEventsRequest(
  namespace: string,
  options: ListEventsOptions,
  pageToken: string,
): ListEventsRequest {
  const { resumeToken = "", filter, pageSize = 0 } = options;
  return ListEventsRequest.fromPartial({
    namespace,
    resumeToken,
    pageSize,
    pageToken,
    filter: filter && { ...filter, types: [...(filter.types ?? [])] },
  });
}

export function windowRequest(
  target: { readonly namespace: string; readonly sessionId: string },
  options: WindowOptions,
): GetWindowRequest {
  return GetWindowRequest.fromPartial({
    ...target,
    policy: options.policy,
    asOfSeq: optionalSeq(options.asOfSeq),
  });
}

export function createConsumerRequest(
  target: { readonly namespace: string; readonly consumerId: string; readonly requestId: string },
  options: CreateConsumerOptions,
): CreateConsumerRequest {
  const start = toStart(options.from ?? "now");
  return CreateConsumerRequest.fromPartial(
    start.$case === "consumerId" ? target : { ...target, start },
  );
}
