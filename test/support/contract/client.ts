// A real server on a Unix socket in this process, over the in-memory engine, and a client that
// shares no code with ours: it sends any bytes of a test, even invalid messages.

import { join } from "node:path";
import {
  Client,
  type ClientOptions,
  type ClientUnaryCall,
  credentials,
  type Interceptor,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import type { BackUpSettings } from "../../../src/admin/back-ups.ts";
import { type App, type AppSettings, startApp } from "../../../src/app.ts";
import { CODEC } from "../../../src/edge/codec.ts";
import { BadRequest, ErrorInfo, RetryInfo } from "../../../src/gen/google/rpc/error_details.ts";
import { Status } from "../../../src/gen/google/rpc/status.ts";
import { AdminServiceService } from "../../../src/gen/memorysidecar/v1/admin_service.ts";
import { EventServiceService } from "../../../src/gen/memorysidecar/v1/event_service.ts";
import { MemoryServiceService } from "../../../src/gen/memorysidecar/v1/memory_service.ts";
import { RecallServiceService } from "../../../src/gen/memorysidecar/v1/recall_service.ts";
import { RecordServiceService } from "../../../src/gen/memorysidecar/v1/record_service.ts";
import { SessionServiceService } from "../../../src/gen/memorysidecar/v1/session_service.ts";
import { TaskServiceService } from "../../../src/gen/memorysidecar/v1/task_service.ts";
import type { Hooks } from "../../../src/hooks/port.ts";
import type { World } from "../../../src/kit/world.ts";
import { createLogs } from "../../../src/log.ts";
import type { Store } from "../../../src/store/store.ts";
import { openMemoryStore } from "../../model/store.ts";
import { MANUAL_HOOKS } from "../hooks/hooks.ts";
import { makeTempDir } from "../kit/temp-dir.ts";
import { isDocumented } from "./documented-errors.ts";

/** Records the requests to one server, and gives it a replayable clock and random source. */
export interface Recording {
  readonly world: World & { offsetMs: number };
  readonly interceptors: Interceptor[];
  nameStore(store: Store): Store;
  end(): void;
}

const recordings = new Map<string, Recording>();
let record: ((options: TestServerOptions) => Recording) | undefined;

/** Records every server from now on, for test/golden. */
export function recordWith(begin: typeof record): void {
  record = begin;
}

/** Every method of the contract. */
export const METHODS = {
  ...SessionServiceService,
  ...EventServiceService,
  ...TaskServiceService,
  ...AdminServiceService,
  ...RecallServiceService,
  ...MemoryServiceService,
  ...RecordServiceService,
} as const;

export type MethodName = keyof typeof METHODS;
export type UnaryName = Exclude<MethodName, "watchEvents" | ReadWhole>;

/** Streams that a test reads to their end. */
type ReadWhole = "exportSession" | "backUp" | "compactStore";
export type RequestOf<M extends MethodName> = ReturnType<(typeof METHODS)[M]["requestDeserialize"]>;
export type ResponseOf<M extends MethodName> = ReturnType<
  (typeof METHODS)[M]["responseDeserialize"]
>;

/** A failure as the caller receives it. */
export interface Failure {
  readonly code: string;
  readonly reason: string;
  readonly domain: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Names of the faulty fields. */
  readonly fields: readonly string[];
  readonly retryAfterMs: number | undefined;
  /** The retry delay for gRPC itself: the trailer `grpc-retry-pushback-ms`. */
  readonly pushbackMs: number | undefined;
  /** Types of the details. */
  readonly details: readonly string[];
  /** Approximate size of the failure in the trailers. */
  readonly trailerBytes: number;
}

/** Outcome of a call: bytes or a failure. */
export type RawOutcome = { readonly bytes: Buffer } | { readonly failure: Failure };

const TYPE_PREFIX = "type.googleapis.com/google.rpc.";

/** Reads the details of a failed call. */
export function failureOf(error: ServiceError): Failure {
  const binary = error.metadata.get("grpc-status-details-bin")[0];
  const wire = Status.decode(binary instanceof Buffer ? binary : Buffer.alloc(0));
  const find = (name: string): Buffer | undefined =>
    wire.details.find((detail) => detail.typeUrl === TYPE_PREFIX + name)?.value;
  const info = ErrorInfo.decode(find("ErrorInfo") ?? Buffer.alloc(0));
  const bad = BadRequest.decode(find("BadRequest") ?? Buffer.alloc(0));
  const retry = find("RetryInfo");
  const delay = retry === undefined ? undefined : RetryInfo.decode(retry).retryDelay;
  const [pushback] = error.metadata.get("grpc-retry-pushback-ms");
  return {
    code: status[error.code],
    reason: info.reason,
    domain: info.domain,
    message: error.details,
    metadata: Object.fromEntries(info.metadata),
    fields: bad.fieldViolations.map((violation) => violation.field),
    retryAfterMs:
      delay === undefined ? undefined : Number(delay.seconds) * 1_000 + delay.nanos / 1_000_000,
    pushbackMs: pushback === undefined ? undefined : Number(pushback),
    details: wire.details.map((detail) => detail.typeUrl.slice(TYPE_PREFIX.length)),
    trailerBytes: encodeURI(error.details).length + (binary?.length ?? 0) * (4 / 3),
  };
}

/** Thrown when an rpc fails in a way that its comment does not document. */
export class Undocumented extends Error {
  override readonly name = "Undocumented";
}

/** Reads the failure of a call. Throws Undocumented. */
function failureOfCall(method: MethodName, error: ServiceError): Failure {
  const failure = failureOf(error);
  const rpc = METHODS[method].path.split("/").at(-1) ?? "";
  // Failures of gRPC itself have no reason.
  if (failure.reason !== "" && !isDocumented(rpc, failure.reason)) {
    throw new Undocumented(
      `${rpc} answers ${failure.reason}, which its comment does not tell: ${failure.message}`,
    );
  }
  return failure;
}

/** Thrown by `call` when the server refuses. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
  readonly failure: Failure;

  constructor(method: string, failure: Failure) {
    super(`${method}: ${failure.code} ${failure.reason}: ${failure.message}`);
    this.failure = failure;
  }
}

/** A stream that was read to its end. */
export interface Streamed<M extends MethodName> {
  readonly chunks: readonly ResponseOf<M>[];
  readonly failure: Failure | undefined;
}

/** Options of a call. */
export interface CallOptions {
  readonly deadlineMs?: number;
  readonly token?: string;
  /** The answer is scripted: it may fail in ways that the rpc itself never does. */
  readonly anyReason?: boolean;
}

/** A request with the fields that a test sets. */
export function requestFor<M extends MethodName>(
  method: M,
  fields: Partial<RequestOf<M>> = {},
): RequestOf<M> {
  const empty = METHODS[method].requestDeserialize(Buffer.alloc(0)) as RequestOf<M>;
  return { ...empty, ...fields };
}

/** The wire form of a request. */
export function requestBytes<M extends MethodName>(
  method: M,
  fields: Partial<RequestOf<M>> = {},
): Buffer {
  const serialize = METHODS[method].requestSerialize as (request: RequestOf<M>) => Buffer;
  return serialize(requestFor(method, fields));
}

function metadataFor(options: CallOptions): Metadata {
  const metadata = new Metadata();
  if (options.token !== undefined) metadata.set("authorization", `Bearer ${options.token}`);
  return metadata;
}

/** A client that sends bytes. */
export class TestClient {
  readonly channel: Client;

  /** Clients of one address share a connection unless `options` ask for a separate one. */
  constructor(
    address: string,
    security = credentials.createInsecure(),
    options: ClientOptions = {},
  ) {
    const interceptors = recordings.get(address)?.interceptors ?? [];
    this.channel = new Client(address, security, { ...options, interceptors });
  }

  /** Sends bytes to a method. */
  raw(method: UnaryName, bytes: Buffer, options: CallOptions = {}): Promise<RawOutcome> {
    return new Promise((resolve, reject) => {
      this.channel.makeUnaryRequest(
        METHODS[method].path,
        (value: Buffer) => value,
        (value: Buffer) => value,
        bytes,
        metadataFor(options),
        options.deadlineMs === undefined ? {} : { deadline: Date.now() + options.deadlineMs },
        (error, value) => {
          if (error === null) return resolve({ bytes: value ?? Buffer.alloc(0) });
          try {
            const isScripted = options.anyReason === true;
            resolve({ failure: isScripted ? failureOf(error) : failureOfCall(method, error) });
          } catch (undocumented) {
            reject(undocumented);
          }
        },
      );
    });
  }

  /** Begins a call to be canceled later; its answer is ignored. */
  start(method: UnaryName, bytes: Buffer): ClientUnaryCall {
    return this.channel.makeUnaryRequest(
      METHODS[method].path,
      (value: Buffer) => value,
      (value: Buffer) => value,
      bytes,
      () => {},
    );
  }

  /** Calls a method. Throws CallFailed. */
  async call<M extends UnaryName>(
    method: M,
    fields: Partial<RequestOf<M>> = {},
    options: CallOptions = {},
  ): Promise<ResponseOf<M>> {
    const outcome = await this.raw(method, requestBytes(method, fields), options);
    if ("failure" in outcome) throw new CallFailed(method, outcome.failure);
    return METHODS[method].responseDeserialize(outcome.bytes) as ResponseOf<M>;
  }

  /** Calls a method that must fail, and returns the failure. */
  async fail<M extends UnaryName>(
    method: M,
    fields: Partial<RequestOf<M>> = {},
    options: CallOptions = {},
  ): Promise<Failure> {
    const outcome = await this.raw(method, requestBytes(method, fields), options);
    if ("failure" in outcome) return outcome.failure;
    throw new Error(`${method} did not fail`);
  }

  /** Opens a stream with bytes. */
  stream(bytes: Buffer, options: CallOptions = {}) {
    const stream = this.channel.makeServerStreamRequest(
      METHODS.watchEvents.path,
      (value: Buffer) => value,
      METHODS.watchEvents.responseDeserialize,
      bytes,
      metadataFor(options),
    );
    // The reader of the stream handles the failure; an undocumented one fails the test run.
    stream.once("error", (error) => void failureOfCall("watchEvents", error as ServiceError));
    return stream;
  }

  /** Exports a session: the chunks, and the failure of the stream if any. */
  export(
    fields: Partial<RequestOf<"exportSession">>,
    options: CallOptions = {},
  ): Promise<Streamed<"exportSession">> {
    return this.#readAll("exportSession", fields, options);
  }

  /** Backs up the store: the messages of the stream, and its failure if any. */
  backUp(
    fields: Partial<RequestOf<"backUp">>,
    options: CallOptions = {},
  ): Promise<Streamed<"backUp">> {
    return this.#readAll("backUp", fields, options);
  }

  /** Compacts the store: the messages of the stream, and its failure if any. */
  compactStore(
    fields: Partial<RequestOf<"compactStore">>,
    options: CallOptions = {},
  ): Promise<Streamed<"compactStore">> {
    return this.#readAll("compactStore", fields, options);
  }

  /** Reads a stream to its end. */
  #readAll<M extends ReadWhole>(
    method: M,
    fields: Partial<RequestOf<M>>,
    options: CallOptions,
  ): Promise<Streamed<M>> {
    const stream = this.channel.makeServerStreamRequest(
      METHODS[method].path,
      (value: Buffer) => value,
      METHODS[method].responseDeserialize as (bytes: Buffer) => ResponseOf<M>,
      requestBytes(method, fields),
      metadataFor(options),
      options.deadlineMs === undefined ? {} : { deadline: Date.now() + options.deadlineMs },
    );
    const chunks: ResponseOf<M>[] = [];
    return new Promise((resolve, reject) => {
      stream.on("data", (chunk: ResponseOf<M>) => chunks.push(chunk));
      stream.on("error", (error) => {
        try {
          resolve({ chunks, failure: failureOfCall(method, error as ServiceError) });
        } catch (undocumented) {
          reject(undocumented);
        }
      });
      stream.on("end", () => resolve({ chunks, failure: undefined }));
    });
  }

  /** Opens a watch that must fail, and returns the failure. */
  failStream(bytes: Buffer, options: CallOptions = {}): Promise<Failure> {
    return new Promise((resolve, reject) => {
      const stream = this.stream(bytes, options);
      stream.on("data", () => {});
      stream.on("error", (error) => resolve(failureOf(error as ServiceError)));
      stream.on("end", () => reject(new Error("the stream did not fail")));
    });
  }

  close(): void {
    this.channel.close();
  }
}

/** A server for a test. */
export interface TestServer extends AsyncDisposable {
  readonly app: App;
  readonly store: Store;
  readonly client: TestClient;
  /** Address for a separate client. */
  readonly address: string;
  readonly directory: string;
  /** The lines of the log. */
  readonly log: readonly string[];
  /** Moves the clock. */
  advance(ms: number): void;
}

export const SETTINGS: Omit<AppSettings, "listen"> = {
  memoryBytes: 8_589_934_592,
  cacheBytes: 67_108_864,
  recallMemoryBytes: 268_435_456,
  reflection: true,
  tokenFile: undefined,
  allowExposedSecrets: false,
  tlsCert: undefined,
  tlsKey: undefined,
  handlersMax: 512,
  connectionsMax: 256,
  prefaceTimeoutMs: 10_000,
  firstCallTimeoutMs: 60_000,
  connectionIdleMs: 900_000,
  streamsMax: 1_000,
  watchStreamsMax: 1_000,
  bufferedBytesMax: 268_435_456,
  connectionBufferedBytesMax: 67_108_864,
  stallTimeoutMs: 30_000,
  shutdownGraceMs: 2_000,
  checkpointIntervalMs: 200,
  idempotencyWindowMs: 86_400_000,
  eventAgeMsMax: 604_800_000,
  eventCountMax: 1_000_000,
};

/** Options of a test server. */
export interface TestServerOptions {
  readonly settings?: Partial<AppSettings>;
  /** Wraps the store that the services use. */
  readonly wrapStore?: (store: Store) => Store;
  /** Initial time of the clock. Default: now. */
  readonly startMs?: number;
  /** Default: hooks whose summaries are made by hand. */
  readonly hooks?: Hooks;
  /** Default: the server makes no back-ups. */
  readonly backUps?: BackUpSettings;
}

/** Starts a server. Dispose of it with `await using`, or in `afterAll`. */
export async function startContractServer(options: TestServerOptions = {}): Promise<TestServer> {
  const directory = await makeTempDir();
  const memory = await openMemoryStore({ readFacts: CODEC.readFacts });
  const store = options.wrapStore?.(memory) ?? memory;
  const path = join(directory.path, "s.sock");
  const log: string[] = [];
  let shiftMs = options.startMs === undefined ? 0 : options.startMs - Date.now();
  const recording = record?.(options);
  if (recording !== undefined) recordings.set(`unix:${path}`, recording);
  const app = await startApp({
    settings: { ...SETTINGS, listen: [{ kind: "unix", path }], ...options.settings },
    logs: createLogs("debug", { write: (line: string) => void log.push(line) }),
    store: recording?.nameStore(store) ?? store,
    hooks: options.hooks ?? MANUAL_HOOKS,
    ...(options.backUps === undefined ? {} : { backUps: options.backUps }),
    world: recording?.world ?? {
      nowMs: () => Date.now() + shiftMs,
      random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    },
  });
  const address = app.addresses[0] ?? "";
  const client = new TestClient(address);
  return {
    app,
    store,
    client,
    address,
    directory: directory.path,
    log,
    advance: (ms) => {
      shiftMs += ms;
      if (recording !== undefined) recording.world.offsetMs += ms;
    },
    [Symbol.asyncDispose]: async () => {
      client.close();
      await app.stop();
      recording?.end();
      await directory[Symbol.asyncDispose]();
    },
  };
}
