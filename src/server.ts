// The gRPC server: its options, what it serves, and how it stops.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, type FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { Server, ServerCredentials, type ServerOptions } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation } from "grpc-health-check";
import type { Logger } from "pino";
import { LIMITS } from "../domain/limits.ts";
import { exposureProblem, formatAddress, type ListenAddress } from "./address.ts";
import { Admission } from "./admission.ts";
import { authenticateNobody, createTokenAuth } from "./auth.ts";
import type { BufferLimits } from "./buffer-limits.ts";
import { createCallLog } from "./call-log.ts";
import { loadDescriptors } from "./descriptors.ts";
import type { Edge } from "./handler.ts";
import { IncomingRequests } from "./incoming.ts";
import { openListeners } from "./listener.ts";
import { createRoutes, SERVICE_NAMES } from "./routes.ts";
import type { RpcContext } from "./rpc.ts";
import { StartError } from "./start-error.ts";
import { UnsentAnswers } from "./unsent.ts";

const RECEIVE_BYTES_MAX = 4_194_304;
const SEND_BYTES_MAX = 16_777_216;
const KEEPALIVE_INTERVAL_MS = 60_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;
const CONNECTION_IDLE_MS = 900_000;
// After the last call connections close as soon as their bytes are out; health watchers never do.
const CLOSE_TIMEOUT_MS = 500;

/** What an operator may set about the server. */
export interface ServerSettings {
  readonly listen: readonly ListenAddress[];
  readonly tokenFile: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly handlersMax: number;
  readonly connectionsMax: number;
  readonly streamsMax: number;
  readonly watchStreamsMax: number;
  readonly bufferedBytesMax: number;
  readonly connectionBufferedBytesMax: number;
  readonly stallTimeoutMs: number;
  readonly shutdownGraceMs: number;
  readonly reflection: boolean;
}

/** What a server is made of. */
export interface ServerParts {
  readonly settings: ServerSettings;
  readonly context: RpcContext;
  readonly log: Logger;
  /** Writes one line for each call. */
  readonly callLog: Logger;
  readonly nowMs: () => number;
}

/** A server that takes calls. */
export interface RunningServer {
  /** Where it listens, as text. */
  readonly addresses: readonly string[];
  /** Ends every call in order, within the grace time. May be called once. */
  readonly stop: () => Promise<void>;
  /** Ends every call at once. */
  readonly kill: () => void;
}

function grpcOptions(settings: ServerSettings): ServerOptions {
  return {
    "grpc.enable_channelz": 0,
    "grpc.max_receive_message_length": RECEIVE_BYTES_MAX,
    "grpc.max_send_message_length": SEND_BYTES_MAX,
    "grpc.max_concurrent_streams": settings.streamsMax,
    "grpc.keepalive_time_ms": KEEPALIVE_INTERVAL_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
    "grpc.max_connection_idle_ms": CONNECTION_IDLE_MS,
    interceptors: [new IncomingRequests(bufferLimits(settings)).interceptor],
  };
}

function tlsCredentials(settings: ServerSettings): ServerCredentials | undefined {
  const { tlsCert, tlsKey } = settings;
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  try {
    const pair = { cert_chain: readFileSync(tlsCert), private_key: readFileSync(tlsKey) };
    // Says at once that the two do not fit or are no PEM.
    createSecureContext({ cert: pair.cert_chain, key: pair.private_key });
    return ServerCredentials.createSsl(null, [pair]);
  } catch (error) {
    const text = `The certificate or its key cannot be used: ${(error as Error).message}.`;
    throw new StartError(text, { cause: error });
  }
}

/** Adds reflection, fed with the descriptors as they were compiled. */
function addReflection(server: Server, descriptors: FileDescriptorSet): void {
  const fileDescriptorProtos = descriptors.file.map((file) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, file)),
  );
  // Only the descriptors are looked at; the rest makes the entry the simplest one that is allowed.
  const format = "Protocol Buffer 3 EnumDescriptorProto" as const;
  const image = { format, type: {}, fileDescriptorProtos };
  new ReflectionService({ image }).addToServer(server);
}

function bufferLimits(settings: ServerSettings): BufferLimits {
  return {
    bytesMax: settings.bufferedBytesMax,
    connectionBytesMax: settings.connectionBufferedBytesMax,
    connectionBytesShare: Math.floor(settings.bufferedBytesMax / settings.connectionsMax),
    timeoutMs: settings.stallTimeoutMs,
  };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/** What every handler works with. */
function createEdge(
  { settings, context, log, nowMs, ...parts }: ServerParts,
  signals: Pick<Edge, "stopping" | "stopped">,
): Edge {
  const admission = new Admission({
    callsMax: settings.handlersMax,
    streamsMax: settings.watchStreamsMax,
    pollsMax: LIMITS.polls,
  });
  const authenticate =
    settings.tokenFile === undefined
      ? authenticateNobody
      : createTokenAuth(settings.tokenFile, { nowMs, log });
  return {
    context,
    authenticate,
    admission,
    unsent: new UnsentAnswers(bufferLimits(settings), { log, nowMs }),
    log: createCallLog(parts.callLog, nowMs),
    nowMs,
    ...signals,
  };
}

/** Starts a server. Throws a StartError with a text for the operator when it cannot. */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const { settings, context, log } = parts;
  const problem = exposureProblem(settings);
  if (problem !== undefined) throw new StartError(problem);
  const descriptors = loadDescriptors();
  const stopping = new AbortController();
  const stopped = new AbortController();
  const edge = createEdge(parts, { stopping: stopping.signal, stopped: stopped.signal });
  const { admission } = edge;

  const server = new Server(grpcOptions(settings));
  for (const route of createRoutes(edge, descriptors)) {
    server.addService(route.definition, route.implementation);
  }
  const health = new HealthImplementation(servingStatus("SERVING"));
  health.addToServer(server);
  if (settings.reflection) addReflection(server, descriptors);

  const plain = server.createConnectionInjector(ServerCredentials.createInsecure());
  const credentials = tlsCredentials(settings);
  const secure =
    credentials === undefined ? undefined : server.createConnectionInjector(credentials);
  const listeners = await openListeners(settings.listen, {
    connectionsMax: settings.connectionsMax,
    log,
    accept: (socket, address) => {
      const injector = address.kind === "tcp" ? (secure ?? plain) : plain;
      injector.injectConnection(socket);
    },
  });

  const kill = (): void => {
    listeners.close();
    stopping.abort();
    stopped.abort();
    server.forceShutdown();
  };
  const stop = async (): Promise<void> => {
    for (const name of Object.keys(servingStatus("NOT_SERVING"))) {
      health.setStatus(name, "NOT_SERVING");
    }
    listeners.close();
    stopping.abort();
    context.services.endWatches();
    await Promise.race([admission.idle(), delay(settings.shutdownGraceMs)]);
    // Its callback is not waited for: on Node 24 it comes at once, before the last answers and the
    // ends of the streams are on their way. The sockets tell when they are out.
    server.tryShutdown(() => {});
    await Promise.race([listeners.drained(), delay(CLOSE_TIMEOUT_MS)]);
    kill();
    // Writes that were under way reach the store all the same: it closes after them.
    await Promise.race([admission.idle(), delay(settings.shutdownGraceMs)]);
  };
  return { addresses: listeners.addresses.map(formatAddress), stop, kill };
}

function servingStatus<S extends "SERVING" | "NOT_SERVING">(status: S): Record<string, S> {
  return Object.fromEntries(["", ...SERVICE_NAMES].map((name) => [name, status]));
}
