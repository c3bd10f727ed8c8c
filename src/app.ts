// The composition root: puts a server together from a configuration, and takes it apart again.

import type { BackUpNews, BackUpSettings } from "./admin/back-ups.ts";
import type { Config } from "./config.ts";
import type { ServiceSettings } from "./core/context.ts";
import { CODEC } from "./edge/codec.ts";
import type { Services } from "./edge/services-api.ts";
import { createPageTokens } from "./grpc/page-token.ts";
import { createResumeTokens } from "./grpc/resume-token.ts";
import { DEFAULT_HOOKS } from "./hooks/config-types.ts";
import type { HookNews } from "./hooks/hook-state.ts";
import type { Hooks } from "./hooks/port.ts";
import { createHooks } from "./hooks/registry.ts";
import { Etags } from "./kit/etag.ts";
import { SYSTEM_WORLD, type World } from "./kit/world.ts";
import type { Logs } from "./log.ts";
import { MEMORY_CODEC } from "./memory/wire.ts";
import { DOCUMENT_FORMS } from "./recall/documents/wire.ts";
import { staticModel } from "./recall/embed/static.ts";
import { embedderModel } from "./recall/feed/embedder.ts";
import { createThreadIndex } from "./recall/index/client.ts";
import type { IndexModel } from "./recall/index/port.ts";
import { INDEX_CODEC } from "./recall/indexed-wire.ts";
import { type IndexFileSettings, IndexFiles } from "./recall/saved/index-files.ts";
import { type RunningServer, type ServerSettings, startServer } from "./server.ts";
import { createServices } from "./services.ts";
import { DocumentReader } from "./session/forms/read.ts";
import { Exports } from "./session/snapshot/export-wire.ts";
import type { Store } from "./store/store.ts";
import { VERSION } from "./version.ts";

/** The settings of the parts above the store. */
export type AppSettings = ServerSettings &
  ServiceSettings & {
    readonly checkpointIntervalMs: number;
    /** The memory of the window cache, in bytes. */
    readonly cacheBytes: number;
    /** The memory of the index of recall, in bytes. */
    readonly recallMemoryBytes: number;
  };

/** Parts of an app. */
export interface AppParts {
  readonly settings: AppSettings;
  readonly logs: Logs;
  /** Opened before, closed by the app when it stops. Its directory is locked by now. */
  readonly store: Store;
  /** Closed by the app when it stops. Default: the built-in hook, which is then the default. */
  readonly hooks?: Hooks;
  /** Default: the server makes no back-ups. */
  readonly backUps?: BackUpSettings;
  /** The files that keep indexes of recall for the next start. Default: none are kept. */
  readonly indexFiles?: IndexFileSettings;
  /** The clock and the randomness. Default: those of the system. */
  readonly world?: World;
}

/** A server with its store. */
export interface App {
  readonly addresses: readonly string[];
  readonly services: Services;
  /** Ends calls, background work, hooks and the store, in this order. Safe to call twice. */
  readonly stop: () => Promise<void>;
  /** Ends every call at once; `stop` still closes the rest. */
  readonly kill: () => void;
}

/** Names the code that makes indexes: words are cut by rules of the runtime, too. */
const CODE = `${VERSION} ${process.version} ${process.arch}`;

/** Gives the settings of an app from a configuration. */
export function appSettings(config: Config): AppSettings {
  return {
    ...config,
    reflection: !config.disableReflection,
    handlersMax: config.maxHandlers,
    connectionsMax: config.maxConnections,
    streamsMax: config.maxStreams,
    watchStreamsMax: config.watchStreams,
    bufferedBytesMax: config.maxBufferedBytes,
    connectionBufferedBytesMax: config.maxConnectionBufferedBytes,
    eventAgeMsMax: config.eventRetentionAgeMs,
    eventCountMax: config.eventRetentionCount,
    ...decayOf(config),
  };
}

/** A factor of 1 leaves the confidence of memories as it is. */
function decayOf(config: Config): Pick<AppSettings, "memoryDecay"> {
  const { memoryDecayFactor: factor, memoryDecayPeriodMs: periodMs } = config;
  if (factor === 1) return {};
  return { memoryDecay: { factor, periodMs, floor: config.memoryDecayFloor } };
}

function logHookNews({ hooks: log }: Logs, news: HookNews): void {
  const { kind, hook } = news;
  if (kind === "up") log.info({ hook }, "the hook answers again");
  else if (kind === "failed") {
    const { reason, count } = news;
    log.warn({ hook, reason, count }, "attempts of the hook failed");
  } else {
    const { reason, waitMs } = news;
    log.warn({ hook, reason, wait_ms: waitMs }, "the hook keeps failing and is left alone");
  }
}

function logBackUp({ storage: log }: Logs, news: BackUpNews): void {
  if (news.kind === "failed") log.error({ err: news.error }, "the scheduled back-up failed");
  else {
    const { name, bytes, startMs, endMs } = news.backUp;
    log.info({ name, bytes, ms: endMs - startMs }, "the scheduled back-up is made");
  }
}

/** The model whose vectors the index compares. */
function modelOf(hooks: Hooks): IndexModel {
  if (hooks.embedder?.kind === "none") return { id: "", dimensions: 0, isLocal: false };
  const embedder = embedderModel(hooks);
  if (embedder !== undefined) {
    return { id: embedder.model, dimensions: embedder.dimensions, isLocal: false };
  }
  const { model: id, dimensions } = staticModel();
  return { id, dimensions, isLocal: true };
}

/** The limits on memory, by the names that clients see in snake case. */
function memoryLimitsOf(settings: AppSettings): Readonly<Record<string, number>> {
  return {
    memoryBytes: settings.memoryBytes,
    bufferedBytes: settings.bufferedBytesMax,
    connectionBufferedBytes: settings.connectionBufferedBytesMax,
    cacheBytes: settings.cacheBytes,
    recallMemoryBytes: settings.recallMemoryBytes,
  };
}

/** Starts an app. Closes the store when the server cannot start. */
export async function startApp(parts: AppParts): Promise<App> {
  const { settings, logs, store } = parts;
  const world = parts.world ?? SYSTEM_WORLD;
  const hooks = parts.hooks ?? (await createHooks(DEFAULT_HOOKS, { log: logs.hooks }));
  const memoryBytes = settings.recallMemoryBytes;
  const index = createThreadIndex({ model: modelOf(hooks), memoryBytes });
  const onBackgroundError = (error: unknown): void =>
    logs.service.error({ err: error }, "background work failed");
  const files = parts.indexFiles && new IndexFiles(parts.indexFiles, onBackgroundError);
  const services = createServices({
    store,
    hooks,
    recall: {
      index,
      codec: { ...INDEX_CODEC, ...DOCUMENT_FORMS, ...MEMORY_CODEC },
      memoryBytes,
      ...(files === undefined ? {} : { saved: { files, code: CODE } }),
    },
    codec: CODEC,
    documents: new DocumentReader(),
    world,
    settings,
    onBackgroundError,
    onHookNews: (news) => logHookNews(logs, news),
    ...(parts.backUps === undefined ? {} : { backUps: parts.backUps }),
    onBackUpNews: (news) => logBackUp(logs, news),
  });
  const stopServices = async (): Promise<void> => {
    await services.stop();
    await index.close();
    await hooks.close();
    await store.close();
  };
  let server: RunningServer;
  try {
    server = await startServer({
      settings,
      log: logs.server,
      callLog: logs.rpc,
      nowMs: world.nowMs,
      context: {
        services,
        etags: new Etags(store.historyId),
        pageTokens: createPageTokens(store.historyId, store.lineage),
        resumeTokens: createResumeTokens(store.historyId, store.lineage),
        exports: new Exports(),
        server: { version: VERSION, startMs: world.nowMs(), limits: memoryLimitsOf(settings) },
        checkpointIntervalMs: settings.checkpointIntervalMs,
      },
    });
  } catch (error) {
    await stopServices();
    throw error;
  }
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= server.stop().then(stopServices);
    return stopping;
  };
  const kill = (): void => {
    // The memory may be wrong, or there is no time.
    files?.close();
    server.kill();
  };
  return { addresses: server.addresses, services, stop, kill };
}
