// Puts the use cases together.

import { type BackUpNews, type BackUpSettings, BackUps } from "./admin/back-ups.ts";
import type { Codec } from "./core/codec.ts";
import type { ServiceContext, ServiceSettings } from "./core/context.ts";
import type { Participants } from "./core/participants.ts";
import { TokenCounter } from "./core/token-counter.ts";
import { createMemories } from "./create-memories.ts";
import { createRecall, type RecallSettings } from "./create-recall.ts";
import { createTasks } from "./create-tasks.ts";
import { type AdminServiceApi, type Services, useCasesIn } from "./edge/services-api.ts";
import { Erasures } from "./erase/erasures.ts";
import { EventFeed } from "./events/event-feed.ts";
import { watchEvents } from "./events/events.ts";
import { type HookNews, hookStatesOf } from "./hooks/hook-state.ts";
import type { Hooks } from "./hooks/port.ts";
import { checkLive } from "./kit/call.ts";
import { snapshotInvalid } from "./kit/errors.ts";
import { Etags } from "./kit/etag.ts";
import type { World } from "./kit/world.ts";
import { memoryParticipant } from "./memory/learn/give.ts";
import { SessionSearch } from "./session/search.ts";
import type { DocumentCodec } from "./session/snapshot/api.ts";
import { importChunk } from "./session/snapshot/import-session.ts";
import { Uploads } from "./session/snapshot/uploads.ts";
import { Upkeep } from "./session/upkeep.ts";
import type { Store } from "./store/store.ts";
import { summaryParticipant } from "./summary/hand-over.ts";
import { DirectTasks } from "./tasks/run/direct-tasks.ts";
import { withWorkers } from "./tasks/run/polled-hooks.ts";

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
  const { sessions, summaries, records, events, snapshots } = useCasesIn(context);
  const search = new SessionSearch(context);
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
    sessions: { ...sessions, searchSessions: (call, input) => search.search(call, input) },
    summaries: { ...summaries, compactSession: tasks.compactSession },
    hooks: tasks.hooks,
    recall: recall.api,
    memories: memories.api,
    records,
    snapshots: { ...snapshots, importChunk: (call, chunk) => importChunk(imports, call, chunk) },
    erasures,
    events: { ...events, watch: (call, input) => watchEvents(context, feed, call, input) },
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
