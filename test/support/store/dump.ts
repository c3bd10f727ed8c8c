// Everything that can be read from a store, so that two stores, or one before and after, compare.
//
// What an engine may choose freely is left out or read through: page borders, cursors, and how the
// runs of a window are cut.

import type { Session, SessionRef } from "../../../src/session/rules/session.ts";
import type { Store } from "../../../src/store/store.ts";
import { dumpDocuments } from "./documents.ts";
import { START_MS } from "./plans.ts";
import {
  allConsumers,
  allEvents,
  allMessages,
  allSessions,
  allSummaries,
  allTasks,
  messageView,
} from "./read-all.ts";
import { dumpAllMemories, dumpMemories } from "./read-memories.ts";
import { recordsIn } from "./records.ts";

/** Records to dump. */
export interface DumpNames {
  readonly namespaces: readonly string[];
  /** Request ids whose answers to read, in every namespace. */
  readonly requestIds?: readonly string[];
  /** Leaves out answers older than this, which upkeep may have dropped. Default: none. */
  readonly repliesFromMs?: number;
  /** Hooks whose due tasks to read, and what they took in these hours. */
  readonly hooks?: readonly string[];
  readonly hours?: readonly number[];
}

/** A session without the cut of its runs, which is free. */
export function sessionView(session: Session | undefined): unknown {
  if (session === undefined) return undefined;
  const { windowRanges: _, ...head } = session.head;
  return { ...session, head };
}

/** Everything that can be read of one session. */
export async function dumpSession(store: Store, ref: SessionRef): Promise<unknown> {
  const session = await store.readSession(ref);
  if (session === undefined) return undefined;
  const { firstSeq, lastSeq } = session.head;
  const all = { firstSeq: 0, lastSeq, limit: 97 };
  const messages = (await allMessages(store, ref, { ...all, order: "asc" })) ?? [];
  const down = (await allMessages(store, ref, { ...all, order: "desc" })) ?? [];
  const current = await store.readWindow(ref);
  const windows: unknown[] = [];
  for (let seq = Math.max(0, firstSeq - 2); seq <= lastSeq + 1; seq += 1) {
    const past = await store.readWindowAt(ref, seq);
    const bytes = past?.window?.map((entry) => entry.bytes.length).join();
    windows.push([seq, past?.window?.map((entry) => entry.seq).join(), bytes]);
  }
  const byId: unknown[] = [];
  for (const { messageId } of messages) {
    const found = await store.readMessage(ref, messageId);
    byId.push(found && messageView(found));
  }
  const summaries = { limit: 7, maxBytes: 1_000 };
  const history = (await allSummaries(store, ref, { ...summaries, order: "asc" })) ?? [];
  const back = (await allSummaries(store, ref, { ...summaries, order: "desc" })) ?? [];
  const byVersion: unknown[] = [];
  for (const { version } of history) byVersion.push(await store.readSummary(ref, version));
  const places = messages.map(({ seq }) => ({ kind: "message", ...ref, seq }) as const);
  return {
    vectors: await store.readVectors(places),
    summaries: history,
    back: back.map(({ version }) => version).join(),
    byVersion,
    tasks: await allTasks(store, { ...ref, limit: 7 }),
    session: sessionView(session),
    messages,
    down: down.map(({ seq }) => seq).join(),
    current: { session: sessionView(current?.session), window: current?.window },
    windows,
    byId,
  };
}

/** The answers remembered under request ids. */
async function dumpReplies(store: Store, names: DumpNames): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const namespace of names.namespaces) {
    for (const requestId of names.requestIds ?? []) {
      const change = { namespace, sessionId: "none", requestId };
      const reply = await store.changeSession(change, (view) => ({
        kind: "answer",
        result: view.reply,
      }));
      const isYoung = (reply?.createMs ?? 0) >= (names.repliesFromMs ?? 0);
      if (reply === undefined || !isYoung) continue;
      // The marks are a set.
      const about = reply.about?.toSorted();
      replies.push([namespace, requestId, about === undefined ? reply : { ...reply, about }]);
    }
  }
  return replies;
}

/** The tasks of all namespaces, what is due of hooks and what they took. */
export async function dumpTasks(store: Store, names: DumpNames): Promise<unknown> {
  const tasks: unknown[] = [];
  const due: unknown[] = [];
  const usage: unknown[] = [];
  for (const namespace of names.namespaces) {
    const listed = await allTasks(store, { namespace, limit: 7 });
    for (const { taskNo } of listed) tasks.push(await store.readTask(namespace, taskNo));
    tasks.push([namespace, listed]);
    for (const hook of names.hooks ?? []) {
      for (const hour of names.hours ?? []) {
        const taken = await store.readUsage(namespace, hook, hour);
        if (taken.calls + taken.tokens > 0) usage.push([namespace, hook, hour, taken]);
      }
    }
  }
  for (const hook of names.hooks ?? []) {
    const all = { hook, nowMs: START_MS * 2, limit: 10_000, perNamespace: 10_000 };
    due.push([hook, await store.dueTasks(all), await store.nextDueMs(hook, START_MS)]);
  }
  return { tasks, due, usage };
}

/** All events that are kept, of all namespaces given, and the positions. */
export async function dumpEvents(store: Store, names: DumpNames): Promise<unknown> {
  const events: unknown[] = [];
  for (const namespace of names.namespaces) {
    const positions = await store.positions(namespace);
    const after = positions.oldest;
    const found = await allEvents(store, { namespace, after, limit: 100, maxBytes: 1_000_000 });
    const count = await store.countRevisions(namespace, after);
    events.push([namespace, found.events, positions, count]);
  }
  return events;
}

/** Everything that can be read from a store. */
export async function dumpStore(store: Store, names: DumpNames): Promise<unknown> {
  const sessions: unknown[] = [];
  const consumers: unknown[] = [];
  const documents: unknown[] = [];
  const memories: unknown[] = [];
  const records: unknown[] = [];
  for (const namespace of names.namespaces) {
    const query = { namespace, limit: 100, nowMs: 0 };
    const listed = await allSessions(store, { ...query, order: "asc" });
    const down = await allSessions(store, { ...query, order: "desc" });
    sessions.push([namespace, listed.map(sessionView), down.map(({ sessionId }) => sessionId)]);
    for (const ref of listed) sessions.push(await dumpSession(store, ref));
    consumers.push([namespace, await allConsumers(store, namespace, 100)]);
    documents.push([namespace, await dumpDocuments(store, namespace)]);
    memories.push([namespace, await dumpMemories(store, namespace)]);
    records.push([namespace, await recordsIn(store, namespace)]);
  }
  const expired = await store.expiredSessions(START_MS * 2, 10_000);
  return {
    sessions,
    consumers,
    documents,
    memories: [...memories, await dumpAllMemories(store)],
    records,
    recalled: await store.recalledNamespaces(),
    expired: expired.map((ref) => `${ref.namespace} ${ref.sessionId}`).sort(),
    replies: await dumpReplies(store, names),
    tasks: await dumpTasks(store, names),
    events: await dumpEvents(store, names),
  };
}
