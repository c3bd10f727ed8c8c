// The protocol over HTTP, at `/mcp`: the same tools, each request on its own. A request brings its
// token, which goes with every call to the gRPC address of this server: authorization, limits and
// deadlines stay there.

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createSecureServer } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { connect, isMemorySidecarError, type MemorySidecar } from "../gen/client/index.ts";
import { StartError, type TcpAddress } from "../grpc/address.ts";
import type { McpReach } from "./reach.ts";
import { createMcpServer } from "./server.ts";
import { faultText } from "./tool.ts";

const PATH = "/mcp";
/** The most bytes of a request: what a call to the server may have. */
const BODY_BYTES_MAX = 4_194_304;
const IDLE_TIMEOUT_MS = 60_000;
/** The least that a reader takes of an answer, and how often the limits of requests are checked. */
const READ_BYTES_PER_S = 4_096;
const CHECKS_MS = { least: 100, most: 5_000 } as const;
/** Size of the parts in which an answer is handed over. */
const PART_BYTES = 65_536;
const CALL_TIMEOUT_MS = 30_000;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
const ANY_HOSTS = ["0.0.0.0", "::"];
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}))?$/i;
const PORT_MAX = 65_535;
/** The only method of the protocol without sessions. */
const METHOD = "POST";
const BEARER = /^Bearer +(\S+)$/i;

/** Settings of the HTTP address. */
export interface McpHttpSettings {
  readonly address: TcpAddress;
  /** Names of this server beside those of this machine, as browsers and programs call it. */
  readonly hosts: readonly string[];
  /** Certificate chain and key in PEM. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly connectionsMax: number;
  /** Time for TLS and the headers of a request. */
  readonly headersTimeoutMs: number;
  /** Time for a whole request, and over which a reader must keep the least pace. */
  readonly stallTimeoutMs: number;
  /** An address of this server that needs no TLS, as the client takes it. */
  readonly server: string;
  readonly version: string;
  /** Says whose memories a request reaches. Throws an Error with what is wrong. */
  readonly reachOf: (headers: IncomingHttpHeaders) => McpReach;
}

/** An open HTTP address. */
export interface McpHttp {
  /** The URL of the protocol. */
  readonly url: string;
  /** Takes no more requests and ends those that are open. */
  readonly stop: () => Promise<void>;
}

/** A refusal of a request before the protocol begins. */
class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Opens the address. Throws a StartError when it cannot. */
export async function startMcpHttp(settings: McpHttpSettings): Promise<McpHttp> {
  const { address, tls, connectionsMax } = settings;
  const { host } = address;
  const names = [...LOCAL_HOSTS, ...settings.hosts, ...(ANY_HOSTS.includes(host) ? [] : [host])];
  const hosts = new Set(names.map((name) => (isBareV6(name) ? `[${name}]` : name).toLowerCase()));
  const open = new Set<AbortController>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const gone = new AbortController();
    open.add(gone);
    response.once("close", () => {
      open.delete(gone);
      gone.abort();
    });
    serveRequest(request, response, { settings, hosts, gone: gone.signal }).catch(() => {
      response.destroy();
    });
  };
  const limits = limitsOf(settings);
  const server =
    tls === undefined
      ? createServer(limits, answer)
      : createSecureServer({ ...tls, ...limits, handshakeTimeout: limits.headersTimeout }, answer);
  server.maxConnections = connectionsMax;
  const port = await listen(server, host, address.port);
  const shown = isBareV6(host) ? `[${host}]` : host;
  const url = `${tls === undefined ? "http" : "https"}://${shown}:${port}${PATH}`;
  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    for (const gone of open) gone.abort();
    server.closeAllConnections();
    await closed;
  };
  return { url, stop };
}

/** Limits for callers that are slow to send. Those of readers are at `send`. */
function limitsOf({ headersTimeoutMs, stallTimeoutMs }: McpHttpSettings) {
  const headersTimeout = Math.min(headersTimeoutMs, stallTimeoutMs);
  const { least, most } = CHECKS_MS;
  return {
    ...{ headersTimeout, requestTimeout: stallTimeoutMs, keepAliveTimeout: IDLE_TIMEOUT_MS },
    connectionsCheckingInterval: Math.max(least, Math.min(most, headersTimeout / 2)),
  };
}

function isBareV6(host: string): boolean {
  return host.includes(":") && !host.startsWith("[");
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // It stays: a later fault, such as a failed accept, is no reason to end the process.
    server.on("error", (error) => {
      reject(new StartError(`--http-listen: ${error.message}.`, { cause: error }));
    });
    server.listen({ host, port }, () => {
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : port);
    });
  });
}

interface Serving {
  readonly settings: McpHttpSettings;
  /** The names that a request may call this server by. */
  readonly hosts: ReadonlySet<string>;
  /** Aborted when the caller is gone, or the server stops. */
  readonly gone: AbortSignal;
}

async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { settings, hosts, gone }: Serving,
): Promise<void> {
  let client: MemorySidecar | undefined;
  let handler: McpHttpHandler | undefined;
  try {
    checkPlace(request, hosts);
    const reach = reachOf(settings, request.headers);
    client = connect(settings.server, {
      ...{ token: tokenOf(request.headers), namespace: reach.namespace },
      timeoutMs: CALL_TIMEOUT_MS,
    });
    await checkToken(client, gone);
    const parts = { client, reach, version: settings.version };
    handler = createMcpHandler(() => createMcpServer(parts), {
      maxRequestBodySize: BODY_BYTES_MAX,
    });
    const answer = await handler.fetch(toRequest(request, gone));
    // Keep the caller's choice of keep-alive, but close after an unread body: its rest would be
    // parsed as the next request.
    answer.headers.delete("connection");
    if (!request.complete) answer.headers.set("connection", "close");
    await send(answer, response, { gone, stallTimeoutMs: settings.stallTimeoutMs });
  } catch (error) {
    if (!(error instanceof Refusal) || response.headersSent) throw error;
    refuse(response, error);
  } finally {
    await handler?.close();
    client?.close();
  }
}

/** Refuses other paths and methods, and what a page of another site made a browser send. */
function checkPlace(request: IncomingMessage, hosts: ReadonlySet<string>): void {
  const { method, url = "", headers } = request;
  const [, name = "", port = "0"] = HOST.exec(headers.host ?? "") ?? [];
  const host = name.toLowerCase();
  if (!hosts.has(host)) {
    const text = `This server is not called "${host}". The operator adds names with --http-hosts.`;
    throw new Refusal(403, text);
  }
  if (Number(port) > PORT_MAX) {
    throw new Refusal(400, `The port of the header Host is at most ${PORT_MAX}, not ${port}.`);
  }
  const { origin } = headers;
  if (origin !== undefined && !hosts.has(hostnameOf(origin))) {
    throw new Refusal(403, "Pages of other sites may not call this server.");
  }
  if (url.replace(/\?.*$/s, "") !== PATH) {
    throw new Refusal(404, `There is nothing here. The protocol is at ${PATH}.`);
  }
  if (method !== METHOD) throw new Refusal(405, `Send a ${METHOD}, which is the only method here.`);
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : "";
}

function reachOf({ reachOf: read }: McpHttpSettings, headers: IncomingHttpHeaders): McpReach {
  try {
    return read(headers);
  } catch (error) {
    throw new Refusal(400, (error as Error).message);
  }
}

function tokenOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return BEARER.exec(authorization ?? "")?.[1];
}

/** Asks the server itself, before the protocol begins: programs look for the status 401. */
async function checkToken(client: MemorySidecar, signal: AbortSignal): Promise<void> {
  try {
    await client.serverInfo({ signal });
  } catch (error) {
    const isToken =
      isMemorySidecarError(error, "TOKEN_MISSING") || isMemorySidecarError(error, "TOKEN_INVALID");
    throw new Refusal(isToken ? 401 : 503, faultText(error));
  }
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  const error = { code: -32_000, message };
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(status === 405 ? { allow: METHOD } : {}),
    // The body of a refused request is not read.
    connection: "close",
  });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}

function toRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { url = "", headers } = request;
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    // The token belongs to the calls alone.
    if (value === undefined || name === "authorization" || name.startsWith(":")) return [];
    return [[name, Array.isArray(value) ? value.join(", ") : value]];
  });
  const body = Readable.toWeb(request) as ReadableStream<Uint8Array>;
  return new Request(`http://${headers.host}${url}`, {
    ...{ method: METHOD, headers: pairs, signal, body, duplex: "half" },
  } as RequestInit);
}

interface Sending {
  readonly gone: AbortSignal;
  readonly stallTimeoutMs: number;
}

/** Looks at the pace of a reader within the time over which it is measured. */
const LOOKS = 4;

/** The pace of a reader since the last look at which no part of the answer waited for it. */
interface Pace {
  isWaiting: boolean;
  looks: number;
  bytes: number;
}

/** Sends an answer. Throws when its reader is gone or reads below the minimum pace. */
async function send(
  from: Response,
  response: ServerResponse,
  { gone, stallTimeoutMs }: Sending,
): Promise<void> {
  response.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body === null) {
    response.end();
    return;
  }
  const stalled = new AbortController();
  const pace: Pace = { isWaiting: false, looks: 0, bytes: 0 };
  const bytesMin = (READ_BYTES_PER_S * stallTimeoutMs) / 1_000;
  const checks = setInterval(() => {
    pace.looks += 1;
    // The first look may come at once after the wait has begun.
    if (pace.isWaiting && pace.looks <= LOOKS) return;
    if (pace.isWaiting && pace.bytes < bytesMin) stalled.abort();
    Object.assign(pace, { looks: pace.isWaiting ? 1 : 0, bytes: 0 });
  }, stallTimeoutMs / LOOKS);
  try {
    const signal = AbortSignal.any([gone, stalled.signal]);
    // A separate stage, so that the signal also ends a wait for the next chunk.
    const body = Readable.fromWeb(from.body as ReadableStream<Uint8Array>);
    await pipeline(body, (chunks) => partsOf(chunks, pace), response, { signal });
  } finally {
    clearInterval(checks);
  }
}

/** The parts of an answer. The pace tells how much was read, and that a part waits. */
async function* partsOf(chunks: AsyncIterable<Uint8Array>, pace: Pace): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PART_BYTES) {
      const part = chunk.subarray(at, at + PART_BYTES);
      pace.isWaiting = true;
      yield part;
      pace.bytes += part.length;
      // Nothing waits while the answer itself goes on.
      pace.isWaiting = at + PART_BYTES < chunk.length;
    }
  }
  pace.isWaiting = true;
}
