// Changes at the pending state: what decide decides is applied at once, and the promise settles
// when everything that it was based on and everything that it saved is durable.

import type { SessionRef } from "../../domain/session.ts";
import type {
  ConsumerDecision,
  ConsumerRef,
  ConsumerView,
  DocumentChange,
  DocumentDecision,
  DocumentView,
  SessionChange,
  SessionDecision,
  SessionView,
  TaskChange,
  TaskDecision,
  TaskView,
} from "../store.ts";
import { applyPlan, type Looks, viewOf } from "./change.ts";
import { applyConsumer, consumerView } from "./consumers.ts";
import type { Core } from "./core.ts";
import type { RecordCounts } from "./counts.ts";
import { applyDocuments, documentsView } from "./document-changes.ts";
import { consumerKey, replyKey, taskKey, usageKey } from "./keys.ts";
import { saveReply } from "./replies.ts";
import { openSession } from "./sessions.ts";
import { applyTask, taskView } from "./tasks.ts";

/** Decides a change of a session. */
export function changeSession<T>(
  core: Core,
  change: SessionChange,
  decide: (view: SessionView) => SessionDecision<T>,
): Promise<T> {
  const looks: Looks = { window: change.needWindow === true, beside: false };
  const seen = () =>
    looks.beside ? core.writer.whenDurable() : whenSeen(core, [], change, change);
  try {
    core.writer.assertOpen();
    const cached = openSession(core, change);
    let decision = decide(viewOf(core, cached, change, looks));
    if (decision.kind === "need-window" && !looks.window) {
      looks.window = true;
      decision = decide(viewOf(core, cached, change, looks));
    }
    if (decision.kind === "save") {
      applyPlan(core, cached ?? core.cache.add(change, null), change, decision.plan);
      return core.writer.whenFormingDurable(decision.result);
    }
    if (decision.kind === "need-window") {
      throw new Error("A decision asked for a window it had.");
    }
    const { result } = decision;
    saveReply(core, change, decision.reply);
    return seen().then(() => result);
  } catch (error) {
    return seen().then(() => {
      throw error;
    });
  }
}

/** Decides a change of a consumer. */
export async function changeConsumer<T>(
  core: Core,
  counts: RecordCounts,
  change: ConsumerRef & { readonly requestId?: string },
  decide: (view: ConsumerView) => ConsumerDecision<T>,
): Promise<T> {
  core.writer.assertOpen();
  const keys = [consumerKey(change.namespace, change.consumerId)];
  try {
    const decision = decide(consumerView(core, counts, change));
    if (decision.kind === "save") {
      applyConsumer(core, counts, change, decision);
      return await core.writer.whenFormingDurable(decision.result);
    }
    await whenSeen(core, keys, change);
    return decision.result;
  } catch (error) {
    await whenSeen(core, keys, change);
    throw error;
  }
}

/** Decides a change of a task. */
export async function changeTask<T>(
  core: Core,
  change: TaskChange,
  decide: (view: TaskView) => TaskDecision<T>,
): Promise<T> {
  core.writer.assertOpen();
  const { hour, namespace, taskNo } = change;
  const keys = [taskKey(taskNo)];
  try {
    const { view, row } = taskView(core, change);
    if (row !== undefined) {
      keys.push(usageKey(hour, namespace, row.task.hook));
    }
    const decision = decide(view);
    if (decision.kind === "save") {
      applyTask(core, change, row, decision);
      return await core.writer.whenFormingDurable(decision.result);
    }
    await whenSeen(core, keys, change);
    return decision.result;
  } catch (error) {
    await whenSeen(core, keys, change);
    throw error;
  }
}

/** Decides a change of documents. */
export async function changeDocuments<T>(
  core: Core,
  counts: RecordCounts,
  change: DocumentChange,
  decide: (view: DocumentView) => DocumentDecision<T>,
): Promise<T> {
  core.writer.assertOpen();
  try {
    const { view, base } = documentsView(core, counts, change);
    const decision = decide(view);
    if (decision.kind === "save") {
      applyDocuments(core, counts, { change, base }, decision.plan);
      return await core.writer.whenFormingDurable(decision.result);
    }
    saveReply(core, change, decision.reply);
    await core.writer.whenDurable();
    return decision.result;
  } catch (error) {
    await core.writer.whenDurable();
    throw error;
  }
}

// Waits for the changes that a decision may have seen.
async function whenSeen(
  core: Core,
  keys: readonly string[],
  change: { readonly namespace: string; readonly requestId?: string },
  ref?: SessionRef,
): Promise<void> {
  const { cache, memtable, writer } = core;
  const cached = ref === undefined ? undefined : cache.get(ref);
  const all = change.requestId ? [...keys, replyKey(change.namespace, change.requestId)] : keys;
  const pending = all.map((key) => memtable.pendingIn(key));
  if (cached?.forming !== undefined || pending.includes("forming")) {
    await writer.whenFormingDurable(undefined);
  } else if (cached?.inFlight !== undefined || pending.includes("in-flight")) {
    await writer.whenInFlightDurable();
  }
}
