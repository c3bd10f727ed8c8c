// `memory-sidecar mcp`: speaks the protocol on the standard streams. Standard output carries
// nothing else; problems go to the standard error, without content.

import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { connect } from "../gen/client/index.ts";
import type { McpReach } from "./reach.ts";
import { createMcpServer } from "./server.ts";

/** Settings of the command. */
export interface StdioSettings {
  /** Address of the running server, as the client takes it. */
  readonly address: string;
  readonly token: string | undefined;
  /** Certificates to trust, a file in PEM; true for those of the system. */
  readonly tls: boolean | string;
  readonly timeoutMs: number;
  readonly reach: McpReach;
  readonly version: string;
}

/** Serves until the standard input ends. */
export async function serveMcp(settings: StdioSettings): Promise<void> {
  const { address, token, tls, timeoutMs, reach, version } = settings;
  const client = connect(address, {
    ...{ token, timeoutMs, namespace: reach.namespace },
    tls: typeof tls === "string" ? { ca: tls } : tls || undefined,
    // While the server restarts, a call waits for it as long as its time lasts.
    retry: { maxAttempts: 1_000 },
  });
  const ended = Promise.withResolvers<void>();
  process.stdin.once("end", ended.resolve).once("close", ended.resolve);
  const handle = serveStdio(() => createMcpServer({ client, reach, version }), {
    onerror: (error) => process.stderr.write(`memory-sidecar: ${error.name} in the protocol\n`),
  });
  await ended.promise;
  await handle.close();
  client.close();
}
