// Set-up of both plays: a real server on a store in a temporary directory, and a client.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { type RunningServer, startServer } from "../../test/support/process/server.ts";

/** A server process with its store, and a client for it. */
export interface Stage {
  readonly client: MemorySidecar;
  server(): RunningServer;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts the server again over the same store, at the same address. */
  restart(): Promise<void>;
  /** Stops everything and removes the store. */
  close(): Promise<void>;
}

/** The namespace of the demo. */
export const NAMESPACE = "demo";

/** Starts a server on a fresh store. */
export async function openStage(): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), "memory-sidecar-demo-"));
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  process.once("exit", remove);
  const options = { dataDir: join(dir, "data"), listen: `unix:${join(dir, "memory.sock")}` };
  let server = await startServer(options);
  // A restart may take longer than a client would wait by default.
  const retry = { maxAttempts: 100, maxDelayMs: 500 };
  const client = connect(server.address, { namespace: NAMESPACE, timeoutMs: 60_000, retry });
  return {
    client,
    server: () => server,
    kill: async () => {
      await server.kill("SIGKILL");
    },
    restart: async () => {
      server = await startServer(options);
    },
    close: async () => {
      client.close();
      await server.stop();
      remove();
      process.removeListener("exit", remove);
    },
  };
}
