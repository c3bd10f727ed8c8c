// Engines that are broken on purpose: proof that the simulation notices. Each is the model with one
// fault of a kind that an engine for the disk could have.

import { checksum } from "../../src/kit/checksum.ts";
import type { MemoryLookup } from "../../src/memory/rules/lookup.ts";
import type { MemoryScope } from "../../src/memory/rules/memory.ts";
import { recordId } from "../../src/records/rules/record.ts";
import type { RecordUpload } from "../../src/records/rules/upload.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import { scopeIdOf } from "../../src/store/scope-id.ts";
import type {
  Commit,
  SessionView,
  Store,
  StoredMessage,
  VectorRecord,
} from "../../src/store/store.ts";
import { NO_USAGE } from "../../src/tasks/rules/task.ts";
import { containsSeq } from "../../src/window/rules/ranges.ts";
import { type MemoryState, namespaceOf, sessionOf } from "../model/state.ts";
import type { Engine } from "../storage/scene.ts";
import { bytesAt } from "../support/store/documents.ts";
import { openMemoryEngine } from "../support/store/memory-engine.ts";
import { oldestOf } from "../support/store/revisions.ts";
import { reading } from "./simulation.ts";

type Fault = (store: Store, state: MemoryState) => Partial<Store>;

/** An engine that leaves something out of what it tells of commits. */
function silent(nothing: Partial<Commit>): Fault {
  return (store) => ({
    onCommit: (listener) => store.onCommit((commit) => listener({ ...commit, ...nothing })),
  });
}

/** The faults by name. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  "drops one event": (store) => ({
    listEvents: async (query) => {
      const page = await store.listEvents(query);
      return { ...page, events: page.events.filter(({ revision }) => revision !== 40) };
    },
  }),
  "tells listeners of an event twice": (store) => ({
    onCommit: (listener) =>
      store.onCommit((commit) => {
        listener(commit);
        if (commit.events.some(({ revision }) => revision === 60)) listener(commit);
      }),
  }),
  "uses a seq again after the newest message was erased": (store, state) => ({
    changeSession: async (change, decide) => {
      const result = await store.changeSession(change, decide);
      const session = sessionOf(state, change);
      const lastSeq = session?.session.head.lastSeq ?? 0;
      if (session !== undefined && lastSeq > 0 && !session.log.has(lastSeq)) {
        const head = { ...session.session.head, lastSeq: lastSeq - 1 };
        session.session = { ...session.session, head };
      }
      return result;
    },
  }),
  "forgets a run of the window of the past": (store) => ({
    readWindowAt: async (ref, seq) => {
      const past = await store.readWindowAt(ref, seq);
      if (past === undefined || past.ranges.length < 2) return past;
      const { last } = past.ranges[0] ?? { last: 0 };
      return { ...past, window: past.window?.filter((entry) => entry.seq > last) };
    },
  }),
  "forgets the trims when it is asked for the past": (store) => ({
    readWindowAt: async (ref, seq) => {
      const past = await store.readWindowAt(ref, seq);
      const now = await store.readWindow(ref);
      if (past?.window === undefined) return past;
      return { ...past, window: now?.window.filter((entry) => entry.seq <= seq) };
    },
  }),
  "shows a message as it was before a change": (store) => {
    const old = new Map<string, Uint8Array>();
    const stale = (bytes: Uint8Array, key: string) => {
      const known = old.get(key);
      if (known === undefined) old.set(key, bytes);
      return known ?? bytes;
    };
    return {
      readMessage: async (ref, id) => {
        const message = await store.readMessage(ref, id);
        const key = `${ref.namespace} ${ref.sessionId} ${id} ${message?.seq}`;
        return message && { ...message, bytes: stale(message.bytes, key) };
      },
    };
  },
  "takes no notice of the namespace of a request id": (store) => {
    const remembered = new Map<string, string>();
    return {
      changeSession: (change, decide) => {
        const { requestId = "", namespace } = change;
        if (!remembered.has(requestId)) remembered.set(requestId, namespace);
        return store.changeSession(change, (view) => {
          const foreign = requestId !== "" && remembered.get(requestId) !== namespace;
          return decide(foreign ? { ...view, reply: undefined } : view);
        });
      },
    };
  },
  "skips a session where a page begins": (store) => ({
    listSessions: async (query) => {
      const page = await store.listSessions(query);
      // Reads of one session check the places of a page.
      if (query.after === undefined || query.limit === 1) return page;
      return { ...page, sessions: page.sessions.slice(1), places: page.places.slice(1) };
    },
  }),
  "skips a message where a page begins": (store) => ({
    listMessages: async (ref, query) => {
      const page = await store.listMessages(ref, query);
      if (page?.next === undefined) return page;
      return { ...page, next: page.next + (query.order === "asc" ? 1 : -1) };
    },
  }),
  "finds messages in the oldest session first": (store) => ({
    findMessages: async (query) => {
      const page = await store.findMessages(query);
      return { ...page, messages: page.messages.toReversed() };
    },
  }),
  "finds a message that was erased": (store) => {
    const seen = new Map<string, StoredMessage>();
    const keyOf = (ref: SessionRef, id: string) => `${ref.namespace} ${ref.sessionId} ${id}`;
    return {
      changeSession: (change, decide) =>
        store.changeSession(change, (view) => {
          for (const [id, message] of view.messages) seen.set(keyOf(change, id), message);
          return decide(view);
        }),
      readMessage: async (ref, id) =>
        (await store.readMessage(ref, id)) ?? seen.get(keyOf(ref, id)),
    };
  },
  "finds only messages of the window for a decision": (store) => ({
    changeSession: (change, decide) =>
      store.changeSession(change, (view) => {
        const ranges = view.session?.head.windowRanges ?? [];
        const messagesAt: SessionView["messagesAt"] = (seqs) =>
          view.messagesAt(seqs).filter(({ seq }) => containsSeq(ranges, seq));
        return decide({ ...view, messagesAt });
      }),
  }),
  "keeps counting a consumer that is gone": (store) => ({
    changeConsumer: (change, decide) =>
      store.changeConsumer(change, (view) =>
        decide(view.consumer === undefined ? { ...view, count: view.count + 1 } : view),
      ),
  }),
  "hides that events were dropped": (store) => ({
    listEvents: (query) =>
      store
        .listEvents(query)
        .catch(async () =>
          store.listEvents({ ...query, after: await oldestOf(store, query.namespace) }),
        ),
  }),
  "keeps the tasks of a session that is gone": (store, state) => ({
    changeSession: async (change, decide) => {
      const { tasks } = namespaceOf(state, change.namespace);
      const before = new Map(tasks);
      const result = await store.changeSession(change, decide);
      if (sessionOf(state, change) !== undefined) return result;
      for (const [taskNo, task] of before) {
        if (task.sessionId === change.sessionId) tasks.set(taskNo, task);
      }
      return result;
    },
  }),
  "begins with the first namespace each time": (store) => ({
    dueTasks: ({ afterNamespace: _, ...query }) => store.dueTasks(query),
  }),
  "takes a lease for as long as it likes": (store, state) => ({
    dueTasks: async (query) =>
      (await store.dueTasks(query)).filter(
        ({ namespace, taskNo }) =>
          namespaceOf(state, namespace).tasks.get(taskNo)?.state !== "leased",
      ),
  }),
  "keeps no account of what a hook took": (store) => ({
    changeTask: (change, decide) =>
      store.changeTask(change, (view) => decide({ ...view, usage: NO_USAGE })),
  }),
  "tells nobody of tasks": silent({ taskHooks: new Set() }),
  "tells nobody of documents": silent({ documents: [] }),
  "tells nobody of memories": silent({ memories: [] }),
  "tells nobody of jobs on memories": silent({ memoryJobsDue: false }),
  "keeps the summaries of a log that was reset": (store, state) => ({
    changeSession: async (change, decide) => {
      const before = sessionOf(state, change);
      const result = await store.changeSession(change, decide);
      const after = sessionOf(state, change);
      if (before?.session.head.firstSeq === after?.session.head.firstSeq) return result;
      if (before?.sessionNo !== after?.sessionNo) return result;
      for (const [version, summary] of before?.summaries ?? []) {
        after?.summaries.set(version, summary);
      }
      return result;
    },
  }),
  "keeps the messages that it erases while it appends others": (store, state) => ({
    changeSession: async (change, decide) => {
      const before = new Map(sessionOf(state, change)?.log);
      let erases = false;
      const result = await store.changeSession(change, (view) => {
        const decision = decide(view);
        if (decision.kind === "save") {
          const { resetLog, erase = [], append = [] } = decision.plan;
          erases = append.length > 0 && (resetLog === true || erase.length > 0);
        }
        return decision;
      });
      const log = sessionOf(state, change)?.log;
      for (const [seq, message] of erases ? before : []) if (!log?.has(seq)) log?.set(seq, message);
      return result;
    },
  }),
  "skips a summary where a page begins": (store) => ({
    listSummaries: async (ref, query) => {
      const page = await store.listSummaries(ref, query);
      if (page?.next === undefined) return page;
      return { ...page, next: page.next + (query.order === "asc" ? 1 : -1) };
    },
  }),
  "takes a number again after the last document was deleted": (store, state) => ({
    changeDocuments: async (change, decide) => {
      const result = await store.changeDocuments(change, decide);
      const collection = state.namespaces
        .get(change.namespace)
        ?.collections.get(change.collectionId);
      if (collection?.documents.size === 0) collection.nextDocumentNo = 1;
      return result;
    },
  }),
  "finds the chunks of another source": (store) => ({
    changeDocuments: (change, decide) =>
      store.changeDocuments(change, (view) => {
        const [chunks] = view.chunks.values();
        const all = change.sourceIds.map((id) => [id, chunks ?? []] as const);
        return decide({ ...view, chunks: new Map(all.filter(([, of]) => of.length > 1)) });
      }),
  }),
  "keeps the age of a collection that was cleared": (store, state) => ({
    changeDocuments: async (change, decide) => {
      const of = () => state.namespaces.get(change.namespace)?.collections.get(change.collectionId);
      const before = of()?.createMs;
      const result = await store.changeDocuments(change, decide);
      const after = of();
      if (before !== undefined && after !== undefined) after.createMs = before;
      return result;
    },
  }),
  "keeps the vectors of what has changed": (store) => {
    const kept = new Map<string, VectorRecord>();
    return {
      readVectors: async (places) => {
        const found = await store.readVectors(places);
        return places.map((place, at) => {
          const record = found[at] ?? kept.get(JSON.stringify(place));
          if (record !== undefined) kept.set(JSON.stringify(place), record);
          return record;
        });
      },
    };
  },
  "keeps vectors of another text": (store) => ({
    saveVectors: async (vectors) => {
      const current = await Promise.all(
        vectors.map(async (one) => ({
          ...one,
          bytes: (await bytesAt(store, one.place)) ?? one.bytes,
        })),
      );
      return await store.saveVectors(current);
    },
  }),
  "forgets the documents of a page that is full": (store) => ({
    listDocuments: async (query) => {
      const page = await store.listDocuments(query);
      return page.next === undefined ? page : { ...page, next: page.next + 1 };
    },
  }),
  "forgets the last of several collections of a change": (store) => ({
    changeDocuments: (change, decide) =>
      store.changeDocuments(change, (view) => {
        const decision = decide(view);
        if (decision.kind === "answer") return decision;
        const also = decision.plan.also?.slice(0, -1);
        return { ...decision, plan: { ...decision.plan, ...(also === undefined ? {} : { also }) } };
      }),
  }),
  "lists collections whose names begin alike as those below": (store) => ({
    listCollections: async (query) => {
      const { parent = "" } = query;
      if (parent === "" || (query.maxDepth ?? 0) > 0) return await store.listCollections(query);
      const all = await store.listCollections({ ...query, parent: "", limit: 1_000 });
      const found = all.filter(({ collectionId: id }) => id !== parent && id.startsWith(parent));
      return found.slice(0, query.limit);
    },
  }),
  "keeps the payload of a document that was replaced": (store, state) => ({
    changeDocuments: async (change, decide) => {
      const of = () => namespaceOf(state, change.namespace).collections.get(change.collectionId);
      const before = new Map(of()?.documents);
      const result = await store.changeDocuments(change, decide);
      for (const [id, document] of of()?.documents ?? []) {
        const old = state.payloads.get(before.get(id) ?? {});
        if (old !== undefined && !state.payloads.has(document)) state.payloads.set(document, old);
      }
      return result;
    },
  }),
  "lets a chunk live on without the others of its source": (store, state) => ({
    refreshDocuments: async (ref, documentIds, nowMs) => {
      const { documents } = namespaceOf(state, ref.namespace).collections.get(ref.collectionId) ?? {
        documents: new Map(),
      };
      const before = [...documents].map(([id, { expireMs }]) => [id, expireMs] as const);
      await store.refreshDocuments(ref, documentIds, nowMs);
      for (const [id, expireMs] of before) {
        const document = documents.get(id);
        const isChunk = document !== undefined && document.sourceId !== "";
        if (isChunk && !documentIds.includes(id)) Object.assign(document, { expireMs });
      }
    },
  }),
  "forgets the records of a page that is full": (store) => ({
    listRecords: async (query) => {
      const page = await store.listRecords(query);
      return { ...page, next: undefined };
    },
  }),
  "finds records of paths that begin alike": (store, state) => ({
    listRecords: async (query) => {
      const first = query.range?.path[0];
      if (query.range?.recursive !== true || first === undefined) return store.listRecords(query);
      const all = [...(state.namespaces.get(query.namespace)?.records.values() ?? [])];
      const { range: _, ...whole } = query;
      const isOther = all.some(({ path: [segment = ""] }) => segment.startsWith(`${first}q`));
      return await store.listRecords(isOther ? whole : query);
    },
  }),
  "forgets the paths below a path": (store) => ({
    listRecordPaths: async (query) => {
      const page = await store.listRecordPaths(query);
      const isBelow = (path: readonly string[], at: number) =>
        at > 0 && (page.paths[at - 1] ?? []).every((segment, depth) => path[depth] === segment);
      return { ...page, paths: page.paths.filter((path, at) => !isBelow(path, at)) };
    },
  }),
  "keeps half of a change of records": (store) => ({
    changeRecords: (change, decide) =>
      store.changeRecords(change, (view) => {
        const decision = decide(view);
        if (decision.kind !== "save" || decision.plan.put?.length !== 2) return decision;
        const put = decision.plan.put.slice(0, 1);
        return { ...decision, plan: { ...decision.plan, put } };
      }),
  }),
  "gives a piece of a value from a wrong place": (store) => ({
    readRecordRange: async (namespace, name, range) => {
      const record = await store.readRecordRange(namespace, name, range);
      if (record?.value === undefined || range.offset === 0) return record;
      const { value } =
        (await store.readRecordRange(namespace, name, { ...range, offset: 0 })) ?? {};
      return { ...record, value };
    },
  }),
  "keeps an upload that a record has taken": (store) => ({
    changeRecords: async (change, decide) => {
      const taken: RecordUpload[] = [];
      const result = await store.changeRecords(change, (view) => {
        taken.push(...view.uploads.values());
        return decide(view);
      });
      const [{ byteCount = 0, ...upload } = {}] = taken;
      const ref = { namespace: change.namespace, uploadId: change.uploadIds?.[0] ?? "" };
      if (byteCount > 0) {
        const part = Buffer.alloc(byteCount);
        const crc32 = checksum(part);
        const parts = { ...upload, ...{ byteCount, crc32, partCount: 1 } } as RecordUpload;
        await store.changeUpload(ref, ({ upload: old }) =>
          old === undefined
            ? { kind: "save", result: 0, upload: parts, part }
            : { kind: "answer", result: 0 },
        );
      }
      return result;
    },
  }),
  "keeps the documents of a record that is gone": (store, state) => ({
    changeRecords: async (change, decide) => {
      const { collections } = namespaceOf(state, change.namespace);
      const before = [...collections.values()].map(({ documents }) => new Map(documents));
      const result = await store.changeRecords(change, decide);
      for (const [at, { documents }] of [...collections.values()].entries()) {
        for (const [id, document] of before[at] ?? []) {
          if (document.recordId !== undefined && !documents.has(id)) documents.set(id, document);
        }
      }
      return result;
    },
  }),
  "writes a record without its documents": (store) => ({
    changeRecords: (change, decide) =>
      store.changeRecords(change, (view) => {
        const decision = decide(view);
        if (decision.kind !== "save") return decision;
        const put = decision.plan.put?.map(({ documents: _, search: __, ...record }) => record);
        return { ...decision, plan: { ...decision.plan, ...(put === undefined ? {} : { put }) } };
      }),
  }),
  "lets the documents of a record end before it": (store, state) => ({
    refreshRecords: async (namespace, names, nowMs) => {
      const { collections } = namespaceOf(state, namespace);
      const before = [...collections.values()].flatMap(({ documents }) =>
        [...documents.values()].map((document) => [document, document.expireMs] as const),
      );
      await store.refreshRecords(namespace, names, nowMs);
      for (const [document, expireMs] of before) Object.assign(document, { expireMs });
    },
  }),
  "drops the records of an append": (store) => ({
    changeSession: (change, decide) =>
      store.changeSession(change, (view) => {
        const decision = decide(view);
        if (decision.kind !== "save") return decision;
        const { records: _, ...plan } = decision.plan;
        return { ...decision, plan };
      }),
  }),
  "lets records live on that have expired": (store, state) => ({
    refreshRecords: async (namespace, names, nowMs) => {
      const { records } = namespaceOf(state, namespace);
      for (const name of names) {
        const record = records.get(recordId(name));
        if (record !== undefined && record.ttlMs > 0) {
          records.set(recordId(name), { ...record, expireMs: nowMs + record.ttlMs });
        }
      }
      await store.refreshRecords(namespace, names, nowMs);
    },
  }),
  "keeps no former state of a memory": (store, state) => ({
    changeMemories: async (change, decide) => {
      const result = await store.changeMemories(change, decide);
      const memories = state.namespaces.get(change.namespace)?.memories ?? new Map();
      for (const [id, kept] of memories) memories.set(id, { ...kept, former: [] });
      return result;
    },
  }),
  "finds what is superseded by its key": (store) => ({
    changeMemories: (change, decide) =>
      store.changeMemories(change, (view) => {
        const { memories } = view;
        const byKey = (scope: MemoryScope, key: string) => [
          ...memories.byKey(scope, key),
          ...memories.pastByKey(scope, key),
        ];
        return decide({ ...view, memories: { ...memories, byKey } });
      }),
  }),
  "evicts what is persistent": (store, state) => ({
    changeMemories: (change, decide) =>
      store.changeMemories(change, (view) => {
        const kept = state.namespaces.get(change.namespace)?.memories;
        const all = [...(kept?.values() ?? [])];
        const evictable: MemoryLookup["evictable"] = (scope, tier, limit) =>
          all
            .filter(({ facts }) => facts.tier === tier && facts.scopeId === scopeIdOf(scope))
            .sort((a, b) => a.facts.rank - b.facts.rank || a.memory.memoryNo - b.memory.memoryNo)
            .slice(0, limit)
            .map(({ memory }) => memory);
        return decide({ ...view, memories: { ...view.memories, evictable } });
      }),
  }),
  "keeps the jobs of a session that is gone": (store, state) => ({
    changeSession: async (change, decide) => {
      const jobs = state.namespaces.get(change.namespace)?.memoryJobs.get(change.sessionId);
      const result = await store.changeSession(change, decide);
      const namespace = state.namespaces.get(change.namespace);
      if (jobs !== undefined && sessionOf(state, change) === undefined) {
        namespace?.memoryJobs.set(change.sessionId, jobs);
      }
      return result;
    },
  }),
  "remembers that it promoted in another scope": (store) => ({
    changeMemories: (change, decide) =>
      store.changeMemories(change, (view) => {
        const wasPromoted: MemoryLookup["wasPromoted"] = ({ userId }, key) =>
          ["", "a"].some((agentId) =>
            ["", "s"].some((sessionId) =>
              view.memories.wasPromoted({ userId, agentId, sessionId }, key),
            ),
          );
        return decide({ ...view, memories: { ...view.memories, wasPromoted } });
      }),
  }),
  "forgets when a namespace was recalled again": (store, state) => ({
    noteRecalled: async (namespace, ms) => {
      if (!state.recalled.has(namespace)) await store.noteRecalled(namespace, ms);
    },
  }),
  "copies one message too many": (store) => ({
    copySession: (copy, decide) =>
      store.copySession(copy, (view) => {
        const decision = decide(view);
        const last = view.source?.head.lastSeq ?? 0;
        if (decision.kind !== "copy" || decision.atSeq >= last) return decision;
        return { ...decision, atSeq: decision.atSeq + 1 };
      }),
  }),
};

/** Opens the model with a fault. */
export async function openBroken(fault: Fault): Promise<Engine> {
  const engine = await openMemoryEngine();
  const broken = () => ({ ...reading(engine.store), ...fault(engine.store, engine.state) });
  let store = broken();
  return {
    get store() {
      return store;
    },
    reopen: async () => {
      await engine.reopen();
      store = broken();
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
