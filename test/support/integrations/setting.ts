// The setting of an integration's tests: the real server, and clients in namespaces of their own.

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { connect, type MemorySidecar } from "@memory-sidecar/client";
import { makeTempDir } from "../kit/temp-dir.ts";
import { startServer } from "../process/server.ts";

/** A running server with its clients. */
export interface Setting extends AsyncDisposable {
  readonly address: string;
  /** Makes a client, by default in a new namespace. */
  client(namespace?: string): MemorySidecar;
  /** Kills the server with signal 9 and starts it again at the same address. */
  restart(): Promise<void>;
}

/** Starts a server in a new directory. */
export async function startSetting(): Promise<Setting> {
  const directory = await makeTempDir();
  // A socket keeps its address over restarts.
  const options = { dataDir: `${directory.path}/data`, listen: `unix:${directory.path}/s.sock` };
  let server = await startServer(options);
  const clients: MemorySidecar[] = [];
  return {
    address: server.address,
    client(namespace = `t-${randomUUID()}`) {
      // Calls wait out a restart, which is slow on a busy machine.
      const patience = { timeoutMs: 60_000, retry: { maxAttempts: 100 } };
      const client = connect(server.address, { namespace, ...patience });
      clients.push(client);
      return client;
    },
    async restart() {
      await server.kill();
      server = await startServer(options);
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await server.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** Erases a user and waits until that is done. */
export async function erase(client: MemorySidecar, userId: string): Promise<void> {
  let erasure = await client.eraseSubject({ userId });
  while (erasure.endTime === undefined) {
    await wait(20);
    erasure = await client.getErasure(erasure.erasureId);
  }
}
