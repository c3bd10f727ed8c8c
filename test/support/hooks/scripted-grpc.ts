// A gRPC hook with scripted behaviour: answers, statuses, invalid bytes, silence and broken
// connections. It records its calls.

import { once } from "node:events";
import { createServer as createTcpServer, type Socket } from "node:net";
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import {
  HookServiceService,
  SummarizeRequest,
  SummarizeResponse,
} from "../../../src/gen/memorysidecar/hook/v1/hook_service.ts";
import type { SummarizeOutput } from "../../../src/gen/memorysidecar/v1/task.ts";

/** A received call. */
export interface SeenCall {
  readonly request: SummarizeRequest;
  readonly metadata: Metadata;
  /** Authority of the request. */
  readonly host: string;
}

/** Answers one call. `reply` takes a failed status or the bytes of an answer. */
export type GrpcAct = (reply: sendUnaryData<Buffer>, call: SeenCall) => void;

/** A running hook. */
export interface ScriptedGrpcHook extends AsyncDisposable {
  /** `127.0.0.1:PORT`, or the given socket. */
  readonly target: string;
  readonly port: number;
  readonly calls: readonly SeenCall[];
  /** Sets the following answers; the last one repeats. */
  script(...acts: readonly GrpcAct[]): void;
}

/** Options of a scripted hook. */
export interface ScriptedGrpcOptions {
  /** Default: a free port of the loopback address. */
  readonly listen?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** Starts a hook. */
export async function startScriptedGrpcHook(
  acts: readonly GrpcAct[],
  options: ScriptedGrpcOptions = {},
): Promise<ScriptedGrpcHook> {
  let left = [...acts];
  const calls: SeenCall[] = [];
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  server.addService(
    {
      summarize: {
        ...HookServiceService.summarize,
        requestDeserialize: (bytes: Buffer) => SummarizeRequest.decode(bytes),
        responseSerialize: (bytes: Buffer) => bytes,
      },
    },
    {
      summarize: (
        call: ServerUnaryCall<SummarizeRequest, Buffer>,
        reply: sendUnaryData<Buffer>,
      ): void => {
        const seen = { request: call.request, metadata: call.metadata, host: call.getHost() };
        calls.push(seen);
        const act = left.length > 1 ? left.shift() : left[0];
        act?.(reply, seen);
      },
    },
  );
  const { tls, listen = "127.0.0.1:0" } = options;
  const security =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [
          { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) },
        ]);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(listen, security, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    target: listen.startsWith("unix:") ? listen : `127.0.0.1:${port}`,
    port,
    calls,
    script: (...next) => {
      left = [...next];
    },
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}

/** Answers with an output; omitted fields are empty. */
export function answerOutput(output: Partial<SummarizeOutput>): GrpcAct {
  const whole: SummarizeOutput = {
    text: "",
    missingEntities: [],
    requestText: "",
    facts: [],
    openThreads: [],
    model: "",
    inputTokens: 0n,
    outputTokens: 0n,
    ...output,
  };
  return answerBytes(Buffer.from(SummarizeResponse.encode({ output: whole }).finish()));
}

/** Answers with raw bytes. */
export function answerBytes(bytes: Buffer): GrpcAct {
  return (reply) => reply(null, bytes);
}

/** Fails with a status. */
export function failWith(code: number, details = "", metadata?: Metadata): GrpcAct {
  return (reply) => reply({ code, details, ...(metadata === undefined ? {} : { metadata }) });
}

/** Never answers. */
export const noGrpcAnswer: GrpcAct = () => {};

/** A TCP port without a gRPC server. */
export interface RawPort extends AsyncDisposable {
  readonly target: string;
  readonly connections: number;
}

/** Listens on a free port and handles every connection with `onConnection`. */
export async function startRawPort(onConnection: (socket: Socket) => void): Promise<RawPort> {
  let connections = 0;
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
    onConnection(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    target: `127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A relay in front of a server, which a test can cut in the middle of a call. */
export async function startRelay(port: number): Promise<RawPort & { cut(): void }> {
  const { connect } = await import("node:net");
  const sockets = new Set<Socket>();
  const relay = await startRawPort((socket) => {
    const inner = connect(port, "127.0.0.1");
    for (const one of [socket, inner]) {
      sockets.add(one);
      one.on("error", () => one.destroy());
      one.on("close", () => sockets.delete(one));
    }
    socket.pipe(inner).pipe(socket);
  });
  return {
    target: relay.target,
    get connections() {
      return relay.connections;
    },
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
  };
}
