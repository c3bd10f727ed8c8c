// Reads everything in a store, for tests that damage it. Prints one line of JSON: what was read, or
// the reason why not. Usage: node lmdb-reader.ts DIR

import { AppError, sessionNotFound } from "../../../src/kit/errors.ts";
import type { SessionRef } from "../../../src/session/rules/session.ts";
import { openLmdbStore } from "../../../src/store/lmdb/store.ts";
import type { Store } from "../../../src/store/store.ts";
import { plain } from "../kit/plain.ts";
import { dumpDocuments } from "./documents.ts";
import { readFacts, START_MS } from "./plans.ts";
import { dumpMemories } from "./read-memories.ts";
import { recordsIn } from "./records.ts";
import { oldestOf, revisionOf } from "./revisions.ts";

async function readAll(store: Store): Promise<unknown> {
  const listed = await store.listSessions({
    namespace: "default",
    order: "asc",
    limit: 1_000,
    nowMs: START_MS,
  });
  const sessions: unknown[] = [];
  for (const { namespace, sessionId, head } of listed.sessions) {
    const ref = { namespace, sessionId };
    const window = await store.readWindow(ref);
    const page = await store.listMessages(ref, {
      firstSeq: 1,
      lastSeq: head.lastSeq,
      order: "asc",
      limit: 10_000,
    });
    // It was listed: a key that is damaged hides it from a lookup.
    if (window === undefined || page === undefined) throw sessionNotFound(sessionId);
    const history = { order: "asc", limit: 1_000, maxBytes: 1e9 } as const;
    const { tasks } = await store.listTasks({ ...ref, limit: 1_000 });
    sessions.push([
      sessionId,
      head,
      (await store.listSummaries(ref, history))?.summaries,
      tasks,
      plain(await vectorsOf(store, ref, page.messages)),
      window.window.map(({ seq, messageId }) => [seq, messageId]),
      page.messages.map(({ bytes }) => Buffer.from(bytes).toString("base64")),
    ]);
  }
  const page = await store.listEvents({
    namespace: "default",
    after: await oldestOf(store),
    limit: 100_000,
    maxBytes: 1e9,
  });
  const events = page.events.map(({ revision, index, type }) => [revision, index, type]);
  const due = [];
  for (const hook of ["h", "hook"]) {
    const all = { hook, nowMs: START_MS * 2, limit: 10_000, perNamespace: 10_000 };
    due.push(await store.dueTasks(all));
    for (let hour = 0; hour < 8; hour++) due.push(await store.readUsage("default", hook, hour));
  }
  const documents = plain(await dumpDocuments(store, "default"));
  const memories = plain(await dumpMemories(store, "default"));
  const records = plain(await recordsIn(store));
  return { sessions, events, due, documents, memories, records, revision: await revisionOf(store) };
}

function vectorsOf(store: Store, ref: SessionRef, messages: readonly { readonly seq: number }[]) {
  return store.readVectors(messages.map(({ seq }) => ({ kind: "message", ...ref, seq })));
}

async function main(directory: string): Promise<unknown> {
  try {
    const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
    try {
      return { read: await readAll(store) };
    } finally {
      await store.close();
    }
  } catch (error) {
    const reason = error instanceof AppError ? error.reason : "Error";
    return { refused: reason, message: String(error) };
  }
}

process.stdout.write(JSON.stringify(await main(process.argv[2] ?? "")));
