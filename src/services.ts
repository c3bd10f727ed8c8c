// Puts the use cases together.

import { snapshotInvalid } from "../domain/errors.ts";
import { Etags } from "../domain/etag.ts";
import type { Store } from "../storage/store.ts";
import type {
  Codec,
  EventServiceApi,
  ServiceSettings,
  Services,
  SessionServiceApi,
  World,
} from "./api.ts";
import { appendMessages } from "./append.ts";
import type { ChangeNews, ServiceContext } from "./context.ts";
import { EventFeed } from "./event-feed.ts";
import {
  ackEvents,
  createConsumer,
  deleteConsumer,
  getConsumer,
  listConsumers,
  listEvents,
  watchEvents,
} from "./events.ts";
import { exportWindow, openSnapshot } from "./export-session.ts";
import { fillToolResults } from "./fill-tool-results.ts";
import { forkSession } from "./fork-session.ts";
import type { Hooks } from "./hook-port.ts";
import { importChunk } from "./import-session.ts";
import { listSummaries, listSummarySources } from "./list-summaries.ts";
import { createMemories } from "./memories/create-memories.ts";
import { deleteMessage, getMessage, listMessages, updateMessage } from "./messages.ts";
import { previewPolicy } from "./preview.ts";
import { createRecall, type RecallSettings } from "./recall/create-recall.ts";
import { watchedStore } from "./recall/watched-store.ts";
import { resetSession } from "./reset-session.ts";
import { restoreMessages } from "./restore-messages.ts";
import { SessionSearch } from "./search.ts";
import { createSession, deleteSession, getSession, listSessions } from "./sessions.ts";
import { setSummary } from "./set-summary.ts";
import type { DocumentCodec } from "./snapshot-api.ts";
import { listSummaryInputs } from "./summary-inputs.ts";
import { createTasks } from "./tasks/create-tasks.ts";
import { DirectTasks } from "./tasks/direct-tasks.ts";
import { type HookNews, hookStatesOf } from "./tasks/hook-state.ts";
import { withWorkers } from "./tasks/polled-hooks.ts";
import { TokenCounter } from "./token-counter.ts";
import { trimSession } from "./trim-session.ts";
import { updateSession } from "./update-session.ts";
import { Upkeep } from "./upkeep.ts";
import { Uploads } from "./uploads.ts";
import { getWindow } from "./window.ts";

/** What the services stand on. */
export interface ServiceParts {
  readonly store: Store;
  readonly codec: Codec;
  readonly world: World;
  readonly settings: ServiceSettings;
  readonly hooks: Hooks;
  readonly recall: RecallSettings;
  /** Default: the documents of no other system are known. */
  readonly documents?: DocumentCodec;
  /** Hears of failures of the background work; nothing else does. */
  readonly onBackgroundError: (error: unknown) => void;
  /** Hears that hooks fail, are left alone for a while, and are back. Default: nobody does. */
  readonly onHookNews?: (news: HookNews) => void;
}

const NO_DOCUMENTS: DocumentCodec = {
  read: async (format) => {
    throw snapshotInvalid([{ field: "format", description: `is not known: ${format}` }]);
  },
  close: async () => {},
};

/** Makes every use case over a store and starts the background work. */
export function createServices(parts: ServiceParts): Services {
  const { codec, world, settings } = parts;
  const store = watchedStore(parts.store, (namespace, places) =>
    recall.parts.keeper.memoriesChanged(namespace, places),
  );
  const tokens = new TokenCounter();
  const direct = new DirectTasks(world);
  const hooks = withWorkers(parts.hooks, direct);
  const news: ChangeNews = {};
  const etags = new Etags(store.historyId);
  const context: ServiceContext = { store, etags, codec, world, settings, tokens, hooks, news };
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
  const tasks = createTasks(context, { ...parts, direct, states, memoryJobs: memories.jobs });
  news.documentsChanged = (ref, numbers) => recall.parts.keeper.documentsChanged(ref, numbers);
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
    snapshots: {
      openSnapshot: (call, ref) => openSnapshot(context, call, ref),
      exportWindow: (call, ref) => exportWindow(context, call, ref),
      importChunk: (call, chunk) => importChunk(imports, call, chunk),
    },
    events: eventsApi(context, feed),
    admin: {
      storeInfo: () => ({
        storeId: store.storeId,
        storeFormat: store.format,
      }),
    },
    endWatches: () => {
      feed.close();
      tasks.endWaits();
    },
    stop: async () => {
      feed.close();
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
    getMessage: (call, input) => getMessage(context, call, input),
    updateMessage: (call, input) => updateMessage(context, call, input),
    deleteMessage: (call, input) => deleteMessage(context, call, input),
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
