// The gRPC server: its options, what it serves, and how it stops.

import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { Server, ServerCredentials, type ServerOptions } from "@grpc/grpc-js";
import { HealthImplementation } from "grpc-health-check";
import type { Logger } from "pino";
import type { Admission, Edge } from "./edge/handler.ts";
import type { RpcContext } from "./edge/rpc.ts";
import { exposureProblem, formatAddress, type ListenAddress, StartError } from "./grpc/address.ts";
import { createTokenAuth, OPEN_AUTH } from "./grpc/auth.ts";
import { createCallLog } from "./grpc/call-log.ts";
import { Connections } from "./grpc/connections.ts";
import { loadDescriptors } from "./grpc/descriptors.ts";
import { overloaded, streamLimitReached } from "./grpc/error-status.ts";
import { IncomingRequests } from "./grpc/incoming.ts";
import { openListeners } from "./grpc/listener.ts";
import { MemoryPressure } from "./grpc/memory-pressure.ts";
import { addReflection } from "./grpc/reflection.ts";
import { type BufferLimits, UnsentAnswers } from "./grpc/unsent.ts";
import { pollLimitReached } from "./kit/errors.ts";
import { LIMITS } from "./kit/limits.ts";
import { Semaphore } from "./kit/semaphore.ts";
import type { Full } from "./kit/shares.ts";
import { Turns } from "./kit/turns.ts";
import { createRoutes, SERVICE_NAMES } from "./routes.ts";

const RECEIVE_BYTES_MAX = 4_194_304;
const SEND_BYTES_MAX = 16_777_216;
const KEEPALIVE_INTERVAL_MS = 60_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;
// After the last call connections close as soon as their bytes are out; health watchers never do.
const CLOSE_TIMEOUT_MS = 500;

/** Settings of the server. */
export interface ServerSettings {
  readonly listen: readonly ListenAddress[];
  readonly tokenFile: string | undefined;
  readonly allowExposedSecrets: boolean;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** Memory that the process may take. */
  readonly memoryBytes: number;
  readonly handlersMax: number;
  readonly connectionsMax: number;
  readonly prefaceTimeoutMs: number;
  readonly firstCallTimeoutMs: number;
  readonly connectionIdleMs: number;
  readonly streamsMax: number;
  readonly watchStreamsMax: number;
  readonly bufferedBytesMax: number;
  readonly connectionBufferedBytesMax: number;
  readonly stallTimeoutMs: number;
  readonly shutdownGraceMs: number;
  readonly reflection: boolean;
}

/** Parts of a server. */
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
  /** Listen addresses, as text. */
  readonly addresses: readonly string[];
  /** Ends every call in order, within the grace time. May be called once. */
  readonly stop: () => Promise<void>;
  /** Ends every call at once. */
  readonly kill: () => void;
}

function grpcOptions(settings: ServerSettings, incoming: IncomingRequests): ServerOptions {
  return {
    "grpc.enable_channelz": 0,
    "grpc.max_receive_message_length": RECEIVE_BYTES_MAX,
    "grpc.max_send_message_length": SEND_BYTES_MAX,
    "grpc.max_concurrent_streams": settings.streamsMax,
    "grpc.keepalive_time_ms": KEEPALIVE_INTERVAL_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
    "grpc.max_connection_idle_ms": settings.connectionIdleMs,
    interceptors: [incoming.interceptor],
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

/** A semaphore whose callers do not wait. */
function places(running: number, full: (full: Full) => Error): Semaphore {
  return new Semaphore({ running, waiting: 0, full });
}

/** Waits until no call runs or waits, for at most the grace time. */
async function quiet({ calls, polls }: Admission, graceMs: number): Promise<void> {
  const isQuiet = async (): Promise<void> => {
    while (calls.running + polls.running > 0) await Promise.all([calls.idle(), polls.idle()]);
  };
  await Promise.race([isQuiet(), delay(graceMs)]);
}

/** Context of every handler. */
function createEdge(
  { settings, context, log, nowMs, ...parts }: ServerParts,
  signals: Pick<Edge, "stopping" | "stopped">,
): Edge {
  const admission: Admission = {
    calls: places(settings.handlersMax, overloaded),
    polls: places(LIMITS.polls, pollLimitReached),
    streams: places(settings.watchStreamsMax, streamLimitReached),
    turns: new Turns(nowMs),
  };
  const { tokenFile, allowExposedSecrets: allowExposed } = settings;
  const auth =
    tokenFile === undefined ? OPEN_AUTH : createTokenAuth(tokenFile, { allowExposed, log });
  return {
    context,
    auth,
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

  const connections = new Connections(settings, log);
  const { auth } = edge;
  const pressure = new MemoryPressure(settings.memoryBytes, parts.nowMs);
  const incoming = new IncomingRequests(bufferLimits(settings), { connections, auth, pressure });
  const server = new Server(grpcOptions(settings, incoming));
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
    connections,
    accept: (socket, address) => {
      const injector = address.kind === "tcp" ? (secure ?? plain) : plain;
      injector.injectConnection(socket);
    },
  });

  const kill = (): void => {
    edge.auth.close();
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
    await quiet(admission, settings.shutdownGraceMs);
    // Its callback is not waited for: on Node 24 it comes at once, before the last answers and the
    // ends of the streams are on their way. The sockets tell when they are out.
    server.tryShutdown(() => {});
    await Promise.race([listeners.drained(), delay(CLOSE_TIMEOUT_MS)]);
    kill();
    // Writes that were under way reach the store all the same: it closes after them.
    await quiet(admission, settings.shutdownGraceMs);
  };
  return { addresses: listeners.addresses.map(formatAddress), stop, kill };
}

function servingStatus<S extends "SERVING" | "NOT_SERVING">(status: S): Record<string, S> {
  return Object.fromEntries(["", ...SERVICE_NAMES].map((name) => [name, status]));
}
