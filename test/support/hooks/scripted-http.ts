// An HTTP endpoint with scripted behaviour: answers or raw bytes, which can break the protocol in
// any way. It records its requests.

import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A received request. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, parsed as JSON. */
  readonly json: Readonly<Record<string, unknown>>;
  /** The number of the connection: 1 for the first. */
  readonly connection: number;
}

/** Answers one request on its connection. */
export type HttpAct = (socket: Socket, request: SeenRequest) => void;

/** A running endpoint. */
export interface ScriptedHttp extends AsyncDisposable {
  readonly port: number;
  /** Base URL without a path. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Connections so far. */
  readonly connections: number;
  /** Number of open connections. */
  readonly open: number;
  /** Sets the following answers; the last one repeats. */
  script(...acts: readonly HttpAct[]): void;
  /** Closes every open connection. */
  dropAll(): void;
}

const HEAD_END = "\r\n\r\n";

/** Splits the first complete request off the bytes of a connection; undefined when incomplete. */
function takeRequest(bytes: Buffer, connection: number) {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const start = end + HEAD_END.length;
  const length = Number(headers["content-length"] ?? 0);
  if (bytes.length < start + length) return undefined;
  const body = bytes.subarray(start, start + length).toString("utf8");
  const json = (body === "" ? {} : JSON.parse(body)) as Record<string, unknown>;
  const request = { path: first.split(" ")[1] ?? "", headers, json, connection };
  return { request, rest: bytes.subarray(start + length) };
}

/** Options of an endpoint. */
export interface ScriptedHttpOptions {
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Starts an endpoint on the loopback address, over TLS when a key is given. */
export async function startScriptedHttp(
  acts: readonly HttpAct[],
  options: ScriptedHttpOptions = {},
): Promise<ScriptedHttp> {
  let left = [...acts];
  let connections = 0;
  const requests: SeenRequest[] = [];
  const open = new Set<Socket>();
  const serve = (socket: Socket): void => {
    const connection = ++connections;
    let bytes: Buffer = Buffer.alloc(0);
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.on("data", (piece) => {
      bytes = Buffer.concat([bytes, piece]);
      const taken = takeRequest(bytes, connection);
      if (taken === undefined) return;
      bytes = taken.rest;
      requests.push(taken.request);
      const act = left.length > 1 ? left.shift() : left[0];
      act?.(socket, taken.request);
    });
  };
  const { host = "127.0.0.1", tls, port = 0 } = options;
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : 0;
  const dropAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: bound,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${bound}`,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return open.size;
    },
    script: (...next) => {
      left = [...next];
    },
    dropAll,
    [Symbol.asyncDispose]: async () => {
      dropAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers with a status, headers and a body. */
export function answerWith(
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): HttpAct {
  const bytes = Buffer.from(body);
  const all = { "content-type": "application/json", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} X\r\n${lines.join("")}content-length: ${bytes.length}\r\n\r\n`;
  return (socket) => void socket.write(Buffer.concat([Buffer.from(head), bytes]));
}

/** A chat completion with this message. */
export function completionOf(text: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    id: "completion-1",
    model: "scripted",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    ...fields,
  });
}

/** Answers with a chat completion. */
export function complete(text: string, fields: Readonly<Record<string, unknown>> = {}): HttpAct {
  return answerWith(200, completionOf(text, fields));
}

/** Writes raw bytes. */
export function writeRaw(bytes: string | Buffer): HttpAct {
  return (socket) => void socket.write(bytes);
}

/** Never answers. */
export const noAnswer: HttpAct = () => {};

/** Resets the connection instead of an answer. */
export const resetAtOnce: HttpAct = (socket) => void socket.resetAndDestroy();

/** Resets the connection in the middle of a body. */
export const resetInBody: HttpAct = (socket) => {
  const body = completionOf("half");
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.write(head + body.slice(0, body.length / 2), () => {
    setTimeout(() => socket.resetAndDestroy(), 20);
  });
};

/** Sends one byte of a body in each interval. */
export function drip(intervalMs: number): HttpAct {
  return (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n");
    const timer = setInterval(() => socket.write(" "), intervalMs);
    socket.on("close", () => clearInterval(timer));
  };
}

/** Streams a body of this size as fast as the client reads; reports the number of bytes sent. */
export function flood(
  totalBytes: number,
  onClose: (sentBytes: number) => void = () => {},
  head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
): HttpAct {
  const piece = Buffer.alloc(65_536, " ");
  const chunk = Buffer.concat([
    Buffer.from(`${piece.length.toString(16)}\r\n`),
    piece,
    Buffer.from("\r\n"),
  ]);
  return (socket) => {
    let sent = 0;
    const push = (): void => {
      while (sent < totalBytes && !socket.destroyed) {
        sent += piece.length;
        if (!socket.write(chunk)) return;
      }
    };
    socket.write(head);
    socket.on("drain", push);
    socket.on("close", () => onClose(sent));
    push();
  };
}
