// The LMDB engine behind the storage interface: opening, the calls, closing. How writes are made
// durable is told in writer.ts, how records look in envelope.ts and keys.ts.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { recordCorrupt } from "../../domain/errors.ts";
import type { SessionRef } from "../../domain/session.ts";
import type {
  ConsumerDecision,
  ConsumerRef,
  ConsumerView,
  MaintenancePlan,
  MessagePage,
  MessageQuery,
  ReadFacts,
  SessionChange,
  SessionDecision,
  SessionPage,
  SessionQuery,
  SessionView,
  Store,
  StoredEvent,
  StoredMessage,
  TaskChange,
  TaskDecision,
  TaskView,
} from "../store.ts";
import { SessionCache } from "./cache.ts";
import { changeConsumer, changeDocuments, changeSession, changeTask } from "./changing.ts";
import { listConsumers, readConsumer } from "./consumers.ts";
import { type CopyContext, copySession } from "./copy.ts";
import { type Core, readAgain } from "./core.ts";
import { RecordCounts } from "./counts.ts";
import { findDocument, listCollections, listDocuments, readCollection } from "./documents.ts";
import { DATA_FILE, openEnvironment, prepareDirectory } from "./environment.ts";
import { baseOf, EventLog, type EventLogStart } from "./events.ts";
import { Floor, type FloorOptions } from "./floor.ts";
import { startImport } from "./import.ts";
import type { JournalStart } from "./journal.ts";
import { collectionPrefix, consumerPrefix, recalledKey } from "./keys.ts";
import { type DirectoryLock, lockDirectory } from "./lock.ts";
import { Maintenance } from "./maintenance.ts";
import { MemoryCalls } from "./memory-calls.ts";
import { listOldJobs } from "./memory-jobs.ts";
import { Memtable } from "./memtable.ts";
import { findMessage, listMessages, loadWindow, messageOf } from "./messages.ts";
import { moveOldTasks } from "./old-tasks.ts";
import { pastWindow } from "./past-window.ts";
import { noteRecalled, recalledNamespaces } from "./recalled.ts";
import {
  claimIdentity,
  type Identity,
  readIdentity,
  recoverEvents,
  replayJournal,
} from "./recovery.ts";
import { positionsOf } from "./revisions.ts";
import { committedState, expiredSessions, listSessions, openSession } from "./sessions.ts";
import { openSnapshot } from "./snapshot.ts";
import { checkStructure } from "./structure.ts";
import { listSummaries, readSummary } from "./summaries.ts";
import { dueTasks, listTasks, nextDueMs, taskHooks } from "./task-lists.ts";
import { findTaskRow, readUsage, TaskListeners } from "./tasks.ts";
import { readVectors, saveVectors } from "./vectors.ts";
import { Writer } from "./writer.ts";

/** How a store is opened. */
export interface LmdbStoreOptions {
  /** The data directory; made with mode 0700 when it is missing. */
  readonly directory: string;
  /** Reads what the engine must know of a message out of its wire form. */
  readonly readFacts: ReadFacts;
  /** Bytes for decoded sessions and loaded windows. Default 128 MiB. */
  readonly cacheBytes?: number;
  /** When writes are turned away because the disk is nearly full. */
  readonly floor?: FloorOptions;
  /** Opens a directory on a network filesystem, where LMDB is not safe. */
  readonly allowNetworkFilesystem?: boolean;
  /**
   * Begins a new history: tokens, etags and consumers of the one before are refused from now on.
   * Default false.
   */
  readonly newHistory?: boolean;
  /**
   * Called once when a commit failed: the process must end soon and must not be asked to write
   * again. Default: nothing beyond the failed calls.
   */
  readonly onFatal?: (error: unknown) => void;
}

const CACHE_BYTES = 134_217_728;
const CLOSE_FLUSH_MS = 2_000;
const CLOSE_MS = 5_000;

/**
 * Opens the store in a directory, and makes it if it is missing. Throws StoreInUseError when
 * another process has it, RECORD_CORRUPT when it is visibly damaged, and an Error when it cannot be
 * opened.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  prepareDirectory(options.directory, options.allowNetworkFilesystem === true);
  const lock = lockDirectory(options.directory);
  try {
    checkFile(options.directory);
    return await LmdbStore.open(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

// LMDB would crash the process on a file whose pages are damaged or missing.
function checkFile(directory: string): void {
  const path = join(directory, DATA_FILE);
  const fault = existsSync(path) ? checkStructure(path) : undefined;
  if (fault !== undefined) {
    throw recordCorrupt(`the data file: ${fault}`);
  }
}

/** What is read of a store before it is open. */
interface Opened {
  readonly env: Core["env"];
  readonly memtable: Memtable;
  readonly journal: JournalStart;
  readonly events: EventLogStart;
}

class LmdbStore extends MemoryCalls implements Store {
  readonly storeId: string;
  readonly historyId: string;
  readonly instanceId: string;
  readonly format: number;
  protected readonly core: Core;
  private readonly events: EventLog;
  private readonly maintenance: Maintenance;
  private readonly floor: Floor;
  private readonly lock: DirectoryLock;
  private readonly tasks = new TaskListeners();
  private readonly counts = new RecordCounts(consumerPrefix);
  private readonly recalled = new RecordCounts(recalledKey);
  private readonly copies: CopyContext;
  private closing: Promise<void> | undefined;

  readonly copySession: Store["copySession"] = (copy, decide) =>
    copySession(this.copies, copy, decide);
  readonly openSnapshot: Store["openSnapshot"] = (ref) =>
    this.read(() => openSnapshot(this.core, ref));
  readonly readWindowAt: Store["readWindowAt"] = (ref, seq) => pastWindow(this.core, ref, seq);
  readonly importLog: Store["importLog"] = (seqs) => startImport(this.copies, seqs);

  static async open(options: LmdbStoreOptions, lock: DirectoryLock): Promise<LmdbStore> {
    const env = openEnvironment(options);
    try {
      const old = readIdentity(env);
      const memtable = new Memtable();
      const journal = replayJournal(env, memtable);
      const events = recoverEvents({ env, memtable }, journal.commitNo);
      const identity = await claimIdentity(env, old, baseOf(events), options.newHistory === true);
      const store = new LmdbStore(options, lock, identity, { env, memtable, journal, events });
      await moveOldTasks(store.core);
      await listOldJobs(store.core);
      return store;
    } catch (error) {
      await env.root.close();
      throw error;
    }
  }

  private constructor(
    options: LmdbStoreOptions,
    lock: DirectoryLock,
    identity: Required<Identity>,
    { env, memtable, journal, events }: Opened,
  ) {
    super();
    this.storeId = identity.storeId;
    this.historyId = identity.historyId;
    this.instanceId = identity.instanceId;
    this.format = identity.format;
    this.lock = lock;
    this.floor = new Floor(options.directory, options.floor ?? {}, () => performance.now());
    const cache = new SessionCache(options.cacheBytes ?? CACHE_BYTES);
    const writer = new Writer({
      env,
      memtable,
      cache,
      start: journal,
      publish: (published) => this.events.publish(published),
      publishTasks: (hooks) => this.tasks.publish(hooks),
      onFatal: options.onFatal ?? (() => undefined),
      wrote: (bytes) => this.floor.wrote(bytes),
    });
    const collections = new RecordCounts(collectionPrefix);
    const { readFacts } = options;
    this.core = { env, memtable, writer, cache, readFacts, base: identity.base, collections };
    this.events = new EventLog(this.core, events);
    const copying = new Set<number>();
    this.maintenance = new Maintenance(this.core, this.events, copying);
    this.copies = { core: this.core, copying, admit: () => this.admitAsync() };
  }

  readonly positions: Store["positions"] = (namespace) =>
    this.read(() => positionsOf(this.core, namespace));

  readonly countRevisions: Store["countRevisions"] = async (namespace, after) => {
    this.core.writer.assertReadable();
    return this.events.countRevisions(namespace, after);
  };

  readonly readSession: Store["readSession"] = (ref) =>
    this.read(() => committedState(this.core, ref)?.session);

  async listSessions(query: SessionQuery): Promise<SessionPage> {
    this.core.writer.assertReadable();
    return listSessions(this.core, query);
  }

  async expiredSessions(nowMs: number, limit: number): Promise<readonly SessionRef[]> {
    this.core.writer.assertOpen();
    const found = expiredSessions(this.core, nowMs, limit);
    // What was moved is written in the background; nobody depends on it.
    this.core.writer.whenDurable().catch(() => undefined);
    return found;
  }

  readMessage(ref: SessionRef, messageId: string): Promise<StoredMessage | undefined> {
    return this.read(() => {
      const state = committedState(this.core, ref);
      const found = state && findMessage(this.core, state, messageId, "committed");
      return found && messageOf(found);
    });
  }

  listMessages(ref: SessionRef, query: MessageQuery): Promise<MessagePage | undefined> {
    return this.read(() => {
      const state = committedState(this.core, ref);
      return state && listMessages(this.core, state, query);
    });
  }

  readWindow(ref: SessionRef) {
    return this.read(() => {
      const cached = openSession(this.core, ref);
      const state = cached?.committed ?? undefined;
      if (cached === undefined || state === undefined) {
        return undefined;
      }
      const isLoaded = state.window !== undefined;
      const window = loadWindow(this.core, state, "committed").entries();
      if (!isLoaded) {
        this.core.cache.measure(cached);
      }
      return { session: state.session, window };
    });
  }

  changeSession<T>(
    change: SessionChange,
    decide: (view: SessionView) => SessionDecision<T>,
  ): Promise<T> {
    try {
      const wait = this.admit(change.allowWhenFull);
      return wait === undefined
        ? changeSession(this.core, change, decide)
        : wait.then(() => changeSession(this.core, change, decide));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  readonly readConsumer: Store["readConsumer"] = (ref) =>
    this.read(() => readConsumer(this.core, ref, "committed"));

  readonly listConsumers: Store["listConsumers"] = (namespace, after, limit) =>
    this.read(() => listConsumers(this.core, namespace, after, limit));

  async changeConsumer<T>(
    change: ConsumerRef & { readonly requestId?: string; readonly allowWhenFull?: boolean },
    decide: (view: ConsumerView) => ConsumerDecision<T>,
  ): Promise<T> {
    await this.admit(change.allowWhenFull);
    return changeConsumer(this.core, this.counts, change, decide);
  }

  readonly readTask: Store["readTask"] = (namespace, taskNo) =>
    this.read(() => findTaskRow(this.core, namespace, taskNo, "committed")?.task);

  readonly listTasks: Store["listTasks"] = async (query) => {
    this.core.writer.assertReadable();
    return listTasks(this.core, query);
  };

  readonly dueTasks: Store["dueTasks"] = async (query) => {
    this.core.writer.assertReadable();
    return dueTasks(this.core, query);
  };

  readonly nextDueMs: Store["nextDueMs"] = (hook, nowMs) =>
    this.read(() => nextDueMs(this.core, hook, nowMs));

  readonly taskHooks: Store["taskHooks"] = () => this.read(() => taskHooks(this.core));

  async changeTask<T>(change: TaskChange, decide: (view: TaskView) => TaskDecision<T>): Promise<T> {
    await this.admit(change.allowWhenFull);
    return changeTask(this.core, change, decide);
  }

  onTasks(listener: (hooks: ReadonlySet<string>) => void): () => void {
    return this.tasks.listen(listener);
  }

  readonly readUsage: Store["readUsage"] = (namespace, hook, hour) =>
    this.read(() => readUsage(this.core, { namespace, hook, hour }, "committed"));

  readonly listSummaries: Store["listSummaries"] = (ref, query) =>
    this.read(() => {
      const state = committedState(this.core, ref);
      return state && listSummaries(this.core, state.logNo, query);
    });

  readonly readSummary: Store["readSummary"] = (ref, version) =>
    this.read(() => {
      const state = committedState(this.core, ref);
      return state && readSummary(this.core, state.logNo, version, "committed");
    });

  readonly changeDocuments: Store["changeDocuments"] = async (change, decide) => {
    await this.admit(change.allowWhenFull);
    return changeDocuments(this.core, change, decide);
  };

  readonly readDocument: Store["readDocument"] = (ref, documentId) =>
    this.read(() => {
      const row = readCollection(this.core, ref, "committed");
      return row && findDocument(this.core, row.logNo, documentId, "committed");
    });

  readonly listDocuments: Store["listDocuments"] = (query) =>
    this.read(() => listDocuments(this.core, query));

  readonly listCollections: Store["listCollections"] = (namespace, after, limit) =>
    this.read(() => listCollections(this.core, namespace, after, limit));

  readonly saveVectors: Store["saveVectors"] = async (vectors) => {
    await this.admit(false);
    return saveVectors(this.core, vectors);
  };

  readonly readVectors: Store["readVectors"] = (places) =>
    this.read(() => readVectors(this.core, places));

  readonly recalledNamespaces: Store["recalledNamespaces"] = () =>
    this.read(() => recalledNamespaces(this.core));

  readonly noteRecalled: Store["noteRecalled"] = async (namespace, ms) => {
    await this.admit(false);
    return noteRecalled(this.core, this.recalled, namespace, ms);
  };

  readonly listEvents: Store["listEvents"] = async (query) => {
    this.core.writer.assertReadable();
    return this.events.list(query);
  };

  onEvents(listener: (events: readonly StoredEvent[]) => void): () => void {
    return this.events.listen(listener);
  }

  maintain(plan: MaintenancePlan): Promise<boolean> {
    return this.maintenance.step(plan);
  }

  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    // While a write may be under way the directory stays locked: the end of the process frees it.
    const done = this.core.writer
      .close(CLOSE_FLUSH_MS)
      .then(() => this.core.env.root.close())
      .then(() => this.lock.release());
    await Promise.race([done.catch(() => undefined), late]);
    clearTimeout(timer);
  }

  protected async read<T>(read: () => T): Promise<T> {
    return readAgain(this.core, read);
  }

  protected admit(allowWhenFull: boolean | undefined): Promise<void> | undefined {
    this.core.writer.assertOpen();
    if (allowWhenFull !== true) {
      this.floor.check();
    }
    return this.core.writer.admit();
  }

  private async admitAsync(): Promise<void> {
    await this.admit(false);
    this.core.writer.assertOpen();
  }
}
