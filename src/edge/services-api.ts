// Every use case of the server, as its edge calls them.

import type { BackUpInput, MadeBackUp } from "../admin/back-ups.ts";
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
import type { MemoryServiceApi } from "../memory/api.ts";
import type { RecallServiceApi } from "../recall/api.ts";
import { deleteRange, writeRecords } from "../records/change-records.ts";
import {
  listRecordPaths,
  listRecords,
  readRecordRange,
  readRecords,
} from "../records/read-records.ts";
import { uploadPart } from "../records/upload-part.ts";
import { appendMessages } from "../session/append.ts";
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
import { listSummaries, listSummarySources } from "../summary/list-summaries.ts";
import { setSummary } from "../summary/set-summary.ts";
import { listSummaryInputs } from "../summary/summary-inputs.ts";
import type { HookServiceApi, SummaryServiceApi } from "../tasks/api.ts";
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

/** Gives use cases their parts, and lets them run in turn: so many at a time. */
export function inTurn<Parts>(turns: Semaphore, parts: Parts) {
  return <Input extends { readonly namespace: string }, Result>(
    useCase: (parts: Parts, call: Call, input: Input) => Promise<Result>,
  ) =>
    (call: Call, input: Input): Promise<Result> =>
      turns.run(call.signal, () => useCase(parts, call, input), input.namespace);
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
  readonly summaries: InContext["summaries"] & Pick<SummaryServiceApi, "compactSession">;
  readonly hooks: HookServiceApi;
  readonly recall: RecallServiceApi;
  readonly memories: MemoryServiceApi;
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
