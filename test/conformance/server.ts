// A server, the hook that it calls, and a connection to it.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";
import { startCaseHooks } from "./hook.ts";
import { type Connection, connectTo } from "./rpc.ts";

/** A server process of its own, over an empty data directory. */
export interface CaseServer extends AsyncDisposable {
  readonly connection: Connection;
}

/** Starts a server. Dispose of it to stop it and to remove what it stored. */
export async function startCaseServer(): Promise<CaseServer> {
  const directory = await makeTempDir();
  const hooks = await startCaseHooks();
  const hooksFile = join(directory.path, "hooks.json");
  await writeFile(hooksFile, JSON.stringify(hooks.file));
  const dataDir = join(directory.path, "data");
  const server = await startServer({ dataDir, args: ["--hooks-file", hooksFile] });
  const connection = connectTo(server.address, hooks);
  return {
    connection,
    [Symbol.asyncDispose]: async () => {
      connection.close();
      await server.stop();
      await hooks[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
