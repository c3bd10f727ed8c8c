// `memory-sidecar serve`: opens the store, starts the server, and stops both when the system asks.

import type { Logger } from "pino";
import { type App, appSettings, startApp } from "./app.ts";
import { type Config, ConfigError, printConfig } from "./config.ts";
import { createHooks } from "./hooks/registry.ts";
import { armFailpoints } from "./lib/failpoint.ts";
import { createLogs, type Logs } from "./log.ts";
import type { Hooks } from "./service/hook-port.ts";
import { openLmdbStore } from "./storage/lmdb/store.ts";
import { CODEC } from "./transport/convert/message.ts";
import { StartError } from "./transport/start-error.ts";
import { VERSION } from "./version.ts";

/** What serve needs of the process that runs it. */
export interface ServeHost {
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  readonly onSignal: (signal: NodeJS.Signals, listener: () => void) => void;
  readonly onFault: (listener: (error: unknown) => void) => void;
}

/** How long a fault may take to stop in order before the process ends anyway. */
const FAULT_STOP_MS = 2_000;

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
    return await createHooks(config.hooks, { log: logs.hooks });
  } catch (error) {
    throw new ConfigError([`the hooks file: ${(error as Error).message}`]);
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
  log.info({ version: VERSION, config: JSON.parse(printConfig(config)) }, "starting");
  let app: App | undefined;
  let failed = false;
  // After a failed commit the store refuses work, and what is in memory can no longer be trusted:
  // the process ends, and the next one starts from what is on the disk.
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
  const kinds = Object.fromEntries([...hooks.byName].map(([name, { kind }]) => [name, kind]));
  const { defaultSummarizer, embedder = { kind: "static" } } = hooks;
  const chosen = {
    default_summarizer: defaultSummarizer,
    embedder: embedder.kind === "hook" ? embedder.hook : embedder.kind,
    default_reranker: hooks.defaultReranker,
    default_resolver: hooks.defaultResolver,
  };
  logs.hooks.info({ hooks: kinds, ...chosen }, "hooks");
  const store = await openLmdbStore({
    directory: config.dataDir,
    readFacts: CODEC.readFacts,
    allowNetworkFilesystem: config.allowNetworkFilesystem,
    floor: { bytes: config.diskFloorBytes },
    cacheBytes: config.cacheBytes,
    onFatal: fail,
  });
  try {
    app = await startApp({ settings: appSettings(config), logs, store, hooks });
  } catch (error) {
    throw error instanceof StartError ? new ConfigError([error.message]) : error;
  }
  stopOnSignals(app, host, log);
  log.info(
    { address: app.addresses, version: VERSION, store_id: store.storeId, pid: process.pid },
    "serving",
  );
}
