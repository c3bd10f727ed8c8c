// Named consumers of events: a position each.

import type { Consumer, ConsumerDecision, ConsumerRef, ConsumerView } from "../store.ts";
import { decodeConsumer, encodeConsumer } from "./codec.ts";
import { type Core, decodeRecord, rangeIndex, readIndex } from "./core.ts";
import type { RecordCounts } from "./counts.ts";
import { afterPrefix, consumerKey, consumerPrefix, readText } from "./keys.ts";
import type { Visibility } from "./memtable.ts";
import { pendingReply, saveReply } from "./replies.ts";

/** Reads a consumer; undefined when there is none. */
export function readConsumer(
  core: Core,
  ref: ConsumerRef,
  visibility: Visibility,
): Consumer | undefined {
  const key = consumerKey(ref.namespace, ref.consumerId);
  const found = readIndex(core, key, visibility, decodeConsumer);
  return found === undefined ? undefined : { consumerId: ref.consumerId, ...found };
}

/** Consumers of a namespace by id, after the one given. */
export function listConsumers(
  core: Core,
  namespace: string,
  after: string,
  limit: number,
): Consumer[] {
  const prefix = consumerPrefix(namespace);
  const range = { start: consumerKey(namespace, after), end: afterPrefix(prefix) };
  const consumers: Consumer[] = [];
  for (const { key, payload } of rangeIndex(core, "committed", range)) {
    const consumerId = readText(key.slice(prefix.length));
    if (after !== "" && consumerId === after) {
      continue;
    }
    if (consumers.length >= limit) {
      break;
    }
    const found = decodeRecord("consumer", payload, decodeConsumer);
    consumers.push({ consumerId, ...found });
  }
  return consumers;
}

/** What decide gets to see of a consumer. */
export function consumerView(
  core: Core,
  counts: RecordCounts,
  change: ConsumerRef & { readonly requestId?: string },
): ConsumerView {
  return {
    consumer: readConsumer(core, change, "pending"),
    count: counts.of(core, change.namespace),
    reply: pendingReply(core, change.namespace, change.requestId),
  };
}

/** Applies a decision to save. */
export function applyConsumer<T>(
  core: Core,
  counts: RecordCounts,
  change: ConsumerRef & { readonly requestId?: string },
  decision: ConsumerDecision<T> & { readonly kind: "save" },
): void {
  const key = consumerKey(change.namespace, change.consumerId);
  const had = readConsumer(core, change, "pending") !== undefined;
  const { consumer } = decision;
  if (consumer !== undefined) {
    core.memtable.set(key, encodeConsumer(key, consumer));
  } else if (had) {
    core.memtable.set(key, null);
  }
  counts.add(change.namespace, Number(consumer !== undefined) - Number(had));
  saveReply(core, change, decision.reply);
}
