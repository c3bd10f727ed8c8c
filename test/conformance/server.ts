// A server and a connection to it for the tests of the runner.

import { startServer } from "../support/server.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { type Connection, connectTo } from "./rpc.ts";

/** A server process of its own, over an empty data directory. */
export interface CaseServer extends AsyncDisposable {
  readonly connection: Connection;
}

/** Starts a server. Dispose of it to stop it and to remove what it stored. */
export async function startCaseServer(): Promise<CaseServer> {
  const directory = await makeTempDir();
  const server = await startServer({ dataDir: directory.path });
  const connection = connectTo(server.address);
  return {
    connection,
    [Symbol.asyncDispose]: async () => {
      connection.close();
      await server.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}
