// Puts the use cases together.

import { type BackUpNews, type BackUpSettings, BackUps } from "./admin/back-ups.ts";
import type { Codec } from "./core/codec.ts";
import type { ServiceContext, ServiceSettings } from "./core/context.ts";
import type { Participants } from "./core/participants.ts";
import { TokenCounter } from "./core/token-counter.ts";
import { createMemories } from "./create-memories.ts";
import { createRecall, type RecallSettings } from "./create-recall.ts";
import { createTasks } from "./create-tasks.ts";
import type { AdminServiceApi, Services } from "./edge/services-api.ts";
import { Erasures } from "./erase/erasures.ts";
import type { EventServiceApi } from "./events/api.ts";
import { EventFeed } from "./events/event-feed.ts";
import {
  ackEvents,
  createConsumer,
  deleteConsumer,
  getConsumer,
  listConsumers,
  listEvents,
  watchEvents,
} from "./events/events.ts";
import { type HookNews, hookStatesOf } from "./hooks/hook-state.ts";
import type { Hooks } from "./hooks/port.ts";
import { checkLive } from "./kit/call.ts";
import { snapshotInvalid } from "./kit/errors.ts";
import { Etags } from "./kit/etag.ts";
import type { World } from "./kit/world.ts";
import { memoryParticipant } from "./memory/learn/give.ts";
import type { RecordServiceApi } from "./records/api.ts";
import { deleteRange, writeRecords } from "./records/change-records.ts";
import {
  listRecordPaths,
  listRecords,
  readRecordRange,
  readRecords,
} from "./records/read-records.ts";
import { uploadPart } from "./records/upload-part.ts";
import type { SessionServiceApi } from "./session/api.ts";
import { appendMessages } from "./session/append.ts";
import {
  batchDeleteMessages,
  deleteFoundMessages,
  deleteMessage,
  popMessages,
} from "./session/delete-messages.ts";
import { fillToolResults } from "./session/fill-tool-results.ts";
import { forkSession } from "./session/fork-session.ts";
import { listMessages } from "./session/log/list-messages.ts";
import { listSeveral } from "./session/log/list-several.ts";
import { batchGetMessages, findMessages, getMessage, updateMessage } from "./session/messages.ts";
import { replaceMessages } from "./session/replace-messages.ts";
import { resetSession } from "./session/reset-session.ts";
import { restoreMessages } from "./session/restore-messages.ts";
import { SessionSearch } from "./session/search.ts";
import {
  createSession,
  deleteSession,
  getSession,
  listSessions,
  updateSession,
} from "./session/sessions.ts";
import type { DocumentCodec } from "./session/snapshot/api.ts";
import { exportWindow, openSnapshot } from "./session/snapshot/export-session.ts";
import { importChunk } from "./session/snapshot/import-session.ts";
import { Uploads } from "./session/snapshot/uploads.ts";
import { Upkeep } from "./session/upkeep.ts";
import type { Store } from "./store/store.ts";
import { summaryParticipant } from "./summary/hand-over.ts";
import { listSummaries, listSummarySources } from "./summary/list-summaries.ts";
import { setSummary } from "./summary/set-summary.ts";
import { listSummaryInputs } from "./summary/summary-inputs.ts";
import { DirectTasks } from "./tasks/run/direct-tasks.ts";
import { withWorkers } from "./tasks/run/polled-hooks.ts";
import { previewPolicy } from "./window/preview.ts";
import { trimSession } from "./window/trim-session.ts";
import { getWindow } from "./window/window.ts";

/** Dependencies of the services. */
export interface ServiceParts {
  readonly store: Store;
  readonly codec: Codec;
  readonly world: World;
  readonly settings: ServiceSettings;
  readonly hooks: Hooks;
  readonly recall: RecallSettings;
  /** Default: the server makes no back-ups. */
  readonly backUps?: BackUpSettings;
  /** Reports back-ups. Default: no report. */
  readonly onBackUpNews?: (news: BackUpNews) => void;
  /** Default: the documents of no other system are known. */
  readonly documents?: DocumentCodec;
  /** Reports failures of the background work; nothing else does. */
  readonly onBackgroundError: (error: unknown) => void;
  /** Reports hooks that fail, are paused, and are back. Default: no report. */
  readonly onHookNews?: (news: HookNews) => void;
}

/** Participants in changes of sessions. */
export const PARTICIPANTS: Participants = {
  summary: summaryParticipant,
  memory: memoryParticipant,
};

const NO_DOCUMENTS: DocumentCodec = {
  read: async (format) => {
    throw snapshotInvalid([{ field: "format", description: `is not known: ${format}` }]);
  },
  close: async () => {},
};

/** Makes every use case over a store and starts the background work. */
export function createServices(parts: ServiceParts): Services {
  const { store, codec, world, settings } = parts;
  const tokens = new TokenCounter();
  const direct = new DirectTasks(world);
  const hooks = withWorkers(parts.hooks, direct);
  const etags = new Etags(store.historyId);
  const context: ServiceContext = {
    ...{ store, etags, codec, world, settings, tokens, hooks },
    participants: PARTICIPANTS,
  };
  const feed = new EventFeed(store);
  const uploads = new Uploads(world.random);
  const documents = parts.documents ?? NO_DOCUMENTS;
  const imports = { service: context, documents, uploads };
  const upkeep = new Upkeep(context, parts.onBackgroundError);
  const states = hookStatesOf(hooks, world, parts.onHookNews);
  const recall = createRecall(context, { ...parts.recall, states }, parts.onBackgroundError);
  const memories = createMemories(context, {
    states,
    recall: recall.parts,
    search: recall.api.recall,
    onError: parts.onBackgroundError,
  });
  const backUps = new BackUps(parts.backUps, store.storeId, world.nowMs, parts.onBackUpNews);
  const erasures = new Erasures({ context, ...recall.erasing }, parts.onBackgroundError);
  const tasks = createTasks(context, { ...parts, direct, states, memoryJobs: memories.jobs });
  return {
    sessions: sessionsApi(context),
    summaries: {
      compactSession: (call, input) => tasks.compactSession(call, input),
      listSummaries: (call, input) => listSummaries(context, call, input),
      listSummarySources: (call, input) => listSummarySources(context, call, input),
    },
    hooks: tasks.hooks,
    recall: recall.api,
    memories: memories.api,
    records: recordsApi(context),
    snapshots: {
      openSnapshot: (call, ref) => openSnapshot(context, call, ref),
      exportWindow: (call, ref) => exportWindow(context, call, ref),
      importChunk: (call, chunk) => importChunk(imports, call, chunk),
    },
    erasures,
    events: eventsApi(context, feed),
    admin: adminApi(store, backUps),
    endWatches: () => {
      feed.close();
      tasks.endWaits();
    },
    stop: async () => {
      feed.close();
      await backUps.stop();
      await erasures.stop();
      await tasks.stop();
      await memories.stop();
      await recall.stop();
      uploads.close();
      await documents.close();
      await upkeep.stop();
      await tokens.close();
    },
  };
}

/** The server and its store. */
function adminApi(store: Store, backUps: BackUps): AdminServiceApi {
  return {
    storeInfo: () => ({
      storeId: store.storeId,
      storeFormat: store.format,
    }),
    listNamespaces: async (call, after, limit) => {
      checkLive(call.signal);
      return await store.listNamespaces(after, limit);
    },
    backUp: (call, input) => backUps.run(call.signal, input),
    compactStore: (call, onProgress) => backUps.compact(call.signal, onProgress),
  };
}

/** Sessions, their messages and their windows. */
function sessionsApi(context: ServiceContext): SessionServiceApi {
  const search = new SessionSearch(context);
  return {
    createSession: (call, input) => createSession(context, call, input),
    getSession: (call, ref) => getSession(context, call, ref),
    listSessions: (call, input) => listSessions(context, call, input),
    updateSession: (call, input) => updateSession(context, call, input),
    deleteSession: (call, input) => deleteSession(context, call, input),
    forkSession: (call, input) => forkSession(context, call, input),
    resetSession: (call, input) => resetSession(context, call, input),
    appendMessages: (call, input) => appendMessages(context, call, input),
    listMessages: (call, input) => listMessages(context, call, input),
    listSeveral: (call, input) => listSeveral(context, call, input),
    getMessage: (call, input) => getMessage(context, call, input),
    updateMessage: (call, input) => updateMessage(context, call, input),
    deleteMessage: (call, input) => deleteMessage(context, call, input),
    batchGetMessages: (call, input) => batchGetMessages(context, call, input),
    findMessages: (call, input) => findMessages(context, call, input),
    batchDeleteMessages: (call, input) => batchDeleteMessages(context, call, input),
    deleteFoundMessages: (call, input) => deleteFoundMessages(context, call, input),
    popMessages: (call, input) => popMessages(context, call, input),
    replaceMessages: (call, input) => replaceMessages(context, call, input),
    getWindow: (call, input) => getWindow(context, call, input),
    previewPolicy: (call, input) => previewPolicy(context, call, input),
    trimSession: (call, input) => trimSession(context, call, input),
    restoreMessages: (call, input) => restoreMessages(context, call, input),
    listSummaryInputs: (call, input) => listSummaryInputs(context, call, input),
    setSummary: (call, input) => setSummary(context, call, input),
    fillToolResults: (call, input) => fillToolResults(context, call, input),
    searchSessions: (call, input) => search.search(call, input),
  };
}

/** Records that callers keep by name. */
function recordsApi(context: ServiceContext): RecordServiceApi {
  return {
    writeRecords: (call, input) => writeRecords(context, call, input),
    deleteRange: (call, input) => deleteRange(context, call, input),
    uploadPart: (call, input) => uploadPart(context, call, input),
    readRecords: (call, input) => readRecords(context, call, input),
    readRecordRange: (call, input) => readRecordRange(context, call, input),
    listRecords: (call, input) => listRecords(context, call, input),
    listRecordPaths: (call, input) => listRecordPaths(context, call, input),
  };
}

/** Events, and who follows them. */
function eventsApi(context: ServiceContext, feed: EventFeed): EventServiceApi {
  return {
    watch: (call, input) => watchEvents(context, feed, call, input),
    listEvents: (call, input) => listEvents(context, call, input),
    createConsumer: (call, input) => createConsumer(context, call, input),
    getConsumer: (call, ref) => getConsumer(context, call, ref),
    listConsumers: (call, input) => listConsumers(context, call, input),
    deleteConsumer: (call, input) => deleteConsumer(context, call, input),
    ackEvents: (call, input) => ackEvents(context, call, input),
  };
}
