// The official client of the protocol, and the packages that test/mcp/package.json pins. They are
// installed at the first run, so nothing of them is imported by type.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { SERVER_MAIN } from "../process/server.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** The folder of the packages. */
export const PEERS = join(ROOT, "test/mcp");
/** A tool as a client sees it. */
export interface SeenTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, boolean>>;
}

interface Named {
  readonly memory_id: string;
  readonly session_id: string;
  readonly seq: number;
  readonly text: string;
  readonly version: number;
}

/** The data of all tools: each gives some of it. */
export interface SeenData extends Named {
  readonly memory: Named;
  readonly memories: readonly Named[];
  readonly hits: readonly Named[];
  readonly sessions: readonly Named[];
  readonly messages: readonly Named[];
  readonly more: boolean;
  readonly earlier: boolean;
}

/** The answer of a tool. */
export interface SeenAnswer {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: object;
  readonly isError?: boolean;
}

/** The part of the official client that the tests use. */
export interface ProtocolClient {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  listTools(): Promise<{ readonly tools: readonly SeenTool[] }>;
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<SeenAnswer>;
  /** Gets all pages; `request` gets one. */
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  request(call: {
    readonly method: "resources/list";
    readonly params: { readonly cursor?: string };
  }): Promise<{
    readonly resources: readonly { readonly name: string }[];
    readonly nextCursor?: string;
  }>;
  readResource(wish: { readonly uri: string }): Promise<{
    readonly contents: readonly { readonly uri: string; readonly text: string }[];
  }>;
  listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
  getPrompt(wish: { readonly name: string; readonly arguments?: object }): Promise<{
    readonly messages: readonly { readonly content: { readonly text: string } }[];
  }>;
}

/** A connection of the protocol, closed when the test ends. */
export interface Peer {
  readonly client: ProtocolClient;
  /** Calls a tool. */
  call(name: string, args?: object): Promise<SeenAnswer>;
  /** Calls a tool that must succeed; gives its data. */
  data(name: string, args?: object): Promise<SeenData>;
}

/** Installs the packages unless they are there. Files of tests run side by side: one installs. */
export function installPeers(): void {
  const isThere = () => existsSync(join(PEERS, "node_modules/.package-lock.json"));
  if (isThere()) return;
  const lock = join(tmpdir(), `memory-sidecar-mcp-${process.ppid}.lock`);
  try {
    mkdirSync(lock);
  } catch {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let waited = 0; !isThere() && waited < 100_000; waited += 200) {
      Atomics.wait(pause, 0, 0, 200);
    }
    if (!isThere()) throw new Error(`Another test did not install ${PEERS}; ${lock} is its lock.`);
    return;
  }
  try {
    if (!isThere()) execFileSync("npm", ["ci", "--ignore-scripts", "--silent"], { cwd: PEERS });
  } finally {
    rmSync(lock, { recursive: true });
  }
}

type Made = new (...args: readonly unknown[]) => object;

async function load(path: string): Promise<Readonly<Record<string, Made>>> {
  installPeers();
  const file = join(PEERS, "node_modules/@modelcontextprotocol/client/dist", path);
  return await import(pathToFileURL(file).href);
}

/** Makes a class of the client. */
async function make(file: string, name: string, ...args: readonly unknown[]): Promise<object> {
  const Class = (await load(file))[name];
  if (Class === undefined) throw new Error(`${file} has no ${name}`);
  return new Class(...args);
}

async function peerOf(transport: object, options: object): Promise<Peer> {
  const info = { name: "test", version: "1" };
  const client = (await make("index.mjs", "Client", info, options)) as ProtocolClient;
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = (name: string, args: object = {}) => client.callTool({ name, arguments: args });
  const data = async (name: string, args: object = {}) => {
    const answer = await call(name, args);
    if (answer.isError === true) throw new Error(answer.content[0]?.text);
    return answer.structuredContent as SeenData;
  };
  return { client, call, data };
}

/** Starts a command that speaks the protocol on its standard streams, and connects to it. */
export async function overStdio(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Peer> {
  const parameters = { command, args, env: { PATH: process.env["PATH"], ...env } };
  const wish = { ...parameters, stderr: "inherit" };
  return await peerOf(await make("stdio.mjs", "StdioClientTransport", wish), {});
}

/** Starts `memory-sidecar mcp` for a server. */
export async function overCommand(address: string, ...flags: readonly string[]): Promise<Peer> {
  return await overStdio(process.execPath, [SERVER_MAIN, "mcp", "--server", address, ...flags]);
}

/** Connects over HTTP. */
export async function overHttp(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  options: object = {},
): Promise<Peer> {
  const wish = [new URL(url), { requestInit: { headers } }];
  return await peerOf(await make("index.mjs", "StreamableHTTPClientTransport", ...wish), options);
}
