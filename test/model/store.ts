// The memory engine: the model that says what a store must do. It is small and plain rather than
// fast, keeps nothing on disk, and is what the tests compare the engine for the disk with.
//
// Everything is durable as soon as it is done, and every change is done in one go, in the order of
// the calls.

import { randomBytes } from "node:crypto";

import { mark, marksOf } from "../../src/erase/rules/erasure.ts";
import { AppError } from "../../src/kit/errors.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import { newestRecalled } from "../../src/store/document-faults.ts";
import type {
  Commit,
  ConsumerDecision,
  ConsumerRef,
  ConsumerView,
  CopyDecision,
  CopyView,
  DocumentChange,
  DocumentDecision,
  DocumentView,
  MaintenancePlan,
  ReadFacts,
  SessionChange,
  SessionCopy,
  SessionDecision,
  SessionView,
  Store,
  StoredEntry,
  StoredEvent,
  TaskChange,
  TaskDecision,
  TaskView,
} from "../../src/store/store.ts";
import { saveCopy, saveSession } from "./changes.ts";
import * as documents from "./documents.ts";
import { erasureCalls, saveErasure } from "./erasures.ts";
import { addEvents, countRevisions, dropEvents, listEvents } from "./events.ts";
import { ImportedLog } from "./import.ts";
import { aboutMemories, lookupOf } from "./memories.ts";
import { MemoryCalls } from "./memory-calls.ts";
import { jobsOf } from "./memory-jobs.ts";
import * as reads from "./reads.ts";
import { recordCalls, recordsSeen } from "./records.ts";
import { openSnapshot } from "./snapshot.ts";
import {
  type Changed,
  type MemoryParts,
  type MemoryState,
  marked,
  namespaceOf,
  newMemoryState,
  nextRevision,
  rememberReply,
  replyOf,
  type SessionState,
  sessionOf,
} from "./state.ts";
import * as tasks from "./tasks.ts";

const FORMAT = 1;

const NOTHING_CHANGED: Changed = {
  taskHooks: new Set(),
  documents: [],
  memories: [],
  memoryJobsDue: false,
};

/** Options of a memory store. */
export interface MemoryStoreOptions {
  readonly readFacts: ReadFacts;
  /** The state; a store opened on the same state goes on from it. Default: empty. */
  readonly state?: MemoryState;
}

/** Opens a store that holds everything in memory. */
export async function openMemoryStore(options: MemoryStoreOptions): Promise<Store> {
  const state = options.state ?? newMemoryState(randomBytes(8).toString("hex"));
  return new MemoryStore(state, options.readFacts);
}

class MemoryStore extends MemoryCalls implements Store {
  readonly storeId: string;
  readonly historyId: string;
  readonly instanceId = randomBytes(8).toString("hex");
  readonly format = FORMAT;
  protected readonly state: MemoryState;
  readonly #readFacts: ReadFacts;
  /** The parts that snapshots and imports share. */
  readonly #parts: MemoryParts;
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  constructor(state: MemoryState, readFacts: ReadFacts) {
    super();
    this.storeId = state.storeId;
    this.historyId = state.historyId;
    this.state = state;
    this.#readFacts = readFacts;
    const run: MemoryParts["run"] = (step) => this.run(step);
    const publish: MemoryParts["publish"] = (...change) => this.publish(...change);
    this.#parts = { state, readFacts, run, publish };
  }

  readonly #erasures = erasureCalls(
    () => this.state,
    (step) => this.run(step),
  );
  readonly readErasure = this.#erasures.readErasure;
  readonly runningErasures = this.#erasures.runningErasures;
  readonly changeErasure = this.#erasures.changeErasure;
  readonly erasureMarks = this.#erasures.erasureMarks;
  readonly dropErasureMarks = this.#erasures.dropErasureMarks;
  readonly eraseAnswers = this.#erasures.eraseAnswers;
  readonly purgedBefore = this.#erasures.purgedBefore;
  readonly clearJournal = this.#erasures.clearJournal;

  readonly #records = recordCalls(
    () => this.state,
    (step) => this.run(step),
    (...change) => this.publish(...change),
  );
  readonly readRecords = this.#records.readRecords;
  readonly readRecordRange = this.#records.readRecordRange;
  readonly listRecords = this.#records.listRecords;
  readonly listRecordPaths = this.#records.listRecordPaths;
  readonly expiredRecords = this.#records.expiredRecords;
  readonly expiredUploads = this.#records.expiredUploads;
  readonly changeUpload = this.#records.changeUpload;
  readonly changeRecords = this.#records.changeRecords;
  readonly refreshRecords = this.#records.refreshRecords;

  readonly positions: Store["positions"] = (namespace) =>
    this.run(() => {
      const { dropped, newest } = namespaceOf(this.state, namespace);
      return { newest, oldest: dropped };
    });

  readonly countRevisions: Store["countRevisions"] = (namespace, after) =>
    this.run(() => countRevisions(this.state, namespace, after));

  readonly readSession: Store["readSession"] = (ref) =>
    this.run(() => sessionOf(this.state, ref)?.session);

  readonly listSessions: Store["listSessions"] = (query) =>
    this.run(() => reads.listSessions(this.state, query));

  readonly countSessions: Store["countSessions"] = (query) =>
    this.run(() => reads.countSessions(this.state, query));

  readonly findMessages: Store["findMessages"] = (query) =>
    this.run(() => reads.findMessages(this.#readFacts, this.state, query));

  readonly listNamespaces: Store["listNamespaces"] = (after, limit) =>
    this.run(() => reads.listNamespaces(this.state, after, limit));

  readonly expiredSessions: Store["expiredSessions"] = (nowMs, limit) =>
    this.run(() => reads.expiredSessions(this.state, nowMs, limit));

  readonly readMessage: Store["readMessage"] = (ref, messageId) =>
    this.run(() => {
      const entry = reads.entryById(this.#readFacts, sessionOf(this.state, ref), messageId);
      return entry && reads.messageOf(entry);
    });

  readonly listMessages: Store["listMessages"] = (ref, query) =>
    this.run(() => {
      const state = sessionOf(this.state, ref);
      return state && reads.listMessages(this.#readFacts, state, query);
    });

  readonly readWindow: Store["readWindow"] = (ref) =>
    this.run(() => {
      const state = sessionOf(this.state, ref);
      return state && { session: state.session, window: this.#windowOf(state) };
    });

  readWindowAt(ref: SessionRef, seq: number): ReturnType<Store["readWindowAt"]> {
    return this.run(() => {
      const state = sessionOf(this.state, ref);
      if (state === undefined) return undefined;
      const ranges = state.windows.get(seq);
      if (ranges === undefined) return { session: state.session, window: undefined, ranges: [] };
      return { session: state.session, ...reads.windowIn(this.#readFacts, state, ranges) };
    });
  }

  changeSession<T>(
    change: SessionChange,
    decide: (view: SessionView) => SessionDecision<T>,
  ): Promise<T> {
    return this.run(() => {
      const state = sessionOf(this.state, change);
      const decision = decide(this.#viewOf(change));
      if (decision.kind === "answer") {
        const about = state === undefined ? [] : marksOf({ ...state.session.fields, ...change });
        rememberReply(
          this.state,
          change.namespace,
          change.requestId,
          marked(decision.reply, about),
        );
        return decision.result;
      }
      const { plan, result } = decision;
      const marks = (): readonly string[] => {
        const session = sessionOf(this.state, change)?.session;
        return session === undefined ? [] : marksOf({ ...session.fields, ...change });
      };
      const before = marks();
      const beside = aboutMemories(this.state, change.namespace, plan.memories);
      const changed = saveSession(this.state, this.#readFacts, change, plan);
      const about = [...before, ...marks()];
      rememberReply(
        this.state,
        change.namespace,
        change.requestId,
        marked(plan.reply, [...about, ...beside]),
      );
      saveErasure(this.state, change.namespace, plan.erasure);
      this.publish(change.namespace, plan.events, changed);
      return result;
    });
  }

  async copySession<T>(copy: SessionCopy, decide: (view: CopyView) => CopyDecision<T>): Promise<T> {
    let atSeq: number | undefined;
    for (;;) {
      const step = await this.run(() => this.#copyStep(copy, decide, atSeq));
      if (step.kind === "answer") return step.result;
      atSeq = step.atSeq;
    }
  }

  readonly openSnapshot: Store["openSnapshot"] = (ref) =>
    this.run(() => openSnapshot(this.#parts, ref));

  readonly importLog: Store["importLog"] = (seqs) =>
    this.run(() => new ImportedLog(this.#parts, seqs));

  readonly readConsumer: Store["readConsumer"] = (ref) =>
    this.run(() => namespaceOf(this.state, ref.namespace).consumers.get(ref.consumerId));

  readonly listConsumers: Store["listConsumers"] = (namespace, after, limit) =>
    this.run(() => reads.listConsumers(this.state, namespace, after, limit));

  changeConsumer<T>(
    change: ConsumerRef & { readonly requestId?: string },
    decide: (view: ConsumerView) => ConsumerDecision<T>,
  ): Promise<T> {
    return this.run(() => {
      const { namespace, consumerId, requestId } = change;
      const { consumers } = namespaceOf(this.state, namespace);
      const reply = replyOf(this.state, namespace, requestId);
      const consumer = consumers.get(consumerId);
      const decision = decide({ consumer, count: consumers.size, reply });
      if (decision.kind === "answer") return decision.result;
      if (decision.consumer === undefined) consumers.delete(consumerId);
      else consumers.set(consumerId, decision.consumer);
      rememberReply(this.state, namespace, requestId, marked(decision.reply, []));
      return decision.result;
    });
  }

  readonly readTask: Store["readTask"] = (namespace, taskNo) =>
    this.run(() => namespaceOf(this.state, namespace).tasks.get(taskNo));

  readonly listTasks: Store["listTasks"] = (query) =>
    this.run(() => tasks.listTasks(this.state, query));

  readonly dueTasks: Store["dueTasks"] = (query) =>
    this.run(() => tasks.dueTasks(this.state, query));

  readonly nextDueMs: Store["nextDueMs"] = (hook, nowMs) =>
    this.run(() => tasks.nextDueMs(this.state, hook, nowMs));

  readonly taskHooks: Store["taskHooks"] = () => this.run(() => tasks.taskHooks(this.state));

  readonly readUsage: Store["readUsage"] = (namespace, hook, hour) =>
    this.run(() => tasks.usageOf(this.state, { namespace, hook, hour }));

  readonly listSummaries: Store["listSummaries"] = (ref, query) =>
    this.run(() => tasks.listSummaries(this.state, ref, query));

  readonly readSummary: Store["readSummary"] = (ref, version) =>
    this.run(() => sessionOf(this.state, ref)?.summaries.get(version));

  changeTask<T>(change: TaskChange, decide: (view: TaskView) => TaskDecision<T>): Promise<T> {
    return this.run(() => {
      const { result, hooks } = tasks.changeTask(this.state, change, decide);
      if (hooks.size > 0) this.#tell([], { taskHooks: hooks });
      return result;
    });
  }

  changeDocuments<T>(
    change: DocumentChange,
    decide: (view: DocumentView) => DocumentDecision<T>,
  ): Promise<T> {
    return this.run(() => {
      const { events, changed, result } = documents.changeDocuments(this.state, change, decide);
      if (changed.length > 0) this.publish(change.namespace, events, { documents: changed });
      return result;
    });
  }

  readonly readDocument: Store["readDocument"] = (ref, documentId) =>
    this.run(() => documents.readDocument(this.state, ref, documentId));

  readonly listDocuments: Store["listDocuments"] = (query) =>
    this.run(() => documents.listDocuments(this.state, query));

  readonly readPayload: Store["readPayload"] = (ref, documentId) =>
    this.run(() => documents.readPayload(this.state, ref, documentId));
  readonly readDocumentLives: Store["readDocumentLives"] = (ref, documentIds) =>
    this.run(() => documents.readDocumentLives(this.state, ref, documentIds));
  readonly refreshDocuments: Store["refreshDocuments"] = (ref, documentIds, nowMs) =>
    this.run(() => documents.refreshDocuments(this.state, ref, documentIds, nowMs));
  readonly expiredDocuments: Store["expiredDocuments"] = (nowMs, limit) =>
    this.run(() => documents.expiredDocuments(this.state, nowMs, limit));
  readonly listCollections: Store["listCollections"] = (query) =>
    this.run(() => documents.listCollections(this.state, query));

  readonly saveVectors: Store["saveVectors"] = (vectors) =>
    this.run(() => documents.saveVectors(this.state, vectors));

  readonly readVectors: Store["readVectors"] = (places) =>
    this.run(() => documents.readVectors(this.state, places));

  readonly recalledNamespaces: Store["recalledNamespaces"] = () =>
    this.run(() => newestRecalled(this.state.recalled));

  readonly noteRecalled: Store["noteRecalled"] = (namespace, ms) =>
    this.run(() => documents.noteRecalled(this.state, namespace, ms));

  readonly listEvents: Store["listEvents"] = (query) =>
    this.run(() => listEvents(this.state, query));

  onCommit(listener: (commit: Commit) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  maintain(plan: MaintenancePlan): Promise<boolean> {
    return this.run(() => {
      dropEvents(this.state, plan);
      for (const { replies } of this.state.namespaces.values()) {
        for (const [requestId, reply] of replies) {
          if (reply.createMs < plan.nowMs - plan.replyAgeMsMax) replies.delete(requestId);
        }
      }
      tasks.dropUsage(this.state, plan.usageHourMin);
      return false;
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
    this.#listeners.clear();
  }

  /** Runs a step in its turn: after the steps asked for earlier, and never at once. */
  protected async run<T>(step: () => T): Promise<T> {
    if (this.#closed) throw new AppError("SHUTTING_DOWN", "The store is closed.");
    const running = Promise.resolve().then(step);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  #windowOf(state: SessionState): readonly StoredEntry[] {
    return reads.entriesIn(this.#readFacts, state, state.session.head.windowRanges);
  }

  #viewOf(change: SessionChange): SessionView {
    const state = sessionOf(this.state, change);
    const messages = new Map<string, StoredEntry>();
    let bytesLeft = change.messageBytesMax ?? Number.POSITIVE_INFINITY;
    for (const messageId of change.messageIds ?? []) {
      const entry = reads.entryById(this.#readFacts, state, messageId);
      if (entry === undefined || messages.has(messageId)) continue;
      messages.set(messageId, entry);
      bytesLeft -= entry.byteCount;
      if (change.firstMessageOnly === true || bytesLeft < 0) break;
    }
    return {
      revision: nextRevision(this.state, change.namespace),
      session: state?.session,
      window: () => (state === undefined ? [] : this.#windowOf(state)),
      messages,
      messagesAt: (seqs) =>
        state === undefined
          ? []
          : seqs.flatMap((seq) => reads.messageAt(this.#readFacts, state, seq) ?? []),
      reply: replyOf(this.state, change.namespace, change.requestId),
      tasks: () => (state === undefined ? [] : tasks.tasksOf(this.state, change)),
      usage: (hook, hour) => tasks.usageOf(this.state, { namespace: change.namespace, hook, hour }),
      summary: (version) => state?.summaries.get(version),
      memories: lookupOf(this.state, change.namespace),
      memoryJobs: () => (state === undefined ? [] : jobsOf(this.state, change)),
      documents: (asked) => documents.documentsView(this.state, asked),
      records: (asked) => recordsSeen(this.state, change.namespace, asked),
    };
  }

  #copyViewOf(copy: SessionCopy, atSeq?: number): CopyView {
    const source = sessionOf(this.state, copy.source);
    const view: CopyView = {
      revision: nextRevision(this.state, copy.target.namespace),
      source: source?.session,
      target: sessionOf(this.state, copy.target)?.session,
      reply: replyOf(this.state, copy.target.namespace, copy.requestId),
    };
    if (source === undefined || atSeq === undefined) return view;
    const ranges = source.windows.get(atSeq);
    if (ranges === undefined) return view;
    const log = reads.entriesIn(this.#readFacts, source, [{ first: 1, last: atSeq }]);
    const tokenCount = log.reduce((total, entry) => total + entry.tokenCount, 0);
    const { window } = reads.windowIn(this.#readFacts, source, ranges);
    return { ...view, copied: { log: { messageCount: log.length, tokenCount }, window } };
  }

  /** Decides about a copy, which is made and published in one go. */
  #copyStep<T>(
    copy: SessionCopy,
    decide: (view: CopyView) => CopyDecision<T>,
    atSeq: number | undefined,
  ): Exclude<CopyDecision<T>, { readonly kind: "save" }> {
    if (atSeq !== undefined) copy.signal?.throwIfAborted();
    const source = sessionOf(this.state, copy.source);
    const view = this.#copyViewOf(copy, atSeq);
    const decision = decide(view);
    if (decision.kind !== "save") return decision;
    if (source === undefined || atSeq === undefined || view.copied === undefined) {
      throw new Error("There is no copy to save.");
    }
    const { fields, head, events, reply, result, summaries = [] } = decision;
    const place = { source, target: copy.target, atSeq };
    saveCopy(this.state, this.#readFacts, place, { fields, head, summaries });
    const about = [...marksOf({ ...fields, ...copy.target }), mark.session(copy.source.sessionId)];
    rememberReply(this.state, copy.target.namespace, copy.requestId, marked(reply, about));
    this.publish(copy.target.namespace, events);
    return { kind: "answer", result };
  }

  protected publish(...[namespace, events, changed]: Parameters<MemoryParts["publish"]>): void {
    this.#tell(addEvents(this.state, namespace, events), changed);
  }

  #tell(events: readonly StoredEvent[], changed: Partial<Changed> = {}): void {
    const commit = { ...NOTHING_CHANGED, ...changed, events };
    for (const listener of [...this.#listeners]) listener(commit);
  }
}
