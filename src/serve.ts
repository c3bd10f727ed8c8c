// `memory-sidecar serve`: opens the store, starts the server, and stops both when the system asks.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "pino";
import type { BackUpSettings } from "./admin/back-ups.ts";
import { type App, appSettings, startApp } from "./app.ts";
import { type Config, ConfigError, printConfig } from "./config.ts";
import { readMcpReach } from "./config-mcp.ts";
import { CODEC } from "./edge/codec.ts";
import { FACTS_MODULE } from "./facts-module.ts";
import {
  formatAddress,
  type ListenAddress,
  SOCKET_PATH_BYTES_MAX,
  StartError,
} from "./grpc/address.ts";
import type { Hooks } from "./hooks/port.ts";
import { createHooks } from "./hooks/registry.ts";
import { armFailpoints } from "./kit/failpoint.ts";
import { createLogs, type Logs } from "./log.ts";
import { INDEX_FOLDER, type IndexFileSettings } from "./recall/saved/index-files.ts";
import { createCopier } from "./store/backup/copier.ts";
import type { PageNews } from "./store/lmdb/start-check.ts";
import { type LmdbStore, openLmdbStore } from "./store/lmdb/store.ts";
import { VERSION } from "./version.ts";

/** Dependencies on the process that runs it. */
export interface ServeHost {
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  readonly onSignal: (signal: NodeJS.Signals, listener: () => void) => void;
  readonly onFault: (listener: (error: unknown) => void) => void;
}

/** Time that an orderly stop after a fault may take before the process ends anyway. */
const FAULT_STOP_MS = 2_000;

/** Memory that the server needs to outlive more load than it can take. */
const MEMORY_BYTES_MIN = 536_870_912;

/** Exit codes of serve. */
export const SERVE_EXIT = { stopped: 0, fault: 70 } as const;

/** Stops on SIGTERM and SIGINT; a second one ends calls at once. */
function stopOnSignals(app: App, host: ServeHost, log: Logger): void {
  let asked = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) {
      log.warn({ signal }, "stopping at once");
      app.kill();
      return;
    }
    asked = true;
    log.info({ signal }, "stopping");
    app.stop().then(
      () => {
        log.info("stopped");
        host.exit(SERVE_EXIT.stopped);
      },
      (error: unknown) => {
        log.error({ err: error }, "stop failed");
        host.exit(SERVE_EXIT.fault);
      },
    );
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    host.onSignal(signal, () => onSignal(signal));
  }
}

/** Opens the hooks. Throws ConfigError when a model of theirs cannot be used. */
async function openHooks(config: Config, logs: Logs): Promise<Hooks> {
  try {
    return await createHooks(config.hooks, {
      log: logs.hooks,
      allowExposedSecrets: config.allowExposedSecrets,
    });
  } catch (error) {
    throw new ConfigError([`the hooks file: ${(error as Error).message}`]);
  }
}

function logHooks(logs: Logs, hooks: Hooks): void {
  const kinds = Object.fromEntries([...hooks.byName].map(([name, { kind }]) => [name, kind]));
  const { defaultSummarizer, embedder = { kind: "static" } } = hooks;
  const chosen = {
    default_summarizer: defaultSummarizer,
    embedder: embedder.kind === "hook" ? embedder.hook : embedder.kind,
    default_reranker: hooks.defaultReranker,
    default_resolver: hooks.defaultResolver,
  };
  logs.hooks.info({ hooks: kinds, ...chosen }, "hooks");
}

function logPages(log: Logger, { when, pageCount, isWhole, lost }: PageNews): void {
  const rest = isWhole ? "" : "; all of them are checked in the background";
  log.info({ when, pages: pageCount }, `pages of the data file are sound${rest}`);
  if (lost !== undefined) log.warn({ pages: lost.examples }, `${lost.kind}: space is wasted`);
}

function backUpSettings(config: Config, store: LmdbStore, log: Logger): BackUpSettings {
  const copier = createCopier({
    source: config.dataDir,
    store,
    directory: config.backupDir,
    keep: config.backupKeep,
    freeBytes: config.diskFloorBytes,
    version: VERSION,
    factsModule: FACTS_MODULE,
    onJournalKept: () => {
      log.warn("the disk is full, so a back-up may name what was erased: make a new one later");
    },
  });
  const { backupEveryMs: everyMs, backupBytesPerSecond: bytesPerSecond } = config;
  return { copier, everyMs, bytesPerSecond };
}

function indexFileSettings({ dataDir, diskFloorBytes }: Config): IndexFileSettings {
  return { directory: join(dataDir, INDEX_FOLDER), freeBytes: diskFloorBytes };
}

const HTTP_SOCKET_NAME = "http.sock";

/** A socket for calls of the HTTP address, which needs no certificate. */
function httpSocket(config: Config): ListenAddress {
  const own = config.listen.find(({ kind }) => kind === "unix");
  if (own !== undefined) return own;
  const path = join(config.dataDir, HTTP_SOCKET_NAME);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return { kind: "unix", path };
  throw new ConfigError([
    `--http-listen needs a socket, and the path ${path} is longer than ${SOCKET_PATH_BYTES_MAX} ` +
      "bytes: listen on a Unix socket with a shorter path",
  ]);
}

/** Stops the address in front, then what is behind it, which stops in any case. */
export async function stopInOrder(...parts: readonly Pick<App, "stop">[]): Promise<void> {
  const [first, ...rest] = parts;
  try {
    await first?.stop();
  } finally {
    if (rest.length > 0) await stopInOrder(...rest);
  }
}

/** Starts the app and, with `--http-listen`, the HTTP address in front of it. */
async function startWithHttp(
  config: Config,
  start: (config: Config) => Promise<App>,
): Promise<App & { readonly http?: string }> {
  const { httpListen: address, tlsCert, tlsKey } = config;
  if (address === undefined) return await start(config);
  const socket = httpSocket(config);
  const isOwn = !config.listen.includes(socket);
  const app = await start(isOwn ? { ...config, listen: [...config.listen, socket] } : config);
  try {
    const { startMcpHttp } = await import("./mcp/http.ts");
    const pair = tlsCert !== undefined && tlsKey !== undefined;
    const http = await startMcpHttp({
      ...{ address, hosts: config.httpHosts, connectionsMax: config.maxConnections },
      headersTimeoutMs: config.prefaceTimeoutMs,
      stallTimeoutMs: config.stallTimeoutMs,
      tls: pair ? { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) } : undefined,
      ...{ server: formatAddress(socket), version: VERSION, reachOf: readMcpReach },
    });
    return { ...app, http: http.url, stop: () => stopInOrder(http, app) };
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/** Serves until the process is told to stop. Throws when the server cannot start. */
export async function serve(config: Config, host: ServeHost): Promise<void> {
  const logs = createLogs(config.logLevel);
  const { main: log } = logs;
  try {
    armFailpoints(config.failpoints);
  } catch (error) {
    throw new ConfigError([`--failpoints: ${(error as Error).message}`]);
  }
  const { backupDir } = config;
  if (backupDir !== undefined && statSync(backupDir, { throwIfNoEntry: false }) === undefined) {
    throw new ConfigError([`--backup-dir: there is no directory ${backupDir}`]);
  }
  log.info({ version: VERSION, config: JSON.parse(printConfig(config)) }, "starting");
  const { memoryBytes: memory_bytes } = config;
  if (memory_bytes < MEMORY_BYTES_MIN) {
    const minimum_bytes = MEMORY_BYTES_MIN;
    log.warn({ memory_bytes, minimum_bytes }, "the memory limit is below the minimum");
  }
  let app: (App & { readonly http?: string }) | undefined;
  let failed = false;
  // The memory may be wrong after a fault: the process ends, and the next one starts from the disk.
  const fail = (error: unknown): void => {
    if (failed) return;
    failed = true;
    log.error({ err: error }, "fatal: the process ends");
    setTimeout(() => host.exit(SERVE_EXIT.fault), FAULT_STOP_MS);
    app?.kill();
    const stopped = app?.stop() ?? Promise.resolve();
    stopped.then(
      () => host.exit(SERVE_EXIT.fault),
      () => host.exit(SERVE_EXIT.fault),
    );
  };
  host.onFault(fail);
  const hooks = await openHooks(config, logs);
  logHooks(logs, hooks);
  const store = await openLmdbStore({
    directory: config.dataDir,
    readFacts: CODEC.readFacts,
    allowNetworkFilesystem: config.allowNetworkFilesystem,
    floor: { bytes: config.diskFloorBytes },
    cacheBytes: config.cacheBytes,
    startCheckMs: config.startCheckMs,
    onPagesChecked: (news) => logPages(logs.storage, news),
    onFatal: (error) => {
      log.error({ err: error }, "fatal: the process ends");
      host.exit(SERVE_EXIT.fault);
    },
  });
  try {
    const backUps = backUpSettings(config, store, logs.storage);
    const indexFiles = indexFileSettings(config);
    app = await startWithHttp(config, (shown) => {
      const settings = appSettings(shown);
      return startApp({ settings, logs, store, hooks, backUps, indexFiles });
    });
  } catch (error) {
    throw error instanceof StartError ? new ConfigError([error.message]) : error;
  }
  stopOnSignals(app, host, log);
  const { addresses: address, http } = app;
  log.info(
    { address, http, version: VERSION, store_id: store.storeId, pid: process.pid },
    "serving",
  );
}
