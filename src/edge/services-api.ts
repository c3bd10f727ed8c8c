// Every use case of the server, as its edge calls them.

import type { BackUpInput, MadeBackUp } from "../admin/back-ups.ts";
import type { assembleContext } from "../context/assemble-context.ts";
import type { ServiceContext } from "../core/context.ts";
import type { Erasures } from "../erase/erasures.ts";
import type { Watcher, WatchInput } from "../events/api.ts";
import {
  ackEvents,
  createConsumer,
  deleteConsumer,
  getConsumer,
  listConsumers,
  listEvents,
} from "../events/events.ts";
import type { Call } from "../kit/call.ts";
import type { Semaphore } from "../kit/semaphore.ts";
import {
  mergeEntities,
  reinforceMemories,
  restoreMemoryVersion,
  updateMemory,
} from "../memory/edit-memories.ts";
import { forgetMemories, purgeMemories } from "../memory/forget.ts";
import { consolidateSession } from "../memory/learn/consolidate.ts";
import { extractMemories } from "../memory/learn/extract-memories.ts";
import { getMemory, type listMemories, listMemoryVersions } from "../memory/list-memories.ts";
import { queryRelations } from "../memory/relations.ts";
import { remember } from "../memory/remember.ts";
import { searchMemories } from "../memory/search.ts";
import { decayMemories } from "../memory/upkeep.ts";
import { countItems } from "../recall/count-items.ts";
import {
  clearCollection,
  deleteDocuments,
  purgeDocuments,
} from "../recall/documents/delete-documents.ts";
import {
  getDocument,
  listCollections,
  listDocuments,
  refreshDocuments,
} from "../recall/documents/read-documents.ts";
import { searchDocuments } from "../recall/documents/search-documents.ts";
import { upsertDocuments } from "../recall/documents/upsert-documents.ts";
import { embed } from "../recall/feed/embedder.ts";
import { recall } from "../recall/recall.ts";
import { deleteRange, writeRecords } from "../records/change-records.ts";
import {
  listRecordPaths,
  listRecords,
  readRecordRange,
  readRecords,
} from "../records/read-records.ts";
import { uploadPart } from "../records/upload-part.ts";
import { appendMessages } from "../session/append.ts";
import type { countTokens } from "../session/count-tokens.ts";
import {
  batchDeleteMessages,
  deleteFoundMessages,
  deleteMessage,
  popMessages,
} from "../session/delete-messages.ts";
import { fillToolResults } from "../session/fill-tool-results.ts";
import { forkSession } from "../session/fork-session.ts";
import { listMessages } from "../session/log/list-messages.ts";
import { listSeveral } from "../session/log/list-several.ts";
import { batchGetMessages, findMessages, getMessage, updateMessage } from "../session/messages.ts";
import { replaceMessages } from "../session/replace-messages.ts";
import { resetSession } from "../session/reset-session.ts";
import { restoreMessages } from "../session/restore-messages.ts";
import type { SessionSearch } from "../session/search.ts";
import {
  createSession,
  deleteSession,
  getSession,
  listSessions,
  updateSession,
} from "../session/sessions.ts";
import { exportWindow, openSnapshot } from "../session/snapshot/export-session.ts";
import type { importChunk } from "../session/snapshot/import-session.ts";
import type { CompactProgress, ServedCompaction } from "../store/backup/compact.ts";
import type { ListedNamespace } from "../store/store.ts";
import type { compactSession } from "../summary/compact-session.ts";
import { listSummaries, listSummarySources } from "../summary/list-summaries.ts";
import { setSummary } from "../summary/set-summary.ts";
import { listSummaryInputs } from "../summary/summary-inputs.ts";
import type { deleteTask } from "../tasks/delete-task.ts";
import type { getTask, listHooks, listTasks } from "../tasks/list-tasks.ts";
import type { pollTasks } from "../tasks/run/poll-tasks.ts";
import type { retryTask } from "../tasks/run/retry-task.ts";
import type { completeTask, failTask } from "../tasks/run/worker-results.ts";
import type { extendLease } from "../tasks/take-task.ts";
import { previewPolicy } from "../window/preview.ts";
import { trimSession } from "../window/trim-session.ts";
import { getWindow } from "../window/window.ts";

/** Use cases without the parts that each of them takes first. */
export type Bound<Cases> = {
  readonly [Name in keyof Cases]: Cases[Name] extends (
    parts: never,
    ...asked: infer Asked
  ) => infer Result
    ? (...asked: Asked) => Result
    : never;
};

/** Gives use cases the parts that each of them takes first. */
export function bind<
  Parts,
  Cases extends Readonly<Record<string, (parts: Parts, ...asked: never[]) => unknown>>,
>(parts: Parts, useCases: Cases): Bound<Cases> {
  const bound = Object.entries(useCases).map(([name, of]) => [name, of.bind(undefined, parts)]);
  return Object.fromEntries(bound) as Bound<Cases>;
}

/** The use cases of a record; one whose input has no namespace does not fit. */
type InNamespaces<Cases> = {
  readonly [Name in keyof Cases]: Cases[Name] extends (
    parts: never,
    call: Call,
    input: infer Input,
  ) => unknown
    ? Input extends { readonly namespace: string }
      ? Cases[Name]
      : never
    : never;
};

/** Gives use cases their parts, and lets them run in turn: so many at a time. */
export function inTurn<
  Parts,
  Cases extends Readonly<
    Record<string, (parts: Parts, call: Call, input: never) => Promise<unknown>>
  >,
>(turns: Semaphore, parts: Parts, useCases: Cases & InNamespaces<Cases>): Bound<Cases> {
  const bound = Object.entries<Cases[string]>(useCases).map(([name, of]) => [
    name,
    (call: Call, input: { readonly namespace: string }) =>
      turns.run(call.signal, () => of(parts, call, input as never), input.namespace),
  ]);
  return Object.fromEntries(bound) as Bound<Cases>;
}

/** The use cases that need nothing but the context, by what they are about. */
const USE_CASES = {
  sessions: {
    createSession,
    getSession,
    listSessions,
    updateSession,
    deleteSession,
    forkSession,
    resetSession,
    appendMessages,
    listMessages,
    listSeveral,
    getMessage,
    updateMessage,
    deleteMessage,
    batchGetMessages,
    findMessages,
    batchDeleteMessages,
    deleteFoundMessages,
    popMessages,
    replaceMessages,
    getWindow,
    previewPolicy,
    trimSession,
    restoreMessages,
    listSummaryInputs,
    setSummary,
    fillToolResults,
  },
  summaries: { listSummaries, listSummarySources },
  records: {
    writeRecords,
    deleteRange,
    uploadPart,
    readRecords,
    readRecordRange,
    listRecords,
    listRecordPaths,
  },
  events: { listEvents, createConsumer, getConsumer, listConsumers, deleteConsumer, ackEvents },
  snapshots: { openSnapshot, exportWindow },
};

/** The use cases of recall: those that start at once, and those that take long, in their turn. */
export const RECALL = {
  atOnce: {
    upsertDocuments,
    getDocument,
    listDocuments,
    listCollections,
    refreshDocuments,
    deleteDocuments,
    clearCollection,
    embed,
  },
  inTurn: { recall, countItems, searchDocuments, purgeDocuments },
};

/** The use cases of long-term memory: those that start at once, and those that go over much. */
export const MEMORY = {
  atOnce: {
    remember,
    getMemory,
    updateMemory,
    reinforceMemories,
    forgetMemories,
    listMemoryVersions,
    restoreMemoryVersion,
    mergeEntities,
    extractMemories,
    consolidateSession,
  },
  inTurn: { searchMemories, decayMemories, purgeMemories, queryRelations },
};

type InContext = { readonly [Topic in keyof typeof USE_CASES]: Bound<(typeof USE_CASES)[Topic]> };

/** Gives the use cases that need nothing but the context their context. */
export function useCasesIn(context: ServiceContext): InContext {
  const { sessions, summaries, records, events, snapshots } = USE_CASES;
  return {
    sessions: bind(context, sessions),
    summaries: bind(context, summaries),
    records: bind(context, records),
    events: bind(context, events),
    snapshots: bind(context, snapshots),
  };
}

/** Facts of the store for AdminService. */
export interface AdminServiceApi {
  storeInfo(): {
    storeId: string;
    storeFormat: number;
  };
  /** The namespaces by name, after the one given. */
  listNamespaces(call: Call, after: string, limit: number): Promise<readonly ListedNamespace[]>;
  /**
   * Backs up the store. Throws BACK_UP_NOT_CONFIGURED, BACK_UP_RUNNING, COMPACTION_RUNNING,
   * BACK_UP_FAILED and RECORD_CORRUPT.
   */
  backUp(call: Call, input: BackUpInput): Promise<MadeBackUp>;
  /**
   * Compacts the store. Throws COMPACTION_RUNNING, BACK_UP_RUNNING, COMPACTION_FAILED and
   * RECORD_CORRUPT.
   */
  compactStore(
    call: Call,
    onProgress: (progress: CompactProgress) => void,
  ): Promise<ServedCompaction>;
}

/** Every use case, and how to stop. */
export interface Services {
  readonly sessions: InContext["sessions"] & { readonly searchSessions: SessionSearch["search"] };
  readonly snapshots: InContext["snapshots"] & Bound<{ importChunk: typeof importChunk }>;
  readonly summaries: InContext["summaries"] & Bound<{ compactSession: typeof compactSession }>;
  readonly hooks: Bound<{
    pollTasks: typeof pollTasks;
    completeTask: typeof completeTask;
    failTask: typeof failTask;
    extendLease: typeof extendLease;
    listTasks: typeof listTasks;
    getTask: typeof getTask;
    retryTask: typeof retryTask;
    deleteTask: typeof deleteTask;
    listHooks: typeof listHooks;
  }>;
  readonly recall: Bound<
    typeof RECALL.atOnce & typeof RECALL.inTurn & { countTokens: typeof countTokens }
  >;
  readonly memories: Bound<
    typeof MEMORY.atOnce &
      typeof MEMORY.inTurn & {
        listMemories: typeof listMemories;
        assembleContext: typeof assembleContext;
      }
  >;
  readonly records: InContext["records"];
  readonly erasures: Pick<Erasures, "eraseSubject" | "getErasure">;
  readonly events: InContext["events"] & {
    watch(call: Call, input: WatchInput): Promise<Watcher>;
  };
  readonly admin: AdminServiceApi;
  /** Ends every watcher with SHUTTING_DOWN; no new one can be opened. */
  endWatches(): void;
  /** Stops the background work. The store is closed by its owner. */
  stop(): Promise<void>;
}
