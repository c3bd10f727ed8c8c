// Answers remembered under request ids.

import { comparePositions, type EventPosition } from "../../events/rules/event.ts";
import { afterPrefix } from "../engine/keys.ts";
import type { Visibility } from "../engine/memtable.ts";
import { takeRows } from "../engine/reads.ts";
import type {
  Consumer,
  ConsumerDecision,
  ConsumerRef,
  ConsumerView,
  ErasureProgress,
  ListedNamespace,
  NewEvent,
  StoredReply,
  StreamPositions,
} from "../store.ts";
import type { Core } from "./core.ts";
import { saveErasure } from "./erasure-tables.ts";
import {
  CONSUMER,
  encodeEvent,
  eventKey,
  NAMESPACE,
  REPLY,
  REVISION,
  REVISION_EVENTS_MAX,
} from "./event-tables.ts";

/** The answer remembered under a request id, durable or not. */
export function pendingReply(
  core: Core,
  namespace: string,
  requestId: string | undefined,
): StoredReply | undefined {
  if (requestId === undefined || requestId === "") return undefined;
  const key = REPLY.key(namespace, requestId);
  const isWaiting = core.memtable.get(key, "pending") !== undefined;
  if (!isWaiting && core.highestReplies.isAbove(core, key)) return undefined;
  return REPLY.get(core, key, "pending");
}

/** Remembers the answer to a request id, with the marks of what it is about. */
export function saveReply(
  core: Core,
  change: { readonly namespace: string; readonly requestId?: string },
  reply: StoredReply | undefined,
  about: readonly string[] | undefined,
): void {
  if (reply !== undefined && change.requestId !== undefined && change.requestId !== "") {
    const marks = [...new Set(about)];
    // Every erasure means an answer that is about very many records.
    const known = about !== undefined && marks.length <= MARKS_MAX ? { about: marks } : {};
    REPLY.put(core, REPLY.key(change.namespace, change.requestId), { ...reply, ...known });
  }
}

const MARKS_MAX = 16;

/** Adds the events of a change, its reply, and the state of the erasure that it is of. */
export function finishChange(
  core: Core,
  change: { readonly namespace: string; readonly requestId?: string },
  plan: {
    readonly events: readonly NewEvent[];
    readonly reply?: StoredReply;
    readonly erasure?: ErasureProgress;
  },
  about: readonly string[],
): void {
  putEvents(core, change.namespace, plan.events);
  saveReply(core, change, plan.reply, about);
  if (plan.erasure !== undefined) saveErasure(core, change.namespace, plan.erasure);
}

// Revisions: the numbers of the changes of a namespace, as callers know them.
//
// The engine itself numbers all changes of the store in one order, that of their commits: events
// stand under commit numbers, and upkeep drops the oldest of them whatever their namespace. Callers
// see none of that. A namespace counts its own changes, one by one, and the index leads from a
// revision to the commit that has its events.
//
// In formats 1 and 2 the commit number was the revision. The identity of a store that was written
// then keeps where that counting ended, its base. Every namespace goes on from there, so that
// revisions, resume tokens and consumers of before stay what they were, no revision is given twice,
// and nothing needs to be rewritten. Up to the base a namespace has gaps.

type Parts = Pick<Core, "base" | "env" | "memtable">;

function readPositions(core: Parts, namespace: string, visibility: Visibility): StreamPositions {
  return NAMESPACE.get(core, NAMESPACE.key(namespace), visibility) ?? core.base;
}

/** First and last events of a namespace. */
export function positionsOf(core: Parts, namespace: string): StreamPositions {
  return {
    newest: readPositions(core, namespace, "committed").newest,
    // Readers are told at once: what is being removed must not look like a gap.
    oldest: readPositions(core, namespace, "pending").oldest,
  };
}

/** The namespaces by name, after the one given. */
export function listNamespaces(core: Core, after: string, limit: number): ListedNamespace[] {
  const range = { start: `${NAMESPACE.key(after)}\0`, end: afterPrefix(NAMESPACE.id) };
  return takeRows(core, "committed", range, limit).map(({ key, payload }) => {
    const [namespace] = NAMESPACE.parts(key);
    return { namespace, revision: NAMESPACE.of(payload).newest.revision };
  });
}

/** The revision that the next change of a namespace gets. */
export function nextRevision(core: Parts, namespace: string): number {
  return readPositions(core, namespace, "pending").newest.revision + 1;
}

/** Adds the events of a change of one namespace, under its next revision. */
export function putEvents(core: Core, namespace: string, events: readonly NewEvent[]): void {
  const { writer } = core;
  const last = events.length - 1;
  if (last < 0 || last >= REVISION_EVENTS_MAX) {
    throw new Error("A saved change must have events, and not too many.");
  }
  const { newest, oldest } = readPositions(core, namespace, "pending");
  const revision = newest.revision + 1;
  const commitNo = writer.nextCommitNo();
  let index = 0;
  for (const event of events) {
    const key = eventKey(commitNo, index, index === last);
    writer.putEvent(key, encodeEvent(key, revision, event), event.body.length);
    const { type, sessionId, userId, createMs, body } = event;
    writer.report.events.push({
      revision,
      index,
      type,
      namespace: event.namespace,
      sessionId,
      userId,
      createMs,
      body,
    });
    index++;
  }
  NAMESPACE.put(core, NAMESPACE.key(namespace), { newest: { revision, index: last }, oldest });
  REVISION.put(core, REVISION.key(namespace, revision), commitNo);
}

/** Forgets the revisions of a namespace up to a position, whose events are being removed. */
export function dropRevisions(
  core: Core,
  namespace: string,
  dropped: readonly EventPosition[],
): void {
  const { base, memtable } = core;
  for (const { revision } of dropped) {
    if (revision > base.newest.revision) memtable.set(REVISION.key(namespace, revision), null);
  }
  const oldest = dropped.at(-1);
  const positions = readPositions(core, namespace, "pending");
  if (oldest !== undefined && comparePositions(oldest, positions.oldest) > 0) {
    NAMESPACE.put({ memtable }, NAMESPACE.key(namespace), { ...positions, oldest });
  }
}

// Named consumers of events: a position each.

/** Reads a consumer; undefined when there is none. */
export function readConsumer(
  core: Core,
  ref: ConsumerRef,
  visibility: Visibility,
): Consumer | undefined {
  const key = CONSUMER.key(ref.namespace, ref.consumerId);
  const found = CONSUMER.get(core, key, visibility);
  return found === undefined ? undefined : { consumerId: ref.consumerId, ...found };
}

/** Consumers of a namespace by id, after the one given. */
export function listConsumers(
  core: Core,
  namespace: string,
  after: string,
  limit: number,
): Consumer[] {
  const start = `${CONSUMER.key(namespace, after)}\0`;
  const range = { start, end: afterPrefix(CONSUMER.prefix(namespace)) };
  return takeRows(core, "committed", range, limit).map(({ key, payload }) => {
    const [, consumerId] = CONSUMER.parts(key);
    return { consumerId, ...CONSUMER.of(payload) };
  });
}

/** The view of a consumer for decide. */
export function consumerView(
  core: Core,
  change: ConsumerRef & { readonly requestId?: string },
): ConsumerView {
  return {
    consumer: readConsumer(core, change, "pending"),
    count: core.counts.consumers.of(core, change.namespace),
    reply: pendingReply(core, change.namespace, change.requestId),
  };
}

/** Applies a decision to save. */
export function applyConsumer<T>(
  core: Core,
  change: ConsumerRef & { readonly requestId?: string },
  decision: ConsumerDecision<T> & { readonly kind: "save" },
): void {
  const key = CONSUMER.key(change.namespace, change.consumerId);
  const had = readConsumer(core, change, "pending") !== undefined;
  const { consumer } = decision;
  if (consumer !== undefined) {
    CONSUMER.put(core, key, consumer);
  } else if (had) {
    core.memtable.set(key, null);
  }
  core.counts.consumers.add(change.namespace, Number(consumer !== undefined) - Number(had));
  saveReply(core, change, decision.reply, []);
}
