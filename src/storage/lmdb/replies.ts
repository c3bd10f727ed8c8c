// Answers remembered under request ids.

import type { NewEvent, StoredReply } from "../store.ts";
import { decodeReply, encodeReply } from "./codec.ts";
import { type Core, readIndex } from "./core.ts";
import { replyKey } from "./keys.ts";
import { putEvents } from "./revisions.ts";

/** The answer remembered under a request id, durable or not. */
export function pendingReply(
  core: Core,
  namespace: string,
  requestId: string | undefined,
): StoredReply | undefined {
  return requestId === undefined || requestId === ""
    ? undefined
    : readIndex(core, replyKey(namespace, requestId), "pending", decodeReply);
}

/** Remembers the answer to a request id. */
export function saveReply(
  core: Core,
  change: { readonly namespace: string; readonly requestId?: string },
  reply: StoredReply | undefined,
): void {
  if (reply !== undefined && change.requestId !== undefined && change.requestId !== "") {
    const key = replyKey(change.namespace, change.requestId);
    core.memtable.set(key, encodeReply(key, reply));
  }
}

/** Adds the events of a change and its reply. */
export function finishChange(
  core: Core,
  change: { readonly namespace: string; readonly requestId?: string },
  plan: { readonly events: readonly NewEvent[]; readonly reply?: StoredReply },
): void {
  putEvents(core, change.namespace, plan.events);
  saveReply(core, change, plan.reply);
}
