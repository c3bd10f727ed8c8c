// The use cases of events: streams, lists and named consumers.

import { replayOf, replyPart } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { type Call, checkLive } from "../kit/call.ts";
import {
  AppError,
  consumerAlreadyExists,
  consumerNotFound,
  resumeTokenExpired,
  resumeTokenForeign,
  revisionNotReached,
} from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Consumer, ConsumerRef, EventPage, StreamPositions } from "../store/store.ts";
import type {
  ConsumerView,
  CreateConsumerInput,
  DeleteConsumerInput,
  ListEventsInput,
  StreamStart,
  Watcher,
  WatchInput,
} from "./api.ts";
import type { EventFeed } from "./event-feed.ts";
import { comparePositions, type EventPosition, endOfRevision } from "./rules/event.ts";

/** Opens a stream of events. */
export async function watchEvents(
  context: ServiceContext,
  feed: EventFeed,
  call: Call,
  input: WatchInput,
): Promise<Watcher> {
  checkLive(call.signal);
  const { namespace, filter, start } = input;
  const positions = await context.store.positions(namespace);
  const after = await startPosition(context, namespace, start, positions);
  checkKept(positions, after);
  return await feed.open(namespace, filter, after);
}

/** Lists events. */
export async function listEvents(
  context: ServiceContext,
  call: Call,
  input: ListEventsInput,
): Promise<EventPage> {
  checkLive(call.signal);
  const { namespace, start } = input;
  const positions = await context.store.positions(namespace);
  const after = await startPosition(context, namespace, start, positions);
  checkReached(positions, after);
  return await context.store.listEvents({
    namespace,
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
  positions: StreamPositions,
): Promise<EventPosition> {
  switch (start.kind) {
    case "after":
      return start.position;
    case "now":
      return positions.newest;
    case "oldest":
      return positions.oldest;
    case "revision":
      return afterRevision(positions, start.revision);
    case "consumer": {
      const { consumerId } = start;
      const consumer = await context.store.readConsumer({ namespace, consumerId });
      if (consumer === undefined) throw consumerNotFound(consumerId);
      if (isForeign(context, consumer)) throw resumeTokenForeign("history of this store");
      return consumer.position;
    }
  }
}

/** The end of the newest revision is its last event: its position must not lie ahead of it. */
function afterRevision({ newest }: StreamPositions, revision: number): EventPosition {
  if (revision > newest.revision) throw revisionNotReached(revision, newest.revision);
  return revision === newest.revision ? newest : endOfRevision(revision);
}

/** The history of which a consumer has its position. */
function historyOf({ store }: ServiceContext, { historyId }: Consumer): string {
  return historyId ?? store.storeId;
}

/** Whether a consumer's position is of another history, so that it names nothing in this one. */
function isForeign(context: ServiceContext, consumer: Consumer): boolean {
  return historyOf(context, consumer) !== context.store.historyId;
}

/** Refuses a position of the future: events up to it would be skipped without a word. */
function checkReached({ newest }: StreamPositions, position: EventPosition): void {
  if (comparePositions(position, newest) > 0) throw resumeTokenForeign("state of this store");
}

function checkKept(positions: StreamPositions, position: EventPosition): void {
  checkReached(positions, position);
  const { oldest } = positions;
  if (comparePositions(position, oldest) < 0) throw resumeTokenExpired(oldest.revision + 1);
}

async function viewOf(
  context: ServiceContext,
  namespace: string,
  consumer: Consumer,
): Promise<ConsumerView> {
  const { store } = context;
  // Whoever is of another history has seen nothing of this one.
  const position = isForeign(context, consumer)
    ? (await store.positions(namespace)).oldest
    : consumer.position;
  const lag = await store.countRevisions(namespace, position);
  return { ...consumer, historyId: historyOf(context, consumer), lag };
}

/** Creates a named consumer. */
export async function createConsumer(
  context: ServiceContext,
  call: Call,
  input: CreateConsumerInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { namespace, consumerId } = input;
  const positions = await context.store.positions(namespace);
  const position = await startPosition(context, namespace, input.start, positions);
  const lag = await context.store.countRevisions(namespace, position);
  const nowMs = context.world.nowMs();
  const change = { namespace, consumerId, requestId: call.requestId };
  return await context.store.changeConsumer<Uint8Array>(change, (view) => {
    const replay = replayOf(context, call, view.reply);
    if (replay !== undefined) return { kind: "answer", result: replay };
    if (view.consumer !== undefined) throw consumerAlreadyExists(consumerId);
    checkKept(positions, position);
    if (view.count >= LIMITS.consumers) throw consumerLimit();
    const { historyId } = context.store;
    const consumer = { consumerId, historyId, position, createMs: nowMs, updateMs: nowMs };
    const bytes = input.encode({ ...consumer, lag });
    return { kind: "save", result: bytes, consumer, ...replyPart(call, nowMs, bytes) };
  });
}

function consumerLimit(): AppError {
  const limit = LIMITS.consumers;
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
  return await viewOf(context, ref.namespace, consumer);
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
  const consumers = await Promise.all(
    found.slice(0, limit).map((consumer) => viewOf(context, namespace, consumer)),
  );
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
  const positions = await context.store.positions(namespace);
  const consumer = await context.store.changeConsumer<Consumer>(
    { namespace, consumerId },
    (view) => {
      const { consumer } = view;
      if (consumer === undefined) throw consumerNotFound(consumerId);
      checkReached(positions, position);
      const isDone = comparePositions(position, consumer.position) <= 0;
      if (isDone && !isForeign(context, consumer)) return { kind: "answer", result: consumer };
      const { historyId } = context.store;
      const moved = { ...consumer, historyId, position, updateMs };
      return { kind: "save", result: moved, consumer: moved };
    },
  );
  return await viewOf(context, namespace, consumer);
}
