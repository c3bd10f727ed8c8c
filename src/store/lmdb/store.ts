// The LMDB engine behind the storage interface: opening, the calls, closing. How writes are made
// durable is told in writer.ts, how records look in envelope.ts and keys.ts.

import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as changing from "../changes/changing.ts";
import { type CopyContext, copySession } from "../changes/copy.ts";
import { refreshDocuments } from "../changes/document-changes.ts";
import * as erasures from "../changes/erasures.ts";
import { startImport } from "../changes/import.ts";
import { Maintenance } from "../changes/maintenance.ts";
import { refreshRecords } from "../changes/record-changes.ts";
import { openSnapshot } from "../changes/snapshot.ts";
import { commitFailure, isCommitFailure } from "../engine/commit-failure.ts";
import {
  COMPACT_FOLDER,
  DATA_FILE,
  type Environment,
  openEnvironment,
  prepareDirectory,
  syncPath,
} from "../engine/environment.ts";
import { CHANGES_FILE, type ExchangeWork, exchangeFile } from "../engine/exchange.ts";
import { Floor, type FloorOptions } from "../engine/floor.ts";
import { HighestKeys } from "../engine/highest-keys.ts";
import { type DirectoryLock, lockDirectory, writeWhereRoom } from "../engine/lock.ts";
import { Memtable } from "../engine/memtable.ts";
import { Presence } from "../engine/presence.ts";
import { readAgain } from "../engine/reads.ts";
import { REDO_FILE, RedoLog, readRedoLog, redo } from "../engine/redo-log.ts";
import { Writer } from "../engine/writer.ts";
import type { Commit, ErasureStore, ReadFacts, Store } from "../store.ts";
import { bucketOf } from "../tables/all.ts";
import { SessionCache } from "../tables/cache.ts";
import { CommitReport, type Core, RecordCounts } from "../tables/core.ts";
import { RECALLED } from "../tables/document-tables.ts";
import {
  documentLog,
  expiredDocuments,
  findDocument,
  listCollections,
  listDocuments,
  noteRecalled,
  readDocumentLives,
  readPayload,
  recalledNamespaces,
} from "../tables/documents.ts";
import { CONSUMER, REPLY, startOfReply } from "../tables/event-tables.ts";
import { baseOf, EventLog } from "../tables/events.ts";
import {
  dueJobs,
  listJobs,
  listOldJobs,
  nextJobMs,
  readJob,
  readJobsRow,
} from "../tables/memory-jobs.ts";
import * as memories from "../tables/memory-lists.ts";
import {
  findMessage,
  listMessages,
  messageOf,
  pastWindow,
  readWindow,
} from "../tables/messages.ts";
import * as records from "../tables/records.ts";
import { listConsumers, listNamespaces, positionsOf, readConsumer } from "../tables/replies.ts";
import {
  committedState,
  countSessions,
  expiredSessions,
  listSessions,
  openSession,
} from "../tables/sessions.ts";
import { listSummaries, readSummary } from "../tables/summaries.ts";
import {
  dueTasks,
  findTaskRow,
  listTasks,
  moveOldTasks,
  nextDueMs,
  readUsage,
  taskHooks,
} from "../tables/tasks.ts";
import { readVectors, saveVectors } from "../tables/vectors.ts";
import { findMessages } from "./find-messages.ts";
import { beginEpoch, lineageOf, readEpochs } from "./lineage.ts";
import { listOldSessions } from "./old-lists.ts";
import { listOldSources } from "./old-sources.ts";
import {
  claimIdentity,
  historyIdOf,
  type Identity,
  readIdentity,
  recoverEvents,
  replayJournal,
} from "./recovery.ts";
import { checkInBackground, checkStart, type PageNews } from "./start-check.ts";

/** Options for opening a store. */
export interface LmdbStoreOptions {
  /** The data directory; made with mode 0700 when it is missing. */
  readonly directory: string;
  /** Reads what the engine must know of a message out of its wire form. */
  readonly readFacts: ReadFacts;
  /** Bytes for decoded sessions and loaded windows. Default 64 MiB. */
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
   * Time that a start may take to check the pages of the file, in milliseconds; those that are left
   * are checked while the store is open, and damage is then given to `onFatal`. Default 1,000.
   */
  readonly startCheckMs?: number;
  /** Called when pages were checked: at the start, and again when the others were. */
  readonly onPagesChecked?: (news: PageNews) => void;
  /**
   * Called once when a commit failed or pages are damaged: the process must end at once, without
   * closing the store. Default: nothing beyond the failed calls.
   */
  readonly onFatal?: (error: unknown) => void;
}

/** A store whose data file can be exchanged. */
export interface LmdbStore extends Store {
  /** See `exchangeFile` of the engine. Gives up a check of pages that runs in the background. */
  exchangeFile(work: ExchangeWork): Promise<number>;
  /** Waits until the data file holds what the redo log holds. Throws STORE_FULL. */
  carryOutLog(): Promise<void>;
}

const CACHE_BYTES = 67_108_864;
const START_CHECK_MS = 1_000;
const CLOSE_FLUSH_MS = 2_000;
const CLOSE_MS = 5_000;

/**
 * Opens the store in a directory, and makes it if it is missing. Throws StoreInUseError when
 * another process has it, RECORD_CORRUPT when it is visibly damaged, CommitFailedError when the
 * disk refuses a write, and an Error when it cannot be opened.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<LmdbStore> {
  prepareDirectory(options.directory, options.allowNetworkFilesystem === true);
  const lock = await lockDirectory(options.directory);
  try {
    const pages = checkFile(options);
    // A compaction that was killed leaves these behind.
    for (const name of [COMPACT_FOLDER, CHANGES_FILE]) {
      rmSync(join(options.directory, name), { recursive: true, force: true });
    }
    const store = await openStore(options, lock, pages);
    writeMarker(options.directory, store.storeId);
    return store;
  } catch (error) {
    if (isCommitFailure(error)) throw await commitFailure(error);
    lock.release();
    throw error;
  }
}

/** Is written once a directory holds a store. A restore that broke off leaves it behind. */
export const MARKER_FILE = "store.json";

// LMDB would crash the process on a file whose pages are damaged or missing, and make a new store
// where there is no file.
function checkFile(options: LmdbStoreOptions): PageNews | undefined {
  const { directory } = options;
  const path = join(directory, DATA_FILE);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const marker = join(directory, MARKER_FILE);
  if (size === 0 && existsSync(marker)) {
    throw new Error(
      `The store of ${directory} is gone: ${DATA_FILE} is missing or empty. Put a back-up of it in ` +
        `place, and remove ${REDO_FILE}. To begin with an empty store instead, remove ${marker} too.`,
    );
  }
  if (size === 0) return undefined;
  const news = checkStart(directory, options.startCheckMs ?? START_CHECK_MS);
  options.onPagesChecked?.(news);
  return news;
}

function writeMarker(directory: string, storeId: string): void {
  const path = join(directory, MARKER_FILE);
  if (existsSync(path)) return;
  writeWhereRoom(path, { store_id: storeId });
}

/** The store, with its core for tests that look at the tables. */
async function openStore(
  options: LmdbStoreOptions,
  lock: DirectoryLock,
  pages: PageNews | undefined,
): Promise<LmdbStore & { readonly core: Core }> {
  const { directory, readFacts } = options;
  const env = openEnvironment(options);
  const endCheck = checkRest(options, env, pages);
  try {
    const old = readIdentity(env);
    const floor = new Floor(directory, options.floor ?? {}, () => performance.now());
    await redoAtStart(options, env, historyIdOf(old), floor);
    const memtable = new Memtable(bucketOf);
    const start = replayJournal(env, memtable);
    const log = recoverEvents({ env, memtable }, start.commitNo);
    const identity = await claimIdentity(env, old, baseOf(log), options.newHistory === true);
    const cache = new SessionCache(options.cacheBytes ?? CACHE_BYTES);
    const listeners = new Set<(commit: Commit) => void>();
    const highestReplies = new HighestKeys(REPLY.id, startOfReply);
    const redoLog = RedoLog.open(directory, identity.historyId, floor.isFull);
    const presence = new Presence(directory, () => performance.now(), redoLog?.stats);
    const writer = new Writer({
      ...{ env, log: redoLog, memtable, start },
      newReport: () => new CommitReport(),
      onFlush: (chunk) => highestReplies.raise(chunk),
      onCommit: (commit) => {
        events.added(commit.events.length);
        report(listeners, commit);
      },
      onFatal: options.onFatal ?? (() => undefined),
      space: floor,
      files: presence,
    });
    const { base, storeId, historyId, instanceId, format } = identity;
    const counts = newCounts();
    const core: Core = { env, memtable, writer, cache, readFacts, base, counts, highestReplies };
    const events = new EventLog(core, log);
    const copying = new Set<number>();
    const admit = admitter(writer, floor);
    const admitCopy = async (): Promise<void> => {
      await admit(false);
      writer.assertOpen();
    };
    await bringUpToDate(core, identity);
    // A start on a full disk goes on with the epoch before.
    const epochs = floor.isLow ? readEpochs(env) : await beginEpoch(env, start.commitNo);
    return {
      ...{ core, storeId, historyId, instanceId, format },
      lineage: lineageOf(epochs, () => writer.durableCommitNo),
      ...readsOf(core, events),
      passingOver: (onDamage) => readsOf({ ...core, onDamage }, events),
      ...changesOf(core, { core, copying, admit: admitCopy }, admit),
      ...erasuresOf(core, admit),
      onCommit: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      ...upkeepOf(core, new Maintenance(core, events, copying), {
        ...{ directory, floor, lock, presence, redoLog, endCheck },
      }),
    };
  } catch (error) {
    await endCheck();
    if (!isCommitFailure(error)) await env.root.close();
    throw error;
  }
}

/** Carries out what only the redo log holds. A full disk gives up its reserve for that. */
async function redoAtStart(
  { directory, newHistory }: LmdbStoreOptions,
  env: Environment,
  historyId: string | undefined,
  floor: Floor,
): Promise<void> {
  await redo(readRedoLog(directory), env, historyId, (bytes) => floor.fits(bytes));
  if (newHistory !== true) return;
  // A log of the history before must not be there when the new one has begun.
  rmSync(join(directory, REDO_FILE), { force: true });
  syncPath(directory);
}

/** Does what is left to do of a store that an older version wrote. */
async function bringUpToDate(core: Core, identity: Required<Identity>): Promise<void> {
  await moveOldTasks(core);
  await listOldJobs(core);
  await listOldSources(core);
  await listOldSessions(core, identity);
}

/** Checks the pages that the start had no time for. Is called before the first write. */
function checkRest(
  options: LmdbStoreOptions,
  env: Environment,
  pages: PageNews | undefined,
): () => Promise<void> {
  if (pages === undefined || pages.isWhole) return async () => undefined;
  return checkInBackground({
    ...{ directory: options.directory, env },
    onNews: (news) => options.onPagesChecked?.(news),
    onFatal: (error) => options.onFatal?.(error),
  });
}

function newCounts(): Core["counts"] {
  return {
    consumers: new RecordCounts((namespace) => CONSUMER.prefix(namespace)),
    recalled: new RecordCounts(() => RECALLED.id),
    uploads: new RecordCounts((namespace) => records.RECORD_UPLOAD.prefix(namespace)),
  };
}

function report(listeners: ReadonlySet<(commit: Commit) => void>, commit: Commit): void {
  for (const listener of listeners) {
    try {
      listener(commit);
    } catch (error) {
      // A listener that throws must not stop the writer; the fault still ends the process.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** The calls that read what is durable. */
function readsOf(core: Core, events: EventLog) {
  return { ...sessionReads(core, events), ...recordReads(core) };
}

/** A call that reads at once, and again if a message was erased under it. */
function reader(core: Core) {
  return <A extends readonly unknown[], R>(of: (core: Core, ...asked: A) => R) =>
    (...asked: A): Promise<R> =>
      readAgain(core, () => of(core, ...asked));
}

/** A call that lets other work run between the pieces that it reads. */
function pieceReader(core: Core) {
  return <A extends readonly unknown[], R>(of: (core: Core, ...asked: A) => Promise<R>) =>
    async (...asked: A): Promise<R> => {
      core.writer.assertReadable();
      return of(core, ...asked);
    };
}

function sessionReads(core: Core, events: EventLog) {
  const read = reader(core);
  const readPieces = pieceReader(core);
  return {
    positions: read(positionsOf),
    countRevisions: readPieces((_, namespace, after) => events.countRevisions(namespace, after)),
    listEvents: readPieces((_, query) => events.list(query)),
    listNamespaces: read(listNamespaces),
    readSession: read((_, ref) => committedState(core, ref)?.session),
    listSessions: readPieces(listSessions),
    countSessions: readPieces(countSessions),
    findMessages: readPieces(findMessages),
    expiredSessions: async (nowMs, limit) => {
      core.writer.assertOpen();
      if (core.writer.isDiskFull) return [];
      const found = expiredSessions(core, nowMs, limit);
      // Moved entries are written in the background; nothing depends on them.
      core.writer.whenDurable().catch(() => undefined);
      return found;
    },
    readMessage: read((_, ref, messageId) => {
      const state = committedState(core, ref);
      const found = state && findMessage(core, state, messageId, "committed");
      return found && messageOf(found);
    }),
    listMessages: read((_, ref, query) => {
      const state = committedState(core, ref);
      return state && listMessages(core, state, query);
    }),
    readWindow: read((_, ref) => {
      const cached = openSession(core, ref);
      const state = cached?.committed ?? undefined;
      if (cached === undefined || state === undefined) return undefined;
      return { session: state.session, window: readWindow(core, cached, state, "committed") };
    }),
    readWindowAt: (ref, seq) => pastWindow(core, ref, seq),
    openSnapshot: read(openSnapshot),
    readConsumer: read((_, ref) => readConsumer(core, ref, "committed")),
    listConsumers: read(listConsumers),
  } satisfies Partial<Store>;
}

function recordReads(core: Core) {
  const read = reader(core);
  const readPieces = pieceReader(core);
  // A full disk takes no removals of what has expired.
  const readExpired = <E>(of: (core: Core, nowMs: number, limit: number) => readonly E[]) =>
    read((_, nowMs: number, limit: number) =>
      core.writer.isDiskFull ? [] : of(core, nowMs, limit),
    );
  return {
    readTask: read(
      (_, namespace, taskNo) => findTaskRow(core, namespace, taskNo, "committed")?.task,
    ),
    listTasks: readPieces(listTasks),
    dueTasks: readPieces(dueTasks),
    nextDueMs: read(nextDueMs),
    taskHooks: read(taskHooks),
    readUsage: read((_, namespace, hook, hour) =>
      readUsage(core, { namespace, hook, hour }, "committed"),
    ),
    listSummaries: read((_, ref, query) => {
      const state = committedState(core, ref);
      return state && listSummaries(core, state.logNo, query);
    }),
    readSummary: read((_, ref, version) => {
      const state = committedState(core, ref);
      return state && readSummary(core, state.logNo, version, "committed");
    }),
    readDocument: read((_, ref, documentId) => {
      const log = documentLog(core, ref, "committed");
      return log && findDocument(log, documentId);
    }),
    listDocuments: read(listDocuments),
    listCollections: read(listCollections),
    readDocumentLives: read(readDocumentLives),
    readPayload: read(readPayload),
    expiredDocuments: readExpired(expiredDocuments),
    readVectors: read(readVectors),
    recalledNamespaces: read(recalledNamespaces),
    readMemory: read(memories.readMemory),
    readMemoryAt: read(memories.readMemoryAt),
    readMemories: read(memories.readMemories),
    listMemories: read(memories.listMemories),
    readEntities: read(memories.readEntities),
    rankedMemories: read(memories.rankedMemories),
    queryRelations: read(memories.queryRelations),
    listMemoryVersions: read(memories.listMemoryVersions),
    listMemoryScopes: read(memories.listMemoryScopes),
    readMemoryScope: read(memories.readMemoryScope),
    listMemoryNamespaces: read(memories.listMemoryNamespaces),
    expiredMemories: readExpired(memories.expiredMemories),
    readRecords: read(records.readRecords),
    readRecordRange: read(records.readRecordRange),
    listRecords: read(records.listRecords),
    listRecordPaths: read(records.listRecordPaths),
    expiredRecords: readExpired(records.expiredRecords),
    expiredUploads: readExpired(records.expiredUploads),
    dueMemoryJobs: read(dueJobs),
    nextMemoryJobMs: read(nextJobMs),
    listMemoryJobs: read(listJobs),
    readMemoryJob: read(readJob),
    readMemoryJobs: read((_, ref) => readJobsRow(core, ref, "committed")?.jobs ?? []),
  } satisfies Partial<Store>;
}

/** Gives a promise to wait for before a write, or undefined when there is room. */
type Admit = (allowWhenFull: boolean | undefined) => Promise<void> | undefined;

/** A call that writes once it is let in. */
function writer(core: Core, admit: () => Promise<void> | undefined) {
  return <A extends readonly unknown[], R>(of: (core: Core, ...asked: A) => Promise<R>) =>
    async (...asked: A): Promise<R> => {
      await admit();
      return of(core, ...asked);
    };
}

/** Lets writes in while there is room on the disk and in the memtable. */
function admitter(writer: Core["writer"], floor: Floor): Admit {
  return (allowWhenFull) => {
    writer.assertOpen();
    if (allowWhenFull !== true) floor.check();
    return writer.admit();
  };
}

/** The calls that write. */
function changesOf(core: Core, copies: CopyContext, admit: Admit) {
  const write = writer(core, () => admit(false));
  const change =
    <C extends { readonly allowWhenFull?: boolean }, D, R>(
      of: (core: Core, asked: C, decide: D) => Promise<R>,
    ) =>
    async (asked: C, decide: D): Promise<R> => {
      await admit(asked.allowWhenFull);
      return of(core, asked, decide);
    };
  return {
    changeSession: (asked, decide) => {
      try {
        const wait = admit(asked.allowWhenFull);
        return wait === undefined
          ? changing.changeSession(core, asked, decide)
          : wait.then(() => changing.changeSession(core, asked, decide));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    changeConsumer: change(changing.changeConsumer),
    changeTask: change(changing.changeTask),
    changeDocuments: change(changing.changeDocuments),
    refreshDocuments: write(refreshDocuments),
    changeMemories: change(changing.changeMemories),
    changeRecords: change(changing.changeRecords),
    changeUpload: change(changing.changeUpload),
    refreshRecords: write(refreshRecords),
    copySession: (copy, decide) => copySession(copies, copy, decide),
    importLog: (seqs) => startImport(copies, seqs),
    saveVectors: write(saveVectors),
    noteRecalled: write(noteRecalled),
  } satisfies Partial<Store>;
}

/** The calls on erasures. They free space: a full disk holds up only the end of an erasure. */
function erasuresOf(core: Core, admit: Admit): ErasureStore {
  const read = reader(core);
  const write = writer(core, () => admit(true));
  return {
    readErasure: read((_, ref) => erasures.readErasure(core, ref)),
    runningErasures: read(erasures.runningErasures),
    erasureMarks: read(erasures.erasureMarks),
    changeErasure: write(changing.changeErasure),
    dropErasureMarks: write(erasures.dropErasureMarks),
    eraseAnswers: write(erasures.eraseAnswers),
    purgedBefore: read(erasures.purgedBefore),
    clearJournal: () => core.writer.clearJournal(),
  };
}

/** Upkeep and the end. */
function upkeepOf(
  core: Core,
  maintenance: Maintenance,
  parts: {
    readonly directory: string;
    readonly floor: Floor;
    readonly lock: DirectoryLock;
    readonly presence: Presence;
    readonly redoLog: RedoLog | undefined;
    readonly endCheck: () => Promise<void>;
  },
): Pick<LmdbStore, "maintain" | "exchangeFile" | "carryOutLog" | "close"> {
  const { floor, lock, presence, redoLog, endCheck } = parts;
  let closing: Promise<void> | undefined;
  const closeOnce = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    // While a write may be under way the directory stays locked: the end of the process frees it.
    const done = core.writer
      .close(CLOSE_FLUSH_MS)
      .then(endCheck)
      .then(() => Promise.all([core.env.root.close(), floor.stop(), redoLog?.close()]))
      .then(() => {
        presence.close();
        lock.release();
      });
    await Promise.race([done.catch(() => undefined), late]);
    clearTimeout(timer);
  };
  return {
    maintain: async (plan) => {
      floor.keepReserve();
      return floor.isFull ? false : await maintenance.step(plan);
    },
    exchangeFile: async (work) => {
      await endCheck();
      const { env, writer } = core;
      return exchangeFile({ ...parts, env, writer, now: () => performance.now() }, work);
    },
    carryOutLog: () => core.writer.carryOutLog(),
    close: () => (closing ??= closeOnce()),
  };
}
