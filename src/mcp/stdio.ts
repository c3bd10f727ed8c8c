// `memory-sidecar mcp`: speaks the protocol on the standard streams. Standard output carries
// nothing else; problems go to the standard error, without content.

import { readFileSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { connect, type MemorySidecar } from "../gen/client/index.ts";
import { StartError } from "../grpc/address.ts";
import { folded, type Graph, KnowledgeGraph } from "./graph.ts";
import type { McpReach } from "./reach.ts";
import { parseGraphFile } from "./reference-tools.ts";
import { createMcpServer } from "./server.ts";

/** Settings of the command. */
export interface StdioSettings {
  /** Address of the running server, as the client takes it. */
  readonly address: string;
  readonly token: string | undefined;
  /** Certificates to trust, a file in PEM; true for those of the system. */
  readonly tls: boolean | string;
  readonly timeoutMs: number;
  /** A file of the reference memory server to take over first. */
  readonly importFile: string | undefined;
  readonly reach: McpReach;
  readonly version: string;
}

/** Takes a file of the reference memory server over. What is known already stays. */
async function takeOver(client: MemorySidecar, reach: McpReach, file: string): Promise<void> {
  let found: Graph;
  try {
    found = parseGraphFile(readFileSync(file, "utf8"));
  } catch (error) {
    throw new StartError(`--import-memory: ${file}: ${(error as Error).message}`);
  }
  const graph = new KnowledgeGraph(client, reach);
  const entities = await graph.createEntities(found.entities);
  // Entities that were there keep what they know and learn the rest, under the name that they have.
  const names = new Map((await graph.read()).entities.map(({ name }) => [folded(name), name]));
  const known = (name: string): string => names.get(folded(name)) ?? name;
  const observed = found.entities
    .filter(({ name }) => names.has(folded(name)))
    .map(({ name, observations }) => ({ entityName: known(name), observations }));
  await graph.addObservations(observed);
  const relations = await graph.createRelations(
    found.relations.map((one) => ({ ...one, from: known(one.from), to: known(one.to) })),
  );
  const counts = `${entities.length} new entities and ${relations.length} new relations`;
  process.stderr.write(`memory-sidecar: took ${counts} from ${file}\n`);
}

/** Serves until the standard input ends. */
export async function serveMcp(settings: StdioSettings): Promise<void> {
  const { address, token, tls, timeoutMs, importFile, reach, version } = settings;
  const client = connect(address, {
    ...{ token, timeoutMs, namespace: reach.namespace },
    tls: typeof tls === "string" ? { ca: tls } : tls || undefined,
    // While the server restarts, a call waits for it as long as its time lasts.
    retry: { maxAttempts: 1_000 },
  });
  try {
    if (importFile !== undefined) await takeOver(client, reach, importFile);
    const ended = Promise.withResolvers<void>();
    process.stdin.once("end", ended.resolve).once("close", ended.resolve);
    const handle = serveStdio(() => createMcpServer({ client, reach, version }), {
      onerror: (error) => process.stderr.write(`memory-sidecar: ${error.name} in the protocol\n`),
    });
    await ended.promise;
    await handle.close();
  } finally {
    client.close();
  }
}
