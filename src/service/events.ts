// The use cases of events: streams, lists and named consumers.

import {
  AppError,
  consumerAlreadyExists,
  consumerNotFound,
  resumeTokenExpired,
  resumeTokenForeign,
} from "../domain/errors.ts";
import { comparePositions, type EventPosition } from "../domain/event.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Consumer, ConsumerRef, EventPage } from "../storage/store.ts";
import type {
  Call,
  ConsumerView,
  CreateConsumerInput,
  DeleteConsumerInput,
  ListEventsInput,
  StreamStart,
  Watcher,
  WatchInput,
} from "./api.ts";
import { checkLive, replayOf, replyPart } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import type { EventFeed } from "./event-feed.ts";

/** Opens a stream of events. */
export async function watchEvents(
  context: ServiceContext,
  feed: EventFeed,
  call: Call,
  input: WatchInput,
): Promise<Watcher> {
  checkLive(call.signal);
  const after = await startPosition(context, input.namespace, input.start);
  checkKept(context, after);
  return feed.open(input.namespace, input.filter, after);
}

/** Lists events. */
export async function listEvents(
  context: ServiceContext,
  call: Call,
  input: ListEventsInput,
): Promise<EventPage> {
  checkLive(call.signal);
  const after = input.after ?? context.store.oldestPosition();
  checkReached(context, after);
  return await context.store.listEvents({
    namespace: input.namespace,
    after,
    limit: input.limit,
    maxBytes: LIMITS.pageBytes,
    ...input.filter,
  });
}

async function startPosition(
  context: ServiceContext,
  namespace: string,
  start: StreamStart,
): Promise<EventPosition> {
  switch (start.kind) {
    case "after":
      return start.position;
    case "now":
      return context.store.newestPosition();
    case "oldest":
      return context.store.oldestPosition();
    case "consumer": {
      const { consumerId } = start;
      const consumer = await context.store.readConsumer({ namespace, consumerId });
      if (consumer === undefined) throw consumerNotFound(consumerId);
      return consumer.position;
    }
  }
}

/** Refuses a position of the future: events up to it would be skipped without a word. */
function checkReached(context: ServiceContext, position: EventPosition): void {
  if (comparePositions(position, context.store.newestPosition()) > 0) {
    throw resumeTokenForeign("state of this store");
  }
}

function checkKept(context: ServiceContext, position: EventPosition): void {
  checkReached(context, position);
  if (comparePositions(position, context.store.oldestPosition()) < 0) {
    throw resumeTokenExpired(context.store.oldestRevision());
  }
}

function viewOf(context: ServiceContext, consumer: Consumer): ConsumerView {
  const lag = Math.max(0, context.store.newestPosition().revision - consumer.position.revision);
  return { ...consumer, lag };
}

/** Creates a named consumer. */
export async function createConsumer(
  context: ServiceContext,
  call: Call,
  input: CreateConsumerInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { namespace, consumerId } = input;
  const position = await startPosition(context, namespace, input.start);
  const nowMs = context.world.nowMs();
  const change = { namespace, consumerId, requestId: call.requestId };
  return await context.store.changeConsumer<Uint8Array>(change, (view) => {
    const replay = replayOf(context, call, view.reply);
    if (replay !== undefined) return { kind: "answer", result: replay };
    if (view.consumer !== undefined) throw consumerAlreadyExists(consumerId);
    checkKept(context, position);
    if (view.count >= LIMITS.consumers) throw consumerLimit();
    const consumer = { consumerId, position, createMs: nowMs, updateMs: nowMs };
    const bytes = input.encode(viewOf(context, consumer));
    return { kind: "save", result: bytes, consumer, ...replyPart(call, nowMs, bytes) };
  });
}

function consumerLimit(): AppError {
  const limit = String(LIMITS.consumers);
  return new AppError(
    "CONSUMER_LIMIT_REACHED",
    `The namespace has ${limit} consumers, which is the limit. Delete one first.`,
    { metadata: { limit } },
  );
}

/** Gets a named consumer. */
export async function getConsumer(
  context: ServiceContext,
  call: Call,
  ref: ConsumerRef,
): Promise<ConsumerView> {
  checkLive(call.signal);
  const consumer = await context.store.readConsumer(ref);
  if (consumer === undefined) throw consumerNotFound(ref.consumerId);
  return viewOf(context, consumer);
}

/** Lists named consumers. */
export async function listConsumers(
  context: ServiceContext,
  call: Call,
  input: { readonly namespace: string; readonly after: string; readonly limit: number },
): Promise<{ consumers: readonly ConsumerView[]; next: string | undefined }> {
  checkLive(call.signal);
  const { namespace, after, limit } = input;
  const found = await context.store.listConsumers(namespace, after, limit + 1);
  const consumers = found.slice(0, limit).map((consumer) => viewOf(context, consumer));
  const next = found.length > limit ? consumers.at(-1)?.consumerId : undefined;
  return { consumers, next };
}

/** Deletes a named consumer. */
export async function deleteConsumer(
  context: ServiceContext,
  call: Call,
  input: DeleteConsumerInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { namespace, consumerId, allowMissing } = input;
  const nowMs = context.world.nowMs();
  const change = { namespace, consumerId, requestId: call.requestId, allowWhenFull: true };
  return await context.store.changeConsumer<Uint8Array>(change, (view) => {
    const replay = replayOf(context, call, view.reply);
    if (replay !== undefined) return { kind: "answer", result: replay };
    const bytes = input.encode();
    if (view.consumer === undefined && !allowMissing) throw consumerNotFound(consumerId);
    const reply = replyPart(call, nowMs, bytes);
    return { kind: "save", result: bytes, consumer: undefined, ...reply };
  });
}

/** Moves a named consumer's position forward. */
export async function ackEvents(
  context: ServiceContext,
  call: Call,
  input: ConsumerRef & { readonly position: EventPosition },
): Promise<ConsumerView> {
  checkLive(call.signal);
  const { namespace, consumerId, position } = input;
  const updateMs = context.world.nowMs();
  const consumer = await context.store.changeConsumer<Consumer>(
    { namespace, consumerId },
    (view) => {
      const { consumer } = view;
      if (consumer === undefined) throw consumerNotFound(consumerId);
      checkReached(context, position);
      if (comparePositions(position, consumer.position) <= 0) {
        return { kind: "answer", result: consumer };
      }
      const moved = { ...consumer, position, updateMs };
      return { kind: "save", result: moved, consumer: moved };
    },
  );
  return viewOf(context, consumer);
}
