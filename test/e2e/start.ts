// Starts servers that end with the test that started them, also when it fails.

import { onTestFinished } from "vitest";
import { type RunningServer, type ServerOptions, startServer } from "../support/process/server.ts";

/** Starts a server for the running test. */
export async function start(options: ServerOptions): Promise<RunningServer> {
  const server = await startServer(options);
  onTestFinished(async () => {
    await server.kill();
  });
  return server;
}
