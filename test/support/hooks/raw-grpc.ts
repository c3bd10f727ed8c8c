// A gRPC hook on bare HTTP/2, which can break the protocol anywhere: in its frames, its status, its
// compression, its connection. It can be taken down and restarted on the same port.

import { once } from "node:events";
import {
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import {
  SummarizeRequest,
  SummarizeResponse,
} from "../../../src/gen/memorysidecar/hook/v1/hook_service.ts";
import { SummarizeOutput } from "../../../src/gen/memorysidecar/v1/task.ts";
import { reservedPort } from "../kit/port.ts";

/** Answers one call. */
export type RawAct = (stream: ServerHttp2Stream, request: SummarizeRequest) => void;

/** A running hook. */
export interface RawGrpc extends AsyncDisposable {
  readonly port: number;
  /** Calls so far. */
  readonly calls: number;
  /** Replaces the behaviour from now on. */
  script(act: RawAct): void;
  /** Refuses new connections and closes the open ones. */
  down(): Promise<void>;
  /** Listens again, on the same port. */
  up(): Promise<void>;
}

const PREFIX_BYTES = 5;

/** Connections by their remote port. */
const connections = new Map<number, Socket>();

/** Resets the connection of a call. */
export function resetConnection(stream: ServerHttp2Stream): void {
  connections.get(stream.session?.socket.remotePort ?? 0)?.resetAndDestroy();
}

/** Starts a hook on a port of the loopback address that it can close and open again. */
export async function startRawGrpc(first: RawAct): Promise<RawGrpc> {
  let act = first;
  let calls = 0;
  const port = await reservedPort();
  let server: Http2Server | undefined;
  const sessions = new Set<ServerHttp2Session>();
  const onStream = (stream: ServerHttp2Stream): void => {
    const pieces: Buffer[] = [];
    stream.on("error", () => {});
    stream.on("data", (piece: Buffer) => pieces.push(piece));
    stream.on("end", () => {
      calls += 1;
      const bytes = Buffer.concat(pieces).subarray(PREFIX_BYTES);
      act(stream, SummarizeRequest.decode(bytes));
    });
  };
  const up = async (): Promise<void> => {
    const next = createServer();
    next.on("connection", (socket: Socket) => {
      const { remotePort = 0 } = socket;
      connections.set(remotePort, socket);
      socket.on("close", () => connections.delete(remotePort));
    });
    next.on("session", (session) => {
      sessions.add(session);
      session.on("error", () => session.destroy());
      session.on("close", () => sessions.delete(session));
    });
    next.on("sessionError", () => {});
    next.on("stream", onStream);
    next.listen(port, "127.0.0.1");
    await once(next, "listening");
    server = next;
  };
  const down = async (): Promise<void> => {
    for (const session of sessions) session.destroy();
    const gone = server;
    server = undefined;
    await new Promise<void>((resolve) => {
      if (gone === undefined) resolve();
      else gone.close(() => resolve());
    });
  };
  await up();
  return {
    port,
    get calls() {
      return calls;
    },
    script: (next) => {
      act = next;
    },
    down,
    up,
    [Symbol.asyncDispose]: down,
  };
}

/** The prefix of a message: its length and whether it is compressed. */
export function prefixOf(length: number, isCompressed = false): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix[0] = isCompressed ? 1 : 0;
  prefix.writeUInt32BE(length, 1);
  return prefix;
}

const HEAD = { ":status": 200, "content-type": "application/grpc+proto" } as const;

/** Begins an answer; the status follows when the stream ends. */
export function beginAnswer(
  stream: ServerHttp2Stream,
  headers: Readonly<Record<string, string>> = {},
): void {
  stream.respond({ ...HEAD, ...headers }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
}

/** Answers with one message of raw bytes. */
export function answerFrame(bytes: Uint8Array): RawAct {
  return (stream) => {
    beginAnswer(stream);
    stream.end(Buffer.concat([prefixOf(bytes.length), bytes]));
  };
}

/** The bytes of an answer with this output. */
export function outputBytes(output: Partial<SummarizeOutput>): Uint8Array {
  const empty = SummarizeOutput.decode(new Uint8Array(0));
  return SummarizeResponse.encode({ output: { ...empty, ...output } }).finish();
}

/** Answers with only a status. */
export function answerStatus(code: number, headers: Readonly<Record<string, string>> = {}): RawAct {
  return (stream) =>
    stream.respond({ ...HEAD, "grpc-status": String(code), ...headers }, { endStream: true });
}
