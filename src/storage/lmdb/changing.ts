// Changes at the pending state: what decide decides is applied at once, and the promise settles
// when everything that it was based on and everything that it saved is durable.

import type { SessionRef } from "../../domain/session.ts";
import { type DecisionReads, decideSession } from "../decide-session.ts";
import type {
  ConsumerDecision,
  ConsumerRef,
  ConsumerView,
  DocumentChange,
  DocumentDecision,
  DocumentView,
  MemoryChange,
  MemoryDecision,
  MemoryView,
  SessionChange,
  SessionDecision,
  SessionView,
  TaskChange,
  TaskDecision,
  TaskView,
} from "../store.ts";
import type { Looks } from "./beside.ts";
import { applyPlan, viewOf } from "./change.ts";
import { applyConsumer, consumerView } from "./consumers.ts";
import type { Core } from "./core.ts";
import type { RecordCounts } from "./counts.ts";
import { applyDocuments, documentsView } from "./document-changes.ts";
import { consumerKey, replyKey, taskKey, usageKey } from "./keys.ts";
import { applyMemories } from "./memory-changes.ts";
import { PendingMemories } from "./memory-lookup.ts";
import { readsOf } from "./memory-reads.ts";
import { messageAt } from "./messages.ts";
import { pendingReply, saveReply } from "./replies.ts";
import { openSession } from "./sessions.ts";
import { applyTask, taskView } from "./tasks.ts";

/** Decides a change of a session. */
export function changeSession<T>(
  core: Core,
  change: SessionChange,
  decide: (view: SessionView) => SessionDecision<T>,
): Promise<T> {
  const looks: Looks = { beside: false };
  const seen = () =>
    looks.beside ? core.writer.whenDurable() : whenSeen(core, [], change, change);
  try {
    core.writer.assertOpen();
    const cached = openSession(core, change);
    const state = cached?.pending ?? null;
    const reads: DecisionReads = {
      readMessage: (seq) =>
        state === null ? undefined : messageAt(core, state.logNo, seq, "pending"),
      viewOf: (loaded) => viewOf(core, cached, change, { looks, loaded }),
    };
    const decision = decideSession(change, reads, decide);
    if (decision.kind === "save") {
      const target = cached ?? core.cache.add(change, null);
      applyPlan(core, target, { ...change, looks }, decision.plan);
      return core.writer.whenFormingDurable(decision.result);
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
  const keys = [taskKey(namespace, taskNo)];
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
  change: DocumentChange,
  decide: (view: DocumentView) => DocumentDecision<T>,
): Promise<T> {
  core.writer.assertOpen();
  try {
    const { view, base } = documentsView(core, change);
    const decision = decide(view);
    if (decision.kind === "save") {
      applyDocuments(core, change, base, decision.plan);
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

/** Decides a change of memories. */
export async function changeMemories<T>(
  core: Core,
  change: MemoryChange,
  decide: (view: MemoryView) => MemoryDecision<T>,
): Promise<T> {
  core.writer.assertOpen();
  let looked = false;
  const { namespace, requestId } = change;
  const seen = () => (looked ? core.writer.whenDurable() : whenSeen(core, [], change));
  try {
    const memories = new PendingMemories(core, namespace, () => {
      looked = true;
    });
    const reply = pendingReply(core, namespace, requestId);
    const decision = decide({
      revision: memories.revision,
      memories: readsOf(memories),
      reply,
    });
    if (decision.kind === "save") {
      applyMemories(core, change, memories, decision.plan);
      return await core.writer.whenFormingDurable(decision.result);
    }
    saveReply(core, change, decision.reply);
    await seen();
    return decision.result;
  } catch (error) {
    await seen();
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
